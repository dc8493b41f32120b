/* nearest.c: the difference between a graph and the most similar stored program; numbers that change become inputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/record/internal.h"

bool record_same_row(const record_nodes *a, const record_nodes *b, size_t node) {
  size_t counts[2];
  const uint64_t *rows[2] = {record_row(a, node, &counts[0]), record_row(b, node, &counts[1])};
  return counts[0] == counts[1] && !memcmp(rows[0], rows[1], counts[0] * sizeof **rows);
}

/* ---- as text ---- */

void record_number_text(ten_buf *out, double number) {
  if (isnan(number)) return ten_buf_adds(out, "nan");
  if (isinf(number)) return ten_buf_adds(out, number > 0 ? "inf" : "-inf");
  char text[40];
  int digits = 1;
  for (; digits < 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, number);
    if (strtod(text, NULL) == number) break;
  }
  snprintf(text, sizeof text, "%.*e", digits - 1, number);
  const int exponent = atoi(strchr(text, 'e') + 1);
  if (exponent >= -4 && exponent < 16)
    snprintf(text, sizeof text, "%.*f", digits - 1 - exponent > 1 ? digits - 1 - exponent : 1, number);
  ten_buf_adds(out, text);
}

static void spec_text(const ten_recorder *r, ten_buf *out, uint32_t id) {
  const ten_record_spec *spec = &r->spec_data.data[id];
  const uint32_t name = spec->dtype < r->dtype_names.count ? r->dtype_names.data[spec->dtype] : TEN_RECORD_NO;
  if (name != TEN_RECORD_NO) ten_buf_addstr(out, ten_recorder_text(r, name));
  ten_buf_addc(out, '[');
  for (uint32_t d = 0; d < spec->rank; d++) ten_buf_printf(out, "%s%lld", d ? ", " : "", (long long)spec->shape[d]);
  ten_buf_addc(out, ']');
}

static void word_text(const ten_recorder *r, ten_buf *out, ten_record_kind kind, uint64_t word) {
  switch (kind) {
    case TEN_RECORD_BOOL:
    case TEN_RECORD_BOOLS: return ten_buf_adds(out, word ? "True" : "False");
    case TEN_RECORD_FLOAT:
    case TEN_RECORD_FLOATS: return record_number_text(out, ten_record_number(word));
    case TEN_RECORD_STRING:
    case TEN_RECORD_STRINGS: return ten_buf_addstr(out, ten_recorder_text(r, (uint32_t)word));
    case TEN_RECORD_DTYPE:
      if (word < r->dtype_names.count && r->dtype_names.data[word] != TEN_RECORD_NO)
        return ten_buf_addstr(out, ten_recorder_text(r, r->dtype_names.data[word]));
      return ten_buf_printf(out, "dtype %llu", (unsigned long long)word);
    default: return ten_buf_printf(out, "%lld", (long long)word);
  }
}

static void argument_text(const ten_recorder *r, ten_buf *out, const uint64_t *words) {
  const ten_record_kind kind = ten_record_kind_of(words[0]);
  const size_t count = ten_record_words(words[0]);
  switch (kind) {
    case TEN_RECORD_MISSING: return ten_buf_adds(out, "left out");
    case TEN_RECORD_NONE: return ten_buf_adds(out, "None");
    case TEN_RECORD_SCALAR: return ten_buf_adds(out, "an input");
    case TEN_RECORD_VALUE: return ten_buf_printf(out, "value %llu", (unsigned long long)words[1]);
    case TEN_RECORD_LIST: return ten_buf_adds(out, "a list");
    case TEN_RECORD_COMPLEX:
      ten_buf_addc(out, '(');
      record_number_text(out, ten_record_number(words[1]));
      ten_buf_adds(out, signbit(ten_record_number(words[2])) ? "" : "+");
      record_number_text(out, ten_record_number(words[2]));
      return ten_buf_adds(out, "j)");
    case TEN_RECORD_INTS:
    case TEN_RECORD_BOOLS:
    case TEN_RECORD_FLOATS:
    case TEN_RECORD_STRINGS:
      ten_buf_addc(out, '(');
      for (size_t i = 0; i < count; i++) {
        if (i) ten_buf_adds(out, ", ");
        word_text(r, out, kind, words[1 + i]);
      }
      return ten_buf_adds(out, count == 1 ? ",)" : ")");
    default: word_text(r, out, kind, words[1]);
  }
}

/* ---- the reason for compiling a graph ---- */

/* The most similar stored program that shares at least half of the ops; *out_common rows are equal. */
static const ten_record_program *most_similar(const ten_recorder *r, size_t *out_common) {
  const ten_record_program *best = NULL;
  size_t best_same = 0, best_common = 0;
  bool best_equal = false;
  const size_t count = r->nodes.ends.count;
  for (size_t p = 0; p < r->programs.count; p++) {
    const ten_record_program *program = r->programs.data[p];
    const size_t other = program->nodes.ends.count;
    const size_t few = other < count ? other : count, many = other < count ? count : other;
    if (few * 2 < many) continue;
    size_t same = 0, common = 0, unused;
    for (size_t i = 0; i < few; i++)
      same += record_row(&program->nodes, i, &unused)[0] == record_row(&r->nodes, i, &unused)[0];
    while (common < few && record_same_row(&program->nodes, &r->nodes, common)) common++;
    const bool equal = few == many;
    if (same * 2 < many || same < best_same) continue;
    if (same == best_same && (common < best_common || (common == best_common && equal < best_equal))) continue;
    best = program, best_same = same, best_common = common, best_equal = equal;
  }
  *out_common = best_common;
  return best;
}

static ten_str name_of(const ten_recorder *r, const uint64_t *row) {
  return row[0] == TEN_RECORD_INPUT ? TEN_STR("an input") : ten_recorder_text(r, r->ops.data[row[0]].name);
}

/* " at file:line" of the first node from here on that has a line. */
static void place_text(const ten_recorder *r, ten_buf *out, size_t node) {
  for (; node < r->nodes.lines.count; node++) {
    if (r->nodes.lines.data[node] == TEN_RECORD_NO) continue;
    size_t count;
    const uint64_t *line = record_table_row(&r->lines, r->nodes.lines.data[node], &count);
    const ten_str file = ten_recorder_text(r, (uint32_t)line[0]);
    return ten_buf_printf(out, " at %.*s:%llu", TEN_FMT(file), (unsigned long long)line[2]);
  }
}

static void row_difference(const ten_recorder *r, ten_buf *out, const record_nodes *other, size_t node) {
  size_t was_count, now_count;
  const uint64_t *was = record_row(other, node, &was_count), *now = record_row(&r->nodes, node, &now_count);
  if (was[0] == now[0] && now[0] == TEN_RECORD_INPUT) {
    ten_buf_adds(out, "an operand");
    place_text(r, out, node);
    ten_buf_adds(out, " is ");
    spec_text(r, out, (uint32_t)now[2]);
    ten_buf_adds(out, ", before ");
    return spec_text(r, out, (uint32_t)was[2]);
  }
  size_t at = 1, from = 1;
  for (size_t k = 0; was[0] == now[0] && at < was_count && from < now_count; k++) {
    const size_t have = 1 + ten_record_words(was[at]), size = 1 + ten_record_words(now[from]);
    if (have != size || memcmp(was + at, now + from, size * sizeof *was)) {
      ten_buf_printf(out, "argument %zu of %.*s", k, TEN_FMT(name_of(r, now)));
      place_text(r, out, node);
      ten_buf_adds(out, " is ");
      argument_text(r, out, now + from);
      ten_buf_adds(out, ", before ");
      return argument_text(r, out, was + at);
    }
    at += have, from += size;
  }
  ten_buf_addstr(out, name_of(r, now));
  place_text(r, out, node);
  ten_buf_printf(out, ", where %.*s was before", TEN_FMT(name_of(r, was)));
}

void record_why(const ten_recorder *r, ten_buf *out) {
  size_t common;
  const ten_record_program *best = most_similar(r, &common);
  if (!best) return ten_buf_adds(out, "first seen");
  const size_t count = r->nodes.ends.count, other = best->nodes.ends.count;
  if (common == count && common == other) return ten_buf_adds(out, "other values are still in use");
  if (common >= (count < other ? count : other)) return ten_buf_printf(out, "%zu ops, before %zu", count, other);
  row_difference(r, out, &best->nodes, common);
}

/* ---- numbers that change ---- */

typedef struct place {
  size_t node, argument;
} place;
typedef TEN_VEC(place) places;

/* Adds the arguments of a node that differ as numbers; false if anything else differs. */
static bool changed_numbers(const ten_recorder *r, const record_nodes *other, size_t node, places *found) {
  size_t was_count, count;
  const uint64_t *was = record_row(other, node, &was_count), *now = record_row(&r->nodes, node, &count);
  if (was_count != count || was[0] != now[0] || !(r->ops.data[now[0]].flags & TEN_RECORD_MAY_PROMOTE)) return false;
  size_t k = 0;
  for (size_t i = 1; i < count; i += 1 + ten_record_words(now[i]), k++) {
    if (was[i] != now[i]) return false;
    const size_t words = ten_record_words(now[i]);
    if (!memcmp(was + i + 1, now + i + 1, words * sizeof *now)) continue;
    if (ten_record_kind_of(now[i]) != TEN_RECORD_FLOAT) return false;
    ten_vec_push(found, ((place){node, k}));
  }
  return true;
}

/* Records that these numbers change. */
static void note_changes(ten_recorder *r, const places *found) {
  for (size_t i = 0; i < found->count; i++) {
    size_t count;
    const record_change change = {.op = (uint32_t)record_row(&r->nodes, found->data[i].node, &count)[0],
                                  .line = r->nodes.lines.data[found->data[i].node],
                                  .argument = found->data[i].argument};
    if (!ten_recorder_is_changing(r, change.op, change.argument, change.line)) ten_vec_push(&r->changing, change);
  }
}

/* Turns numbers into inputs, all inputs numbered in recording order. `numbers` has room for the maximum, `moved` maps
 * each old input to its new number: TEN_RECORD_NO until known. */
static size_t renumber(ten_recorder *r, double *numbers, uint32_t *moved) {
  size_t made = 0;
  for (size_t node = 0; node < r->nodes.ends.count; node++) {
    size_t count, k = 0;
    uint64_t *row = r->nodes.words.data + (record_row(&r->nodes, node, &count) - r->nodes.words.data);
    for (size_t i = 1; row[0] != TEN_RECORD_INPUT && i < count; i += 1 + ten_record_words(row[i]), k++) {
      const ten_record_kind kind = ten_record_kind_of(row[i]);
      if (kind == TEN_RECORD_SCALAR) {
        uint32_t *to = &moved[row[i + 1]];
        if (*to == TEN_RECORD_NO) {
          *to = (uint32_t)made;
          numbers[made++] = r->scalars.data[row[i + 1]];
        }
        row[i + 1] = *to;
      } else if (kind == TEN_RECORD_FLOAT &&
                 ten_recorder_is_changing(r, (uint32_t)row[0], k, r->nodes.lines.data[node])) {
        numbers[made] = ten_record_number(row[i + 1]);
        row[i] = ten_record_head(TEN_RECORD_SCALAR, 1);
        row[i + 1] = made++;
      }
    }
  }
  return made;
}

static void promote(ten_recorder *r, const places *found) {
  note_changes(r, found);
  const size_t most = r->nodes.words.count; /* a number takes two words */
  double *numbers = ten_alloc((most + 1) * sizeof *numbers);
  uint32_t *moved = ten_alloc((r->scalars.count + 1) * sizeof *moved);
  ten_vec_reserve(&r->scalars, most);
  for (size_t i = 0; i < r->scalars.count; i++) moved[i] = TEN_RECORD_NO;
  r->scalars.count = renumber(r, numbers, moved);
  if (r->scalars.count) memcpy(r->scalars.data, numbers, r->scalars.count * sizeof *numbers);
  free(moved);
  free(numbers);
}

bool record_learn(ten_recorder *r) {
  bool learned = false;
  places found = {0};
  for (size_t p = 0; p < r->programs.count; p++) {
    const record_nodes *other = &r->programs.data[p]->nodes;
    if (other->ends.count != r->nodes.ends.count) continue;
    found.count = 0;
    size_t node = 0;
    while (node < other->ends.count &&
           (record_same_row(other, &r->nodes, node) || changed_numbers(r, other, node, &found)))
      node++;
    if (node < other->ends.count) continue;
    if (found.count) promote(r, &found), learned = true;
    break;
  }
  ten_vec_free(&found);
  return learned;
}
