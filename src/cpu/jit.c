/* jit.c: the only file that knows LLVM's machine side: target, passes, object code, linking into the process. */
#include "cpu/jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"
#include "cpu/rt/rt.h"

static void initialise(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
}

static void initialise_once(void) {
  static ten_once once = TEN_ONCE_INIT;
  ten_once_run(&once, initialise);
}

static ten_status *llvm_status(LLVMErrorRef error, const char *doing) {
  if (!error) return NULL;
  char *text = LLVMGetErrorMessage(error);
  ten_status *status = ten_error(TEN_INTERNAL, "%s: %s", doing, text);
  LLVMDisposeErrorMessage(text);
  return status;
}

static char *copy_text(const char *text) {
  const size_t size = strlen(text) + 1;
  return memcpy(ten_alloc(size), text, size);
}

static bool target_start(ten_cpu_target *target) {
  initialise_once();
  char *triple = LLVMGetDefaultTargetTriple();
  *target = (ten_cpu_target){.triple = copy_text(triple)};
  LLVMDisposeMessage(triple);
  return !strncmp(target->triple, "x86_64", 6);
}

ten_status *ten_cpu_target_of_kernels(const char *isa, ten_cpu_target *out_target) {
  const bool x86 = target_start(out_target), avx512 = !strcmp(isa, "avx512"), avx2 = !strcmp(isa, "avx2");
  out_target->cpu = copy_text(!x86 ? "generic" : avx512 ? "x86-64-v4" : avx2 ? "x86-64-v3" : "x86-64");
  out_target->features = copy_text("");
  out_target->has_f16 = !x86 || avx512 || avx2;
  return NULL;
}

ten_status *ten_cpu_target_host(ten_cpu_target *out_target) {
  const char *wanted = getenv("TENFOLD_CPU");
  if (wanted && (!strcmp(wanted, "generic") || !strcmp(wanted, "avx2") || !strcmp(wanted, "avx512")))
    return ten_cpu_target_of_kernels(wanted, out_target);
  const bool x86 = target_start(out_target);
  char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  out_target->cpu = copy_text(cpu);
  out_target->features = copy_text(features);
  out_target->has_f16 = !x86 || strstr(features, "+f16c");
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
  initialise_once();
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

/* Registers out of memory, common subexpressions and invariants out of loops, vectors, and a clean-up. */
static const char pipeline[] =
    "function(mem2reg,early-cse,simplifycfg<switch-to-lookup>,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "loop(indvars),gvn,loop-vectorize,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg,early-cse)";

/* LLVM takes half of an AVX-512 register where it expects little of the other half; our loops are arithmetic. */
static void prefer_whole_registers(LLVMModuleRef module, const ten_cpu_target *target) {
  static const char name[] = "prefer-vector-width", width[] = "512";
  if (!strstr(target->features, "+avx512f") && strcmp(target->cpu, "x86-64-v4")) return;
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1, width, sizeof width - 1);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

ten_status *ten_jit_optimise(LLVMModuleRef module, const ten_cpu_target *target) {
  LLVMTargetMachineRef machine = NULL;
  TEN_TRY(machine_for(target, &machine));
  prefer_whole_registers(module, target);
  LLVMSetTarget(module, target->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  ten_status *status = NULL;
  const char *check = getenv("TENFOLD_VERIFY_LLVM");
  char *message = NULL;
  if (check && *check && LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
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
    ten_buf_add(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
  }
  LLVMDisposeTargetMachine(machine);
  return status;
}

struct ten_jit {
  LLVMOrcLLJITRef lljit;
};

static ten_status *define_symbols(LLVMOrcLLJITRef lljit) {
  size_t count = 0;
  while (ten_cpu_symbols[count].name) count++;
  LLVMOrcCSymbolMapPair *pairs = ten_alloc((count + 1) * sizeof *pairs);
  for (size_t i = 0; i < count; i++) {
    pairs[i].Name = LLVMOrcLLJITMangleAndIntern(lljit, ten_cpu_symbols[i].name);
    pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)ten_cpu_symbols[i].address;
    pairs[i].Sym.Flags = (LLVMJITSymbolFlags){LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
  }
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, count);
  free(pairs);
  LLVMErrorRef error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(lljit), unit);
  if (error) LLVMOrcDisposeMaterializationUnit(unit);
  return llvm_status(error, "defining the runtime's symbols");
}

ten_status *ten_jit_load(const void *object, size_t size, ten_jit **out_jit) {
  initialise_once();
  *out_jit = NULL;
  ten_jit *jit = ten_alloc(sizeof *jit);
  ten_status *status = llvm_status(LLVMOrcCreateLLJIT(&jit->lljit, NULL), "starting the linker");
  if (status) {
    free(jit);
    return status;
  }
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  status = define_symbols(jit->lljit);
  LLVMOrcDefinitionGeneratorRef process = NULL; /* for what LLVM itself may call: memcpy and its kind */
  if (!status)
    status = llvm_status(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                             &process, LLVMOrcLLJITGetGlobalPrefix(jit->lljit), NULL, NULL),
                         "looking into the process");
  if (!status) {
    LLVMOrcJITDylibAddGenerator(library, process);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "program");
    status = llvm_status(LLVMOrcLLJITAddObjectFile(jit->lljit, library, buffer), "linking");
  }
  if (status) {
    ten_jit_destroy(jit);
    return status;
  }
  *out_jit = jit;
  return NULL;
}

ten_status *ten_jit_find_all(ten_jit *jit, uint32_t count, void **addresses) {
  for (uint32_t i = 0; i < count; i++) {
    char name[TEN_KERNEL_NAME];
    ten_kernel_name(name, i);
    LLVMOrcExecutorAddress address = 0;
    TEN_TRY(llvm_status(LLVMOrcLLJITLookup(jit->lljit, &address, name), name));
    addresses[i] = (void *)(uintptr_t)address;
  }
  return NULL;
}

void ten_jit_destroy(ten_jit *jit) {
  if (!jit) return;
  ten_status_free(llvm_status(LLVMOrcDisposeLLJIT(jit->lljit), "closing"));
  free(jit);
}
