/* dispatch.c: what a tensor of the lazy device stands for, and the path of ops on such tensors that need no Python:
 * plain ops of a graph that follows a program, and views that were made before. All others go to ops.py. */
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* ---- values ---- */

static void value_fields(value_object *v, PyObject **out[7]) {
  PyObject **const fields[] = {&v->spec, &v->root, &v->parent, &v->step, &v->data, &v->failed, &v->fill};
  memcpy(out, fields, sizeof fields);
}

static value_object *value_make(PyTypeObject *type, PyObject *spec) {
  value_object *self = (value_object *)PyType_GenericAlloc(type, 0);
  if (self) self->spec = Py_NewRef(spec), self->ref = -1;
  return self;
}

static PyObject *value_create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  (void)kwargs;
  PyObject *spec;
  return PyArg_ParseTuple(args, "O", &spec) ? (PyObject *)value_make(type, spec) : NULL;
}

static int value_traverse(PyObject *object, visitproc visit, void *arg) {
  PyObject **fields[7];
  value_fields((value_object *)object, fields);
  Py_VISIT(Py_TYPE(object));
  for (size_t i = 0; i < 7; i++) Py_VISIT(*fields[i]);
  return 0;
}

static int value_clear(PyObject *object) {
  PyObject **fields[7];
  value_fields((value_object *)object, fields);
  for (size_t i = 0; i < 7; i++) Py_CLEAR(*fields[i]);
  return 0;
}

static void value_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (((value_object *)object)->weak) PyObject_ClearWeakRefs(object);
  value_clear(object);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

#define FIELD(name, kind, member) {name, kind, offsetof(value_object, member), 0, NULL}
static PyMemberDef value_members[] = {FIELD("spec", T_OBJECT, spec),
                                      FIELD("_root", T_OBJECT, root),
                                      FIELD("parent", T_OBJECT, parent),
                                      FIELD("step", T_OBJECT, step),
                                      FIELD("data", T_OBJECT, data),
                                      FIELD("failed", T_OBJECT, failed),
                                      FIELD("fill", T_OBJECT, fill),
                                      FIELD("graph", T_ULONGLONG, graph),
                                      FIELD("ref", T_LONGLONG, ref),
                                      {"__weaklistoffset__", T_PYSSIZET, offsetof(value_object, weak), READONLY, NULL},
                                      {NULL, 0, 0, 0, NULL}};
static PyType_Slot value_slots[] = {{Py_tp_new, value_create},
                                    {Py_tp_dealloc, value_dealloc},
                                    {Py_tp_traverse, value_traverse},
                                    {Py_tp_clear, value_clear},
                                    {Py_tp_members, value_members},
                                    {Py_tp_doc, "What a tensor of the lazy device stands for."},
                                    {0, NULL}};
PyType_Spec core_value_spec = {.name = "tenfold._core.Value",
                               .basicsize = sizeof(value_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                               .slots = value_slots};

/* ---- ops that need no Python ---- */

static size_t slot_of(const recorder_object *self, const PyObject *op) {
  size_t at = ((uintptr_t)op >> 4) * 0x9e3779b97f4a7c15u >> 32 & (self->fast_room - 1);
  while (self->fast[at].op && self->fast[at].op != op) at = (at + 1) & (self->fast_room - 1);
  return at;
}

void core_fast_free(recorder_object *self) {
  for (size_t i = 0; i < self->fast_room; i++) {
    Py_XDECREF(self->fast[i].op);
    Py_XDECREF(self->fast[i].handler);
    Py_XDECREF(self->fast[i].index);
    Py_XDECREF(self->fast[i].steps);
  }
  free(self->fast);
  self->fast = NULL, self->fast_room = self->fast_count = 0;
}

/* fast(op, handler, number, index, steps or None, several, as_list): from now on C handles the op where it can. */
PyObject *core_record_fast(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  fast_op op = {0};
  int several, as_list;
  if (!PyArg_ParseTuple(args, "OOIO!Opp", &op.op, &op.handler, &op.number, &PyDict_Type, &op.index, &op.steps, &several,
                        &as_list))
    return NULL;
  if (self->fast_count * 2 >= self->fast_room) {
    fast_op *const old = self->fast;
    const size_t room = self->fast_room;
    self->fast_room = room ? room * 2 : 256;
    self->fast = ten_alloc(self->fast_room * sizeof *self->fast);
    memset(self->fast, 0, self->fast_room * sizeof *self->fast);
    for (size_t i = 0; i < room; i++)
      if (old[i].op) self->fast[slot_of(self, old[i].op)] = old[i];
    free(old);
  }
  fast_op *at = &self->fast[slot_of(self, op.op)];
  if (at->op) return Py_NewRef(Py_None);
  op.several = several, op.as_list = as_list, op.is_view = op.steps != Py_None;
  Py_INCREF(op.op), Py_INCREF(op.handler), Py_INCREF(op.index), Py_INCREF(op.steps);
  *at = op;
  self->fast_count++;
  return Py_NewRef(Py_None);
}

/* dispatching(value, make, how_made, acquire, release, slow, added, finish, host, flush, thread, roots) */
PyObject *core_record_dispatching(PyObject *object, PyObject *args) {
  recorder_object *self = (recorder_object *)object;
  PyObject *g[FAST_OBJECTS];
  if (!PyArg_ParseTuple(args, "OOOOOOOOOOkO!", &g[0], &g[1], &g[2], &g[3], &g[4], &g[5], &g[6], &g[7], &g[8], &g[9],
                        &self->thread, &PyList_Type, &g[10]))
    return NULL;
  for (size_t i = 0; i < FAST_OBJECTS; i++) {
    Py_XDECREF(self->with[i]);
    self->with[i] = Py_NewRef(g[i]);
  }
  return Py_NewRef(Py_None);
}

/* A tensor for a value, whose reference it takes. What makes it is called with the same arguments for each value of a
 * type. */
static PyObject *wrap(recorder_object *self, PyObject *spec, uint32_t id, value_object *value) {
  if (!value) return NULL;
  while (PyList_Size(self->wraps) <= (Py_ssize_t)id)
    if (PyList_Append(self->wraps, Py_None)) return Py_DECREF(value), NULL;
  PyObject *call = PyList_GetItem(self->wraps, id);
  if (call == Py_None) {
    call = PyObject_CallFunctionObjArgs(self->with[FAST_MAKING], spec, NULL); /* (arguments, by name) */
    if (!call || PyList_SetItem(self->wraps, id, call)) return Py_DECREF(value), NULL;
  }
  PyObject *tensor = PyObject_Call(self->with[FAST_MAKE], PyTuple_GetItem(call, 0), PyTuple_GetItem(call, 1));
  if (tensor && PyObject_SetAttr(tensor, self->names[0], (PyObject *)value)) Py_CLEAR(tensor);
  Py_DECREF(value);
  return tensor;
}

/* A new root that the graph computes. */
static value_object *adopted(recorder_object *self, PyObject *spec, uint32_t ref) {
  value_object *value = value_make((PyTypeObject *)self->with[FAST_VALUE], spec);
  if (!value) return NULL;
  value->graph = ten_recorder_graph(self->recorder), value->ref = ref;
  PyObject *weak = PyWeakref_NewRef((PyObject *)value, NULL);
  if (!weak || PyList_Append(self->with[FAST_ROOTS], weak)) Py_CLEAR(value);
  Py_XDECREF(weak);
  return value;
}

static PyObject *several_of(const fast_op *op, PyObject *list) {
  if (!list || op->as_list) return list;
  PyObject *tuple = PyList_AsTuple(list);
  Py_DECREF(list);
  return tuple;
}

/* The tensors that a recorded op makes. */
static PyObject *results_of_op(recorder_object *self, const fast_op *op, uint32_t results, uint32_t first) {
  size_t count;
  const uint64_t *ids = ten_recorder_results_of(self->recorder, results, &count);
  bool plain = count;
  for (size_t i = 0; i < count; i++)
    plain &= ids[i] != TEN_RECORD_NO && !ten_recorder_spec_of(self->recorder, (uint32_t)ids[i])->order;
  PyObject *specs = core_record_specs(self, results), *made = NULL;
  if (!specs) return NULL;
  if (!plain) {
    made = PyObject_CallFunction(self->with[FAST_FINISH], "OkO", op->handler, (unsigned long)first, specs);
  } else if (!op->several) {
    PyObject *spec = PyTuple_GetItem(specs, 0);
    made = wrap(self, spec, (uint32_t)ids[0], adopted(self, spec, first));
  } else {
    made = PyList_New(0);
    for (size_t i = 0; made && i < count; i++) {
      ids = ten_recorder_results_of(self->recorder, results, &count);
      PyObject *spec = PyTuple_GetItem(specs, (Py_ssize_t)i);
      PyObject *tensor = wrap(self, spec, (uint32_t)ids[i], adopted(self, spec, first + (uint32_t)i));
      if (!tensor || PyList_Append(made, tensor)) Py_CLEAR(made);
      Py_XDECREF(tensor);
    }
    made = several_of(op, made);
  }
  Py_DECREF(specs);
  return made;
}

/* Arguments in the schema's order, as a new reference. */
static PyObject *flat_of(recorder_object *self, const fast_op *op, PyObject *args, PyObject *kwargs) {
  if (!kwargs) return Py_NewRef(args);
  PyObject *list = PySequence_List(args), *name, *item;
  Py_ssize_t at = 0;
  while (list && PyDict_Next(kwargs, &at, &name, &item)) {
    PyObject *place = PyDict_GetItemWithError(op->index, name);
    const Py_ssize_t i = place ? PyLong_AsSsize_t(place) : -1;
    bool put = i >= 0;
    while (put && PyList_Size(list) <= i) put = !PyList_Append(list, self->missing);
    if (!put || PyList_SetItem(list, i, Py_NewRef(item))) Py_CLEAR(list);
  }
  PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return tuple;
}

/* The op runs on the CPU where its arguments cannot be recorded: the exception that says so is set. */
static PyObject *on_host(recorder_object *self, const fast_op *op, PyObject *args, PyObject *kwargs) {
  if (!PyErr_ExceptionMatches(self->needs_host)) return NULL;
  PyObject *type, *reason, *trace;
  PyErr_Fetch(&type, &reason, &trace);
  PyErr_NormalizeException(&type, &reason, &trace);
  PyObject *named = kwargs ? Py_NewRef(kwargs) : PyDict_New();
  PyObject *made =
      named ? PyObject_CallFunctionObjArgs(self->with[FAST_HOST], op->handler, args, named, reason, NULL) : NULL;
  Py_XDECREF(named), Py_XDECREF(type), Py_XDECREF(reason), Py_XDECREF(trace);
  return made;
}

static PyObject *plain_op(recorder_object *self, const fast_op *op, PyObject *args, PyObject *kwargs) {
  record_words row = {0};
  PyObject *made = NULL, *flat = flat_of(self, op, args, kwargs);
  uint32_t results, line;
  if (flat && record_encode(self, op->number, flat, 0, &row)) {
    if (ten_recorder_follow(self->recorder, row.data, row.count, &results, &line)) {
      const uint32_t first =
          ten_recorder_add(self->recorder, row.data, row.count, results, TEN_RECORD_NO, TEN_RECORD_NO);
      made = results_of_op(self, op, results, first);
    } else {
      PyObject *named = kwargs ? Py_NewRef(kwargs) : PyDict_New();
      made = named ? PyObject_CallFunction(self->with[FAST_ADDED], "OOOy#", op->handler, args, named, (char *)row.data,
                                           (Py_ssize_t)(row.count * sizeof *row.data))
                   : NULL;
      Py_XDECREF(named);
    }
  }
  ten_vec_free(&row);
  Py_XDECREF(flat);
  if (made && ten_recorder_count(self->recorder) > TEN_RECORD_NODES_MAX) {
    PyObject *done = PyObject_CallNoArgs(self->with[FAST_FLUSH]);
    if (!done) Py_CLEAR(made);
    Py_XDECREF(done);
  }
  return made ? made : on_host(self, op, args, kwargs);
}

/* The key of a view: as call_view of ops.py makes it. NULL without an exception: Python is to look. */
static PyObject *view_key(const value_object *value, PyObject *args) {
  PyObject *rest = PyTuple_GetSlice(args, 1, PyTuple_Size(args));
  for (Py_ssize_t i = 0; rest && i < PyTuple_Size(rest); i++) {
    PyObject *item = PyTuple_GetItem(rest, i);
    if (!PyList_Check(item)) continue;
    PyObject *frozen = PyList_AsTuple(item);
    if (!frozen || PyTuple_SetItem(rest, i, frozen)) Py_CLEAR(rest);
  }
  PyObject *key = rest ? PyTuple_Pack(3, value->spec, rest, Py_None) : NULL;
  Py_XDECREF(rest);
  return key;
}

static PyObject *view_of(recorder_object *self, value_object *value, PyObject *step, PyObject *specs, Py_ssize_t i) {
  PyObject *spec = PyTuple_GetItem(specs, i);
  PyObject *number = spec ? PyObject_GetAttr(spec, self->names[3]) : NULL;
  value_object *view = number ? value_make((PyTypeObject *)self->with[FAST_VALUE], spec) : NULL;
  if (view) {
    PyObject *root = value->root && value->root != Py_None ? value->root : (PyObject *)value;
    view->root = Py_NewRef(root), view->parent = Py_NewRef((PyObject *)value);
    view->step = Py_BuildValue("(On)", step, i);
    if (!view->step) Py_CLEAR(view);
  }
  PyObject *made = view ? wrap(self, spec, (uint32_t)PyLong_AsUnsignedLong(number), view) : NULL;
  Py_XDECREF(number);
  return made;
}

/* NULL without an exception: Python is to look. */
static PyObject *view_op(recorder_object *self, const fast_op *op, PyObject *args) {
  PyObject *target = PyTuple_Size(args) ? PyTuple_GetItem(args, 0) : NULL;
  if (!target || (PyObject *)Py_TYPE(target) != self->tensor) return NULL;
  PyObject *value = PyObject_GetAttr(target, self->names[0]), *made = NULL, *step = NULL;
  if (value && (PyObject *)Py_TYPE(value) == self->with[FAST_VALUE]) {
    PyObject *key = view_key((value_object *)value, args);
    step = key ? Py_XNewRef(PyDict_GetItemWithError(op->steps, key)) : NULL;
    Py_XDECREF(key);
    if (!step) PyErr_Clear(); /* not made before, or not hashable */
  }
  PyObject *specs = step ? PyObject_GetAttr(step, self->names[4]) : NULL;
  if (specs && !op->several) {
    made = view_of(self, (value_object *)value, step, specs, 0);
  } else if (specs) {
    made = PyList_New(0);
    for (Py_ssize_t i = 0; made && i < PyTuple_Size(specs); i++) {
      PyObject *tensor = view_of(self, (value_object *)value, step, specs, i);
      if (!tensor || PyList_Append(made, tensor)) Py_CLEAR(made);
      Py_XDECREF(tensor);
    }
    made = several_of(op, made);
  }
  Py_XDECREF(specs), Py_XDECREF(step), Py_XDECREF(value);
  return made;
}

static PyObject *recovering(recorder_object *self, const fast_op *op, PyObject *args, PyObject *kwargs) {
  CORE_RECOVER;
  return op->is_view ? view_op(self, op, args) : plain_op(self, op, args, kwargs);
}

static PyObject *locked(recorder_object *self, const fast_op *op, PyObject *args, PyObject *kwargs) {
  PyObject *held = PyObject_CallNoArgs(self->with[FAST_ACQUIRE]);
  if (!held) return NULL;
  Py_DECREF(held);
  PyObject *made = recovering(self, op, args, kwargs);
  PyObject *type, *reason, *trace;
  PyErr_Fetch(&type, &reason, &trace);
  PyObject *released = PyObject_CallNoArgs(self->with[FAST_RELEASE]);
  if (!released) Py_CLEAR(made);
  if (type) PyErr_Restore(type, reason, trace);
  Py_XDECREF(released);
  return made;
}

/* dispatch(op, types, args, kwargs): what __torch_dispatch__ is. */
PyObject *core_record_dispatch(PyObject *object, PyObject *const *given, Py_ssize_t count) {
  recorder_object *self = (recorder_object *)object;
  if (count < 3) return PyErr_SetString(PyExc_TypeError, "an op, types and arguments are expected"), NULL;
  PyObject *kwargs = count > 3 && given[3] != Py_None && PyDict_Size(given[3]) ? given[3] : NULL;
  const fast_op *op = self->fast_room ? &self->fast[slot_of(self, given[0])] : NULL;
  const bool named_device = kwargs && PyDict_GetItemString(kwargs, "device");
  if (op && op->op && !self->careful && (!kwargs || !(op->is_view || named_device)) && PyTuple_Check(given[2]) &&
      PyThread_get_thread_ident() == self->thread) {
    const fast_op chosen = *op; /* the table may grow meanwhile */
    PyObject *made = locked(self, &chosen, given[2], kwargs);
    if (made || PyErr_Occurred()) return made;
  }
  if (!self->with[FAST_SLOW]) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), NULL;
  PyObject *named = kwargs ? Py_NewRef(kwargs) : PyDict_New();
  PyObject *made = named ? PyObject_CallFunctionObjArgs(self->with[FAST_SLOW], given[0], given[2], named, NULL) : NULL;
  Py_XDECREF(named);
  return made;
}
