/* recipe.h: training options as users write them; and the resulting training step. */
#ifndef TEN_TRAIN_RECIPE_H
#define TEN_TRAIN_RECIPE_H

#include "front/import/load.h"

/* Zero-initialised: the defaults. Texts are borrowed. */
typedef struct ten_recipe {
  const char *loss;      /* "cross_entropy" (NULL), "mse", "output", or the path of a program of (outputs…, target…) */
  const char *optimizer; /* "sgd" (NULL), "adamw,lr=1e-3,…" */
  const char *schedule;  /* NULL, "cosine:1000,warmup=100" */
  double clip;           /* of the norm of all gradients together; 0: none */
  int64_t accumulate;    /* batches per update; 0 and 1: one */
  const char *memory;    /* "8G": memory limit of a step, including state and batch; NULL: what costs no time */
  bool keep;             /* no recomputation: the compiler that follows decides itself */
  bool whole;            /* values are computed whole even if only a slice is read: for compilers that pad gradients */
  int64_t batch;         /* for programs with an open batch; 0: that of the example they were exported with */
} ten_recipe;

/* A module with @step and @init (transform/grad/train.h) that owns all data it refers to, including `program`, which is
 * emptied. */
TEN_MUST_USE ten_status *ten_recipe_build(const ten_recipe *recipe, ten_import *program, ten_module **out_module);
/* The same from a file. */
TEN_MUST_USE ten_status *ten_recipe_load(const ten_recipe *recipe, const char *path, ten_module **out_module);
/* order.c: moves each update to its gradient. */
TEN_MUST_USE ten_status *ten_train_order(ten_module *module);

#endif
