/* eval.c: integer arithmetic on small constants: the computations that programs do on sizes before they use them as
 * shapes. Values are int64 holding the element type's value, sign- or zero-extended. Undefined operations (division by
 * zero) are not folded. */
#include "base/size.h"
#include "ir/verify/refine.h"

enum { EVAL_MOST = 4096 };

typedef struct ints {
  uint32_t rank;
  const int64_t *dims;
  ten_dtype dtype;
  size_t count;
  int64_t *data;
} ints;

static bool is_integral(const ten_type *type) {
  return type->kind == TEN_TYPE_TENSOR && !type->quant && (type->dtype == TEN_I1 || ten_dtype_is_int(type->dtype));
}

static bool is_unsigned(ten_dtype dtype) { return dtype == TEN_I1 || ten_dtype_class(dtype) == TEN_CLASS_UINT; }

static bool ints_new(ten_module *m, const ten_type *type, ints *out) {
  if (!is_integral(type) || !ten_type_is_static(type)) return false;
  const int64_t count = ten_type_count(type);
  if (count > EVAL_MOST) return false;
  *out = (ints){type->rank, type->dims, type->dtype, (size_t)count,
                ten_arena_new_array(&m->arena, int64_t, (size_t)count)};
  return true;
}

static bool ints_of(ten_module *m, const ten_value *value, ints *out) {
  const ten_attr *attr = ten_value_constant(value);
  if (!attr || !ten_dense_is_whole(attr) || !ints_new(m, attr->dense.type, out)) return false;
  for (size_t i = 0; i < out->count; i++) out->data[i] = ten_dense_int(attr, i);
  return true;
}

/* Truncates a value to its type. */
static int64_t wrap(ten_dtype dtype, int64_t value) {
  const unsigned bits = ten_dtype_bits(dtype);
  if (dtype == TEN_I1) return value & 1;
  if (bits >= 64) return value;
  const uint64_t low = (uint64_t)value & (((uint64_t)1 << bits) - 1);
  return is_unsigned(dtype) || !(low >> (bits - 1)) ? (int64_t)low : (int64_t)(low | ~(((uint64_t)1 << bits) - 1));
}

static const ten_attr *pack(ten_module *m, const ints *value) {
  const ten_type *type = ten_type_tensor(m, value->dtype, value->rank, value->dims);
  const size_t bytes = ten_dtype_bytes(value->dtype);
  char *data = ten_arena_alloc(&m->arena, value->count * bytes);
  for (size_t i = 0; i < value->count; i++)
    memcpy(data + i * bytes, &value->data[i], bytes); /* little-endian: the low bytes */
  return ten_attr_dense_view(m, type, data, value->count * bytes, false);
}

static int compare(ten_dtype dtype, int64_t a, int64_t b) {
  if (is_unsigned(dtype)) return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
  return (a > b) - (a < b);
}

static bool binary(ten_opcode code, ten_dtype dtype, int64_t a, int64_t b, int64_t *out) {
  const bool large = is_unsigned(dtype);
  const unsigned bits = dtype == TEN_I1 ? 1 : ten_dtype_bits(dtype);
  switch (code) {
    case TEN_OP_ADD: *out = dtype == TEN_I1 ? (a | b) : (int64_t)((uint64_t)a + (uint64_t)b); return true;
    case TEN_OP_SUBTRACT: *out = (int64_t)((uint64_t)a - (uint64_t)b); return true;
    case TEN_OP_MULTIPLY: *out = (int64_t)((uint64_t)a * (uint64_t)b); return true;
    case TEN_OP_MAXIMUM: *out = compare(dtype, a, b) >= 0 ? a : b; return true;
    case TEN_OP_MINIMUM: *out = compare(dtype, a, b) <= 0 ? a : b; return true;
    case TEN_OP_AND: *out = a & b; return true;
    case TEN_OP_OR: *out = a | b; return true;
    case TEN_OP_XOR: *out = a ^ b; return true;
    case TEN_OP_DIVIDE:
      if (!b || (!large && b == -1 && a == INT64_MIN)) return false;
      *out = large ? (int64_t)((uint64_t)a / (uint64_t)b) : a / b;
      return true;
    case TEN_OP_REMAINDER:
      if (!b || (!large && b == -1)) return b ? (*out = 0, true) : false;
      *out = large ? (int64_t)((uint64_t)a % (uint64_t)b) : a % b;
      return true;
    case TEN_OP_SHIFT_LEFT: *out = (uint64_t)b < bits ? (int64_t)((uint64_t)a << b) : 0; return true;
    case TEN_OP_SHIFT_RIGHT_ARITHMETIC:
      *out = (uint64_t)b < bits ? wrap(dtype, a) >> b : a < 0 ? -1 : 0;
      return !large; /* on unsigned numbers it uses the sign bit: not for sizes */
    case TEN_OP_SHIFT_RIGHT_LOGICAL:
      if ((uint64_t)b >= bits) return *out = 0, true;
      *out = (int64_t)((bits < 64 ? (uint64_t)a & (((uint64_t)1 << bits) - 1) : (uint64_t)a) >> b);
      return true;
    case TEN_OP_POWER: {
      if (b < 0) return false;
      uint64_t base = (uint64_t)a, result = 1;
      for (uint64_t e = (uint64_t)b; e; e >>= 1, base *= base)
        if (e & 1) result *= base;
      return *out = (int64_t)result, true;
    }
    default: return false;
  }
}

static bool unary(ten_opcode code, int64_t a, int64_t *out) {
  switch (code) {
    case TEN_OP_NEGATE: return *out = (int64_t)(0 - (uint64_t)a), true;
    case TEN_OP_ABS: return *out = a < 0 ? (int64_t)(0 - (uint64_t)a) : a, true;
    case TEN_OP_SIGN: return *out = (a > 0) - (a < 0), true;
    case TEN_OP_NOT: return *out = ~a, true;
    case TEN_OP_CONVERT: return *out = a, true;
    default: return false;
  }
}

static bool compared(int64_t direction, int order) {
  switch (direction) {
    case 0: return order == 0;
    case 1: return order != 0;
    case 2: return order >= 0;
    case 3: return order > 0;
    case 4: return order <= 0;
    default: return order < 0;
  }
}

static int64_t at(const ints *value, size_t i) { return value->data[value->count == 1 ? 0 : i]; }

/* Walks all elements of a shape in row-major order; strides of 0 repeat an element. */
static void strided(const ints *out, const int64_t *strides, int64_t offset, const int64_t *from) {
  for (size_t i = 0; i < out->count; i++) {
    int64_t index = offset;
    size_t rest = i;
    for (uint32_t d = out->rank; d-- > 0;) {
      index += (int64_t)(rest % (size_t)out->dims[d]) * strides[d];
      rest /= (size_t)out->dims[d];
    }
    out->data[i] = from[index];
  }
}

static int64_t *row_strides(ten_module *m, const ints *value) {
  int64_t *strides = ten_arena_new_array(&m->arena, int64_t, value->rank);
  int64_t step = 1;
  for (uint32_t d = value->rank; d-- > 0;) {
    strides[d] = step;
    step *= value->dims[d];
  }
  return strides;
}

static bool eval_slice(ten_module *m, const ints *in, ten_ints start, ten_ints strides, const ints *out) {
  if (start.count != in->rank || strides.count != in->rank) return false;
  int64_t *steps = row_strides(m, in), offset = 0;
  for (uint32_t d = 0; d < in->rank; d++) {
    const int64_t last = start.data[d] + (out->dims[d] ? out->dims[d] - 1 : 0) * strides.data[d];
    if (start.data[d] < 0 || strides.data[d] <= 0 || (out->dims[d] && last >= in->dims[d])) return false;
    offset += start.data[d] * steps[d];
    steps[d] *= strides.data[d];
  }
  strided(out, steps, offset, in->data);
  return true;
}

static bool eval_broadcast(ten_module *m, const ints *in, ten_ints where, const ints *out) {
  if (where.count != in->rank) return false;
  const int64_t *steps = row_strides(m, in);
  int64_t *strides = ten_arena_new_array(&m->arena, int64_t, out->rank);
  for (uint32_t d = 0; d < in->rank; d++) {
    const int64_t to = where.data[d];
    if (to < 0 || to >= out->rank || (in->dims[d] != 1 && in->dims[d] != out->dims[to])) return false;
    strides[to] = in->dims[d] == 1 ? 0 : steps[d];
  }
  strided(out, strides, 0, in->data);
  return true;
}

static bool eval_concatenate(ten_module *m, const ten_op *op, const ints *out) {
  const int64_t dim = ten_op_int(op, "dimension", 0);
  if (dim < 0 || dim >= out->rank) return false;
  size_t outer = 1, inner = 1, done = 0;
  for (uint32_t d = 0; d < out->rank; d++) *(d < dim ? &outer : &inner) *= (size_t)out->dims[d];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ints part;
    if (!ints_of(m, ten_op_operand(op, i), &part) || part.rank != out->rank || !outer) return false;
    const size_t chunk = part.count / outer;
    if (done + chunk > inner) return false;
    for (size_t k = 0; chunk && k < outer; k++)
      memcpy(out->data + k * inner + done, part.data + k * chunk, chunk * sizeof *part.data);
    done += chunk;
  }
  return done == inner;
}

/* A body of one binary op on its two arguments: sums, products, extrema. */
static ten_opcode simple_body(const ten_op *op) {
  const ten_block *body = op->regions[0].first;
  if (!body || body->arg_count != 2 || !body->first || body->first->next != body->last ||
      body->last->operand_count != 1)
    return TEN_OP_UNKNOWN;
  const ten_op *only = body->first;
  if (only->operand_count != 2 || only->result_count != 1 || ten_op_operand(body->last, 0) != ten_op_result(only, 0))
    return TEN_OP_UNKNOWN;
  const ten_value *a = ten_op_operand(only, 0), *b = ten_op_operand(only, 1);
  const bool plain = (a == body->args[0] && b == body->args[1]) ||
                     (ten_op_has(only, TEN_TRAIT_COMMUTATIVE) && a == body->args[1] && b == body->args[0]);
  return plain ? only->code : TEN_OP_UNKNOWN;
}

static bool eval_reduce(ten_module *m, const ten_op *op, const ints *out) {
  ints in, init;
  if (op->operand_count != 2 || !ints_of(m, ten_op_operand(op, 0), &in) || !ints_of(m, ten_op_operand(op, 1), &init) ||
      !init.count)
    return false;
  const ten_opcode code = simple_body(op);
  const ten_ints reduced = ten_op_ints(op, "dimensions");
  int64_t *steps = ten_arena_new_array(&m->arena, int64_t, in.rank);
  int64_t step = 1;
  for (uint32_t d = in.rank; d-- > 0;) {
    steps[d] = ten_ints_has(reduced, d) ? 0 : step;
    if (steps[d]) step *= in.dims[d];
  }
  for (size_t i = 0; i < out->count; i++) out->data[i] = init.data[0];
  for (size_t i = 0; i < in.count; i++) {
    int64_t to = 0;
    size_t rest = i;
    for (uint32_t d = in.rank; d-- > 0;) {
      to += (int64_t)(rest % (size_t)in.dims[d]) * steps[d];
      rest /= (size_t)in.dims[d];
    }
    if ((size_t)to >= out->count || !binary(code, out->dtype, out->data[to], in.data[i], &out->data[to])) return false;
    out->data[to] = wrap(out->dtype, out->data[to]);
  }
  return true;
}

static bool eval_elementwise(ten_module *m, const ten_op *op, const ints *out) {
  ints in[3];
  if (op->operand_count < 1 || op->operand_count > 3) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!ints_of(m, ten_op_operand(op, i), &in[i]) || (in[i].count != out->count && in[i].count != 1)) return false;
  const ten_dtype dtype = in[0].dtype;
  const int64_t direction = op->code == TEN_OP_COMPARE ? ten_op_int(op, "comparison_direction", 0) : 0;
  for (size_t i = 0; i < out->count; i++) {
    const int64_t a = at(&in[0], i), b = op->operand_count > 1 ? at(&in[1], i) : 0,
                  c = op->operand_count > 2 ? at(&in[2], i) : 0;
    int64_t *to = &out->data[i];
    bool known = true;
    if (op->code == TEN_OP_COMPARE)
      *to = compared(direction, compare(dtype, a, b));
    else if (op->code == TEN_OP_SELECT)
      *to = a ? b : c;
    else if (op->code == TEN_OP_CLAMP)
      *to = compare(dtype, b, a) < 0 ? a : compare(dtype, b, c) > 0 ? c : b;
    else if (op->code == TEN_OP_CONVERT && out->dtype == TEN_I1)
      *to = a != 0;
    else
      known = op->operand_count == 2 ? binary(op->code, dtype, a, b, to) : unary(op->code, a, to);
    if (!known) return false;
    *to = wrap(out->dtype, *to);
  }
  return true;
}

static bool eval_iota(const ten_op *op, const ints *out) {
  const int64_t dim = ten_op_int(op, "iota_dimension", -1);
  if (dim < 0 || dim >= out->rank) return false;
  size_t inner = 1;
  for (uint32_t d = (uint32_t)dim + 1; d < out->rank; d++) inner *= (size_t)out->dims[d];
  for (size_t i = 0; i < out->count; i++)
    out->data[i] = wrap(out->dtype, (int64_t)(i / inner % (size_t)out->dims[dim]));
  return true;
}

static bool eval_dynamic_slice(ten_module *m, const ten_op *op, const ints *in, const ints *out) {
  int64_t *start = ten_arena_new_array(&m->arena, int64_t, in->rank),
          *ones = ten_arena_new_array(&m->arena, int64_t, in->rank);
  if (op->operand_count != in->rank + 1) return false;
  for (uint32_t d = 0; d < in->rank; d++) {
    ints index;
    if (!ints_of(m, ten_op_operand(op, d + 1), &index) || index.count != 1) return false;
    const int64_t most = in->dims[d] - out->dims[d];
    start[d] = is_unsigned(index.dtype) && index.data[0] < 0 ? most
               : index.data[0] < 0                           ? 0
               : index.data[0] > most                        ? most
                                                             : index.data[0];
    ones[d] = 1;
  }
  return eval_slice(m, in, (ten_ints){start, in->rank}, (ten_ints){ones, in->rank}, out);
}

static bool eval_transpose(ten_module *m, const ten_op *op, const ints *in, const ints *out) {
  const ten_ints permutation = ten_op_ints(op, "permutation");
  if (permutation.count != in->rank || out->rank != in->rank) return false;
  const int64_t *steps = row_strides(m, in);
  int64_t *strides = ten_arena_new_array(&m->arena, int64_t, in->rank);
  for (uint32_t d = 0; d < in->rank; d++) {
    if (permutation.data[d] < 0 || permutation.data[d] >= in->rank) return false;
    strides[d] = steps[permutation.data[d]];
  }
  strided(out, strides, 0, in->data);
  return true;
}

static bool eval_moves(ten_module *m, const ten_op *op, const ints *out) {
  ints in, start, strides;
  if (!ints_of(m, ten_op_operand(op, 0), &in)) return false;
  switch (op->code) {
    case TEN_OP_RESHAPE:
    case TEN_OP_DYNAMIC_RESHAPE:
      if (in.count != out->count) return false;
      if (in.count) memcpy(out->data, in.data, in.count * sizeof *in.data);
      return true;
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_DYNAMIC_BROADCAST_IN_DIM: return eval_broadcast(m, &in, ten_op_ints(op, "broadcast_dimensions"), out);
    case TEN_OP_SLICE: return eval_slice(m, &in, ten_op_ints(op, "start_indices"), ten_op_ints(op, "strides"), out);
    case TEN_OP_REAL_DYNAMIC_SLICE:
      return ints_of(m, ten_op_operand(op, 1), &start) && ints_of(m, ten_op_operand(op, 3), &strides) &&
             eval_slice(m, &in, (ten_ints){start.data, start.count}, (ten_ints){strides.data, strides.count}, out);
    case TEN_OP_DYNAMIC_SLICE: return eval_dynamic_slice(m, op, &in, out);
    default: return eval_transpose(m, op, &in, out);
  }
}

const ten_attr *ten_eval_op(ten_module *m, const ten_op *op) {
  ints out;
  if (op->result_count != 1 || !op->results[0].type || !ints_new(m, op->results[0].type, &out)) return NULL;
  bool done = false;
  switch (op->code) {
    case TEN_OP_GET_DIMENSION_SIZE: {
      const ten_type *type = ten_in(op, 0);
      const int64_t dim = ten_op_int(op, "dimension", -1);
      done = ten_is_shaped(type) && dim >= 0 && dim < type->rank && ten_dim_known(type->dims[dim]) && out.count == 1;
      if (done) out.data[0] = wrap(out.dtype, type->dims[dim]);
      break;
    }
    case TEN_OP_IOTA:
    case TEN_OP_DYNAMIC_IOTA: done = eval_iota(op, &out); break;
    case TEN_OP_CONCATENATE: done = eval_concatenate(m, op, &out); break;
    case TEN_OP_REDUCE: done = eval_reduce(m, op, &out); break;
    case TEN_OP_RESHAPE:
    case TEN_OP_DYNAMIC_RESHAPE:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_DYNAMIC_BROADCAST_IN_DIM:
    case TEN_OP_SLICE:
    case TEN_OP_REAL_DYNAMIC_SLICE:
    case TEN_OP_DYNAMIC_SLICE:
    case TEN_OP_TRANSPOSE: done = eval_moves(m, op, &out); break;
    case TEN_OP_ADD:
    case TEN_OP_SUBTRACT:
    case TEN_OP_MULTIPLY:
    case TEN_OP_DIVIDE:
    case TEN_OP_REMAINDER:
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM:
    case TEN_OP_AND:
    case TEN_OP_OR:
    case TEN_OP_XOR:
    case TEN_OP_POWER:
    case TEN_OP_SHIFT_LEFT:
    case TEN_OP_SHIFT_RIGHT_ARITHMETIC:
    case TEN_OP_SHIFT_RIGHT_LOGICAL:
    case TEN_OP_NEGATE:
    case TEN_OP_ABS:
    case TEN_OP_SIGN:
    case TEN_OP_NOT:
    case TEN_OP_CONVERT:
    case TEN_OP_COMPARE:
    case TEN_OP_SELECT:
    case TEN_OP_CLAMP: done = eval_elementwise(m, op, &out); break;
    default: break;
  }
  return done ? pack(m, &out) : NULL;
}
