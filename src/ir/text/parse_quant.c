/* parse_quant.c: !quant.uniform<storage:expressed, …> per tensor, per axis and in blocks (sub-channel). */
#include <stdlib.h>

#include "ir/text/parser.h"

typedef TEN_VEC(double) scale_vec;
typedef TEN_VEC(int64_t) int_vec;

typedef struct quant_lists {
  scale_vec scales;
  int_vec zero_points, block_sizes, blocks;
  TEN_VEC(int32_t) axes;
} quant_lists;

static bool parse_storage(ten_parser *p, ten_quant *quant) {
  if (!ten_at(p, TOK_BARE)) return ten_expected(p, "a storage type");
  const ten_str text = p->token.text;
  char name[8] = "u";
  const bool is_signed = text.data[0] == 'i';
  if (!is_signed && text.size < 6) memcpy(name, "ui", 2), memcpy(name + 2, text.data + 1, text.size - 1);
  quant->storage = is_signed ? ten_dtype_parse(text.data, text.size) : ten_dtype_parse(name, strlen(name));
  if (quant->storage == TEN_DTYPE_NONE || quant->storage == TEN_I1 || ten_dtype_bits(quant->storage) > 32)
    return ten_fail(p, &p->token, "expected a storage type: i2, u4, i8, u8, i16, i32 and so on");
  quant->is_signed = is_signed;
  const unsigned bits = ten_dtype_bits(quant->storage);
  quant->storage_min = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
  quant->storage_max = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
  ten_advance(p);
  if (!ten_at(p, '<')) return true;
  const int64_t lowest = quant->storage_min, highest = quant->storage_max;
  ten_advance(p);
  const ten_token place = p->token;
  if (!ten_parse_int(p, &quant->storage_min) || !ten_expect(p, ':', "':'") || !ten_parse_int(p, &quant->storage_max) ||
      !ten_expect(p, '>', "'>'"))
    return false;
  if (quant->storage_min < lowest || quant->storage_max > highest || quant->storage_min >= quant->storage_max)
    return ten_fail(p, &place, "the storage range must lie within %lld:%lld", (long long)lowest, (long long)highest);
  quant->narrow = quant->storage_min != lowest || quant->storage_max != highest;
  return true;
}

static bool parse_pair(ten_parser *p, quant_lists *lists) {
  double scale;
  int64_t zero_point = 0;
  if (!ten_parse_double(p, &scale)) return false;
  if (ten_accept(p, ':') && !ten_parse_int(p, &zero_point)) return false;
  ten_vec_push(&lists->scales, scale);
  ten_vec_push(&lists->zero_points, zero_point);
  return true;
}

/* {{a, b}, {c, d}}: the first element of each level determines the shape, and the others must match. */
static bool parse_blocks(ten_parser *p, quant_lists *lists, size_t level) {
  const ten_token place = p->token;
  if (!ten_enter(p) || !ten_expect(p, '{', "'{'")) return ten_leave(p), false;
  bool ok = true;
  int64_t count = 0;
  do {
    ok = ten_at(p, '{') ? parse_blocks(p, lists, level + 1) : parse_pair(p, lists);
    count++;
  } while (ok && ten_accept(p, ','));
  ten_leave(p);
  if (!ok || !ten_expect(p, '}', "',' or '}'")) return false;
  while (lists->blocks.count <= level) ten_vec_push(&lists->blocks, -1);
  if (lists->blocks.data[level] < 0) lists->blocks.data[level] = count;
  if (lists->blocks.data[level] != count) return ten_fail(p, &place, "lists of scales have different lengths");
  return true;
}

static bool parse_axes(ten_parser *p, quant_lists *lists) {
  int64_t axis, size;
  do {
    const ten_token place = p->token;
    if (!ten_parse_int(p, &axis) || !ten_expect(p, ':', "':'") || !ten_parse_int(p, &size)) return false;
    if (axis < 0 || axis > INT32_MAX || size < 0) return ten_fail(p, &place, "expected dimension:block size");
    ten_vec_push(&lists->axes, (int32_t)axis);
    ten_vec_push(&lists->block_sizes, size);
  } while (ten_accept(p, ','));
  return ten_expect(p, '}', "',' or '}'");
}

static bool parse_body(ten_parser *p, ten_quant *quant, quant_lists *lists) {
  const ten_type *expressed = NULL;
  if (!ten_expect(p, '<', "'<'") || !parse_storage(p, quant) || !ten_expect(p, ':', "':'")) return false;
  const ten_token place = p->token;
  if (!ten_parse_type(p, &expressed)) return false;
  if (expressed->kind != TEN_TYPE_SCALAR || !ten_dtype_is_float(expressed->dtype))
    return ten_fail(p, &place, "the expressed type of a quantized type must be a float");
  quant->expressed = expressed->dtype;
  bool per_tensor = true, blocked = false;
  if (ten_accept(p, ':')) {
    per_tensor = false;
    blocked = ten_accept(p, '{');
    int64_t axis;
    const ten_token axis_place = p->token;
    if (blocked) {
      if (!parse_axes(p, lists)) return false;
    } else {
      if (!ten_parse_int(p, &axis)) return false;
      if (axis < 0 || axis > INT32_MAX) return ten_fail(p, &axis_place, "the quantized dimension is out of range");
      ten_vec_push(&lists->axes, (int32_t)axis);
    }
  }
  if (!ten_expect(p, ',', "','")) return false;
  const ten_token list_place = p->token;
  if (per_tensor ? !parse_pair(p, lists) : !parse_blocks(p, lists, 0)) return false;
  if (!per_tensor && !blocked && lists->blocks.count != 1)
    return ten_fail(p, &list_place, "expected one list of scales");
  quant->block_rank = blocked ? (uint32_t)lists->blocks.count : 0;
  quant->block_sizes = blocked ? lists->block_sizes.data : NULL;
  return ten_expect(p, '>', "'>'");
}

bool ten_parse_quant(ten_parser *p, const ten_type **out) {
  ten_quant quant = {0};
  quant_lists lists = {0};
  const bool ok = parse_body(p, &quant, &lists);
  if (ok) {
    quant.axis_count = (uint32_t)lists.axes.count;
    quant.axes = lists.axes.data;
    quant.blocks = quant.block_rank ? lists.blocks.data : NULL;
    quant.count = lists.scales.count;
    quant.scales = lists.scales.data;
    quant.zero_points = lists.zero_points.data;
    *out = ten_type_quant(p->module, &quant);
  }
  ten_vec_free(&lists.scales);
  ten_vec_free(&lists.zero_points);
  ten_vec_free(&lists.block_sizes);
  ten_vec_free(&lists.blocks);
  ten_vec_free(&lists.axes);
  return ok;
}
