/* build.c: compiles a plan's kernels with the driver: split into parts of about equal length, which several threads
 * compile concurrently where the driver benefits. */
#include <stdlib.h>
#include <string.h>

#include "backend/simt/program.h"

enum { PARTS_MOST = 16, PART_LEAST = 4 /* kernels */ };

typedef struct simt_code {
  uint32_t first, end; /* kernel range */
  void *code;
  ten_status *status;
} simt_code;

static size_t start_of(const simt_plan *plan, uint32_t kernel) {
  return kernel < plan->kernel_count ? plan->starts.data[kernel] : plan->source.size;
}

static void build_part(void *user, size_t index, size_t worker) {
  (void)worker;
  simt_program *p = user;
  simt_code *part = &p->codes[index];
  simt_select_device(p->base.backend->index);
  const size_t start = start_of(&p->plan, part->first), end = start_of(&p->plan, part->end);
  ten_buf source = {0};
  part->status = simt_source(p->driver, (ten_str){p->plan.source.data + start, end - start}, &source);
  if (!part->status) part->status = p->driver->build(source.data, &part->code);
  ten_buf_free(&source);
}

/* Ends each part at the kernel that reaches its share of the text. */
static void cut(simt_program *p) {
  const simt_plan *plan = &p->plan;
  size_t count = p->driver->concurrent_builds ? ten_cpu_count() : 1;
  if (count > PARTS_MOST) count = PARTS_MOST;
  if (count > plan->kernel_count / PART_LEAST) count = plan->kernel_count / PART_LEAST;
  if (!count) count = 1;
  p->codes = ten_alloc(count * sizeof *p->codes);
  memset(p->codes, 0, count * sizeof *p->codes);
  uint32_t next = 0;
  for (size_t i = 0; i < count && next < plan->kernel_count; i++) {
    simt_code *part = &p->codes[p->code_count++];
    part->first = next++;
    while (next < plan->kernel_count && (i + 1 == count || start_of(plan, next) < plan->source.size / count * (i + 1)))
      next++;
    part->end = next;
  }
}

static ten_status *find_kernels(simt_program *p, const simt_code *part) {
  for (uint32_t i = part->first; i < part->end; i++) {
    ten_buf name = {0};
    ten_buf_printf(&name, "k%u", i);
    ten_status *status = p->driver->kernel(part->code, name.data, &p->kernels[i]);
    ten_buf_free(&name);
    TEN_TRY(status);
  }
  return NULL;
}

ten_status *simt_build(simt_program *p) {
  if (!p->plan.kernel_count) return NULL;
  cut(p);
  ten_parallel_for(p->code_count, p->code_count, build_part, p);
  p->kernels = ten_alloc(p->plan.kernel_count * sizeof *p->kernels);
  ten_status *status = NULL;
  for (size_t i = 0; i < p->code_count; i++) {
    status = ten_first_error(status, p->codes[i].status);
    if (!status) status = find_kernels(p, &p->codes[i]);
  }
  return status;
}

void simt_build_free(simt_program *p) {
  for (size_t i = 0; i < p->code_count; i++)
    if (p->codes[i].code) p->driver->release(p->codes[i].code);
  free(p->codes);
  free(p->kernels);
}
