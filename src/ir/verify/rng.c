/* rng.c: random numbers. */
#include "ir/verify/rules.h"

TEN_INFER(rng) {
  const ten_type *a = ten_in(op, 0), *b = ten_in(op, 1), *shape = ten_in(op, 2);
  const char *name = ten_enum_name(TEN_ENUM_RNG_DISTRIBUTION, (int)ten_op_int(op, "rng_distribution", 0));
  WANT(ten_elements_equal(a, b), "a is %s, b is %s", ten_say_type(m, a), ten_say_type(m, b));
  WANT(!name || strcmp(name, "NORMAL") || ten_dtype_is_float(a->dtype),
       "a normal distribution of %s: must be of floats", ten_say_element(m, a));
  ten_ints sizes;
  enum { MOST_DIMS = 1 << 16 };
  WANT(shape->dims[0] <= MOST_DIMS, "shape has %lld entries", (long long)shape->dims[0]);
  const uint32_t rank = (uint32_t)shape->dims[0];
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, rank);
  const bool known = ten_value_ints(m, ten_op_operand(op, 2), &sizes) && sizes.count == rank;
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = known ? sizes.data[i] : TEN_DYNAMIC;
    WANT(!known || dims[i] >= 0, "shape %s has a negative size", ten_say_list(m, sizes));
  }
  return out[0] = ten_make_tensor(m, a->element, rank, dims, NULL), NULL;
}

TEN_INFER(rng_bit_generator) {
  (void)m;
  return out[0] = ten_in(op, 0), NULL;
}
