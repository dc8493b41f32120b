/* enqueue.c: calls on a framework's tensors in device memory. Addresses come by DLPack's C functions, so that no Python
 * runs for each tensor; they may also be given as numbers. */
#include <stdlib.h>

#include "core.h"

enum { ALIGNMENT = 16 /* kernels read pieces of 16 bytes */, SMALL = 256, ORDER = 8 /* bytes for each input */ };

typedef enum fit { FIT_ERROR = -2, FIT_SHAPE, FIT_NONE, FIT_YES } fit;

/* Its dimensions in another order; `room` takes the sizes and strides. False: the order has none of this rank. */
static bool reorder(dl_tensor *t, const uint8_t *order, int64_t *room) {
  if (t->rank > ORDER) return false;
  for (int32_t i = 0; i < t->rank; i++) {
    if (order[i] >= t->rank) return false;
    room[i] = t->shape[order[i]];
    if (t->strides) room[ORDER + i] = t->strides[order[i]];
  }
  if (!t->strides) return false;
  t->shape = room, t->strides = room + ORDER;
  return true;
}

/* The address of a tensor whose elements lie as kernels read them. FIT_SHAPE: it has another shape than the program's
 * value; FIT_NONE: another type, place or layout; FIT_ERROR: an exception is set. `order`: of the tensor's dimensions,
 * as the program has them; NULL or beginning with 0xff: the same. */
static fit address_of(const core_state *state, PyObject *object, const ten_type *want, const uint8_t *order,
                      uint64_t *out) {
  if (PyLong_Check(object)) {
    *out = PyLong_AsUnsignedLongLong(object);
    return PyErr_Occurred() ? FIT_ERROR : FIT_YES;
  }
  dl_tensor t;
  int64_t room[2 * ORDER];
  if (!state->exchange) {
    PyErr_Format(PyExc_TypeError, "addresses are expected: no framework that exchanges tensors in C is known");
    return FIT_ERROR;
  }
  if (state->exchange->look(object, &t)) return FIT_ERROR;
  if (t.rank != (int32_t)want->rank) return FIT_SHAPE;
  if (order && *order != 0xff && !reorder(&t, order, room)) return FIT_NONE;
  for (uint32_t i = 0; i < want->rank; i++)
    if (want->dims[i] != t.shape[i]) return FIT_SHAPE;
  *out = (uint64_t)(uintptr_t)t.data + t.byte_offset;
  const bool there = t.device.type == DL_CUDA && !t.device.id && ten_dlpack_to_dtype(t.dtype) == want->dtype;
  return there && *out % ALIGNMENT == 0 && ten_dlpack_is_contiguous(&t) ? FIT_YES : FIT_NONE;
}

/* Of all items of a list; on return *index is the first that does not fit. */
static fit addresses_of(const core_state *state, PyObject *list, const ten_type *const *types, size_t count,
                        const uint8_t *orders, uint64_t *out, size_t *index) {
  for (size_t i = 0; i < count; i++) {
    *index = i;
    PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
    const fit found = item ? address_of(state, item, types[i], orders ? orders + i * ORDER : NULL, &out[i]) : FIT_ERROR;
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

static void add_counts(ten_enqueue_counts *to, const ten_enqueue_counts *from) {
  to->calls += from->calls;
  to->kernels += from->kernels;
  to->graphs += from->graphs;
  to->replays += from->replays;
  to->changes += from->changes;
  to->changed_kernels += from->changed_kernels;
  to->copies += from->copies;
}

PyObject *core_enqueue_counts(PyObject *module, PyObject *reset) {
  core_state *state = core_state_of(module);
  const ten_enqueue_counts c = state->enqueued;
  const int clear = PyObject_IsTrue(reset);
  if (clear < 0) return NULL;
  if (clear) state->enqueued = (ten_enqueue_counts){0};
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "calls", c.calls, "kernels", c.kernels, "graphs", c.graphs,
                       "replays", c.replays, "changes", c.changes, "changed_kernels", c.changed_kernels, "copies",
                       c.copies);
}

PyObject *core_executable_enqueue(PyObject *object, PyObject *args) {
  const executable_object *self = (executable_object *)object;
  core_state *state = PyType_GetModuleState(Py_TYPE(object));
  const ten_type *type = ten_func_type(self->func);
  PyObject *inputs, *outputs;
  ten_enqueue_counts counts = {0};
  unsigned long long stream;
  const char *orders = NULL;
  Py_ssize_t order_bytes = 0;
  if (!PyArg_ParseTuple(args, "OOK|y#", &inputs, &outputs, &stream, &orders, &order_bytes)) return NULL;
  const size_t input_count = type->input_count, count = input_count + type->result_count;
  if (!is_list(inputs, input_count, "inputs") || !is_list(outputs, type->result_count, "results")) return NULL;
  if (orders && (size_t)order_bytes != input_count * ORDER)
    return PyErr_Format(PyExc_ValueError, "orders are %d bytes for each input", ORDER);
  uint64_t small[SMALL], *addresses = count <= SMALL ? small : malloc(count * sizeof *addresses);
  if (!addresses) return PyErr_NoMemory();
  size_t index = 0;
  ten_status *status = NULL;
  fit found = addresses_of(state, inputs, type->inputs, input_count, (const uint8_t *)orders, addresses, &index);
  const bool inputs_fit = found == FIT_YES;
  if (inputs_fit)
    found = addresses_of(state, outputs, type->results, type->result_count, NULL, addresses + input_count, &index);
  if (found == FIT_YES) {
    PyThreadState *thread = PyEval_SaveThread();
    status = ten_executable_enqueue(self->executable, addresses, addresses + input_count, (void *)(uintptr_t)stream,
                                    &counts);
    PyEval_RestoreThread(thread);
    add_counts(&state->enqueued, &counts);
  }
  if (addresses != small) free(addresses);
  if (status) return core_raise(state, status);
  if (found == FIT_ERROR) return NULL;
  if (found != FIT_YES && inputs_fit)
    return PyErr_Format(PyExc_ValueError, "result %zu cannot be written to what is given for it", index);
  if (found == FIT_SHAPE) return PyLong_FromLong(-1);
  return found == FIT_YES ? Py_NewRef(Py_None) : PyLong_FromSize_t(index);
}
