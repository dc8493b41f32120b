/* spell.h: spellings of LLVM IR functions. Functions with equal spellings differ only in the constants of their slots;
 * a spelling contains no addresses, so that it can be compared across modules and over time. */
#ifndef TEN_CPU_SPELL_H
#define TEN_CPU_SPELL_H

#include "backend/cpu/codegen/cg.h"

/* Inner functions of steps: private, one caller each, the last parameter an unused pointer. */
#define CG_INNER_PREFIX "body"

/* A constant that may differ, and its operand position. */
typedef struct cg_slot {
  LLVMValueRef instruction, value;
  unsigned operand;
} cg_slot;

typedef struct cg_spelling {
  ten_buf key; /* owned */
  TEN_VEC(cg_slot) slots;
} cg_spelling;
void cg_spelling_free(cg_spelling *spelling);

/* Whether a constant operand may differ. */
typedef bool (*cg_is_free)(const ten_cg *cg, LLVMValueRef instruction, LLVMValueRef value, unsigned operand);

/* Working memory, for any number of functions. */
typedef struct cg_speller {
  ten_cg *cg;
  struct cg_numbered *table; /* owned: the current function's parameters, blocks and instructions */
  size_t table_size;
  uint32_t round, count;
  cg_is_free is_free; /* NULL: none may differ */
  cg_spelling *out;   /* borrowed */
} cg_speller;
void cg_speller_free(cg_speller *speller);

/* Appends to the spelling. False: the function contains something without a spelling. */
bool cg_spell(cg_speller *speller, LLVMValueRef function, cg_is_free is_free, cg_spelling *spelling);

#endif
