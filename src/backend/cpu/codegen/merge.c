/* merge.c: merges functions that differ only in constants into one, which reads those from a table. The layers of a
 * network differ in their number of channels, the parts of a long chain of elementwise ops in their constants: LLVM
 * then compiles one function instead of hundreds.
 *
 * A key is a spelling of a function, instruction by instruction; a constant that may differ is a slot in it, and its
 * value is stored separately. Functions with equal keys form a group. One function of a group remains: it loads its
 * slots' values from its last parameter, which each caller sets to its own table; slots with equal values in every
 * member share a load, so that LLVM sees that a stride is also a trip count.
 *
 * Constants that LLVM can exploit are no slots: divisors (except in an outermost loop around several others), shifts,
 * short trip counts, factors of an innermost loop's index, 0, 1 and others that simplify. Needs: inner functions before
 * any pass. Keeps: what each computes, bit for bit. */
#include "backend/cpu/codegen/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/numbers.h"
#include "base/hash.h"

typedef LLVMValueRef V;

enum {
  GROUP_MIN = 3,   /* minimum members for a less specialised function */
  LOADS_MAX = 64,  /* entries of a table */
  COUNT_MIN = 128, /* trip counts from here on use the vector loop, known or not */
  DEPTH = CG_POSITION_DEPTH
};

typedef struct member {
  V function, call; /* and its only call, in the outer function */
  uint64_t hash;
  cg_spelling spelling; /* owned */
  bool grouped;
} member;

typedef struct merger {
  ten_cg *cg;
  TEN_VEC(member) members;
} merger;

/* Of a loop of one block: such loops are vectorized. */
static bool is_innermost_index(V value) {
  if (!cg_is_phi(value)) return false;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
  V end = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
    if (LLVMGetSuccessor(end, i) == block) return true;
  return false;
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

static bool is_free_int(const ten_cg *cg, V instruction, V value, unsigned operand) {
  if (LLVMTypeOf(value) != cg->i64) return false;
  const long long number = LLVMConstIntGetSExtValue(value);
  switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMICmp: return number >= COUNT_MIN;
    case LLVMAdd:
    case LLVMSub: return llabs(number) > 1 && !cg_is_phi(LLVMGetOperand(instruction, 1 - operand));
    case LLVMMul: return llabs(number) > 1 && !is_made_of_index(LLVMGetOperand(instruction, 1 - operand), DEPTH);
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem: {
      V index = LLVMGetOperand(instruction, 0);
      return operand == 1 && number > 1 && number <= INT32_MAX && !cg->huge && cg_is_position(index, DEPTH) &&
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
    case LLVMFDiv: return operand == 0 || frexp(size, &exponent) != 0.5; /* by a power of two: a multiplication */
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMCall: return true;
    default: return false;
  }
}

static bool is_free(const ten_cg *cg, V instruction, V value, unsigned operand) {
  return LLVMIsAConstantInt(value) ? is_free_int(cg, instruction, value, operand)
                                   : is_free_float(instruction, value, operand);
}

/* NULL: it has other uses. */
static V only_call(V function) {
  LLVMUseRef use = LLVMGetFirstUse(function);
  return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

static void find_members(merger *m) {
  cg_speller speller = {.cg = m->cg};
  for (V f = LLVMGetFirstFunction(m->cg->module); f; f = LLVMGetNextFunction(f)) {
    size_t size = 0;
    const char *name = LLVMGetValueName2(f, &size);
    if (LLVMIsDeclaration(f) || strncmp(name, CG_INNER_PREFIX, sizeof CG_INNER_PREFIX - 1) || !only_call(f)) continue;
    ten_vec_push(&m->members, (member){.function = f, .call = only_call(f)});
    member *made = &m->members.data[m->members.count - 1];
    if (cg_spell(&speller, f, is_free, &made->spelling))
      made->hash = ten_hash64(made->spelling.key.data, made->spelling.key.size, 0);
    else
      made->grouped = true; /* a group of one */
  }
  cg_speller_free(&speller);
}

typedef TEN_VEC(member *) group;
typedef TEN_VEC(size_t) places;

/* An entry of the table: a slot's value, or its reciprocal for division. */
typedef struct load {
  size_t slot;
  bool reciprocal;
} load;
typedef TEN_VEC(load) loads;

static bool same_in_all(const group *g, size_t i, size_t k) {
  for (size_t j = 0; j < g->count; j++)
    if (g->data[j]->spelling.slots.data[i].value != g->data[j]->spelling.slots.data[k].value) return false;
  return true;
}

static LLVMOpcode opcode_of(const group *g, size_t i) {
  return LLVMGetInstructionOpcode(g->data[0]->spelling.slots.data[i].instruction);
}

/* Its index in the table: existing, or a new entry. */
static size_t load_of(const group *g, loads *all, size_t at, bool reciprocal) {
  size_t k = 0;
  while (k < all->count && (all->data[k].reciprocal != reciprocal || !same_in_all(g, all->data[k].slot, at))) k++;
  if (k == all->count) ten_vec_push(all, (load){at, reciprocal});
  return k;
}

/* Which slots differ, and the loads for them. */
static void find_loads(const group *g, places *varying, loads *all) {
  const member *first = g->data[0];
  for (size_t i = 0; i < first->spelling.slots.count && all->count <= LOADS_MAX; i++) {
    size_t j = 1;
    while (j < g->count && g->data[j]->spelling.slots.data[i].value == first->spelling.slots.data[i].value) j++;
    if (j == g->count) continue;
    ten_vec_push(varying, i);
    const LLVMOpcode code = opcode_of(g, i);
    if (!cg_is_quotient(code)) load_of(g, all, i, false);
    if (cg_is_quotient(code) || cg_is_remainder(code)) load_of(g, all, i, true);
  }
}

static uint64_t bits_of(const ten_cg *cg, const member *of, const load *number) {
  const uint64_t bits = cg_number_bits(cg, of->spelling.slots.data[number->slot].value);
  return number->reciprocal ? cg_number_reciprocal(bits) : bits;
}

static V table_of(ten_cg *cg, const member *of, const loads *all) {
  V *rows = ten_alloc((all->count + 1) * sizeof(V));
  for (size_t i = 0; i < all->count; i++) rows[i] = LLVMConstInt(cg->i64, bits_of(cg, of, &all->data[i]), false);
  V initial = LLVMConstArray2(cg->i64, rows, all->count);
  free(rows);
  V table = LLVMAddGlobal(cg->module, LLVMTypeOf(initial), "numbers");
  LLVMSetInitializer(table, initial);
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  LLVMSetAlignment(table, 8);
  return table;
}

/* Makes the remaining function load what differs. */
static void load_numbers(ten_cg *cg, const group *g, const places *varying, loads *all) {
  const member *first = g->data[0];
  V parameter = LLVMGetParam(first->function, LLVMCountParams(first->function) - 1);
  LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(LLVMGetFirstBasicBlock(first->function)));
  V *loaded = ten_alloc((all->count + 1) * sizeof(V));
  for (size_t i = 0; i < all->count; i++) {
    V at = cg_const(cg, (int64_t)i), place = LLVMBuildInBoundsGEP2(cg->b, cg->i64, parameter, &at, 1, "");
    loaded[i] = LLVMBuildLoad2(cg->b, LLVMTypeOf(first->spelling.slots.data[all->data[i].slot].value), place, "");
  }
  for (size_t i = 0; i < varying->count; i++) {
    const size_t at = varying->data[i];
    const cg_slot *s = &first->spelling.slots.data[at];
    const LLVMOpcode code = opcode_of(g, at);
    if (cg_is_quotient(code) || cg_is_remainder(code)) continue;
    LLVMSetOperand(s->instruction, s->operand, loaded[load_of(g, all, at, false)]);
    if (code == LLVMICmp) cg_hint_open_loop(cg, s->instruction);
  }
  for (size_t i = 0; i < varying->count; i++) { /* these are erased */
    const size_t at = varying->data[i];
    const LLVMOpcode code = opcode_of(g, at);
    if (!cg_is_quotient(code) && !cg_is_remainder(code)) continue;
    V divisor = cg_is_remainder(code) ? loaded[load_of(g, all, at, false)] : NULL;
    cg_divide(cg, first->spelling.slots.data[at].instruction, divisor, loaded[load_of(g, all, at, true)]);
  }
  free(loaded);
}

static V outer_of(const member *of) { return LLVMGetBasicBlockParent(LLVMGetInstructionParent(of->call)); }

/* The outer function of a member calls the remaining one; if they are equal, its name becomes an alias. */
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
  return a->hash == b->hash && a->spelling.key.size == b->spelling.key.size &&
         !memcmp(a->spelling.key.data, b->spelling.key.data, a->spelling.key.size);
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
  for (size_t i = 0; i < m.members.count; i++) cg_spelling_free(&m.members.data[i].spelling);
  ten_vec_free(&m.members);
}
