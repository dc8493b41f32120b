/* fold.c: values that are known without running the graph: constants, and what takes a few small ops. */
#include "front/record/internal.h"

/* The node that defines a value: the last one whose first value is not after it. */
static size_t maker_of(const ten_recorder *r, uint32_t value) {
  size_t low = 0, high = r->nodes.firsts.count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (r->nodes.firsts.data[middle] <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

typedef struct fold_state {
  const ten_recorder *r;
  bool inputs;
  uint32_t *nodes;
  size_t count;
} fold_state;

static bool is_small(const fold_state *f, size_t node) {
  const ten_recorder *r = f->r;
  const int64_t most = f->inputs ? TEN_RECORD_PEEK_SIZE : TEN_RECORD_FOLD_SIZE;
  int64_t values[64];
  const size_t count = ten_recorder_node_values(r, node, values, 64);
  if (count > 64) return false;
  for (size_t i = 0; i < count; i++) {
    if (values[i] < 0) continue;
    if (ten_recorder_is_written(r, (uint32_t)values[i])) return false;
    if (r->spec_data.data[r->values.data[values[i]]].elements > most) return false;
  }
  return true;
}

static bool fold_value(fold_state *f, uint32_t value);

static bool fold_arguments(fold_state *f, const uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i])) {
    const ten_record_kind kind = ten_record_kind_of(words[i]);
    if (kind == TEN_RECORD_VALUE && !fold_value(f, (uint32_t)words[i + 1])) return false;
    if (kind == TEN_RECORD_LIST && !fold_arguments(f, words + i + 1, ten_record_words(words[i]))) return false;
  }
  return true;
}

/* Bounded: each call adds a node, at most FOLD_MAX + 1. */
static bool fold_value(fold_state *f, uint32_t value) {
  const size_t node = maker_of(f->r, value);
  for (size_t i = 0; i < f->count; i++)
    if (f->nodes[i] == node) return true;
  if (f->count > TEN_RECORD_FOLD_MAX) return false;
  size_t count;
  const uint64_t *row = record_row(&f->r->nodes, node, &count);
  const bool is_input = row[0] == TEN_RECORD_INPUT;
  if (is_input ? !f->inputs : (f->r->ops.data[row[0]].flags & TEN_RECORD_RANDOM) != 0) return false;
  if (!is_small(f, node)) return false;
  f->nodes[f->count++] = (uint32_t)node;
  return is_input || fold_arguments(f, row + 1, count - 1);
}

size_t ten_recorder_fold(const ten_recorder *r, uint32_t value, bool inputs, uint32_t nodes[TEN_RECORD_FOLD_MAX + 1]) {
  fold_state f = {.r = r, .inputs = inputs, .nodes = nodes};
  if (value >= r->values.count || ten_recorder_is_written(r, value) || !fold_value(&f, value)) return 0;
  return f.count;
}
