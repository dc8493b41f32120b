/* rule.c: shardings by a rule such as `([i, j], [j, k])->([i, k]) {i=8, j=4, k=16} reduction={j}`. Each dimension of
 * each value is a factor (or several: `[ij]`), and a factor is split in the results as in the first operand that splits
 * it. The kind of a factor (reduction and others) matters only to the partitioner.
 * Keeps: every tiling is complete and even; a factor that would violate that is not split. */
#include <stdlib.h>
#include <string.h>

#include "transform/shard/custom.h"

enum { FACTORS_MAX = 64, DIM_FACTORS_MAX = 8 };

typedef struct factor {
  int64_t size;
  bool is_cut;    /* by `cut`, which is owned and has one dimension */
  bool is_active; /* counts when tilings are made */
  ten_tiling cut;
} factor;

typedef struct dimension {
  uint32_t count;
  uint32_t factors[DIM_FACTORS_MAX]; /* major first */
} dimension;

typedef struct value_rule {
  const ten_type *type;
  dimension dims[TEN_RANK_MAX];
} value_rule;

typedef struct rule {
  factor factors[FACTORS_MAX];
  uint32_t value_count, operand_count, devices;
  value_rule *values; /* operands, then results; owned */
} rule;

static void skip(ten_str *s, const char *characters) {
  while (s->size && strchr(characters, *s->data)) s->data++, s->size--;
}

static bool accept(ten_str *s, char c) {
  skip(s, " \n");
  if (!s->size || *s->data != c) return false;
  s->data++, s->size--;
  return true;
}

static bool number(ten_str *s, int64_t *out) {
  const size_t before = s->size;
  for (*out = 0; s->size && *s->data >= '0' && *s->data <= '9' && *out < (int64_t)1 << 48; s->data++, s->size--)
    *out = *out * 10 + (*s->data - '0');
  return s->size < before;
}

/* i, j, … z, z_1, z_2, … */
static bool factor_name(ten_str *s, uint32_t *out) {
  skip(s, " \n");
  if (!s->size || *s->data < 'i' || *s->data > 'z') return false;
  int64_t at = *s->data - 'i', more = 0;
  s->data++, s->size--;
  if (at == 'z' - 'i' && s->size && *s->data == '_') {
    s->data++, s->size--;
    if (!number(s, &more)) return false;
  }
  *out = (uint32_t)(at + more < FACTORS_MAX ? at + more : FACTORS_MAX);
  return *out < FACTORS_MAX;
}

/* ([i, jk], [k]): the values from `first` on; false when the text has another form. */
static bool read_values(ten_str *s, rule *r, uint32_t first, uint32_t count) {
  if (!accept(s, '(')) return false;
  for (uint32_t v = first; v < first + count; v++) {
    value_rule *value = &r->values[v];
    if ((v > first && !accept(s, ',')) || !accept(s, '[')) return false;
    for (uint32_t i = 0; i < value->type->rank; i++) {
      dimension *dim = &value->dims[i];
      if (i && !accept(s, ',')) return false;
      while (dim->count < DIM_FACTORS_MAX && factor_name(s, &dim->factors[dim->count])) dim->count++;
      if (!dim->count) return false;
    }
    if (!accept(s, ']')) return false;
  }
  return accept(s, ')');
}

static bool read_sizes(ten_str *s, rule *r) {
  if (!accept(s, '{')) return false;
  uint32_t f;
  while (factor_name(s, &f)) {
    if (!accept(s, '=') || !number(s, &r->factors[f].size) || r->factors[f].size < 1) return false;
    accept(s, ',');
  }
  return accept(s, '}');
}

static bool read_rule(ten_str text, rule *r) {
  static const char prefix[] = "#sdy.op_sharding_rule";
  if (ten_str_starts(text, prefix)) text.data += sizeof prefix - 1, text.size -= sizeof prefix - 1;
  if (!accept(&text, '<') || !read_values(&text, r, 0, r->operand_count)) return false;
  if (!accept(&text, '-') || !accept(&text, '>')) return false;
  return read_values(&text, r, r->operand_count, r->value_count - r->operand_count) && read_sizes(&text, r);
}

/* Distributes a dimension's split over its factors, the major one first. */
static void take_cut(rule *r, const value_rule *value, const ten_tiling *tiling) {
  for (uint32_t i = 0; i < tiling->rank; i++) {
    int64_t left = tiling->tiles[i];
    for (uint32_t k = 0; k < value->dims[i].count && left > 1; k++) {
      factor *f = &r->factors[value->dims[i].factors[k]];
      const int64_t own = f->size % left == 0 ? left : f->size;
      if (own < 1 || left % own) break;
      left /= own;
      if (own == 1 || f->is_cut) continue;
      ten_tiling_whole(1, r->devices, &f->cut);
      f->cut.tiles[0] = own;
      for (uint32_t d = 0; d < r->devices; d++)
        f->cut.place[d] = (uint32_t)(tiling->place[d * tiling->rank + i] / left % own);
      f->is_cut = true;
    }
  }
}

/* False when the active factors do not split the value into tiles. */
static bool make_tiling(const rule *r, const value_rule *value, ten_tiling *out) {
  bool fits = true;
  ten_tiling_whole(value->type->rank, r->devices, out);
  for (uint32_t i = 0; i < out->rank; i++) {
    bool below = false; /* behind a factor that is only partly split, nothing can be split */
    for (uint32_t k = 0; k < value->dims[i].count; k++) {
      const factor *f = &r->factors[value->dims[i].factors[k]];
      if (f->is_active) {
        fits &= !below;
        out->tiles[i] *= f->cut.tiles[0];
        for (uint32_t d = 0; d < r->devices; d++) {
          uint32_t *place = &out->place[d * out->rank + i];
          *place = *place * (uint32_t)f->cut.tiles[0] + f->cut.place[d];
        }
      }
      below |= f->size > 1 && (!f->is_active || f->cut.tiles[0] != f->size);
    }
  }
  int64_t local[TEN_RANK_MAX];
  return fits && ten_tiling_local(out, value->type->dims, local) && ten_tiling_is_complete(out);
}

static bool results_fit(const rule *r) {
  bool fit = true;
  for (uint32_t v = r->operand_count; v < r->value_count && fit; v++) {
    ten_tiling tiling;
    fit = make_tiling(r, &r->values[v], &tiling);
    ten_tiling_free(&tiling);
  }
  return fit;
}

ten_status *ten_rule_apply(ten_str text, ten_partition_call *call) {
  const ten_op *op = call->op;
  rule *r = ten_alloc(sizeof *r);
  memset(r, 0, sizeof *r);
  r->operand_count = op->operand_count;
  r->value_count = op->operand_count + op->result_count;
  r->devices = op->operand_count ? call->operands[0].devices : call->results[0].devices;
  r->values = ten_alloc((r->value_count + 1) * sizeof *r->values);
  memset(r->values, 0, (r->value_count + 1) * sizeof *r->values);
  for (uint32_t v = 0; v < r->value_count; v++)
    r->values[v].type = v < r->operand_count ? ten_op_operand(op, v)->type : op->results[v - r->operand_count].type;
  ten_status *status = NULL;
  if (!read_rule(text, r)) {
    status = ten_op_error(op, TEN_INVALID, "'%.*s' is not a sharding rule of its %u operands and %u results",
                          TEN_FMT(text), op->operand_count, op->result_count);
  } else {
    for (uint32_t v = 0; v < op->operand_count; v++) take_cut(r, &r->values[v], &call->operands[v]);
    for (uint32_t f = 0; f < FACTORS_MAX; f++) {
      r->factors[f].is_active = r->factors[f].is_cut;
      if (r->factors[f].is_cut && !results_fit(r)) r->factors[f].is_active = false;
    }
    for (uint32_t v = 0; v < op->result_count; v++) {
      ten_tiling_free(&call->results[v]);
      (void)make_tiling(r, &r->values[op->operand_count + v], &call->results[v]); /* valid: results_fit */
    }
  }
  for (uint32_t f = 0; f < FACTORS_MAX; f++)
    if (r->factors[f].is_cut) ten_tiling_free(&r->factors[f].cut);
  free(r->values);
  free(r);
  return status;
}
