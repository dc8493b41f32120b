/* program.c: programs and executables as Python objects. Executing lets other Python threads run. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "backend/settings.h"
#include "backend/shared.h"
#include "core.h"
#include "driver/devices.h"
#include "front/import/graph.h"
#include "ir/bytecode/bytecode.h"
#include "ir/verify/verify.h"
#include "transform/pass/grad.h"

typedef struct program_object {
  PyObject_HEAD ten_import program;
  ten_shared *shared; /* owned: what executables for its sizes have in common, or NULL */
  ten_hash128 key;    /* ten_sizes_key */
} program_object;

static core_state *state_from_type(PyObject *object) { return PyType_GetModuleState(Py_TYPE(object)); }

static PyObject *program_new(const core_state *state, ten_import *program) {
  program_object *self = PyObject_New(program_object, state->program);
  if (!self) {
    ten_import_destroy(program);
    return NULL;
  }
  self->program = *program;
  self->shared = NULL;
  self->key = core_sizes_key(program);
  return (PyObject *)self;
}

static void program_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  ten_import_destroy(&((program_object *)object)->program);
  ten_shared_release(((program_object *)object)->shared);
  PyObject_Free(object);
  Py_DECREF(type);
}

PyObject *core_load(PyObject *module, PyObject *path) {
  const core_state *state = core_state_of(module);
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  ten_import program;
  ten_status *status;
  const char *name = PyBytes_AsString(bytes);
  Py_BEGIN_ALLOW_THREADS status = ten_import_load(name, &program);
  Py_END_ALLOW_THREADS Py_DECREF(bytes);
  return status ? core_raise(state, status) : program_new(state, &program);
}

PyObject *core_graph(PyObject *module, PyObject *text) {
  const core_state *state = core_state_of(module);
  Py_ssize_t size;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) return NULL;
  ten_import program = {0};
  ten_status *status = ten_graph_import((ten_str){data, (size_t)size}, &program.aten);
  return status ? core_raise(state, status) : program_new(state, &program);
}

PyObject *core_parse(PyObject *module, PyObject *text) {
  const core_state *state = core_state_of(module);
  char *data;
  Py_ssize_t size;
  PyObject *bytes = PyUnicode_Check(text) ? PyUnicode_AsUTF8String(text) : Py_NewRef(text);
  if (!bytes) return NULL;
  if (PyBytes_AsStringAndSize(bytes, &data, &size)) return Py_DECREF(bytes), NULL;
  ten_import program = {0};
  ten_status *status = ten_bytecode_is(data, (size_t)size)
                           ? ten_bytecode_read(data, (size_t)size, "<memory>", false, &program.stablehlo)
                           : ten_text_parse(data, (size_t)size, "<memory>", &program.stablehlo);
  Py_DECREF(bytes);
  if (!status) status = ten_verify(program.stablehlo);
  if (status) ten_import_destroy(&program);
  return status ? core_raise(state, status) : program_new(state, &program);
}

/* Inputs of a specialisation: None (as exported), a shape (a sequence of sizes), or a number. Their types are in a
 * module of their own: in the program's they would stay, one for each size that there ever was. The caller frees
 * `out`, also after -1: an exception is set. */
static int inputs_read(const ten_import *program, PyObject *list, core_given *out) {
  *out = (core_given){0};
  if (!list || list == Py_None || !program->aten) return 0;
  const Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return -1;
  const ten_op *func = ten_module_entry(program->aten, TEN_STR("main"));
  const ten_type *type = func ? ten_func_type(func) : NULL;
  if (!type || (size_t)count != type->input_count) {
    PyErr_Format(PyExc_ValueError, "the program takes %u inputs, %zd are given", type ? type->input_count : 0, count);
    return -1;
  }
  ten_aten_input *inputs = calloc((size_t)count + 1, sizeof *inputs);
  if (!inputs) return PyErr_NoMemory(), -1;
  *out = (core_given){inputs, (size_t)count, ten_module_create()};
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    if (!item) return -1;
    if (PyLong_Check(item) || PyFloat_Check(item)) {
      inputs[i].has_number = true;
      inputs[i].number = PyFloat_AsDouble(item);
    } else if (item != Py_None) {
      int64_t dims[TEN_RANK_MAX];
      const Py_ssize_t rank = PySequence_Size(item);
      if (rank < 0 || rank > TEN_RANK_MAX || type->inputs[i]->kind != TEN_TYPE_TENSOR) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "input %zd cannot have this shape", i);
        Py_DECREF(item);
        return -1;
      }
      for (Py_ssize_t d = 0; d < rank; d++) {
        PyObject *size = PySequence_GetItem(item, d);
        dims[d] = size ? PyLong_AsLongLong(size) : -1;
        Py_XDECREF(size);
      }
      inputs[i].type = ten_type_tensor(out->types, type->inputs[i]->dtype, (uint32_t)rank, dims);
    }
    Py_DECREF(item);
    if (PyErr_Occurred()) return -1;
  }
  return 0;
}

static ten_status *lower(program_object *self, ten_aten_options options, ten_module **out) {
  TEN_RECOVER("lowering the program");
  return ten_import_specialize(&self->program, &options, out);
}

static PyObject *program_text(PyObject *object, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"stage", "inputs", "locations", "elide", NULL};
  program_object *self = (program_object *)object;
  const char *stage = "stablehlo";
  PyObject *shapes = NULL;
  int locations = 0;
  Py_ssize_t elide = 16;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|sOpn", names, &stage, &shapes, &locations, &elide)) return NULL;
  const core_state *state = state_from_type(object);
  ten_module *made = NULL, *shown = self->program.aten;
  static const char *const later[] = {"passes", "choice", "fused",
                                      "plan",   "llvm",   "asm"}; /* what the cpu backend makes */
  bool is_later = false;
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) is_later |= !strcmp(stage, later[i]);
  if (strcmp(stage, "aten") || !shown) {
    if (strcmp(stage, "stablehlo") && !is_later)
      return PyErr_Format(PyExc_ValueError, "no stage '%s' of this program", stage);
    core_given given;
    if (inputs_read(&self->program, shapes, &given)) return core_given_free(&given), NULL;
    ten_status *status = lower(self, (ten_aten_options){.inputs = given.inputs, .input_count = given.count}, &made);
    core_given_free(&given);
    if (status) return core_raise(state, status);
    shown = made;
  }
  TEN_RECOVER_AS("printing the program", PyErr_NoMemory());
  ten_buf text = {0};
  const ten_print_options options = {.locations = locations, .elide_above = elide > 0 ? (size_t)elide : 0};
  if (is_later) {
    const ten_op *func = ten_module_entry(made, TEN_STR("main"));
    ten_status *status = func ? ten_backend_show(ten_backend_default(), made, func, NULL, stage, &text)
                              : ten_error(TEN_INVALID, "the program has no @main");
    if (status) {
      ten_buf_free(&text);
      ten_module_destroy(made);
      return core_raise(state, status);
    }
  } else {
    ten_text_print(&text, shown, &options);
  }
  PyObject *result = PyUnicode_DecodeUTF8(text.data ? text.data : "", (Py_ssize_t)text.size, "replace");
  ten_buf_free(&text);
  if (made) ten_module_destroy(made);
  return result;
}

static void drop_object(void *object) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF((PyObject *)object);
  PyGILState_Release(gil);
}

/* Argument numbers from a sequence, or NULL for None. -1: an exception is set. */
static int numbers_read(PyObject *list, uint32_t **out, size_t *out_count) {
  *out = NULL, *out_count = 0;
  if (!list || list == Py_None) return 0;
  const Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return -1;
  if (!(*out = calloc((size_t)count + 1, sizeof **out))) return PyErr_NoMemory(), -1;
  *out_count = (size_t)count;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    const long number = item ? PyLong_AsLong(item) : -1;
    Py_XDECREF(item);
    if (PyErr_Occurred()) return -1;
    if (number < 0 || number > UINT16_MAX)
      return PyErr_Format(PyExc_ValueError, "argument %ld is out of range", number), -1;
    (*out)[i] = (uint32_t)number;
  }
  return 0;
}

static PyObject *program_grad(PyObject *object, PyObject *args, PyObject *kwargs) {
  TEN_RECOVER_AS("differentiating the program", PyErr_NoMemory());
  static char *names[] = {"by", "inputs", "value", "cotangents", NULL};
  program_object *self = (program_object *)object;
  PyObject *by = NULL, *shapes = NULL;
  int value = 0, cotangents = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOpp", names, &by, &shapes, &value, &cotangents)) return NULL;
  const core_state *state = state_from_type(object);
  core_given given;
  uint32_t *numbers = NULL;
  size_t number_count;
  if (inputs_read(&self->program, shapes, &given) || numbers_read(by, &numbers, &number_count)) {
    core_given_free(&given);
    free(numbers);
    return NULL;
  }
  ten_module *module = NULL;
  ten_import gradient = {0};
  const ten_aten_options lowering = {.inputs = given.inputs, .input_count = given.count, .training = true};
  ten_status *status = ten_import_specialize(&self->program, &lowering, &module);
  const ten_grad_options options = {
      .args = numbers, .arg_count = number_count, .with_results = value, .take_cotangents = cotangents};
  if (!status) status = ten_grad_module(module, &options, &gradient.stablehlo);
  if (module) ten_module_destroy(module);
  if (!status) status = ten_verify(gradient.stablehlo);
  core_given_free(&given);
  free(numbers);
  if (status) {
    ten_import_destroy(&gradient);
    return core_raise(state, status);
  }
  Py_INCREF(object); /* constants look into it */
  ten_module_on_destroy(gradient.stablehlo, drop_object, object);
  return program_new(state, &gradient);
}

static PyObject *program_check(PyObject *object, PyObject *shapes) {
  TEN_RECOVER_AS("checking the program", PyErr_NoMemory());
  program_object *self = (program_object *)object;
  core_given given;
  if (inputs_read(&self->program, shapes, &given)) return core_given_free(&given), NULL;
  ten_module *module = NULL;
  ten_status *status = lower(self, (ten_aten_options){.inputs = given.inputs, .input_count = given.count}, &module);
  core_given_free(&given);
  ten_op *func = module ? ten_module_entry(module, TEN_STR("main")) : NULL;
  const bool random = func && core_is_random(func);
  if (module) ten_module_destroy(module);
  return status ? core_raise(state_from_type(object), status) : PyBool_FromLong(random);
}

static PyObject *program_parts(PyObject *object, PyObject *args) {
  program_object *self = (program_object *)object;
  PyObject *shapes;
  const char *device;
  if (!PyArg_ParseTuple(args, "Os", &shapes, &device)) return NULL;
  const ten_backend *backend = core_backend(device);
  if (!backend) return NULL;
  core_given given;
  if (inputs_read(&self->program, shapes, &given)) return core_given_free(&given), NULL;
  return core_parts(state_from_type(object), object, &self->program, &given, backend);
}

/* What executables share: nothing (NULL) for False, what is the program's own for True, or what an object of Sizes
 * holds. */
static ten_shared **shared_by(program_object *self, const core_state *state, PyObject *wanted) {
  if (!wanted || wanted == Py_False || wanted == Py_None) return NULL;
  return Py_TYPE(wanted) == state->sizes ? core_sizes_shared(wanted) : &self->shared;
}

static PyObject *program_learn(PyObject *object, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"shared", "device", "seed_input", "donate", "precision", "level", "checks", NULL};
  program_object *self = (program_object *)object;
  const core_state *state = state_from_type(object);
  const char *device = "cpu", *precision = NULL;
  PyObject *sizes;
  int seed_input = 0, donate = 0, level = 3, checks = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|sppzip", names, state->sizes, &sizes, &device, &seed_input,
                                   &donate, &precision, &level, &checks))
    return NULL;
  const ten_backend *backend = core_backend(device);
  if (!backend) return NULL;
  if (!backend->learn) Py_RETURN_NONE;
  ten_module *module = NULL;
  ten_settings settings = {0};
  const ten_aten_options lowering = {.seed_input = seed_input, .donate = donate, .unchecked = !checks};
  ten_status *status;
  Py_BEGIN_ALLOW_THREADS status = lower(self, lowering, &module);
  if (!status) status = core_settings(backend, precision, level, false, &settings);
  settings.shared = *core_sizes_shared(sizes);
  settings.verified = self->program.aten != NULL;
  if (!status) status = backend->learn(backend, module, ten_module_entry(module, TEN_STR("main")), &settings);
  if (module) ten_module_destroy(module);
  Py_END_ALLOW_THREADS if (status) return core_raise(state, status);
  Py_RETURN_NONE;
}

static PyObject *program_fingerprint(PyObject *object, PyObject *exact) {
  return core_fingerprint(&((program_object *)object)->program, exact);
}

static PyObject *program_compile(PyObject *object, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"inputs", "device",  "seed",    "seed_input", "donate", "precision", "level",
                          "frozen", "passing", "sampled", "checks",     "shared", NULL};
  program_object *self = (program_object *)object;
  PyObject *shapes = NULL, *pairs = NULL, *sizes = NULL;
  const char *device = "cpu", *precision = NULL;
  unsigned long long seed = 0;
  int seed_input = 0, donate = 0, level = 3, passing = 0, sampled = 0, checks = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OsKppziOpppO", names, &shapes, &device, &seed, &seed_input, &donate,
                                   &precision, &level, &pairs, &passing, &sampled, &checks, &sizes))
    return NULL;
  const core_state *state = state_from_type(object);
  ten_shared **shared = shared_by(self, state, sizes);
  const ten_backend *backend = core_backend(device);
  if (!backend) return NULL;
  core_given given;
  if (inputs_read(&self->program, shapes, &given)) return core_given_free(&given), NULL;
  ten_module *module = NULL;
  ten_executable *executable = NULL;
  ten_op *func = NULL;
  ten_status *status;
  core_frozen *frozen = NULL;
  ten_settings settings = {0};
  const ten_aten_options lowering = {.inputs = given.inputs,
                                     .input_count = given.count,
                                     .seed = seed,
                                     .seed_input = seed_input,
                                     .donate = donate,
                                     .unchecked = !checks};
  Py_BEGIN_ALLOW_THREADS status = lower(self, lowering, &module);
  if (!status) status = core_settings(backend, precision, level, passing, &settings);
  if (!status && !(func = ten_module_entry(module, TEN_STR("main"))))
    status = ten_error(TEN_INVALID, "the program has no @main");
  if (!status && shared) core_share(&self->program, self->key, backend, &lowering, module, shared, &settings);
  Py_END_ALLOW_THREADS core_given_free(&given);
  if (!status && core_freeze(state, pairs, sampled, module, func, &settings, &frozen)) {
    ten_module_destroy(module);
    return NULL;
  }
  const bool random = !status && core_is_random(func);
  settings.verified = self->program.aten != NULL;
  settings.module_lent = settings.verified && settings.shared;
  settings.workspace = state->workspace;
  Py_BEGIN_ALLOW_THREADS if (!status) status =
      core_compile(&self->program, backend, module, func, &settings, frozen != NULL, &executable);
  Py_END_ALLOW_THREADS executable_object *made = status ? NULL : PyObject_New(executable_object, state->executable);
  if (!made) {
    ten_executable_release(executable);
    if (module) ten_module_destroy(module);
    core_frozen_free(frozen);
    return status ? core_raise(state, status) : NULL;
  }
  made->program = Py_NewRef(object);
  made->module = module, made->executable = executable, made->func = func;
  made->frozen = frozen;
  made->random = random;
  made->plain = donate && ten_executable_is_plain(executable);
  made->step_names = NULL;
  return (PyObject *)made;
}

static const ten_op *program_main(PyObject *object) { return core_main(&((program_object *)object)->program); }

static PyObject *program_inputs(PyObject *object, void *unused) {
  (void)unused;
  const ten_op *func = program_main(object);
  return func ? core_types(func, true) : PyList_New(0);
}

static PyObject *program_outputs(PyObject *object, void *unused) {
  (void)unused;
  const ten_op *func = program_main(object);
  return func ? core_returned(func) : PyList_New(0);
}

static PyObject *program_names(PyObject *object, void *of_inputs) {
  const ten_op *func = program_main(object);
  return func ? core_names(func, of_inputs != NULL) : PyList_New(0);
}

static PyObject *program_counts(PyObject *object, void *unused) {
  (void)unused;
  const ten_shared_counts counts = ten_shared_count(((program_object *)object)->shared);
  return Py_BuildValue("(KK)", (unsigned long long)counts.compilations, (unsigned long long)counts.sizes);
}

static PyObject *program_repr(PyObject *object) { return core_signature("Program", program_main(object), true); }

static PyMethodDef program_methods[] = {
    {"text", (PyCFunction)(void (*)(void))program_text, METH_VARARGS | METH_KEYWORDS,
     "text(stage='stablehlo', inputs=None, locations=False, elide=16): MLIR text."},
    {"compile", (PyCFunction)(void (*)(void))program_compile, METH_VARARGS | METH_KEYWORDS,
     "compile(inputs=None, device='cpu', seed=0, seed_input=False, donate=False, precision=None, level=3, frozen=None, "
     "passing=False, sampled=False, checks=True, shared=False): an Executable for these shapes. donate: run() may update inputs that the program writes to where "
     "they are. frozen: tuples (index, tensor[, only if the system tells of writes to it]) of inputs that are compiled in, or an Executable for other sizes, to compile in the same; "
     "run() answers False once one of them has changed. passing: it is not kept on disk. sampled: of large frozen inputs only samples are compared. "
     "checks: run() raises what eager PyTorch would. shared: generated code is shared with its other sizes, or with what shares the object of Sizes."},
    {"learn", (PyCFunction)(void (*)(void))program_learn, METH_VARARGS | METH_KEYWORDS,
     "learn(shared, device='cpu', seed_input=False, donate=False, precision=None, level=3, checks=True): code that is "
     "generated with this object of Sizes from now on takes what differs from this program as arguments."},
    {"fingerprint", program_fingerprint, METH_O,
     "fingerprint(exact): bytes that are equal for programs that differ in sizes alone, but those of these inputs."},
    {"parts", program_parts, METH_VARARGS,
     "parts(inputs, device): where sizes depend on data, something to be called that runs in parts; else None."},
    {"check", program_check, METH_O,
     "check(inputs): raises what lowering it for these shapes would; whether it draws random numbers."},
    {"grad", (PyCFunction)(void (*)(void))program_grad, METH_VARARGS | METH_KEYWORDS,
     "grad(by=None, inputs=None, value=False, cotangents=False): the gradient, a Program."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef program_getset[] = {
    {"inputs", program_inputs, NULL, "(dtype, sizes) of each input; None is a size that is not fixed.", NULL},
    {"outputs", program_outputs, NULL, "(dtype, sizes) of each result that is the caller's.", NULL},
    {"input_names", program_names, NULL, "The name of each input.", "inputs"},
    {"counts", program_counts, NULL,
     "Of executables that were made with shared=True: how often code was generated, and how many they are.", NULL},
    {"output_names", program_names, NULL, "The name of each result that is the caller's.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot program_slots[] = {{Py_tp_dealloc, program_dealloc},          {Py_tp_repr, program_repr},
                                      {Py_tp_methods, program_methods},          {Py_tp_getset, program_getset},
                                      {Py_tp_doc, "A program that was loaded."}, {0, NULL}};
PyType_Spec core_program_spec = {"tenfold._core.Program", sizeof(program_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, program_slots};

/* ---- executables ---- */
static void executable_dealloc(PyObject *object) {
  executable_object *self = (executable_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  ten_executable_release(self->executable);
  ten_module_destroy(self->module);
  core_frozen_free(self->frozen);
  Py_DECREF(self->program);
  Py_XDECREF(self->step_names);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject *executable_call(PyObject *object, PyObject *args, PyObject *kwargs) {
  executable_object *self = (executable_object *)object;
  const core_state *state = state_from_type(object);
  if (kwargs && PyDict_Size(kwargs))
    return PyErr_Format(PyExc_TypeError, "inputs are positional; keyword arguments are not accepted");
  const size_t count = (size_t)PyTuple_Size(args), results = self->executable->output_count;
  ten_tensor **values = calloc(count + results + 1, sizeof *values);
  if (!values) return PyErr_NoMemory();
  PyObject *list = NULL;
  for (size_t i = 0; i < count; i++) {
    values[i] = core_tensor_from(state, PyTuple_GetItem(args, (Py_ssize_t)i));
    if (!values[i]) goto done;
  }
  ten_tensor **outputs = values + count;
  ten_status *status;
  Py_BEGIN_ALLOW_THREADS status = ten_execute(self->executable, values, count, NULL, outputs);
  Py_END_ALLOW_THREADS if (status) {
    core_raise(state, status);
    goto done;
  }
  list = PyList_New((Py_ssize_t)results);
  for (size_t i = 0; list && i < results; i++) {
    PyObject *item = core_tensor_new(state, outputs[i], false);
    outputs[i] = NULL;
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) Py_CLEAR(list);
  }
done:
  ten_tensors_release(values, count + results);
  free(values);
  return list;
}

static PyObject *executable_inputs(PyObject *object, void *unused) {
  (void)unused;
  return core_types(((executable_object *)object)->func, true);
}

static PyObject *executable_results(PyObject *object, void *unused) {
  (void)unused;
  return core_types(((executable_object *)object)->func, false);
}

static PyObject *executable_repr(PyObject *object) {
  return core_signature("Executable", ((executable_object *)object)->func, false);
}

static PyObject *executable_checks(PyObject *object, void *unused) {
  (void)unused;
  return core_frozen_checks(((executable_object *)object)->frozen);
}

static PyObject *executable_random(PyObject *object, void *unused) {
  (void)unused;
  return PyBool_FromLong(((executable_object *)object)->random);
}

/* For each result None, the name of the buffer it updates, the index of the input it updates, or True: the random
 * state. */
static PyObject *executable_updates(PyObject *object, void *unused) {
  (void)unused;
  const ten_op *func = ((executable_object *)object)->func;
  const uint32_t count = ten_func_type(func)->result_count;
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < count; i++) {
    const ten_attr *buffer = ten_func_result_attr(func, i, "aten.mutates"),
                   *input = ten_func_result_attr(func, i, "aten.mutates_input");
    const ten_str name = ten_attr_as_string(buffer);
    PyObject *item = buffer  ? PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size)
                     : input ? PyLong_FromLongLong(ten_attr_as_int(input, -1))
                     : ten_func_result_attr(func, i, "aten.seed") ? Py_NewRef(Py_True)
                                                                  : Py_NewRef(Py_None);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* For each result None, or the index of the input that it updates, whose memory it may be written to. */
static PyObject *executable_in_place(PyObject *object, void *unused) {
  (void)unused;
  const executable_object *self = (executable_object *)object;
  const ten_type *type = ten_func_type(self->func);
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < type->result_count; i++) {
    const int64_t input = ten_attr_as_int(ten_func_result_attr(self->func, i, "aten.mutates_input"), -1);
    const bool fits =
        input >= 0 && input < type->input_count && ten_executable_in_place(self->executable, (uint32_t)input, i);
    PyObject *item = fits ? PyLong_FromLongLong(input) : Py_NewRef(Py_None);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* Bytes that one call works with, apart from its inputs: working memory, constants, results. */
static PyObject *executable_memory(PyObject *object, void *unused) {
  (void)unused;
  TEN_RECOVER_AS("measuring the program", PyErr_NoMemory());
  const executable_object *self = (executable_object *)object;
  const ten_cost cost = ten_backend_cost(self->executable);
  const ten_type *type = ten_func_type(self->func);
  size_t results = 0;
  for (uint32_t i = 0; i < type->result_count; i++) results += ten_type_bytes(type->results[i]);
  return Py_BuildValue("(KKK)", (unsigned long long)cost.arena_bytes, (unsigned long long)cost.constant_bytes,
                       (unsigned long long)results);
}

static PyObject *executable_text(PyObject *object, PyObject *unused) {
  (void)unused;
  TEN_RECOVER_AS("printing the program", PyErr_NoMemory());
  ten_buf text = {0};
  const ten_print_options options = {.elide_above = 16};
  ten_text_print(&text, ((executable_object *)object)->module, &options);
  PyObject *result = PyUnicode_DecodeUTF8(text.data ? text.data : "", (Py_ssize_t)text.size, "replace");
  ten_buf_free(&text);
  return result;
}

static PyMethodDef executable_methods[] = {
    {"text", executable_text, METH_NOARGS, "The StableHLO program."},
    {"run", core_executable_run, METH_O,
     "run(list): the framework's own tensors in and out; None when they do not "
     "fit the program's types."},
    {"holds", core_executable_holds, METH_O,
     "holds(list): whether the inputs that are compiled in are among these tensors, and have not changed."},
    {"enqueue", core_executable_enqueue, METH_VARARGS,
     "enqueue(inputs, outputs, stream, orders): a call on tensors or addresses of "
     "the device's memory, on a stream of its own kind, that is not waited for. "
     "orders: for each input 8 bytes, the order of its dimensions as the program "
     "has them; 0xff: the same. "
     "None; or, where it was not enqueued, the index of an input that kernels "
     "cannot read where it is, or -1: some input has another shape."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef executable_getset[] = {
    {"inputs", executable_inputs, NULL, "(dtype, sizes) of each input.", NULL},
    {"results", executable_results, NULL, "(dtype, sizes) of each result.", NULL},
    {"memory", executable_memory, NULL, "Bytes of one call: working memory, constants, results.", NULL},
    {"checks", executable_checks, NULL,
     "Bytes of compiled-in inputs that the system watches for writes, and bytes that the last call read of them.",
     NULL},
    {"random", executable_random, NULL, "Whether it draws random numbers.", NULL},
    {"updates", executable_updates, NULL,
     "What each result updates: None, a buffer's name, an input's index, or True for the random state.", NULL},
    {"in_place", executable_in_place, NULL,
     "For each result None, or the index of the input that it updates, in whose memory it may be.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot executable_slots[] = {{Py_tp_dealloc, executable_dealloc},
                                         {Py_tp_repr, executable_repr},
                                         {Py_tp_call, executable_call},
                                         {Py_tp_methods, executable_methods},
                                         {Py_tp_getset, executable_getset},
                                         {Py_tp_doc, "A compiled program: call it with arrays."},
                                         {0, NULL}};
PyType_Spec core_executable_spec = {"tenfold._core.Executable", sizeof(executable_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, executable_slots};
