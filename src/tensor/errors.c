/* errors.c: what is wrong with operations and values, as NumPy's users know it: the exception that NumPy raises, the
 * types and shapes that met, and, of what fails only when it runs, the line that recorded it. */
#include "tensor/internal.h"

#define CLASS(name) (1u << TEN_CLASS_##name)
enum {
  COMPLEX = CLASS(COMPLEX),
  INEXACT = CLASS(FLOAT) | CLASS(COMPLEX),
};

/* Operations that are not defined on all types, and the classes of those that they do not take. */
static const struct {
  const char *name;
  unsigned refused;
} refusals[] = {
    {"bitwise_and", INEXACT},
    {"bitwise_or", INEXACT},
    {"bitwise_xor", INEXACT},
    {"bitwise_not", INEXACT},
    {"bitwise_left_shift", INEXACT},
    {"bitwise_right_shift", INEXACT},
    {"neg", CLASS(BOOL)},
    {"sub", CLASS(BOOL)},
    {"floor_divide", COMPLEX},
    {"remainder", COMPLEX},
    {"floor", COMPLEX},
    {"ceil", COMPLEX},
    {"trunc", COMPLEX},
    {"signbit", COMPLEX},
    {"atan2", COMPLEX},
    {"copysign", COMPLEX},
    {"hypot", COMPLEX},
    {"logaddexp", COMPLEX},
    {"nextafter", COMPLEX},
    {"maximum", COMPLEX},
    {"minimum", COMPLEX},
    {"lt", COMPLEX},
    {"le", COMPLEX},
    {"gt", COMPLEX},
    {"ge", COMPLEX},
};

const char *tensor_dtype_name(ten_dtype dtype) {
  static const char *const names[] = {
      [TEN_I1] = "bool",     [TEN_I8] = "int8",       [TEN_I16] = "int16",      [TEN_I32] = "int32",
      [TEN_I64] = "int64",   [TEN_UI8] = "uint8",     [TEN_UI16] = "uint16",    [TEN_UI32] = "uint32",
      [TEN_UI64] = "uint64", [TEN_F16] = "float16",   [TEN_BF16] = "bfloat16",  [TEN_F32] = "float32",
      [TEN_F64] = "float64", [TEN_C64] = "complex64", [TEN_C128] = "complex128"};
  const bool named = (size_t)dtype < sizeof names / sizeof *names && names[dtype];
  return named ? names[dtype] : ten_dtype_name(dtype);
}

void tensor_shape_print(ten_buf *out, uint32_t rank, const int64_t *dims) {
  ten_buf_adds(out, "(");
  for (uint32_t i = 0; i < rank; i++) ten_buf_printf(out, "%s%lld", i ? "," : "", (long long)dims[i]);
  ten_buf_adds(out, rank == 1 ? ",)" : ")");
}

void tensor_refusals_number(ten_device *device) {
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) tensor_string(device, ten_str_of(refusals[i].name));
}

ten_status *tensor_live(const char *what, size_t count, ten_array *const *arrays) {
  for (size_t i = 0; i < count; i++)
    if (!tensor_is_live(arrays[i]))
      return ten_error(TEN_INVALID, "%s: array %zu of %zu %s", what, i + 1, count,
                       arrays[i] ? "was released: it is used after ten_array_release" : "is NULL");
  return NULL;
}

ten_status *tensor_wrong_types(uint64_t op, uint32_t count, const tensor_operand *operands) {
  if (op >= sizeof refusals / sizeof *refusals) return NULL;
  for (uint32_t k = 0; k < count; k++) {
    const ten_dtype dtype = tensor_operand_result(&operands[k])->dtype;
    if (refusals[op].refused >> ten_dtype_class(dtype) & 1)
      return ten_error_raises(ten_error(TEN_INVALID, "%s is not defined on arrays of %s%s", refusals[op].name,
                                        tensor_dtype_name(dtype), dtype == TEN_I1 ? ": use the operators ^ and ~" : ""),
                              "TypeError");
  }
  return NULL;
}

ten_status *tensor_wrong_operands(ten_status *status, const char *name, uint32_t count,
                                  const tensor_operand *operands) {
  enum { NAMED_MOST = 8 };
  if (!status) return NULL;
  ten_buf text = {0};
  for (uint32_t i = 0; i < count && i < NAMED_MOST; i++) {
    const tensor_result *result = tensor_operand_result(&operands[i]);
    ten_buf_printf(&text, "%s%s ", i ? ", " : " of ", tensor_dtype_name(result->dtype));
    tensor_shape_print(&text, result->rank, result->dims);
  }
  if (count > NAMED_MOST) ten_buf_printf(&text, " and %u more", count - NAMED_MOST);
  status = ten_annotate(status, "recording %s%s", name, text.data ? text.data : "");
  ten_buf_free(&text);
  const ten_code code = ten_status_code(status);
  return code == TEN_INVALID || code == TEN_LIMIT ? ten_error_raises(status, "ValueError") : status;
}

/* Whether an argument of the operation is positions of elements. */
static bool takes_positions(const ten_device *device, const tensor_node *node) {
  for (size_t i = 1; i < node->word_count; i += 1 + tensor_head_words(node->words[i])) {
    const ten_str name = tensor_text(device, tensor_head_name(node->words[i]));
    if (ten_str_is(name, "index") || ten_str_is(name, "indices")) return true;
  }
  return false;
}

ten_status *tensor_wrong_values(ten_device *device, ten_status *status, const tensor_graph *graph) {
  if (!status || ten_status_code(status) != TEN_INVALID || !ten_status_exception(status)) return status;
  const tensor_node *node = graph ? tensor_graph_failed(graph, status) : NULL;
  const char *exception = ten_status_exception(status);
  if (node && takes_positions(device, node))
    exception = "IndexError"; /* of PyTorch's gather and scatter a RuntimeError */
  else if (!strcmp(exception, "LinAlgError"))
    exception = "ValueError"; /* which NumPy's is, too */
  /* The message alone: its place is a number of a node. PyTorch raises a RuntimeError that says ZeroDivisionError. */
  static const char division[] = "ZeroDivisionError: ";
  const char *message = ten_status_message(status);
  if (!strncmp(message, division, sizeof division - 1)) {
    exception = "ZeroDivisionError";
    message += sizeof division - 1;
  }
  ten_status *made = ten_error_raises(ten_error(TEN_INVALID, "%s", message), exception);
  ten_status_free(status);
  const uint32_t site = node ? __atomic_load_n(&node->site, __ATOMIC_RELAXED) : 0;
  return site ? ten_annotate(made, "computing what was recorded at %s", device->strings.texts.data[site - 1]) : made;
}
