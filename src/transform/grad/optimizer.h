/* optimizer.h: one update of one parameter, as StableHLO. */
#ifndef TEN_GRAD_OPTIMIZER_H
#define TEN_GRAD_OPTIMIZER_H

#include "transform/grad/train.h"

enum { TEN_OPTIMIZER_SLOTS_MAX = 2 };

typedef struct ten_update {
  ten_builder *b;
  const ten_train_options *options;
  ten_value *step; /* f32 scalar, 1 for the first update */
  ten_value *lr;   /* f32 scalar, after the schedule */
} ten_update;

/* The number of state tensors that a parameter of this type needs, their types and names. */
uint32_t ten_optimizer_slots(ten_module *module, const ten_train_options *options, const ten_type *parameter,
                             const ten_type *types[TEN_OPTIMIZER_SLOTS_MAX],
                             const char *names[TEN_OPTIMIZER_SLOTS_MAX]);
/* The updated parameter; `slots` holds the old state and receives the new one. */
ten_value *ten_optimizer_update(const ten_update *u, ten_value *parameter, ten_value *gradient, ten_value **slots);
/* The learning rate at this step. */
ten_value *ten_optimizer_rate(ten_builder *b, const ten_train_options *options, ten_value *step);

#endif
