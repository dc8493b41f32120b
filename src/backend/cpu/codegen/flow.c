/* flow.c: functions, loops, branches, variables and calls.
 * Keeps: after *_end the builder is in the continuation block. */
#include "backend/cpu/codegen/cg.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

LLVMValueRef cg_const(ten_cg *cg, int64_t value) { return LLVMConstInt(cg->i64, (unsigned long long)value, true); }

LLVMValueRef cg_real(ten_cg *cg, LLVMTypeRef type, double value) {
  (void)cg;
  return LLVMConstReal(type, value);
}

LLVMValueRef cg_alloca(ten_cg *cg, LLVMTypeRef type, uint64_t count) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->b);
  LLVMValueRef first = LLVMGetFirstInstruction(cg->entry);
  if (first)
    LLVMPositionBuilderBefore(cg->b, first);
  else
    LLVMPositionBuilderAtEnd(cg->b, cg->entry);
  LLVMValueRef slot = LLVMBuildAlloca(cg->b, count == 1 ? type : LLVMArrayType2(type, count), "");
  LLVMPositionBuilderAtEnd(cg->b, here);
  return slot;
}

LLVMValueRef cg_alloca_row(ten_cg *cg, LLVMTypeRef type, uint64_t count) {
  static const uint64_t sizes[] = {512, 8192}; /* short rows, and the longest row buffers on the stack (fuse/rows.c) */
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && cg->open; i++)
    if (count <= sizes[i]) return cg_alloca(cg, type, sizes[i]);
  return cg_alloca(cg, type, count);
}

cg_var cg_var_new(ten_cg *cg, ten_dtype dtype) {
  LLVMTypeRef type = cg_register_type(cg, dtype);
  cg_var var = {dtype, cg_alloca(cg, type, 1), NULL};
  if (ten_dtype_is_complex(dtype)) var.im = cg_alloca(cg, type, 1);
  return var;
}

void cg_var_set(ten_cg *cg, const cg_var *var, cg_val value) {
  LLVMBuildStore(cg->b, value.re, var->re);
  if (var->im) LLVMBuildStore(cg->b, value.im, var->im);
}

cg_val cg_var_get(ten_cg *cg, const cg_var *var) {
  LLVMTypeRef type = cg_register_type(cg, var->dtype);
  cg_val value = {LLVMBuildLoad2(cg->b, type, var->re, ""), NULL};
  if (var->im) value.im = LLVMBuildLoad2(cg->b, type, var->im, "");
  return value;
}

static LLVMBasicBlockRef block_new(ten_cg *cg, const char *name) {
  return LLVMAppendBasicBlockInContext(cg->context, cg->function, name);
}

void cg_loop_begin(ten_cg *cg, cg_loop *loop, LLVMValueRef from, LLVMValueRef to, int64_t step) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(cg->b);
  loop->body = block_new(cg, "loop");
  loop->exit = block_new(cg, "after");
  loop->step = cg_const(cg, step);
  loop->to = to;
  LLVMValueRef runs = LLVMBuildICmp(cg->b, LLVMIntSLT, from, to, "");
  LLVMBuildCondBr(cg->b, runs, loop->body, loop->exit);
  LLVMPositionBuilderAtEnd(cg->b, loop->body);
  loop->index = LLVMBuildPhi(cg->b, cg->i64, "i");
  LLVMAddIncoming(loop->index, &from, &before, 1);
  cg_scope_push(cg);
}

static LLVMValueRef loop_end(ten_cg *cg, cg_loop *loop) {
  cg_scope_pop(cg);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(cg->b);
  LLVMValueRef next = LLVMBuildNSWAdd(cg->b, loop->index, loop->step, "");
  LLVMAddIncoming(loop->index, &next, &latch, 1);
  LLVMValueRef more = LLVMBuildICmp(cg->b, LLVMIntSLT, next, loop->to, "");
  LLVMValueRef branch = LLVMBuildCondBr(cg->b, more, loop->body, loop->exit);
  LLVMPositionBuilderAtEnd(cg->b, loop->exit);
  return branch;
}

void cg_loop_end(ten_cg *cg, cg_loop *loop) { loop_end(cg, loop); }

void cg_loop_hint(ten_cg *cg, LLVMValueRef branch, const char *name, unsigned number) {
  static const char kind[] = "llvm.loop";
  LLVMMetadataRef wish[] = {LLVMMDStringInContext2(cg->context, name, strlen(name)),
                            LLVMValueAsMetadata(LLVMConstInt(cg->i32, number, false))};
  /* a loop ID is a self-referential node */
  LLVMMetadataRef itself = LLVMTemporaryMDNode(cg->context, NULL, 0);
  LLVMMetadataRef parts[] = {itself, LLVMMDNodeInContext2(cg->context, wish, 2)};
  LLVMMetadataRef node = LLVMMDNodeInContext2(cg->context, parts, 2);
  LLVMMetadataReplaceAllUsesWith(itself, node);
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(cg->context, kind, sizeof kind - 1),
                  LLVMMetadataAsValue(cg->context, node));
}

void cg_loop_end_wide(ten_cg *cg, cg_loop *loop, unsigned width) {
  cg_loop_hint(cg, loop_end(cg, loop), "llvm.loop.vectorize.width", width);
}

enum { LONG_LEAST = 32, LONG_MOST = 640, ABREAST = 2 };

/* Instructions of the loop's body where that is one block, else 0. */
static unsigned body_count(const ten_cg *cg, const cg_loop *loop) {
  unsigned count = 0;
  if (LLVMGetInsertBlock(cg->b) != loop->body) return 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(loop->body); i; i = LLVMGetNextInstruction(i)) count++;
  return count;
}

static bool has_avx2_only(const ten_cpu_target *target) {
  if (!strcmp(target->cpu, "x86-64-v3")) return true;
  return strstr(target->features, "+avx2") && !strstr(target->features, "+avx512f");
}

/* LLVM does not interleave long bodies. They are mostly chains of operations that wait for each other, of which a core
 * looks ahead over few: two iterations next to each other took .7 of the time of four tanh in a chain (.7 of exp, .75
 * of log; sums of products 1.0) on Zen 3. Four spill registers of AVX2 where bodies are wide. */
void cg_loop_end_long(ten_cg *cg, cg_loop *loop) {
  const unsigned count = has_avx2_only(cg->target) ? body_count(cg, loop) : 0;
  LLVMValueRef branch = loop_end(cg, loop);
  if (count >= LONG_LEAST && count <= LONG_MOST) cg_loop_hint(cg, branch, "llvm.loop.interleave.count", ABREAST);
}

void cg_if_begin(ten_cg *cg, cg_if *branch, LLVMValueRef condition) {
  LLVMBasicBlockRef on_true = block_new(cg, "then");
  branch->on_false = block_new(cg, "else");
  branch->exit = block_new(cg, "after");
  branch->in_else = false;
  LLVMBuildCondBr(cg->b, condition, on_true, branch->on_false);
  LLVMPositionBuilderAtEnd(cg->b, on_true);
  cg_scope_push(cg);
}

void cg_if_else(ten_cg *cg, cg_if *branch) {
  cg_scope_pop(cg);
  LLVMBuildBr(cg->b, branch->exit);
  LLVMPositionBuilderAtEnd(cg->b, branch->on_false);
  branch->in_else = true;
  cg_scope_push(cg);
}

void cg_if_end(ten_cg *cg, cg_if *branch) {
  if (!branch->in_else) cg_if_else(cg, branch);
  cg_scope_pop(cg);
  LLVMBuildBr(cg->b, branch->exit);
  LLVMPositionBuilderAtEnd(cg->b, branch->exit);
}

static LLVMValueRef call_intrinsic(ten_cg *cg, const char *name, LLVMTypeRef *types, size_t type_count,
                                   LLVMValueRef *args, unsigned count) {
  const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(cg->module, id, types, type_count);
  return LLVMBuildCall2(cg->b, LLVMIntrinsicGetType(cg->context, id, types, type_count), function, args, count, "");
}

LLVMValueRef cg_intrinsic(ten_cg *cg, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned count) {
  return call_intrinsic(cg, name, &overload, 1, args, count);
}

LLVMValueRef cg_intrinsic2(ten_cg *cg, const char *name, LLVMTypeRef type0, LLVMTypeRef type1, LLVMValueRef *args,
                           unsigned count) {
  LLVMTypeRef types[] = {type0, type1};
  return call_intrinsic(cg, name, types, 2, args, count);
}

LLVMValueRef cg_call(ten_cg *cg, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned count) {
  LLVMTypeRef types[8];
  for (unsigned i = 0; i < count; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
  LLVMValueRef function = LLVMGetNamedFunction(cg->module, name);
  if (!function) {
    function = LLVMAddFunction(cg->module, name, type);
    const char *const facts[] = {"nounwind", "willreturn"};
    for (size_t i = 0; i < 2; i++)
      LLVMAddAttributeAtIndex(
          function, LLVMAttributeFunctionIndex,
          LLVMCreateEnumAttribute(cg->context, LLVMGetEnumAttributeKindForName(facts[i], strlen(facts[i])), 0));
  }
  return LLVMBuildCall2(cg->b, type, function, args, count, "");
}
