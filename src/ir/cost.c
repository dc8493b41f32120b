/* cost.c: the table of cost classes, and the arithmetic operations of a program. */
#include "ir/cost.h"

#include "ir/builder.h"

enum { CALL_DEPTH_MAX = 64 };

const ten_cost_info ten_cost_infos[TEN_COST_COUNT] = {
    [TEN_COST_FREE] = {"free", .time = 0, .code = 1},
    [TEN_COST_MOVE] = {"move", .time = 1, .code = 1},
    [TEN_COST_FAR] = {"far", .time = 10, .code = 1},
    [TEN_COST_COPY] = {"copy", .time = 1, .code = 1},
    [TEN_COST_SIMPLE] = {"simple", .time = 1, .code = 1, .flops = 1},
    [TEN_COST_DIVIDE] = {"divide", .time = 4, .code = 1, .flops = 1},
    [TEN_COST_ROOT] = {"root", .time = 4, .code = 1, .flops = 1, .transcendental = true},
    [TEN_COST_FUNCTION] = {"function", .time = 10, .code = 4, .flops = 1, .transcendental = true},
    [TEN_COST_SPECIAL] = {"special", .time = 20, .code = 32, .flops = 1, .transcendental = true},
    [TEN_COST_REDUCE] = {"reduce", .time = 1, .code = 1},
    [TEN_COST_CONTRACT] = {"contract", .time = 1, .code = 1},
    [TEN_COST_SOLVE] = {"solve", .time = 1, .code = 1},
    [TEN_COST_INNER] = {"inner", .time = 1, .code = 1},
    [TEN_COST_OUTSIDE] = {"outside", .time = 1, .code = 1},
};

static uint64_t elements(const ten_value *value) {
  if (!ten_type_is_tensor(value->type) || !ten_type_is_static(value->type)) return 0;
  return (uint64_t)ten_type_count(value->type);
}

static uint64_t dot_macs(const ten_op *op) {
  const ten_type *left = ten_op_operand(op, 0)->type;
  uint64_t depth = 1;
  if (op->code == TEN_OP_DOT)
    depth = left->rank ? (uint64_t)left->dims[left->rank - 1] : 1;
  else {
    const ten_ints dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers")).lhs_contract;
    for (size_t i = 0; i < dims.count; i++) depth *= (uint64_t)left->dims[dims.data[i]];
  }
  return elements(&op->results[0]) * depth;
}

/* In a dilated input only every n-th position of a window holds an element: count from the input's side. */
static uint64_t conv_macs(const ten_op *op) {
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
  const ten_ints dilation = ten_attr_as_ints(ten_op_attr(op, "lhs_dilation"));
  const uint64_t out = (uint64_t)kernel->type->dims[dims.kernel_output_feature],
                 in = (uint64_t)kernel->type->dims[dims.kernel_input_feature];
  bool spread = false;
  for (size_t i = 0; i < dilation.count; i++) spread |= dilation.data[i] > 1;
  if (!out || !in) return 0;
  if (!spread) return elements(&op->results[0]) * (elements(kernel) / out);
  const int64_t groups = ten_attr_as_int(ten_op_attr(op, "feature_group_count"), 1);
  return elements(x) * (elements(kernel) / in) / (uint64_t)(groups > 0 ? groups : 1);
}

/* At least once for each input element. */
static uint64_t reduced(const ten_op *op) {
  if (op->code != TEN_OP_REDUCE_WINDOW) return op->operand_count ? elements(ten_op_operand(op, 0)) : 0;
  const ten_ints window = ten_attr_as_ints(ten_op_attr(op, "window_dimensions"));
  uint64_t count = op->result_count ? elements(&op->results[0]) : 0;
  for (size_t i = 0; i < window.count; i++) count *= (uint64_t)window.data[i];
  return count;
}

static uint64_t log2_up(uint64_t n) {
  uint64_t log = 0;
  while (log < 63 && (UINT64_C(1) << log) < n) log++;
  return log;
}

/* Comparisons of a merge sort, counted once for all operands. */
static uint64_t sorted(const ten_op *op) {
  const ten_type *type = op->operand_count ? ten_op_operand(op, 0)->type : NULL;
  int64_t dim = ten_attr_as_int(ten_op_attr(op, "dimension"), -1);
  if (!type || !ten_type_is_tensor(type) || !type->rank) return 0;
  if (dim < 0) dim += type->rank;
  return elements(ten_op_operand(op, 0)) * log2_up((uint64_t)type->dims[dim]);
}

/* The usual counts: n³ / 3 for a Cholesky factor, n² for each column of a triangular system, 5 n log2 n for each line
 * of a transform. */
static uint64_t solved(const ten_op *op) {
  const ten_value *x = op->operand_count ? ten_op_operand(op, 0) : NULL, *y = &op->results[0];
  if (!x || !ten_type_is_tensor(x->type) || !x->type->rank || !elements(x)) return 0;
  const uint64_t last = (uint64_t)x->type->dims[x->type->rank - 1];
  if (op->code == TEN_OP_CHOLESKY) return elements(x) * last / 3;
  if (op->code == TEN_OP_TRIANGULAR_SOLVE) return elements(y) * last;
  if (op->code != TEN_OP_FFT) return 0;
  const ten_ints length = ten_attr_as_ints(ten_op_attr(op, "fft_length"));
  uint64_t logs = 0;
  for (size_t i = 0; i < length.count; i++) logs += log2_up((uint64_t)length.data[i]);
  return 5 * (elements(x) > elements(y) ? elements(x) : elements(y)) * logs;
}

/* A known value: a constant scalar. */
static bool constant_int(const ten_value *value, int64_t *out) {
  const ten_attr *attr = ten_value_constant(value);
  if (!attr || ten_type_count(value->type) != 1 || !ten_dtype_is_int(value->type->dtype)) return false;
  *out = ten_dense_int(attr, 0);
  return true;
}

/* The counter, which is compared with the limit; NULL: neither of the two is one. */
static const ten_value *find_counter(const ten_op *loop, const ten_op *compare, const ten_value **limit, bool *below) {
  const ten_block *cond = ten_op_body(loop, 0), *body = ten_op_body(loop, 1);
  const ten_value *left = ten_op_operand(compare, 0), *right = ten_op_operand(compare, 1);
  const ten_compare direction = (ten_compare)ten_op_int(compare, "comparison_direction", 0);
  bool swap = right->block == cond;
  if (swap && left->block == cond) /* of two carried values, the one that changes */
    swap = ten_op_operand(ten_block_terminator(body), left->index) == body->args[left->index];
  const ten_value *counter = swap ? right : left;
  *limit = swap ? left : right;
  *below = direction == (swap ? TEN_GT : TEN_LT);
  const bool known = *below || direction == (swap ? TEN_GE : TEN_LE);
  if (counter->block != cond || !known) return NULL;
  if ((*limit)->block == cond) { /* carried, and never changed */
    if (ten_op_operand(ten_block_terminator(body), (*limit)->index) != body->args[(*limit)->index]) return NULL;
    *limit = ten_op_operand(loop, (*limit)->index);
  }
  return body->args[counter->index];
}

bool ten_loop_trips(const ten_op *loop, int64_t *out) {
  const ten_op *compare = ten_op_operand(ten_block_terminator(ten_op_body(loop, 0)), 0)->op;
  if (!compare || compare->code != TEN_OP_COMPARE) return false;
  const ten_value *limit_value;
  bool below;
  const ten_value *counter = find_counter(loop, compare, &limit_value, &below);
  if (!counter) return false;
  const ten_op *next = ten_op_operand(ten_block_terminator(ten_op_body(loop, 1)), counter->index)->op;
  int64_t init, limit, step, last;
  if (!next || next->code != TEN_OP_ADD || !constant_int(ten_op_operand(loop, counter->index), &init) ||
      !constant_int(limit_value, &limit))
    return false;
  const ten_value *x = ten_op_operand(next, 0), *y = ten_op_operand(next, 1);
  if (!(x == counter && constant_int(y, &step)) && !(y == counter && constant_int(x, &step))) return false;
  if (step <= 0 || (!below && __builtin_add_overflow(limit, 1, &limit))) return false;
  if (limit <= init) {
    *out = 0;
    return true;
  }
  /* A counter that wraps around on its way never gets there. */
  const ten_dtype dtype = counter->type->dtype;
  const size_t bits = ten_dtype_bits(dtype) - (ten_dtype_class(dtype) == TEN_CLASS_SINT);
  if (__builtin_add_overflow(limit - 1, step, &last) || (bits < 63 && last >= (int64_t)1 << bits)) return false;
  int64_t span;
  if (__builtin_sub_overflow(limit, init, &span)) return false;
  *out = (span - 1) / step + 1;
  return true;
}

static void count_op(const ten_module *module, const ten_op *op, int depth, ten_work *work);

static ten_work block_work(const ten_module *module, const ten_block *block, int depth) {
  ten_work work = {0};
  for (const ten_op *op = block ? block->first : NULL; op; op = op->next) count_op(module, op, depth, &work);
  return work;
}

static void add(ten_work *work, const ten_work *more, uint64_t times) {
  work->macs += more->macs * times;
  work->flops += more->flops * times;
  work->transcendentals += more->transcendentals * times;
  work->unknown_loops += more->unknown_loops;
}

static void count_inner(const ten_module *module, const ten_op *op, int depth, ten_work *work) {
  ten_work most = {0};
  uint64_t times = 1;
  if (op->code == TEN_OP_WHILE) {
    int64_t trips;
    if (ten_loop_trips(op, &trips))
      times = (uint64_t)trips;
    else
      work->unknown_loops++;
    most = block_work(module, ten_op_body(op, 1), depth);
  } else if (op->code == TEN_OP_CALL) {
    const ten_attr *callee = ten_op_attr(op, "callee");
    const ten_op *func = module && callee ? ten_module_find(module, ten_attr_as_string(callee)) : NULL;
    if (func && func->region_count && depth < CALL_DEPTH_MAX)
      most = block_work(module, ten_op_body(func, 0), depth + 1);
  } else {
    for (uint32_t r = 0; r < op->region_count; r++) {
      const ten_work inner = block_work(module, ten_op_body(op, r), depth);
      if (inner.flops >= most.flops) most = inner;
    }
    if (op->code == TEN_OP_MAP || op->code == TEN_OP_CHLO_SCAN)
      times = op->operand_count ? elements(ten_op_operand(op, 0)) : 0;
  }
  add(work, &most, times);
}

static void count_op(const ten_module *module, const ten_op *op, int depth, ten_work *work) {
  ten_work own = {0};
  const ten_cost_info *cost = ten_op_cost(op);
  switch (ten_cost_class_of(op->code)) {
    case TEN_COST_CONTRACT:
      if (op->code == TEN_OP_DOT || op->code == TEN_OP_DOT_GENERAL) own.macs = dot_macs(op);
      if (op->code == TEN_OP_CONVOLUTION) own.macs = conv_macs(op);
      own.flops = 2 * own.macs;
      break;
    case TEN_COST_REDUCE: own.flops = op->code == TEN_OP_SORT ? sorted(op) : reduced(op); break;
    case TEN_COST_SOLVE: own.flops = solved(op); break;
    case TEN_COST_INNER: count_inner(module, op, depth, work); return;
    default:
      for (uint32_t i = 0; i < op->result_count && cost->flops; i++)
        own.flops += cost->flops * elements(&op->results[i]);
      if (cost->transcendental) own.transcendentals = own.flops;
      /* a reduction between devices adds there */
      if (op->code == TEN_OP_ALL_REDUCE) own.flops = reduced(op);
  }
  add(work, &own, 1);
}

void ten_count_op(const ten_module *module, const ten_op *op, ten_work *work) { count_op(module, op, 0, work); }
