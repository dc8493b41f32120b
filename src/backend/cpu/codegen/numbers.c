/* numbers.c: replaces constants of generated code by values loaded from a table. */
#include "backend/cpu/codegen/numbers.h"

#include <string.h>

typedef LLVMValueRef V;

enum {
  INTERLEAVE = 2,  /* for loops of unknown trip count: more would leave much of a row to the remainder */
  FACTOR_BITS = 40 /* of a reciprocal: a 33-bit factor, then the shift */
};

bool cg_is_position(V value, int depth) {
  if (LLVMIsAConstantInt(value)) return LLVMConstIntGetSExtValue(value) >= 0;
  if (!LLVMIsAInstruction(value) || !depth) return false;
  if (cg_is_phi(value)) return true;
  const LLVMOpcode code = LLVMGetInstructionOpcode(value);
  return (cg_is_quotient(code) || cg_is_remainder(code) || code == LLVMAdd || code == LLVMMul) &&
         cg_is_position(LLVMGetOperand(value, 0), depth - 1) && cg_is_position(LLVMGetOperand(value, 1), depth - 1);
}

/* x / divisor is x · factor >> shift for all x < 2^31: with 2^(l - 1) < divisor <= 2^l and shift = 31 + l, factor is
 * 2^shift / divisor rounded up, whose error times x is less than 2^shift. */
uint64_t cg_number_reciprocal(uint64_t divisor) {
  uint64_t shift = 31;
  while ((1ull << (shift - 31)) < divisor) shift++;
  return ((1ull << shift) / divisor + 1) | shift << FACTOR_BITS;
}

uint64_t cg_number_bits(const ten_cg *cg, V value) {
  uint64_t bits = 0;
  LLVMBool lost = false;
  if (LLVMIsAConstantInt(value)) return (uint64_t)LLVMConstIntGetSExtValue(value);
  const double wide = LLVMConstRealGetDouble(value, &lost);
  const float narrow = (float)wide;
  if (LLVMTypeOf(value) == cg->f64)
    memcpy(&bits, &wide, sizeof wide);
  else
    memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

/* All in 64 bits, with a shift unknown to LLVM: for a known one it would emit 128-bit divisions. */
void cg_divide(ten_cg *cg, V instruction, V divisor, V reciprocal) {
  LLVMPositionBuilderBefore(cg->b, instruction);
  V x = LLVMGetOperand(instruction, 0), mask = cg_const(cg, (1ll << FACTOR_BITS) - 1);
  V factor = LLVMBuildAnd(cg->b, reciprocal, mask, "");
  V shift = LLVMBuildLShr(cg->b, reciprocal, cg_const(cg, FACTOR_BITS), "");
  V result = LLVMBuildLShr(cg->b, LLVMBuildMul(cg->b, x, factor, ""), shift, "");
  if (divisor) result = LLVMBuildNSWSub(cg->b, x, LLVMBuildNSWMul(cg->b, result, divisor, ""), "");
  LLVMReplaceAllUsesWith(instruction, result);
  LLVMInstructionEraseFromParent(instruction);
}

void cg_hint_open_loop(ten_cg *cg, V compare) {
  LLVMUseRef use = LLVMGetFirstUse(compare);
  V user = use ? LLVMGetUser(use) : NULL;
  if (user && LLVMGetInstructionOpcode(user) == LLVMBr && !LLVMHasMetadata(user))
    cg_loop_hint(cg, user, "llvm.loop.interleave.count", INTERLEAVE);
}
