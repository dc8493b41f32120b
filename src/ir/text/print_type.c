/* print_type.c: types. */
#include <inttypes.h>

#include "ir/text/printer.h"

static void print_list(ten_buf *out, uint32_t count, const ten_type *const *types) {
  for (uint32_t i = 0; i < count; i++) {
    if (i) ten_buf_adds(out, ", ");
    ten_type_print(out, types[i]);
  }
}

void ten_print_function(ten_buf *out, uint32_t input_count, const ten_type *const *inputs, uint32_t result_count,
                        const ten_type *const *results) {
  ten_buf_addc(out, '(');
  print_list(out, input_count, inputs);
  ten_buf_adds(out, ") -> ");
  const bool bare = result_count == 1 && results[0]->kind != TEN_TYPE_FUNCTION;
  if (!bare) ten_buf_addc(out, '(');
  print_list(out, result_count, results);
  if (!bare) ten_buf_addc(out, ')');
}

static void print_pair(ten_buf *out, const ten_quant *quant, size_t i) {
  ten_print_double(out, quant->scales[i]);
  if (quant->zero_points[i]) ten_buf_printf(out, ":%" PRId64, quant->zero_points[i]);
}

/* {{a, b}, {c, d}} of the blocks from dimension `level` on */
static void print_blocks(ten_buf *out, const ten_quant *quant, uint32_t level, size_t *next) {
  ten_buf_addc(out, '{');
  for (int64_t i = 0; i < quant->blocks[level]; i++) {
    if (i) ten_buf_adds(out, ", ");
    if (level + 1 < quant->block_rank)
      print_blocks(out, quant, level + 1, next);
    else
      print_pair(out, quant, (*next)++);
  }
  ten_buf_addc(out, '}');
}

static void print_quant(ten_buf *out, const ten_quant *quant) {
  ten_buf_printf(out, "!quant.uniform<%c%u", quant->is_signed ? 'i' : 'u', ten_dtype_bits(quant->storage));
  if (quant->narrow) ten_buf_printf(out, "<%" PRId64 ":%" PRId64 ">", quant->storage_min, quant->storage_max);
  ten_buf_printf(out, ":%s", ten_dtype_name(quant->expressed));
  if (quant->block_sizes) {
    for (uint32_t i = 0; i < quant->axis_count; i++)
      ten_buf_printf(out, "%s%d:%" PRId64, i ? ", " : ":{", (int)quant->axes[i], quant->block_sizes[i]);
    ten_buf_adds(out, "}, ");
    size_t next = 0;
    print_blocks(out, quant, 0, &next);
  } else if (quant->axis_count) {
    ten_buf_printf(out, ":%d, {", (int)quant->axes[0]);
    for (size_t i = 0; i < quant->count; i++) {
      if (i) ten_buf_addc(out, ',');
      print_pair(out, quant, i);
    }
    ten_buf_addc(out, '}');
  } else {
    ten_buf_adds(out, ", ");
    print_pair(out, quant, 0);
  }
  ten_buf_addc(out, '>');
}

static void print_shaped(ten_buf *out, const ten_type *type) {
  ten_buf_adds(out, type->kind == TEN_TYPE_TENSOR ? "tensor<" : "memref<");
  if (!type->ranked) ten_buf_adds(out, "*x");
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] == TEN_DYNAMIC)
      ten_buf_adds(out, "?x");
    else
      ten_buf_printf(out, "%" PRId64 "x", type->dims[i]);
  }
  ten_type_print(out, type->element);
  if (type->encoding) {
    ten_buf_adds(out, ", ");
    ten_attr_print(out, type->encoding);
  }
  ten_buf_addc(out, '>');
}

void ten_type_print(ten_buf *buf, const ten_type *type) {
  switch (type->kind) {
    case TEN_TYPE_SCALAR: ten_buf_adds(buf, ten_dtype_name(type->dtype)); break;
    case TEN_TYPE_QUANT: print_quant(buf, type->quant); break;
    case TEN_TYPE_TENSOR:
    case TEN_TYPE_BUFFER: print_shaped(buf, type); break;
    case TEN_TYPE_TUPLE:
    case TEN_TYPE_FUTURE:
      ten_buf_adds(buf, type->kind == TEN_TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
      print_list(buf, type->input_count, type->inputs);
      ten_buf_addc(buf, '>');
      break;
    case TEN_TYPE_FUNCTION:
      ten_print_function(buf, type->input_count, type->inputs, type->result_count, type->results);
      break;
    case TEN_TYPE_TOKEN: ten_buf_adds(buf, "!stablehlo.token"); break;
    case TEN_TYPE_NONE: ten_buf_adds(buf, "none"); break;
    case TEN_TYPE_OPAQUE: ten_buf_addstr(buf, type->text); break;
  }
}
