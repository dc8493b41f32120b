/* shapes.c: executables by the shapes of their inputs, the most recently used first. */
#include "backend/shapes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, BUDGET = 1 << 29 }; /* sets of shapes; bytes of working memory and packed constants of all but one */

struct ten_shaped {
  int64_t *dims; /* owned: of each input its rank and its dimensions */
  size_t dim_count;
  ten_executable *executable;
  ten_module *module; /* owned, or NULL */
  uint32_t calls;     /* in progress */
  bool dropped;       /* destroyed when the last of them ends */
  size_t bytes;
  struct ten_shaped *next;
};

struct ten_shapes {
  ten_mutex mutex;
  ten_shaped *first; /* the most recently used */
};

ten_shapes *ten_shapes_create(void) {
  ten_shapes *shapes = ten_alloc(sizeof *shapes);
  memset(shapes, 0, sizeof *shapes);
  ten_mutex_init(&shapes->mutex);
  return shapes;
}

static void shaped_free(ten_shaped *s) {
  ten_executable_release(s->executable);
  if (s->module) ten_module_destroy(s->module);
  free(s->dims);
  free(s);
}

void ten_shapes_destroy(ten_shapes *shapes) {
  if (!shapes) return;
  while (shapes->first) {
    ten_shaped *s = shapes->first;
    shapes->first = s->next;
    shaped_free(s);
  }
  ten_mutex_destroy(&shapes->mutex);
  free(shapes);
}

/* Ranks are part of it: an unranked input has another at each call. */
static int64_t *dims_of(ten_tensor *const *inputs, size_t input_count, size_t *out_count) {
  size_t count = input_count;
  for (size_t i = 0; i < input_count; i++) count += inputs[i]->rank;
  int64_t *dims = ten_alloc((count + 1) * sizeof *dims), *at = dims;
  for (size_t i = 0; i < input_count; i++) {
    *at++ = inputs[i]->rank;
    for (uint32_t k = 0; k < inputs[i]->rank; k++) *at++ = inputs[i]->dims[k];
  }
  *out_count = count;
  return dims;
}

/* Evicts the least recently used programs beyond the budget; running ones are destroyed when they end. */
static void shapes_trim(ten_shapes *shapes) {
  size_t count = 0, bytes = 0;
  for (ten_shaped **at = &shapes->first; *at;) {
    ten_shaped *s = *at;
    bytes += count++ ? s->bytes : 0;
    if (count <= MOST && bytes <= BUDGET) {
      at = &s->next;
      continue;
    }
    *at = s->next;
    s->next = NULL;
    s->dropped = true;
    if (!s->calls) shaped_free(s);
  }
}

/* Takes `dims`, unless it fails. */
static ten_status *shapes_add(ten_shapes *shapes, ten_tensor *const *inputs, int64_t *dims, size_t dim_count,
                              ten_shapes_make make, void *context) {
  ten_executable *made = NULL;
  ten_module *module = NULL;
  TEN_TRY(make(context, inputs, &made, &module));
  ten_memory memory;
  ten_executable_memory(made, &memory);
  ten_shaped *s = ten_alloc(sizeof *s);
  *s = (ten_shaped){.dims = dims,
                    .dim_count = dim_count,
                    .executable = made,
                    .module = module,
                    .bytes = memory.work,
                    .next = shapes->first};
  shapes->first = s;
  return NULL;
}

ten_status *ten_shapes_find(ten_shapes *shapes, ten_tensor *const *inputs, size_t count, ten_shapes_make make,
                            void *context, ten_executable **out_executable, ten_shaped **out_used) {
  size_t dim_count;
  int64_t *dims = dims_of(inputs, count, &dim_count);
  ten_status *status = NULL;
  *out_used = NULL;
  ten_mutex_lock(&shapes->mutex);
  ten_shaped **at = &shapes->first;
  while (*at && ((*at)->dim_count != dim_count || memcmp((*at)->dims, dims, dim_count * sizeof *dims)))
    at = &(*at)->next;
  if (*at) {
    ten_shaped *found = *at;
    *at = found->next;
    found->next = shapes->first;
    shapes->first = found;
    free(dims);
  } else {
    status = shapes_add(shapes, inputs, dims, dim_count, make, context);
    if (status) free(dims);
  }
  if (!status) {
    shapes->first->calls++;
    *out_used = shapes->first;
    *out_executable = shapes->first->executable;
    shapes_trim(shapes);
  }
  ten_mutex_unlock(&shapes->mutex);
  return status;
}

void ten_shapes_done(ten_shapes *shapes, ten_shaped *used) {
  if (!used) return;
  ten_mutex_lock(&shapes->mutex);
  const bool last = !--used->calls && used->dropped;
  ten_mutex_unlock(&shapes->mutex);
  if (last) shaped_free(used);
}
