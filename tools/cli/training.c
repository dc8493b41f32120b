/* training.c: converts training options to a recipe. */
#include "cli/training.h"

#include <stdlib.h>

const char *cli_training_given(const cli_training *values) {
  if (values->loss) return "loss";
  if (values->optimizer) return "optimizer";
  if (values->clip) return "clip";
  if (values->schedule) return "schedule";
  if (values->accumulate) return "accumulate";
  if (values->memory) return "memory";
  if (values->batch) return "batch";
  return NULL;
}

ten_status *cli_training_recipe(const cli_training *values, ten_recipe *out_recipe) {
  *out_recipe = (ten_recipe){.loss = values->loss,
                             .optimizer = values->optimizer,
                             .schedule = values->schedule,
                             .accumulate = values->accumulate,
                             .memory = values->memory,
                             .batch = values->batch};
  if (!values->clip) return NULL;
  char *end;
  out_recipe->clip = strtod(values->clip, &end);
  return *end || !(out_recipe->clip > 0) ? ten_error(TEN_INVALID, "--clip: '%s' is not a positive number", values->clip)
                                         : NULL;
}
