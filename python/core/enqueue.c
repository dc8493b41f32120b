/* enqueue.c: calls on a framework's tensors in device memory. Addresses come by DLPack's C functions, so that no Python
 * runs for each tensor; they may also be given as numbers. */
#include <stdlib.h>

#include "core.h"

enum { ALIGNMENT = 16 /* kernels read pieces of 16 bytes */, SMALL = 256 };

typedef enum fit { FIT_ERROR = -2, FIT_SHAPE, FIT_NONE, FIT_YES } fit;

/* The address of a tensor whose elements lie as kernels read them. FIT_SHAPE: it has another shape than the program's
 * value; FIT_NONE: another type, place or layout; FIT_ERROR: an exception is set. */
static fit address_of(const core_state *state, PyObject *object, const ten_type *want, uint64_t *out) {
  if (PyLong_Check(object)) {
    *out = PyLong_AsUnsignedLongLong(object);
    return PyErr_Occurred() ? FIT_ERROR : FIT_YES;
  }
  dl_tensor t;
  if (!state->exchange) {
    PyErr_Format(PyExc_TypeError, "addresses are expected: no framework that exchanges tensors in C is known");
    return FIT_ERROR;
  }
  if (state->exchange->look(object, &t)) return FIT_ERROR;
  if (t.rank != (int32_t)want->rank) return FIT_SHAPE;
  for (uint32_t i = 0; i < want->rank; i++)
    if (want->dims[i] != t.shape[i]) return FIT_SHAPE;
  *out = (uint64_t)(uintptr_t)t.data + t.byte_offset;
  const bool there = t.device.type == DL_CUDA && !t.device.id && ten_dlpack_to_dtype(t.dtype) == want->dtype;
  return there && *out % ALIGNMENT == 0 && ten_dlpack_is_contiguous(&t) ? FIT_YES : FIT_NONE;
}

/* Of all items of a list; on return *index is the first that does not fit. */
static fit addresses_of(const core_state *state, PyObject *list, const ten_type *const *types, size_t count,
                        uint64_t *out, size_t *index) {
  for (size_t i = 0; i < count; i++) {
    *index = i;
    PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
    const fit found = item ? address_of(state, item, types[i], &out[i]) : FIT_ERROR;
    if (found != FIT_YES) return found;
  }
  return FIT_YES;
}

static bool is_list(PyObject *list, size_t count, const char *what) {
  if (!PyList_Check(list)) {
    PyErr_Format(PyExc_TypeError, "a list of %s is expected", what);
    return false;
  }
  const Py_ssize_t given = PyList_Size(list);
  if ((size_t)given == count) return true;
  PyErr_Format(PyExc_ValueError, "the program has %zu %s, %zd are given", count, what, given);
  return false;
}

PyObject *core_executable_enqueue(PyObject *object, PyObject *args) {
  const executable_object *self = (executable_object *)object;
  const core_state *state = PyType_GetModuleState(Py_TYPE(object));
  const ten_type *type = ten_func_type(self->func);
  PyObject *inputs, *outputs;
  unsigned long long stream;
  if (!PyArg_ParseTuple(args, "OOK", &inputs, &outputs, &stream)) return NULL;
  const size_t input_count = type->input_count, count = input_count + type->result_count;
  if (!is_list(inputs, input_count, "inputs") || !is_list(outputs, type->result_count, "results")) return NULL;
  uint64_t small[SMALL], *addresses = count <= SMALL ? small : malloc(count * sizeof *addresses);
  if (!addresses) return PyErr_NoMemory();
  size_t index = 0;
  ten_status *status = NULL;
  fit found = addresses_of(state, inputs, type->inputs, input_count, addresses, &index);
  const bool inputs_fit = found == FIT_YES;
  if (inputs_fit)
    found = addresses_of(state, outputs, type->results, type->result_count, addresses + input_count, &index);
  if (found == FIT_YES) {
    Py_BEGIN_ALLOW_THREADS status =
        ten_executable_enqueue(self->executable, addresses, addresses + input_count, (void *)(uintptr_t)stream);
    Py_END_ALLOW_THREADS
  }
  if (addresses != small) free(addresses);
  if (status) return core_raise(state, status);
  if (found == FIT_ERROR) return NULL;
  if (found != FIT_YES && inputs_fit)
    return PyErr_Format(PyExc_ValueError, "result %zu cannot be written to what is given for it", index);
  if (found == FIT_SHAPE) return PyLong_FromLong(-1);
  return found == FIT_YES ? Py_NewRef(Py_None) : PyLong_FromSize_t(index);
}
