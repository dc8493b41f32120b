/* divide.c: division and its like of floats as the array API standard has them, which differ from ATen's where an
 * operand is infinite or a result is zero. */
#include "tensor/internal.h"
#include "tensor/ops.h"

/* Operations one after the other: after an error the rest are skipped; what was made on the way is dropped at the end.
 */
typedef struct chain {
  ten_device *device;
  ten_status *status;
  ten_array *made[12];
  size_t count;
} chain;

static ten_array *step(chain *c, const char *name, ten_array *x, ten_array *y, ten_array *condition) {
  if (c->status) return NULL;
  const ten_argument arguments[] = {{.name = "self", .kind = TEN_ARG_ARRAY, .array = x},
                                    {.name = "other", .kind = TEN_ARG_ARRAY, .array = y},
                                    {.name = "condition", .kind = TEN_ARG_ARRAY, .array = condition}};
  ten_array *made = NULL;
  c->status = ten_array_op(c->device, name, arguments, condition ? 3 : y ? 2 : 1, &made, 1);
  if (made) c->made[c->count++] = made;
  return made;
}

static ten_status *finish(chain *c, ten_array *result, ten_array **out_array) {
  *out_array = c->status ? NULL : ten_array_retain(result);
  for (size_t i = 0; i < c->count; i++) ten_array_release(c->made[i]);
  return c->status;
}

/* Infinite operands: what the quotient is rounded to, where ATen has NaN or -1. */
ten_status *tensor_floor_divide(ten_array *x, ten_array *y, ten_array **out_array) {
  chain c = {.device = x->device};
  ten_array *rounded = step(&c, "floor", step(&c, "div", x, y, NULL), NULL, NULL);
  ten_array *exact = step(&c, "floor_divide", x, y, NULL);
  ten_array *finite =
      step(&c, "logical_and", step(&c, "isfinite", x, NULL, NULL), step(&c, "isfinite", y, NULL, NULL), NULL);
  return finish(&c, step(&c, "where.self", exact, rounded, finite), out_array);
}

/* Zeros have the sign of the divisor. */
ten_status *tensor_remainder(ten_array *x, ten_array *y, ten_array **out_array) {
  chain c = {.device = x->device};
  ten_array *plain = step(&c, "remainder", x, y, NULL);
  ten_array *sized = step(&c, "logical_not", plain, NULL, NULL);
  ten_array *zero = step(&c, "copysign", plain, y, NULL);
  return finish(&c, step(&c, "where.self", zero, plain, sized), out_array);
}
