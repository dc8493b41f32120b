/* pt2_alias.c: semantics of strides. Whether a reshape or contiguous() returns a view of its tensor or a copy: only
 * through a view is a later write to one visible in the other. And the order of dimensions in memory, for ops that read
 * memory by explicit strides. */
#include "base/size.h"
#include "front/import/pt2_graph.h"

enum { RANK_MAX = PT2_RANK_MAX };

typedef struct layout {
  size_t rank;
  int64_t sizes[RANK_MAX], strides[RANK_MAX], offset;
} layout;

/* Symbolic numbers take their values at export. */
static bool numbers_read(const json_t *list, size_t rank, int64_t *out) {
  for (size_t i = 0; i < rank; i++) {
    const json_t *item = json_array_get(list, i), *expression = json_object_get(item, "as_expr");
    out[i] = pt2_int(expression ? json_object_get(expression, "hint") : item, "as_int", -1);
    if (out[i] < 0) return false;
  }
  return true;
}

static bool layout_read(const pt2_graph *g, const json_t *argument, layout *out) {
  const char *name = pt2_argument_name(argument);
  const json_t *meta = name ? json_object_get(json_object_get(g->json, "tensor_values"), name) : NULL;
  const json_t *sizes = json_object_get(meta, "sizes"), *strides = json_object_get(meta, "strides");
  const json_t *offset = json_object_get(meta, "storage_offset"), *expression = json_object_get(offset, "as_expr");
  out->rank = json_array_size(sizes);
  out->offset = pt2_int(expression ? json_object_get(expression, "hint") : offset, "as_int", 0);
  return json_is_array(sizes) && json_array_size(strides) == out->rank && out->rank <= RANK_MAX &&
         numbers_read(sizes, out->rank, out->sizes) && numbers_read(strides, out->rank, out->strides);
}

/* Dimensions that are contiguous in memory, from the last on, must consist of whole dimensions of the result. */
static bool is_view(const layout *from, const layout *to) {
  for (size_t i = 0; i < from->rank; i++)
    if (!from->sizes[i]) return true;
  size_t left = to->rank;
  for (size_t end = from->rank; end;) {
    size_t first = end - 1;
    int64_t run = from->sizes[first], step = from->strides[first], made = 1;
    for (; first; first--) {
      int64_t next;
      if (!ten_mul_i64(run, step, &next)) return true;
      if (from->sizes[first - 1] != 1 && from->strides[first - 1] != next && run != 1) break;
      if (run == 1) step = from->strides[first - 1]; /* the stride of a dimension of size 1 is irrelevant */
      if (!ten_mul_i64(run, from->sizes[first - 1], &run)) return true;
    }
    for (; left && (made < run || to->sizes[left - 1] == 1); left--)
      if (!ten_mul_i64(made, to->sizes[left - 1], &made)) return true;
    if (made != run) return false;
    end = first;
  }
  return true;
}

/* The same elements at the same addresses: strides of dimensions of size 1 are irrelevant. */
static bool is_same(const layout *from, const layout *to) {
  bool same = from->rank == to->rank;
  for (size_t i = 0; same && i < from->rank; i++)
    same = from->sizes[i] == to->sizes[i] && (from->sizes[i] == 1 || from->strides[i] == to->strides[i]);
  return same;
}

bool pt2_copies(const pt2_graph *g, ten_str op, const json_t *node) {
  static const char *const reshapes[] = {"aten.reshape.default", "aten.flatten.using_ints", "aten.ravel.default",
                                         "aten.reshape_as.default"};
  bool contiguous = ten_str_is(op, "aten.contiguous.default"), reshape = false;
  for (size_t i = 0; i < sizeof reshapes / sizeof *reshapes; i++) reshape |= ten_str_is(op, reshapes[i]);
  layout from, to;
  if ((!contiguous && !reshape) ||
      !layout_read(g, json_object_get(json_array_get(json_object_get(node, "inputs"), 0), "arg"), &from) ||
      !layout_read(g, json_array_get(json_object_get(node, "outputs"), 0), &to))
    return contiguous;
  return contiguous ? !is_same(&from, &to) : !is_view(&from, &to);
}

bool pt2_is_turned(const pt2_graph *g, ten_str op, const json_t *node) {
  layout from;
  if ((!ten_str_starts(op, "aten._linalg_det") && !ten_str_starts(op, "aten._linalg_slogdet")) ||
      !layout_read(g, json_object_get(json_array_get(json_object_get(node, "inputs"), 0), "arg"), &from))
    return false;
  int64_t expected = 1;
  bool plain = true;
  for (size_t i = from.rank; i-- && plain;) {
    plain = from.sizes[i] == 1 || from.strides[i] == expected;
    plain = plain && ten_mul_i64(expected, from.sizes[i], &expected);
  }
  return !plain;
}

bool pt2_order(const pt2_graph *g, ten_str op, const json_t *node, size_t *out_count, int64_t *order) {
  layout from;
  if ((!ten_str_starts(op, "aten.as_strided") && !ten_str_starts(op, "aten.sym_stride")) ||
      !layout_read(g, json_object_get(json_array_get(json_object_get(node, "inputs"), 0), "arg"), &from))
    return false;
  bool moved = false;
  for (size_t i = 0; i < from.rank; i++) { /* insertion sort: the largest stride first, stable */
    size_t to = i;
    for (size_t k = i; k-- && from.sizes[i] != 1;) {
      if (from.sizes[order[k]] == 1) continue; /* the stride of a dimension of size 1 is irrelevant */
      if (from.strides[order[k]] >= from.strides[i]) break;
      to = k;
    }
    for (size_t k = i; k > to; k--) order[k] = order[k - 1];
    order[to] = (int64_t)i;
    moved |= to != i;
  }
  int64_t expected = 1;
  bool dense = from.offset == 0;
  for (size_t i = from.rank; i-- && dense;) {
    dense = from.sizes[order[i]] == 1 || from.strides[order[i]] == expected;
    dense = dense && ten_mul_i64(expected, from.sizes[order[i]], &expected);
  }
  *out_count = dense ? from.rank : from.rank + 1; /* one more: memory also has other elements */
  order[from.rank] = 0;
  return moved || !dense;
}
