/* function.c: lowers @main of an ATen program to @main of a StableHLO module: inputs of known shapes, results, mutated
 * tensors. At a data-dependent size the function ends and returns it; the rest of the program, lowered once the size is
 * known, is the next part. Needs: a module as aten.h describes. Keeps: the names of inputs. */
#include "front/aten/lower.h"
#include "ir/assert.h"

#include <stdio.h>

#include "ir/verify/verify.h"

struct ten_aten_parts {
  at l;
  ten_aten_options options;
  ten_op *func;                  /* the ATen program's @main */
  ten_op *made;                  /* the part's */
  at_storage **inputs;           /* of those that are tensors */
  TEN_VEC(ten_module *) modules; /* owned: carried values point into earlier ones */
  TEN_VEC(ten_value **) carried; /* the values that the next part takes, in its order */
  bool *needed;                  /* by value number: used by ops that are not lowered yet */
};

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
  if (at_row_of(n->l, op->name, &in_place)) return NULL;
  const ten_loc *loc = ten_loc_first_file(op->loc);
  ten_buf_printf(&n->missing, "%s  %.*s", n->missing_count++ ? "\n" : "", TEN_FMT(op->name));
  if (loc) ten_buf_printf(&n->missing, " at %.*s:%u", TEN_FMT(loc->name), loc->line);
  return NULL;
}

static const ten_type *input_type(at *l, const ten_op *func, uint32_t i, const ten_value *arg) {
  const ten_aten_input *given = l->options->inputs && i < l->options->input_count ? &l->options->inputs[i] : NULL;
  const ten_type *declared = arg->type;
  if (declared->kind == TEN_TYPE_SCALAR) return ten_type_tensor(l->b.module, declared->dtype, 0, NULL);
  at_check(l, declared->kind == TEN_TYPE_TENSOR && declared->ranked, "input %u is not a tensor", i);
  at_check(l, declared->rank <= AT_MAX_RANK, "input %u has rank %u; the limit is %d", i, declared->rank, AT_MAX_RANK);
  int64_t dims[AT_DIMS];
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

/* Sizes with the same symbol are equal; a symbol stays in its range. */
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
        /* PyTorch writes 2 where tracing only distinguished 0 and 1, and then runs the program for these too. */
        const int64_t least = range.count == 2 && range.data[0] > 2 ? range.data[0] : 0;
        if (range.count == 2 && (size < least || size > range.data[1]))
          ten_buf_printf(&why, "size %u of input %u (%.*s) is %lld; the program was exported for %lld to %lld", d, i,
                         TEN_FMT(name), (long long)size, (long long)least, (long long)range.data[1]);
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

/* A returned number is a rank-0 tensor. */
static ten_value *output_value(at *l, at_ref ref) {
  if (ref.kind == AT_TENSOR) return at_read(l, ref.tensor);
  return at_ref_value(l, ref, ref.kind == AT_BOOL ? TEN_I1 : ref.kind == AT_INT ? TEN_I64 : TEN_F64);
}

/* ---- the first part: the inputs ---- */
static void inputs_begin(ten_aten_parts *parts) {
  at *l = &parts->l;
  ten_op *func = parts->func;
  ten_block *body = ten_op_body(func, 0);
  ten_module *module = l->b.module;
  const uint32_t count = body->arg_count;
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, count + 1);
  for (uint32_t i = 0; i < count; i++) types[i] = input_type(l, func, i, body->args[i]);
  symbols_check(l, func, body, types);
  if (l->options->seed_input) types[count] = ten_type_tensor(module, TEN_UI64, 1, (const int64_t[]){2});
  parts->made = ten_func_create(module, TEN_STR("main"), count + l->options->seed_input, types, 0, NULL,
                                ten_loc_import(module, func->loc));
  ten_block *block = ten_op_body(parts->made, 0);
  l->b.block = l->body = block;
  parts->inputs = ten_arena_new_array(&module->arena, at_storage *, count + 1);
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
    parts->inputs[i] = tensor->storage;
    l->refs[body->args[i]->number] = (at_ref){.kind = AT_TENSOR, .tensor = tensor};
  }
  if (l->options->seed_input) l->rng = block->args[count];
}

/* ---- the last part: the results ---- */
static void results_end(ten_aten_parts *parts, size_t count, const at_ref *refs, outputs *out) {
  at *l = &parts->l;
  ten_op *func = parts->func;
  const ten_block *body = ten_op_body(func, 0);
  ten_module *module = l->b.module;
  l->op = NULL;
  l->b.loc = NULL;
  for (size_t i = 0; i < count; i++) {
    const ten_attr *buffer = ten_func_result_attr(func, (uint32_t)i, "aten.mutates");
    const ten_attr *input = ten_func_result_attr(func, (uint32_t)i, "aten.mutates_input");
    at_check(l, refs[i].kind != AT_NONE, "result %zu is not computed", i);
    output_add(l, out, output_value(l, refs[i]), buffer ? "aten.mutates" : "aten.mutates_input",
               buffer || input ? ten_attr_import(module, buffer ? buffer : input, true) : NULL);
  }
  /* Mutated tensors. */
  for (const ten_op *op = body->first; op; op = op->next) {
    if (op->code != TEN_OP_CONSTANT) continue;
    const at_storage *storage = l->refs[op->results[0].number].tensor->storage;
    if (storage->version && storage->name.size)
      output_add(l, out, storage->value, "aten.mutates", ten_attr_string(module, storage->name));
  }
  const uint32_t input_count = body->arg_count + l->options->seed_input;
  const ten_attr **notes = ten_arena_new_array(&module->arena, const ten_attr *, input_count + 1);
  bool donated = false;
  for (uint32_t i = 0; i < input_count; i++) {
    const bool written = i < body->arg_count && parts->inputs[i] && parts->inputs[i]->version;
    const ten_named_attr place = {.name = TEN_STR("tf.aliasing_output"),
                                  .value = ten_attr_i32(module, (int32_t)out->values.count)};
    notes[i] = ten_attr_dict(module, written, &place);
    donated |= written;
    if (written) output_add(l, out, parts->inputs[i]->value, "aten.mutates_input", ten_attr_i64(module, i));
  }
  if (donated && l->options->donate)
    ten_op_set_attr(module, parts->made, TEN_STR("arg_attrs"), ten_attr_array(module, input_count, notes));
  if (l->options->seed_input) output_add(l, out, at_rng_state(l), "aten.seed", ten_attr_unit(module));
  ten_build_return(&l->b, (uint32_t)out->values.count, out->values.data);
  ten_func_update_type(module, parts->made);
  bool any = false; /* a list of empty dictionaries has no pretty form */
  for (size_t i = 0; i < out->attrs.count; i++) any |= out->attrs.data[i]->dict.count > 0;
  if (any)
    ten_op_set_attr(module, parts->made, TEN_STR("res_attrs"),
                    ten_attr_array(module, out->attrs.count, out->attrs.data));
}

/* ---- between two parts ---- */
static ten_status *mark_operands(ten_op *op, void *context) {
  ten_aten_parts *parts = context;
  for (uint32_t i = 0; i < op->operand_count; i++) parts->needed[ten_op_operand(op, i)->number] = true;
  return NULL;
}

/* Adds the location of a value that the next part takes, unless present. */
static void carry(ten_aten_parts *parts, ten_value **place) {
  for (size_t i = 0; i < parts->carried.count; i++)
    if (parts->carried.data[i] == place) return;
  ten_vec_push(&parts->carried, place);
}

/* All values that later ops may use: memory that they read, memory that was written, numbers. */
static void carry_all(ten_aten_parts *parts) {
  at *l = &parts->l;
  parts->carried.count = 0;
  memset(parts->needed, 0, l->ref_count + 1);
  for (ten_op *op = l->reached; op; op = op->next) ten_status_free(ten_op_walk(op, mark_operands, parts));
  for (size_t i = 0; i < l->ref_count; i++) {
    at_ref *ref = &l->refs[i];
    if (ref->kind != AT_TENSOR) {
      if (ref->value && ref->value != l->question) carry(parts, &ref->value);
      continue;
    }
    at_storage *storage = ref->tensor->storage;
    if (storage->weight && !storage->version) {
      if (parts->needed[i]) storage->part = l->part + 1;
      continue;
    }
    if (parts->needed[i] || (storage->version && (storage->weight || storage->input >= 0)))
      carry(parts, &storage->value);
    else
      *ref = (at_ref){0};
  }
  if (l->rng) carry(parts, &l->rng);
}

/* Ends the part: returns the requested size and the inputs of the next part. */
static void part_end(ten_aten_parts *parts) {
  at *l = &parts->l;
  ten_module *module = l->b.module;
  carry_all(parts);
  const size_t count = parts->carried.count;
  ten_value **values = ten_arena_new_array(&module->arena, ten_value *, count + 1);
  values[0] = at_cast(l, at_reshape(l, l->question, 0, NULL), TEN_I64);
  for (size_t i = 0; i < count; i++) values[i + 1] = *parts->carried.data[i];
  ten_build_return(&l->b, (uint32_t)count + 1, values);
  ten_func_update_type(module, parts->made);
}

/* Weights are constants in every part that may read them. */
static void part_begin(ten_aten_parts *parts, int64_t answer) {
  at *l = &parts->l;
  ten_module *module = l->b.module;
  const size_t count = parts->carried.count;
  bool is_number = false; /* of the program: now a constant; otherwise the current op queries again and gets it */
  for (size_t i = 0; i < l->ref_count; i++) {
    if (l->refs[i].kind == AT_TENSOR || l->refs[i].value != l->question) continue;
    l->refs[i] = (at_ref){.kind = l->refs[i].kind, .i = answer, .f = (double)answer};
    is_number = true;
  }
  if (!is_number) ten_vec_push(&l->asked, answer);
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, count + 1);
  for (size_t i = 0; i < count; i++) types[i] = ten_type_import(module, (*parts->carried.data[i])->type);
  parts->made = ten_func_create(module, TEN_STR("main"), (uint32_t)count, types, 0, NULL,
                                ten_loc_import(module, parts->func->loc));
  l->b.block = l->body = ten_op_body(parts->made, 0);
  for (size_t i = 0; i < count; i++) *parts->carried.data[i] = l->body->args[i];
  for (const ten_op *op = ten_op_body(parts->func, 0)->first; op && op != l->reached; op = op->next) {
    if (op->code != TEN_OP_CONSTANT) continue;
    at_storage *storage = l->refs[op->results[0].number].tensor->storage;
    if (!storage->version && storage->part == l->part) storage->value = at_weight(l, op);
  }
}

/* ---- entry point ---- */
ten_status *ten_aten_parts_begin(ten_module *aten, const ten_aten_options *options, ten_aten_parts **out_parts) {
  *out_parts = NULL;
  ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  if (!func || !ten_op_body(func, 0)) return ten_error(TEN_INVALID, "the ATen program has no @main");
  const ten_op *ret = ten_op_body(func, 0)->last;
  if (!ret || ret->code != TEN_OP_FUNC_RETURN) return ten_error(TEN_INVALID, "@main does not return");
  bool checks;
  TEN_TRY(ten_asserts_wanted(&checks));
  ten_aten_parts *parts = ten_alloc(sizeof *parts);
  *parts = (ten_aten_parts){.func = func};
  if (options) parts->options = *options;
  at *l = &parts->l;
  l->options = &parts->options;
  l->checks = checks && !parts->options.unchecked;
  at_table_make(l);
  numbering n = {.l = l};
  ten_status *status = ten_op_walk(func, number_op, &n);
  if (!status && n.missing_count)
    status = ten_error(TEN_UNSUPPORTED, "%zu op%s without a lowering:\n%s%s", n.missing_count,
                       n.missing_count == 1 ? "" : "s", n.missing.data,
                       strstr(n.missing.data, "_functorch.predispatch")
                           ? "\n  (torch.vmap is taken apart by run_decompositions() before the program is saved)"
                           : "");
  ten_buf_free(&n.missing);
  l->ref_count = n.next;
  l->refs = ten_alloc((n.next + 1) * sizeof *l->refs);
  memset(l->refs, 0, (n.next + 1) * sizeof *l->refs);
  parts->needed = ten_alloc(n.next + 1);
  if (status)
    ten_aten_parts_end(parts);
  else
    *out_parts = parts;
  return status;
}

void ten_aten_parts_end(ten_aten_parts *parts) {
  if (!parts) return;
  for (size_t i = 0; i < parts->modules.count; i++)
    if (parts->modules.data[i]) ten_module_destroy(parts->modules.data[i]);
  ten_vec_free(&parts->modules);
  ten_vec_free(&parts->carried);
  ten_vec_free(&parts->l.asked);
  free(parts->needed);
  free(parts->l.rows);
  free(parts->l.refs);
  free(parts);
}

static void part_lower(ten_aten_parts *parts, const int64_t *answer, outputs *out) {
  at *l = &parts->l;
  if (answer)
    part_begin(parts, *answer);
  else
    inputs_begin(parts);
  l->question = NULL;
  ten_block *body = ten_op_body(parts->func, 0);
  const size_t count = body->last->operand_count;
  at_ref *refs = at_new_array(l, at_ref, count + 1);
  results_end(parts, at_run_ops(l, answer ? l->reached : body->first, refs, count), refs, out);
}

/* Errors of the builder about a program's sizes and dimension numbers. */
static void refuse(void *context, const char *reason) { at_fail(context, TEN_INVALID, "%s", reason); }

ten_status *ten_aten_parts_next(ten_aten_parts *parts, const int64_t *answer, ten_module **out_module, bool *out_last) {
  at *l = &parts->l;
  *out_module = NULL;
  l->asks = out_last != NULL;
  if (answer) l->part++;
  l->b.module = ten_module_create();
  l->b.module->from_torch = true;
  l->b.loc = NULL;
  l->b.refuse = refuse, l->b.refuse_context = l, l->b.rank_max = AT_MAX_RANK;
  ten_vec_push(&parts->modules, l->b.module);
  jmp_buf escape;
  l->escape = &escape;
  outputs *out = ten_alloc(sizeof *out);
  memset(out, 0, sizeof *out);
  ten_recovery recovery;
  ten_recovery_enter(&recovery, "lowering the program");
  if (_setjmp(recovery.place)) {
    l->status = ten_first_error(l->status, ten_recovery_status(&recovery));
  } else {
    if (!setjmp(escape)) part_lower(parts, answer, out);
    if (l->question && !l->status)
      if (!setjmp(escape)) part_end(parts);
  }
  ten_recovery_leave(&recovery); /* also drops those that an escape jumped over */
  ten_vec_free(&out->values);
  ten_vec_free(&out->attrs);
  free(out);
  if (l->status) return l->status;
  TEN_TRY(ten_verify(l->b.module)); /* stop at an invalid lowering */
  if (out_last) *out_last = !l->question;
  *out_module = l->b.module;
  return NULL;
}

ten_status *ten_aten_lower(ten_module *aten, const ten_aten_options *options, ten_module **out_module) {
  *out_module = NULL;
  ten_aten_parts *parts;
  ten_module *made;
  TEN_TRY(ten_aten_parts_begin(aten, options, &parts));
  ten_status *status = ten_aten_parts_next(parts, NULL, &made, NULL);
  if (!status) *out_module = parts->modules.data[0], parts->modules.data[0] = NULL;
  ten_aten_parts_end(parts);
  return status;
}

bool ten_aten_knows(ten_str name) {
  at l = {0};
  at_table_make(&l);
  bool in_place;
  const bool known = at_row_of(&l, name, &in_place) != NULL;
  free(l.rows);
  return known;
}
