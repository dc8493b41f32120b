/* lower.c: walks the ops of an ATen program and lowers each by its row, with PyTorch's aliasing: a view is recomputed
 * after its base was written, an in-place op is its functional form followed by a write. Needs: a module as aten.h
 * describes.  Keeps: locations, order, the names of inputs. */
#include "front/aten/lower.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"

#define AT_ROWS(family) at_rows_##family,
static const at_row *const families[] = {AT_FAMILIES(AT_ROWS)};
#undef AT_ROWS

void at_fail(at *l, ten_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  ten_buf text = {0};
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  l->status = l->op ? ten_op_error(l->op, code, "%s", text.data) : ten_error(code, "%s", text.data);
  ten_buf_free(&text);
  longjmp(*l->escape, 1);
}

static void answer_note(at *l, const ten_value *value, int64_t number) {
  at_answer *answer = ten_arena_new(&l->b.module->arena, at_answer);
  *answer = (at_answer){value, number, l->answers};
  l->answers = answer;
}

int64_t at_ask(at *l, ten_value *number, const char *what) {
  const ten_attr *constant = at_known(l, number);
  if (constant) return ten_dense_int(constant, 0);
  for (const at_answer *a = l->answers; a; a = a->next)
    if (a->value == number) return a->number;
  if (l->replayed < l->asked.count) { /* this op already queried, in the part that ended there */
    answer_note(l, number, l->asked.data[l->replayed++]);
    return l->answers->number;
  }
  if (l->depth || l->b.block != l->body)
    at_fail(l, TEN_UNSUPPORTED,
            "%s depends on data: that is found by running the program up to here, but not inside control flow; take it "
            "out of the branch or loop, or mask instead (torch.where, nonzero_static)",
            what);
  if (!l->asks)
    at_fail(l, TEN_UNSUPPORTED,
            "%s depends on data: a size or index that is known only while the program runs ('tenfold run' finds it); "
            "what is compiled to a file needs one that is fixed (torch.where, nonzero_static, topk)",
            what);
  l->question = number;
  longjmp(*l->escape, 1);
}

/* ---- rows by name ---- */
void at_table_make(at *l) {
  size_t count = 0;
  for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    for (const at_row *row = families[f]; row->name; row++) count++;
  size_t capacity = 64;
  while (capacity < count * 2) capacity *= 2;
  l->rows = ten_alloc(capacity * sizeof *l->rows);
  memset(l->rows, 0, capacity * sizeof *l->rows);
  l->row_capacity = capacity;
  for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    for (const at_row *row = families[f]; row->name; row++) {
      size_t slot = ten_hash64(row->name, strlen(row->name), 0) & (capacity - 1);
      while (l->rows[slot]) slot = (slot + 1) & (capacity - 1);
      l->rows[slot] = row;
    }
}

static const at_row *row_exact(const at *l, ten_str name) {
  size_t slot = ten_hash64(name.data, name.size, 0) & (l->row_capacity - 1);
  for (; l->rows[slot]; slot = (slot + 1) & (l->row_capacity - 1))
    if (ten_str_is(name, l->rows[slot]->name)) return l->rows[slot];
  return NULL;
}

/* The name without its namespace: "aten.add.Tensor" → "add.Tensor"; other namespaces are kept. */
static ten_str bare_name(ten_str name) {
  return ten_str_starts(name, "aten.") ? (ten_str){name.data + 5, name.size - 5} : name;
}

static ten_str base_name(ten_str name) {
  const char *dot = name.size ? memrchr(name.data, '.', name.size) : NULL;
  return dot ? (ten_str){name.data, (size_t)(dot - name.data)} : name;
}

const at_row *at_row_find(const at *l, ten_str name) {
  const at_row *row = row_exact(l, name);
  if (row) return row;
  const ten_str base = base_name(name);
  return base.size < name.size ? row_exact(l, base) : NULL;
}

/* add_.Tensor and __iand__.Tensor, but not __and__.Tensor: the functional row, or NULL. */
static const at_row *row_in_place(const at *l, ten_str name) {
  const ten_str base = base_name(name);
  char text[128];
  if (ten_str_starts(base, "__i") && ten_str_ends(base, "__") && base.size < sizeof text) {
    const int size = snprintf(text, sizeof text, "__%.*s", (int)base.size - 3, base.data + 3);
    return at_row_find(l, (ten_str){text, (size_t)size});
  }
  if (base.size < 2 || base.data[base.size - 1] != '_' || base.data[base.size - 2] == '_' || name.size >= sizeof text)
    return NULL;
  const int size = snprintf(text, sizeof text, "%.*s%.*s", (int)base.size - 1, base.data, (int)(name.size - base.size),
                            name.data + base.size);
  return at_row_find(l, (ten_str){text, (size_t)size});
}

/* expand_copy.default: the row of expand, if that is a view. */
static const at_row *row_copy(const at *l, ten_str name) {
  const ten_str base = base_name(name);
  if (!ten_str_ends(base, "_copy")) return NULL;
  const at_row *row = row_exact(l, (ten_str){base.data, base.size - 5});
  return row && row->view ? row : NULL;
}

const at_row *at_row_of(const at *l, ten_str name, bool *in_place) {
  const ten_str bare = bare_name(name);
  const at_row *row = at_row_find(l, bare);
  *in_place = false;
  if (!row) row = row_copy(l, bare);
  if (row) return row;
  row = row_in_place(l, bare);
  *in_place = row != NULL;
  return row ? row : at_row_registered(name);
}

/* ---- tensors ---- */
at_tensor *at_tensor_new(at *l, ten_value *value) {
  at_tensor *tensor = ten_arena_new(&l->b.module->arena, at_tensor);
  tensor->storage = ten_arena_new(&l->b.module->arena, at_storage);
  tensor->storage->value = value;
  tensor->storage->input = -1;
  tensor->value = value;
  return tensor;
}

static ten_value *view_run(at *l, ten_op *op, uint32_t index, ten_value *parent) {
  bool in_place;
  const at_row *row = at_row_of(l, op->name, &in_place);
  ten_op *was = l->op;
  l->op = op;
  ten_value *value = row->view(l, parent, index);
  l->op = was;
  return value;
}

ten_value *at_read(at *l, at_tensor *tensor) {
  if (!tensor->parent) return tensor->storage->value;
  if (tensor->version != tensor->storage->version || tensor->part != l->part) {
    tensor->value = view_run(l, tensor->view, tensor->view_index, at_read(l, tensor->parent));
    tensor->version = tensor->storage->version;
    tensor->part = l->part;
  }
  return tensor->value;
}

void at_write(at *l, at_tensor *tensor, ten_value *value) {
  if (!tensor->parent) {
    tensor->storage->value = tensor->value = value;
    tensor->version = ++tensor->storage->version;
    return;
  }
  ten_value *parent = at_read(l, tensor->parent);
  at_write(l, tensor->parent, at_view_put(l, tensor, parent, value));
  tensor->value = value;
  tensor->version = tensor->storage->version;
  tensor->part = l->part;
}

/* ---- results ---- */
void at_ret_ref(at *l, uint32_t index, at_ref ref) {
  if (index >= l->result_count) return;
  l->results[index] = ref;
}

void at_ret(at *l, uint32_t index, ten_value *value) {
  at_ref ref = {0};
  if (value) ref = (at_ref){.kind = AT_TENSOR, .tensor = at_tensor_new(l, value)};
  at_ret_ref(l, index, ref);
}

/* Compares the result type that the importer declares with the lowered one: a mismatch is a bug, caught here before it
 * corrupts results. A number read out of a tensor is a scalar there. */
static void results_check(at *l, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *want = op->results[i].type;
    const at_ref *ref = &l->results[i];
    if (ref->kind == AT_NONE && want->kind == TEN_TYPE_TENSOR && ten_value_has_uses(&op->results[i]))
      at_fail(l, TEN_UNSUPPORTED, "result %u is not computed", i);
    if (ref->kind != AT_TENSOR || want->kind != TEN_TYPE_TENSOR || !want->ranked) continue;
    const ten_type *have = at_read(l, ref->tensor)->type;
    bool same = have->dtype == want->dtype && have->rank == want->rank;
    for (uint32_t d = 0; same && d < want->rank; d++)
      same = want->dims[d] == TEN_DYNAMIC || want->dims[d] == have->dims[d];
    if (same) continue;
    ten_buf text = {0};
    ten_buf_adds(&text, "made ");
    ten_type_print(&text, have);
    ten_buf_adds(&text, " where PyTorch has ");
    ten_type_print(&text, want);
    ten_status *status = ten_op_error(op, TEN_INTERNAL, "%s", text.data);
    ten_buf_free(&text);
    l->status = status;
    longjmp(*l->escape, 1);
  }
}

static void result_keep(at *l, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) l->refs[op->results[i].number] = l->results[i];
}

static void lower_view(at *l, const at_row *row) {
  static const char *const names[] = {"self", "input", "A", "a"};
  size_t name = 0;
  while (name < 3 && !at_has(l, names[name])) name++;
  at_tensor *self = at_alias(l, names[name]);
  const ten_type *declared = at_declared(l, 0);
  if (!self && declared && at_has(l, names[name])) /* a number becomes a tensor */
    self = at_tensor_new(l, at_ref_value(l, at_arg(l, names[name]), declared->dtype));
  at_check(l, self, "no tensor to look into");
  for (uint32_t i = 0; i < l->op->result_count; i++) {
    if (l->op->results[i].type->kind != TEN_TYPE_TENSOR) continue;
    ten_value *parent = at_read(l, self);
    ten_value *value = row->view(l, parent, i);
    if ((row->flags & AT_VIEW_COPY_IF && value != parent) || ten_op_attr(l->op, "aten.copies") ||
        ten_str_ends(base_name(bare_name(l->op->name)), "_copy")) {
      at_ret(l, i, value);
      continue;
    }
    at_tensor *tensor = ten_arena_new(&l->b.module->arena, at_tensor);
    *tensor = (at_tensor){self->storage, self, l->op, i, value, self->storage->version, l->part};
    at_ret_ref(l, i, (at_ref){.kind = AT_TENSOR, .tensor = tensor});
  }
}

/* The functional form, then a write of its first result, in the type and shape of the target. */
static void lower_in_place(at *l, const at_row *row) {
  at_tensor *self = at_alias(l, "self");
  at_check(l, self, "no tensor to write to");
  ten_value *old = at_read(l, self);
  if (row->view) {
    lower_view(l, row);
    return;
  }
  row->run(l);
  at_check(l, l->results[0].kind == AT_TENSOR, "an in-place op without a result");
  ten_value *value = at_read(l, l->results[0].tensor);
  value = at_expand(l, at_cast(l, value, at_type(old)), at_rank(old), at_dims(old));
  at_write(l, self, value);
  at_ret_ref(l, 0, (at_ref){.kind = AT_TENSOR, .tensor = self});
}

ten_value *at_weight(at *l, const ten_op *op) {
  ten_value *value = ten_build_constant(&l->b, ten_attr_import(l->b.module, ten_op_attr(op, "value"), true));
  static const char *const kept[] = {"aten.name", "aten.kind"}; /* the name of the weight, which training needs */
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    const ten_attr *note = ten_op_attr(op, kept[i]);
    if (note) ten_op_set_attr(l->b.module, value->op, ten_str_of(kept[i]), ten_attr_import(l->b.module, note, false));
  }
  return value;
}

static void lower_constant(at *l, ten_op *op) {
  at_tensor *tensor = at_tensor_new(l, at_weight(l, op));
  tensor->storage->name = ten_attr_as_string(ten_op_attr(op, "aten.name"));
  tensor->storage->weight = true;
  l->refs[op->results[0].number] = (at_ref){.kind = AT_TENSOR, .tensor = tensor};
}

static void lower_op(at *l, ten_op *op) {
  const ten_str layer = ten_attr_as_string(ten_op_attr(op, "aten.layer"));
  l->b.loc = ten_loc_import(l->b.module, op->loc);
  if (layer.size) l->b.loc = ten_loc_named(l->b.module, layer, l->b.loc);
  if (op->code == TEN_OP_CONSTANT) {
    lower_constant(l, op);
    return;
  }
  l->op = op;
  bool in_place;
  const at_row *row = at_row_of(l, op->name, &in_place);
  if (!row) at_fail(l, TEN_UNSUPPORTED, "no lowering");
  l->row = row;
  at_ref small[8] = {0};
  l->result_count = op->result_count;
  l->results = small;
  if (op->result_count > 8 || op->region_count)
    l->results = at_new_array(l, at_ref, op->result_count ? op->result_count : 1);
  at_ref *results = l->results;
  const uint32_t result_count = l->result_count;
  /* An op without results (an assertion, for instance) still gets a slot for one. */
  if (in_place) {
    if (!result_count) l->result_count = 1;
    lower_in_place(l, row);
  } else if (row->view) {
    lower_view(l, row);
  } else {
    row->run(l);
  }
  l->results = results;
  l->result_count = result_count;
  l->op = op;
  results_check(l, op);
  result_keep(l, op);
}

static ten_aten_tensor tensor_of(const at_ref *ref) {
  const at_tensor *tensor = ref->tensor;
  const at_storage *storage = tensor->storage;
  return (ten_aten_tensor){storage, tensor->value->type, storage->value->type, storage->name, storage->input};
}

/* `before` is the last StableHLO op before it. */
static void observe(const at *l, const ten_op *op, const ten_op *before) {
  TEN_VEC(ten_aten_tensor) tensors = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const at_ref *ref = &l->refs[ten_op_operand(op, i)->number];
    if (ref->kind == AT_TENSOR) ten_vec_push(&tensors, tensor_of(ref));
  }
  const size_t operands = tensors.count;
  for (uint32_t i = 0; i < op->result_count; i++) {
    const at_ref *ref = &l->refs[op->results[i].number];
    if (ref->kind == AT_TENSOR) ten_vec_push(&tensors, tensor_of(ref));
  }
  const ten_aten_step step = {.op = op,
                              .made = before ? before->next : l->b.block->first,
                              .operands = tensors.data,
                              .results = tensors.data ? tensors.data + operands : NULL,
                              .operand_count = operands,
                              .result_count = tensors.count - operands};
  l->options->observe(l->options->context, &step);
  ten_vec_free(&tensors);
}

size_t at_run_ops(at *l, ten_op *first, at_ref *out, size_t capacity) {
  const bool observed = l->options->observe && !l->depth;
  for (ten_op *op = first; op; op = op->next) {
    const ten_op *before = l->b.block->last;
    if (!l->depth && op != l->reached) l->reached = op, l->asked.count = 0;
    if (!l->depth) l->replayed = 0;
    if (op->code == TEN_OP_FUNC_RETURN || op->code == TEN_OP_RETURN) {
      if (observed) observe(l, op, before);
      size_t count = op->operand_count;
      for (uint32_t i = 0; i < op->operand_count && i < capacity; i++) out[i] = l->refs[ten_op_operand(op, i)->number];
      return count;
    }
    lower_op(l, op);
    if (observed) observe(l, op, before);
  }
  return 0;
}

size_t at_run_region(at *l, ten_op *op, uint32_t r, size_t count, const at_ref *args, at_ref *out,
                     size_t out_capacity) {
  at_check(l, r < op->region_count && op->regions[r].first, "no region %u", r);
  at_check(l, l->depth < 64, "control flow is nested too deep");
  ten_block *block = op->regions[r].first;
  at_check(l, block->arg_count == count, "region %u takes %u values, %zu are given", r, block->arg_count, count);
  for (size_t i = 0; i < count; i++) l->refs[block->args[i]->number] = args[i];
  ten_op *was = l->op;
  at_ref *results = l->results;
  const uint32_t result_count = l->result_count;
  const ten_loc *loc = l->b.loc;
  l->depth++;
  const size_t made = at_run_ops(l, block->first, out, out_capacity);
  l->depth--;
  l->op = was, l->results = results, l->result_count = result_count, l->b.loc = loc;
  return made;
}
