/* merge.c: kernels that read nothing but the function's inputs and constants (copies of weights, vectors of
 * normalizations, lookups in tables) run first, as one kernel: each has its own range of groups of threads. A launch
 * takes about as long as such a kernel. Their results are in memory from then on, so they must be small. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/simt/planner.h"

enum { EACH_MOST = 8 << 20, ALL_MOST = 64 << 20 /* bytes */, GROUPS_MOST = 4096, STEPS_MOST = 256 };
/* Bytes of a kernel's arguments: every CUDA device takes 4096, an OpenCL device may take no more than 1024. */
enum { CUDA_POINTERS = 480, OPENCL_POINTERS = 100 };

typedef struct merging {
  simt_planner *p;
  bool *known; /* by value number: an input, a constant, or computed from constants */
  size_t bytes;
  const simt_step *steps[STEPS_MOST]; /* those of the kernel that is being merged */
  uint32_t count, pointers;
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

static simt_step merge(const merging *m) {
  simt_plan *plan = m->p->plan;
  const uint32_t number = plan->kernel_count++;
  simt_step step = {.kind = SIMT_KERNEL, .op = m->steps[0]->op, .kernel = number, .grouped = true};
  ten_vec_push(&plan->starts, plan->source.size);
  add_functions(m, number, &plan->source);
  ten_buf_printf(&plan->source, "\nKERNEL GROUPED void k%u(", number);
  add_parameters(m, false, &plan->source);
  add_parameters(m, true, &plan->source);
  ten_buf_adds(&plan->source, "\n    const i64 n) {\n  START;\n");
  step.count = add_calls(m, number, &plan->source);
  ten_buf_adds(&plan->source, "}\n");
  step.threads = step.count * SIMT_GROUP;
  step.reads = join(m, false, &step.read_count);
  step.writes = join(m, true, &step.write_count);
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

void simt_merge_steps(simt_planner *p) {
  simt_body *body = &p->plan->body, made = {.block = body->block}, rest = {.block = body->block};
  merging m = {.p = p, .known = ten_alloc((p->plan->value_count + 1) * sizeof *m.known)};
  const uint32_t most = p->gen.language == SIMT_CUDA_C ? CUDA_POINTERS : OPENCL_POINTERS;
  memset(m.known, 0, (p->plan->value_count + 1) * sizeof *m.known);
  find_known(p, m.known);
  for (size_t i = 0; i <= body->steps.count; i++) {
    const simt_step *step = i < body->steps.count ? &body->steps.data[i] : NULL;
    const bool merges = step && can_merge(&m, step, i + 1 < body->steps.count ? step + 1 : NULL);
    const uint32_t more = merges ? step->read_count + step->write_count : 0;
    if (m.count && (!step || (merges && (m.count == STEPS_MOST || m.pointers + more > most)))) {
      const simt_step joined = m.count > 1 ? merge(&m) : *m.steps[0];
      ten_vec_push(&made.steps, joined);
      m.count = m.pointers = 0;
    }
    if (merges) {
      m.steps[m.count++] = step;
      m.pointers += more;
      m.bytes += bytes_written(p, step);
    } else if (step) {
      ten_vec_push(&rest.steps, *step);
    }
  }
  for (size_t i = 0; i < rest.steps.count; i++) ten_vec_push(&made.steps, rest.steps.data[i]);
  ten_vec_free(&rest.steps);
  ten_vec_free(&body->steps);
  *body = made;
  free(m.known);
}
