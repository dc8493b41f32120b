/* budget.h: fits a gradient into a memory budget. */
#ifndef TEN_TRAIN_BUDGET_H
#define TEN_TRAIN_BUDGET_H

#include "ir/module.h"

/* "8G", "512M", "100000": bytes, in units of 1024. */
TEN_MUST_USE ten_status *ten_budget_parse(const char *text, size_t *out_bytes);

typedef struct ten_budget {
  bool keep;                            /* no recomputation, if no bytes are given */
  size_t bytes;                         /* 0: as little as costs no time */
  ten_str gradient, entry;              /* the marked result of ten_grad; the function that will run */
  ten_status *(*finish)(ten_module *m); /* the remaining passes before the module is compiled; may be NULL */
} ten_budget;

/* Decides what the backward pass recomputes, with the least extra work that fits arguments, results and working memory
 * of @entry (as the CPU backend lays them out) into the budget, and finishes the module. If nothing does, the error
 * says how much is needed. */
TEN_MUST_USE ten_status *ten_budget_fit(ten_module *module, const ten_budget *budget);

#endif
