/* core.h: shared by the files of the extension module tenfold._core. Limited API: one build serves every Python
 * from 3.11 on. */
#ifndef TEN_PYTHON_CORE_H
#define TEN_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "import/load.h"
#include "runtime/backend.h"

typedef struct core_state {
  PyTypeObject *program, *executable, *tensor;
  PyObject *error;       /* tenfold.Error */
  PyObject *unsupported; /* tenfold.UnsupportedError */
} core_state;

core_state *core_state_of(PyObject *module);
/* Raises; consumes the status. Returns NULL. */
PyObject *core_raise(const core_state *state, ten_status *status);

/* A value of the program as a Python object with __dlpack__ and the buffer protocol; takes the reference. */
PyObject *core_tensor_new(const core_state *state, ten_tensor *tensor);
/* Anything with __dlpack__ or the buffer protocol, without a copy where it is contiguous. NULL with an exception set.
 */
ten_tensor *core_tensor_from(const core_state *state, PyObject *object);

extern PyType_Spec core_program_spec, core_executable_spec, core_tensor_spec;
/* core.load(path), core.graph(json), core.parse(text) */
PyObject *core_load(PyObject *module, PyObject *path);
PyObject *core_graph(PyObject *module, PyObject *text);
PyObject *core_parse(PyObject *module, PyObject *text);

#endif
