/* sort.c: a stable merge sort of positions with the program's own comparator, then each operand is put into that order.
 * Runs of RUN elements are sorted by insertion first. */
#include <string.h>

#include "cpu/rt/rt.h"

enum { RUN = 8 };

static void sort_runs(const ten_cpu_sort *sort, void *const *args, int64_t *order, int64_t base) {
  for (int64_t start = 0; start < sort->size; start += RUN) {
    const int64_t end = start + RUN < sort->size ? start + RUN : sort->size;
    for (int64_t i = start + 1; i < end; i++) {
      const int64_t moved = order[i];
      int64_t k = i;
      while (k > start && sort->before(args, base + moved * sort->inner, base + order[k - 1] * sort->inner)) {
        order[k] = order[k - 1];
        k--;
      }
      order[k] = moved;
    }
  }
}

/* [start, middle) and [middle, end) of `from` into `to`; equal elements keep their order. */
static void merge(const ten_cpu_sort *sort, void *const *args, int64_t base, const int64_t *from, int64_t *to,
                  int64_t start, int64_t middle, int64_t end) {
  int64_t left = start, right = middle;
  for (int64_t i = start; i < end; i++) {
    const bool take_right = left == middle || (right < end && sort->before(args, base + from[right] * sort->inner,
                                                                           base + from[left] * sort->inner));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

static void permute(const ten_cpu_sort *sort, void *const *args, const int64_t *order, int64_t base) {
  void *const *outputs = args + sort->count + sort->extra;
  for (uint32_t k = 0; k < sort->count; k++) {
    const size_t bytes = sort->bytes[k];
    for (int64_t i = 0; i < sort->size; i++)
      memcpy((char *)outputs[k] + (size_t)(base + i * sort->inner) * bytes,
             (const char *)args[k] + (size_t)(base + order[i] * sort->inner) * bytes, bytes);
  }
}

void ten_cpu_sort_rows(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_cpu_sort *sort = descriptor;
  int64_t *scratch = args[2 * sort->count + sort->extra];
  for (int64_t row = begin; row < end; row++) {
    const int64_t base = row / sort->inner * sort->size * sort->inner + row % sort->inner;
    int64_t *order = scratch + row * sort->size * 2, *other = order + sort->size;
    for (int64_t i = 0; i < sort->size; i++) order[i] = i;
    sort_runs(sort, args, order, base);
    for (int64_t width = RUN; width < sort->size; width *= 2) {
      for (int64_t start = 0; start < sort->size; start += 2 * width) {
        const int64_t middle = start + width < sort->size ? start + width : sort->size;
        const int64_t stop = start + 2 * width < sort->size ? start + 2 * width : sort->size;
        merge(sort, args, base, order, other, start, middle, stop);
      }
      int64_t *swap = order;
      order = other;
      other = swap;
    }
    permute(sort, args, order, base);
  }
}
