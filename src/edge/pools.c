/* pools.c: means, pooling over windows, and softmax. */
#include <math.h>
#include <stdlib.h>

#include "edge/image.h"

/* The binary op that a region applies to its two arguments, or TEN_OP_UNKNOWN. */
static ten_opcode region_code(const ten_op *op) {
  const ten_block *body = op->region_count == 1 ? ten_op_body(op, 0) : NULL;
  if (!body || body->arg_count != 2 || !body->first || body->first->next != body->last) return TEN_OP_UNKNOWN;
  const ten_op *inner = body->first;
  const bool plain = inner->operand_count == 2 && inner->result_count == 1 && body->last->operand_count == 1 &&
                     ten_op_operand(body->last, 0) == &inner->results[0];
  if (!plain) return TEN_OP_UNKNOWN;
  const ten_value *a = ten_op_operand(inner, 0), *b = ten_op_operand(inner, 1);
  const bool both = (a == body->args[0] && b == body->args[1]) || (a == body->args[1] && b == body->args[0]);
  return both ? inner->code : TEN_OP_UNKNOWN;
}

/* The op after a sum that divides it by `count`, or NULL. */
static ten_op *division(recogniser *r, const ten_value *sum, double count) {
  ten_op *user = edge_sole_user(sum);
  double by;
  if (!user || (user->code != TEN_OP_DIVIDE && user->code != TEN_OP_MULTIPLY)) return NULL;
  const bool second = ten_op_operand(user, 1) == sum;
  if ((second && user->code == TEN_OP_DIVIDE) || !edge_number_of(r, ten_op_operand(user, !second), &by)) return NULL;
  const double wanted = user->code == TEN_OP_DIVIDE ? count : 1 / count;
  return fabs(by - wanted) <= 1e-6 * wanted ? user : NULL;
}

/* A mean: a sum, perhaps with the summed dimensions back as ones, divided by how many there were. */
ten_status *edge_take_reduce(recogniser *r, ten_op *op) {
  edge_graph *g = r->g;
  const ten_value *x = ten_op_operand(op, 0);
  const ten_ints dims = ten_op_ints(op, "dimensions");
  double init, count = 1;
  if (op->result_count != 1 || region_code(op) != TEN_OP_ADD || !edge_number_of(r, ten_op_operand(op, 1), &init) ||
      init != 0)
    return edge_refuse(r, op, "a reduction that is no mean");
  for (size_t i = 0; i < dims.count; i++) count *= (double)x->type->dims[dims.data[i]];
  ten_value *sum = &op->results[0];
  ten_op *user = edge_sole_user(sum);
  ten_value *kept = user && user->code == TEN_OP_RESHAPE ? &user->results[0] : NULL;
  for (uint32_t i = 0; kept && i < x->type->rank; i++)
    if (kept->type->rank != x->type->rank || kept->type->dims[i] != (ten_ints_has(dims, i) ? 1 : x->type->dims[i]))
      kept = NULL;
  ten_op *divide = division(r, kept ? kept : sum, count);
  if (!divide) return edge_refuse(r, op, "a sum that is no mean");
  const uint32_t tensor = edge_tensor_of(r, x, false, op);
  if (tensor == EDGE_NONE) return NULL;
  if (kept) edge_seen(user);
  edge_seen(divide);
  const edge_tensor t = *edge_get(g, tensor);
  int64_t made[EDGE_RANK], axes[EDGE_RANK];
  uint8_t order[EDGE_RANK];
  uint32_t rank = 0, axis_count = 0;
  for (uint32_t i = 0; i < t.rank; i++) {
    const bool gone = ten_ints_has(dims, t.order[i]);
    if (gone) axes[axis_count++] = i;
    if (gone && !kept) continue;
    uint8_t to = t.order[i];
    for (size_t k = 0; k < dims.count && !kept; k++) to = (uint8_t)(to - (dims.data[k] < t.order[i]));
    order[rank] = to, made[rank++] = gone ? 1 : t.dims[i];
  }
  const uint32_t output = edge_tensor_add(g, edge_name_of(op), rank, made, order);
  edge_node *node = edge_node_add(g, EDGE_MEAN, 1, &tensor, output, op->loc);
  node->keep = kept != NULL;
  edge_node_list(g, node, axis_count, axes);
  edge_at(g, output)->nonnegative = t.nonnegative;
  edge_set(r, &divide->results[0], output);
  return NULL;
}

/* The dimensions that a window slides over are the spatial ones: those in the middle of how the tensor is stored, or
 * the last ones of [batch, channels, …]. */
static bool window_image(const edge_tensor *t, const ten_window *w, edge_image *image) {
  if (t->rank < 3 || t->rank > 4) return false;
  *image = (edge_image){.spatial_count = t->rank - 2, .batch = t->order[0], .channel = t->order[t->rank - 1]};
  for (int attempt = 0; attempt < 2; attempt++) {
    for (uint32_t i = 0; i < image->spatial_count; i++)
      image->spatial[i] = attempt ? (uint8_t)(i + 2) : t->order[i + 1];
    if (attempt) image->batch = 0, image->channel = 1;
    if (w->size[image->batch] == 1 && w->size[image->channel] == 1) return true;
  }
  return false;
}

static const char *window_read(const ten_type *x, const ten_type *y, const ten_window *window, const edge_image *image,
                               edge_window *w) {
  *w = (edge_window){.in = {1, 1}, .size = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .out = {1, 1}};
  for (uint32_t i = 0; i < x->rank; i++)
    if (window->base_dilation[i] != 1 || window->dilation[i] != 1) return "a dilated window";
  for (uint32_t i = 0; i < image->spatial_count; i++) {
    const uint32_t to = i + 2 - image->spatial_count, dim = image->spatial[i];
    w->in[to] = x->dims[dim], w->out[to] = y->dims[dim];
    w->size[to] = window->size[dim], w->stride[to] = window->strides[dim], w->low[to] = window->padding[2 * dim];
  }
  const uint32_t others[] = {image->batch, image->channel};
  for (uint32_t i = 0; i < 2; i++)
    if (window->strides[others[i]] != 1 || window->padding[2 * others[i]] || window->padding[2 * others[i] + 1])
      return "a window over batch or channels";
  return edge_window_problem(w);
}

ten_status *edge_take_window(recogniser *r, ten_op *op) {
  edge_graph *g = r->g;
  const ten_value *x = ten_op_operand(op, 0);
  const ten_opcode code = op->result_count == 1 ? region_code(op) : TEN_OP_UNKNOWN;
  double init;
  if ((code != TEN_OP_ADD && code != TEN_OP_MAXIMUM) ||
      !edge_number_of(r, ten_op_operand(op, op->operand_count - 1), &init))
    return edge_refuse(r, op, "windows that are neither averaged nor searched for their maximum");
  uint32_t tensor = edge_tensor_of(r, x, false, op);
  if (tensor == EDGE_NONE) return NULL;
  const ten_window window = ten_op_window(r->module, op);
  edge_image image;
  edge_window w;
  if (!window_image(edge_get(g, tensor), &window, &image))
    return edge_refuse(r, op, "windows over other dimensions than an image's");
  const char *problem = window_read(x->type, op->results[0].type, &window, &image, &w);
  if (problem) return edge_refuse(r, op, "%s", problem);
  const bool average = code == TEN_OP_ADD;
  ten_op *divide = average ? division(r, &op->results[0], (double)(w.size[0] * w.size[1])) : NULL;
  if (average && (!divide || init != 0))
    return edge_refuse(r, op, "sums that are not divided by the size of the window");
  if (!average && init > -1e30) return edge_refuse(r, op, "a maximum with a lower bound");
  const bool nonnegative = edge_get(g, tensor)->nonnegative;
  tensor = edge_to_image(g, tensor, &image, op->loc);
  const int64_t batch = edge_get(g, tensor)->dims[0], channels = edge_get(g, tensor)->dims[3];
  /* TFLite leaves what is padded out of an average, a program that divides by the whole window does not. */
  const bool same = edge_pad_image(g, &tensor, &w, nonnegative || average ? EDGE_PAD : EDGE_PADV2, !average, op->loc);
  const uint32_t output = edge_image_new(g, edge_name_of(op), batch, &w, channels);
  edge_node *node = edge_node_add(g, average ? EDGE_AVERAGE_POOL_2D : EDGE_MAX_POOL_2D, 1, &tensor, output, op->loc);
  node->same = same;
  memcpy(node->stride, w.stride, sizeof w.stride);
  memcpy(node->window, w.size, sizeof w.size);
  edge_at(g, output)->nonnegative = nonnegative;
  if (divide) edge_seen(divide);
  edge_set(r, divide ? &divide->results[0] : &op->results[0], edge_from_image(g, output, &image, op->loc));
  return NULL;
}

/* What a broadcast or a reshape of a reduction over one dimension comes from; NULL: something else. */
static ten_op *reduced(const ten_value *value, ten_opcode code, int64_t *dim) {
  ten_op *op = value->op;
  while (op && (op->code == TEN_OP_BROADCAST_IN_DIM || op->code == TEN_OP_RESHAPE)) op = ten_op_operand(op, 0)->op;
  if (!op || op->code != TEN_OP_REDUCE || op->result_count != 1 || region_code(op) != code) return NULL;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  if (dims.count != 1 || (*dim >= 0 && dims.data[0] != *dim)) return NULL;
  *dim = dims.data[0];
  return op;
}

static void seen_to(const ten_value *value, const ten_op *end) {
  for (ten_op *op = value->op; op && op != end; op = ten_op_operand(op, 0)->op) edge_seen(op);
}

/* exp(x - max) / sum(exp(x - max)), all along one dimension. */
bool edge_find_softmax(recogniser *r, ten_op *divide, ten_value **out_x, int64_t *out_dim) {
  (void)r;
  if (divide->code != TEN_OP_DIVIDE) return false;
  ten_op *exps = ten_op_operand(divide, 0)->op, *shift;
  int64_t dim = -1;
  ten_op *sum = reduced(ten_op_operand(divide, 1), TEN_OP_ADD, &dim);
  if (!exps || exps->code != TEN_OP_EXPONENTIAL || !sum || ten_op_operand(sum, 0) != &exps->results[0]) return false;
  shift = ten_op_operand(exps, 0)->op;
  if (!shift || shift->code != TEN_OP_SUBTRACT) return false;
  ten_op *top = reduced(ten_op_operand(shift, 1), TEN_OP_MAXIMUM, &dim);
  ten_value *x = ten_op_operand(shift, 0);
  if (!top || ten_op_operand(top, 0) != x) return false;
  seen_to(ten_op_operand(divide, 1), sum);
  seen_to(ten_op_operand(shift, 1), top);
  edge_seen(exps), edge_seen(sum), edge_seen(shift), edge_seen(top);
  *out_x = x;
  *out_dim = dim;
  return true;
}

ten_status *edge_take_softmax(recogniser *r, ten_op *divide, ten_value *x, int64_t dim) {
  uint32_t tensor = edge_tensor_of(r, x, false, divide);
  if (tensor == EDGE_NONE) return NULL;
  const edge_tensor before = *edge_get(r->g, tensor);
  uint8_t order[EDGE_RANK];
  uint32_t count = 0;
  for (uint32_t i = 0; i < before.rank; i++)
    if (before.order[i] != dim) order[count++] = before.order[i];
  order[count] = (uint8_t)dim;
  tensor = edge_arrange(r->g, tensor, order, divide->loc);
  const edge_tensor t = *edge_get(r->g, tensor);
  const uint32_t output = edge_tensor_add(r->g, edge_name_of(divide), t.rank, t.dims, t.order);
  edge_node_add(r->g, EDGE_SOFTMAX, 1, &tensor, output, divide->loc);
  edge_at(r->g, output)->fixed = edge_at(r->g, output)->nonnegative = true;
  edge_set(r, &divide->results[0], output);
  return NULL;
}
