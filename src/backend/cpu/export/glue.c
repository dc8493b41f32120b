/* glue.c: the exported functions of a shared object: they marshal their arguments for the runtime (model.h) and call
 * it. */
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/codegen/llvm.h"
#include "backend/cpu/exec/flat.h"
#include "backend/cpu/exec/load.h"
#include "backend/cpu/export/export.h"
#include "backend/cpu/export/model.h"

typedef struct glue {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef ptr, i32, i64, none;
  LLVMValueRef self; /* the ten_exported */
} glue;

static LLVMValueRef hidden(LLVMValueRef value) {
  LLVMSetVisibility(value, LLVMHiddenVisibility);
  return value;
}

static LLVMValueRef number(const glue *g, uint64_t value) { return LLVMConstInt(g->i64, value, false); }

static LLVMValueRef make_code_table(const glue *g, uint32_t count) {
  LLVMValueRef *rows = ten_alloc((count + 1) * sizeof *rows);
  LLVMTypeRef type = LLVMFunctionType(g->none, NULL, 0, false); /* only its address is used; the runtime casts it */
  for (uint32_t i = 0; i < count; i++) {
    char name[TEN_KERNEL_NAME];
    ten_kernel_name(name, i);
    rows[i] = LLVMAddFunction(g->module, name, type);
  }
  LLVMValueRef table = LLVMAddGlobal(g->module, LLVMArrayType2(g->ptr, count), "ten_exported_code");
  LLVMSetInitializer(table, LLVMConstArray2(g->ptr, rows, count));
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMInternalLinkage);
  free(rows);
  return table;
}

static void make_self(glue *g, uint32_t code_count, size_t data_size) {
  LLVMValueRef data = hidden(LLVMAddGlobal(g->module, LLVMInt8TypeInContext(g->context), "ten_exported_data"));
  LLVMTypeRef state = LLVMArrayType2(g->i64, TEN_EXPORTED_STATE);
  LLVMValueRef fields[] = {data, number(g, data_size), make_code_table(g, code_count), number(g, code_count),
                           LLVMConstNull(state)};
  LLVMValueRef value = LLVMConstStructInContext(g->context, fields, 5, false);
  g->self = LLVMAddGlobal(g->module, LLVMTypeOf(value), "ten_exported_self");
  LLVMSetInitializer(g->self, value);
  LLVMSetLinkage(g->self, LLVMInternalLinkage);
  LLVMSetAlignment(g->self, 16);
}

static LLVMValueRef start(const glue *g, const char *name, const char *suffix, LLVMTypeRef type) {
  ten_buf full = {0};
  ten_buf_printf(&full, "%s%s", name, suffix);
  LLVMValueRef function = LLVMAddFunction(g->module, full.data, type);
  ten_buf_free(&full);
  LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->context, function, ""));
  return function;
}

/* A function of model.c with the struct as its first argument. */
static LLVMValueRef call_runtime(const glue *g, const char *name, LLVMTypeRef result, LLVMTypeRef *types,
                                 LLVMValueRef *args, unsigned count) {
  LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
  LLVMValueRef function = hidden(LLVMAddFunction(g->module, name, type));
  return LLVMBuildCall2(g->b, type, function, args, count, "");
}

/* Stores parameters [from, from + count) of the function in an array. */
static LLVMValueRef array_of(const glue *g, LLVMValueRef function, uint32_t from, uint32_t count) {
  LLVMTypeRef type = LLVMArrayType2(g->ptr, count + 1);
  LLVMValueRef array = LLVMBuildAlloca(g->b, type, "");
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef index[] = {number(g, 0), number(g, i)};
    LLVMBuildStore(g->b, LLVMGetParam(function, from + i), LLVMBuildGEP2(g->b, type, array, index, 2, ""));
  }
  return array;
}

static void make_call(const glue *g, const char *name, uint32_t inputs, uint32_t outputs) {
  LLVMTypeRef *params = ten_alloc((inputs + outputs + 1) * sizeof(LLVMTypeRef));
  for (uint32_t i = 0; i < inputs + outputs; i++) params[i] = g->ptr;
  LLVMValueRef function = start(g, name, "", LLVMFunctionType(g->i32, params, inputs + outputs, false));
  free(params);
  LLVMValueRef args[] = {g->self, array_of(g, function, 0, inputs), array_of(g, function, inputs, outputs)};
  LLVMTypeRef types[] = {g->ptr, g->ptr, g->ptr};
  LLVMBuildRet(g->b, call_runtime(g, "ten_exported_call", g->i32, types, args, 3));
}

static void make_others(const glue *g, const char *name) {
  LLVMValueRef open = start(g, name, "_open", LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->i32}, 1, false));
  LLVMValueRef open_args[] = {g->self, LLVMGetParam(open, 0)};
  LLVMTypeRef open_types[] = {g->ptr, g->i32};
  LLVMBuildRet(g->b, call_runtime(g, "ten_exported_open", g->i32, open_types, open_args, 2));
  start(g, name, "_close", LLVMFunctionType(g->none, NULL, 0, false));
  LLVMValueRef close_args[] = {g->self};
  LLVMTypeRef close_types[] = {g->ptr};
  call_runtime(g, "ten_exported_close", g->none, close_types, close_args, 1);
  LLVMBuildRetVoid(g->b);
  LLVMValueRef message = start(g, name, "_message", LLVMFunctionType(g->ptr, (LLVMTypeRef[]){g->i32}, 1, false));
  LLVMValueRef message_args[] = {LLVMGetParam(message, 0)};
  LLVMTypeRef message_types[] = {g->i32};
  LLVMBuildRet(g->b, call_runtime(g, "ten_exported_message", g->ptr, message_types, message_args, 1));
}

typedef struct model {
  glue *g;
  const exec_program *program;
  const char *name;
  size_t data_size;
} model;

static ten_status *make_all(void *argument) {
  const model *m = argument;
  make_self(m->g, m->program->symbol_count, m->data_size);
  make_call(m->g, m->name, m->program->input_count, m->program->output_count);
  make_others(m->g, m->name);
  return NULL;
}

ten_status *ten_export_glue(const exec_program *program, const ten_cpu_target *target, const char *name,
                            size_t data_size, ten_buf *out_object) {
  TEN_TRY(ten_llvm_enter());
  glue g = {.context = LLVMContextCreate()};
  g.module = LLVMModuleCreateWithNameInContext("glue", g.context);
  g.b = LLVMCreateBuilderInContext(g.context);
  g.ptr = LLVMPointerTypeInContext(g.context, 0);
  g.i32 = LLVMInt32TypeInContext(g.context);
  g.i64 = LLVMInt64TypeInContext(g.context);
  g.none = LLVMVoidTypeInContext(g.context);
  ten_status *status = ten_recover("generating code", make_all, &(model){&g, program, name, data_size});
  if (!status) status = ten_jit_optimise(g.module, target);
  if (!status) status = ten_jit_compile(g.module, target, false, out_object);
  LLVMDisposeBuilder(g.b);
  LLVMDisposeModule(g.module);
  LLVMContextDispose(g.context);
  ten_llvm_leave();
  return status;
}
