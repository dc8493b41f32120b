/* random.c: random bits by Threefry-2x32 (Salmon et al., SC 2011) as elementwise integer arithmetic, in the order of
 * the interpreter's rng.c: for devices without a kernel for it. Philox is not lowered. Needs: verified IR, static
 * shapes.  Keeps: types, locations, every bit. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { ALGORITHM_THREE_FRY = 1, GROUPS = 5, ROUNDS = 4, PARITY = 0x1BD11BDA };

static ten_value *number(ten_builder *b, const ten_value *like, int64_t value) {
  return ten_build_splat_int(b, like->type, value);
}

static ten_value *add(ten_builder *b, ten_value *x, ten_value *y) { return ten_build_binary(b, TEN_OP_ADD, x, y); }

static ten_value *rotate(ten_builder *b, ten_value *x, int64_t by) {
  ten_value *left = ten_build_binary(b, TEN_OP_SHIFT_LEFT, x, number(b, x, by));
  ten_value *right = ten_build_binary(b, TEN_OP_SHIFT_RIGHT_LOGICAL, x, number(b, x, 32 - by));
  return ten_build_binary(b, TEN_OP_OR, left, right);
}

/* The lower and the upper 32 bits of a ui64. */
static ten_value *low(ten_builder *b, ten_value *x) { return ten_build_convert(b, x, TEN_UI32); }
static ten_value *high(ten_builder *b, ten_value *x) {
  return low(b, ten_build_binary(b, TEN_OP_SHIFT_RIGHT_LOGICAL, x, number(b, x, 32)));
}

/* Two words of each counter; `key` has the counter's shape. */
static void threefry(ten_builder *b, ten_value *key, ten_value *counter, ten_value *out[2]) {
  static const int64_t rotations[2][ROUNDS] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  ten_value *keys[3] = {low(b, key), high(b, key), NULL};
  ten_value *both = ten_build_binary(b, TEN_OP_XOR, keys[0], keys[1]);
  keys[2] = ten_build_binary(b, TEN_OP_XOR, both, number(b, both, PARITY));
  out[0] = add(b, low(b, counter), keys[0]);
  out[1] = add(b, high(b, counter), keys[1]);
  for (int64_t group = 0; group < GROUPS; group++) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
      out[0] = add(b, out[0], out[1]);
      out[1] = ten_build_binary(b, TEN_OP_XOR, rotate(b, out[1], rotations[group % 2][i]), out[0]);
    }
    out[0] = add(b, out[0], keys[(group + 1) % 3]);
    out[1] = add(b, out[1], add(b, keys[(group + 2) % 3], number(b, both, group + 1)));
  }
}

/* The dimension along which two neighbours share a counter: the first even one, or else the longest. */
static uint32_t pair_dim(const ten_type *type) {
  uint32_t longest = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] % 2 == 0) return i;
    if (type->dims[i] > type->dims[longest]) longest = i;
  }
  return longest;
}

/* The distance of each element's counter from the first; `half` has the shape in counters. */
static ten_value *offsets(ten_builder *b, const ten_type *wide, const int64_t *half) {
  ten_value *at = ten_build_splat_int(b, wide, 0);
  for (uint32_t i = 0; i < wide->rank; i++) {
    ten_value *place = ten_build_iota(b, wide, i);
    if (half[i] != wide->dims[i]) place = ten_build_binary(b, TEN_OP_SHIFT_RIGHT_LOGICAL, place, number(b, place, 1));
    at = add(b, ten_build_binary(b, TEN_OP_MULTIPLY, at, number(b, at, half[i])), place);
  }
  return at;
}

static ten_value *word(ten_builder *b, ten_value *state, int64_t index, const ten_type *type) {
  ten_value *one = ten_build_reshape(b, ten_build_slice_dim(b, state, 0, index, index + 1, 1), 0, NULL);
  return ten_build_broadcast(b, one, type->rank, type->dims, NULL);
}

/* The bits of a narrow element: of two neighbours, one has the lower word and the other the upper one. */
static ten_value *narrow_bits(ten_builder *b, const ten_type *type, const ten_type *wide, uint32_t pair,
                              ten_value *const words[2]) {
  if (!type->rank) return words[0];
  ten_value *place = ten_build_iota(b, wide, pair);
  ten_value *odd = ten_build_binary(b, TEN_OP_AND, place, number(b, place, 1));
  return ten_build_select(b, ten_build_compare(b, TEN_NE, odd, number(b, odd, 0)), words[1], words[0]);
}

static bool expand(ten_builder *b, ten_op *op) {
  ten_value *state = ten_op_operand(op, 0);
  const ten_type *type = op->results[1].type;
  const unsigned width = ten_dtype_bits(type->dtype);
  if (ten_op_int(op, "rng_algorithm", 0) != ALGORITHM_THREE_FRY || !ten_type_is_static(type)) return false;
  if (state->type->rank != 1 || state->type->dims[0] != 2 || state->type->dtype != TEN_UI64) return false;
  if (type->dtype != TEN_UI32 && type->dtype != TEN_UI64) return false;
  const ten_type *wide = ten_type_tensor(b->module, TEN_UI64, type->rank, type->dims);
  int64_t *half = ten_arena_new_array(&b->module->arena, int64_t, type->rank + 1), used = 1;
  const uint32_t pair = pair_dim(type);
  for (uint32_t i = 0; i < type->rank; i++) {
    half[i] = i == pair && width == 32 ? (type->dims[i] + 1) / 2 : type->dims[i];
    used *= half[i];
  }
  ten_value *words[2];
  threefry(b, word(b, state, 0, wide), add(b, word(b, state, 1, wide), offsets(b, wide, half)), words);
  ten_value *bits = width == 32 ? narrow_bits(b, type, wide, pair, words) : NULL;
  if (!bits) {
    ten_value *upper = ten_build_convert(b, words[1], TEN_UI64);
    bits = ten_build_binary(b, TEN_OP_OR, ten_build_convert(b, words[0], TEN_UI64),
                            ten_build_binary(b, TEN_OP_SHIFT_LEFT, upper, number(b, upper, 32)));
  }
  const uint64_t step[2] = {0, (uint64_t)used};
  ten_value *next = add(b, state, ten_build_constant(b, ten_attr_dense(b->module, state->type, step, sizeof step)));
  ten_value_replace(&op->results[0], next);
  ten_value_replace(&op->results[1], bits);
  return true;
}

static ten_status *visit(ten_op *op, void *context) {
  if (op->code != TEN_OP_RNG_BIT_GENERATOR) return NULL;
  ten_builder b = {.module = context, .block = op->block, .before = op, .loc = op->loc};
  if (expand(&b, op)) ten_op_erase(op);
  return NULL;
}

static ten_status *random_run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_random = {
    .name = "random", .summary = "write random bits by Threefry out as integer arithmetic", .run = random_run};
