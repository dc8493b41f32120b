/* merge.c: functions that differ in numbers alone become one, which reads those numbers from a table. The layers of a
 * network differ in their number of channels, the parts of a long chain of element-wise ops in their constants: LLVM
 * then compiles one function instead of hundreds.
 *
 * A key spells a function out, instruction by instruction; a constant that may differ is a slot there, and its value is
 * noted apart. Functions of equal keys are a group. One function of a group remains: it loads what its slots hold from
 * its last parameter, which each caller sets to a table of its own; slots that hold the same in every member share a
 * load, so that LLVM sees that a stride is also a trip count.
 *
 * What LLVM makes faster code for when it knows the number is no slot: divisors (but of an outermost loop around
 * several others), shifts, short trip counts, factors of an innermost loop's index, 0, 1 and other numbers that
 * simplify. Needs: inner functions that no pass has seen. Keeps: what each computes, to the bit. */
#include "backend/cpu/codegen/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

typedef LLVMValueRef V;

enum {
  GROUP_MIN = 3,    /* members that are worth a function that knows less */
  LOADS_MAX = 64,   /* numbers of a table */
  COUNT_MIN = 128,  /* a trip count from here on takes the vector loop, whether it is known or not */
  INTERLEAVE = 2,   /* of loops whose trip count is a slot: more would leave much of a row to the remainder */
  FACTOR_BITS = 40, /* of a reciprocal: a factor of 33 bits, then how far to shift */
  DEPTH = 6         /* of the sums and products that an index is made of */
};

typedef struct slot {
  V instruction, value;
  unsigned operand;
} slot;

typedef struct member {
  V function, call; /* and the only call of it, in the outer function */
  uint64_t hash;
  ten_buf key; /* owned */
  TEN_VEC(slot) slots;
  bool grouped;
} member;

typedef struct numbered {
  const void *value;
  uint32_t round, number; /* valid in that round */
} numbered;

typedef struct merger {
  ten_cg *cg;
  TEN_VEC(member) members;
  numbered *table; /* of the function that is being spelt: its parameters, blocks and instructions */
  size_t table_size;
  uint32_t round, count;
  member *current; /* borrowed from members */
} merger;

static size_t place_of(const merger *m, const void *value) {
  size_t at = ((uintptr_t)value >> 4) * 0x9E3779B97F4A7C15ull >> 20 & (m->table_size - 1);
  while (m->table[at].round == m->round && m->table[at].value != value) at = (at + 1) & (m->table_size - 1);
  return at;
}

static void give_number(merger *m, const void *value) {
  m->table[place_of(m, value)] = (numbered){value, m->round, ++m->count};
}

/* 0: not of this function. */
static uint32_t number_of(const merger *m, const void *value) {
  const numbered *found = &m->table[place_of(m, value)];
  return found->round == m->round ? found->number : 0;
}

static void put(merger *m, char tag, uint64_t number) {
  ten_buf_addc(&m->current->key, tag);
  ten_buf_add(&m->current->key, &number, sizeof number);
}
static void put_pointer(merger *m, char tag, const void *pointer) { put(m, tag, (uint64_t)(uintptr_t)pointer); }

static bool is_quotient(LLVMOpcode code) { return code == LLVMSDiv || code == LLVMUDiv; }
static bool is_remainder(LLVMOpcode code) { return code == LLVMSRem || code == LLVMURem; }
static bool is_phi(V value) { return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMPHI; }

/* Of a loop of one block: such loops become vectors. */
static bool is_innermost_index(V value) {
  if (!is_phi(value)) return false;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
  V end = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
    if (LLVMGetSuccessor(end, i) == block) return true;
  return false;
}

/* Numbers everything in the order of the text, with room for all. */
static void number_all(merger *m, V function) {
  size_t count = LLVMCountParams(function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    count++;
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) count++;
  }
  if (count * 2 > m->table_size) {
    size_t size = 1024;
    while (size < count * 2) size *= 2;
    m->table = ten_renew(m->table, size * sizeof *m->table);
    m->table_size = size;
    m->round = 0;
  }
  m->round++;
  m->count = 0;
  for (unsigned i = 0; i < LLVMCountParams(function); i++) give_number(m, LLVMGetParam(function, i));
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    give_number(m, block);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) give_number(m, i);
  }
}

static bool is_made_of_index(V value, int depth) {
  if (!LLVMIsAInstruction(value)) return false;
  if (is_innermost_index(value) || !depth) return true;
  switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
      return is_made_of_index(LLVMGetOperand(value, 0), depth - 1) ||
             is_made_of_index(LLVMGetOperand(value, 1), depth - 1);
    case LLVMPHI:
    case LLVMSDiv:
    case LLVMSRem:
    case LLVMUDiv:
    case LLVMURem:
    case LLVMLoad: return false;
    default: return true;
  }
}

/* The index of a loop, or part of one: not negative, and less than 2^31 where nothing is huge. */
static bool is_position(V value, int depth) {
  if (LLVMIsAConstantInt(value)) return LLVMConstIntGetSExtValue(value) >= 0;
  if (!LLVMIsAInstruction(value) || !depth) return false;
  if (is_phi(value)) return true;
  const LLVMOpcode code = LLVMGetInstructionOpcode(value);
  return (is_quotient(code) || is_remainder(code) || code == LLVMAdd || code == LLVMMul) &&
         is_position(LLVMGetOperand(value, 0), depth - 1) && is_position(LLVMGetOperand(value, 1), depth - 1);
}

static bool is_free_int(const merger *m, V instruction, V value, unsigned operand) {
  if (LLVMTypeOf(value) != m->cg->i64) return false;
  const long long number = LLVMConstIntGetSExtValue(value);
  switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMICmp: return number >= COUNT_MIN;
    case LLVMAdd:
    case LLVMSub: return llabs(number) > 1 && !is_phi(LLVMGetOperand(instruction, 1 - operand));
    case LLVMMul: return llabs(number) > 1 && !is_made_of_index(LLVMGetOperand(instruction, 1 - operand), DEPTH);
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem: {
      V index = LLVMGetOperand(instruction, 0);
      return operand == 1 && number > 1 && number <= INT32_MAX && !m->cg->huge && is_position(index, DEPTH) &&
             !is_made_of_index(index, DEPTH);
    }
    default: return false;
  }
}

static bool is_free_float(V instruction, V value, unsigned operand) {
  LLVMBool lost = false;
  const double number = LLVMConstRealGetDouble(value, &lost), size = fabs(number);
  if (!isfinite(number) || number == 0 || size == 1 || size == 2 || lost) return false;
  int exponent;
  switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFDiv: return operand == 0 || frexp(size, &exponent) != 0.5; /* by a power of two: a product */
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMCall: return true;
    default: return false;
  }
}

static void spell_operand(merger *m, V instruction, unsigned operand) {
  V value = LLVMGetOperand(instruction, operand);
  const uint32_t number = number_of(m, value);
  if (number) {
    put(m, 'v', number);
    return;
  }
  const bool is_free = LLVMIsAConstantInt(value)  ? is_free_int(m, instruction, value, operand)
                       : LLVMIsAConstantFP(value) ? is_free_float(instruction, value, operand)
                                                  : false;
  if (!is_free) {
    put_pointer(m, 'c', value); /* constants are unique within the context */
    return;
  }
  put_pointer(m, 's', LLVMTypeOf(value));
  ten_vec_push(&m->current->slots, (slot){instruction, value, operand});
}

static void spell_flags(merger *m, V i, LLVMOpcode code) {
  switch (code) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl: put(m, 'f', (uint64_t)(LLVMGetNSW(i) ? 1 : 0) | (uint64_t)(LLVMGetNUW(i) ? 2 : 0)); break;
    case LLVMICmp: put(m, 'f', (uint64_t)LLVMGetICmpPredicate(i)); break;
    case LLVMFCmp: put(m, 'f', (uint64_t)LLVMGetFCmpPredicate(i)); break;
    case LLVMGetElementPtr:
      put(m, 'f', LLVMIsInBounds(i) ? 1 : 0);
      put_pointer(m, 't', LLVMGetGEPSourceElementType(i));
      break;
    case LLVMAlloca: put_pointer(m, 't', LLVMGetAllocatedType(i)); /* fall through */
    case LLVMLoad:
    case LLVMStore: put(m, 'f', LLVMGetAlignment(i)); break;
    case LLVMPHI:
      for (unsigned k = 0; k < LLVMCountIncoming(i); k++) put(m, 'b', number_of(m, LLVMGetIncomingBlock(i, k)));
      break;
    default: break;
  }
  if (LLVMCanValueUseFastMathFlags(i)) put(m, 'm', LLVMGetFastMathFlags(i));
  if (LLVMHasMetadata(i)) put(m, 'h', 1);
}

/* What generated code has, whose every property is spelt. */
static bool is_known(LLVMOpcode code) {
  return code == LLVMRet || code == LLVMBr || code == LLVMCall || code == LLVMSelect || code == LLVMPHI ||
         code == LLVMICmp || code == LLVMFCmp || code == LLVMFNeg || (code >= LLVMAdd && code <= LLVMXor) ||
         (code >= LLVMAlloca && code <= LLVMGetElementPtr) || (code >= LLVMTrunc && code <= LLVMBitCast);
}

/* False: something in it has no spelling. */
static bool spell(merger *m, V function) {
  const unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  number_all(m, function);
  put_pointer(m, 'F', LLVMGlobalGetValueType(function));
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, noalias)) put(m, 'n', i);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    put(m, 'B', 0);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      const LLVMOpcode code = LLVMGetInstructionOpcode(i);
      if (!is_known(code)) return false;
      put(m, 'I', code);
      put_pointer(m, 't', LLVMTypeOf(i));
      spell_flags(m, i, code);
      const unsigned count = (unsigned)LLVMGetNumOperands(i);
      for (unsigned k = 0; k < count; k++) spell_operand(m, i, k);
    }
  }
  return true;
}

/* NULL: it has other uses. */
static V only_call(V function) {
  LLVMUseRef use = LLVMGetFirstUse(function);
  return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

static void find_members(merger *m) {
  for (V f = LLVMGetFirstFunction(m->cg->module); f; f = LLVMGetNextFunction(f)) {
    size_t size = 0;
    const char *name = LLVMGetValueName2(f, &size);
    if (LLVMIsDeclaration(f) || strncmp(name, CG_INNER_PREFIX, sizeof CG_INNER_PREFIX - 1) || !only_call(f)) continue;
    ten_vec_push(&m->members, (member){.function = f, .call = only_call(f)});
    m->current = &m->members.data[m->members.count - 1];
    if (spell(m, f))
      m->current->hash = ten_hash64(m->current->key.data, m->current->key.size, 0);
    else
      m->current->grouped = true; /* with nobody */
  }
}

typedef TEN_VEC(member *) group;
typedef TEN_VEC(size_t) places;

/* A number of the table: what a slot holds, or what to divide by that takes. */
typedef struct load {
  size_t slot;
  bool reciprocal;
} load;
typedef TEN_VEC(load) loads;

static bool same_in_all(const group *g, size_t i, size_t k) {
  for (size_t j = 0; j < g->count; j++)
    if (g->data[j]->slots.data[i].value != g->data[j]->slots.data[k].value) return false;
  return true;
}

static LLVMOpcode opcode_of(const group *g, size_t i) {
  return LLVMGetInstructionOpcode(g->data[0]->slots.data[i].instruction);
}

/* Which number of the table it is: one that is there, or a new one. */
static size_t load_of(const group *g, loads *all, size_t at, bool reciprocal) {
  size_t k = 0;
  while (k < all->count && (all->data[k].reciprocal != reciprocal || !same_in_all(g, all->data[k].slot, at))) k++;
  if (k == all->count) ten_vec_push(all, (load){at, reciprocal});
  return k;
}

/* Which slots differ, and what is to be loaded for them. */
static void find_loads(const group *g, places *varying, loads *all) {
  const member *first = g->data[0];
  for (size_t i = 0; i < first->slots.count && all->count <= LOADS_MAX; i++) {
    size_t j = 1;
    while (j < g->count && g->data[j]->slots.data[i].value == first->slots.data[i].value) j++;
    if (j == g->count) continue;
    ten_vec_push(varying, i);
    const LLVMOpcode code = opcode_of(g, i);
    if (!is_quotient(code)) load_of(g, all, i, false);
    if (is_quotient(code) || is_remainder(code)) load_of(g, all, i, true);
  }
}

/* x / divisor is x · factor >> shift for all x < 2^31: with 2^(l - 1) < divisor <= 2^l and shift = 31 + l, factor is
 * 2^shift / divisor and less than 1 more, which times x is less than 2^shift too much. */
static uint64_t reciprocal_of(uint64_t divisor) {
  uint64_t shift = 31;
  while ((1ull << (shift - 31)) < divisor) shift++;
  return ((1ull << shift) / divisor + 1) | shift << FACTOR_BITS;
}

static uint64_t bits_of(const ten_cg *cg, V value, bool reciprocal) {
  uint64_t bits = 0;
  LLVMBool lost = false;
  if (LLVMIsAConstantInt(value)) {
    bits = (uint64_t)LLVMConstIntGetSExtValue(value);
    return reciprocal ? reciprocal_of(bits) : bits;
  }
  const double wide = LLVMConstRealGetDouble(value, &lost);
  const float narrow = (float)wide;
  if (LLVMTypeOf(value) == cg->f64)
    memcpy(&bits, &wide, sizeof wide);
  else
    memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

static V table_of(ten_cg *cg, const member *of, const loads *all) {
  V *rows = ten_alloc((all->count + 1) * sizeof(V));
  for (size_t i = 0; i < all->count; i++)
    rows[i] =
        LLVMConstInt(cg->i64, bits_of(cg, of->slots.data[all->data[i].slot].value, all->data[i].reciprocal), false);
  V initial = LLVMConstArray2(cg->i64, rows, all->count);
  free(rows);
  V table = LLVMAddGlobal(cg->module, LLVMTypeOf(initial), "numbers");
  LLVMSetInitializer(table, initial);
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  LLVMSetAlignment(table, 8);
  return table;
}

/* A position divided by a slot: multiplied by `factor`, then shifted. All of it in 64 bits, and the shift by what LLVM
 * does not know: of one that it knows it would make divisions of 128 bits. */
static void divide(ten_cg *cg, V instruction, V divisor, V reciprocal) {
  LLVMPositionBuilderBefore(cg->b, instruction);
  V x = LLVMGetOperand(instruction, 0), mask = cg_const(cg, (1ll << FACTOR_BITS) - 1);
  V factor = LLVMBuildAnd(cg->b, reciprocal, mask, "");
  V shift = LLVMBuildLShr(cg->b, reciprocal, cg_const(cg, FACTOR_BITS), "");
  V result = LLVMBuildLShr(cg->b, LLVMBuildMul(cg->b, x, factor, ""), shift, "");
  if (divisor) result = LLVMBuildNSWSub(cg->b, x, LLVMBuildNSWMul(cg->b, result, divisor, ""), "");
  LLVMReplaceAllUsesWith(instruction, result);
  LLVMInstructionEraseFromParent(instruction);
}

/* A loop that no longer knows its trip count is told how to go. */
static void hint_loop(ten_cg *cg, V compare) {
  LLVMUseRef use = LLVMGetFirstUse(compare);
  V user = use ? LLVMGetUser(use) : NULL;
  if (user && LLVMGetInstructionOpcode(user) == LLVMBr && !LLVMHasMetadata(user))
    cg_loop_hint(cg, user, "llvm.loop.interleave.count", INTERLEAVE);
}

/* The remaining function reads what differs. */
static void load_numbers(ten_cg *cg, const group *g, const places *varying, loads *all) {
  const member *first = g->data[0];
  V parameter = LLVMGetParam(first->function, LLVMCountParams(first->function) - 1);
  LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(LLVMGetFirstBasicBlock(first->function)));
  V *loaded = ten_alloc((all->count + 1) * sizeof(V));
  for (size_t i = 0; i < all->count; i++) {
    V at = cg_const(cg, (int64_t)i), place = LLVMBuildInBoundsGEP2(cg->b, cg->i64, parameter, &at, 1, "");
    loaded[i] = LLVMBuildLoad2(cg->b, LLVMTypeOf(first->slots.data[all->data[i].slot].value), place, "");
  }
  for (size_t i = 0; i < varying->count; i++) {
    const size_t at = varying->data[i];
    const slot *s = &first->slots.data[at];
    const LLVMOpcode code = opcode_of(g, at);
    if (is_quotient(code) || is_remainder(code)) continue;
    LLVMSetOperand(s->instruction, s->operand, loaded[load_of(g, all, at, false)]);
    if (code == LLVMICmp) hint_loop(cg, s->instruction);
  }
  for (size_t i = 0; i < varying->count; i++) { /* these are erased */
    const size_t at = varying->data[i];
    const LLVMOpcode code = opcode_of(g, at);
    if (!is_quotient(code) && !is_remainder(code)) continue;
    V divisor = is_remainder(code) ? loaded[load_of(g, all, at, false)] : NULL;
    divide(cg, first->slots.data[at].instruction, divisor, loaded[load_of(g, all, at, true)]);
  }
  free(loaded);
}

static V outer_of(const member *of) { return LLVMGetBasicBlockParent(LLVMGetInstructionParent(of->call)); }

/* The outer function of a member calls the remaining one; where they are the same, its name is another of that one's.
 */
static void redirect(ten_cg *cg, const member *of, V remaining, V outer, V table) {
  V call = of->call, own = outer_of(of);
  if (table) LLVMSetOperand(call, LLVMGetNumArgOperands(call) - 1, table);
  if (of->function == remaining) return;
  if (table) {
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, remaining);
  } else {
    size_t size = 0;
    char *name = ten_strdup(LLVMGetValueName2(own, &size));
    LLVMTypeRef type = LLVMGlobalGetValueType(own);
    LLVMDeleteFunction(own);
    LLVMAddAlias2(cg->module, type, 0, outer, name);
    free(name);
  }
  LLVMDeleteFunction(of->function);
}

static void merge_group(ten_cg *cg, const group *g) {
  places varying = {0};
  loads all = {0};
  find_loads(g, &varying, &all);
  const bool differ = varying.count > 0;
  if (g->count > 1 && (!differ || (g->count >= GROUP_MIN && all.count <= LOADS_MAX))) {
    V remaining = g->data[0]->function, outer = outer_of(g->data[0]);
    if (differ) load_numbers(cg, g, &varying, &all);
    for (size_t i = g->count; i-- > 0;)
      redirect(cg, g->data[i], remaining, outer, differ ? table_of(cg, g->data[i], &all) : NULL);
  }
  ten_vec_free(&varying);
  ten_vec_free(&all);
}

static bool same_key(const member *a, const member *b) {
  return a->hash == b->hash && a->key.size == b->key.size && !memcmp(a->key.data, b->key.data, a->key.size);
}

void cg_merge(ten_cg *cg) {
  merger m = {.cg = cg};
  find_members(&m);
  for (size_t i = 0; i < m.members.count; i++) {
    if (m.members.data[i].grouped) continue;
    group g = {0};
    for (size_t k = i; k < m.members.count; k++) {
      member *other = &m.members.data[k];
      if (other->grouped || !same_key(&m.members.data[i], other)) continue;
      other->grouped = true;
      ten_vec_push(&g, other);
    }
    merge_group(cg, &g);
    ten_vec_free(&g);
  }
  for (size_t i = 0; i < m.members.count; i++) {
    ten_buf_free(&m.members.data[i].key);
    ten_vec_free(&m.members.data[i].slots);
  }
  ten_vec_free(&m.members);
  free(m.table);
}
