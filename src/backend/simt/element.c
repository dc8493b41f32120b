/* element.c: demand-driven emission: stored values, already emitted values, and the table of ops that can be
 * emitted. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/simt/gen.h"

typedef struct simt_binding {
  uint32_t stamp; /* valid if equal to the kernel's */
  simt_val scalar;
  uint32_t parameter; /* 1 + its index, for stored values */
} simt_binding;

typedef struct memo_entry {
  const ten_value *value;
  const simt_ix *index;
  simt_val result;
  struct memo_entry *next;
} memo_entry;

enum { MEMO_BUCKETS = 64, OPERANDS_MAX = 3 };
struct simt_scope {
  simt_scope *parent;
  memo_entry *buckets[MEMO_BUCKETS];
};

void simt_gen_init(simt_gen *gen, ten_module *ir, uint32_t value_count, const bool *stored) {
  *gen = (simt_gen){.ir = ir, .stored = stored, .value_count = value_count};
  gen->bindings = ten_arena_new_array(&ir->arena, simt_binding, value_count + 1);
}

void simt_gen_free(simt_gen *gen) {
  ten_buf_free(&gen->text);
  ten_buf_free(&gen->locals);
  ten_vec_free(&gen->reads);
  ten_status_free(gen->error);
}

static void scope_push(simt_gen *gen) {
  simt_scope *scope = ten_arena_new(&gen->ir->arena, simt_scope);
  scope->parent = gen->scope;
  gen->scope = scope;
}

void simt_kernel_begin(simt_gen *gen) {
  gen->text.size = gen->locals.size = 0;
  gen->indent = 2;
  gen->registers = 0;
  gen->resident = gen->group = 0;
  gen->map_count = 0;
  gen->lane_count = 0;
  gen->loads = 0;
  gen->scope = NULL;
  gen->stamp++;
  gen->reads.count = 0;
  scope_push(gen);
}

void simt_kernel_end(simt_gen *gen) { gen->scope = NULL; }

void simt_open(simt_gen *gen, const char *format, ...) {
  ten_buf head = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&head, format, args);
  va_end(args);
  simt_line(gen, "%s {", head.data);
  ten_buf_free(&head);
  gen->indent++;
  scope_push(gen);
}

void simt_close(simt_gen *gen) {
  gen->scope = gen->scope->parent;
  gen->indent--;
  simt_line(gen, "}");
}

static bool same_index(const simt_ix *a, const simt_ix *b, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++)
    if (a[i].var != b[i].var || (!a[i].var && a[i].number != b[i].number)) return false;
  return true;
}

static size_t memo_bucket(const ten_value *value, const simt_ix *index) {
  uint64_t hash = value->number;
  for (uint32_t i = 0; i < value->type->rank; i++)
    hash = hash * 31 + (index[i].var ? index[i].var : (uint64_t)index[i].number * 7 + 3);
  return (size_t)((hash ^ (hash >> 7)) % MEMO_BUCKETS);
}

static const simt_val *memo_find(const simt_gen *gen, const ten_value *value, const simt_ix *index, size_t bucket) {
  for (const simt_scope *scope = gen->scope; scope; scope = scope->parent)
    for (const memo_entry *entry = scope->buckets[bucket]; entry; entry = entry->next)
      if (entry->value == value && same_index(entry->index, index, value->type->rank)) return &entry->result;
  return NULL;
}

void simt_remember(simt_gen *gen, const ten_value *value, const simt_ix *index, simt_val element) {
  const size_t bucket = memo_bucket(value, index);
  memo_entry *entry = ten_arena_new(&gen->ir->arena, memo_entry);
  *entry = (memo_entry){value, ten_arena_copy(&gen->ir->arena, index, value->type->rank * sizeof *index), element,
                        gen->scope->buckets[bucket]};
  gen->scope->buckets[bucket] = entry;
}

static void emit_constant(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  (void)index;
  const ten_attr *dense = ten_op_attr(op, "value");
  out[0] = simt_constant(gen, dense->dense.type->dtype, dense->dense.data);
}

static void emit_same(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  for (uint32_t i = 0; i < op->result_count; i++) out[i] = simt_element(gen, ten_op_operand(op, i), index);
}

static void emit_dimension_size(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  (void)index;
  const int64_t size = ten_op_operand(op, 0)->type->dims[ten_op_int(op, "dimension", 0)];
  out[0] = (simt_val){simt_define(gen, "i32", "%lld", (long long)size), 0};
}

/* Elementwise ops go to simt_emit_pointwise by their trait; only the others are listed. */
static const simt_emit emitters[TEN_OP_COUNT] = {
    [TEN_OP_CONSTANT] = emit_constant,
    [TEN_OP_IOTA] = simt_emit_iota,
    [TEN_OP_OPTIMIZATION_BARRIER] = emit_same,
    [TEN_OP_CLAMP] = simt_emit_pointwise,
    [TEN_OP_SELECT] = simt_emit_pointwise,
    [TEN_OP_BROADCAST_IN_DIM] = simt_emit_moved,
    [TEN_OP_RESHAPE] = simt_emit_moved,
    [TEN_OP_TRANSPOSE] = simt_emit_moved,
    [TEN_OP_SLICE] = simt_emit_moved,
    [TEN_OP_REVERSE] = simt_emit_moved,
    [TEN_OP_PAD] = simt_emit_pad,
    [TEN_OP_CONCATENATE] = simt_emit_concatenate,
    [TEN_OP_DYNAMIC_SLICE] = simt_emit_dynamic_slice,
    [TEN_OP_DYNAMIC_UPDATE_SLICE] = simt_emit_dynamic_update_slice,
    [TEN_OP_GATHER] = simt_emit_gather,
    [TEN_OP_BITCAST_CONVERT] = simt_emit_bitcast,
    [TEN_OP_GET_DIMENSION_SIZE] = emit_dimension_size,
    [TEN_OP_REDUCE] = simt_emit_reduce,
    [TEN_OP_REDUCE_WINDOW] = simt_emit_reduce_window,
    [TEN_OP_SELECT_AND_SCATTER] = simt_emit_select_and_scatter,
    [TEN_OP_MAP] = simt_emit_map,
    [TEN_OP_DOT_GENERAL] = simt_emit_dot_general,
    [TEN_OP_CONVOLUTION] = simt_emit_convolution,
};

static simt_emit emitter_of(const ten_op *op) {
  if (emitters[op->code]) return emitters[op->code];
  return ten_op_has(op, TEN_TRAIT_ELEMENTWISE) ? simt_emit_pointwise : NULL;
}

/* Elementwise ops whose result type differs from the operand's. */
static bool is_mixed(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_COMPARE:
    case TEN_OP_SELECT:
    case TEN_OP_CLAMP:
    case TEN_OP_CONVERT:
    case TEN_OP_COMPLEX:
    case TEN_OP_REAL:
    case TEN_OP_IMAG:
    case TEN_OP_IS_FINITE:
    case TEN_OP_CHLO_IS_INF:
    case TEN_OP_CHLO_IS_NEG_INF:
    case TEN_OP_CHLO_IS_POS_INF:
    case TEN_OP_REDUCE_PRECISION: return true;
    default: return false;
  }
}

bool simt_can_emit_regions(const ten_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_op *inner = ten_op_body(op, r)->first; inner; inner = inner->next)
      if (!ten_op_has(inner, TEN_TRAIT_TERMINATOR) && !simt_can_emit(inner)) return false;
  return true;
}

static bool types_can(const ten_op *op) {
  const ten_dtype from = op->operand_count ? ten_op_operand(op, 0)->type->dtype : TEN_DTYPE_NONE;
  if (op->code == TEN_OP_BITCAST_CONVERT)
    return !ten_dtype_is_complex(from) && !ten_dtype_is_complex(op->results[0].type->dtype);
  if (op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_CONVOLUTION)
    return simt_has_binary(TEN_OP_MULTIPLY, op->results[0].type->dtype) || op->results[0].type->dtype == TEN_I1;
  if (emitter_of(op) != simt_emit_pointwise || is_mixed(op)) return true;
  return op->operand_count == 1 ? simt_has_unary(op->code, from) : simt_has_binary(op->code, from);
}

bool simt_can_emit(const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!ten_type_is_tensor(op->results[i].type) || !ten_type_is_static(op->results[i].type)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!ten_type_is_tensor(ten_op_operand(op, i)->type)) return false;
  if (op->code == TEN_OP_CONSTANT) {
    const ten_attr *dense = ten_op_attr(op, "value");
    return dense->dense.data && (dense->dense.splat || ten_type_count(dense->dense.type) == 1);
  }
  return emitter_of(op) != NULL && types_can(op) && simt_can_emit_regions(op);
}

static simt_val failed(simt_gen *gen, ten_dtype dtype, ten_status *status) {
  simt_fail(gen, status);
  return simt_zero(gen, dtype);
}

/* The kernel parameter of the buffer, added if new. */
uint32_t simt_parameter(simt_gen *gen, const ten_value *value) {
  simt_binding *binding = &gen->bindings[value->number];
  if (binding->stamp != gen->stamp) *binding = (simt_binding){.stamp = gen->stamp};
  if (!binding->parameter) {
    ten_vec_push(&gen->reads, value);
    binding->parameter = (uint32_t)gen->reads.count;
  }
  return binding->parameter - 1;
}

simt_val simt_element(simt_gen *gen, const ten_value *value, const simt_ix *index) {
  const simt_val *known = memo_find(gen, value, index, memo_bucket(value, index));
  if (known) return *known;
  const simt_binding *binding = &gen->bindings[value->number];
  if (binding->stamp == gen->stamp && binding->scalar.re) return binding->scalar;
  simt_val lane;
  if (gen->lane_count && simt_load_lanes(gen, value, index, &lane)) return lane;
  if (gen->stored[value->number]) {
    char pointer[16];
    snprintf(pointer, sizeof pointer, "p%u", simt_parameter(gen, value));
    gen->loads++;
    const simt_val loaded = simt_load(gen, value->type->dtype, pointer, simt_place(gen, value, index));
    simt_remember(gen, value, index, loaded);
    return loaded;
  }
  const ten_op *op = value->op;
  const simt_emit emit = op ? emitter_of(op) : NULL;
  if (!emit)
    return failed(gen, value->type->dtype,
                  op ? ten_op_error(op, TEN_INTERNAL, "cannot be computed inside a kernel")
                     : ten_error(TEN_INTERNAL, "a kernel reads an argument that has no buffer"));
  simt_val *results = ten_arena_new_array(&gen->ir->arena, simt_val, op->result_count);
  emit(gen, op, index, results);
  for (uint32_t i = 0; i < op->result_count; i++) simt_remember(gen, &op->results[i], index, results[i]);
  return results[value->index];
}

void simt_bind(simt_gen *gen, const ten_value *value, simt_val scalar) {
  gen->bindings[value->number] = (simt_binding){.stamp = gen->stamp, .scalar = scalar};
}

void simt_region(simt_gen *gen, const ten_region *region, const simt_val *args, simt_val *out) {
  const ten_block *block = region->first;
  /* a C block would hide the registers that it computes: the scope only affects the memo */
  simt_scope *outer = gen->scope;
  scope_push(gen);
  for (uint32_t i = 0; i < block->arg_count; i++)
    gen->bindings[block->args[i]->number] = (simt_binding){.stamp = gen->stamp, .scalar = args[i]};
  const ten_op *end = ten_block_terminator(block);
  for (uint32_t i = 0; i < end->operand_count; i++) out[i] = simt_element(gen, ten_op_operand(end, i), NULL);
  gen->scope = outer;
}

/* Pointwise ops. */
static simt_val pointwise_mixed(simt_gen *gen, const ten_op *op, ten_dtype from, const simt_val *x) {
  const ten_dtype to = op->results[0].type->dtype;
  const char *type = simt_register_type(from);
  switch (op->code) {
    case TEN_OP_COMPARE: {
      const ten_attr *direction = ten_op_attr(op, "comparison_direction"), *kind = ten_op_attr(op, "compare_type");
      const bool total = kind && kind->enumeration.value == 2;
      return (simt_val){simt_compare(gen, direction->enumeration.value, total, from, x[0], x[1]), 0};
    }
    case TEN_OP_SELECT: return simt_select(gen, to, x[0].re, x[1], x[2]);
    case TEN_OP_CLAMP: {
      const simt_val low = simt_binary(gen, TEN_OP_MAXIMUM, to, x[0], x[1]);
      return simt_binary(gen, TEN_OP_MINIMUM, to, low, x[2]);
    }
    case TEN_OP_CONVERT: return simt_convert(gen, from, to, x[0]);
    case TEN_OP_COMPLEX: return (simt_val){x[0].re, x[1].re};
    case TEN_OP_REAL: return (simt_val){x[0].re, 0};
    case TEN_OP_IMAG: return x[0].im ? (simt_val){x[0].im, 0} : simt_zero(gen, to);
    case TEN_OP_IS_FINITE:
      if (gen->language == SIMT_WGSL) return (simt_val){simt_define(gen, "bool", "f32_is_finite(v%u)", x[0].re), 0};
      return (simt_val){simt_define(gen, "bool", "v%u - v%u == 0", x[0].re, x[0].re), 0};
    case TEN_OP_CHLO_IS_INF:
      if (gen->language == SIMT_WGSL) return (simt_val){simt_define(gen, "bool", "f32_is_inf(v%u)", x[0].re), 0};
      return (simt_val){simt_define(gen, "bool", "v%u == v%u && v%u - v%u != 0", x[0].re, x[0].re, x[0].re, x[0].re),
                        0};
    case TEN_OP_CHLO_IS_NEG_INF:
    case TEN_OP_CHLO_IS_POS_INF:
      if (gen->language == SIMT_WGSL)
        return (simt_val){simt_define(gen, "bool", "bits_f32(v%u) == 0x%xu", x[0].re,
                                      op->code == TEN_OP_CHLO_IS_NEG_INF ? 0xff800000u : 0x7f800000u),
                          0};
      return (simt_val){simt_define(gen, "bool", "v%u %s 0 && v%u == v%u && v%u - v%u != 0", x[0].re,
                                    op->code == TEN_OP_CHLO_IS_NEG_INF ? "<" : ">", x[0].re, x[0].re, x[0].re, x[0].re),
                        0};
    default:
      return (simt_val){simt_fit(gen, to, "%s_reduce(v%u, %d, %d)", type, x[0].re,
                                 (int)ten_op_int(op, "exponent_bits", 8), (int)ten_op_int(op, "mantissa_bits", 23)),
                        0};
  }
}

void simt_emit_pointwise(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  simt_val x[OPERANDS_MAX] = {{0}};
  for (uint32_t i = 0; i < op->operand_count && i < OPERANDS_MAX; i++) {
    const ten_value *operand = ten_op_operand(op, i);
    x[i] = simt_element(gen, operand, operand->type->rank ? index : NULL); /* select and clamp also take scalars */
  }
  const ten_dtype from = ten_op_operand(op, 0)->type->dtype;
  if (is_mixed(op))
    *out = pointwise_mixed(gen, op, from, x);
  else
    *out =
        op->operand_count == 1 ? simt_unary(gen, op->code, from, x[0]) : simt_binary(gen, op->code, from, x[0], x[1]);
}

void simt_emit_map(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  simt_val *args = ten_arena_new_array(&gen->ir->arena, simt_val, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) args[i] = simt_element(gen, ten_op_operand(op, i), index);
  simt_region(gen, &op->regions[0], args, out);
}
