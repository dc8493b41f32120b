/* array_sites.c: the line of Python that made an array, for errors of too little memory. Only large arrays have one: an
 * array is looked at once it is recorded, with no lock held. A frame's code and the place in it are a key; what they
 * are in words is made when they are first met. Frames of Tenfold's own modules are passed by. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/hash.h"
#include "tensor/internal.h"

enum { SITES_MOST = 1 << 14, DEPTH_MOST = 32, CAPACITY = 2 * SITES_MOST };

typedef struct site {
  PyObject *code; /* owned: its address is not another's as long as it is here */
  int64_t at;
  char *text; /* owned; NULL: of Tenfold's own */
} site;

struct core_sites {
  PyObject *lasti, *back; /* names of attributes */
  site *slots;            /* open-addressed */
  size_t count;
};

static void slots_free(site *slots) {
  for (size_t i = 0; slots && i < CAPACITY; i++) {
    Py_XDECREF(slots[i].code);
    free(slots[i].text);
  }
  free(slots);
}

void core_sites_free(core_sites *sites) {
  if (!sites) return;
  slots_free(sites->slots);
  Py_XDECREF(sites->lasti);
  Py_XDECREF(sites->back);
  free(sites);
}

core_sites *core_sites_create(void) {
  core_sites *sites = calloc(1, sizeof *sites);
  if (!sites) return NULL;
  sites->lasti = PyUnicode_InternFromString("f_lasti");
  sites->back = PyUnicode_InternFromString("f_back");
  sites->slots = calloc(CAPACITY, sizeof *sites->slots);
  if (sites->lasti && sites->back && sites->slots) return sites;
  core_sites_free(sites);
  return NULL;
}

static bool is_own(PyObject *frame) {
  PyObject *globals = PyObject_GetAttrString(frame, "f_globals");
  PyObject *name = globals ? PyMapping_GetItemString(globals, "__name__") : NULL;
  const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  if (!name) PyErr_Clear();
  const bool own = text && (!strcmp(text, "tenfold") || !strncmp(text, "tenfold.", 8));
  Py_XDECREF(name);
  Py_XDECREF(globals);
  return own;
}

/* "model.py:41, in forward" */
static char *describe(PyObject *frame, PyObject *code) {
  PyObject *file = PyObject_GetAttrString(code, "co_filename"), *name = PyObject_GetAttrString(code, "co_name");
  PyObject *text = file && name
                       ? PyUnicode_FromFormat("%U:%d, in %U", file, PyFrame_GetLineNumber((PyFrameObject *)frame), name)
                       : NULL;
  const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  char *copy = utf8 ? strdup(utf8) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(name);
  Py_XDECREF(file);
  return copy;
}

static size_t slot_of(const core_sites *sites, const PyObject *code, int64_t at) {
  const uint64_t key = (uint64_t)(uintptr_t)code >> 4 ^ (uint64_t)at * 0x9E3779B97F4A7C15u;
  size_t slot = key * 0xD6E8FEB86659FD93u >> 32 & (CAPACITY - 1);
  while (sites->slots[slot].code && (sites->slots[slot].code != code || sites->slots[slot].at != at))
    slot = (slot + 1) & (CAPACITY - 1);
  return slot;
}

/* Adds a frame's place, and takes the code; NULL: an exception is set, or there is no memory. */
static site *add(core_sites *sites, PyObject *frame, PyObject *code, int64_t at) {
  const bool own = is_own(frame);
  char *text = own ? NULL : describe(frame, code);
  site *empty = sites->count < SITES_MOST ? NULL : calloc(CAPACITY, sizeof *empty);
  if ((!own && !text) || (sites->count >= SITES_MOST && !empty)) {
    Py_DECREF(code);
    free(text);
    free(empty);
    return NULL;
  }
  if (empty) { /* all are dropped; what is freed with them may run code that comes here */
    site *old = sites->slots;
    sites->slots = empty;
    sites->count = 0;
    slots_free(old);
  }
  site *new = &sites->slots[slot_of(sites, code, at)];
  if (new->code) { /* meanwhile */
    Py_DECREF(code);
    free(text);
    return new;
  }
  sites->count++;
  *new = (site){.code = code, .at = at, .text = text};
  return new;
}

static site *find(core_sites *sites, PyObject *frame) {
  PyObject *place = PyObject_GetAttr(frame, sites->lasti);
  if (!place) return NULL;
  const int64_t at = PyLong_AsLongLong(place);
  Py_DECREF(place);
  PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
  site *found = &sites->slots[slot_of(sites, code, at)];
  if (!found->code) return add(sites, frame, code, at);
  Py_DECREF(code);
  return found;
}

/* The innermost frame that is not Tenfold's own. */
static site *caller(core_sites *sites) {
  PyObject *frame = Py_XNewRef((PyObject *)PyEval_GetFrame());
  for (int depth = 0; frame && frame != Py_None && depth < DEPTH_MOST; depth++) {
    site *found = find(sites, frame);
    if (!found || found->text) {
      Py_DECREF(frame);
      return found;
    }
    PyObject *back = PyObject_GetAttr(frame, sites->back);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return NULL;
}

void core_site_set(const core_state *state, ten_array *array) {
  uint32_t *number = &array->node->site;
  if (!state->sites || __atomic_load_n(number, __ATOMIC_RELAXED)) return;
  site *found = caller(state->sites);
  if (!found) {
    PyErr_Clear();
    return;
  }
  __atomic_store_n(number, tensor_site(array->device, found->text), __ATOMIC_RELAXED);
}
