/* sizes.c: chooses other sizes for a program, lowers it for them, and tells the backend. */
#include "driver/sizes.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/shared.h"
#include "ir/verify/verify.h"

ten_hash128 ten_sizes_key(const ten_import *program, const ten_op *func) {
  TEN_RECOVER_AS("reading the program", ((ten_hash128){0}));
  const ten_type *type = func ? ten_func_type(func) : NULL;
  bool *exact = ten_alloc((type ? type->input_count + 1 : 1) * sizeof *exact), open = false;
  for (uint32_t i = 0; type && i < type->input_count; i++) {
    exact[i] = ten_type_is_tensor(type->inputs[i]) && ten_type_is_static(type->inputs[i]);
    open |= ten_type_is_tensor(type->inputs[i]) ? !exact[i] : program->aten != NULL; /* a number of an archive */
  }
  ten_hash128 key = {0};
  if (open) {
    ten_hasher *hasher = ten_hasher_create();
    const ten_hash128 fingerprint = ten_func_fingerprint(func, exact);
    ten_hasher_add(hasher, &fingerprint, sizeof fingerprint);
    for (const ten_op *op = ten_op_body(func, 0)->first; op; op = op->next) { /* weights of an archive */
      const ten_type *of = op->code == TEN_OP_CONSTANT ? op->results[0].type : NULL;
      if (of && ten_type_is_tensor(of) && of->ranked) ten_hasher_add(hasher, of->dims, of->rank * sizeof *of->dims);
    }
    key = ten_hasher_result(hasher);
    ten_hasher_destroy(hasher);
  }
  free(exact);
  return key;
}

static ten_status *refine(const ten_import *program, const ten_op *declared, const ten_aten_options *lowering,
                          ten_module **out_module) {
  const ten_type *type = ten_func_type(declared);
  const uint32_t count = type->input_count;
  ten_module *copy = ten_module_clone_view(program->stablehlo);
  ten_op *func = ten_module_entry(copy, ten_func_name(declared));
  const ten_type **types = ten_arena_new_array(&copy->arena, const ten_type *, count + 1);
  const ten_attr **values = ten_arena_new_array(&copy->arena, const ten_attr *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const ten_type *given = lowering->inputs[i].type;
    types[i] = ten_type_import(copy, type->inputs[i]);
    if (ten_type_is_tensor(types[i]) && given) types[i] = ten_type_with_shape(copy, types[i], given->rank, given->dims);
  }
  ten_status *status = ten_refine_func(copy, func, types, values, count);
  if (status)
    ten_module_destroy(copy);
  else
    *out_module = copy;
  return status;
}

ten_status *ten_sizes_lower(const ten_import *program, const ten_op *func, const ten_aten_options *lowering,
                            ten_module **out_module) {
  *out_module = NULL;
  return program->aten ? ten_import_specialize(program, lowering, out_module)
                       : refine(program, func, lowering, out_module);
}

/* The open sizes of these inputs. */
static const int64_t *list_open(const ten_op *func, const ten_aten_input *inputs, ten_arena *arena, size_t *out_count) {
  const ten_type *type = ten_func_type(func);
  int64_t *sizes = ten_arena_new_array(arena, int64_t, (size_t)type->input_count *TEN_RANK_MAX + 1);
  *out_count = 0;
  for (uint32_t i = 0; i < type->input_count; i++) {
    if (inputs[i].has_number) sizes[(*out_count)++] = (int64_t)inputs[i].number;
    if (!inputs[i].type || !ten_type_is_tensor(type->inputs[i])) continue;
    for (uint32_t d = 0; d < inputs[i].type->rank; d++)
      if (!type->inputs[i]->ranked || (type->inputs[i]->rank > d && type->inputs[i]->dims[d] == TEN_DYNAMIC))
        sizes[(*out_count)++] = inputs[i].type->dims[d];
  }
  return sizes;
}

/* A function of the same inputs that names each open dimension by a symbol: StableHLO mostly has none. */
static const ten_op *with_symbols(const ten_op *func, ten_module *module) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++)
    if (ten_func_arg_attr(func, i, "aten.symbols")) return func;
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, type->input_count + 1);
  for (uint32_t i = 0; i < type->input_count; i++) types[i] = ten_type_import(module, type->inputs[i]);
  ten_op *made =
      ten_func_create(module, ten_func_name(func), type->input_count, types, 0, types + type->input_count, NULL);
  const ten_attr **attrs = ten_arena_new_array(&module->arena, const ten_attr *, type->input_count + 1);
  for (uint32_t i = 0; i < type->input_count; i++) {
    const uint32_t rank = ten_type_is_tensor(types[i]) && types[i]->ranked ? types[i]->rank : 0;
    const ten_attr *names[TEN_RANK_MAX];
    for (uint32_t d = 0; d < rank; d++) {
      char name[32] = "";
      if (types[i]->dims[d] == TEN_DYNAMIC) snprintf(name, sizeof name, "i%u_%u", i, d);
      names[d] = ten_attr_string(module, ten_str_of(name));
    }
    const ten_named_attr symbols = {TEN_STR("aten.symbols"), ten_attr_array(module, rank, names)};
    attrs[i] = ten_attr_dict(module, 1, &symbols);
  }
  ten_op_set_attr(module, made, TEN_STR("arg_attrs"), ten_attr_array(module, type->input_count, attrs));
  return made;
}

typedef struct learning {
  const ten_import *program;
  const ten_op *func, *named; /* `named`: with the symbols of its sizes */
  const ten_backend *backend;
  const ten_aten_options *lowering; /* for the sizes at hand */
  const ten_settings *settings;
  ten_module *types;
  ten_aten_input *inputs; /* of other sizes */
  uint32_t groups;
} learning;

/* Lowers for other sizes; `only_try`: and nothing more. False: there are none like this, or the program refuses them.
 */
static bool learn_at(learning *l, const ten_aten_other *how, bool only_try) {
  if (!ten_aten_other_sizes(l->named, l->lowering->inputs, how, l->types, l->inputs, &l->groups)) return false;
  ten_aten_options other = *l->lowering;
  ten_module *module = NULL;
  other.inputs = l->inputs;
  ten_status *status = ten_sizes_lower(l->program, l->func, &other, &module);
  const ten_op *func = module ? ten_module_entry(module, ten_func_name(l->func)) : NULL;
  if (!status && func && !only_try) {
    ten_settings settings = *l->settings;
    settings.verified = l->program->aten != NULL; /* by the lowering */
    settings.open_sizes = list_open(l->func, l->inputs, &module->arena, &settings.open_count);
    status = l->backend->learn(l->backend, module, func, &settings);
  }
  if (module) ten_module_destroy(module);
  const bool good = !status;
  ten_status_free(status);
  return good;
}

/* Symbols may be tied to each other, or to sizes that are fixed, in ways that only lowering tells: then those change
 * together that are alike, and of these groups the ones that may change alone. */
static bool learn_round(learning *l, uint32_t round) {
  ten_aten_other how = {.round = round};
  if (learn_at(l, &how, false)) return true;
  how.together = true;
  if (learn_at(l, &how, false)) return true;
  uint32_t good = 0;
  for (uint32_t i = 0, groups = l->groups; i < groups; i++) {
    how.only = 1u << i;
    if (learn_at(l, &how, true)) good |= how.only;
  }
  how.only = good;
  return good && learn_at(l, &how, false);
}

/* Whether code of an earlier process was found. */
static bool recall(const ten_backend *backend, const ten_settings *settings, ten_hash128 key) {
  bool found = false;
  if (backend->recall && (key.low || key.high))
    ten_status_free(backend->recall(backend, settings, key, &found)); /* then it is generated */
  return found;
}

void ten_sizes_prepare(const ten_import *program, const ten_op *func, ten_hash128 key, const ten_backend *backend,
                       const ten_aten_options *lowering, ten_arena *arena, ten_settings *settings) {
  TEN_RECOVER_AS("compiling the program", );
  const bool known = func && lowering->inputs && ten_func_type(func)->input_count == lowering->input_count;
  if (!known) return;
  settings->open_sizes = list_open(func, lowering->inputs, arena, &settings->open_count);
  if (!backend->learn) return;
  enum { TRIES = 3 }; /* the first size may have none like it: a batch of 1 */
  ten_shared *shared = settings->shared;
  ten_shared_lock(shared);
  const bool is_new = !shared->code && !shared->sizes;
  const bool wanted = is_new || (!shared->learnt && shared->sizes > 0 && shared->sizes < TRIES);
  ten_shared_unlock(shared);
  if (!wanted) return;
  bool learnt = is_new && recall(backend, settings, key);
  if (!learnt) {
    learning l = {.program = program, .func = func, .backend = backend, .lowering = lowering, .settings = settings};
    l.types = ten_module_create();
    l.named = program->aten ? func : with_symbols(func, l.types);
    l.inputs = ten_alloc((lowering->input_count + 1) * sizeof *l.inputs);
    for (uint32_t round = 0; round < TEN_ATEN_OTHER_ROUNDS; round++) learnt |= learn_round(&l, round);
    free(l.inputs);
    ten_module_destroy(l.types);
  }
  ten_shared_lock(shared);
  shared->learnt |= learnt;
  ten_shared_unlock(shared);
}
