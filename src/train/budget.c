/* budget.c: tries ways to recompute what the backward pass reads (transform/grad/recompute.h), cheapest first, on
 * copies of the module, until the CPU backend's plan fits the budget. Planning generates no code, so a trial costs a
 * fraction of compiling.  Keeps: the module unchanged when nothing fits. */
#include "train/budget.h"

#include <stdlib.h>

#include "driver/devices.h"
#include "transform/grad/recompute.h"

ten_status *ten_budget_parse(const char *text, size_t *out_bytes) {
  char *end;
  const double number = strtod(text, &end);
  double unit = 1;
  switch (*end) {
    case 'T':
    case 't': unit *= 1024; /* fall through */
    case 'G':
    case 'g': unit *= 1024; /* fall through */
    case 'M':
    case 'm': unit *= 1024; /* fall through */
    case 'K':
    case 'k':
      unit *= 1024;
      end++;
      break;
    default: break;
  }
  if (end != text && (!strcmp(end, "iB") || !strcmp(end, "B"))) end += strlen(end);
  if (end == text || *end || !(number * unit >= 1) || number * unit > 0x1p60)
    return ten_error(TEN_INVALID, "'%s' is not an amount of memory such as 8G or 512M", text);
  *out_bytes = (size_t)(number * unit);
  return NULL;
}

static ten_status *apply(ten_module *module, const ten_budget *budget, unsigned level) {
  ten_op *gradient = ten_module_find(module, budget->gradient);
  if (!gradient) return ten_error(TEN_INTERNAL, "there is no @%.*s to fit into memory", TEN_FMT(budget->gradient));
  TEN_TRY(ten_grad_recompute(module, gradient, level));
  return budget->finish ? budget->finish(module) : NULL;
}

static ten_status *try_level(const ten_module *module, const ten_budget *budget, unsigned level,
                             ten_memory *out_bytes) {
  ten_module *copy = ten_module_clone_view(module);
  ten_status *status = apply(copy, budget, level);
  const ten_op *entry = status ? NULL : ten_module_find(copy, budget->entry);
  if (!status && !entry) status = ten_error(TEN_INTERNAL, "there is no @%.*s to plan", TEN_FMT(budget->entry));
  if (!status) status = ten_backend_plan_memory(ten_backend_default(), copy, entry, NULL, out_bytes);
  ten_module_destroy(copy);
  return status;
}

static double mib(size_t bytes) { return (double)bytes / 0x1p20; }

ten_status *ten_budget_fit(ten_module *module, const ten_budget *budget) {
  if (!budget->bytes) return apply(module, budget, budget->keep ? TEN_KEEP_ALL : TEN_RECOMPUTE_CHEAP);
  ten_memory least = {0};
  size_t least_all = SIZE_MAX;
  for (unsigned level = TEN_RECOMPUTE_CHEAP; level < TEN_RECOMPUTE_LEVELS; level++) {
    ten_memory bytes;
    TEN_TRY(try_level(module, budget, level, &bytes));
    const size_t all = bytes.arguments + bytes.results + bytes.work;
    if (all <= budget->bytes) return apply(module, budget, level);
    if (all < least_all) {
      least_all = all;
      least = bytes;
    }
    if (bytes.arguments + bytes.results > budget->bytes) break; /* recomputation cannot help */
  }
  if (least.arguments + least.results > budget->bytes)
    return ten_error(
        TEN_LIMIT,
        "%.1f MiB of memory are not enough: parameters, state and batch alone are %.1f MiB, and a step needs working memory in addition",
        mib(budget->bytes), mib(least.arguments + least.results));
  return ten_error(TEN_LIMIT,
                   "%.1f MiB of memory are not enough: %.1f MiB is the least, %.1f MiB of parameters, state and batch "
                   "and %.1f MiB to work in",
                   mib(budget->bytes), mib(least_all), mib(least.arguments + least.results), mib(least.work));
}
