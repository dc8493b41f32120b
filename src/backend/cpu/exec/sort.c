/* sort.c: sorting as a step (rt/sort.c). */
#include "backend/cpu/exec/kernel.h"

static void check_sort(cpu_checker *c) {
  const ten_cpu_sort *s = c->step->descriptor;
  CPU_CHECK_BOOL(c, s->simple);
  const int64_t sizes[] = {s->rows, s->size, s->inner, s->top, s->count, s->extra};
  cpu_check(c, s->count > 0 && s->bytes && c->step->symbol != UINT32_MAX, "a sort without a comparator");
  cpu_check(c, c->step->arg_count == 2 * (uint64_t)s->count + s->extra + 1, "a wrong number of arguments");
  cpu_check(c, s->kind >= TEN_SORT_UNSIGNED && s->kind <= TEN_SORT_FLOAT, "an unknown kind of sort");
  if (!cpu_check_sizes(c, 6, sizes) || c->wrong) return;
  cpu_check(c, s->top <= s->size, "a sort that returns more elements than it has");
  cpu_check(c, !s->rows || (s->inner && s->rows % s->inner == 0), "sort rows that do not divide evenly");
  for (uint32_t k = 0; k < s->count && !c->wrong; k++) {
    const uint32_t bytes = s->bytes[k];
    const bool simple = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    cpu_check(c, simple || (bytes == 16 && !(s->simple && !k)), "elements of an unknown size");
    cpu_check_room(c, k, false, CPU_PRODUCT(s->rows, s->size, bytes));
    cpu_check_room(c, s->count + s->extra + k, true, CPU_PRODUCT(s->rows, s->size, bytes));
  }
  if (c->wrong) return;
  cpu_check_scratch(c, c->step->arg_count - 1,
                    CPU_PRODUCT((int64_t)ten_cpu_sort_scratch(s), (int64_t)c->program->threads));
  cpu_check_units(c, s->rows);
}

static exec_tail sort_tail(void *descriptor) {
  ten_cpu_sort *sort = descriptor;
  return (exec_tail){(const void **)(uintptr_t)&sort->bytes, (size_t)sort->count * sizeof *sort->bytes};
}

static void sort_clear(void *descriptor) {
  ten_cpu_sort *sort = descriptor;
  sort->before = NULL;
  sort->bytes = NULL;
  sort->order = TEN_SORT_CALLS;
}

static void sort_link(exec_step *step, const ten_kernels *kernels, void *code) {
  (void)kernels;
  ten_cpu_sort *sort = step->descriptor;
  if (!code) return;
  sort->before = (ten_cpu_before)(uintptr_t)code;
  ten_cpu_sort_learn(sort);
}

const exec_kernel exec_kernel_sort = {.descriptor = sizeof(ten_cpu_sort),
                                      .takes_code = true,
                                      .run = ten_cpu_sort_rows,
                                      .check = check_sort,
                                      .tail = sort_tail,
                                      .clear = sort_clear,
                                      .link = sort_link};
