/* types.c: when types agree, merging and widening of types, the class of a type, and errors in a single type.
 *
 * Dimensions that describe one value merge to what is known on either side (bounds to the smaller); dimensions of two
 * branches widen to what holds for both (bounds to the larger). Shapes agree when no known sizes differ; types agree
 * when sizes are also within the other side's bounds and element types agree. */
#include "base/size.h"
#include "ir/verify/rules.h"

const int64_t *ten_bounds_of(const ten_type *type) {
  if (!type->encoding || type->encoding->kind != TEN_ATTR_STRUCT ||
      type->encoding->record.id != TEN_STRUCT_TYPE_EXTENSIONS)
    return NULL;
  const ten_ints bounds = ten_attr_as_ints(ten_attr_field(type->encoding, "bounds"));
  return bounds.count == type->rank && bounds.count ? bounds.data : NULL;
}

bool ten_lists_agree(uint32_t rank_a, const int64_t *a, uint32_t rank_b, const int64_t *b) {
  if (rank_a != rank_b) return false;
  for (uint32_t i = 0; i < rank_a; i++)
    if (!ten_dims_agree(a[i], b[i])) return false;
  return true;
}

bool ten_shapes_agree(const ten_type *a, const ten_type *b) {
  if (!ten_is_shaped(a) || !ten_is_shaped(b)) return ten_type_equal(a, b);
  return !a->ranked || !b->ranked || ten_lists_agree(a->rank, a->dims, b->rank, b->dims);
}

static const ten_type *element_of(const ten_type *type) { return ten_is_shaped(type) ? type->element : type; }

bool ten_elements_equal(const ten_type *a, const ten_type *b) { return ten_type_equal(element_of(a), element_of(b)); }

bool ten_elements_agree(const ten_type *a, const ten_type *b) {
  a = element_of(a), b = element_of(b);
  const ten_quant *p = a->kind == TEN_TYPE_QUANT ? a->quant : NULL, *q = b->kind == TEN_TYPE_QUANT ? b->quant : NULL;
  if (!p || !q) return !p && !q && ten_type_equal(a, b);
  return p->storage == q->storage && p->storage_min == q->storage_min && p->storage_max == q->storage_max &&
         p->expressed == q->expressed && ten_is_per_axis(a) == ten_is_per_axis(b);
}

static bool within(const ten_type *a, const ten_type *b) {
  const int64_t *bounds = ten_bounds_of(b);
  for (uint32_t i = 0; bounds && i < a->rank; i++)
    if (ten_dim_known(a->dims[i]) && ten_dim_known(bounds[i]) && a->dims[i] > bounds[i]) return false;
  return true;
}

bool ten_types_agree(const ten_type *a, const ten_type *b) {
  if (!ten_is_shaped(a) || !ten_is_shaped(b)) return ten_elements_agree(a, b);
  if (a->kind != b->kind || !ten_shapes_agree(a, b) || !ten_elements_agree(a, b)) return false;
  return !a->ranked || !b->ranked || (within(a, b) && within(b, a));
}

const ten_type *ten_make_tensor(ten_module *m, const ten_type *element, uint32_t rank, const int64_t *dims,
                                const int64_t *bounds) {
  const ten_attr *encoding = NULL;
  bool bounded = false;
  for (uint32_t i = 0; bounds && i < rank; i++) bounded = bounded || ten_dim_known(bounds[i]);
  if (bounded) {
    const ten_attr *fields[] = {ten_attr_dims(m, rank, bounds)};
    encoding = ten_attr_struct(m, TEN_STRUCT_TYPE_EXTENSIONS, fields);
  }
  return ten_type_tensor_of(m, element, true, rank, dims, encoding);
}

const ten_type *ten_make_scalar(ten_module *m, ten_dtype dtype) { return ten_type_tensor(m, dtype, 0, NULL); }

const ten_type *ten_with_element(ten_module *m, const ten_type *like, const ten_type *element) {
  if (like->element == element) return like;
  return ten_type_tensor_of(m, element, like->ranked, like->rank, like->dims, like->encoding);
}

static int64_t smaller(int64_t a, int64_t b) {
  if (!ten_dim_known(a) || !ten_dim_known(b)) return ten_dim_known(a) ? a : b;
  return a < b ? a : b;
}

bool ten_merge_dim(int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound) {
  const int64_t size = ten_dim_known(*dim) ? *dim : other, limit = smaller(*bound, other_bound);
  if (!ten_dims_agree(*dim, other) || (ten_dim_known(size) && ten_dim_known(limit) && size > limit)) return false;
  *dim = size;
  *bound = ten_dim_known(size) ? TEN_DYNAMIC : limit;
  return true;
}

bool ten_widen_dim(int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound) {
  if (!ten_dims_agree(*dim, other)) return false;
  if (ten_dim_known(*dim) && ten_dim_known(other)) return true;
  const int64_t a = ten_dim_known(*dim) ? *dim : *bound, b = ten_dim_known(other) ? other : other_bound;
  *dim = TEN_DYNAMIC;
  *bound = !ten_dim_known(a) || !ten_dim_known(b) ? TEN_DYNAMIC : a > b ? a : b;
  return true;
}

typedef bool (*combine)(int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound);

static const ten_type *combine_types(ten_module *m, const ten_type *a, const ten_type *b, combine how, int depth) {
  if (a == b || ten_type_equal(a, b)) return a;
  if (a->kind == TEN_TYPE_TUPLE && b->kind == TEN_TYPE_TUPLE && a->input_count == b->input_count &&
      depth < TEN_VERIFY_MAX_DEPTH) {
    const ten_type **parts = ten_arena_new_array(&m->arena, const ten_type *, a->input_count);
    for (uint32_t i = 0; i < a->input_count; i++)
      if (!(parts[i] = combine_types(m, a->inputs[i], b->inputs[i], how, depth + 1))) return NULL;
    return ten_type_tuple(m, a->input_count, parts);
  }
  if (a->kind != TEN_TYPE_TENSOR || b->kind != TEN_TYPE_TENSOR) return NULL;
  if (!a->ranked || !b->ranked) return how == ten_merge_dim ? (a->ranked ? a : b) : (a->ranked ? b : a);
  if (a->rank != b->rank) return NULL;
  const int64_t *bounds_a = ten_bounds_of(a), *bounds_b = ten_bounds_of(b);
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, a->rank),
          *bounds = ten_arena_new_array(&m->arena, int64_t, a->rank);
  bool changed = false;
  for (uint32_t i = 0; i < a->rank; i++) {
    dims[i] = a->dims[i];
    bounds[i] = bounds_a ? bounds_a[i] : TEN_DYNAMIC;
    if (!how(&dims[i], &bounds[i], b->dims[i], bounds_b ? bounds_b[i] : TEN_DYNAMIC)) return NULL;
    changed = changed || dims[i] != a->dims[i] || bounds[i] != (bounds_a ? bounds_a[i] : TEN_DYNAMIC);
  }
  return changed ? ten_make_tensor(m, a->element, a->rank, dims, bounds) : a;
}

const ten_type *ten_types_merge(ten_module *m, const ten_type *a, const ten_type *b) {
  return combine_types(m, a, b, ten_merge_dim, 0);
}
const ten_type *ten_types_widen(ten_module *m, const ten_type *a, const ten_type *b) {
  return combine_types(m, a, b, ten_widen_dim, 0);
}

static uint32_t element_class(const ten_type *element) {
  if (element->kind == TEN_TYPE_QUANT)
    return ten_is_per_tensor(element) ? IS_QUANT : ten_is_per_axis(element) ? IS_QUANT_AXIS : 0;
  if (element->kind != TEN_TYPE_SCALAR || element->dtype == TEN_TF32) return 0;
  if (element->dtype == TEN_INDEX) return IS_INDEX;
  switch (ten_dtype_class(element->dtype)) {
    case TEN_CLASS_BOOL: return element->dtype == TEN_I1 ? IS_PRED : 0;
    case TEN_CLASS_SINT: return IS_SINT;
    case TEN_CLASS_UINT: return IS_UINT;
    case TEN_CLASS_FLOAT: return IS_FLOAT;
    case TEN_CLASS_COMPLEX: return IS_COMPLEX;
  }
  return 0;
}

static bool is_single_bounded(const ten_type *type) {
  const int64_t *bounds = ten_bounds_of(type);
  uint32_t dynamic = 0, bounded = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    dynamic += !ten_dim_known(type->dims[i]);
    bounded += bounds && ten_dim_known(bounds[i]);
  }
  return dynamic == 1 && bounded == 1;
}

static bool tensor_has_class(const ten_type *type, uint32_t class) {
  if (!(element_class(type->element) & class)) return false;
  if (!type->ranked) return (class & MAY_BE_UNRANKED) != 0;
  if ((class & OF_RANK_0) && type->rank != 0) return false;
  if ((class & OF_RANK_1) && type->rank != 1) return false;
  if ((class & OF_RANK_2) && type->rank != 2) return false;
  if ((class & STATIC) && !ten_type_is_static(type)) return false;
  if ((class & STATIC_OR_BOUNDED) && !ten_type_is_static(type) && !is_single_bounded(type)) return false;
  if ((class & ONLY_F32_F64) && type->dtype != TEN_F32 && type->dtype != TEN_F64) return false;
  if ((class & ONLY_I32) && type->dtype != TEN_I32) return false;
  return !(class & ONLY_UI32) || type->dtype == TEN_UI32;
}

static bool tuple_has_class(const ten_type *type, uint32_t class, int depth) {
  for (uint32_t i = 0; i < type->input_count; i++) {
    const ten_type *part = type->inputs[i];
    if (part->kind == TEN_TYPE_TUPLE
            ? depth >= TEN_VERIFY_MAX_DEPTH || !tuple_has_class(part, class, depth + 1)
            : !ten_type_has_class(part, TENSOR_AXIS | IS_TOKEN | IS_BUFFER | (class & MAY_BE_UNRANKED)))
      return false;
  }
  return true;
}

bool ten_type_has_class(const ten_type *type, uint32_t class) {
  if (class & IS_ANYTHING) return true;
  switch (type->kind) {
    case TEN_TYPE_TENSOR: return tensor_has_class(type, class);
    case TEN_TYPE_TOKEN: return (class & IS_TOKEN) != 0;
    case TEN_TYPE_FUTURE: return (class & IS_FUTURE) != 0;
    case TEN_TYPE_BUFFER: return (class & IS_BUFFER) && (element_class(type->element) & TENSOR);
    case TEN_TYPE_TUPLE: return (class & IS_TUPLE) && tuple_has_class(type, class, 0);
    default: return false;
  }
}

const char *ten_class_text(ten_module *m, uint32_t class) {
  ten_buf text = {0};
  const uint32_t kinds = class & (TENSOR_AXIS | IS_INDEX);
  const struct {
    bool is;
    const char *words;
  } words[] = {
      {(kinds & NUMBER) == NUMBER, "numbers"},
      {(kinds & NUMBER) != NUMBER && (kinds & IS_PRED), "booleans"},
      {(kinds & NUMBER) != NUMBER && (kinds & INT) == INT, "integers"},
      {(kinds & NUMBER) != NUMBER && (kinds & INT) == IS_SINT, (class & ONLY_I32) ? "i32" : "signed integers"},
      {(kinds & NUMBER) != NUMBER && (kinds & INT) == IS_UINT, (class & ONLY_UI32) ? "ui32" : "unsigned integers"},
      {(kinds & IS_INDEX) != 0, "index"},
      {(kinds & NUMBER) != NUMBER && (kinds & IS_FLOAT), (class & ONLY_F32_F64) ? "f32 or f64" : "floats"},
      {(kinds & NUMBER) != NUMBER && (kinds & IS_COMPLEX), "complex numbers"},
      {(kinds & IS_QUANT) != 0, (kinds & IS_QUANT_AXIS) ? "quantized numbers" : "per-tensor quantized numbers"},
      {(kinds & (IS_QUANT | IS_QUANT_AXIS)) == IS_QUANT_AXIS, "per-axis quantized numbers"},
  };
  size_t left = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) left += words[i].is;
  if (left) {
    ten_buf_adds(&text, (class & OF_RANK_0)         ? "a scalar tensor"
                        : (class & OF_RANK_1)       ? "a one-dimensional tensor"
                        : (class & OF_RANK_2)       ? "a two-dimensional tensor"
                        : (class & MAY_BE_UNRANKED) ? "a tensor"
                                                    : "a ranked tensor");
    if (class & STATIC) ten_buf_adds(&text, " of static shape");
    if (class & STATIC_OR_BOUNDED) ten_buf_adds(&text, " of static shape (or with one bounded dimension)");
    ten_buf_adds(&text, " of ");
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!words[i].is) continue;
    ten_buf_adds(&text, words[i].words);
    if (--left) ten_buf_adds(&text, left > 1 ? ", " : " or ");
  }
  const struct {
    uint32_t bit;
    const char *words;
  } others[] = {{IS_TOKEN, "a token"}, {IS_TUPLE, "a tuple"}, {IS_BUFFER, "a buffer"}, {IS_FUTURE, "a future"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (class & others[i].bit) ten_buf_printf(&text, "%s%s", text.size ? " or " : "", others[i].words);
  const char *kept = ten_arena_strdup(&m->arena, text.data ? text.data : "", text.size);
  ten_buf_free(&text);
  return kept;
}

static const char *say(ten_module *m, const char *format, ...) TEN_PRINTF(2, 3);
static const char *say(ten_module *m, const char *format, ...) {
  ten_buf text = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  const char *kept = ten_arena_strdup(&m->arena, text.data, text.size);
  ten_buf_free(&text);
  return kept;
}

/* The range of a scale: from the smallest to the largest value of the expressed type. */
static void scale_range(ten_dtype expressed, double *low, double *high) {
  *low = expressed == TEN_F16    ? 0x1p-24
         : expressed == TEN_BF16 ? 0x1p-133
         : expressed == TEN_F32  ? 0x1p-149
                                 : 0x1p-1074;
  *high = expressed == TEN_F16    ? 65504
          : expressed == TEN_BF16 ? 0x1.fep127
          : expressed == TEN_F32  ? 0x1.fffffep127
                                  : 0x1.fffffffffffffp1023;
}

static const char *quant_problem(ten_module *m, const ten_type *type) {
  const ten_quant *q = type->quant;
  const unsigned bits = ten_dtype_bits(q->storage);
  if (!ten_dtype_is_int(q->storage) || q->storage == TEN_INDEX || bits > 32)
    return say(m, "quantized storage is %s, must be an integer of 2 to 32 bits", ten_dtype_name(q->storage));
  if (!ten_dtype_is_float(q->expressed))
    return say(m, "quantized values express %s, must express floats", ten_dtype_name(q->expressed));
  const int64_t low = q->is_signed ? -((int64_t)1 << (bits - 1)) : 0;
  const int64_t high = q->is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
  if (q->storage_min < low || q->storage_max > high || q->storage_min > q->storage_max)
    return say(m, "storage range %lld:%lld does not fit in %s, which is %lld:%lld", (long long)q->storage_min,
               (long long)q->storage_max, ten_dtype_name(q->storage), (long long)low, (long long)high);
  double smallest, largest;
  scale_range(q->expressed, &smallest, &largest);
  for (size_t i = 0; i < q->count; i++) {
    if (!(q->scales[i] >= smallest && q->scales[i] <= largest))
      return say(m, "scale %g is outside of what %s holds, %g to %g", q->scales[i], ten_dtype_name(q->expressed),
                 smallest, largest);
    if (q->zero_points[i] < q->storage_min || q->zero_points[i] > q->storage_max)
      return say(m, "zero point %lld is outside the storage range %lld:%lld", (long long)q->zero_points[i],
                 (long long)q->storage_min, (long long)q->storage_max);
  }
  if (!ten_is_shaped(type) || !type->ranked) return NULL;
  for (uint32_t i = 0; i < q->axis_count; i++) {
    const int64_t axis = q->axes[i];
    if (axis < 0 || axis >= type->rank)
      return say(m, "quantized along dimension %lld, but the rank is %u", (long long)axis, type->rank);
    if (q->axis_count == 1 && !q->block_sizes && ten_dim_known(type->dims[axis]) &&
        (uint64_t)type->dims[axis] != q->count)
      return say(m, "%zu scales for dimension %lld, whose size is %lld", q->count, (long long)axis,
                 (long long)type->dims[axis]);
  }
  return NULL;
}

static const char *shape_problem(ten_module *m, const ten_type *type) {
  for (uint32_t i = 0; i < type->rank; i++)
    if (ten_dim_known(type->dims[i]) && type->dims[i] < 0)
      return say(m, "dimension %u is negative: %lld", i, (long long)type->dims[i]);
  if (type->kind == TEN_TYPE_TENSOR && ten_type_is_static(type) && ten_type_bytes(type) == SIZE_MAX)
    return "has more bytes than 2^63";
  if (type->encoding && type->encoding->kind == TEN_ATTR_STRUCT &&
      type->encoding->record.id == TEN_STRUCT_TYPE_EXTENSIONS) {
    const ten_ints bounds = ten_attr_as_ints(ten_attr_field(type->encoding, "bounds"));
    if (bounds.count != type->rank) return say(m, "has %zu bounds for %u dimensions", bounds.count, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) {
      if (!ten_dim_known(bounds.data[i])) continue;
      if (ten_dim_known(type->dims[i]))
        return say(m, "dimension %u is static and has a bound (%lld)", i, (long long)bounds.data[i]);
      if (bounds.data[i] < 0) return say(m, "bound of dimension %u is negative: %lld", i, (long long)bounds.data[i]);
    }
  }
  return NULL;
}

static const char *problem(ten_module *m, const ten_type *type, int depth) {
  if (depth > TEN_VERIFY_MAX_DEPTH) return "is nested too deep";
  if (type->kind == TEN_TYPE_OPAQUE && ten_str_starts(type->text, "!stablehlo.")) return "StableHLO has no such type";
  if (type->kind == TEN_TYPE_FUTURE)
    for (uint32_t i = 0; i < type->input_count; i++)
      if (type->inputs[i]->kind != TEN_TYPE_TENSOR || !type->inputs[i]->ranked)
        return say(m, "element %u is %s, must be a ranked tensor", i, ten_say_type(m, type->inputs[i]));
  for (uint32_t i = 0; i < type->input_count; i++) {
    const char *inner = problem(m, type->inputs[i], depth + 1);
    if (inner) return inner;
  }
  for (uint32_t i = 0; i < type->result_count; i++) {
    const char *inner = problem(m, type->results[i], depth + 1);
    if (inner) return inner;
  }
  if (ten_is_shaped(type) && type->ranked) {
    const char *inner = shape_problem(m, type);
    if (inner) return inner;
  }
  return type->quant ? quant_problem(m, type) : NULL;
}

const char *ten_type_problem(ten_module *m, const ten_type *type) { return problem(m, type, 0); }

static const char *keep(ten_module *m, ten_buf *text) {
  const char *kept = ten_arena_strdup(&m->arena, text->data ? text->data : "", text->size);
  ten_buf_free(text);
  return kept;
}

const char *ten_say_type(ten_module *m, const ten_type *type) {
  ten_buf text = {0};
  ten_type_print(&text, type);
  return keep(m, &text);
}

const char *ten_say_types(ten_module *m, uint32_t count, const ten_type *const *types) {
  ten_buf text = {0};
  ten_buf_addc(&text, '(');
  for (uint32_t i = 0; i < count; i++) {
    if (i) ten_buf_adds(&text, ", ");
    ten_type_print(&text, types[i]);
  }
  ten_buf_addc(&text, ')');
  return keep(m, &text);
}

const char *ten_say_element(ten_module *m, const ten_type *type) { return ten_say_type(m, element_of(type)); }

const char *ten_say_dim(ten_module *m, int64_t dim) {
  return ten_dim_known(dim) ? say(m, "%lld", (long long)dim) : "?";
}

const char *ten_say_ints(ten_module *m, size_t count, const int64_t *values) {
  enum { SHOWN = 32 };
  ten_buf text = {0};
  ten_buf_addc(&text, '[');
  for (size_t i = 0; i < count && i < SHOWN; i++) {
    if (i) ten_buf_adds(&text, ", ");
    if (ten_dim_known(values[i]))
      ten_buf_printf(&text, "%lld", (long long)values[i]);
    else
      ten_buf_addc(&text, '?');
  }
  if (count > SHOWN) ten_buf_printf(&text, ", … %zu in all", count);
  ten_buf_addc(&text, ']');
  return keep(m, &text);
}

const char *ten_say_shape(ten_module *m, const ten_type *type) { return ten_say_ints(m, type->rank, type->dims); }
