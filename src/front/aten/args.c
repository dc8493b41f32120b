/* args.c: the arguments of the current op. An argument is an attribute named as in PyTorch's schema; `k : index` is
 * operand k. */
#include "front/aten/lower.h"

#include <stdio.h>

#include "value/fold.h"

static const ten_attr *arg_attr(at *l, const char *name) {
  const ten_attr *attr = ten_op_attr(l->op, name);
  return attr && attr->kind != TEN_ATTR_UNIT ? attr : NULL;
}

bool at_has(at *l, const char *name) { return arg_attr(l, name) != NULL; }

static at_ref ref_of(at *l, const ten_attr *attr) {
  if (!attr || attr->kind == TEN_ATTR_UNIT) return (at_ref){0};
  if (attr->kind == TEN_ATTR_FLOAT) return (at_ref){.kind = AT_FLOAT, .f = attr->real.value, .i = (int64_t)0};
  if (attr->kind == TEN_ATTR_INT) {
    const ten_dtype dtype = attr->integer.type->dtype;
    const int64_t value = attr->integer.value;
    if (dtype == TEN_INDEX) {
      at_check(l, value >= 0 && (uint64_t)value < l->op->operand_count, "no operand %lld", (long long)value);
      return l->refs[ten_op_operand(l->op, (uint32_t)value)->number];
    }
    return (at_ref){.kind = dtype == TEN_I1 ? AT_BOOL : AT_INT, .i = value, .f = (double)value};
  }
  /* A complex number is stored as its two parts; lists are not read here. */
  if (attr->kind == TEN_ATTR_ARRAY && attr->array.count == 2 && attr->array.items[0]->kind == TEN_ATTR_FLOAT &&
      attr->array.items[1]->kind == TEN_ATTR_FLOAT)
    return (at_ref){
        .kind = AT_COMPLEX, .f = attr->array.items[0]->real.value, .imag = attr->array.items[1]->real.value};
  return (at_ref){0};
}

at_ref at_arg(at *l, const char *name) { return ref_of(l, arg_attr(l, name)); }

at_tensor *at_alias(at *l, const char *name) { return at_arg(l, name).tensor; }

ten_value *at_topt(at *l, const char *name) {
  const at_ref ref = at_arg(l, name);
  if (ref.kind == AT_NONE) return NULL;
  if (ref.kind == AT_TENSOR) return at_read(l, ref.tensor);
  if (ref.kind == AT_COMPLEX) return at_ref_value(l, ref, TEN_C64);
  return at_ref_value(l, ref, ref.kind == AT_BOOL ? TEN_I1 : ref.kind == AT_INT ? TEN_I64 : TEN_F32);
}

ten_value *at_t(at *l, const char *name) {
  ten_value *value = at_topt(l, name);
  if (!value) at_fail(l, TEN_INVALID, "argument '%s' is missing", name);
  return value;
}

size_t at_ts(at *l, const char *name, ten_value ***out) {
  const size_t count = at_ts_opt(l, name, out);
  for (size_t i = 0; i < count; i++) at_check(l, (*out)[i], "item %zu of '%s' is not a tensor", i, name);
  return count;
}

size_t at_ts_opt(at *l, const char *name, ten_value ***out) {
  const ten_attr *attr = arg_attr(l, name);
  *out = NULL;
  if (!attr) return 0;
  const size_t count = attr->kind == TEN_ATTR_ARRAY ? attr->array.count : 1;
  *out = at_new_array(l, ten_value *, count + 1);
  for (size_t i = 0; i < count; i++) {
    const at_ref ref = ref_of(l, attr->kind == TEN_ATTR_ARRAY ? attr->array.items[i] : attr);
    if (ref.kind == AT_TENSOR)
      (*out)[i] = at_read(l, ref.tensor);
    else if (ref.kind != AT_NONE)
      (*out)[i] = at_ref_value(l, ref, ref.kind == AT_INT ? TEN_I64 : ref.kind == AT_BOOL ? TEN_I1 : TEN_F32);
  }
  return count;
}

const ten_attr *at_known(at *l, ten_value *value) {
  const ten_attr *known = ten_fold_value(l->b.module, value);
  return known && known->dense.data ? known : NULL;
}

static int64_t ask_argument(at *l, ten_value *value, const char *name) {
  char what[64];
  snprintf(what, sizeof what, "'%s'", name);
  return at_ask(l, value, what);
}

static int64_t ref_int(at *l, at_ref ref, const char *name) {
  if (ref.value) return ask_argument(l, ref.value, name);
  if (ref.kind == AT_INT || ref.kind == AT_BOOL) return ref.i;
  if (ref.kind == AT_FLOAT && ref.f >= -9.2e18 && ref.f <= 9.2e18) return (int64_t)ref.f;
  if (ref.kind == AT_TENSOR) {
    ten_value *value = at_read(l, ref.tensor);
    at_check(l, at_count(value) == 1 && ten_dtype_is_int(at_type(value)), "argument '%s' is not one integer", name);
    return ask_argument(l, value, name);
  }
  at_fail(l, TEN_INVALID, "argument '%s' is not an integer", name);
}

int64_t at_int_any(at *l, const char *name, int64_t otherwise) {
  const at_ref ref = at_arg(l, name);
  return ref.kind == AT_NONE ? otherwise : ref_int(l, ref, name);
}

int64_t at_int(at *l, const char *name, int64_t otherwise) {
  const int64_t value = at_int_any(l, name, otherwise);
  at_check(l, value >= -TEN_BUILD_COUNT_MAX && value <= TEN_BUILD_COUNT_MAX, "'%s' is %lld; the limit is %lld", name,
           (long long)value, (long long)TEN_BUILD_COUNT_MAX);
  return value;
}

static double ref_float(at *l, at_ref ref, const char *name) {
  if (ref.value) at_fail(l, TEN_UNSUPPORTED, "'%s' depends on data", name);
  if (ref.kind == AT_FLOAT) return ref.f;
  if (ref.kind == AT_INT || ref.kind == AT_BOOL) return (double)ref.i;
  at_fail(l, TEN_INVALID, "argument '%s' is not a number", name);
}

double at_float(at *l, const char *name, double otherwise) {
  const at_ref ref = at_arg(l, name);
  return ref.kind == AT_NONE ? otherwise : ref_float(l, ref, name);
}

bool at_bool(at *l, const char *name, bool otherwise) {
  const at_ref ref = at_arg(l, name);
  return ref.kind == AT_NONE ? otherwise : ref_int(l, ref, name) != 0;
}

/* Lists are sizes, steps, amounts and dimensions: none exceeds the size of a tensor, and sums of them fit. */
static ten_ints list_checked(at *l, const char *name, ten_ints list) {
  for (size_t i = 0; i < list.count; i++)
    at_check(l, list.data[i] >= -TEN_BUILD_COUNT_MAX && list.data[i] <= TEN_BUILD_COUNT_MAX,
             "item %zu of '%s' is %lld; the limit is %lld", i, name, (long long)list.data[i],
             (long long)TEN_BUILD_COUNT_MAX);
  return list;
}

ten_ints at_ints(at *l, const char *name) {
  const ten_attr *attr = arg_attr(l, name);
  if (!attr) return (ten_ints){NULL, 0};
  if (attr->kind == TEN_ATTR_LIST && attr->list.dtype == TEN_I64) return list_checked(l, name, ten_attr_as_ints(attr));
  const size_t count = attr->kind == TEN_ATTR_ARRAY ? attr->array.count : 1;
  int64_t *values = at_new_array(l, int64_t, count + 1);
  for (size_t i = 0; i < count; i++)
    values[i] = ref_int(l, ref_of(l, attr->kind == TEN_ATTR_ARRAY ? attr->array.items[i] : attr), name);
  return list_checked(l, name, (ten_ints){values, count});
}

size_t at_floats(at *l, const char *name, double **out) {
  const ten_attr *attr = arg_attr(l, name);
  *out = NULL;
  if (!attr) return 0;
  const size_t count = attr->kind == TEN_ATTR_ARRAY  ? attr->array.count
                       : attr->kind == TEN_ATTR_LIST ? attr->list.count
                                                     : 1;
  *out = at_new_array(l, double, count + 1);
  for (size_t i = 0; i < count; i++) {
    if (attr->kind == TEN_ATTR_LIST)
      (*out)[i] = (double)at_item(l, ten_attr_as_ints(attr), i);
    else
      (*out)[i] = ref_float(l, ref_of(l, attr->kind == TEN_ATTR_ARRAY ? attr->array.items[i] : attr), name);
  }
  return count;
}

ten_dtype at_dtype(at *l, const char *name, ten_dtype otherwise) {
  const ten_attr *attr = arg_attr(l, name);
  return attr && attr->kind == TEN_ATTR_TYPE ? attr->type->dtype : otherwise;
}

ten_str at_string(at *l, const char *name) { return ten_attr_as_string(arg_attr(l, name)); }

void at_window(at *l, const char *name, uint32_t rank, int64_t otherwise, int64_t *out) {
  const ten_ints list = at_ints(l, name);
  at_check(l, list.count <= 1 || list.count == rank, "'%s' has %zu numbers for %u dimensions", name, list.count, rank);
  for (uint32_t i = 0; i < rank; i++) out[i] = !list.count ? otherwise : list.count == 1 ? list.data[0] : list.data[i];
  for (uint32_t i = 0; i < rank; i++) /* products of two of them fit */
    at_check(l, out[i] >= INT32_MIN && out[i] <= INT32_MAX, "'%s' has %lld; the limit is %d", name, (long long)out[i],
             INT32_MAX);
}

const ten_type *at_declared(at *l, uint32_t index) {
  if (index >= l->op->result_count) return NULL;
  const ten_type *type = l->op->results[index].type;
  return type->kind == TEN_TYPE_TENSOR ? type : NULL;
}

int64_t at_wrap(at *l, int64_t dim, uint32_t rank) {
  const int64_t size = rank ? rank : 1;
  at_check(l, dim >= -size && dim < size, "dimension %lld of %u", (long long)dim, rank);
  return dim < 0 ? dim + size : dim;
}

int64_t at_dim_arg(at *l, const char *name, int64_t otherwise, uint32_t rank) {
  return at_wrap(l, at_int_any(l, name, otherwise), rank);
}

uint32_t at_dims_arg(at *l, const char *name, uint32_t rank, int64_t *out) {
  const ten_ints list = at_ints(l, name);
  bool seen[AT_DIMS] = {0};
  for (size_t i = 0; i < list.count; i++) {
    const int64_t dim = at_wrap(l, list.data[i], rank);
    if (rank) seen[dim] = true;
  }
  uint32_t count = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (seen[d] || !list.count) out[count++] = d;
  return count;
}
