/* reduce.c: reductions and their regions; sort and its comparator. */
#include "ir/verify/rules.h"

/* Lossless conversion: the same kind of element, at least as wide. Floats of any width are one kind. */
static bool promotes(const ten_type *from, const ten_type *to) {
  if (!ten_is_shaped(from) || !ten_is_shaped(to)) return false;
  if (!from->quant != !to->quant) return false;
  if (from->quant)
    return from->quant->expressed == to->quant->expressed && ten_dtype_bits(from->dtype) <= ten_dtype_bits(to->dtype);
  if (from->dtype == TEN_INDEX || to->dtype == TEN_INDEX) return from->dtype == to->dtype;
  const bool float_from = ten_dtype_is_float(from->dtype), float_to = ten_dtype_is_float(to->dtype);
  if (float_from || float_to) return float_from && float_to;
  if (ten_dtype_is_complex(from->dtype) != ten_dtype_is_complex(to->dtype)) return false;
  return ten_dtype_bits(from->dtype) <= ten_dtype_bits(to->dtype);
}

static bool same_but_precision(const ten_type *a, const ten_type *b) {
  if (!ten_is_shaped(a) || !ten_is_shaped(b) || !ten_shapes_agree(a, b)) return false;
  if (!a->quant && !b->quant && ten_dtype_is_float(a->dtype) && ten_dtype_is_float(b->dtype)) return true;
  return ten_elements_equal(a, b);
}

/* Whether the argument's shape is the reduced one with some dimensions removed. */
static bool is_subshape(const ten_type *arg, uint32_t rank, const int64_t *dims) {
  if (!arg->ranked || arg->rank > rank) return false;
  uint32_t at = 0;
  for (uint32_t i = 0; i < rank && at < arg->rank; i++)
    if (ten_dims_agree(dims[i], arg->dims[at])) at++;
  return at == arg->rank;
}

ten_status *ten_want_reducer(ten_module *m, const ten_op *op, const ten_reducer *r) {
  const ten_block *body;
  const ten_op *end;
  TEN_TRY(ten_want_body(op, r->region, r->name, &body, &end));
  WANT(body->arg_count == 2 * r->count, "%s takes %u arguments, must take %u: two for each of %u inputs", r->name,
       body->arg_count, 2 * r->count, r->count);
  WANT(end->operand_count == r->count, "%s returns %u values, must return %u: one for each input", r->name,
       end->operand_count, r->count);
  for (uint32_t i = 0; i < r->count; i++) {
    const ten_type *sum = ten_in(end, i), *left = body->args[i]->type, *right = body->args[r->count + i]->type;
    WANT(ten_is_shaped(sum) && sum->kind == TEN_TYPE_TENSOR, "%s returns %s, must return tensors", r->name,
         ten_say_type(m, sum));
    WANT(ten_is_shaped(left) && ten_shapes_agree(sum, left) && ten_elements_equal(sum, left),
         "%s's argument %u is %s, its result %u is %s", r->name, i, ten_say_type(m, left), i, ten_say_type(m, sum));
    WANT(same_but_precision(sum, right), "%s's argument %u is %s, its result %u is %s", r->name, r->count + i,
         ten_say_type(m, right), i, ten_say_type(m, sum));
    WANT(ten_shapes_agree(r->inits[i], sum), "%s's result %u is %s, the initial value is %s: shapes differ", r->name, i,
         ten_say_type(m, sum), ten_say_type(m, r->inits[i]));
    WANT(promotes(r->inits[i], sum), "%s's result %u has elements %s, to which the initial value's %s does not widen",
         r->name, i, ten_say_element(m, sum), ten_say_element(m, r->inits[i]));
    WANT(promotes(r->inputs[i], right), "%s's argument %u has elements %s, to which input %u's %s does not widen",
         r->name, r->count + i, ten_say_element(m, right), i, ten_say_element(m, r->inputs[i]));
    WANT(is_subshape(right, r->rank, r->dims), "%s's argument %u is %s, which is no part of shape %s", r->name,
         r->count + i, ten_say_type(m, right), ten_say_ints(m, r->rank, r->dims));
  }
  return NULL;
}

const ten_type *ten_reducer_element(const ten_op *op, uint32_t region, uint32_t index, const ten_type *otherwise) {
  const ten_block *body = region < op->region_count ? op->regions[region].first : NULL;
  const ten_op *end = body ? body->last : NULL;
  if (!end || end->code != TEN_OP_RETURN || index >= end->operand_count) return otherwise->element;
  const ten_value *value = end->operands[index].value;
  return value && value->type && value->type->kind == TEN_TYPE_TENSOR ? value->type->element : otherwise->element;
}

static const ten_type **operand_types(ten_module *m, const ten_op *op, uint32_t first, uint32_t count) {
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) types[i] = ten_in(op, first + i);
  return types;
}

/* Half of the operands are inputs, half initial values. */
static ten_status *want_halves(ten_module *m, const ten_op *op) {
  WANT(op->operand_count && op->operand_count % 2 == 0, "has %u operands, must have as many initial values as inputs",
       op->operand_count);
  const uint32_t count = op->operand_count / 2;
  for (uint32_t i = 1; i < count; i++)
    WANT(ten_shapes_agree(ten_in(op, 0), ten_in(op, i)), "input 0 is %s, input %u is %s: shapes differ",
         ten_say_type(m, ten_in(op, 0)), i, ten_say_type(m, ten_in(op, i)));
  WANT(op->result_count == count, "has %u results for %u inputs", op->result_count, count);
  return NULL;
}

static void kept_dims(ten_module *m, const ten_type *input, ten_ints reduced, uint32_t *rank, int64_t **dims,
                      int64_t **bounds) {
  const int64_t *own = ten_bounds_of(input);
  *rank = 0;
  *dims = ten_arena_new_array(&m->arena, int64_t, input->rank);
  *bounds = own ? ten_arena_new_array(&m->arena, int64_t, input->rank) : NULL;
  for (uint32_t i = 0; i < input->rank; i++) {
    if (ten_ints_has(reduced, i)) continue;
    if (own) (*bounds)[*rank] = own[i];
    (*dims)[(*rank)++] = input->dims[i];
  }
}

TEN_INFER(reduce) {
  TEN_TRY(want_halves(m, op));
  const ten_type *input = ten_in(op, 0);
  const ten_ints reduced = ten_op_ints(op, "dimensions");
  TEN_TRY(ten_want_in_range(m, op, reduced, input->rank, "dimensions", "input"));
  TEN_TRY(ten_want_unique(m, op, reduced, "dimensions"));
  uint32_t rank;
  int64_t *dims, *bounds;
  kept_dims(m, input, reduced, &rank, &dims, &bounds);
  for (uint32_t i = 0; i < op->result_count; i++)
    out[i] = ten_make_tensor(m, ten_reducer_element(op, 0, i, ten_in(op, i)), rank, dims, bounds);
  return NULL;
}

TEN_VERIFY(reduce) {
  const uint32_t count = op->operand_count / 2;
  uint32_t rank;
  int64_t *dims, *bounds;
  kept_dims(m, ten_in(op, 0), ten_op_ints(op, "dimensions"), &rank, &dims, &bounds);
  const ten_reducer r = {.count = count,
                         .name = "body",
                         .inputs = operand_types(m, op, 0, count),
                         .inits = operand_types(m, op, count, count),
                         .rank = rank,
                         .dims = dims};
  return ten_want_reducer(m, op, &r);
}

static ten_status *window_of(ten_module *m, const ten_op *op, ten_window_dim **window) {
  const ten_ints sizes = ten_op_ints(op, "window_dimensions");
  const uint32_t rank = ten_in(op, 0)->rank;
  WANT(sizes.count == rank, "window_dimensions %s has %zu entries, input %s has rank %u", ten_say_list(m, sizes),
       sizes.count, ten_say_type(m, ten_in(op, 0)), rank);
  ten_ints padding;
  TEN_TRY(ten_want_padding(m, op, rank, &padding));
  return ten_want_window(m, op, rank, sizes.data, "base_dilations", "window_dilations", &padding, window);
}

static ten_status *places_of(ten_module *m, const ten_op *op, const ten_type *input, const ten_window_dim *window,
                             const ten_type *element, const ten_type **out) {
  const int64_t *bounds = ten_bounds_of(input);
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, input->rank);
  int64_t *new_bounds = bounds ? ten_arena_new_array(&m->arena, int64_t, input->rank) : NULL;
  for (uint32_t i = 0; i < input->rank; i++) {
    bool fits = ten_window_places(input->dims[i], &window[i], &dims[i]);
    if (bounds) fits = fits && ten_window_places(bounds[i], &window[i], &new_bounds[i]);
    WANT(fits, "dimension %u, padded and dilated, is larger than 2^63 or smaller than 0", i);
  }
  return *out = ten_make_tensor(m, element, input->rank, dims, new_bounds), NULL;
}

TEN_INFER(reduce_window) {
  TEN_TRY(want_halves(m, op));
  ten_window_dim *window;
  TEN_TRY(window_of(m, op, &window));
  for (uint32_t i = 0; i < op->result_count; i++)
    TEN_TRY(places_of(m, op, ten_in(op, i), window, ten_reducer_element(op, 0, i, ten_in(op, i)), &out[i]));
  return NULL;
}

TEN_VERIFY(reduce_window) {
  const uint32_t count = op->operand_count / 2;
  const ten_ints sizes = ten_op_ints(op, "window_dimensions");
  const ten_reducer r = {.count = count,
                         .name = "body",
                         .inputs = operand_types(m, op, 0, count),
                         .inits = operand_types(m, op, count, count),
                         .rank = (uint32_t)sizes.count,
                         .dims = sizes.data};
  return ten_want_reducer(m, op, &r);
}

TEN_INFER(select_and_scatter) {
  return out[0] = ten_with_element(m, ten_in(op, 0), ten_reducer_element(op, 1, 0, ten_in(op, 0))), NULL;
}

TEN_VERIFY(select_and_scatter) {
  const ten_type *operand = ten_in(op, 0), *source = ten_in(op, 1), *init = ten_in(op, 2);
  const ten_block *body;
  const ten_op *end;
  TEN_TRY(ten_want_body(op, 0, "select", &body, &end));
  WANT(body->arg_count == 2, "select takes %u arguments, must take 2", body->arg_count);
  const ten_type *scalar = ten_make_tensor(m, operand->element, 0, NULL, NULL);
  for (uint32_t i = 0; i < 2; i++)
    WANT(same_but_precision(scalar, body->args[i]->type), "select's argument %u is %s, should be %s", i,
         ten_say_type(m, body->args[i]->type), ten_say_type(m, scalar));
  WANT(end->operand_count == 1, "select returns %u values, must return 1", end->operand_count);
  WANT(ten_type_has_class(ten_in(end, 0), IS_PRED | OF_RANK_0), "select returns %s, must return tensor<i1>",
       ten_say_type(m, ten_in(end, 0)));
  const ten_type *element = ten_make_tensor(m, source->element, 0, NULL, NULL);
  const ten_reducer r = {.region = 1, .count = 1, .name = "scatter", .inputs = &element, .inits = &init};
  TEN_TRY(ten_want_reducer(m, op, &r));
  ten_window_dim *window;
  TEN_TRY(window_of(m, op, &window));
  const ten_type *wanted;
  TEN_TRY(places_of(m, op, operand, window, operand->element, &wanted));
  WANT(same_but_precision(wanted, source), "source is %s, the window has %s places over the operand",
       ten_say_type(m, source), ten_say_type(m, wanted));
  return NULL;
}

TEN_INFER(sort) {
  (void)m;
  WANT(op->operand_count, "has no operands");
  WANT(op->result_count == op->operand_count, "has %u results for %u operands", op->result_count, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) out[i] = ten_in(op, i);
  return NULL;
}

TEN_VERIFY(sort) {
  const int64_t dim = ten_op_int(op, "dimension", -1), rank = ten_in(op, 0)->rank;
  WANT(dim >= -rank && dim < rank, "dimension = %lld, but the operands have rank %lld", (long long)dim,
       (long long)rank);
  const ten_block *body;
  const ten_op *end;
  TEN_TRY(ten_want_body(op, 0, "comparator", &body, &end));
  WANT(body->arg_count == 2 * op->operand_count, "comparator takes %u arguments, must take %u: two for each operand",
       body->arg_count, 2 * op->operand_count);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    const ten_type *wanted = ten_make_tensor(m, ten_in(op, i / 2)->element, 0, NULL, NULL);
    WANT(ten_type_equal(body->args[i]->type, wanted), "comparator's argument %u is %s, should be %s", i,
         ten_say_type(m, body->args[i]->type), ten_say_type(m, wanted));
  }
  WANT(end->operand_count == 1, "comparator returns %u values, must return 1", end->operand_count);
  WANT(ten_type_has_class(ten_in(end, 0), IS_PRED | OF_RANK_0), "comparator returns %s, must return tensor<i1>",
       ten_say_type(m, ten_in(end, 0)));
  return NULL;
}
