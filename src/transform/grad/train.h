/* train.h: turns a forward program into a training step: loss, gradients and update in one function that takes and
 * returns the state.
 *
 *   @step(parameters…, state…, step, buffers…, random?, inputs…, target) -> (parameters…, state…, step, buffers…,
 *   random?, loss)
 *   @init() -> (parameters…, state…, step, buffers…, random?)
 *
 * Arguments carry `tenfold.role` ("parameter", "state", "step", "buffer", "random", "input", "target"), `tenfold.name`,
 * and, if they are returned, `tf.aliasing_output`: a backend updates them in place. When the loss is not finite,
 * the state comes back as it was. The random state (dropout) advances with each step: `random` exists when @main was
 * lowered with a random state (aten.h) and uses it. */
#ifndef TEN_GRAD_TRAIN_H
#define TEN_GRAD_TRAIN_H

#include "ir/builder.h"

typedef enum ten_loss { TEN_LOSS_CROSS_ENTROPY, TEN_LOSS_MSE, TEN_LOSS_PROGRAM, TEN_LOSS_OUTPUT } ten_loss;
typedef enum ten_optimizer {
  TEN_OPTIMIZER_SGD,
  TEN_OPTIMIZER_MOMENTUM,
  TEN_OPTIMIZER_ADAM,
  TEN_OPTIMIZER_ADAMW,
  TEN_OPTIMIZER_LAMB,
  TEN_OPTIMIZER_ADAFACTOR
} ten_optimizer;
typedef enum ten_schedule { TEN_SCHEDULE_CONSTANT, TEN_SCHEDULE_LINEAR, TEN_SCHEDULE_COSINE } ten_schedule;

typedef struct ten_train_options {
  ten_loss loss;
  const ten_module *loss_program; /* TEN_LOSS_PROGRAM: @main(outputs…, target) -> float scalar */
  ten_optimizer optimizer;
  double lr, momentum, dampening, weight_decay, beta1, beta2, epsilon;
  bool nesterov;
  double clip; /* of the global norm of all gradients; 0: none */
  ten_schedule schedule;
  int64_t warmup, total; /* steps; of LINEAR and COSINE, after which the rate is 0 */
  int64_t accumulate;    /* gradients of this many steps are averaged before an update; 0 and 1: no accumulation */
} ten_train_options;

/* PyTorch's defaults for the optimizer. */
ten_train_options ten_train_defaults(ten_optimizer optimizer);
/* "adamw,lr=1e-3,weight_decay=0.01". */
TEN_MUST_USE ten_status *ten_train_parse_optimizer(const char *text, ten_train_options *out_options);
/* "cosine:1000", "linear:1000", "constant", each with ",warmup=100". */
TEN_MUST_USE ten_status *ten_train_parse_schedule(const char *text, ten_train_options *options);

/* Changes the module: @main stays, @step and @init are added. Constants of @main with `aten.kind` = "parameter" are
 * trained, those with "buffer" are passed through. */
TEN_MUST_USE ten_status *ten_train_build(ten_module *module, const ten_train_options *options);

#endif
