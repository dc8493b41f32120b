/* spell.c: a function as bytes: its type, then each instruction with its operands by number. A constant that may differ
 * is a slot there, and its value is stored separately. Needs: functions before any pass. */
#include "backend/cpu/codegen/spell.h"

#include <stdlib.h>
#include <string.h>

typedef LLVMValueRef V;

struct cg_numbered {
  const void *value;
  uint32_t round, number; /* valid in that round */
};

void cg_spelling_free(cg_spelling *spelling) {
  ten_buf_free(&spelling->key);
  ten_vec_free(&spelling->slots);
}

void cg_speller_free(cg_speller *speller) { free(speller->table); }

static size_t place_of(const cg_speller *s, const void *value) {
  size_t at = ((uintptr_t)value >> 4) * 0x9E3779B97F4A7C15ull >> 20 & (s->table_size - 1);
  while (s->table[at].round == s->round && s->table[at].value != value) at = (at + 1) & (s->table_size - 1);
  return at;
}

static void give_number(cg_speller *s, const void *value) {
  s->table[place_of(s, value)] = (struct cg_numbered){value, s->round, ++s->count};
}

/* 0: not in this function. */
static uint32_t number_of(const cg_speller *s, const void *value) {
  const struct cg_numbered *found = &s->table[place_of(s, value)];
  return found->round == s->round ? found->number : 0;
}

static void put(cg_speller *s, char tag, uint64_t number) {
  char bytes[1 + sizeof number];
  bytes[0] = tag;
  memcpy(bytes + 1, &number, sizeof number);
  ten_buf_add(&s->out->key, bytes, sizeof bytes);
}

static void put_text(cg_speller *s, char tag, const char *text, size_t size) {
  put(s, tag, size);
  ten_buf_add(&s->out->key, text, size);
}

static void put_type(cg_speller *s, LLVMTypeRef type) {
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  put(s, 't', (uint64_t)kind);
  switch (kind) {
    case LLVMIntegerTypeKind: put(s, 'w', LLVMGetIntTypeWidth(type)); break;
    case LLVMArrayTypeKind:
      put(s, 'w', LLVMGetArrayLength2(type));
      put_type(s, LLVMGetElementType(type));
      break;
    case LLVMVoidTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
    case LLVMLabelTypeKind: break;
    default: {
      char *text = LLVMPrintTypeToString(type);
      put_text(s, 'T', text, strlen(text));
      LLVMDisposeMessage(text);
    }
  }
}

static void put_constant(cg_speller *s, V value) {
  put_type(s, LLVMTypeOf(value));
  if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64) {
    put(s, 'c', (uint64_t)LLVMConstIntGetSExtValue(value));
    return;
  }
  size_t size = 0;
  if (LLVMIsAGlobalValue(value)) {
    const char *name = LLVMGetValueName2(value, &size);
    if (!strncmp(name, CG_INNER_PREFIX, sizeof CG_INNER_PREFIX - 1)) size = sizeof CG_INNER_PREFIX - 1;
    put_text(s, 'g', name, size);
    return;
  }
  char *text = LLVMPrintValueToString(value);
  put_text(s, 'x', text, strlen(text));
  LLVMDisposeMessage(text);
}

/* Numbers everything in text order, and allocates the table. */
static void number_all(cg_speller *s, V function) {
  size_t count = LLVMCountParams(function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    count++;
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) count++;
  }
  if (count * 2 > s->table_size) {
    size_t size = 1024;
    while (size < count * 2) size *= 2;
    s->table = ten_renew(s->table, size * sizeof *s->table);
    s->table_size = size;
    s->round = 0;
  }
  s->round++;
  s->count = 0;
  for (unsigned i = 0; i < LLVMCountParams(function); i++) give_number(s, LLVMGetParam(function, i));
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    give_number(s, block);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) give_number(s, i);
  }
}

static void spell_operand(cg_speller *s, V instruction, unsigned operand) {
  V value = LLVMGetOperand(instruction, operand);
  const uint32_t number = number_of(s, value);
  if (number) {
    put(s, 'v', number);
    return;
  }
  const bool is_number = LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value);
  if (!is_number || !s->is_free || !s->is_free(s->cg, instruction, value, operand)) {
    put_constant(s, value);
    return;
  }
  put(s, 's', 0);
  put_type(s, LLVMTypeOf(value));
  ten_vec_push(&s->out->slots, (cg_slot){instruction, value, operand});
}

static void spell_flags(cg_speller *s, V i, LLVMOpcode code) {
  switch (code) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl: put(s, 'f', (uint64_t)(LLVMGetNSW(i) ? 1 : 0) | (uint64_t)(LLVMGetNUW(i) ? 2 : 0)); break;
    case LLVMICmp: put(s, 'f', (uint64_t)LLVMGetICmpPredicate(i)); break;
    case LLVMFCmp: put(s, 'f', (uint64_t)LLVMGetFCmpPredicate(i)); break;
    case LLVMGetElementPtr:
      put(s, 'f', LLVMIsInBounds(i) ? 1 : 0);
      put_type(s, LLVMGetGEPSourceElementType(i));
      break;
    case LLVMAlloca: put_type(s, LLVMGetAllocatedType(i)); /* fall through */
    case LLVMLoad:
    case LLVMStore: put(s, 'f', LLVMGetAlignment(i)); break;
    case LLVMPHI:
      for (unsigned k = 0; k < LLVMCountIncoming(i); k++) put(s, 'b', number_of(s, LLVMGetIncomingBlock(i, k)));
      break;
    default: break;
  }
  if (LLVMCanValueUseFastMathFlags(i)) put(s, 'm', LLVMGetFastMathFlags(i));
  if (LLVMHasMetadata(i)) put(s, 'h', 1);
}

/* Opcodes in generated code whose properties are all spelt. */
static bool is_known(LLVMOpcode code) {
  return code == LLVMRet || code == LLVMBr || code == LLVMCall || code == LLVMSelect || code == LLVMPHI ||
         code == LLVMICmp || code == LLVMFCmp || code == LLVMFNeg || (code >= LLVMAdd && code <= LLVMXor) ||
         (code >= LLVMAlloca && code <= LLVMGetElementPtr) || (code >= LLVMTrunc && code <= LLVMBitCast);
}

bool cg_spell(cg_speller *s, V function, cg_is_free is_free, cg_spelling *spelling) {
  const unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  s->is_free = is_free;
  s->out = spelling;
  number_all(s, function);
  put(s, 'F', LLVMCountParams(function));
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    put_type(s, LLVMTypeOf(LLVMGetParam(function, i)));
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, noalias)) put(s, 'n', i);
  }
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    put(s, 'B', 0);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      const LLVMOpcode code = LLVMGetInstructionOpcode(i);
      if (!is_known(code)) return false;
      put(s, 'I', code);
      put_type(s, LLVMTypeOf(i));
      spell_flags(s, i, code);
      const unsigned count = (unsigned)LLVMGetNumOperands(i);
      for (unsigned k = 0; k < count; k++) spell_operand(s, i, k);
    }
  }
  return true;
}
