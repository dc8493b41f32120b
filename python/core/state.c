/* state.c: the module's state, and errors of the library as Python's exceptions. */
#include "core.h"

#include <string.h>

core_state *core_state_of(PyObject *module) { return PyModule_GetState(module); }

/* What eager mode raises: PyTorch's own type of linear algebra, our index error, or else a RuntimeError. A new
 * reference. */
static PyObject *exception_of(const core_state *state, const char *name) {
  if (!strcmp(name, "IndexError")) return Py_NewRef(state->index_error);
  if (!strcmp(name, "ValueError")) return Py_NewRef(PyExc_ValueError);
  if (!strcmp(name, "MemoryError")) return Py_NewRef(PyExc_MemoryError);
  if (!strcmp(name, "TypeError")) return Py_NewRef(PyExc_TypeError);
  if (!strcmp(name, "ZeroDivisionError")) return Py_NewRef(PyExc_ZeroDivisionError);
  if (!strcmp(name, "LinAlgError")) {
    PyObject *linalg = PyImport_ImportModule("torch.linalg");
    PyObject *type = linalg ? PyObject_GetAttrString(linalg, "LinAlgError") : NULL;
    Py_XDECREF(linalg);
    if (type) return type;
    PyErr_Clear();
  }
  return Py_NewRef(state->error);
}

PyObject *core_raise(const core_state *state, ten_status *status) {
  const char *name = ten_status_exception(status);
  PyObject *type = name                                         ? exception_of(state, name)
                   : ten_status_code(status) == TEN_UNSUPPORTED ? Py_NewRef(state->unsupported)
                                                                : Py_NewRef(state->error);
  PyErr_SetString(type, ten_status_text(status));
  Py_DECREF(type);
  ten_status_free(status);
  return NULL;
}
