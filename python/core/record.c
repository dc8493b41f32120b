/* record.c: the lazy device's recorder (front/record) as a Python object. Arguments of ops become words here; what a
 * tensor stands for is asked of Python only where it is not part of the graph yet. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "core.h"
#include "front/record/record.h"
#include "record.h"

static void recorder_clear_refs(recorder_object *self) {
  PyObject **const refs[] = {&self->tensor,   &self->base,     &self->missing,    &self->dtypes,   &self->formats,
                             &self->layouts,  &self->specs,    &self->results,    &self->resolve,  &self->take_host,
                             &self->line,     &self->ops,      &self->needs_host, &self->names[0], &self->names[1],
                             &self->names[2], &self->names[3], &self->names[4],   &self->wraps};
  for (size_t i = 0; i < sizeof refs / sizeof *refs; i++) Py_CLEAR(*refs[i]);
  for (size_t i = 0; i < FAST_OBJECTS; i++) Py_CLEAR(self->with[i]);
  core_fast_free(self);
}

static PyObject *recorder_create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  CORE_RECOVER;
  (void)args, (void)kwargs;
  recorder_object *self = (recorder_object *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  static const char *const names[] = {"_lazy", "graph", "ref", "number", "specs"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!(self->names[i] = PyUnicode_InternFromString(names[i]))) return Py_DECREF(self), NULL;
  self->recorder = ten_recorder_create();
  self->specs = PyList_New(0), self->results = PyList_New(0), self->ops = PyList_New(0), self->wraps = PyList_New(0);
  const bool made = self->specs && self->results && self->ops && self->wraps;
  if (!made || PyList_Append(self->ops, Py_None)) return Py_DECREF(self), NULL;
  return (PyObject *)self;
}

static int recorder_traverse(PyObject *object, visitproc visit, void *arg) {
  recorder_object *self = (recorder_object *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->specs);
  Py_VISIT(self->results);
  Py_VISIT(self->ops);
  Py_VISIT(self->resolve);
  Py_VISIT(self->take_host);
  Py_VISIT(self->line);
  Py_VISIT(self->wraps);
  for (size_t i = 0; i < FAST_OBJECTS; i++) Py_VISIT(self->with[i]);
  for (size_t i = 0; i < self->fast_room; i++) {
    Py_VISIT(self->fast[i].op);
    Py_VISIT(self->fast[i].handler);
    Py_VISIT(self->fast[i].steps);
  }
  return 0;
}

static int recorder_clear(PyObject *object) {
  recorder_clear_refs((recorder_object *)object);
  return 0;
}

static void recorder_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  recorder_clear_refs((recorder_object *)object);
  ten_recorder_destroy(((recorder_object *)object)->recorder);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static PyObject *recorder_bind(PyObject *object, PyObject *args, PyObject *kwargs) {
  recorder_object *self = (recorder_object *)object;
  static char *names[] = {"tensor",  "base",      "missing", "dtypes",     "formats", "layouts",
                          "resolve", "take_host", "line",    "needs_host", NULL};
  PyObject *g[10];
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO!O!O!OOOO", names, &g[0], &g[1], &g[2], &PyDict_Type, &g[3],
                                   &PyDict_Type, &g[4], &PyDict_Type, &g[5], &g[6], &g[7], &g[8], &g[9]))
    return NULL;
  PyObject **const to[] = {&self->tensor,  &self->base,    &self->missing,   &self->dtypes, &self->formats,
                           &self->layouts, &self->resolve, &self->take_host, &self->line,   &self->needs_host};
  for (size_t i = 0; i < 10; i++) {
    Py_XDECREF(*to[i]);
    *to[i] = Py_NewRef(g[i]);
  }
  return Py_NewRef(Py_None);
}

/* ---- names ---- */

static bool text_of(PyObject *object, ten_str *out) {
  Py_ssize_t size;
  const char *data = PyUnicode_AsUTF8AndSize(object, &size);
  if (data) *out = (ten_str){data, (size_t)size};
  return data;
}

/* Puts an item, whose reference it takes, into a place of a list that may be shorter; false with an exception set. */
static bool list_put(PyObject *list, Py_ssize_t place, PyObject *item) {
  bool there = item;
  while (there && PyList_Size(list) <= place) there = !PyList_Append(list, Py_None);
  if (there) return !PyList_SetItem(list, place, item);
  Py_XDECREF(item);
  return false;
}

static PyObject *recorder_op(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  PyObject *handler, *name, *arguments;
  const char *kinds;
  unsigned flags;
  if (!PyArg_ParseTuple(args, "OUO!sI", &handler, &name, &PyTuple_Type, &arguments, &kinds, &flags)) return NULL;
  const Py_ssize_t count = PyTuple_Size(arguments);
  if ((size_t)count != strlen(kinds))
    return PyErr_SetString(PyExc_ValueError, "the list of kinds must be as long as the list of arguments"), NULL;
  ten_str text, *names = ten_alloc(((size_t)count + 1) * sizeof *names);
  bool read = text_of(name, &text);
  for (Py_ssize_t i = 0; i < count && read; i++) read = text_of(PyTuple_GetItem(arguments, i), &names[i]);
  const uint32_t op = read ? ten_recorder_op(self->recorder, text, (size_t)count, names, flags) : 0;
  free(names);
  if (!read || !list_put(self->ops, op, Py_BuildValue("(Oy)", handler, kinds))) return NULL;
  return PyLong_FromUnsignedLong(op);
}

static PyObject *recorder_dtype(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  unsigned dtype;
  const char *name;
  if (!PyArg_ParseTuple(args, "Is", &dtype, &name)) return NULL;
  ten_recorder_dtype(((recorder_object *)object)->recorder, dtype, ten_str_of(name));
  return Py_NewRef(Py_None);
}

static PyObject *recorder_line(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  const char *file, *function;
  unsigned number;
  if (!PyArg_ParseTuple(args, "ssI", &file, &function, &number)) return NULL;
  return PyLong_FromUnsignedLong(
      ten_recorder_line(((recorder_object *)object)->recorder, ten_str_of(file), ten_str_of(function), number));
}

static bool sizes_of(PyObject *tuple, int64_t *out, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) {
    out[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    if (out[i] == -1 && PyErr_Occurred()) return false;
  }
  return true;
}

static PyObject *tuple_of(const int64_t *numbers, Py_ssize_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; i++) {
    PyObject *number = PyLong_FromLongLong(numbers[i]);
    if (!number || PyTuple_SetItem(tuple, i, number)) Py_CLEAR(tuple);
  }
  return tuple;
}

/* spec(make, dtype, shape, strides or None, offset): the object of that type; made by `make(number, strides, elements,
 * order)` the first time. */
static PyObject *recorder_spec(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  PyObject *make, *shape, *strides;
  unsigned dtype;
  long long offset;
  if (!PyArg_ParseTuple(args, "OIO!OL", &make, &dtype, &PyTuple_Type, &shape, &strides, &offset)) return NULL;
  const Py_ssize_t rank = PyTuple_Size(shape);
  int64_t sizes[TEN_RECORD_RANK_MAX], steps[TEN_RECORD_RANK_MAX];
  if (rank > TEN_RECORD_RANK_MAX) /* as torch says it of the CPU */
    return PyErr_Format(PyExc_RuntimeError, "a tensor of %zd dimensions; at most %d are supported", rank,
                        TEN_RECORD_RANK_MAX);
  if (strides != Py_None && PyTuple_Size(strides) != rank)
    return PyErr_Format(PyExc_ValueError, "%zd dimensions, but %zd strides", rank, PyTuple_Size(strides));
  if (!sizes_of(shape, sizes, rank) || (strides != Py_None && !sizes_of(strides, steps, rank))) return NULL;
  const uint32_t id =
      ten_recorder_spec(self->recorder, dtype, (uint32_t)rank, sizes, strides == Py_None ? NULL : steps, offset);
  PyObject *known = id < PyList_Size(self->specs) ? PyList_GetItem(self->specs, id) : Py_None;
  if (known != Py_None) return Py_NewRef(known);
  const ten_record_spec *spec = ten_recorder_spec_of(self->recorder, id);
  PyObject *own = tuple_of(spec->strides, rank),
           *order = spec->order ? tuple_of(spec->order, rank) : Py_NewRef(Py_None);
  PyObject *made = own && order ? PyObject_CallFunction(make, "IOLO", id, own, (long long)spec->elements, order) : NULL;
  Py_XDECREF(own);
  Py_XDECREF(order);
  return made && list_put(self->specs, id, Py_NewRef(made)) ? made : NULL;
}

/* ---- results ---- */

PyObject *core_record_specs(recorder_object *self, uint32_t results) {
  PyObject *known = results < PyList_Size(self->results) ? PyList_GetItem(self->results, results) : Py_None;
  if (known != Py_None) return Py_NewRef(known);
  size_t count;
  const uint64_t *specs = ten_recorder_results_of(self->recorder, results, &count);
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject *spec = specs[i] == TEN_RECORD_NO ? Py_None : PyList_GetItem(self->specs, (Py_ssize_t)specs[i]);
    if (!spec || PyTuple_SetItem(tuple, (Py_ssize_t)i, Py_NewRef(spec))) Py_CLEAR(tuple);
  }
  return tuple && list_put(self->results, results, Py_NewRef(tuple)) ? tuple : NULL;
}

static bool results_of(recorder_object *self, PyObject *tuple, uint32_t *out) {
  const Py_ssize_t count = PyTuple_Size(tuple);
  if (count < 0) return false;
  uint32_t *specs = ten_alloc(((size_t)count + 1) * sizeof *specs);
  bool read = true;
  for (Py_ssize_t i = 0; i < count && read; i++) {
    PyObject *spec = PyTuple_GetItem(tuple, i);
    PyObject *number = spec == Py_None ? NULL : PyObject_GetAttr(spec, self->names[3]);
    specs[i] = number ? (uint32_t)PyLong_AsUnsignedLong(number) : (uint32_t)TEN_RECORD_NO;
    read = spec == Py_None || (number && !PyErr_Occurred());
    Py_XDECREF(number);
  }
  if (read) *out = ten_recorder_results(self->recorder, (size_t)count, specs);
  free(specs);
  return read;
}

/* ---- recording ---- */

static bool row_of(PyObject *bytes, const uint64_t **out, size_t *out_count) {
  char *data;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes, &data, &size)) return false;
  *out = (const uint64_t *)(const void *)data, *out_count = (size_t)size / sizeof **out;
  return true;
}

/* (first value, types of the results, line or -1) where the graph follows a program; else the row. */
static PyObject *recorder_record(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  unsigned op;
  PyObject *arguments;
  if (!PyArg_ParseTuple(args, "IO!", &op, &PyTuple_Type, &arguments)) return NULL;
  record_words row = {0};
  PyObject *made = NULL;
  uint32_t results, line;
  if (record_encode(self, op, arguments, 0, &row)) {
    if (ten_recorder_follow(self->recorder, row.data, row.count, &results, &line)) {
      PyObject *specs = core_record_specs(self, results);
      const uint32_t first =
          ten_recorder_add(self->recorder, row.data, row.count, results, TEN_RECORD_NO, TEN_RECORD_NO);
      if (specs) made = Py_BuildValue("(INL)", first, specs, line == TEN_RECORD_NO ? -1LL : (long long)line);
    } else {
      made = PyBytes_FromStringAndSize((const char *)row.data, (Py_ssize_t)(row.count * sizeof *row.data));
    }
  }
  ten_vec_free(&row);
  return made;
}

/* encode(op, arguments, first): the row of an op; without its head and first argument where `first` is 1. */
static PyObject *recorder_encode(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  unsigned op;
  PyObject *arguments, *made = NULL;
  Py_ssize_t first;
  if (!PyArg_ParseTuple(args, "IO!n", &op, &PyTuple_Type, &arguments, &first)) return NULL;
  record_words row = {0};
  if (record_encode((recorder_object *)object, op, arguments, first, &row))
    made = PyBytes_FromStringAndSize((const char *)row.data, (Py_ssize_t)(row.count * sizeof *row.data));
  ten_vec_free(&row);
  return made;
}

/* add_step(op, value, rest, specs, line): an op of one value and encoded arguments. `line` is called where the graph
 * follows no program. */
static PyObject *recorder_add_step(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  unsigned op, value;
  PyObject *rest, *specs, *line;
  const uint64_t *words;
  size_t count;
  if (!PyArg_ParseTuple(args, "IISO!O", &op, &value, &rest, &PyTuple_Type, &specs, &line)) return NULL;
  if (!row_of(rest, &words, &count)) return NULL;
  record_words row = {0};
  ten_vec_push(&row, op);
  ten_vec_push(&row, ten_record_head(TEN_RECORD_VALUE, 1));
  ten_vec_push(&row, value);
  for (size_t i = 0; i < count; i++) ten_vec_push(&row, words[i]);
  uint32_t results, at = TEN_RECORD_NO, unused, first = 0;
  bool done = results_of(self, specs, &results);
  uint32_t followed;
  if (done && line != Py_None && !ten_recorder_follow(self->recorder, row.data, row.count, &followed, &unused)) {
    PyObject *number = PyObject_CallNoArgs(line);
    const long long found = number ? PyLong_AsLongLong(number) : -1;
    done = number && !PyErr_Occurred();
    if (found >= 0) at = (uint32_t)found;
    Py_XDECREF(number);
  }
  if (done) first = ten_recorder_add(self->recorder, row.data, row.count, results, TEN_RECORD_NO, at);
  ten_vec_free(&row);
  return done ? PyLong_FromUnsignedLong(first) : NULL;
}

/* key(row): (number, types of the results or None) */
static PyObject *recorder_key(PyObject *object, PyObject *bytes) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  const uint64_t *row;
  size_t count;
  if (!row_of(bytes, &row, &count)) return NULL;
  uint32_t results;
  const uint32_t key = ten_recorder_key(self->recorder, row, count, &results);
  PyObject *specs = results == TEN_RECORD_NO ? Py_NewRef(Py_None) : core_record_specs(self, results);
  return specs ? Py_BuildValue("(IN)", key, specs) : NULL;
}

static PyObject *recorder_infer(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  unsigned key;
  PyObject *specs;
  uint32_t results;
  if (!PyArg_ParseTuple(args, "IO!", &key, &PyTuple_Type, &specs) || !results_of(self, specs, &results)) return NULL;
  ten_recorder_infer(self->recorder, key, results);
  return Py_NewRef(Py_None);
}

/* add(row, specs, key or -1, line or -1): the number of the first result */
static PyObject *recorder_add(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  PyObject *bytes, *specs;
  long long key, line;
  const uint64_t *row;
  size_t count;
  uint32_t results;
  if (!PyArg_ParseTuple(args, "SO!LL", &bytes, &PyTuple_Type, &specs, &key, &line)) return NULL;
  if (!row_of(bytes, &row, &count) || !results_of(self, specs, &results)) return NULL;
  return PyLong_FromUnsignedLong(ten_recorder_add(self->recorder, row, count, results,
                                                  key < 0 ? (uint32_t)TEN_RECORD_NO : (uint32_t)key,
                                                  line < 0 ? (uint32_t)TEN_RECORD_NO : (uint32_t)line));
}

static PyObject *recorder_input(PyObject *object, PyObject *spec) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  PyObject *number = PyObject_GetAttr(spec, self->names[3]);
  const unsigned long id = number ? PyLong_AsUnsignedLong(number) : 0;
  Py_XDECREF(number);
  return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLong(ten_recorder_input(self->recorder, (uint32_t)id));
}

static PyObject *recorder_spec_of(PyObject *object, PyObject *value) {
  recorder_object *self = (recorder_object *)object;
  const unsigned long number = PyLong_AsUnsignedLong(value);
  if (PyErr_Occurred()) return NULL;
  return Py_XNewRef(PyList_GetItem(self->specs, ten_recorder_value_spec(self->recorder, (uint32_t)number)));
}

static PyObject *recorder_write(PyObject *object, PyObject *value) {
  CORE_RECOVER;
  const unsigned long number = PyLong_AsUnsignedLong(value);
  if (PyErr_Occurred()) return NULL;
  ten_recorder_write(((recorder_object *)object)->recorder, (uint32_t)number);
  return Py_NewRef(Py_None);
}

static PyObject *recorder_is_written(PyObject *object, PyObject *value) {
  const long long number = PyLong_AsLongLong(value);
  if (PyErr_Occurred()) return NULL;
  return PyBool_FromLong(number >= 0 &&
                         ten_recorder_is_written(((recorder_object *)object)->recorder, (uint32_t)number));
}

static PyObject *recorder_share(PyObject *object, PyObject *on) {
  ten_recorder_share(((recorder_object *)object)->recorder, PyObject_IsTrue(on) == 1);
  return Py_NewRef(Py_None);
}

static PyObject *recorder_leave(PyObject *object, PyObject *unused) {
  (void)unused;
  ten_recorder_leave(((recorder_object *)object)->recorder);
  return Py_NewRef(Py_None);
}

static PyObject *recorder_reset(PyObject *object, PyObject *unused) {
  (void)unused;
  ten_recorder_reset(((recorder_object *)object)->recorder);
  return Py_NewRef(Py_None);
}

static PyMethodDef recorder_methods[] = {
    {"bind", (PyCFunction)(void (*)(void))recorder_bind, METH_VARARGS | METH_KEYWORDS,
     "What the recorder needs of the framework: types, numbers of its enumerations, and functions to call."},
    {"op", recorder_op, METH_VARARGS, "op(handler, name, arguments, kinds, flags): the op's number."},
    {"dtype", recorder_dtype, METH_VARARGS, "dtype(number, name): the name of an element type."},
    {"line_of", recorder_line, METH_VARARGS, "line_of(file, function, number): the number of a line."},
    {"spec", recorder_spec, METH_VARARGS, "spec(make, dtype, shape, strides, offset): the type of a value."},
    {"record", recorder_record, METH_VARARGS,
     "record(op, arguments): (value, specs, line) where the graph follows a program, else the row."},
    {"encode", recorder_encode, METH_VARARGS, "encode(op, arguments, first): the row of an op."},
    {"add_step", recorder_add_step, METH_VARARGS, "add_step(op, value, rest, specs, line): records a view."},
    {"key", recorder_key, METH_O, "key(row): (number, specs or None), by the types of its operands."},
    {"infer", recorder_infer, METH_VARARGS, "infer(key, specs): the types of the results of such a row."},
    {"add", recorder_add, METH_VARARGS, "add(row, specs, key, line): records; the first value's number."},
    {"input", recorder_input, METH_O, "input(spec): a value that comes from outside."},
    {"spec_of", recorder_spec_of, METH_O, "spec_of(value): its type."},
    {"write", recorder_write, METH_O, "write(value): an op writes to its memory."},
    {"is_written", recorder_is_written, METH_O, "is_written(value): whether one did."},
    {"share", recorder_share, METH_O, "share(on): equal numbers are one input from now on, or not."},
    {"leave", recorder_leave, METH_NOARGS, "Follows no program any more."},
    {"reset", recorder_reset, METH_NOARGS, "Drops the graph."},
    CORE_RECORD_DISPATCH,
    CORE_RECORD_READING,
    {NULL, NULL, 0, NULL}};

static PyObject *get_graph(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong(ten_recorder_graph(((recorder_object *)object)->recorder));
}
static PyObject *get_count(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromSize_t(ten_recorder_count(((recorder_object *)object)->recorder));
}
static PyObject *get_random(PyObject *object, void *unused) {
  (void)unused;
  return PyBool_FromLong(ten_recorder_is_random(((recorder_object *)object)->recorder));
}
static PyObject *get_is_full(PyObject *object, void *unused) {
  (void)unused;
  return PyBool_FromLong(ten_recorder_count(((recorder_object *)object)->recorder) > TEN_RECORD_NODES_MAX);
}
static PyObject *get_is_worth_cutting(PyObject *object, void *unused) {
  (void)unused;
  return PyBool_FromLong(ten_recorder_count(((recorder_object *)object)->recorder) >= TEN_RECORD_CUT_MIN);
}
static PyObject *get_promoting(PyObject *object, void *unused) {
  (void)unused;
  return PyBool_FromLong(((recorder_object *)object)->promoting);
}
static int set_promoting(PyObject *object, PyObject *value, void *unused) {
  (void)unused;
  ((recorder_object *)object)->promoting = value && PyObject_IsTrue(value) == 1;
  return 0;
}

static PyObject *get_careful(PyObject *object, void *unused) {
  (void)unused;
  return PyBool_FromLong(((recorder_object *)object)->careful);
}
static int set_careful(PyObject *object, PyObject *value, void *unused) {
  (void)unused;
  ((recorder_object *)object)->careful = value && PyObject_IsTrue(value) == 1;
  return 0;
}

static PyGetSetDef recorder_getset[] = {
    {"graph", get_graph, NULL, "A number of its own for each graph.", NULL},
    {"count", get_count, NULL, "Nodes of the graph.", NULL},
    {"random", get_random, NULL, "Whether the graph draws random numbers.", NULL},
    {"is_full", get_is_full, NULL, "Whether the graph is to be run, whatever comes next.", NULL},
    {"is_worth_cutting", get_is_worth_cutting, NULL, "Whether the graph is worth a program of its own.", NULL},
    {"promoting", get_promoting, set_promoting, "Numbers that may be inputs are inputs: in an optimizer's step.", NULL},
    {"careful", get_careful, set_careful, "Python handles all ops: lines are remembered.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot recorder_slots[] = {{Py_tp_new, recorder_create},
                                       {Py_tp_dealloc, recorder_dealloc},
                                       {Py_tp_traverse, recorder_traverse},
                                       {Py_tp_clear, recorder_clear},
                                       {Py_tp_methods, recorder_methods},
                                       {Py_tp_getset, recorder_getset},
                                       {Py_tp_doc, "The ops that a lazy device was given and has not run yet."},
                                       {0, NULL}};
PyType_Spec core_recorder_spec = {.name = "tenfold._core.Recorder",
                                  .basicsize = sizeof(recorder_object),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  .slots = recorder_slots};
