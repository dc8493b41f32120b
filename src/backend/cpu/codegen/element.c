/* element.c: demand-driven emission: bound values, already emitted values, and the table of ops that can be emitted. */
#include "backend/cpu/codegen/cg.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/llvm.h"
#include "base/float.h"

typedef struct cg_binding {
  uint32_t stamp; /* valid if equal to the function's */
  LLVMValueRef memory;
  bool row; /* memory holds one row */
  cg_val scalar;
} cg_binding;

typedef struct memo_entry {
  const ten_value *value;
  const LLVMValueRef *index;
  cg_val result;
  struct memo_entry *next;
} memo_entry;

enum { MEMO_BUCKETS = 64 };
struct cg_scope {
  cg_scope *parent;
  memo_entry *buckets[MEMO_BUCKETS];
};

ten_status *cg_create(ten_module *ir, uint32_t value_count, ten_cg **out_cg) {
  *out_cg = NULL;
  ten_cg *cg = ten_alloc(sizeof *cg);
  cg->bindings = ten_alloc((value_count + 1) * sizeof *cg->bindings);
  ten_status *status = ten_llvm_check_memory(value_count);
  if (!status) status = ten_llvm_enter();
  if (status) {
    free(cg->bindings);
    free(cg);
    return status;
  }
  cg->ir = ir;
  cg->context = LLVMContextCreate();
  cg->module = LLVMModuleCreateWithNameInContext("program", cg->context);
  cg->b = LLVMCreateBuilderInContext(cg->context);
  cg->i1 = LLVMInt1TypeInContext(cg->context);
  cg->i8 = LLVMInt8TypeInContext(cg->context);
  cg->i16 = LLVMInt16TypeInContext(cg->context);
  cg->i32 = LLVMInt32TypeInContext(cg->context);
  cg->i64 = LLVMInt64TypeInContext(cg->context);
  cg->f16 = LLVMHalfTypeInContext(cg->context);
  cg->f32 = LLVMFloatTypeInContext(cg->context);
  cg->f64 = LLVMDoubleTypeInContext(cg->context);
  cg->ptr = LLVMPointerTypeInContext(cg->context, 0);
  cg->none = LLVMVoidTypeInContext(cg->context);
  cg->value_count = value_count;
  *out_cg = cg;
  return NULL;
}

void cg_destroy(ten_cg *cg) {
  if (!cg) return;
  ten_status_free(cg->error);
  LLVMDisposeBuilder(cg->b);
  if (cg->module) LLVMDisposeModule(cg->module);
  if (cg->context) LLVMContextDispose(cg->context);
  ten_llvm_leave();
  free(cg->bindings);
  free(cg);
}

void cg_fail(ten_cg *cg, ten_status *status) { cg->error = ten_first_error(cg->error, status); }

LLVMValueRef cg_function_begin(ten_cg *cg, const char *name, LLVMTypeRef type, bool external) {
  cg->function = LLVMAddFunction(cg->module, name, type);
  LLVMSetLinkage(cg->function, external ? LLVMExternalLinkage : LLVMPrivateLinkage);
  LLVMAddAttributeAtIndex(cg->function, LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(cg->context, LLVMGetEnumAttributeKindForName("nounwind", 8), 0));
  cg->entry = LLVMAppendBasicBlockInContext(cg->context, cg->function, "entry");
  LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(cg->context, cg->function, "start");
  LLVMPositionBuilderAtEnd(cg->b, start);
  cg->stamp++;
  cg_scope_push(cg);
  return cg->function;
}

static void function_close(ten_cg *cg) {
  cg_scope_pop(cg);
  LLVMPositionBuilderAtEnd(cg->b, cg->entry);
  LLVMBuildBr(cg->b, LLVMGetNextBasicBlock(cg->entry));
}

void cg_function_end(ten_cg *cg) {
  LLVMBuildRetVoid(cg->b);
  function_close(cg);
}

void cg_function_end_value(ten_cg *cg, LLVMValueRef value) {
  LLVMBuildRet(cg->b, value);
  function_close(cg);
}

void cg_scope_push(ten_cg *cg) {
  cg_scope *scope = ten_arena_new(&cg->ir->arena, cg_scope);
  scope->parent = cg->scope;
  cg->scope = scope;
}

void cg_scope_pop(ten_cg *cg) { cg->scope = cg->scope->parent; }

void cg_bind_memory(ten_cg *cg, const ten_value *value, LLVMValueRef pointer) {
  cg->bindings[value->number] = (cg_binding){.stamp = cg->stamp, .memory = pointer};
}

void cg_bind_row(ten_cg *cg, const ten_value *value, LLVMValueRef pointer) {
  cg->bindings[value->number] = (cg_binding){.stamp = cg->stamp, .memory = pointer, .row = true};
}

void cg_bind_scalar(ten_cg *cg, const ten_value *value, cg_val scalar) {
  cg->bindings[value->number] = (cg_binding){.stamp = cg->stamp, .scalar = scalar};
}

bool cg_is_bound(const ten_cg *cg, const ten_value *value) { return cg->bindings[value->number].stamp == cg->stamp; }

bool cg_is_in_memory(const ten_cg *cg, const ten_value *value) {
  const cg_binding *binding = &cg->bindings[value->number];
  return binding->stamp == cg->stamp && binding->memory && !binding->row;
}

static size_t memo_bucket(const ten_value *value, const LLVMValueRef *index) {
  uint64_t hash = (uint64_t)(uintptr_t)value >> 4;
  for (uint32_t i = 0; i < value->type->rank; i++) hash = hash * 31 + ((uint64_t)(uintptr_t)index[i] >> 4);
  return (size_t)((hash ^ (hash >> 7)) % MEMO_BUCKETS);
}

static const cg_val *memo_find(const ten_cg *cg, const ten_value *value, const LLVMValueRef *index, size_t bucket) {
  for (const cg_scope *scope = cg->scope; scope; scope = scope->parent)
    for (const memo_entry *entry = scope->buckets[bucket]; entry; entry = entry->next)
      if (entry->value == value &&
          (!value->type->rank || !memcmp(entry->index, index, value->type->rank * sizeof *index)))
        return &entry->result;
  return NULL;
}

static void memo_add(ten_cg *cg, const ten_value *value, const LLVMValueRef *index, size_t bucket, cg_val result) {
  memo_entry *entry = ten_arena_new(&cg->ir->arena, memo_entry);
  *entry = (memo_entry){value, ten_arena_copy(&cg->ir->arena, index, value->type->rank * sizeof *index), result,
                        cg->scope->buckets[bucket]};
  cg->scope->buckets[bucket] = entry;
}

cg_val cg_constant(ten_cg *cg, ten_dtype dtype, const void *bytes) {
  const ten_dtype part = ten_dtype_part(dtype);
  cg_val value = {0};
  for (int i = 0; i < (ten_dtype_is_complex(dtype) ? 2 : 1); i++) {
    const char *at = (const char *)bytes + (size_t)i * ten_dtype_bytes(part);
    LLVMValueRef register_value;
    if (ten_dtype_is_float(part) && part != TEN_F32 && part != TEN_F64) {
      register_value = LLVMConstReal(cg->f32, ten_float_decode(part, at));
    } else {
      uint64_t raw = 0;
      memcpy(&raw, at, ten_dtype_bytes(part));
      LLVMTypeRef type = LLVMIntTypeInContext(cg->context, (unsigned)ten_dtype_bytes(part) * 8);
      register_value = cg_from_bits(cg, part, LLVMConstInt(type, raw, false));
    }
    if (i)
      value.im = register_value;
    else
      value.re = register_value;
  }
  return value;
}

static void emit_constant(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  (void)index;
  const ten_attr *dense = ten_op_attr(op, "value");
  out[0] = cg_constant(cg, dense->dense.type->dtype, dense->dense.data);
}

static void emit_same(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  for (uint32_t i = 0; i < op->result_count; i++) out[i] = cg_element(cg, ten_op_operand(op, i), index);
}

static void emit_dimension_size(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  (void)index;
  const ten_type *type = ten_op_operand(op, 0)->type;
  out[0].re = LLVMConstInt(cg->i32, (unsigned long long)type->dims[ten_op_int(op, "dimension", 0)], true);
}

/* Elementwise ops go to cg_emit_pointwise by their trait; only the others are listed. */
static const cg_emit emitters[TEN_OP_COUNT] = {
    [TEN_OP_CONSTANT] = emit_constant,
    [TEN_OP_IOTA] = cg_emit_iota,
    [TEN_OP_OPTIMIZATION_BARRIER] = emit_same,
    [TEN_OP_CLAMP] = cg_emit_pointwise,
    [TEN_OP_SELECT] = cg_emit_pointwise,
    [TEN_OP_BROADCAST_IN_DIM] = cg_emit_moved,
    [TEN_OP_BROADCAST] = cg_emit_moved,
    [TEN_OP_RESHAPE] = cg_emit_reshape,
    [TEN_OP_TRANSPOSE] = cg_emit_moved,
    [TEN_OP_SLICE] = cg_emit_moved,
    [TEN_OP_REVERSE] = cg_emit_moved,
    [TEN_OP_PAD] = cg_emit_pad,
    [TEN_OP_CONCATENATE] = cg_emit_concatenate,
    [TEN_OP_DYNAMIC_SLICE] = cg_emit_dynamic_slice,
    [TEN_OP_DYNAMIC_UPDATE_SLICE] = cg_emit_dynamic_update_slice,
    [TEN_OP_GATHER] = cg_emit_gather,
    [TEN_OP_BITCAST_CONVERT] = cg_emit_bitcast_convert,
    [TEN_OP_TORCH_INDEX_SELECT] = cg_emit_torch_index_select,
    [TEN_OP_GET_DIMENSION_SIZE] = emit_dimension_size,
    [TEN_OP_REDUCE] = cg_emit_reduce,
    [TEN_OP_REDUCE_WINDOW] = cg_emit_reduce_window,
    [TEN_OP_MAP] = cg_emit_map,
    [TEN_OP_DOT_GENERAL] = cg_emit_dot_general,
    [TEN_OP_CONVOLUTION] = cg_emit_convolution,
};

static cg_emit emitter_of(const ten_op *op) {
  if (emitters[op->code]) return emitters[op->code];
  return ten_op_has(op, TEN_TRAIT_ELEMENTWISE) ? cg_emit_pointwise : NULL;
}

bool cg_can_emit(const ten_op *op) {
  if (op->code == TEN_OP_CONSTANT) {
    const ten_attr *dense = ten_op_attr(op, "value");
    return dense->dense.splat || ten_type_count(dense->dense.type) == 1;
  }
  return emitter_of(op) != NULL;
}

void cg_results(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const cg_emit emit = emitter_of(op);
  if (!emit) {
    cg_fail(cg, ten_op_error(op, TEN_UNSUPPORTED, "the cpu backend cannot compute this op inside a kernel"));
    for (uint32_t i = 0; i < op->result_count; i++) {
      LLVMTypeRef type = cg_register_type(cg, op->results[i].type->dtype);
      out[i] = (cg_val){LLVMGetUndef(type), LLVMGetUndef(type)};
    }
    return;
  }
  emit(cg, op, index, out);
}

cg_val cg_element(ten_cg *cg, const ten_value *value, const LLVMValueRef *index) {
  const size_t bucket = memo_bucket(value, index);
  const cg_val *known = memo_find(cg, value, index, bucket);
  if (known) return *known;
  const cg_binding *binding = &cg->bindings[value->number];
  if (binding->stamp == cg->stamp) {
    if (!binding->memory) return binding->scalar;
    LLVMValueRef at = binding->row ? index[value->type->rank - 1] : cg_linear(cg, value->type, index);
    const cg_val loaded = cg_load(cg, value->type->dtype, binding->memory, at);
    memo_add(cg, value, index, bucket, loaded);
    return loaded;
  }
  if (!value->op) {
    cg_fail(cg, ten_error(TEN_INTERNAL, "a kernel reads an argument that is not bound"));
    LLVMTypeRef type = cg_register_type(cg, value->type->dtype);
    return (cg_val){LLVMGetUndef(type), LLVMGetUndef(type)};
  }
  cg_val *results = ten_arena_new_array(&cg->ir->arena, cg_val, value->op->result_count);
  cg_results(cg, value->op, index, results);
  for (uint32_t i = 0; i < value->op->result_count; i++)
    memo_add(cg, &value->op->results[i], index, memo_bucket(&value->op->results[i], index), results[i]);
  return results[value->index];
}

void cg_region(ten_cg *cg, const ten_region *region, const cg_val *args, cg_val *out) {
  const ten_block *block = region->first;
  cg_scope_push(cg);
  for (uint32_t i = 0; i < block->arg_count; i++) cg_bind_scalar(cg, block->args[i], args[i]);
  const ten_op *end = ten_block_terminator(block);
  for (uint32_t i = 0; i < end->operand_count; i++) out[i] = cg_element(cg, ten_op_operand(end, i), NULL);
  cg_scope_pop(cg);
}
