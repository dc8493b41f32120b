/* numbers.h: constants of generated code that become numbers of a table. */
#ifndef TEN_CPU_NUMBERS_H
#define TEN_CPU_NUMBERS_H

#include "backend/cpu/codegen/spell.h"

enum { CG_POSITION_DEPTH = 6 }; /* of the sums and products that an index is made of */

static inline bool cg_is_quotient(LLVMOpcode code) { return code == LLVMSDiv || code == LLVMUDiv; }
static inline bool cg_is_remainder(LLVMOpcode code) { return code == LLVMSRem || code == LLVMURem; }
static inline bool cg_is_phi(LLVMValueRef value) {
  return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMPHI;
}

/* The index of a loop, or part of one: not negative, and less than 2^31 where nothing is huge. */
bool cg_is_position(LLVMValueRef value, int depth);
/* What a table holds for a constant; reciprocal: for dividing positions by it, of at most INT32_MAX and not 0. */
uint64_t cg_number_bits(const ten_cg *cg, LLVMValueRef value);
uint64_t cg_number_reciprocal(uint64_t divisor);
/* A quotient (`divisor` NULL) or remainder of a position becomes a product with the reciprocal, and is erased. */
void cg_divide(ten_cg *cg, LLVMValueRef instruction, LLVMValueRef divisor, LLVMValueRef reciprocal);
/* A loop that no longer knows its trip count is told how to go. */
void cg_hint_open_loop(ten_cg *cg, LLVMValueRef compare);

#endif
