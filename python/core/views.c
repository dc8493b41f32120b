/* views.c: many tensors in one tensor's memory, made in C: PyTorch takes several times as long to allocate one. Each
 * holds the memory; it is given back with the last. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { HEAD = 3 /* words of a view before its sizes and strides */ };

typedef struct shared {
  dl_versioned *block; /* owned */
  size_t holders;
} shared;

typedef struct view {
  dl_versioned managed; /* must be first */
  shared *from;
  int64_t sizes[]; /* then the strides */
} view;

static void release(shared *s) {
  if (__atomic_sub_fetch(&s->holders, 1, __ATOMIC_ACQ_REL)) return;
  if (s->block->deleter) s->block->deleter(s->block);
  free(s);
}

static void view_delete(dl_versioned *managed) {
  release(((view *)managed)->from);
  free(managed);
}

/* words: the offset in bytes, DLPack's type (code * 256 + bits), the rank; sizes, strides. */
static PyObject *make_view(const core_state *state, shared *from, const int64_t *words) {
  const size_t rank = (size_t)words[2];
  view *v = malloc(sizeof *v + 2 * rank * sizeof *v->sizes);
  if (!v) return PyErr_NoMemory();
  memcpy(v->sizes, words + HEAD, 2 * rank * sizeof *v->sizes);
  const dl_tensor *block = &from->block->tensor;
  v->managed = (dl_versioned){.version = {1, 0}, .deleter = view_delete};
  v->managed.tensor = (dl_tensor){.data = ten_dlpack_data(block) + words[0],
                                  .device = block->device,
                                  .rank = (int32_t)rank,
                                  .dtype = {(uint8_t)(words[1] >> 8), (uint8_t)words[1], 1},
                                  .shape = v->sizes,
                                  .strides = v->sizes + rank};
  v->from = from;
  __atomic_add_fetch(&from->holders, 1, __ATOMIC_RELAXED);
  void *object = NULL;
  if (!state->exchange->to_object(&v->managed, &object)) return object;
  view_delete(&v->managed);
  return NULL;
}

/* How many words a view is described by, from `words` on; 0: they end before it does. */
static size_t words_of(const int64_t *words, size_t left) {
  if (left < HEAD || words[0] < 0 || words[2] < 0 || (uint64_t)words[2] > left) return 0;
  const size_t count = HEAD + 2 * (size_t)words[2];
  return count <= left ? count : 0;
}

static int add_view(const core_state *state, shared *from, const int64_t *words, PyObject *views, PyObject *places) {
  PyObject *made = make_view(state, from, words);
  PyObject *place = PyLong_FromUnsignedLongLong((uintptr_t)ten_dlpack_data(&from->block->tensor) + (size_t)words[0]);
  const int failed = !made || !place || PyList_Append(views, made) || PyList_Append(places, place);
  Py_XDECREF(made);
  Py_XDECREF(place);
  return failed ? -1 : 0;
}

PyObject *core_views(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *block;
  const char *bytes;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "Oy#", &block, &bytes, &size)) return NULL;
  if (!state->exchange) return PyErr_Format(PyExc_TypeError, "no framework that exchanges tensors in C is known");
  shared *from = malloc(sizeof *from);
  if (!from) return PyErr_NoMemory();
  *from = (shared){.holders = 1};
  if (state->exchange->from_object(block, &from->block)) return free(from), NULL;
  PyObject *views = PyList_New(0), *places = PyList_New(0);
  const int64_t *words = (const int64_t *)(const void *)bytes; /* bytes objects are aligned */
  bool failed = !views || !places;
  for (size_t left = (size_t)size / sizeof *words, count; left && !failed; words += count, left -= count) {
    count = words_of(words, left);
    if (!count) PyErr_SetString(PyExc_ValueError, "a view is described by its offset, type, rank, sizes and strides");
    failed = !count || add_view(state, from, words, views, places);
  }
  release(from);
  PyObject *result = failed ? NULL : PyTuple_Pack(2, views, places);
  Py_XDECREF(views);
  Py_XDECREF(places);
  return result;
}
