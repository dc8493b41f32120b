/* record_words.c: arguments of ops as words, and back; graphs of the recorder as programs. */
#include <stdlib.h>
#include <string.h>

#include "record.h"

static bool refuse(recorder_object *self) {
  PyErr_SetNone(self->needs_host);
  return false;
}

static void push(record_words *row, ten_record_kind kind, uint64_t word) {
  ten_vec_push(row, ten_record_head(kind, 1));
  ten_vec_push(row, word);
}

static bool push_empty(record_words *row, ten_record_kind kind) {
  ten_vec_push(row, ten_record_head(kind, 0));
  return true;
}

/* A number that a callback gives. */
static bool ask(PyObject *made, uint64_t *out) {
  *out = made ? PyLong_AsUnsignedLongLong(made) : 0;
  Py_XDECREF(made);
  return !PyErr_Occurred();
}

/* The number of what a tensor of the device stands for. */
static bool lazy_value(recorder_object *self, PyObject *tensor, uint64_t *out) {
  PyObject *value = PyObject_GetAttr(tensor, self->names[0]);
  if (value && (PyObject *)Py_TYPE(value) == self->with[FAST_VALUE]) {
    const value_object *own = (const value_object *)value;
    const bool here = own->graph == ten_recorder_graph(self->recorder);
    if (here) *out = (uint64_t)own->ref;
    const bool known = here || ask(PyObject_CallFunctionObjArgs(self->resolve, value, NULL), out);
    Py_DECREF(value);
    return known;
  }
  PyObject *graph = value ? PyObject_GetAttr(value, self->names[1]) : NULL;
  const uint64_t number = graph ? PyLong_AsUnsignedLongLong(graph) : 0;
  Py_XDECREF(graph);
  bool known = value && !PyErr_Occurred();
  if (known) {
    PyObject *made = number == ten_recorder_graph(self->recorder)
                         ? PyObject_GetAttr(value, self->names[2])
                         : PyObject_CallFunctionObjArgs(self->resolve, value, NULL);
    known = ask(made, out);
  }
  Py_XDECREF(value);
  return known;
}

static bool tensor_value(recorder_object *self, PyObject *handler, PyObject *tensor, uint64_t *out) {
  if ((PyObject *)Py_TYPE(tensor) == self->tensor) return lazy_value(self, tensor, out);
  return ask(PyObject_CallFunctionObjArgs(self->take_host, handler, tensor, NULL), out);
}

/* A number; `promotable` ones may be inputs of the program. 1: pushed; 0: it is no number; -1: an exception is set. */
static int push_number(recorder_object *self, uint32_t op, Py_ssize_t argument, PyObject *number, bool promotable,
                       record_words *row) {
  if (PyBool_Check(number)) return push(row, TEN_RECORD_BOOL, number == Py_True), 1;
  if (PyLong_Check(number)) {
    int overflow;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow) return refuse(self), -1;
    return push(row, TEN_RECORD_INT, (uint64_t)value), 1;
  }
  if (PyFloat_Check(number)) {
    const double value = PyFloat_AsDouble(number);
    bool input = promotable && ten_recorder_may_promote(self->recorder, op, value);
    if (input && !self->promoting && !ten_recorder_promotes(self->recorder, op)) {
      input = ten_recorder_has_changing(self->recorder);
      if (input) {
        PyObject *made = PyObject_CallNoArgs(self->line);
        const long long line = made ? PyLong_AsLongLong(made) : -1;
        Py_XDECREF(made);
        if (PyErr_Occurred()) return -1;
        input = ten_recorder_is_changing(self->recorder, op, (size_t)argument,
                                         line < 0 ? (uint32_t)TEN_RECORD_NO : (uint32_t)line);
      }
    }
    if (input)
      push(row, TEN_RECORD_SCALAR, ten_recorder_scalar(self->recorder, value));
    else
      push(row, TEN_RECORD_FLOAT, ten_record_bits(value));
    return 1;
  }
  if (!PyComplex_Check(number)) return 0;
  ten_vec_push(row, ten_record_head(TEN_RECORD_COMPLEX, 2));
  ten_vec_push(row, ten_record_bits(PyComplex_RealAsDouble(number)));
  ten_vec_push(row, ten_record_bits(PyComplex_ImagAsDouble(number)));
  return 1;
}

static bool push_string(recorder_object *self, PyObject *text, record_words *row, bool headed) {
  Py_ssize_t size;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) return false;
  const uint32_t id = ten_recorder_string(self->recorder, (ten_str){data, (size_t)size});
  if (headed) ten_vec_push(row, ten_record_head(TEN_RECORD_STRING, 1));
  ten_vec_push(row, id);
  return true;
}

/* Integers, booleans, strings or numbers: one kind for all of them. */
static bool push_list(recorder_object *self, PyObject *list, record_words *row) {
  const Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return false;
  ten_record_kind kind = TEN_RECORD_INTS;
  bool ints = true, bools = true, strings = true, numbers = true;
  const size_t head = row->count;
  ten_vec_push(row, 0);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    if (!item) return false;
    const bool is_bool = PyBool_Check(item), is_int = !is_bool && PyLong_Check(item);
    ints &= is_int, bools &= is_bool, strings &= PyUnicode_Check(item) != 0;
    numbers &= is_bool || is_int || PyFloat_Check(item);
    Py_DECREF(item);
  }
  if (!ints) kind = bools ? TEN_RECORD_BOOLS : strings ? TEN_RECORD_STRINGS : TEN_RECORD_FLOATS;
  if (kind == TEN_RECORD_FLOATS && !numbers) return refuse(self);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    if (!item) return false;
    int overflow = 0;
    bool read = true;
    if (kind == TEN_RECORD_INTS) ten_vec_push(row, (uint64_t)PyLong_AsLongLongAndOverflow(item, &overflow));
    if (kind == TEN_RECORD_BOOLS) ten_vec_push(row, item == Py_True);
    if (kind == TEN_RECORD_FLOATS) ten_vec_push(row, ten_record_bits(PyFloat_AsDouble(item)));
    if (kind == TEN_RECORD_STRINGS) read = push_string(self, item, row, false);
    Py_DECREF(item);
    if (overflow) return refuse(self);
    if (!read || PyErr_Occurred()) return false;
  }
  row->data[head] = ten_record_head(kind, (size_t)count);
  return true;
}

/* A list of tensors, of which some may be None. */
static bool push_tensors(recorder_object *self, PyObject *handler, PyObject *list, record_words *row) {
  const Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return false;
  const size_t head = row->count;
  ten_vec_push(row, 0);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(list, i);
    uint64_t value = 0;
    const bool read = item && (item == Py_None || tensor_value(self, handler, item, &value));
    const bool none = item == Py_None;
    Py_XDECREF(item);
    if (!read) return false;
    if (none)
      ten_vec_push(row, ten_record_head(TEN_RECORD_NONE, 0));
    else
      push(row, TEN_RECORD_VALUE, value);
  }
  row->data[head] = ten_record_head(TEN_RECORD_LIST, row->count - head - 1);
  return true;
}

/* A value of one of the framework's enumerations. */
static bool push_enumerated(recorder_object *self, PyObject *item, record_words *row) {
  PyObject *const tables[] = {self->dtypes, self->formats, self->layouts};
  const ten_record_kind kinds[] = {TEN_RECORD_DTYPE, TEN_RECORD_FORMAT, TEN_RECORD_LAYOUT};
  for (size_t i = 0; i < 3; i++) {
    PyObject *number = PyDict_GetItemWithError(tables[i], item);
    if (number) return push(row, kinds[i], PyLong_AsUnsignedLongLong(number)), true;
    if (PyErr_Occurred()) PyErr_Clear(); /* not hashable: not one of these */
  }
  return refuse(self);
}

static bool push_argument(recorder_object *self, uint32_t op, PyObject *handler, char kind, Py_ssize_t i,
                          PyObject *item, record_words *row) {
  uint64_t value;
  if (kind == 'T' && (PyObject *)Py_TYPE(item) == self->tensor) {
    if (!lazy_value(self, item, &value)) return false;
    return push(row, TEN_RECORD_VALUE, value), true;
  }
  if (kind == 'T' && PyObject_IsInstance(item, self->base) == 1) {
    if (!tensor_value(self, handler, item, &value)) return false;
    return push(row, TEN_RECORD_VALUE, value), true;
  }
  if (item == Py_None) return push_empty(row, TEN_RECORD_NONE);
  if (item == self->missing || kind == 'I') return push_empty(row, TEN_RECORD_MISSING);
  if (kind == 'G') return refuse(self);
  if (kind == 'L') return push_tensors(self, handler, item, row);
  const int number = push_number(self, op, i, item, kind == 'S' || kind == 'T', row);
  if (number) return number > 0;
  if (kind != 'X') return refuse(self);
  if (PyUnicode_Check(item)) return push_string(self, item, row, true);
  if (PyList_Check(item) || PyTuple_Check(item)) return push_list(self, item, row);
  return push_enumerated(self, item, row);
}

bool record_encode(recorder_object *self, uint32_t op, PyObject *arguments, Py_ssize_t first, record_words *row) {
  PyObject *entry = PyList_GetItem(self->ops, op);
  if (!entry || entry == Py_None) return false;
  PyObject *handler = PyTuple_GetItem(entry, 0);
  const char *kinds = PyBytes_AsString(PyTuple_GetItem(entry, 1));
  if (!handler || !kinds) return false;
  if (!first) ten_vec_push(row, op);
  size_t end = row->count; /* of the last argument that was not left out */
  const Py_ssize_t count = PyTuple_Size(arguments);
  for (Py_ssize_t i = first; i < count && kinds[i]; i++) {
    const size_t start = row->count;
    if (!push_argument(self, op, handler, kinds[i], i, PyTuple_GetItem(arguments, i), row)) return false;
    if (ten_record_kind_of(row->data[start]) != TEN_RECORD_MISSING) end = row->count;
  }
  row->count = end;
  return true;
}

/* ---- back ---- */

static PyObject *argument_object(recorder_object *self, const uint64_t *words, PyObject *values);

/* The framework's value with this number. */
static PyObject *enumerated(PyObject *table, uint64_t number) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(table, &at, &key, &value))
    if (PyLong_AsUnsignedLongLong(value) == number) return Py_NewRef(key);
  return PyErr_Format(PyExc_KeyError, "%llu", (unsigned long long)number);
}

static PyObject *word_object(recorder_object *self, ten_record_kind kind, uint64_t word) {
  if (kind == TEN_RECORD_BOOLS) return PyBool_FromLong(word != 0);
  if (kind == TEN_RECORD_FLOATS) return PyFloat_FromDouble(ten_record_number(word));
  if (kind == TEN_RECORD_INTS) return PyLong_FromLongLong((int64_t)word);
  const ten_str text = ten_recorder_text(self->recorder, (uint32_t)word);
  return PyUnicode_FromStringAndSize(text.data, (Py_ssize_t)text.size);
}

static PyObject *list_object(recorder_object *self, const uint64_t *words, PyObject *values) {
  const ten_record_kind kind = ten_record_kind_of(words[0]);
  const size_t count = ten_record_words(words[0]);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count;) {
    const bool nested = kind == TEN_RECORD_LIST;
    PyObject *item = nested ? argument_object(self, words + 1 + i, values) : word_object(self, kind, words[1 + i]);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
    i += nested ? 1 + ten_record_words(words[1 + i]) : 1;
  }
  return list;
}

static PyObject *argument_object(recorder_object *self, const uint64_t *words, PyObject *values) {
  size_t count;
  switch (ten_record_kind_of(words[0])) {
    case TEN_RECORD_MISSING: return Py_NewRef(self->missing);
    case TEN_RECORD_NONE: return Py_NewRef(Py_None);
    case TEN_RECORD_VALUE: {
      PyObject *number = PyLong_FromUnsignedLongLong(words[1]);
      PyObject *value = number ? PyObject_GetItem(values, number) : NULL;
      Py_XDECREF(number);
      return value;
    }
    case TEN_RECORD_SCALAR: return PyFloat_FromDouble(ten_recorder_scalars(self->recorder, &count)[words[1]]);
    case TEN_RECORD_BOOL: return PyBool_FromLong(words[1] != 0);
    case TEN_RECORD_INT: return PyLong_FromLongLong((int64_t)words[1]);
    case TEN_RECORD_FLOAT: return PyFloat_FromDouble(ten_record_number(words[1]));
    case TEN_RECORD_COMPLEX: return PyComplex_FromDoubles(ten_record_number(words[1]), ten_record_number(words[2]));
    case TEN_RECORD_STRING: return word_object(self, TEN_RECORD_STRINGS, words[1]);
    case TEN_RECORD_DTYPE: return enumerated(self->dtypes, words[1]);
    case TEN_RECORD_FORMAT: return enumerated(self->formats, words[1]);
    case TEN_RECORD_LAYOUT: return enumerated(self->layouts, words[1]);
    default: return list_object(self, words, values);
  }
}

/* node(number, values): (handler or None, arguments, results, key or -1, line or -1) */
PyObject *core_record_node(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  Py_ssize_t node;
  PyObject *values;
  if (!PyArg_ParseTuple(args, "nO", &node, &values)) return NULL;
  if (node < 0 || (size_t)node >= ten_recorder_count(self->recorder))
    return PyErr_Format(PyExc_IndexError, "node %zd is out of range: there are %zu", node,
                        ten_recorder_count(self->recorder));
  size_t count;
  const uint64_t *row = ten_recorder_row(self->recorder, (size_t)node, &count);
  PyObject *entry = PyList_GetItem(self->ops, (Py_ssize_t)row[0]);
  PyObject *handler = entry == Py_None ? Py_None : PyTuple_GetItem(entry, 0);
  PyObject *arguments = PyList_New(0), *results = PyList_New(0);
  for (size_t i = 1; values != Py_None && entry != Py_None && arguments && i < count;
       i += 1 + ten_record_words(row[i])) {
    PyObject *item = argument_object(self, row + i, values);
    if (!item || PyList_Append(arguments, item)) Py_CLEAR(arguments);
    Py_XDECREF(item);
  }
  const size_t made = ten_recorder_node_values(self->recorder, (size_t)node, NULL, 0);
  int64_t *numbers = ten_alloc((made + 1) * sizeof *numbers);
  ten_recorder_node_values(self->recorder, (size_t)node, numbers, made);
  for (size_t i = 0; results && i < made; i++) {
    PyObject *number = PyLong_FromLongLong(numbers[i]);
    if (!number || PyList_Append(results, number)) Py_CLEAR(results);
    Py_XDECREF(number);
  }
  free(numbers);
  if (!arguments || !results) return Py_XDECREF(arguments), Py_XDECREF(results), NULL;
  const uint32_t key = ten_recorder_node_key(self->recorder, (size_t)node);
  const uint32_t line = ten_recorder_node_line(self->recorder, (size_t)node);
  return Py_BuildValue("(ONNLL)", handler, arguments, results, key == TEN_RECORD_NO ? -1LL : (long long)key,
                       line == TEN_RECORD_NO ? -1LL : (long long)line);
}

PyObject *core_record_body(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  Py_ssize_t node;
  const char *text;
  if (!PyArg_ParseTuple(args, "ns", &node, &text)) return NULL;
  ten_recorder_body(((recorder_object *)object)->recorder, (size_t)node, ten_str_of(text));
  return Py_NewRef(Py_None);
}

PyObject *core_record_fold(PyObject *object, PyObject *args) {
  unsigned int number;
  int inputs;
  if (!PyArg_ParseTuple(args, "Ip", &number, &inputs)) return NULL;
  uint32_t nodes[TEN_RECORD_FOLD_MAX + 1];
  const size_t count = ten_recorder_fold(((recorder_object *)object)->recorder, number, inputs, nodes);
  if (!count) return Py_NewRef(Py_None);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *node = PyLong_FromUnsignedLong(nodes[i]);
    if (!node || PyList_Append(list, node)) Py_CLEAR(list);
    Py_XDECREF(node);
  }
  return list;
}

PyObject *core_record_scalars(PyObject *object, PyObject *unused) {
  (void)unused;
  size_t count;
  const double *numbers = ten_recorder_scalars(((recorder_object *)object)->recorder, &count);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *number = PyFloat_FromDouble(numbers[i]);
    if (!number || PyList_Append(list, number)) Py_CLEAR(list);
    Py_XDECREF(number);
  }
  return list;
}

/* ---- programs ---- */

static uint32_t *wanted_of(PyObject *tuple, size_t *out_count) {
  const Py_ssize_t count = PyTuple_Size(tuple);
  if (count < 0) return NULL;
  uint32_t *wanted = ten_alloc(((size_t)count + 1) * sizeof *wanted);
  for (Py_ssize_t i = 0; i < count; i++) wanted[i] = (uint32_t)PyLong_AsUnsignedLong(PyTuple_GetItem(tuple, i));
  *out_count = (size_t)count;
  if (!PyErr_Occurred()) return wanted;
  free(wanted);
  return NULL;
}

PyObject *core_record_json(PyObject *object, PyObject *args) {
  CORE_RECOVER;
  PyObject *tuple;
  long long only;
  size_t count;
  if (!PyArg_ParseTuple(args, "OL", &tuple, &only)) return NULL;
  uint32_t *wanted = wanted_of(tuple, &count);
  if (!wanted) return NULL;
  ten_buf text = {0};
  ten_recorder_json(((recorder_object *)object)->recorder, count, wanted,
                    only < 0 ? (uint32_t)TEN_RECORD_NO : (uint32_t)only, &text);
  free(wanted);
  PyObject *made = PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.size, "replace");
  ten_buf_free(&text);
  return made;
}

PyObject *core_record_find(PyObject *object, PyObject *tuple) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  size_t count;
  uint32_t *wanted = wanted_of(tuple, &count);
  if (!wanted) return NULL;
  ten_buf why = {0};
  self->current = ten_recorder_find(self->recorder, &why);
  const int64_t executable = self->current ? ten_record_program_executable(self->current, count, wanted) : -1;
  PyObject *made = Py_BuildValue("(KLs)", self->current ? ten_record_program_number(self->current) : 0ULL,
                                 (long long)executable, why.data ? why.data : "");
  free(wanted);
  ten_buf_free(&why);
  return made;
}

PyObject *core_record_store(PyObject *object, PyObject *unused) {
  CORE_RECOVER;
  (void)unused;
  recorder_object *self = (recorder_object *)object;
  uint64_t dropped[TEN_RECORD_PROGRAMS_MAX];
  size_t count;
  self->current = ten_recorder_store(self->recorder, dropped, &count);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *number = PyLong_FromUnsignedLongLong(dropped[i]);
    if (!number || PyList_Append(list, number)) Py_CLEAR(list);
    Py_XDECREF(number);
  }
  return list ? Py_BuildValue("(KN)", ten_record_program_number(self->current), list) : NULL;
}

PyObject *core_record_returns(PyObject *object, PyObject *tuple) {
  CORE_RECOVER;
  recorder_object *self = (recorder_object *)object;
  size_t count;
  uint32_t *wanted = wanted_of(tuple, &count);
  if (!wanted) return NULL;
  if (self->current) ten_record_program_add(self->current, count, wanted);
  free(wanted);
  return Py_NewRef(Py_None);
}

PyObject *core_record_ran(PyObject *object, PyObject *unused) {
  (void)unused;
  recorder_object *self = (recorder_object *)object;
  ten_recorder_ran(self->recorder, self->current);
  self->current = NULL;
  return Py_NewRef(Py_None);
}

PyObject *core_record_clear(PyObject *object, PyObject *unused) {
  (void)unused;
  recorder_object *self = (recorder_object *)object;
  self->current = NULL;
  ten_recorder_clear(self->recorder);
  return Py_NewRef(Py_None);
}
