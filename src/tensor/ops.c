/* ops.c: the common operations by functions of their own, and type promotion as the array API standard has it. */
#include "tensor/ops.h"
#include "tensor/internal.h"

static int kind_of(ten_dtype dtype) {
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_BOOL: return 0;
    case TEN_CLASS_SINT:
    case TEN_CLASS_UINT: return 1;
    case TEN_CLASS_FLOAT: return 2;
    default: return 3;
  }
}

static ten_dtype promote_ints(ten_dtype a, ten_dtype b) {
  const bool unsigned_a = ten_dtype_class(a) == TEN_CLASS_UINT, unsigned_b = ten_dtype_class(b) == TEN_CLASS_UINT;
  const unsigned bits_a = ten_dtype_bits(a), bits_b = ten_dtype_bits(b);
  if (unsigned_a == unsigned_b) return bits_a > bits_b ? a : b;
  const unsigned bits_u = unsigned_a ? bits_a : bits_b, bits_s = unsigned_a ? bits_b : bits_a;
  if (bits_s > bits_u) return unsigned_a ? b : a;
  return bits_u == 8 ? TEN_I16 : bits_u == 16 ? TEN_I32 : bits_u == 32 ? TEN_I64 : TEN_F64; /* as NumPy */
}

ten_dtype ten_dtype_promote(ten_dtype a, ten_dtype b) {
  if (a == b) return a;
  if (a == TEN_DTYPE_NONE || b == TEN_DTYPE_NONE) return TEN_DTYPE_NONE;
  const int kind_a = kind_of(a), kind_b = kind_of(b);
  if (kind_a == 3 || kind_b == 3) {
    const bool wide = a == TEN_F64 || b == TEN_F64 || a == TEN_C128 || b == TEN_C128;
    return wide ? TEN_C128 : TEN_C64;
  }
  if (kind_a != kind_b) return kind_a > kind_b ? a : b;
  if (kind_a == 1) return promote_ints(a, b);
  const unsigned bits_a = ten_dtype_bits(a), bits_b = ten_dtype_bits(b);
  return bits_a == bits_b ? TEN_F32 : bits_a > bits_b ? a : b;
}

static ten_argument array_argument(const char *name, ten_array *array) {
  return (ten_argument){.name = name, .kind = TEN_ARG_ARRAY, .array = array};
}

ten_status *ten_array_cast(ten_array *array, ten_dtype dtype, ten_array **out_array) {
  *out_array = NULL;
  if (!tensor_is_live(array)) return tensor_live("cast", 1, &array);
  if (ten_array_dtype(array) == dtype) {
    *out_array = ten_array_retain(array);
    return NULL;
  }
  const ten_argument arguments[] = {array_argument("self", array),
                                    {.name = "dtype", .kind = TEN_ARG_DTYPE, .integer = dtype}};
  return ten_array_op(array->device, "_to_copy", arguments, 2, out_array, 1);
}

/* Records an operation of these arrays if it is one of those recorded last. */
static bool record_again(const char *name, size_t count, ten_array *const *arrays, ten_array **out_array,
                         ten_status **out_status) {
  ten_device *device = arrays[0]->device;
  tensor_operand operands[2];
  for (size_t i = 0; i < count; i++) {
    if (arrays[i]->device != device) return false;
    operands[i] = (tensor_operand){arrays[i]->node, arrays[i]->result};
  }
  tensor_lock(device);
  const tensor_recent *recent = tensor_recent_find(device, name, count, operands);
  if (recent)
    *out_status = tensor_record_row(device, recent->word_count, recent->words, (uint32_t)count, operands, &recent->type,
                                    out_array, 1);
  tensor_unlock(device);
  return recent != NULL;
}

/* Records an operation whose arguments are arrays, and remembers it. */
static ten_status *record_first(const char *name, size_t count, const ten_argument *arguments, ten_array **out_array) {
  ten_device *device = arguments[0].array->device;
  tensor_operand operands[2];
  for (size_t i = 0; i < count; i++)
    operands[i] = (tensor_operand){arguments[i].array->node, arguments[i].array->result};
  tensor_lock(device);
  ten_status *status = tensor_record(device, name, arguments, count, out_array, 1);
  if (!status) tensor_recent_add(device, name, count, operands, (*out_array)->node);
  tensor_unlock(device);
  return status;
}

ten_status *ten_array_unary(const char *name, ten_array *x, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("recording an operation");
  ten_status *status;
  if (!tensor_is_live(x)) return tensor_live(name, 1, &x);
  if (record_again(name, 1, &x, out_array, &status)) return status;
  const ten_argument arguments[] = {array_argument("self", x)};
  return record_first(name, 1, arguments, out_array);
}

static ten_status *shapes_error(const char *format, const ten_array *x, const ten_array *y) {
  ten_buf a = {0}, b = {0};
  tensor_shape_print(&a, ten_array_rank(x), ten_array_dims(x));
  tensor_shape_print(&b, ten_array_rank(y), ten_array_dims(y));
  ten_status *status = ten_error(TEN_INVALID, format, a.data, b.data);
  ten_buf_free(&a);
  ten_buf_free(&b);
  return ten_error_raises(status, "ValueError");
}

static bool shapes_meet(const ten_array *x, const ten_array *y) {
  const uint32_t a = ten_array_rank(x), b = ten_array_rank(y);
  for (uint32_t i = 1; i <= a && i <= b; i++) {
    const int64_t m = ten_array_dims(x)[a - i], n = ten_array_dims(y)[b - i];
    if (m != n && m != 1 && n != 1) return false;
  }
  return true;
}

/* Operands have one type. */
static ten_status *binary(const char *name, ten_array *x, ten_array *y, ten_array **out_array) {
  if (ten_dtype_is_float(ten_array_dtype(x))) {
    if (!strcmp(name, "floor_divide")) return tensor_floor_divide(x, y, out_array);
    if (!strcmp(name, "remainder")) return tensor_remainder(x, y, out_array);
  }
  const ten_argument arguments[] = {array_argument("self", x),
                                    array_argument(!strcmp(name, "pow") ? "exponent" : "other", y)};
  return record_first(name, 2, arguments, out_array);
}

ten_status *ten_array_binary(const char *name, ten_array *x, ten_array *y, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("recording an operation");
  ten_status *known;
  if (!tensor_is_live(x) || !tensor_is_live(y)) return tensor_live(name, 2, (ten_array *const[]){x, y});
  if (record_again(name, 2, (ten_array *const[]){x, y}, out_array, &known)) return known;
  if (!shapes_meet(x, y)) return shapes_error("operands could not be broadcast together with shapes %s %s", x, y);
  const ten_dtype dtype = ten_dtype_promote(ten_array_dtype(x), ten_array_dtype(y));
  if (ten_array_dtype(x) == dtype && ten_array_dtype(y) == dtype) return binary(name, x, y, out_array);
  ten_array *a, *b = NULL;
  TEN_TRY(ten_array_cast(x, dtype, &a));
  ten_status *status = ten_array_cast(y, dtype, &b);
  if (!status) status = binary(name, a, b, out_array);
  ten_array_release(a);
  ten_array_release(b);
  return status;
}

/* A number that is an operand alone needs no array of its own. */
static ten_status *number_again(const char *name, ten_array *x, ten_dtype dtype, const void *element, bool first,
                                ten_array **out_array, bool *out_known) {
  ten_device *device = x->device;
  tensor_result scalar = {.dtype = dtype};
  tensor_node stand_in = {.results = &scalar};
  const uint32_t at = first ? 0 : 1;
  tensor_operand operands[2] = {{x->node, x->result}, {x->node, x->result}};
  operands[at] = (tensor_operand){&stand_in, 0};
  ten_tensor *value;
  ten_status *status = NULL;
  tensor_lock(device);
  const tensor_recent *recent = tensor_recent_find(device, name, 2, operands);
  if (recent) status = tensor_number_value(device, dtype, element, &value);
  if (recent && !status) {
    tensor_node *node = tensor_node_create(device, 0, NULL, 0, NULL, 1, &(tensor_type){.dtype = dtype});
    tensor_node_set(device, node, 0, value);
    node->references = 1;
    operands[at].node = node;
    status = tensor_record_row(device, recent->word_count, recent->words, 2, operands, &recent->type, out_array, 1);
    tensor_node_release(device, node);
  }
  tensor_unlock(device);
  *out_known = recent != NULL;
  return status;
}

ten_status *tensor_binary_number(const char *name, ten_array *x, ten_dtype dtype, const void *element, bool first,
                                 ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("recording an operation");
  bool known = false;
  TEN_TRY(number_again(name, x, dtype, element, first, out_array, &known));
  if (known) return NULL;
  ten_array *number;
  TEN_TRY(ten_array_create(x->device, dtype, 0, NULL, element, ten_dtype_bytes(dtype), &number));
  ten_array *a = first ? number : x, *b = first ? x : number;
  ten_status *status =
      strcmp(name, "matmul") ? ten_array_binary(name, a, b, out_array) : ten_array_matmul(a, b, out_array);
  ten_array_release(number);
  return status;
}

static bool matrices_meet(const ten_array *x, const ten_array *y) {
  const uint32_t a = ten_array_rank(x), b = ten_array_rank(y);
  if (!a || !b) return false;
  if (ten_array_dims(x)[a - 1] != ten_array_dims(y)[b == 1 ? 0 : b - 2]) return false;
  for (uint32_t i = 3; i <= a && i <= b; i++) {
    const int64_t m = ten_array_dims(x)[a - i], n = ten_array_dims(y)[b - i];
    if (m != n && m != 1 && n != 1) return false;
  }
  return true;
}

ten_status *ten_array_matmul(ten_array *x, ten_array *y, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("recording an operation");
  ten_status *known;
  if (!tensor_is_live(x) || !tensor_is_live(y)) return tensor_live("matmul", 2, (ten_array *const[]){x, y});
  if (record_again("matmul", 2, (ten_array *const[]){x, y}, out_array, &known)) return known;
  if (!matrices_meet(x, y)) return shapes_error("matmul: shapes %s and %s do not fit each other", x, y);
  const ten_dtype dtype = ten_dtype_promote(ten_array_dtype(x), ten_array_dtype(y));
  ten_array *a, *b = NULL;
  TEN_TRY(ten_array_cast(x, dtype, &a));
  ten_status *status = ten_array_cast(y, dtype, &b);
  if (!status) {
    const ten_argument arguments[] = {array_argument("self", a), array_argument("other", b)};
    status = record_first("matmul", 2, arguments, out_array);
  }
  ten_array_release(a);
  ten_array_release(b);
  return status;
}

static void value_release(void *value) { ten_tensor_release(value); }

/* What no program takes is another view of the value. */
static ten_status *reshape_value(ten_array *x, uint32_t rank, const int64_t *dims, ten_array **out_array) {
  ten_tensor *value;
  TEN_TRY(tensor_value_of(x, &value));
  size_t count = 1;
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] < 0 || !ten_mul(count, (size_t)dims[i], &count)) count = SIZE_MAX;
  if (count != value->count)
    return ten_error(TEN_INVALID, "an array of %zu elements cannot have that shape", value->count);
  return ten_array_view(x->device, value->dtype, rank, dims, value->data, value_release, ten_tensor_retain(value),
                        out_array);
}

static ten_status *reshape_error(const ten_array *x, uint32_t rank, const int64_t *dims) {
  ten_buf from = {0}, to = {0};
  tensor_shape_print(&from, ten_array_rank(x), ten_array_dims(x));
  tensor_shape_print(&to, rank, dims);
  ten_status *status = ten_error(TEN_INVALID, "cannot reshape an array of shape %s to %s", from.data, to.data);
  ten_buf_free(&from);
  ten_buf_free(&to);
  return ten_error_raises(status, "ValueError");
}

ten_status *ten_array_reshape(ten_array *x, uint32_t rank, const int64_t *dims, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("reshaping");
  TEN_TRY(tensor_live("reshape", 1, &x));
  if (rank > TENSOR_LOWER_RANK || ten_array_rank(x) > TENSOR_LOWER_RANK) return reshape_value(x, rank, dims, out_array);
  size_t count = 1;
  bool open = false; /* -1: what is left */
  for (uint32_t i = 0; i < rank; i++) open |= dims[i] < 0 || !ten_mul(count, (size_t)dims[i], &count);
  if (!open && count != ten_array_count(x)) return reshape_error(x, rank, dims);
  const ten_argument arguments[] = {array_argument("self", x),
                                    {.name = "shape", .kind = TEN_ARG_INTS, .count = rank, .ints = dims}};
  return ten_array_op(x->device, "reshape", arguments, 2, out_array, 1);
}

ten_status *ten_array_reduce(const char *name, ten_array *x, size_t count, const int64_t *dims, int keep,
                             ten_array **out_array) {
  int64_t all[TENSOR_RANK_MAX];
  *out_array = NULL;
  TEN_TRY(tensor_live(name, 1, &x));
  const uint32_t rank = ten_array_rank(x);
  for (uint32_t i = 0; i < rank; i++) all[i] = i;
  const ten_argument arguments[] = {
      array_argument("self", x),
      {.name = "dim", .kind = TEN_ARG_INTS, .count = count ? count : rank, .ints = count ? dims : all},
      {.name = "keepdim", .kind = TEN_ARG_BOOL, .integer = keep != 0}};
  return ten_array_op(x->device, name, arguments, 3, out_array, 1);
}
