/* shapes.c: how programs are compiled: for one set of sizes after another, and those that differ in sizes alone. */
#include <stdlib.h>
#include <string.h>

#include "backend/settings.h"
#include "backend/shared.h"
#include "base/thread.h"
#include "core.h"

void core_given_free(core_given *given) {
  free(given->inputs);
  if (given->types) ten_module_destroy(given->types);
  *given = (core_given){0};
}

ten_status *core_settings(const ten_backend *backend, const char *precision, int level, bool transient,
                          ten_settings *out_settings) {
  TEN_RECOVER("compiling the program");
  *out_settings = (ten_settings){0};
  if (strcmp(backend->name, "cpu"))
    return precision && !strcmp(precision, "tf32") ? ten_precision_parse(precision, &out_settings->precision) : NULL;
  const bool exact = precision && !strcmp(precision, "exact");
  TEN_TRY(ten_settings_parse(exact ? "f32" : precision, exact, out_settings));
  out_settings->transient = transient;
  return ten_settings_set_level(out_settings, level);
}

static ten_status *random_note(ten_op *op, void *context) {
  *(bool *)context |= op->code == TEN_OP_RNG_BIT_GENERATOR || op->code == TEN_OP_RNG;
  return NULL;
}

/* Whether a program draws random numbers, wherever in it. */
bool core_is_random(ten_op *func) {
  bool found = false;
  ten_status_free(ten_op_walk(func, random_note, &found));
  return found;
}

static ten_mutex making = TEN_MUTEX_INIT; /* two threads may compile a program for its first sizes */

/* The open sizes of these inputs, in `module`. */
static const int64_t *list_open(const ten_op *func, const core_given *given, ten_module *module, size_t *out_count) {
  const ten_type *type = func ? ten_func_type(func) : NULL;
  const ten_aten_input *inputs = given->inputs;
  const size_t count = given->count;
  int64_t *sizes = ten_arena_new_array(&module->arena, int64_t, count *TEN_RANK_MAX + 1);
  for (size_t i = 0; type && i < count; i++) {
    if (inputs[i].has_number) sizes[(*out_count)++] = (int64_t)inputs[i].number;
    for (uint32_t d = 0; inputs[i].type && d < inputs[i].type->rank; d++)
      if (type->inputs[i]->rank > d && type->inputs[i]->dims[d] == TEN_DYNAMIC)
        sizes[(*out_count)++] = inputs[i].type->dims[d];
  }
  return sizes;
}

ten_status *core_share(const ten_import *program, const ten_backend *backend, const core_given *given,
                       ten_module *module, ten_shared **shared, ten_settings *settings) {
  TEN_RECOVER("compiling the program");
  if (strcmp(backend->name, "cpu")) return NULL;
  const ten_op *func = program->aten ? ten_module_entry(program->aten, TEN_STR("main")) : NULL;
  settings->open_sizes = list_open(func, given, module, &settings->open_count);
  ten_mutex_lock(&making);
  if (!*shared) *shared = ten_shared_create();
  ten_mutex_unlock(&making);
  settings->shared = *shared;
  return NULL;
}

/* Whether nothing was compiled with it yet. */
static bool is_new(ten_shared *shared) {
  ten_shared_lock(shared);
  const bool found = !shared->code && !shared->sizes;
  ten_shared_unlock(shared);
  return found;
}

typedef struct learning {
  const ten_import *program;
  const ten_op *func;
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
  if (!ten_aten_other_sizes(l->func, l->lowering->inputs, how, l->types, l->inputs, &l->groups)) return false;
  ten_aten_options other = *l->lowering;
  ten_module *module = NULL;
  other.inputs = l->inputs;
  ten_status *status = ten_import_specialize(l->program, &other, &module);
  const ten_op *func = module ? ten_module_entry(module, TEN_STR("main")) : NULL;
  if (!status && func && !only_try) {
    const core_given given = {l->inputs, other.input_count, NULL};
    ten_settings settings = *l->settings;
    settings.verified = true; /* by the lowering */
    settings.open_count = 0;
    settings.open_sizes = list_open(l->func, &given, module, &settings.open_count);
    status = l->backend->learn(l->backend, module, func, &settings);
  }
  if (module) ten_module_destroy(module);
  const bool good = !status;
  ten_status_free(status);
  return good;
}

/* Symbols may be tied to each other, or to sizes that are fixed, in ways that only lowering tells: then those change
 * together that are alike, and of these groups the ones that may change alone. */
static void learn_round(learning *l, uint32_t round) {
  ten_aten_other how = {.round = round};
  if (learn_at(l, &how, false)) return;
  how.together = true;
  if (learn_at(l, &how, false)) return;
  uint32_t good = 0;
  for (uint32_t i = 0, groups = l->groups; i < groups; i++) {
    how.only = 1u << i;
    if (learn_at(l, &how, true)) good |= how.only;
  }
  how.only = good;
  if (good) learn_at(l, &how, false);
}

/* Whether code of an earlier process was found. */
static bool recall(const ten_backend *backend, const ten_settings *settings, ten_hash128 key) {
  bool found = false;
  if (backend->recall && (key.low || key.high))
    ten_status_free(backend->recall(backend, settings, key, &found)); /* then it is generated */
  return found;
}

ten_hash128 core_sizes_key(const ten_import *program) {
  TEN_RECOVER_AS("reading the program", ((ten_hash128){0}));
  const ten_op *func = program->aten ? ten_module_entry(program->aten, TEN_STR("main")) : NULL;
  const ten_type *type = func ? ten_func_type(func) : NULL;
  bool *exact = ten_alloc((type ? type->input_count + 1 : 1) * sizeof *exact), open = false;
  for (uint32_t i = 0; type && i < type->input_count; i++) {
    exact[i] = ten_type_is_tensor(type->inputs[i]) && ten_type_is_static(type->inputs[i]);
    open |= !exact[i];
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

void core_learn_sizes(const ten_import *program, ten_hash128 key, const ten_backend *backend,
                      const ten_aten_options *lowering, const ten_settings *settings) {
  if (!backend->learn || !settings->shared || !program->aten || !lowering->inputs || !is_new(settings->shared)) return;
  TEN_RECOVER_AS("compiling the program", );
  if (recall(backend, settings, key)) return;
  const ten_op *func = ten_module_entry(program->aten, TEN_STR("main"));
  if (!func || ten_func_type(func)->input_count != lowering->input_count) return;
  learning l = {.program = program, .func = func, .backend = backend, .lowering = lowering, .settings = settings};
  l.types = ten_module_create();
  l.inputs = ten_alloc((lowering->input_count + 1) * sizeof *l.inputs);
  for (uint32_t round = 0; round < TEN_ATEN_OTHER_ROUNDS; round++) learn_round(&l, round);
  free(l.inputs);
  ten_module_destroy(l.types);
}

PyObject *core_fingerprint(const ten_import *program, PyObject *exact) {
  const ten_op *func = program->aten ? ten_module_entry(program->aten, TEN_STR("main")) : NULL;
  if (!func) Py_RETURN_NONE;
  const Py_ssize_t count = exact ? PySequence_Size(exact) : 0;
  const uint32_t inputs = ten_func_type(func)->input_count;
  bool *marks = calloc((size_t)inputs + 1, sizeof *marks);
  if (count < 0 || !marks) return free(marks), count < 0 ? NULL : PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(exact, i);
    const long index = item ? PyLong_AsLong(item) : -1;
    Py_XDECREF(item);
    if (index == -1 && PyErr_Occurred()) return free(marks), NULL;
    if (index >= 0 && index < (long)inputs) marks[index] = true;
  }
  const ten_hash128 fingerprint = ten_func_fingerprint(func, marks);
  free(marks);
  return PyBytes_FromStringAndSize((const char *)&fingerprint, sizeof fingerprint);
}

typedef struct sizes_object {
  PyObject_HEAD ten_shared *shared; /* owned */
} sizes_object;

ten_shared **core_sizes_shared(PyObject *sizes) { return &((sizes_object *)sizes)->shared; }

static PyObject *sizes_create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  (void)args, (void)kwargs;
  sizes_object *self = (sizes_object *)PyType_GenericAlloc(type, 0);
  if (self) self->shared = ten_shared_create();
  return (PyObject *)self;
}

static void sizes_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  ten_shared_release(((sizes_object *)object)->shared);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject *sizes_counts(PyObject *object, void *unused) {
  (void)unused;
  const ten_shared_counts counts = ten_shared_count(((sizes_object *)object)->shared);
  return Py_BuildValue("(KK)", (unsigned long long)counts.compilations, (unsigned long long)counts.sizes);
}

static PyGetSetDef sizes_getset[] = {
    {"counts", sizes_counts, NULL, "How often code was generated, and how many executables there were.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot sizes_slots[] = {{Py_tp_new, sizes_create},
                                    {Py_tp_dealloc, sizes_dealloc},
                                    {Py_tp_getset, sizes_getset},
                                    {Py_tp_doc, "Generated code that programs share which differ in sizes alone."},
                                    {0, NULL}};
PyType_Spec core_sizes_spec = {"tenfold._core.Sizes", sizeof(sizes_object), 0, Py_TPFLAGS_DEFAULT, sizes_slots};
