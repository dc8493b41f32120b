/* optimizer.c: PyTorch's update rules, term by term, so that a step gives the same result. Scalars are computed in f32
 * and broadcast to the parameter, which fuses into one pass over parameter, gradient and state. */
#include "transform/grad/optimizer.h"

#include <math.h>

enum { RANK_MAX = 64 };

static ten_value *binary(const ten_update *u, ten_opcode code, ten_value *x, ten_value *y) {
  return ten_build_binary(u->b, code, x, y);
}
static ten_value *add(const ten_update *u, ten_value *x, ten_value *y) { return binary(u, TEN_OP_ADD, x, y); }
static ten_value *sub(const ten_update *u, ten_value *x, ten_value *y) { return binary(u, TEN_OP_SUBTRACT, x, y); }
static ten_value *mul(const ten_update *u, ten_value *x, ten_value *y) { return binary(u, TEN_OP_MULTIPLY, x, y); }
static ten_value *divide(const ten_update *u, ten_value *x, ten_value *y) { return binary(u, TEN_OP_DIVIDE, x, y); }
static ten_value *most(const ten_update *u, ten_value *x, ten_value *y) { return binary(u, TEN_OP_MAXIMUM, x, y); }
static ten_value *number(const ten_update *u, ten_value *like, double value) {
  return ten_build_like(u->b, like, value);
}
static ten_value *root(const ten_update *u, ten_value *x) { return ten_build_unary(u->b, TEN_OP_SQRT, x); }

/* An f32 scalar in the type of `like`. */
static ten_value *spread(const ten_update *u, ten_value *scalar, ten_value *like) {
  ten_value *converted = ten_build_convert(u->b, scalar, like->type->dtype);
  return ten_build_broadcast_to(u->b, converted, like->type->rank, like->type->dims);
}

static ten_value *scaled(const ten_update *u, ten_value *x, double factor) { return mul(u, x, number(u, x, factor)); }

static ten_value *sum_all(const ten_update *u, ten_value *x) {
  int64_t dims[RANK_MAX];
  for (uint32_t i = 0; i < x->type->rank; i++) dims[i] = i;
  return x->type->rank
             ? ten_build_reduce(u->b, TEN_OP_ADD, x, ten_build_scalar(u->b, x->type->dtype, 0), x->type->rank, dims)
             : x;
}

/* 1 - beta^step, a scalar. */
static ten_value *correction(const ten_update *u, double beta) {
  ten_value *power = ten_build_binary(u->b, TEN_OP_POWER, number(u, u->step, beta), u->step);
  return sub(u, number(u, u->step, 1), power);
}

static ten_value *decayed(const ten_update *u, ten_value *p) { /* p·(1 - lr·weight_decay) */
  if (u->options->weight_decay == 0) return p;
  ten_value *keep = sub(u, number(u, u->lr, 1), scaled(u, u->lr, u->options->weight_decay));
  return mul(u, p, spread(u, keep, p));
}

static ten_value *sgd(const ten_update *u, ten_value *p, ten_value *g, ten_value **slots) {
  const ten_train_options *o = u->options;
  if (o->weight_decay != 0) g = add(u, g, scaled(u, p, o->weight_decay));
  if (o->optimizer == TEN_OPTIMIZER_MOMENTUM) {
    ten_value *next = add(u, scaled(u, slots[0], o->momentum), scaled(u, g, 1 - o->dampening));
    if (o->dampening != 0) { /* the first gradient is not damped */
      ten_value *first = ten_build_compare(u->b, TEN_LE, u->step, number(u, u->step, 1));
      next = ten_build_select(u->b, first, g, next);
    }
    slots[0] = next;
    g = o->nesterov ? add(u, g, scaled(u, next, o->momentum)) : next;
  }
  return sub(u, p, mul(u, spread(u, u->lr, p), g));
}

static void moments(const ten_update *u, ten_value *g, ten_value **slots) {
  const ten_train_options *o = u->options;
  slots[0] = add(u, scaled(u, slots[0], o->beta1), scaled(u, g, 1 - o->beta1));
  slots[1] = add(u, scaled(u, slots[1], o->beta2), scaled(u, mul(u, g, g), 1 - o->beta2));
}

static ten_value *adam(const ten_update *u, ten_value *p, ten_value *g, ten_value **slots) {
  const ten_train_options *o = u->options;
  if (o->optimizer == TEN_OPTIMIZER_ADAMW)
    p = decayed(u, p);
  else if (o->weight_decay != 0)
    g = add(u, g, scaled(u, p, o->weight_decay));
  moments(u, g, slots);
  ten_value *rate = divide(u, u->lr, correction(u, o->beta1)), *scale = root(u, correction(u, o->beta2));
  scale = divide(u, number(u, scale, 1), scale); /* one division fewer per element */
  ten_value *bottom = add(u, mul(u, root(u, slots[1]), spread(u, scale, p)), number(u, p, o->epsilon));
  return sub(u, p, mul(u, spread(u, rate, p), divide(u, slots[0], bottom)));
}

static ten_value *lamb(const ten_update *u, ten_value *p, ten_value *g, ten_value **slots) {
  const ten_train_options *o = u->options;
  moments(u, g, slots);
  ten_value *m = divide(u, slots[0], spread(u, correction(u, o->beta1), p)),
            *v = divide(u, slots[1], spread(u, correction(u, o->beta2), p));
  ten_value *r = divide(u, m, add(u, root(u, v), number(u, v, o->epsilon)));
  if (o->weight_decay != 0) r = add(u, r, scaled(u, p, o->weight_decay));
  ten_value *p_norm = root(u, sum_all(u, mul(u, p, p))), *r_norm = root(u, sum_all(u, mul(u, r, r)));
  ten_value *zero = number(u, p_norm, 0), *one = number(u, p_norm, 1);
  ten_value *both = ten_build_binary(u->b, TEN_OP_AND, ten_build_compare(u->b, TEN_GT, p_norm, zero),
                                     ten_build_compare(u->b, TEN_GT, r_norm, zero));
  ten_value *trust = ten_build_select(u->b, both, divide(u, p_norm, ten_build_select(u->b, both, r_norm, one)), one);
  ten_value *rate = mul(u, ten_build_convert(u->b, u->lr, p->type->dtype), trust);
  return sub(u, p, mul(u, spread(u, rate, p), r));
}

/* The mean over one dimension, which stays with size 1. */
static ten_value *mean_dim(const ten_update *u, ten_value *x, int64_t dim) {
  int64_t dims[RANK_MAX];
  ten_value *sum = ten_build_reduce(u->b, TEN_OP_ADD, x, ten_build_scalar(u->b, x->type->dtype, 0), 1, &dim);
  for (uint32_t i = 0; i < x->type->rank; i++) dims[i] = i == dim ? 1 : x->type->dims[i];
  return scaled(u, ten_build_reshape(u->b, sum, x->type->rank, dims), 1.0 / (double)x->type->dims[dim]);
}

static ten_value *widened(const ten_update *u, ten_value *x, const ten_type *to) {
  return ten_build_broadcast_to(u->b, x, to->rank, to->dims);
}

static ten_value *lerp(const ten_update *u, ten_value *from, ten_value *to, ten_value *weight) {
  return add(u, from, mul(u, spread(u, weight, from), sub(u, to, from)));
}

static ten_value *rms(const ten_update *u, ten_value *x) {
  return scaled(u, root(u, sum_all(u, mul(u, x, x))), 1 / sqrt((double)ten_type_count(x->type)));
}

static ten_value *adafactor(const ten_update *u, ten_value *p, ten_value *g, ten_value **slots) {
  const double eps1 = 1.1920928955078125e-07, eps2 = 1e-3;
  const uint32_t rank = p->type->rank;
  ten_value *one = number(u, u->step, 1);
  ten_value *slow = divide(u, one, root(u, u->step)), *rho = binary(u, TEN_OP_MINIMUM, u->lr, slow);
  ten_value *alpha = mul(u, most(u, ten_build_convert(u->b, rms(u, p), TEN_F32), number(u, u->lr, eps2)), rho);
  ten_value *weight = ten_build_binary(u->b, TEN_OP_POWER, u->step, number(u, u->step, -0.8));
  p = decayed(u, p);
  ten_value *square = mul(u, g, g), *variance;
  if (rank > 1) {
    slots[0] = lerp(u, slots[0], mean_dim(u, square, rank - 1), weight);
    slots[1] = lerp(u, slots[1], mean_dim(u, square, rank - 2), weight);
    ten_value *bottom = most(u, mean_dim(u, slots[0], rank - 2), number(u, mean_dim(u, slots[0], rank - 2), eps1));
    ten_value *rows = divide(u, slots[0], widened(u, bottom, slots[0]->type));
    variance = mul(u, widened(u, rows, p->type), widened(u, slots[1], p->type));
  } else {
    variance = slots[0] = lerp(u, slots[0], square, weight);
  }
  ten_value *update =
      mul(u, ten_build_unary(u->b, TEN_OP_RSQRT, most(u, variance, number(u, variance, eps1 * eps1))), g);
  ten_value *size = ten_build_convert(u->b, rms(u, update), TEN_F32), *denominator = most(u, one, size);
  return sub(u, p, mul(u, spread(u, divide(u, alpha, denominator), p), update));
}

uint32_t ten_optimizer_slots(ten_module *module, const ten_train_options *options, const ten_type *parameter,
                             const ten_type *types[TEN_OPTIMIZER_SLOTS_MAX],
                             const char *names[TEN_OPTIMIZER_SLOTS_MAX]) {
  types[0] = types[1] = parameter;
  switch (options->optimizer) {
    case TEN_OPTIMIZER_SGD: return 0;
    case TEN_OPTIMIZER_MOMENTUM: names[0] = "momentum_buffer"; return 1;
    case TEN_OPTIMIZER_ADAM:
    case TEN_OPTIMIZER_ADAMW:
    case TEN_OPTIMIZER_LAMB:
      names[0] = "exp_avg";
      names[1] = "exp_avg_sq";
      return 2;
    case TEN_OPTIMIZER_ADAFACTOR: break;
  }
  if (parameter->rank < 2) {
    names[0] = "variance";
    return 1;
  }
  int64_t dims[RANK_MAX];
  memcpy(dims, parameter->dims, parameter->rank * sizeof *dims);
  dims[parameter->rank - 1] = 1;
  types[0] = ten_type_with_shape(module, parameter, parameter->rank, dims);
  dims[parameter->rank - 1] = parameter->dims[parameter->rank - 1];
  dims[parameter->rank - 2] = 1;
  types[1] = ten_type_with_shape(module, parameter, parameter->rank, dims);
  names[0] = "row_var";
  names[1] = "col_var";
  return 2;
}

ten_value *ten_optimizer_update(const ten_update *u, ten_value *parameter, ten_value *gradient, ten_value **slots) {
  switch (u->options->optimizer) {
    case TEN_OPTIMIZER_SGD:
    case TEN_OPTIMIZER_MOMENTUM: return sgd(u, parameter, gradient, slots);
    case TEN_OPTIMIZER_ADAM:
    case TEN_OPTIMIZER_ADAMW: return adam(u, parameter, gradient, slots);
    case TEN_OPTIMIZER_LAMB: return lamb(u, parameter, gradient, slots);
    case TEN_OPTIMIZER_ADAFACTOR: return adafactor(u, parameter, gradient, slots);
  }
  return parameter;
}

/* step counts from 1; the first `warmup` steps rise linearly, the rest follow the schedule to `total`. */
ten_value *ten_optimizer_rate(ten_builder *b, const ten_train_options *o, ten_value *step) {
  const ten_update u = {.b = b, .options = o};
  ten_value *lr = number(&u, step, o->lr), *one = number(&u, step, 1), *zero = number(&u, step, 0);
  ten_value *done = sub(&u, step, one); /* steps before this one */
  ten_value *rate = lr;
  if (o->schedule != TEN_SCHEDULE_CONSTANT) {
    const double span = o->total > o->warmup ? (double)(o->total - o->warmup) : 1;
    ten_value *part = scaled(&u, sub(&u, done, number(&u, step, (double)o->warmup)), 1 / span);
    part = ten_build_clamp(b, zero, part, one);
    ten_value *factor = sub(&u, one, part);
    if (o->schedule == TEN_SCHEDULE_COSINE)
      factor =
          scaled(&u, add(&u, one, ten_build_unary(b, TEN_OP_COSINE, scaled(&u, part, 3.14159265358979323846))), 0.5);
    rate = mul(&u, lr, factor);
  }
  if (o->warmup <= 0) return rate;
  ten_value *rising = mul(&u, lr, scaled(&u, step, 1 / (double)o->warmup));
  return ten_build_select(b, ten_build_compare(b, TEN_LT, done, number(&u, step, (double)o->warmup)), rising, rate);
}
