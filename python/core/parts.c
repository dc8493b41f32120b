/* parts.c: a program whose sizes depend on data, as a Python object that is called: driver/chain.h. Calls are made one
 * after the other. */
#include <stdlib.h>

#include "base/thread.h"
#include "core.h"
#include "driver/chain.h"

typedef struct parts_object {
  PyObject_HEAD PyObject *program; /* owned: constants look into it */
  core_given given;                /* owned */
  ten_chain *chain;                /* owned */
  ten_mutex mutex;
  bool busy; /* a call is going on: still so in a child that was forked meanwhile */
} parts_object;

PyObject *core_parts(const core_state *state, PyObject *object, const ten_import *program, core_given *given,
                     const ten_backend *backend) {
  ten_chain_options options = {.lowering = {.inputs = given->inputs, .input_count = given->count}, .device = backend};
  ten_chain *chain = NULL;
  ten_status *status = program->aten ? ten_chain_open(program, &options, &chain) : NULL;
  bool whole = true;
  if (!status && chain) ten_chain_first(chain, &whole);
  parts_object *made = status || whole ? NULL : PyObject_New(parts_object, state->parts);
  if (!made) {
    ten_chain_close(chain);
    core_given_free(given);
    if (status) return core_raise(state, status);
    return whole ? Py_NewRef(Py_None) : NULL;
  }
  made->program = Py_NewRef(object);
  made->given = *given;
  made->chain = chain;
  made->busy = false;
  ten_mutex_init(&made->mutex);
  return (PyObject *)made;
}

static void parts_dealloc(PyObject *object) {
  parts_object *self = (parts_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  ten_chain_close(self->chain);
  ten_mutex_destroy(&self->mutex);
  core_given_free(&self->given);
  Py_DECREF(self->program);
  PyObject_Free(object);
  Py_DECREF(type);
}

static ten_status *run(parts_object *self, ten_tensor *const *values, size_t count, ten_tensor ***out_results,
                       uint32_t *out_count) {
  ten_mutex_lock(&self->mutex);
  ten_status *status = NULL;
  if (self->busy) {
    status = ten_error(TEN_UNSUPPORTED, "this process was forked while another thread called the program");
  } else {
    self->busy = true;
    status = ten_chain_execute(self->chain, values, count, NULL, out_results, out_count);
    self->busy = false;
  }
  ten_mutex_unlock(&self->mutex);
  return status;
}

static PyObject *parts_call(PyObject *object, PyObject *args, PyObject *kwargs) {
  const core_state *state = PyType_GetModuleState(Py_TYPE(object));
  if (kwargs && PyDict_Size(kwargs))
    return PyErr_Format(PyExc_TypeError, "inputs are positional; keyword arguments are not accepted");
  const size_t count = (size_t)PyTuple_Size(args);
  ten_tensor **values = calloc(count + 1, sizeof *values), **results = NULL;
  if (!values) return PyErr_NoMemory();
  PyObject *list = NULL;
  uint32_t result_count = 0;
  size_t read = 0;
  while (read < count && (values[read] = core_tensor_from(state, PyTuple_GetItem(args, (Py_ssize_t)read)))) read++;
  if (read == count) {
    ten_status *status;
    Py_BEGIN_ALLOW_THREADS status = run((parts_object *)object, values, count, &results, &result_count);
    Py_END_ALLOW_THREADS if (status) core_raise(state, status);
    else list = PyList_New((Py_ssize_t)result_count);
  }
  for (uint32_t i = 0; list && i < result_count; i++) {
    PyObject *item = core_tensor_new(state, results[i], false);
    results[i] = NULL;
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) Py_CLEAR(list);
  }
  if (results) ten_tensors_release(results, result_count);
  free(results);
  ten_tensors_release(values, read);
  free(values);
  return list;
}

static PyType_Slot parts_slots[] = {{Py_tp_dealloc, parts_dealloc},
                                    {Py_tp_call, parts_call},
                                    {Py_tp_doc, "A program that runs in parts: call it with arrays."},
                                    {0, NULL}};
PyType_Spec core_parts_spec = {"tenfold._core.Parts", sizeof(parts_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, parts_slots};
