/* merge.c: short kernels that do not read each other's results become one: each has its own range of groups of threads.
 * A launch takes about as long as such a kernel. Those that read nothing but the function's inputs and constants
 * (copies of weights, vectors of normalizations, lookups in tables) run first. Their results are in memory from then
 * on, so they must be small. Others wait until their results are read, or for the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/simt/planner.h"

enum { EACH_MOST = 8 << 20, ALL_MOST = 64 << 20 /* bytes */, GROUPS_MOST = 4096, STEPS_MOST = 256 };
enum { LATE_MOST = 1 << 20 /* bytes that a short kernel reads and writes */ };
/* Bytes of a kernel's arguments: every CUDA device takes 4096, an OpenCL device may take no more than 1024. */
enum { CUDA_POINTERS = 480, OPENCL_POINTERS = 100 };

/* What was merged to a kernel. */
typedef struct merged {
  const simt_step **steps; /* in the plan's arena */
  uint32_t count, number;
  int64_t groups;
} merged;

typedef struct merging {
  simt_planner *p;
  bool *known; /* by value number: an input, a constant, or computed from constants */
  size_t bytes;
  const simt_step *steps[STEPS_MOST]; /* those of the kernel that is being merged */
  uint32_t count, pointers;
  TEN_VEC(merged) before;
} merging;

static const char opening[] = "\n    const i64 n) {\n  START;\n  for (i64 i = THREAD; i < n; i += THREADS) {\n";

static const char *text_of(const simt_planner *p, uint32_t kernel) {
  for (size_t i = 0; i < p->kernels.count; i++)
    if (p->kernels.data[i].number == kernel) return p->kernels.data[i].text;
  return NULL;
}

static size_t bytes_written(const simt_planner *p, const simt_step *step) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < step->write_count; i++) bytes += ten_type_bytes(p->plan->values[step->writes[i]]->type);
  return bytes;
}

static bool can_merge(const merging *m, const simt_step *step, const simt_step *next) {
  if (step->kind != SIMT_KERNEL || step->grouped || step->hoisted || !step->threads) return false;
  if (next && next->kind == SIMT_SCATTER) return false; /* which updates what this one writes */
  for (uint32_t i = 0; i < step->read_count; i++)
    if (!m->known[step->reads[i]]) return false;
  const char *text = text_of(m->p, step->kernel);
  const size_t bytes = bytes_written(m->p, step);
  return bytes <= EACH_MOST && m->bytes + bytes <= ALL_MOST && text && strstr(text, opening);
}

static int64_t groups_of(const simt_step *step) {
  const int64_t groups = (step->threads + SIMT_GROUP - 1) / SIMT_GROUP;
  return groups < GROUPS_MOST ? groups : GROUPS_MOST;
}

/* The kernel's loop as a function of the thread's number and the number of threads. */
static void add_function(ten_buf *out, const simt_planner *p, uint32_t number, uint32_t kernel) {
  const char *text = text_of(p, kernel), *body = strstr(text, opening);
  ten_buf_printf(out, "\nCALLED void k%u_part%u(%.*s\n    const i64 n, const i64 first, const i64 step) {\n", number,
                 kernel, (int)(body - text), text);
  ten_buf_adds(out, "  for (i64 i = first; i < n; i += step) {\n");
  ten_buf_adds(out, body + strlen(opening));
}

static void add_functions(const merging *m, uint32_t number, ten_buf *out) {
  for (uint32_t i = 0; i < m->count; i++) {
    bool again = false;
    for (uint32_t k = 0; k < i; k++) again = again || m->steps[k]->kernel == m->steps[i]->kernel;
    if (!again) add_function(out, m->p, number, m->steps[i]->kernel);
  }
}

static void add_parameters(const merging *m, bool writes, ten_buf *out) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    const simt_step *step = m->steps[i];
    const uint32_t *numbers = writes ? step->writes : step->reads;
    for (uint32_t k = 0; k < (writes ? step->write_count : step->read_count); k++)
      ten_buf_printf(out, "GLOBAL %s%s *RESTRICT %c%u, ", writes ? "" : "const ",
                     simt_memory_type(m->p->plan->values[numbers[k]]->type->dtype), writes ? 'q' : 'p', next++);
  }
}

/* Each kernel for its range of groups. */
static int64_t add_calls(const merging *m, uint32_t number, ten_buf *out) {
  uint32_t reads = 0, writes = 0;
  int64_t total = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    const simt_step *step = m->steps[i];
    const int64_t groups = groups_of(step);
    ten_buf_printf(out, "  if (BLOCK < %" PRId64 ") {\n    k%u_part%u(", total + groups, number, step->kernel);
    for (uint32_t k = 0; k < step->read_count; k++) ten_buf_printf(out, "p%u, ", reads++);
    for (uint32_t k = 0; k < step->write_count; k++) ten_buf_printf(out, "q%u, ", writes++);
    ten_buf_printf(out, "%" PRId64 ", (BLOCK - %" PRId64 ") * %d + TID, %" PRId64 ");\n    return;\n  }\n", step->count,
                   total, SIMT_GROUP, groups * SIMT_GROUP);
    total += groups;
  }
  return total;
}

static const uint32_t *join(const merging *m, bool writes, uint32_t *out_count) {
  uint32_t count = 0;
  uint32_t *all = ten_arena_new_array(&m->p->plan->module->arena, uint32_t, m->pointers + 1);
  for (uint32_t i = 0; i < m->count; i++) {
    const simt_step *step = m->steps[i];
    for (uint32_t k = 0; k < (writes ? step->write_count : step->read_count); k++)
      all[count++] = (writes ? step->writes : step->reads)[k];
  }
  *out_count = count;
  return all;
}

/* A kernel of the same parts, or NULL. */
static const merged *find_same(const merging *m) {
  for (size_t i = 0; i < m->before.count; i++) {
    const merged *found = &m->before.data[i];
    uint32_t same = 0;
    while (found->count == m->count && same < m->count && found->steps[same]->kernel == m->steps[same]->kernel &&
           found->steps[same]->count == m->steps[same]->count)
      same++;
    if (same == m->count) return found;
  }
  return NULL;
}

static merged merge_text(const merging *m) {
  simt_plan *plan = m->p->plan;
  const uint32_t number = plan->kernel_count++;
  ten_vec_push(&plan->starts, plan->source.size);
  add_functions(m, number, &plan->source);
  ten_buf_printf(&plan->source, "\nKERNEL GROUPED void k%u(", number);
  add_parameters(m, false, &plan->source);
  add_parameters(m, true, &plan->source);
  ten_buf_adds(&plan->source, "\n    const i64 n) {\n  START;\n");
  merged made = {ten_arena_new_array(&plan->module->arena, const simt_step *, m->count), m->count, number, 0};
  memcpy(made.steps, m->steps, m->count * sizeof *m->steps);
  made.groups = add_calls(m, number, &plan->source);
  ten_buf_adds(&plan->source, "}\n");
  return made;
}

static simt_step merge(merging *m) {
  const merged *same = find_same(m);
  if (!same) {
    const merged made = merge_text(m);
    ten_vec_push(&m->before, made);
    same = &m->before.data[m->before.count - 1];
  }
  simt_step step = {.kind = SIMT_KERNEL,
                    .op = m->steps[0]->op,
                    .kernel = same->number,
                    .grouped = true,
                    .group = SIMT_GROUP,
                    .count = same->groups};
  step.threads = step.count * SIMT_GROUP;
  step.reads = join(m, false, &step.read_count);
  step.writes = join(m, true, &step.write_count);
  simt_step *parts = ten_arena_new_array(&m->p->plan->module->arena, simt_step, m->count);
  for (uint32_t i = 0; i < m->count; i++) parts[i] = *m->steps[i];
  step.parts = parts, step.part_count = m->count;
  return step;
}

static void find_known(const simt_planner *p, bool *known) {
  const simt_plan *plan = p->plan;
  const ten_block *block = ten_op_body(plan->func, 0);
  for (uint32_t i = 0; i < block->arg_count; i++) known[block->args[i]->number] = true;
  for (size_t i = 0; i < plan->constants.count; i++) known[plan->constants.data[i].number] = true;
  for (size_t i = 0; i < plan->body.steps.count; i++)
    for (uint32_t k = 0; plan->body.steps.data[i].hoisted && k < plan->body.steps.data[i].write_count; k++)
      known[plan->body.steps.data[i].writes[k]] = true;
}

/* Ends the kernel that is being merged. */
static void finish(merging *m, simt_body *made) {
  if (!m->count) return;
  const simt_step joined = m->count > 1 ? merge(m) : *m->steps[0];
  ten_vec_push(&made->steps, joined);
  m->count = m->pointers = 0;
}

static void add_step(merging *m, simt_body *made, const simt_step *step) {
  const uint32_t more = step->read_count + step->write_count,
                 most = m->p->gen.language == SIMT_CUDA_C ? CUDA_POINTERS : OPENCL_POINTERS;
  if (m->count == STEPS_MOST || m->pointers + more > most) finish(m, made);
  m->steps[m->count++] = step;
  m->pointers += more;
  m->bytes += bytes_written(m->p, step);
}

static void replace_steps(simt_body *body, simt_body *made) {
  ten_vec_free(&body->steps);
  *body = *made;
}

/* Kernels that read only inputs and constants. */
static void merge_first(simt_planner *p) {
  simt_body *body = &p->plan->body, made = {.block = body->block}, rest = {.block = body->block};
  merging m = {.p = p, .known = ten_alloc((p->plan->value_count + 1) * sizeof *m.known)};
  memset(m.known, 0, (p->plan->value_count + 1) * sizeof *m.known);
  find_known(p, m.known);
  for (size_t i = 0; i < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    if (can_merge(&m, step, i + 1 < body->steps.count ? step + 1 : NULL))
      add_step(&m, &made, step);
    else
      ten_vec_push(&rest.steps, *step);
  }
  finish(&m, &made);
  for (size_t i = 0; i < rest.steps.count; i++) ten_vec_push(&made.steps, rest.steps.data[i]);
  ten_vec_free(&rest.steps);
  replace_steps(body, &made);
  ten_vec_free(&m.before);
  free(m.known);
}

/* Whether a kernel may run later than planned: it is short, and what it reads is small enough to be kept. */
static bool can_wait(const simt_planner *p, const simt_step *step, const simt_step *next) {
  if (step->kind != SIMT_KERNEL || step->grouped || step->hoisted || !step->threads) return false;
  if (next && next->kind == SIMT_SCATTER) return false;
  size_t bytes = bytes_written(p, step);
  for (uint32_t i = 0; i < step->read_count; i++) bytes += ten_type_bytes(p->plan->values[step->reads[i]]->type);
  const char *text = text_of(p, step->kernel);
  return bytes <= LATE_MOST && text && strstr(text, opening);
}

static bool reads_any(const simt_step *step, const bool *waiting) {
  if (step->kind != SIMT_KERNEL && step->kind != SIMT_SCATTER) return true; /* loops and branches read more */
  for (uint32_t i = 0; i < step->read_count; i++)
    if (waiting[step->reads[i]]) return true;
  return false;
}

/* Short kernels wait until some kernel reads what they write, or for the end where none does (what training saves or
 * updates); those that have waited for the same kernel run as one. */
static void merge_later(simt_planner *p, simt_body *body) {
  simt_body made = {.block = body->block}, last = {.block = body->block};
  const size_t values = p->plan->value_count + 1;
  uint32_t *read = ten_alloc(values * sizeof *read); /* by value number: the last step that reads it, + 1 */
  bool *waiting = ten_alloc(values * sizeof *waiting);
  memset(read, 0, values * sizeof *read);
  memset(waiting, 0, values * sizeof *waiting);
  for (size_t i = 0; i < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    simt_mark_reads(step, read, (uint32_t)i + 1);
    for (uint32_t r = 0; step->bodies && r < step->op->region_count; r++) merge_later(p, &step->bodies[r]);
  }
  merging now = {.p = p}, end = {.p = p};
  for (size_t i = 0; i < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    const bool waits = can_wait(p, step, i + 1 < body->steps.count ? step + 1 : NULL);
    bool is_read = false;
    for (uint32_t k = 0; k < step->write_count; k++) is_read = is_read || read[step->writes[k]];
    if (reads_any(step, waiting)) {
      finish(&now, &made);
      memset(waiting, 0, values * sizeof *waiting);
    }
    if (!waits)
      ten_vec_push(&made.steps, *step);
    else if (is_read)
      add_step(&now, &made, step);
    else
      add_step(&end, &last, step);
    for (uint32_t k = 0; waits && is_read && k < step->write_count; k++) waiting[step->writes[k]] = true;
  }
  finish(&now, &made);
  finish(&end, &last);
  for (size_t i = 0; i < last.steps.count; i++) ten_vec_push(&made.steps, last.steps.data[i]);
  ten_vec_free(&last.steps);
  replace_steps(body, &made);
  ten_vec_free(&now.before);
  ten_vec_free(&end.before);
  free(read);
  free(waiting);
}

void simt_merge_steps(simt_planner *p) {
  if (p->gen.language == SIMT_WGSL) return; /* a function cannot be given buffers */
  merge_first(p);
  merge_later(p, &p->plan->body);
}
