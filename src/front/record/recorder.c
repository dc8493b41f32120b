/* recorder.c: the graph of recorded ops that have not run yet, and the program that it follows. */
#include <stdlib.h>

#include "front/record/internal.h"

ten_recorder *ten_recorder_create(void) {
  ten_recorder *r = ten_alloc(sizeof *r);
  memset(r, 0, sizeof *r);
  ten_arena_init(&r->arena);
  r->graph = 1;
  r->shared_from = SIZE_MAX;
  ten_recorder_op(r, TEN_STR("input"), 1, &TEN_STR("spec"), 0);
  return r;
}

void record_nodes_free(record_nodes *nodes) {
  ten_vec_free(&nodes->words);
  ten_vec_free(&nodes->ends);
  ten_vec_free(&nodes->results);
  ten_vec_free(&nodes->keys);
  ten_vec_free(&nodes->lines);
  ten_vec_free(&nodes->firsts);
}

void ten_recorder_destroy(ten_recorder *r) {
  if (!r) return;
  ten_recorder_clear(r);
  ten_vec_free(&r->programs);
  record_table *const tables[] = {&r->strings, &r->specs, &r->results, &r->keys, &r->lines};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) record_table_free(tables[i]);
  for (size_t i = 0; i < r->ops.count; i++) free(r->ops.data[i].arguments);
  ten_vec_free(&r->spec_data);
  ten_vec_free(&r->inferred);
  ten_vec_free(&r->dtype_names);
  ten_vec_free(&r->ops);
  ten_vec_free(&r->changing);
  record_nodes_free(&r->nodes);
  ten_vec_free(&r->values);
  ten_vec_free(&r->inputs);
  ten_vec_free(&r->written);
  ten_vec_free(&r->scalars);
  ten_vec_free(&r->bodies);
  ten_arena_destroy(&r->arena);
  free(r);
}

uint64_t ten_recorder_graph(const ten_recorder *r) { return r->graph; }
size_t ten_recorder_count(const ten_recorder *r) { return r->nodes.ends.count; }

const uint64_t *record_row(const record_nodes *nodes, size_t node, size_t *out_count) {
  const size_t start = node ? nodes->ends.data[node - 1] : 0;
  *out_count = nodes->ends.data[node] - start;
  return nodes->words.data + start;
}

const uint64_t *ten_recorder_row(const ten_recorder *r, size_t node, size_t *out_count) {
  return record_row(&r->nodes, node, out_count);
}

/* ---- following ---- */

static bool is_next(const ten_recorder *r, const uint64_t *row, size_t count) {
  const ten_record_program *guide = r->guide;
  const size_t node = r->nodes.ends.count;
  if (!guide || node >= guide->nodes.ends.count) return false;
  size_t have;
  const uint64_t *other = record_row(&guide->nodes, node, &have);
  return have == count && !memcmp(other, row, count * sizeof *row);
}

bool ten_recorder_follow(const ten_recorder *r, const uint64_t *row, size_t count, uint32_t *out_results,
                         uint32_t *out_line) {
  if (!is_next(r, row, count)) return false;
  *out_results = r->guide->nodes.results.data[r->nodes.ends.count];
  *out_line = r->guide->nodes.lines.data[r->nodes.ends.count];
  return true;
}

void ten_recorder_leave(ten_recorder *r) {
  const size_t count = r->nodes.ends.count;
  if (r->guide && count) {
    memcpy(r->nodes.keys.data, r->guide->nodes.keys.data, count * sizeof *r->nodes.keys.data);
    memcpy(r->nodes.lines.data, r->guide->nodes.lines.data, count * sizeof *r->nodes.lines.data);
  }
  r->guide = NULL;
}

/* ---- recording ---- */

/* A row with a type for each value, and nothing for numbers that are inputs. */
static void key_arguments(const ten_recorder *r, uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i])) {
    const ten_record_kind kind = ten_record_kind_of(words[i]);
    if (kind == TEN_RECORD_VALUE) words[i + 1] = r->values.data[words[i + 1]];
    if (kind == TEN_RECORD_SCALAR) words[i + 1] = 0;
    if (kind == TEN_RECORD_LIST) key_arguments(r, words + i + 1, ten_record_words(words[i]));
  }
}

uint32_t ten_recorder_key(ten_recorder *r, const uint64_t *row, size_t count, uint32_t *out_results) {
  uint64_t few[128];
  uint64_t *words = count <= 128 ? few : ten_alloc(count * sizeof *words);
  memcpy(words, row, count * sizeof *words);
  key_arguments(r, words + 1, count - 1);
  const uint32_t key = record_table_add(&r->keys, words, count);
  if (words != few) free(words);
  while (r->inferred.count <= key) ten_vec_push(&r->inferred, TEN_RECORD_NO);
  *out_results = r->inferred.data[key];
  return r->keys_dropped + key;
}

void ten_recorder_infer(ten_recorder *r, uint32_t key, uint32_t results) {
  if (key >= r->keys_dropped) r->inferred.data[key - r->keys_dropped] = results;
}

uint32_t ten_recorder_add(ten_recorder *r, const uint64_t *row, size_t count, uint32_t results, uint32_t key,
                          uint32_t line) {
  if (!r->nodes.ends.count)
    r->guide = record_guide(r, row, count);
  else if (r->guide && !is_next(r, row, count))
    ten_recorder_leave(r);
  const uint32_t first = (uint32_t)r->values.count;
  record_nodes *nodes = &r->nodes;
  const size_t node = nodes->ends.count;
  size_t made;
  const uint64_t *specs = ten_recorder_results_of(r, results, &made);
  ten_vec_reserve(&r->values, first + made); /* reserve first: the graph is consistent at each allocation */
  ten_vec_reserve(&nodes->words, nodes->words.count + count);
  ten_vec_reserve(&nodes->ends, node + 1);
  ten_vec_reserve(&nodes->results, node + 1);
  ten_vec_reserve(&nodes->keys, node + 1);
  ten_vec_reserve(&nodes->lines, node + 1);
  ten_vec_reserve(&nodes->firsts, node + 1);
  for (size_t i = 0; i < made; i++)
    if (specs[i] != TEN_RECORD_NO) r->values.data[r->values.count++] = (uint32_t)specs[i];
  memcpy(nodes->words.data + nodes->words.count, row, count * sizeof *row);
  nodes->words.count += count;
  nodes->ends.data[node] = nodes->words.count;
  nodes->results.data[node] = results;
  nodes->keys.data[node] = key;
  nodes->lines.data[node] = line;
  nodes->firsts.data[node] = first;
  nodes->ends.count = nodes->results.count = nodes->keys.count = nodes->lines.count = nodes->firsts.count = node + 1;
  if (r->ops.data[row[0]].flags & TEN_RECORD_RANDOM) r->random = true;
  return first;
}

uint32_t ten_recorder_input(ten_recorder *r, uint32_t spec) {
  const uint64_t row[3] = {TEN_RECORD_INPUT, ten_record_head(TEN_RECORD_INT, 1), spec};
  ten_vec_reserve(&r->inputs, r->inputs.count + 1);
  const uint32_t value = ten_recorder_add(r, row, 3, ten_recorder_results(r, 1, &spec), TEN_RECORD_NO, TEN_RECORD_NO);
  ten_vec_push(&r->inputs, value);
  return value;
}

uint32_t ten_recorder_value_spec(const ten_recorder *r, uint32_t value) { return r->values.data[value]; }

bool ten_recorder_may_promote(const ten_recorder *r, uint32_t op, double number) {
  return number == number && r->ops.data[op].flags & TEN_RECORD_MAY_PROMOTE;
}

bool ten_recorder_promotes(const ten_recorder *r, uint32_t op) { return r->ops.data[op].flags & TEN_RECORD_PROMOTES; }
bool ten_recorder_has_changing(const ten_recorder *r) { return r->changing.count; }

bool ten_recorder_is_changing(const ten_recorder *r, uint32_t op, size_t argument, uint32_t line) {
  for (size_t i = 0; i < r->changing.count; i++) {
    const record_change *change = &r->changing.data[i];
    if (change->op == op && change->argument == argument && change->line == line) return true;
  }
  return false;
}

uint32_t ten_recorder_scalar(ten_recorder *r, double number) {
  for (size_t i = r->shared_from; i < r->scalars.count; i++)
    if (r->scalars.data[i] == number) return (uint32_t)i;
  ten_vec_push(&r->scalars, number);
  return (uint32_t)r->scalars.count - 1;
}

void ten_recorder_share(ten_recorder *r, bool on) { r->shared_from = on ? r->scalars.count : SIZE_MAX; }

const double *ten_recorder_scalars(const ten_recorder *r, size_t *out_count) {
  *out_count = r->scalars.count;
  return r->scalars.data;
}

bool ten_recorder_is_written(const ten_recorder *r, uint32_t value) {
  return value < r->written.count && r->written.data[value];
}

void ten_recorder_write(ten_recorder *r, uint32_t value) {
  while (r->written.count <= value) ten_vec_push(&r->written, false);
  r->written.data[value] = true;
}

bool ten_recorder_is_random(const ten_recorder *r) { return r->random; }

void ten_recorder_reset(ten_recorder *r) {
  r->nodes.words.count = r->nodes.ends.count = r->nodes.results.count = 0;
  r->nodes.keys.count = r->nodes.lines.count = r->nodes.firsts.count = 0;
  r->values.count = r->inputs.count = r->written.count = r->scalars.count = r->bodies.count = 0;
  if (r->shared_from != SIZE_MAX) r->shared_from = 0;
  r->random = false;
  r->guide = NULL;
  r->graph++;
  if (r->inferred.count > TEN_RECORD_KEYS_MAX) { /* for shapes that keep changing; numbering continues from here */
    r->keys_dropped += (uint32_t)r->inferred.count;
    record_table_free(&r->keys);
    r->keys = (record_table){0};
    r->inferred.count = 0;
  }
}

/* ---- reading ---- */

uint32_t ten_recorder_node_key(const ten_recorder *r, size_t node) { return r->nodes.keys.data[node]; }
uint32_t ten_recorder_node_line(const ten_recorder *r, size_t node) { return r->nodes.lines.data[node]; }

size_t ten_recorder_node_values(const ten_recorder *r, size_t node, int64_t *numbers, size_t capacity) {
  size_t count;
  const uint64_t *specs = ten_recorder_results_of(r, r->nodes.results.data[node], &count);
  int64_t value = r->nodes.firsts.data[node];
  for (size_t i = 0; i < count && i < capacity; i++) numbers[i] = specs[i] == TEN_RECORD_NO ? -1 : value++;
  return count;
}

void ten_recorder_body(ten_recorder *r, size_t node, ten_str text) {
  ten_vec_push(&r->bodies, ((record_body){node, ten_recorder_string(r, text)}));
}
