/* shapes.c: how programs are compiled, and what those share that differ in sizes alone. */
#include <stdlib.h>
#include <string.h>

#include "backend/settings.h"
#include "backend/shared.h"
#include "base/thread.h"
#include "core.h"
#include "driver/devices.h"
#include "driver/open_program.h"
#include "driver/sizes.h"

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

const ten_op *core_main(const ten_import *program) {
  return ten_module_entry(program->aten ? program->aten : program->stablehlo, TEN_STR("main"));
}

ten_hash128 core_sizes_key(const ten_import *program) { return ten_sizes_key(program, core_main(program)); }

void core_share(const ten_import *program, ten_hash128 key, const ten_backend *backend,
                const ten_aten_options *lowering, ten_module *module, ten_shared **shared, ten_settings *settings) {
  if (!backend->learn) return;
  ten_mutex_lock(&making);
  if (!*shared) *shared = ten_shared_create();
  ten_mutex_unlock(&making);
  settings->shared = *shared;
  ten_sizes_prepare(program, core_main(program), key, backend, lowering, &module->arena, settings);
}

ten_status *core_compile(const ten_import *program, const ten_backend *backend, ten_module *module, const ten_op *func,
                         const ten_settings *settings, bool frozen, ten_executable **out_executable) {
  if (program->aten || frozen || backend != ten_backend_default() || !ten_import_is_open(program, "main"))
    return ten_compile(backend, module, func, settings, out_executable);
  const ten_open_options open = {.entry = "main", .settings = *settings};
  return ten_open_program_create(program, &open, out_executable);
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
