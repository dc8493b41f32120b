/* array_values.c: Python's numbers and nested lists as elements, and elements as Python's numbers. */
#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "base/float.h"
#include "tensor/internal.h"

enum { LIST_RANK_MAX = 32 };

int array_number_of(PyObject *object, array_number *out) {
  *out = (array_number){.kind = NUMBER_NO};
  if (PyBool_Check(object)) {
    *out = (array_number){.kind = NUMBER_BOOL, .integer = object == Py_True, .real = object == Py_True};
  } else if (PyLong_Check(object)) {
    int overflow = 0;
    out->kind = NUMBER_INT;
    out->integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    out->real = (double)out->integer;
    if (overflow) {
      const unsigned long long bits = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
      if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_SetString(PyExc_OverflowError, "a Python integer that no integer type holds");
        return -1;
      }
      out->large = true, out->integer = (int64_t)bits, out->real = (double)bits;
    }
  } else if (PyFloat_Check(object)) {
    *out = (array_number){.kind = NUMBER_FLOAT, .real = PyFloat_AsDouble(object)};
  } else if (PyComplex_Check(object)) {
    *out = (array_number){
        .kind = NUMBER_COMPLEX, .real = PyComplex_RealAsDouble(object), .imag = PyComplex_ImagAsDouble(object)};
  } else {
    return 0;
  }
  return 1;
}

static bool integer_fits(const array_number *n, ten_dtype dtype) {
  const unsigned bits = ten_dtype_bits(dtype);
  if (ten_dtype_class(dtype) == TEN_CLASS_UINT)
    return n->large ? bits == 64 : n->integer >= 0 && (bits == 64 || n->integer >> bits == 0);
  if (n->large) return false;
  return bits == 64 || (n->integer >= -((int64_t)1 << (bits - 1)) && n->integer < (int64_t)1 << (bits - 1));
}

static void store_bits(ten_dtype dtype, int64_t value, void *at) { memcpy(at, &value, ten_dtype_bytes(dtype)); }

static void store_real(ten_dtype dtype, double value, void *at) {
  if (dtype == TEN_F64)
    memcpy(at, &value, sizeof value);
  else
    ten_float_encode(dtype, value, at);
}

int array_store(const array_number *n, ten_dtype dtype, void *at) {
  const ten_dtype part = ten_dtype_part(dtype);
  if (ten_dtype_is_float(part)) {
    if (n->kind == NUMBER_COMPLEX && part == dtype) {
      PyErr_Format(PyExc_TypeError, "a complex number cannot be an element of %s", tensor_dtype_name(dtype));
      return -1;
    }
    store_real(part, n->real, at);
    if (part != dtype) store_real(part, n->imag, (char *)at + ten_dtype_bytes(part));
    return 0;
  }
  if (dtype == TEN_I1) {
    *(uint8_t *)at = n->kind <= NUMBER_INT ? n->integer != 0 : n->real != 0 || n->imag != 0;
    return 0;
  }
  if (n->kind == NUMBER_COMPLEX) {
    PyErr_Format(PyExc_TypeError, "a complex number cannot be an element of %s", tensor_dtype_name(dtype));
    return -1;
  }
  array_number whole = *n;
  if (n->kind == NUMBER_FLOAT) {
    if (n->real != n->real) {
      PyErr_Format(PyExc_ValueError, "a NaN cannot be an element of %s", tensor_dtype_name(dtype));
      return -1;
    }
    if (!(n->real >= -0x1p63 && n->real < 0x1p64)) {
      PyErr_Format(PyExc_OverflowError, "a float that %s does not hold", tensor_dtype_name(dtype));
      return -1;
    }
    whole.large = n->real >= 0x1p63;
    whole.integer = whole.large ? (int64_t)(uint64_t)n->real : (int64_t)n->real;
  }
  if (!integer_fits(&whole, dtype)) {
    PyErr_Format(PyExc_OverflowError,
                 whole.large ? "Python integer %llu out of bounds for %s" : "Python integer %lld out of bounds for %s",
                 (long long)whole.integer, tensor_dtype_name(dtype));
    return -1;
  }
  store_bits(dtype, whole.integer, at);
  return 0;
}

PyObject *array_element(ten_dtype dtype, const void *at) {
  int64_t bits = 0;
  const ten_dtype part = ten_dtype_part(dtype);
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_BOOL: return PyBool_FromLong(*(const uint8_t *)at);
    case TEN_CLASS_SINT:
      memcpy(&bits, at, ten_dtype_bytes(dtype));
      const int shift = 64 - (int)ten_dtype_bytes(dtype) * 8;
      return PyLong_FromLongLong((int64_t)((uint64_t)bits << shift) >> shift);
    case TEN_CLASS_UINT: memcpy(&bits, at, ten_dtype_bytes(dtype)); return PyLong_FromUnsignedLongLong((uint64_t)bits);
    case TEN_CLASS_FLOAT: return PyFloat_FromDouble(ten_float_decode(dtype, at));
    default:
      return PyComplex_FromDoubles(ten_float_decode(part, at),
                                   ten_float_decode(part, (const char *)at + ten_dtype_bytes(part)));
  }
}

/* ---- numbers that meet arrays ---- */
int array_number_element(const array_number *n, ten_array *like, ten_dtype *out_dtype, void *element) {
  ten_dtype dtype = ten_array_dtype(like);
  const ten_dclass class = ten_dtype_class(dtype);
  if (n->kind == NUMBER_COMPLEX && class != TEN_CLASS_COMPLEX)
    dtype = dtype == TEN_F64 ? TEN_C128 : TEN_C64;
  else if (n->kind == NUMBER_FLOAT && class < TEN_CLASS_FLOAT)
    dtype = TEN_F32;
  else if (n->kind == NUMBER_INT && class == TEN_CLASS_BOOL)
    dtype = TEN_I64;
  *out_dtype = dtype;
  return array_store(n, dtype, element);
}

ten_array *array_of_number(const core_state *state, const array_number *number, ten_array *like) {
  ten_dtype dtype;
  char element[ARRAY_ELEMENT_BYTES];
  if (array_number_element(number, like, &dtype, element)) return NULL;
  ten_array *array;
  ten_status *status =
      ten_array_create(ten_array_device(like), dtype, 0, NULL, element, ten_dtype_bytes(dtype), &array);
  if (status) core_raise(state, status);
  return array;
}

/* ---- nested lists ---- */
typedef struct list_shape {
  uint32_t rank;
  int64_t dims[LIST_RANK_MAX];
  int kind; /* the highest NUMBER_… inside */
  bool large, arrays;
} list_shape;

static bool is_list(PyObject *object) { return PyList_Check(object) || PyTuple_Check(object); }

static PyObject *item_of(PyObject *list, Py_ssize_t i) {
  return PyList_Check(list) ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i);
}

static int shape_error(void) {
  PyErr_SetString(PyExc_ValueError, "an array cannot be made of nested sequences of different lengths");
  return -1;
}

static int measure(PyObject *object, uint32_t depth, list_shape *shape, bool first) {
  if (is_list(object)) {
    const Py_ssize_t count = PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object);
    if (depth >= LIST_RANK_MAX) {
      PyErr_Format(PyExc_ValueError, "lists nested more than %d deep", LIST_RANK_MAX);
      return -1;
    }
    if (first) {
      if (depth + 1 > shape->rank) shape->rank = depth + 1;
      shape->dims[depth] = count;
    } else if (depth >= shape->rank || shape->dims[depth] != count) {
      return shape_error();
    }
    for (Py_ssize_t i = 0; i < count; i++)
      if (measure(item_of(object, i), depth + 1, shape, first && i == 0)) return -1;
    return 0;
  }
  if (depth != shape->rank) return shape_error();
  array_number number;
  const int known = array_number_of(object, &number);
  if (known < 0) return -1;
  if (!known) {
    PyErr_Format(PyExc_TypeError, "an array cannot be made of %R", Py_TYPE(object));
    return -1;
  }
  if ((int)number.kind > shape->kind) shape->kind = (int)number.kind;
  shape->large |= number.large;
  return 0;
}

static int fill(PyObject *object, ten_dtype dtype, char **at) {
  if (is_list(object)) {
    const Py_ssize_t count = PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object);
    for (Py_ssize_t i = 0; i < count; i++)
      if (fill(item_of(object, i), dtype, at)) return -1;
    return 0;
  }
  array_number number;
  if (array_number_of(object, &number) < 0 || array_store(&number, dtype, *at)) return -1;
  *at += ten_dtype_bytes(dtype);
  return 0;
}

static int dims_of(PyObject *shape, int64_t dims[LIST_RANK_MAX], uint32_t *rank) {
  const Py_ssize_t count = PyTuple_Size(shape);
  if (count > LIST_RANK_MAX) {
    PyErr_Format(PyExc_ValueError, "more than %d dimensions", LIST_RANK_MAX);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) dims[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
  *rank = (uint32_t)count;
  return PyErr_Occurred() ? -1 : 0;
}

/* from_list(device, object, dtype or None): an array of a number or of nested lists of numbers. */
static PyObject *from_list(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *device, *object, *wanted;
  if (!PyArg_ParseTuple(args, "O!OO", state->device, &device, &object, &wanted)) return NULL;
  const ten_dtype given = wanted == Py_None ? TEN_DTYPE_NONE : array_dtype_of(state, wanted);
  if (wanted != Py_None && given == TEN_DTYPE_NONE) return NULL;
  list_shape shape = {.kind = NUMBER_NO};
  if (measure(object, 0, &shape, true)) return NULL;
  static const ten_dtype defaults[] = {TEN_F32, TEN_I1, TEN_I64, TEN_F32, TEN_C64};
  ten_dtype dtype = shape.large && shape.kind == NUMBER_INT ? TEN_UI64 : defaults[shape.kind];
  if (wanted != Py_None) dtype = given;
  ten_tensor *value;
  ten_status *status = ten_tensor_create(dtype, shape.rank, shape.dims, &value);
  if (status) return core_raise(state, status);
  char *at = value->data;
  ten_array *array = NULL;
  if (!fill(object, dtype, &at)) {
    status = ten_array_create(((device_object *)device)->device, dtype, shape.rank, shape.dims, value->data,
                              value->bytes, &array);
    if (status) core_raise(state, status);
  }
  ten_tensor_release(value);
  return array ? array_wrap(state, array) : NULL;
}

static void tensor_release(void *owner) { ten_tensor_release(owner); }

/* from_object(device, object, copy): an array of anything with __dlpack__; without a copy its memory is shared. */
static PyObject *from_object(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *device, *object;
  int copy;
  if (!PyArg_ParseTuple(args, "O!Op", state->device, &device, &object, &copy)) return NULL;
  ten_tensor *value = core_tensor_from(state, object);
  if (!value) return NULL;
  ten_device *place = ((device_object *)device)->device;
  ten_array *array;
  ten_status *status;
  if (copy) {
    status = ten_array_create(place, value->dtype, value->rank, value->dims, value->data, value->bytes, &array);
    ten_tensor_release(value);
  } else {
    status = ten_array_view(place, value->dtype, value->rank, value->dims, value->data, tensor_release, value, &array);
  }
  return status ? core_raise(state, status) : array_wrap(state, array);
}

/* reshape(array, shape): with known sizes. */
static PyObject *reshape(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *object, *shape;
  int64_t dims[LIST_RANK_MAX];
  uint32_t rank;
  if (!PyArg_ParseTuple(args, "O!O!", state->array, &object, &PyTuple_Type, &shape) || dims_of(shape, dims, &rank))
    return NULL;
  ten_array *made;
  ten_status *status = ten_array_reshape(array_of(object), rank, dims, &made);
  return status ? core_raise(state, status) : array_wrap(state, made);
}

/* element(array, position): None where it has to be recorded. */
static PyObject *element(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *object;
  Py_ssize_t position;
  if (!PyArg_ParseTuple(args, "O!n", state->array, &object, &position)) return NULL;
  ten_array *made = position < 0 ? NULL : tensor_element_of(array_of(object), (size_t)position);
  return made ? array_wrap(state, made) : Py_NewRef(Py_None);
}

/* to_device(array, device) */
static PyObject *to_device(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *object, *device;
  if (!PyArg_ParseTuple(args, "O!O!", state->array, &object, state->device, &device)) return NULL;
  ten_array *moved;
  ten_status *status = ten_array_to(array_of(object), ((device_object *)device)->device, &moved);
  return status ? core_raise(state, status) : array_wrap(state, moved);
}

static PyObject *open_device(PyObject *module, PyObject *name) {
  const core_state *state = core_state_of(module);
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text) return NULL;
  ten_device *device;
  ten_status *status = ten_device_open(text, &device);
  if (status) return core_raise(state, status);
  return device_wrap(state, device);
}

static PyObject *set_array_class(PyObject *module, PyObject *type) {
  core_state *state = core_state_of(module);
  if (!PyType_Check(type)) return PyErr_Format(PyExc_TypeError, "not a class");
  Py_INCREF(type);
  Py_XDECREF((PyObject *)state->array_class);
  state->array_class = (PyTypeObject *)type;
  state->array_alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
  state->array_free = (freefunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_free);
  return Py_NewRef(Py_None);
}

static PyObject *promote(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *a, *b;
  if (!PyArg_ParseTuple(args, "O!O!", state->dtype, &a, state->dtype, &b)) return NULL;
  return array_dtype_object(state, ten_dtype_promote(((dtype_object *)a)->dtype, ((dtype_object *)b)->dtype));
}

/* from_bytes(device, data, shape, dtype): what tobytes gave. */
static PyObject *from_bytes(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *device, *shape, *dtype;
  const char *data;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "O!y#O!O!", state->device, &device, &data, &size, &PyTuple_Type, &shape, state->dtype,
                        &dtype))
    return NULL;
  int64_t dims[LIST_RANK_MAX];
  uint32_t rank;
  if (dims_of(shape, dims, &rank)) return NULL;
  ten_array *array;
  ten_status *status = ten_array_create(((device_object *)device)->device, ((dtype_object *)dtype)->dtype, rank, dims,
                                        data, (size_t)size, &array);
  return status ? core_raise(state, status) : array_wrap(state, array);
}

/* placeholder(device, shape, dtype) */
static PyObject *placeholder(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *device, *shape, *dtype;
  if (!PyArg_ParseTuple(args, "O!O!O!", state->device, &device, &PyTuple_Type, &shape, state->dtype, &dtype))
    return NULL;
  int64_t dims[LIST_RANK_MAX];
  uint32_t rank;
  if (dims_of(shape, dims, &rank)) return NULL;
  ten_array *array;
  ten_status *status =
      ten_array_placeholder(((device_object *)device)->device, ((dtype_object *)dtype)->dtype, rank, dims, &array);
  return status ? core_raise(state, status) : array_wrap(state, array);
}

static PyObject *random_numbers(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *device, *shape, *dtype;
  unsigned long long seed, offset;
  int normal;
  if (!PyArg_ParseTuple(args, "O!O!O!KKp", state->device, &device, &PyTuple_Type, &shape, state->dtype, &dtype, &seed,
                        &offset, &normal))
    return NULL;
  int64_t dims[LIST_RANK_MAX];
  uint32_t rank;
  if (dims_of(shape, dims, &rank)) return NULL;
  ten_array *array;
  ten_status *status = ten_array_random(((device_object *)device)->device, ((dtype_object *)dtype)->dtype, rank, dims,
                                        seed, offset, normal, &array);
  return status ? core_raise(state, status) : array_wrap(state, array);
}

PyMethodDef core_array_value_functions[] = {
    {"from_list", from_list, METH_VARARGS, "from_list(device, object, dtype): an array of nested lists of numbers."},
    {"from_object", from_object, METH_VARARGS, "from_object(device, object, copy): an array of what has __dlpack__."},
    {"from_bytes", from_bytes, METH_VARARGS, "from_bytes(device, data, shape, dtype): what tobytes gave."},
    {"placeholder", placeholder, METH_VARARGS, "placeholder(device, shape, dtype): stands for an input of a function."},
    {"reshape", reshape, METH_VARARGS, "reshape(array, shape)"},
    {"element", element, METH_VARARGS,
     "element(array, position): read of a computed array; None: it is to be recorded."},
    {"to_device", to_device, METH_VARARGS, "to_device(array, device)"},
    {"open_device", open_device, METH_O, "open_device(name): a device of arrays."},
    {"set_array_class", set_array_class, METH_O, "set_array_class(type): the class of arrays that are made."},
    {"promote", promote, METH_VARARGS, "promote(dtype, dtype): the type that both become where they meet."},
    {"random", random_numbers, METH_VARARGS, "random(device, shape, dtype, seed, offset, normal)"},
    {NULL, NULL, 0, NULL}};
