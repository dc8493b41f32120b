/* window.c: sliding windows: sizes, strides, padding, dilations, reversal. */
#include "ir/verify/rules.h"

/* dynamic_conv programs in practice have longer lists; excess entries are harmless while the window is
 * unknown. */
static bool may_be_longer(const ten_op *op) {
  return op->code == TEN_OP_DYNAMIC_CONV && !ten_value_constant(ten_op_operand(op, 2));
}

static ten_status *want_list(const ten_op *op, const char *name, uint32_t rank, ten_ints *out) {
  *out = ten_op_ints(op, name);
  WANT(!out->count || out->count == rank || (out->count > rank && may_be_longer(op)),
       "%s has %zu entries, the window has %u dimensions", name, out->count, rank);
  return NULL;
}

ten_status *ten_want_padding(ten_module *m, const ten_op *op, uint32_t rank, ten_ints *out) {
  *out = (ten_ints){0};
  const ten_attr *attr = ten_op_attr(op, "padding");
  if (!attr) return NULL;
  const ten_type *type = attr->dense.type;
  WANT(type && type->rank == 2 && type->dims[1] == 2, "padding is %s, must be pairs: shape [n, 2]",
       type ? ten_say_type(m, type) : "missing");
  WANT(type->dtype == TEN_I64 && ten_dense_ints(m, attr, out), "padding is %s, must be a constant of i64",
       ten_say_type(m, type));
  WANT(!out->count || out->count == 2 * (size_t)rank, "padding has %zu pairs, the window has %u dimensions",
       out->count / 2, rank);
  return NULL;
}

ten_status *ten_want_window(ten_module *m, const ten_op *op, uint32_t rank, const int64_t *sizes,
                            const char *base_dilation, const char *dilation, const ten_ints *padding,
                            ten_window_dim **out) {
  ten_ints strides, bases, dilations;
  TEN_TRY(want_list(op, "window_strides", rank, &strides));
  TEN_TRY(want_list(op, base_dilation, rank, &bases));
  TEN_TRY(want_list(op, dilation, rank, &dilations));
  const ten_attr *reversal = ten_op_attr(op, "window_reversal");
  if (reversal && reversal->kind == TEN_ATTR_LIST)
    WANT(!reversal->list.count || reversal->list.count == rank,
         "window_reversal has %zu entries, the window has %u dimensions", reversal->list.count, rank);
  ten_window_dim *window = ten_arena_new_array(&m->arena, ten_window_dim, rank);
  for (uint32_t i = 0; i < rank; i++) {
    ten_window_dim *dim = &window[i];
    *dim = (ten_window_dim){.size = sizes[i],
                            .stride = strides.count ? strides.data[i] : 1,
                            .low = padding->count ? padding->data[2 * i] : 0,
                            .high = padding->count ? padding->data[2 * i + 1] : 0,
                            .base_dilation = bases.count ? bases.data[i] : 1,
                            .dilation = dilations.count ? dilations.data[i] : 1};
    WANT(!ten_dim_known(dim->size) || dim->size > 0, "window dimension %u has size %lld, must be positive", i,
         (long long)dim->size);
    WANT(dim->stride > 0, "window_strides[%u] = %lld, must be positive", i, (long long)dim->stride);
    WANT(dim->base_dilation > 0, "%s[%u] = %lld, must be positive", base_dilation, i, (long long)dim->base_dilation);
    WANT(dim->dilation > 0, "%s[%u] = %lld, must be positive", dilation, i, (long long)dim->dilation);
  }
  return *out = window, NULL;
}
