/* budget.h: a gradient in so much memory. */
#ifndef TEN_TRAIN_BUDGET_H
#define TEN_TRAIN_BUDGET_H

#include "ir/module.h"

/* "8G", "512M", "100000": bytes, in units of 1024. */
TEN_MUST_USE ten_status *ten_budget_parse(const char *text, size_t *out_bytes);

typedef struct ten_budget {
  bool keep;                            /* everything, where no bytes are given */
  size_t bytes;                         /* 0: as little as costs no time */
  ten_str gradient, entry;              /* what ten_grad made, marked; the function that is going to run */
  ten_status *(*finish)(ten_module *m); /* what is still to be done with a module before it is compiled; may be NULL */
} ten_budget;

/* Decides what the backward part computes again, with the least extra work that brings arguments, results and working
 * memory of @entry (as the CPU backend lays them out) under the budget, and finishes the module. When nothing does, the
 * error says how much is needed. */
TEN_MUST_USE ten_status *ten_budget_fit(ten_module *module, const ten_budget *budget);

#endif
