/* training.h: training options, shared by `train` and `compile --train`. */
#ifndef TEN_CLI_TRAINING_H
#define TEN_CLI_TRAINING_H

#include "cli/command.h"
#include "train/recipe.h"

typedef struct cli_training {
  const char *loss, *optimizer, *clip, *schedule, *memory;
  int64_t accumulate, batch;
} cli_training;

/* Rows of an option table whose values have a cli_training called `training`. */
#define CLI_TRAINING_OPTIONS(values)                                                                        \
  {"loss",                                                                                                  \
   0,                                                                                                       \
   CLI_TEXT,                                                                                                \
   "NAME",                                                                                                  \
   "cross_entropy (the default), mse, output (the model gives it), or a program of (outputs, target)",      \
   offsetof(values, training.loss)},                                                                        \
      {"optimizer",                                                                                         \
       0,                                                                                                   \
       CLI_TEXT,                                                                                            \
       "NAME[,lr=…]",                                                                                       \
       "sgd, momentum, adam, adamw, lamb or adafactor, with PyTorch's options and defaults",                \
       offsetof(values, training.optimizer)},                                                               \
      {"clip",                                                                                              \
       0,                                                                                                   \
       CLI_TEXT,                                                                                            \
       "NORM",                                                                                              \
       "the most that the norm of all gradients together may be",                                           \
       offsetof(values, training.clip)},                                                                    \
      {"schedule",                                                                                          \
       0,                                                                                                   \
       CLI_TEXT,                                                                                            \
       "NAME:STEPS",                                                                                        \
       "of the learning rate: constant, linear:N or cosine:N, each with ,warmup=N",                         \
       offsetof(values, training.schedule)},                                                                \
      {"accumulate",                                                                                        \
       0,                                                                                                   \
       CLI_MANY,                                                                                            \
       "N",                                                                                                 \
       "average the gradients of N batches before each update",                                             \
       offsetof(values, training.accumulate)},                                                              \
      {"memory",                                                                                            \
       0,                                                                                                   \
       CLI_TEXT,                                                                                            \
       "8G",                                                                                                \
       "the most that a step may need, parameters and state included: what does not fit is computed again", \
       offsetof(values, training.memory)},                                                                  \
  {                                                                                                         \
    "batch", 0, CLI_MANY, "N", "samples in a batch, of a model that was exported with an open one",         \
        offsetof(values, training.batch)                                                                    \
  }

/* The first of these options that was given, or NULL. */
const char *cli_training_given(const cli_training *values);
TEN_MUST_USE ten_status *cli_training_recipe(const cli_training *values, ten_recipe *out_recipe);

#endif
