/* jit.c: the only file that uses LLVM's backend: target, passes, object code. */
#include "backend/cpu/codegen/jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/llvm.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/machine.h"
#include "base/arena.h"
#include "base/environment.h"

static ten_status *llvm_status(LLVMErrorRef error, const char *doing) {
  if (!error) return NULL;
  char *text = LLVMGetErrorMessage(error);
  ten_status *status = ten_error(TEN_INTERNAL, "%s: %s", doing, text);
  LLVMDisposeErrorMessage(text);
  return status;
}

static char *copy_text(const char *text) {
  if (!text) ten_out_of_memory(1); /* LLVM could not allocate its copy */
  const size_t size = strlen(text) + 1;
  return memcpy(ten_alloc(size), text, size);
}

static ten_status *target_start(ten_cpu_target *target, bool *out_x86) {
  *target = (ten_cpu_target){0};
  TEN_TRY(ten_llvm_load());
  char *triple = LLVMGetDefaultTargetTriple();
  target->triple = copy_text(triple);
  LLVMDisposeMessage(triple);
  *out_x86 = !strncmp(target->triple, "x86_64", 6);
  target->has_maximum = !*out_x86;
  return NULL;
}

ten_status *ten_cpu_target_of_kernels(const char *isa, ten_cpu_target *out_target) {
  bool x86 = false;
  TEN_TRY(target_start(out_target, &x86));
  const bool avx512 = !strcmp(isa, "avx512"), avx2 = !strcmp(isa, "avx2");
  out_target->cpu = copy_text(!x86 ? "generic" : avx512 ? "x86-64-v4" : avx2 ? "x86-64-v3" : "x86-64");
  out_target->features = copy_text("");
  out_target->has_f16 = !x86 || avx512 || avx2;
  return NULL;
}

const char *ten_cpu_target_wanted(void) {
  const char *wanted = ten_env_text(TEN_ENV_CPU);
  return wanted && ten_kernels_named(wanted) ? wanted : NULL; /* those that this CPU can run */
}

ten_status *ten_cpu_target_host(ten_cpu_target *out_target) {
  TEN_RECOVER("looking at the CPU");
  const char *wanted = ten_cpu_target_wanted();
  if (wanted) return ten_cpu_target_of_kernels(wanted, out_target);
  bool x86 = false;
  TEN_TRY(target_start(out_target, &x86));
  out_target->fingerprint = ten_cpu_fingerprint();
  char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  out_target->cpu = copy_text(cpu);
  out_target->features = copy_text(features);
  out_target->has_f16 = !x86 || strstr(features, "+f16c");
  out_target->has_bf16 = x86 && strstr(features, "+avx512bf16");
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return NULL;
}

void ten_cpu_target_free(ten_cpu_target *target) {
  free(target->triple);
  free(target->cpu);
  free(target->features);
  *target = (ten_cpu_target){0};
}

static ten_status *machine_for(const ten_cpu_target *target, LLVMTargetMachineRef *out_machine) {
  LLVMTargetRef found = NULL;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(target->triple, &found, &message)) {
    ten_status *status = ten_error(TEN_UNSUPPORTED, "LLVM has no code generator for %s: %s", target->triple, message);
    LLVMDisposeMessage(message);
    return status;
  }
  *out_machine = LLVMCreateTargetMachine(found, target->triple, target->cpu, target->features, LLVMCodeGenLevelDefault,
                                         LLVMRelocPIC, LLVMCodeModelDefault);
  return *out_machine ? NULL : ten_error(TEN_INTERNAL, "LLVM makes no machine for %s", target->cpu);
}

/* mem2reg, CSE, loop-invariant code motion, vectorization, and cleanup. */
static const char pipeline[] =
    "function(mem2reg,early-cse,simplifycfg<switch-to-lookup>,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "loop(indvars),gvn,loop-vectorize,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg,early-cse)";

/* LLVM uses half of an AVX-512 register where it expects little gain; our loops are arithmetic. */
static void prefer_whole_registers(LLVMModuleRef module, const ten_cpu_target *target) {
  static const char name[] = "prefer-vector-width", width[] = "512";
  if (!strstr(target->features, "+avx512f") && strcmp(target->cpu, "x86-64-v4")) return;
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1, width, sizeof width - 1);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

ten_status *ten_jit_optimise(LLVMModuleRef module, const ten_cpu_target *target) {
  TEN_RECOVER("optimising code");
  LLVMTargetMachineRef machine = NULL;
  TEN_TRY(machine_for(target, &machine));
  prefer_whole_registers(module, target);
  LLVMSetTarget(module, target->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  ten_status *status = NULL;
  char *message = NULL;
  if (ten_env_switch(TEN_ENV_VERIFY_LLVM, false) && LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
    status = ten_error(TEN_INTERNAL, "generated code is malformed: %s", message);
  LLVMDisposeMessage(message);
  if (!status) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
    status = llvm_status(LLVMRunPasses(module, pipeline, machine, options), "optimising");
    LLVMDisposePassBuilderOptions(options);
  }
  LLVMDisposeTargetMachine(machine);
  return status;
}

ten_status *ten_jit_compile(LLVMModuleRef module, const ten_cpu_target *target, bool assembly, ten_buf *out) {
  TEN_RECOVER("generating code");
  LLVMTargetMachineRef machine = NULL;
  TEN_TRY(machine_for(target, &machine));
  char *message = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  ten_status *status = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, assembly ? LLVMAssemblyFile : LLVMObjectFile, &message,
                                          &buffer)) {
    status = ten_error(TEN_INTERNAL, "generating code: %s", message);
    LLVMDisposeMessage(message);
  } else {
    const size_t size = LLVMGetBufferSize(buffer);
    if (ten_buf_try_reserve(out, size)) /* LLVM's objects are released in any case */
      ten_buf_add(out, LLVMGetBufferStart(buffer), size);
    else
      status = ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for the program's code", size);
    LLVMDisposeMemoryBuffer(buffer);
  }
  LLVMDisposeTargetMachine(machine);
  return status;
}
