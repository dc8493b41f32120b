/* analyze.c: rows from the ops, liveness of their results, sums by kind and by layer. Memory is counted as PyTorch
 * would hold it, op by op: a view has none of its own, every other result has, from the op that defines it to the last
 * reader of it or of a view of it. */
#include "analyze/analyze.h"

#include <stdlib.h>

#include "front/import/load.h"
#include "ir/cost.h"
#include "ir/verify/verify.h"

/* A buffer. */
typedef struct piece {
  const void *key;
  uint64_t bytes;
  size_t first, last; /* rows */
  bool made;          /* by an op: neither a weight nor an input */
  ten_str name;       /* of the weight or input */
} piece;

typedef struct analyzing {
  ten_analysis *out;
  TEN_VEC(piece) pieces;
  ten_cost_sums owners; /* layers with parameters, in listed order */
  size_t *places;       /* open-addressed hash table by key: piece + 1 */
  size_t capacity;
} analyzing;

static size_t slot_of(const analyzing *a, const void *key) {
  size_t at = ((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (a->capacity - 1);
  while (a->places[at] && a->pieces.data[a->places[at] - 1].key != key) at = (at + 1) & (a->capacity - 1);
  return at;
}

static piece *piece_find(analyzing *a, const void *key) {
  const size_t at = a->capacity ? a->places[slot_of(a, key)] : 0;
  return at ? &a->pieces.data[at - 1] : NULL;
}

static void piece_add(analyzing *a, piece made) {
  if (a->pieces.count * 2 >= a->capacity) {
    const size_t capacity = a->capacity ? a->capacity * 2 : 256;
    a->places = ten_renew(a->places, capacity * sizeof *a->places);
    a->capacity = capacity;
    for (size_t i = 0; i < a->pieces.count; i++) a->places[slot_of(a, a->pieces.data[i].key)] = i + 1;
  }
  ten_vec_push(&a->pieces, made);
  a->places[slot_of(a, made.key)] = a->pieces.count;
}

static uint64_t bytes_of(const ten_type *type) {
  return ten_type_is_tensor(type) && ten_type_is_static(type) ? ten_type_bytes(type) : 0;
}

static ten_cost_row row_begin(const ten_op *op) {
  const ten_loc *loc = ten_loc_first_file(op->loc);
  const ten_str layer = ten_attr_as_string(ten_op_attr(op, "aten.layer"));
  return (ten_cost_row){.op = op,
                        .name = op->name,
                        .result = op->result_count ? op->results[0].name : (ten_str){0},
                        .layer = layer.size ? layer : ten_loc_name(op->loc),
                        .class_name = ten_attr_as_string(ten_op_attr(op, "aten.class")),
                        .file = loc ? loc->name : (ten_str){0},
                        .line = loc ? loc->line : 0,
                        .alias = -1};
}

/* An operand: a weight, an input, or an op's result. */
static void row_read(analyzing *a, ten_cost_row *row, const ten_aten_tensor *t, bool counts) {
  piece *p = piece_find(a, t->storage);
  if (!p) {
    const bool weight = t->weight.size > 0;
    piece_add(a, (piece){t->storage, bytes_of(t->whole), a->out->rows.count, a->out->rows.count, false, t->weight});
    if (!weight) a->out->input_bytes += bytes_of(t->whole);
    p = piece_find(a, t->storage);
  }
  p->last = a->out->rows.count;
  if (!counts) return;
  *(t->weight.size ? &row->weight_bytes : &row->read_bytes) += bytes_of(t->type);
}

static bool writes_in_place(ten_str name) {
  const char *dot = memchr(name.data, '.', name.size);
  const ten_str rest = dot ? (ten_str){dot + 1, name.size - (size_t)(dot + 1 - name.data)} : name;
  const char *end = memchr(rest.data, '.', rest.size);
  const size_t size = end ? (size_t)(end - rest.data) : rest.size;
  return size > 2 && rest.data[size - 1] == '_' && rest.data[size - 2] != '_';
}

static bool is_read_twice(const ten_aten_step *step, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (step->operands[k].storage == step->operands[i].storage && step->operands[k].type == step->operands[i].type)
      return true;
  return false;
}

/* The entry of that name, created if missing. */
static ten_cost_sum *sum_of(ten_cost_sums *sums, ten_str name) {
  for (size_t i = 0; i < sums->count; i++)
    if (ten_str_eq(sums->data[i].name, name)) return &sums->data[i];
  ten_vec_push(sums, ((ten_cost_sum){.name = name}));
  return &sums->data[sums->count - 1];
}

/* A weight counts whether it is read or not. */
static void weight_count(analyzing *a, ten_str name, ten_str kind, const ten_type *type) {
  ten_analysis *out = a->out;
  const uint64_t bytes = bytes_of(type), count = (uint64_t)ten_type_count(type);
  if (!ten_str_is(kind, "parameter") && !ten_str_is(kind, "frozen")) {
    out->buffers += count;
    out->buffer_bytes += bytes;
    return;
  }
  out->total.parameters += count;
  out->total.parameter_bytes += bytes;
  size_t size = name.size;
  while (size && name.data[size - 1] != '.') size--;
  const ten_str layer = {name.data, size ? size - 1 : 0};
  ten_cost_sum *sum = sum_of(&a->owners, layer);
  sum->parameters += count;
  sum->parameter_bytes += bytes;
}

static void count(const ten_module *module, const ten_op *op, ten_cost_row *row, ten_analysis *out) {
  ten_work work = {0};
  ten_count_op(module, op, &work);
  row->macs += work.macs;
  row->flops += work.flops;
  out->unknown_loops += work.unknown_loops;
}

static void observe(void *context, const ten_aten_step *step) {
  analyzing *a = context;
  ten_analysis *out = a->out;
  if (step->op->code == TEN_OP_CONSTANT) return;
  const bool is_return = step->op->code == TEN_OP_FUNC_RETURN;
  ten_cost_row row = row_begin(step->op);
  row.writes = writes_in_place(row.name);
  bool view = step->result_count > 0 && !row.writes;
  for (size_t i = 0; i < step->result_count && view; i++) {
    bool found = false;
    for (size_t k = 0; k < step->operand_count; k++) found |= step->operands[k].storage == step->results[i].storage;
    view = found;
  }
  for (size_t i = 0; i < step->operand_count; i++) {
    row_read(a, &row, &step->operands[i], step->result_count && !view && !is_return && !is_read_twice(step, i));
    if (is_return) out->output_bytes += bytes_of(step->operands[i].type);
  }
  if (is_return) return;
  for (size_t i = 0; i < step->result_count; i++) {
    const ten_aten_tensor *t = &step->results[i];
    piece *p = piece_find(a, t->storage);
    if (!p) {
      piece_add(a, (piece){t->storage, bytes_of(t->whole), out->rows.count, out->rows.count, true, {0}});
      row.written += bytes_of(t->whole);
      continue;
    }
    p->last = out->rows.count;
    if (row.writes) row.written += bytes_of(t->type);
    if (i) continue;
    if (p->made) {
      row.alias = (int64_t)p->first;
    } else {
      row.alias_name = p->name.size ? p->name : TEN_STR("an input");
    }
  }
  if (!view)
    for (const ten_op *made = step->made; made; made = made->next) count(NULL, made, &row, out);
  ten_vec_push(&out->rows, row);
}

static void sum_add(ten_cost_sum *sum, const ten_cost_row *row) {
  sum->ops++;
  sum->macs += row->macs;
  sum->flops += row->flops;
  sum->weight_bytes += row->weight_bytes;
  sum->read_bytes += row->read_bytes;
  sum->written += row->written;
  if (row->live_bytes > sum->live_bytes) sum->live_bytes = row->live_bytes;
}

static int by_work(const void *a, const void *b) {
  const ten_cost_sum *x = a, *y = b;
  if (x->macs != y->macs) return x->macs < y->macs ? 1 : -1;
  if (x->flops != y->flops) return x->flops < y->flops ? 1 : -1;
  if (x->ops != y->ops) return x->ops < y->ops ? 1 : -1;
  const int order = memcmp(x->name.data, y->name.data, x->name.size < y->name.size ? x->name.size : y->name.size);
  return order ? order : x->name.size < y->name.size ? -1 : x->name.size > y->name.size;
}

static void lives(analyzing *a) {
  ten_analysis *out = a->out;
  const size_t count = out->rows.count;
  uint64_t *change = ten_alloc((count + 2) * sizeof *change); /* wraps: the running sum does not */
  memset(change, 0, (count + 2) * sizeof *change);
  for (size_t i = 0; i < a->pieces.count; i++) {
    const piece *p = &a->pieces.data[i];
    if (!p->made) continue;
    change[p->first] += p->bytes;
    change[(p->last < count ? p->last : count) + 1] -= p->bytes;
  }
  uint64_t now = 0;
  for (size_t i = 0; i < count; i++) {
    now += change[i];
    out->rows.data[i].live_bytes = now;
    if (now > out->peak_bytes) out->peak_bytes = now, out->peak_row = i;
  }
  free(change);
}

/* Layers come in execution order; those that only own weights follow. */
static void finish(analyzing *a) {
  ten_analysis *out = a->out;
  lives(a);
  bool known = false;
  for (size_t i = 0; i < out->rows.count; i++) {
    const ten_cost_row *row = &out->rows.data[i];
    sum_add(sum_of(&out->kinds, row->name), row);
    sum_add(&out->total, row);
    ten_cost_sum *layer = sum_of(&out->layers, row->layer);
    if (!layer->class_name.size) layer->class_name = row->class_name;
    sum_add(layer, row);
    known |= row->layer.size > 0;
  }
  for (size_t i = 0; i < a->owners.count && known; i++) {
    ten_cost_sum *layer = sum_of(&out->layers, a->owners.data[i].name);
    layer->parameters += a->owners.data[i].parameters;
    layer->parameter_bytes += a->owners.data[i].parameter_bytes;
  }
  if (!known) out->layers.count = 0;
  if (out->kinds.count) qsort(out->kinds.data, out->kinds.count, sizeof *out->kinds.data, by_work);
  ten_vec_free(&a->pieces);
  ten_vec_free(&a->owners);
  free(a->places);
}

ten_status *ten_analyze_aten(ten_module *aten, ten_analysis *out) {
  *out = (ten_analysis){0};
  analyzing a = {.out = out};
  const ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  for (const ten_op *op = func ? ten_op_body(func, 0)->first : NULL; op; op = op->next)
    if (op->code == TEN_OP_CONSTANT)
      weight_count(&a, ten_attr_as_string(ten_op_attr(op, "aten.name")),
                   ten_attr_as_string(ten_op_attr(op, "aten.kind")), op->results[0].type);
  const ten_aten_options options = {.observe = observe, .context = &a, .unchecked = true};
  ten_module *made = NULL;
  ten_status *status = ten_aten_lower(aten, &options, &made);
  if (made) ten_module_destroy(made);
  finish(&a);
  if (status) ten_analysis_free(out);
  return status;
}

/* ---- StableHLO: the same steps, values for tensors ---- */
static const void *storage_of(const ten_value *value) {
  while (value->op && (value->op->code == TEN_OP_RESHAPE || value->op->code == TEN_OP_OPTIMIZATION_BARRIER) &&
         value->op->operand_count > value->index)
    value = ten_op_operand(value->op, value->index);
  return value;
}

static bool is_weight(const ten_op *op) {
  if (op->code != TEN_OP_CONSTANT) return false;
  const ten_attr *value = ten_op_attr(op, "value");
  return ten_op_attr(op, "aten.name") ||
         (value && value->kind == TEN_ATTR_DENSE && ten_type_count(op->results[0].type) > 64);
}

static ten_aten_tensor tensor_of(const ten_value *value) {
  const ten_value *root = storage_of(value);
  ten_aten_tensor t = {root, value->type, root->type, {0}, -1};
  if (root->op && root->op->code == TEN_OP_CONSTANT) {
    t.weight = ten_attr_as_string(ten_op_attr(root->op, "aten.name"));
    if (!t.weight.size) t.weight = root->name.size ? root->name : TEN_STR("a constant");
  }
  return t;
}

ten_status *ten_analyze_stablehlo(const ten_module *module, const ten_op *func, ten_analysis *out) {
  *out = (ten_analysis){0};
  TEN_TRY(ten_verify(module));
  analyzing a = {.out = out};
  ten_status *status = NULL;
  for (const ten_op *op = ten_op_body(func, 0)->first; op && !status; op = op->next) {
    if (op->code == TEN_OP_CONSTANT) {
      if (is_weight(op)) {
        const ten_str kind = ten_attr_as_string(ten_op_attr(op, "aten.kind"));
        weight_count(&a, ten_attr_as_string(ten_op_attr(op, "aten.name")), kind.size ? kind : TEN_STR("constant"),
                     op->results[0].type);
      }
      continue;
    }
    TEN_VEC(ten_aten_tensor) tensors = {0};
    for (uint32_t i = 0; i < op->operand_count; i++) ten_vec_push(&tensors, tensor_of(ten_op_operand(op, i)));
    for (uint32_t i = 0; i < op->result_count; i++) {
      ten_vec_push(&tensors, tensor_of(&op->results[i]));
      if (!ten_type_is_tensor(op->results[i].type) || !ten_type_is_static(op->results[i].type))
        status = ten_op_error(op, TEN_UNSUPPORTED, "its shape is not known before it runs");
    }
    const ten_aten_step step = {.op = op,
                                .operands = tensors.data,
                                .results = tensors.data ? tensors.data + op->operand_count : NULL,
                                .operand_count = op->operand_count,
                                .result_count = op->result_count};
    const size_t before = out->rows.count;
    if (!status) observe(&a, &step);
    if (out->rows.count > before) {
      ten_cost_row *row = &out->rows.data[before];
      count(module, op, row, out);
    }
    ten_vec_free(&tensors);
  }
  finish(&a);
  if (status) ten_analysis_free(out);
  return status;
}

void ten_analysis_free(ten_analysis *analysis) {
  ten_vec_free(&analysis->rows);
  ten_vec_free(&analysis->kinds);
  ten_vec_free(&analysis->layers);
  *analysis = (ten_analysis){0};
}
