/* programs.c: the programs compiled from graphs, the one that equals a graph, and the one that a graph may follow. */
#include <stdlib.h>

#include "base/hash.h"
#include "front/record/internal.h"

void record_program_free(ten_record_program *program) {
  record_nodes_free(&program->nodes);
  for (size_t i = 0; i < program->made.count; i++) free(program->made.data[i].values);
  ten_vec_free(&program->made);
  free(program);
}

void ten_recorder_clear(ten_recorder *r) {
  ten_recorder_leave(r);
  for (size_t i = 0; i < r->programs.count; i++) record_program_free(r->programs.data[i]);
  r->programs.count = 0;
  r->last = 0;
}

ten_record_program *record_program(const ten_recorder *r, uint64_t number) {
  for (size_t i = 0; number && i < r->programs.count; i++)
    if (r->programs.data[i]->number == number) return r->programs.data[i];
  return NULL;
}

static bool begins_with(const ten_record_program *program, const uint64_t *row, size_t count) {
  size_t have;
  const uint64_t *first = record_row(&program->nodes, 0, &have);
  return have == count && !memcmp(first, row, count * sizeof *row);
}

ten_record_program *record_guide(const ten_recorder *r, const uint64_t *row, size_t count) {
  const ten_record_program *last = record_program(r, r->last);
  ten_record_program *next = last ? record_program(r, last->next) : NULL;
  if (next && begins_with(next, row, count)) return next;
  for (size_t i = r->programs.count; i--;) /* else the one stored last */
    if (begins_with(r->programs.data[i], row, count)) return r->programs.data[i];
  return NULL;
}

static uint64_t digest_of(const record_nodes *nodes) {
  return ten_hash64(nodes->words.data, nodes->words.count * sizeof *nodes->words.data, nodes->ends.count);
}

static bool same_nodes(const record_nodes *a, const record_nodes *b) {
  return a->ends.count == b->ends.count && a->words.count == b->words.count &&
         !memcmp(a->ends.data, b->ends.data, a->ends.count * sizeof *a->ends.data) &&
         !memcmp(a->words.data, b->words.data, a->words.count * sizeof *a->words.data);
}

static ten_record_program *stored(const ten_recorder *r) {
  const uint64_t digest = digest_of(&r->nodes);
  for (size_t i = 0; i < r->programs.count; i++)
    if (r->programs.data[i]->digest == digest && same_nodes(&r->programs.data[i]->nodes, &r->nodes))
      return r->programs.data[i];
  return NULL;
}

ten_record_program *ten_recorder_find(ten_recorder *r, ten_buf *why) {
  if (r->guide && r->guide->nodes.ends.count == r->nodes.ends.count) return r->guide;
  ten_recorder_leave(r);
  ten_record_program *program = stored(r);
  if (program) return program;
  record_why(r, why);
  return record_learn(r) ? stored(r) : NULL;
}

#define copy_vec(to, from)                                                                     \
  do {                                                                                         \
    ten_vec_reserve((to), (from)->count);                                                      \
    if ((from)->count) memcpy((to)->data, (from)->data, (from)->count * sizeof *(from)->data); \
    (to)->count = (from)->count;                                                               \
  } while (0)

ten_record_program *ten_recorder_store(ten_recorder *r, uint64_t dropped[TEN_RECORD_PROGRAMS_MAX],
                                       size_t *out_dropped) {
  ten_recorder_leave(r);
  *out_dropped = 0;
  if (r->programs.count >= TEN_RECORD_PROGRAMS_MAX) {
    const size_t few = TEN_RECORD_PROGRAMS_MAX / 4;
    for (size_t i = 0; i < few; i++) {
      dropped[i] = r->programs.data[i]->number;
      record_program_free(r->programs.data[i]);
    }
    *out_dropped = few;
    r->programs.count -= few;
    memmove(r->programs.data, r->programs.data + few, r->programs.count * sizeof *r->programs.data);
  }
  ten_record_program *program = ten_alloc(sizeof *program);
  memset(program, 0, sizeof *program);
  copy_vec(&program->nodes.words, &r->nodes.words);
  copy_vec(&program->nodes.ends, &r->nodes.ends);
  copy_vec(&program->nodes.results, &r->nodes.results);
  copy_vec(&program->nodes.keys, &r->nodes.keys);
  copy_vec(&program->nodes.lines, &r->nodes.lines);
  copy_vec(&program->nodes.firsts, &r->nodes.firsts);
  program->number = ++r->programs_made;
  program->digest = digest_of(&program->nodes);
  program->values = (uint32_t)r->values.count;
  ten_vec_push(&r->programs, program);
  return program;
}

uint64_t ten_record_program_number(const ten_record_program *program) { return program->number; }

/* Whether each wanted value is among the returned ones. */
static bool returns_all(const ten_record_program *program, const record_returned *made, size_t count,
                        const uint32_t *wanted) {
  bool *is_returned = ten_alloc(program->values + 1);
  memset(is_returned, 0, program->values + 1);
  for (size_t i = 0; i < made->count; i++) is_returned[made->values[i]] = true;
  bool all = true;
  for (size_t i = 0; i < count && all; i++) all = wanted[i] < program->values && is_returned[wanted[i]];
  free(is_returned);
  return all;
}

int64_t ten_record_program_executable(const ten_record_program *program, size_t count, const uint32_t *wanted) {
  for (size_t i = 0; i < program->made.count; i++) {
    const record_returned *made = &program->made.data[i];
    if (made->count == count && (!count || !memcmp(made->values, wanted, count * sizeof *wanted))) return (int64_t)i;
  }
  for (size_t i = 0; i < program->made.count; i++)
    if (returns_all(program, &program->made.data[i], count, wanted)) return (int64_t)i;
  return -1;
}

void ten_record_program_add(ten_record_program *program, size_t count, const uint32_t *returned) {
  record_returned made = {.values = ten_alloc((count + 1) * sizeof *made.values), .count = count};
  if (count) memcpy(made.values, returned, count * sizeof *returned);
  ten_vec_push(&program->made, made);
}

void ten_recorder_ran(ten_recorder *r, ten_record_program *program) {
  ten_record_program *last = record_program(r, r->last);
  r->last = program ? program->number : 0;
  if (last) last->next = r->last;
}
