/* lower.c: walks an ATen program and lowers each op by its row, keeping PyTorch's aliasing: a view is run again after
 * its base was written to, an in-place op is its functional form followed by a write. Needs: a module as aten.h
 * describes.  Keeps: locations, order, the names of inputs. */
#include "aten/lower.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"

static const at_row *const families[] = {
    at_rows_pointwise,  at_rows_activation,    at_rows_reduce,    at_rows_cumulative,   at_rows_matmul,
    at_rows_conv,       at_rows_norm,          at_rows_pool,      at_rows_attention,    at_rows_index,
    at_rows_shape,      at_rows_views,         at_rows_create,    at_rows_rng,          at_rows_sort,
    at_rows_control,    at_rows_sym,           at_rows_rnn,       at_rows_pad,          at_rows_loss,
    at_rows_backward,   at_rows_norm_backward, at_rows_resize,    at_rows_special,      at_rows_fft,
    at_rows_stft,       at_rows_composite,     at_rows_linalg,    at_rows_custom,       at_rows_loss_backward,
    at_rows_bessel,     at_rows_polynomial,    at_rows_linalg_qr, at_rows_linalg_eigen, at_rows_embedding,
    at_rows_grid_sample, at_rows_counted};

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

int64_t at_ask(at *l, ten_value *number, const char *what) {
  const ten_attr *constant = at_known(l, number);
  if (constant) return ten_dense_int(constant, 0);
  for (const at_answer *a = l->answers; a; a = a->next)
    if (a->value == number) return a->number;
  if (!l->options->ask || l->b.block != l->body)
    at_fail(l, TEN_UNSUPPORTED, "%s depends on data: %s", what,
            l->options->ask ? "that is found by running the program up to here, but not inside control flow"
                            : "a size or index that is known only while the program runs");
  if (l->answer_count == l->options->answer_count) {
    l->question = number;
    longjmp(*l->escape, 1);
  }
  at_answer *answer = ten_arena_new(&l->b.module->arena, at_answer);
  *answer = (at_answer){number, l->options->answers[l->answer_count++], l->answers};
  l->answers = answer;
  return answer->number;
}

/* @main ends here, with the number that has to be known. */
static void question_end(at *l) {
  ten_module *module = l->b.module;
  ten_op *func = ten_module_entry(module, TEN_STR("main"));
  ten_value *number = at_cast(l, l->question, TEN_I64);
  ten_build_return(&l->b, 1, &number);
  ten_func_update_type(module, func);
  ten_op_set_attr(module, func, TEN_STR("aten.asks"), ten_attr_unit(module));
}

bool ten_aten_asks(const ten_module *module) {
  const ten_op *func = ten_module_find((ten_module *)(uintptr_t)module, TEN_STR("main"));
  return func && ten_op_attr(func, "aten.asks");
}

/* ---- rows by name ---- */
static void rows_index(at *l) {
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

/* The name without its namespace: "aten.add.Tensor" → "add.Tensor"; other namespaces stay as they are. */
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

/* expand_copy.default: the row of expand, when that is a view. */
static const at_row *row_copy(const at *l, ten_str name) {
  const ten_str base = base_name(name);
  if (!ten_str_ends(base, "_copy")) return NULL;
  const at_row *row = row_exact(l, (ten_str){base.data, base.size - 5});
  return row && row->view ? row : NULL;
}

static const at_row *row_of_op(const at *l, ten_str name, bool *in_place) {
  const ten_str bare = bare_name(name);
  const at_row *row = at_row_find(l, bare);
  *in_place = false;
  if (!row) row = row_copy(l, bare);
  if (row) return row;
  row = row_in_place(l, bare);
  *in_place = row != NULL;
  return row ? row : at_row_registered(name);
}

bool ten_aten_knows(ten_str name) {
  at l = {0};
  rows_index(&l);
  bool in_place;
  const bool known = row_of_op(&l, name, &in_place) != NULL;
  free(l.rows);
  return known;
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
  const at_row *row = row_of_op(l, op->name, &in_place);
  ten_op *was = l->op;
  l->op = op;
  ten_value *value = row->view(l, parent, index);
  l->op = was;
  return value;
}

ten_value *at_read(at *l, at_tensor *tensor) {
  if (!tensor->parent) return tensor->storage->value;
  if (tensor->version != tensor->storage->version) {
    tensor->value = view_run(l, tensor->view, tensor->view_index, at_read(l, tensor->parent));
    tensor->version = tensor->storage->version;
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

/* The importer's word on what a result is, held against what was made: a difference is our mistake, found here and not
 * in a user's numbers. A number read out of a tensor is a scalar there. */
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
  at_tensor *self = at_alias(l, "self");
  if (!self) self = at_alias(l, "input");
  at_check(l, self, "no tensor to look into");
  for (uint32_t i = 0; i < l->result_count; i++) {
    if (l->op->results[i].type->kind != TEN_TYPE_TENSOR) continue;
    ten_value *parent = at_read(l, self);
    ten_value *value = row->view(l, parent, i);
    if ((row->flags & AT_VIEW_COPY_IF && value != parent) || ten_op_attr(l->op, "aten.copies") ||
        ten_str_ends(base_name(bare_name(l->op->name)), "_copy")) {
      at_ret(l, i, value);
      continue;
    }
    at_tensor *tensor = ten_arena_new(&l->b.module->arena, at_tensor);
    *tensor = (at_tensor){self->storage, self, l->op, i, value, self->storage->version};
    at_ret_ref(l, i, (at_ref){.kind = AT_TENSOR, .tensor = tensor});
  }
}

/* The functional form, then a write of its first result, in the type and shape of what is written to. */
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

static void lower_constant(at *l, ten_op *op) {
  const ten_attr *value = ten_attr_import(l->b.module, ten_op_attr(op, "value"), true);
  at_tensor *tensor = at_tensor_new(l, ten_build_constant(&l->b, value));
  tensor->storage->name = ten_attr_as_string(ten_op_attr(op, "aten.name"));
  static const char *const kept[] = {"aten.name", "aten.kind"}; /* what the weight is called: training looks for it */
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    const ten_attr *note = ten_op_attr(op, kept[i]);
    if (note)
      ten_op_set_attr(l->b.module, tensor->storage->value->op, ten_str_of(kept[i]),
                      ten_attr_import(l->b.module, note, false));
  }
  l->refs[op->results[0].number] = (at_ref){.kind = AT_TENSOR, .tensor = tensor};
}

static void lower_op(at *l, ten_op *op) {
  l->b.loc = ten_loc_import(l->b.module, op->loc);
  if (op->code == TEN_OP_CONSTANT) {
    lower_constant(l, op);
    return;
  }
  l->op = op;
  bool in_place;
  const at_row *row = row_of_op(l, op->name, &in_place);
  if (!row) at_fail(l, TEN_UNSUPPORTED, "no lowering");
  l->row = row;
  at_ref small[8] = {0};
  l->result_count = op->result_count;
  l->results = small;
  if (op->result_count > 8 || op->region_count)
    l->results = ten_arena_new_array(&l->b.module->arena, at_ref, op->result_count ? op->result_count : 1);
  at_ref *results = l->results;
  const uint32_t result_count = l->result_count;
  /* An op without results (an assertion, say) still has somewhere to put one. */
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

/* `before` is the last StableHLO op there was. */
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

static size_t lower_block(at *l, ten_block *block, at_ref *out, size_t capacity) {
  const bool observed = l->options->observe && !l->depth;
  for (ten_op *op = block->first; op; op = op->next) {
    const ten_op *before = l->b.block->last;
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
  const size_t made = lower_block(l, block, out, out_capacity);
  l->depth--;
  l->op = was, l->results = results, l->result_count = result_count, l->b.loc = loc;
  return made;
}

/* ---- the function ---- */
typedef struct numbering {
  const at *l;
  uint32_t next;
  ten_buf missing;
  size_t missing_count;
} numbering;

static ten_status *number_op(ten_op *op, void *context) {
  numbering *n = context;
  for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = n->next++;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) block->args[i]->number = n->next++;
  if (op->code != TEN_OP_UNKNOWN) return NULL;
  bool in_place;
  if (row_of_op(n->l, op->name, &in_place)) return NULL;
  const ten_loc *loc = ten_loc_first_file(op->loc);
  ten_buf_printf(&n->missing, "%s  %.*s", n->missing_count++ ? "\n" : "", TEN_FMT(op->name));
  if (loc) ten_buf_printf(&n->missing, " at %.*s:%u", TEN_FMT(loc->name), loc->line);
  return NULL;
}

static const ten_type *input_type(at *l, const ten_op *func, uint32_t i, const ten_value *arg) {
  const ten_aten_input *given = l->options->inputs && i < l->options->input_count ? &l->options->inputs[i] : NULL;
  const ten_type *declared = arg->type;
  if (declared->kind == TEN_TYPE_SCALAR) return ten_type_tensor(l->b.module, declared->dtype, 0, NULL);
  at_check(l, declared->kind == TEN_TYPE_TENSOR && declared->ranked && declared->rank <= AT_MAX_RANK,
           "input %u is not a tensor", i);
  int64_t dims[AT_MAX_RANK];
  const ten_ints hints = ten_attr_as_ints(ten_func_arg_attr(func, i, "aten.example"));
  const ten_type *type = given ? given->type : NULL;
  if (type) {
    at_check(l, type->kind == TEN_TYPE_TENSOR && type->rank == declared->rank,
             "input %u has %u dimensions, %u are given", i, declared->rank, type->rank);
    at_check(l, type->dtype == declared->dtype, "input %u is %s, %s is given", i, ten_dtype_name(declared->dtype),
             ten_dtype_name(type->dtype));
  }
  for (uint32_t d = 0; d < declared->rank; d++) {
    dims[d] = declared->dims[d];
    if (dims[d] == TEN_DYNAMIC) dims[d] = type ? type->dims[d] : d < hints.count ? hints.data[d] : TEN_DYNAMIC;
    at_check(l, dims[d] >= 0, "size %u of input %u is not known", d, i);
    at_check(l, !type || type->dims[d] == dims[d], "size %u of input %u is %lld, %lld is given", d, i,
             (long long)dims[d], (long long)(type ? type->dims[d] : 0));
  }
  at_product(l, declared->rank, dims);
  return ten_type_tensor(l->b.module, declared->dtype, declared->rank, dims);
}

/* Sizes that carry one symbol are one size; a symbol keeps to its range. */
static void symbols_check(at *l, const ten_op *func, const ten_block *body, const ten_type *const *types) {
  typedef struct seen {
    ten_str name;
    int64_t size;
    uint32_t input, dim;
  } seen;
  TEN_VEC(seen) table = {0};
  const ten_attr *ranges = ten_op_attr(func, "aten.ranges");
  ten_buf why = {0};
  for (uint32_t i = 0; i < body->arg_count && !why.size; i++) {
    const ten_attr *symbols = ten_func_arg_attr(func, i, "aten.symbols");
    if (!symbols || symbols->kind != TEN_ATTR_ARRAY) continue;
    for (uint32_t d = 0; d < symbols->array.count && d < types[i]->rank && !why.size; d++) {
      const ten_str name = ten_attr_as_string(symbols->array.items[d]);
      if (!name.size) continue;
      const int64_t size = types[i]->dims[d];
      size_t k = 0;
      while (k < table.count && !ten_str_eq(table.data[k].name, name)) k++;
      if (k == table.count) {
        ten_vec_push(&table, (seen){name, size, i, d});
        char key[128];
        snprintf(key, sizeof key, "%.*s", TEN_FMT(name));
        const ten_ints range = ten_attr_as_ints(ranges ? ten_dict_get(ranges, key) : NULL);
        /* PyTorch writes 2 where it only took 0 and 1 apart while tracing, and then runs the program for them too. */
        const int64_t least = range.count == 2 && range.data[0] > 2 ? range.data[0] : 0;
        if (range.count == 2 && (size < least || size > range.data[1]))
          ten_buf_printf(&why, "size %u of input %u is %lld; the program was exported for %lld to %lld", d, i,
                         (long long)size, (long long)least, (long long)range.data[1]);
      } else if (table.data[k].size != size) {
        ten_buf_printf(&why, "size %u of input %u is %lld, but size %u of input %u is %lld; both are %.*s", d, i,
                       (long long)size, table.data[k].dim, table.data[k].input, (long long)table.data[k].size,
                       TEN_FMT(name));
      }
    }
  }
  ten_vec_free(&table);
  if (!why.size) return;
  l->status = ten_error(TEN_INVALID, "%s", why.data);
  ten_buf_free(&why);
  longjmp(*l->escape, 1);
}

typedef struct outputs {
  TEN_VEC(ten_value *) values;
  TEN_VEC(const ten_attr *) attrs;
} outputs;

static void output_add(at *l, outputs *out, ten_value *value, const char *key, const ten_attr *attr) {
  ten_vec_push(&out->values, value);
  ten_named_attr named = {.name = ten_str_of(key), .value = attr};
  ten_vec_push(&out->attrs, ten_attr_dict(l->b.module, attr ? 1 : 0, &named));
}

/* A number that is returned is a rank-0 tensor. */
static ten_value *output_value(at *l, at_ref ref) {
  if (ref.kind == AT_TENSOR) return at_read(l, ref.tensor);
  return at_ref_value(l, ref, ref.kind == AT_BOOL ? TEN_I1 : ref.kind == AT_INT ? TEN_I64 : TEN_F64);
}

static void lower_function(at *l, ten_op *func, outputs *out) {
  ten_block *body = ten_op_body(func, 0);
  ten_module *module = l->b.module;
  const uint32_t count = body->arg_count;
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, count + 1);
  for (uint32_t i = 0; i < count; i++) types[i] = input_type(l, func, i, body->args[i]);
  symbols_check(l, func, body, types);
  if (l->options->seed_input) types[count] = ten_type_tensor(module, TEN_UI64, 1, (const int64_t[]){2});
  ten_op *made = ten_func_create(module, TEN_STR("main"), count + l->options->seed_input, types, 0, NULL,
                                 ten_loc_import(module, func->loc));
  ten_block *block = ten_op_body(made, 0);
  l->b.block = l->body = block;
  at_storage **inputs = ten_arena_new_array(&module->arena, at_storage *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const ten_aten_input *given = l->options->inputs && i < l->options->input_count ? &l->options->inputs[i] : NULL;
    const ten_type *declared = body->args[i]->type;
    block->args[i]->name = ten_str_of(ten_arena_strdup(
        &module->arena, body->args[i]->name.data ? body->args[i]->name.data : "", body->args[i]->name.size));
    if (declared->kind == TEN_TYPE_SCALAR) {
      at_ref ref = {.kind = declared->dtype == TEN_I1 ? AT_BOOL : declared->dtype == TEN_F64 ? AT_FLOAT : AT_INT};
      if (given && given->has_number)
        ref.f = given->number, ref.i = (int64_t)given->number;
      else
        ref.value = block->args[i];
      l->refs[body->args[i]->number] = ref;
      continue;
    }
    at_tensor *tensor = at_tensor_new(l, block->args[i]);
    tensor->storage->input = (int32_t)i;
    inputs[i] = tensor->storage;
    l->refs[body->args[i]->number] = (at_ref){.kind = AT_TENSOR, .tensor = tensor};
  }
  if (l->options->seed_input) l->rng = block->args[count];

  ten_op *ret = body->last;
  at_check(l, ret && ret->code == TEN_OP_FUNC_RETURN, "@main does not return");
  at_ref *refs = ten_arena_new_array(&module->arena, at_ref, ret->operand_count + 1);
  const size_t made_count = lower_block(l, body, refs, ret->operand_count);
  l->op = NULL;
  l->b.loc = NULL;
  for (size_t i = 0; i < made_count; i++) {
    const ten_attr *buffer = ten_func_result_attr(func, (uint32_t)i, "aten.mutates");
    const ten_attr *input = ten_func_result_attr(func, (uint32_t)i, "aten.mutates_input");
    at_check(l, refs[i].kind != AT_NONE, "result %zu is not computed", i);
    output_add(l, out, output_value(l, refs[i]), buffer ? "aten.mutates" : "aten.mutates_input",
               buffer || input ? ten_attr_import(module, buffer ? buffer : input, true) : NULL);
  }
  /* What was written to in place. */
  for (ten_op *op = body->first; op; op = op->next) {
    if (op->code != TEN_OP_CONSTANT) continue;
    const at_storage *storage = l->refs[op->results[0].number].tensor->storage;
    if (storage->version && storage->name.size)
      output_add(l, out, storage->value, "aten.mutates", ten_attr_string(module, storage->name));
  }
  const uint32_t input_count = count + l->options->seed_input;
  const ten_attr **notes = ten_arena_new_array(&module->arena, const ten_attr *, input_count + 1);
  bool donated = false;
  for (uint32_t i = 0; i < input_count; i++) {
    const bool written = i < count && inputs[i] && inputs[i]->version;
    const ten_named_attr place = {.name = TEN_STR("tf.aliasing_output"),
                                  .value = ten_attr_i32(module, (int32_t)out->values.count)};
    notes[i] = ten_attr_dict(module, written, &place);
    donated |= written;
    if (written) output_add(l, out, inputs[i]->value, "aten.mutates_input", ten_attr_i64(module, i));
  }
  if (donated && l->options->donate)
    ten_op_set_attr(module, made, TEN_STR("arg_attrs"), ten_attr_array(module, input_count, notes));
  if (l->options->seed_input) output_add(l, out, at_rng_state(l), "aten.seed", ten_attr_unit(module));
  ten_build_return(&l->b, (uint32_t)out->values.count, out->values.data);
  ten_func_update_type(module, made);
  bool any = false; /* a list of nothing but empty dictionaries has no pretty form */
  for (size_t i = 0; i < out->attrs.count; i++) any |= out->attrs.data[i]->dict.count > 0;
  if (any)
    ten_op_set_attr(module, made, TEN_STR("res_attrs"), ten_attr_array(module, out->attrs.count, out->attrs.data));
}

ten_status *ten_aten_lower(ten_module *aten, const ten_aten_options *options, ten_module **out_module) {
  *out_module = NULL;
  ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  if (!func || !ten_op_body(func, 0)) return ten_error(TEN_INVALID, "the ATen program has no @main");
  const ten_aten_options defaults = {0};
  at l = {.options = options ? options : &defaults};
  rows_index(&l);
  numbering n = {.l = &l};
  ten_status *status = ten_op_walk(func, number_op, &n);
  if (!status && n.missing_count)
    status = ten_error(TEN_UNSUPPORTED, "%zu op%s without a lowering:\n%s%s", n.missing_count,
                       n.missing_count == 1 ? "" : "s", n.missing.data,
                       strstr(n.missing.data, "_functorch.predispatch")
                           ? "\n  (torch.vmap is taken apart by run_decompositions() before the program is saved)"
                           : "");
  ten_buf_free(&n.missing);
  if (status) {
    free(l.rows);
    return status;
  }
  l.ref_count = n.next;
  l.refs = ten_alloc((n.next + 1) * sizeof *l.refs);
  memset(l.refs, 0, (n.next + 1) * sizeof *l.refs);
  ten_module *module = ten_module_create();
  l.b.module = module;
  jmp_buf escape;
  l.escape = &escape;
  outputs *out = ten_alloc(sizeof *out);
  memset(out, 0, sizeof *out);
  if (!setjmp(escape)) lower_function(&l, func, out);
  if (l.question && !l.status) question_end(&l);
  ten_vec_free(&out->values);
  ten_vec_free(&out->attrs);
  free(out);
  free(l.rows);
  free(l.refs);
  if (l.status) {
    ten_module_destroy(module);
    return l.status;
  }
  *out_module = module;
  return NULL;
}
