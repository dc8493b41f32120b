/* resize.c: images enlarged or reduced, by nearest neighbours and by linear interpolation. */
#include <math.h>

#include "edge/image.h"
#include "edge/multiplier.h"

/* Nearest neighbours: a gather along one spatial dimension after the other, places ⌊i·in/out⌋. */
static bool nearest(recogniser *r, const ten_op *op, int64_t *out_dim) {
  const ten_gather_dims dims = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_type *x = ten_op_operand(op, 0)->type, *y = op->results[0].type;
  const ten_tensor *places = edge_known(r, ten_op_operand(op, 1));
  if (!places || x->rank != 4 || y->rank != 4 || dims.start_index_map.count != 1 || dims.operand_batching_dims.count ||
      dims.collapsed_slice_dims.count != 1 || dims.collapsed_slice_dims.data[0] != dims.start_index_map.data[0])
    return false;
  const int64_t dim = dims.start_index_map.data[0], in = x->dims[dim], out = y->dims[dim];
  if (places->count != (size_t)out || ten_ints_has(dims.offset_dims, dim)) return false;
  for (uint32_t i = 0; i < 4; i++)
    if (i != dim && x->dims[i] != y->dims[i]) return false;
  for (int64_t i = 0; i < out; i++)
    if (ten_tensor_int(places, (size_t)i) != i * in / out) return false;
  *out_dim = dim;
  return true;
}

ten_status *edge_take_nearest(recogniser *r, ten_op *op) {
  edge_graph *g = r->g;
  int64_t dim, second = -1;
  if (!nearest(r, op, &dim)) return edge_refuse(r, op, "a gather that is no enlargement by nearest neighbours");
  uint32_t tensor = edge_tensor_of(r, ten_op_operand(op, 0), false, op);
  if (tensor == EDGE_NONE) return NULL;
  ten_value *end = &op->results[0];
  ten_op *user = edge_sole_user(end);
  if (user && user->code == TEN_OP_GATHER && nearest(r, user, &second) && second != dim && second >= 2 && dim >= 2) {
    edge_seen(user);
    end = &user->results[0];
  }
  if (dim < 2) return edge_refuse(r, op, "a gather along batch or channels");
  const edge_image image = {.spatial_count = 2, .batch = 0, .spatial = {2, 3}, .channel = 1};
  tensor = edge_to_image(g, tensor, &image, op->loc);
  const edge_tensor t = *edge_get(g, tensor);
  const int64_t size[2] = {end->type->dims[2], end->type->dims[3]}, made[4] = {t.dims[0], size[0], size[1], t.dims[3]};
  const uint32_t output = edge_tensor_add(g, edge_name_of(op), 4, made, NULL);
  edge_node_list(g, edge_node_add(g, EDGE_RESIZE_NEAREST_NEIGHBOR, 1, &tensor, output, op->loc), 2, size);
  edge_at(g, output)->nonnegative = t.nonnegative;
  edge_set(r, end, edge_from_image(g, output, &image, op->loc));
  return NULL;
}

/* How far a weight may be from what LiteRT has: it counts in 1024ths of a pixel. */
static const double near_enough = 1e-3;

/* The weight of pixel `from` in pixel `to`, without a rounding. */
static double linear_weight(int64_t from, int64_t to, int64_t in, int64_t out, bool corners) {
  double at = corners ? out > 1 ? (double)to * (double)(in - 1) / (double)(out - 1) : 0
                      : ((double)to + 0.5) * (double)in / (double)out - 0.5;
  at = fmin(fmax(at, 0), (double)(in - 1));
  return fmax(0, 1 - fabs(at - (double)from));
}

/* A product with a matrix that interpolates along one dimension; the new one comes last. */
typedef struct interpolation {
  int64_t dim, in, out;
  bool half, corners; /* whether that is what the matrix does: with half pixels, with corners aligned */
} interpolation;

static bool find_interpolation(recogniser *r, const ten_op *op, interpolation *found) {
  if (op->code != TEN_OP_DOT_GENERAL) return false;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const uint32_t rank = ten_op_operand(op, 0)->type->rank;
  if (rank < 3 || rank > 4 || dims.lhs_batch.count || dims.lhs_contract.count != 1) return false;
  const ten_tensor *matrix = edge_known(r, ten_op_operand(op, 1));
  if (!matrix || matrix->dtype != TEN_F32 || matrix->rank != 2 || !matrix->count) return false;
  const bool columns = dims.rhs_contract.data[0] == 1;
  *found =
      (interpolation){.dim = dims.lhs_contract.data[0], .in = matrix->dims[columns], .out = matrix->dims[!columns]};
  found->half = edge_linear_fits(found->in, found->out, false);
  found->corners = edge_linear_fits(found->in, found->out, true);
  if (found->in == found->out || (!found->half && !found->corners)) return false;
  for (int64_t to = 0; to < found->out; to++) {
    for (int64_t from = 0; from < found->in; from++) {
      const int64_t at = columns ? to * found->in + from : from * found->out + to;
      const double weight = (double)((const float *)matrix->data)[at];
      found->half &= fabs(weight - linear_weight(from, to, found->in, found->out, false)) <= near_enough;
      found->corners &= fabs(weight - linear_weight(from, to, found->in, found->out, true)) <= near_enough;
    }
    if (!found->half && !found->corners) return false;
  }
  return true;
}

/* What follows an image through products and transposes: dimension i of `end` is dimension dims[i] of the image. */
typedef struct path {
  ten_value *end;
  uint8_t dims[EDGE_RANK];
} path;

static void path_dot(path *p, uint32_t rank, int64_t dim) {
  const uint8_t moved = p->dims[dim];
  for (uint32_t i = (uint32_t)dim; i + 1 < rank; i++) p->dims[i] = p->dims[i + 1];
  p->dims[rank - 1] = moved;
}

static bool path_transpose(path *p, uint32_t rank, ten_op *op) {
  if (op->code != TEN_OP_TRANSPOSE) return false;
  const path before = *p;
  const ten_ints permutation = ten_op_ints(op, "permutation");
  for (uint32_t i = 0; i < rank; i++) p->dims[i] = before.dims[permutation.data[i]];
  return true;
}

/* Through transposes and the product along the other dimension, all of which then count as seen. */
static void follow(recogniser *r, path *p, uint32_t rank, interpolation *both, int64_t *second) {
  for (;;) {
    ten_op *user = edge_sole_user(p->end);
    interpolation next;
    if (!user || ten_op_operand(user, 0) != p->end) return;
    if (!path_transpose(p, rank, user)) {
      const bool other = *second < 0 && rank == 4 && find_interpolation(r, user, &next) &&
                         p->dims[next.dim] != both->dim &&
                         ((both->half && next.half) || (both->corners && next.corners));
      if (!other) return;
      *second = p->dims[next.dim];
      both->half &= next.half, both->corners &= next.corners;
      path_dot(p, rank, next.dim);
    }
    edge_seen(user);
    p->end = &user->results[0];
  }
}

static uint8_t place_in(const path *p, uint32_t rank, uint8_t dim) {
  uint8_t i = 0;
  while (i + 1u < rank && p->dims[i] != dim) i++;
  return i;
}

/* Which dimensions are height and width; where one alone changes, its neighbour among the last two is the other. */
static edge_image image_of(uint32_t rank, int64_t dim, int64_t second) {
  if (second < 0 && rank == 4) second = dim == 3 ? 2 : dim == 2 ? 3 : dim == 1 ? 2 : 1;
  edge_image image = {.spatial_count = rank - 2};
  uint8_t others[EDGE_RANK] = {0};
  uint32_t spatial = 0, other = 0;
  for (uint8_t i = 0; i < rank; i++)
    if (i == dim || i == second)
      image.spatial[spatial++] = i;
    else
      others[other++] = i;
  image.batch = others[0], image.channel = others[1];
  return image;
}

bool edge_take_linear(recogniser *r, ten_op *dot) {
  edge_graph *g = r->g;
  interpolation found;
  if (!find_interpolation(r, dot, &found) || found.dim == 0) return false;
  uint32_t tensor = edge_tensor_of(r, ten_op_operand(dot, 0), false, dot);
  if (tensor == EDGE_NONE) return true;
  const uint32_t rank = ten_op_operand(dot, 0)->type->rank;
  int64_t second = -1;
  path p = {.end = &dot->results[0], .dims = {0, 1, 2, 3}};
  path_dot(&p, rank, found.dim);
  follow(r, &p, rank, &found, &second);
  edge_image image = image_of(rank, found.dim, second);
  tensor = edge_to_image(g, tensor, &image, dot->loc);
  edge_image result = {.spatial_count = image.spatial_count};
  result.batch = place_in(&p, rank, image.batch), result.channel = place_in(&p, rank, image.channel);
  for (uint32_t i = 0; i < image.spatial_count; i++) result.spatial[i] = place_in(&p, rank, image.spatial[i]);
  const edge_tensor t = *edge_get(g, tensor);
  int64_t size[2] = {1, 1}, made[4] = {t.dims[0], 1, 1, t.dims[3]};
  for (uint32_t i = 0; i < image.spatial_count; i++)
    size[i + 2 - image.spatial_count] = p.end->type->dims[result.spatial[i]];
  made[1] = size[0], made[2] = size[1];
  const uint32_t output = edge_tensor_add(g, edge_name_of(dot), 4, made, NULL);
  edge_node *node = edge_node_add(g, EDGE_RESIZE_BILINEAR, 1, &tensor, output, dot->loc);
  edge_node_list(g, node, 2, size);
  node->corners = !found.half;
  edge_at(g, output)->nonnegative = t.nonnegative;
  edge_set(r, p.end, edge_from_image(g, output, &result, dot->loc));
  return true;
}
