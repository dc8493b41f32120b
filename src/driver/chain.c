/* chain.c: runs a program part by part. The parts form a tree: each has one branch per number it has returned.
 * Lowering follows one branch; for another it restarts from the first part, which is cheap. */
#include "driver/chain.h"

#include <stdlib.h>
#include <string.h>

#include "backend/settings.h"
#include "base/clock.h"

typedef struct link link;
struct link {
  int64_t answer; /* the result of the previous part */
  ten_module *module;
  bool last;
  ten_executable *executable; /* owned; NULL: not compiled yet */
  link *parent, *branches, *next;
};

struct ten_chain {
  const ten_import *program;
  ten_chain_options options;
  TEN_VEC(ten_aten_parts *) lowerings; /* owned: they own the modules */
  link *first, *lowered;               /* `lowered`: the position of the last lowering */
  double seconds;
};

static ten_status *link_lower(ten_aten_parts *parts, const int64_t *answer, link *made) {
  return ten_aten_parts_next(parts, answer, &made->module, &made->last);
}

/* A lowering that has reached `at`. */
static ten_status *lower_to(ten_chain *chain, const link *at, ten_aten_parts **out_parts) {
  TEN_TRY(ten_aten_parts_begin(chain->program->aten, &chain->options.lowering, out_parts));
  ten_vec_push(&chain->lowerings, *out_parts);
  TEN_VEC(int64_t) path = {0};
  for (const link *l = at; l->parent; l = l->parent) ten_vec_push(&path, l->answer);
  ten_module *again;
  bool last;
  ten_status *status = ten_aten_parts_next(*out_parts, NULL, &again, &last);
  while (!status && path.count) status = ten_aten_parts_next(*out_parts, &path.data[--path.count], &again, &last);
  ten_vec_free(&path);
  return status;
}

/* The part that follows `from` when it returns `answer`. */
static ten_status *link_find(ten_chain *chain, link *from, int64_t answer, link **out) {
  for (*out = from->branches; *out; *out = (*out)->next)
    if ((*out)->answer == answer) return NULL;
  const double start = ten_clock();
  ten_aten_parts *parts = chain->lowerings.data[chain->lowerings.count - 1];
  if (chain->lowered != from) TEN_TRY(lower_to(chain, from, &parts));
  link *made = ten_alloc(sizeof *made);
  *made = (link){.answer = answer, .parent = from};
  ten_status *status = link_lower(parts, &answer, made);
  chain->lowered = status ? NULL : made;
  if (status) {
    free(made);
    return status;
  }
  made->next = from->branches, from->branches = made;
  chain->seconds += ten_clock() - start;
  *out = made;
  return NULL;
}

ten_status *ten_chain_open(const ten_import *program, const ten_chain_options *options, ten_chain **out_chain) {
  TEN_RECOVER("lowering the program");
  ten_chain *chain = ten_alloc(sizeof *chain);
  *chain = (ten_chain){.program = program, .options = *options};
  chain->first = ten_alloc(sizeof *chain->first);
  *chain->first = (link){0};
  const double start = ten_clock();
  ten_aten_parts *parts = NULL;
  ten_status *status = ten_aten_parts_begin(program->aten, &chain->options.lowering, &parts);
  if (!status) {
    ten_vec_push(&chain->lowerings, parts);
    status = link_lower(parts, NULL, chain->first);
  }
  chain->lowered = chain->first;
  chain->seconds = ten_clock() - start;
  *out_chain = status ? NULL : chain;
  if (status) ten_chain_close(chain);
  return status;
}

static void link_free(link *at) {
  while (at->branches) {
    link *branch = at->branches;
    at->branches = branch->next;
    link_free(branch);
  }
  ten_executable_release(at->executable);
  free(at);
}

void ten_chain_close(ten_chain *chain) {
  if (!chain) return;
  link_free(chain->first);
  for (size_t i = 0; i < chain->lowerings.count; i++) ten_aten_parts_end(chain->lowerings.data[i]);
  ten_vec_free(&chain->lowerings);
  free(chain);
}

ten_module *ten_chain_first(ten_chain *chain, bool *out_whole) {
  *out_whole = chain->first->last;
  return chain->first->module;
}

double ten_chain_compile_seconds(const ten_chain *chain) { return chain->seconds; }

static ten_status *link_run(ten_chain *chain, link *at, ten_tensor *const *inputs, size_t count,
                            const ten_run_options *options, ten_tensor ***out_results, uint32_t *out_count) {
  const double start = ten_clock();
  const ten_op *func = ten_module_entry(at->module, TEN_STR("main"));
  if (!at->executable)
    TEN_TRY(ten_compile(chain->options.device, at->module, func, &chain->options.settings, &at->executable));
  chain->seconds += ten_clock() - start;
  *out_count = at->executable->output_count;
  *out_results = ten_alloc((*out_count + 1) * sizeof **out_results);
  ten_status *status = ten_execute(at->executable, inputs, count, options, *out_results);
  if (!status) return NULL;
  free(*out_results);
  *out_results = NULL;
  return status;
}

ten_status *ten_chain_execute(ten_chain *chain, ten_tensor *const *inputs, size_t count, const ten_run_options *options,
                              ten_tensor ***out_results, uint32_t *out_count) {
  TEN_RECOVER("running the program");
  link *at = chain->first;
  TEN_TRY(link_run(chain, at, inputs, count, options, out_results, out_count));
  while (!at->last) {
    ten_tensor **given = *out_results;
    const uint32_t given_count = *out_count;
    int64_t answer;
    memcpy(&answer, given[0]->data, sizeof answer);
    ten_status *status = link_find(chain, at, answer, &at);
    *out_results = NULL;
    if (!status) status = link_run(chain, at, given + 1, given_count - 1, options, out_results, out_count);
    ten_tensors_release(given, given_count);
    free(given);
    if (status) return status;
  }
  return NULL;
}
