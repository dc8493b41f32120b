/* numbers.h: constants of generated code that become table entries. */
#ifndef TEN_CPU_NUMBERS_H
#define TEN_CPU_NUMBERS_H

#include "backend/cpu/codegen/spell.h"

enum { CG_POSITION_DEPTH = 6 }; /* of the sums and products that form an index */

static inline bool cg_is_quotient(LLVMOpcode code) { return code == LLVMSDiv || code == LLVMUDiv; }
static inline bool cg_is_remainder(LLVMOpcode code) { return code == LLVMSRem || code == LLVMURem; }
static inline bool cg_is_phi(LLVMValueRef value) {
  return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMPHI;
}

/* The index of a loop, or part of one: non-negative, and less than 2^31 unless cg->huge. */
bool cg_is_position(LLVMValueRef value, int depth);
/* The table entry for a constant; reciprocal: for dividing positions by it, nonzero and at most INT32_MAX. */
uint64_t cg_number_bits(const ten_cg *cg, LLVMValueRef value);
uint64_t cg_number_reciprocal(uint64_t divisor);
/* Replaces a quotient (`divisor` NULL) or remainder of a position by a multiplication with the reciprocal. */
void cg_divide(ten_cg *cg, LLVMValueRef instruction, LLVMValueRef divisor, LLVMValueRef reciprocal);
/* Adds vectorization hints to a loop whose trip count is no longer known. */
void cg_hint_open_loop(ten_cg *cg, LLVMValueRef compare);

#endif
