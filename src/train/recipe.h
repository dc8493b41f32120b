/* recipe.h: how to train, in the words that users write; and the training step that comes of it. */
#ifndef TEN_TRAIN_RECIPE_H
#define TEN_TRAIN_RECIPE_H

#include "front/import/load.h"

/* Zero-initialised: the defaults. Texts are borrowed. */
typedef struct ten_recipe {
  const char *loss;      /* "cross_entropy" (NULL), "mse", "output", or the path of a program of (outputs…, target…) */
  const char *optimizer; /* "sgd" (NULL), "adamw,lr=1e-3,…" */
  const char *schedule;  /* NULL, "cosine:1000,warmup=100" */
  double clip;           /* of the norm of all gradients together; 0: none */
  int64_t accumulate;    /* batches to an update; 0 and 1: one */
  const char *memory;    /* "8G": what a step may need, state and batch included; NULL: what costs no time */
  bool keep;             /* all that the backward part reads: the compiler that follows chooses itself */
  bool whole;            /* values are computed whole where a part of them is read: for compilers that pad gradients */
  int64_t batch;         /* for programs whose batch is open; 0: that of the example they were exported with */
} ten_recipe;

/* A module with @step and @init (transform/grad/train.h) that owns all it looks into, `program` among it: that is
 * emptied. */
TEN_MUST_USE ten_status *ten_recipe_build(const ten_recipe *recipe, ten_import *program, ten_module **out_module);
/* The same from a file. */
TEN_MUST_USE ten_status *ten_recipe_load(const ten_recipe *recipe, const char *path, ten_module **out_module);
/* order.c: puts each update where its gradient is. */
TEN_MUST_USE ten_status *ten_train_order(ten_module *module);

#endif
