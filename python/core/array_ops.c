/* array_ops.c: operations on arrays: Python's arguments become those of tenfold/tensor.h. */
#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/internal.h"

enum { ARGUMENTS_MAX = 16 };

/* NumPy's scalars as Python's numbers, and its arrays as arrays of this device; NotImplemented: it is none of NumPy's,
 * or holds no numbers. */
static PyObject *operand_of_numpy(const core_state *state, PyObject *object, ten_device *device) {
  PyObject *interface = PyType_Check(object) ? NULL : PyObject_GetAttrString(object, "__array_interface__");
  PyObject *rank = interface ? PyObject_GetAttrString(object, "ndim") : NULL, *made = NULL;
  const bool is_scalar = rank && PyLong_Check(rank) && PyLong_AsLong(rank) == 0;
  Py_XDECREF(interface);
  Py_XDECREF(rank);
  if (is_scalar) {
    array_number number;
    made = PyObject_CallMethod(object, "item", NULL);
    if (made && array_number_of(made, &number) <= 0) Py_CLEAR(made);
  } else if (rank) {
    ten_tensor *value = core_tensor_from(state, object);
    ten_array *array = NULL;
    if (value) {
      ten_status *status =
          ten_array_create(device, value->dtype, value->rank, value->dims, value->data, value->bytes, &array);
      ten_tensor_release(value);
      return status ? core_raise(state, status) : array_wrap(state, array);
    }
  }
  if (made) return made;
  PyErr_Clear();
  return Py_NewRef(Py_NotImplemented);
}

static PyObject *with_numpy(const core_state *state, const char *name, PyObject *x, PyObject *y, bool first) {
  PyObject *operand = operand_of_numpy(state, first ? x : y, ten_array_device(array_of(first ? y : x)));
  if (!operand || operand == Py_NotImplemented) return operand;
  PyObject *result = array_binary(state, name, first ? operand : x, first ? y : operand);
  Py_DECREF(operand);
  return result;
}

/* x op y where one of them is an array and the other one is a number, or what NumPy has. */
static PyObject *with_number(const core_state *state, const char *name, PyObject *x, PyObject *y, bool first) {
  array_number number;
  const int known = array_number_of(first ? x : y, &number); /* may run Python code, so before the array is taken */
  if (known <= 0) return known ? NULL : with_numpy(state, name, x, y, first);
  ten_array *array = array_of(first ? y : x), *made;
  if (number.kind == NUMBER_INT && number.integer < 0 && !number.large && !first && !strcmp(name, "pow") &&
      ten_dtype_is_int(ten_array_dtype(array)))
    return PyErr_Format(PyExc_ValueError, "integers to negative integer powers are not allowed: %s array ** %lld",
                        tensor_dtype_name(ten_array_dtype(array)), (long long)number.integer);
  ten_dtype dtype;
  char element[ARRAY_ELEMENT_BYTES];
  if (array_number_element(&number, array, &dtype, element)) return NULL;
  ten_status *status = tensor_binary_number(name, array, dtype, element, first, &made);
  return status ? core_raise(state, status) : array_wrap(state, made);
}

PyObject *array_binary(const core_state *state, const char *name, PyObject *x, PyObject *y) {
  if (!state) return Py_NewRef(Py_NotImplemented);
  const bool first = array_is(state, x), second = array_is(state, y);
  if (!first && !second) return Py_NewRef(Py_NotImplemented);
  if (!first || !second) return with_number(state, name, x, y, second);
  ten_array *made;
  ten_status *status = !strcmp(name, "matmul") ? ten_array_matmul(array_of(x), array_of(y), &made)
                                               : ten_array_binary(name, array_of(x), array_of(y), &made);
  return status ? core_raise(state, status) : array_wrap(state, made);
}

PyObject *array_unary(const core_state *state, const char *name, PyObject *x) {
  ten_array *made;
  ten_status *status = ten_array_unary(name, array_of(x), &made);
  return status ? core_raise(state, status) : array_wrap(state, made);
}

/* ---- the general form ---- */
typedef struct lists {
  int64_t *ints;
  double *floats;
  ten_array **arrays;
} lists;

static int list_argument(const core_state *state, PyObject *object, ten_argument *out, lists *room) {
  const bool is_list = PyList_Check(object);
  const Py_ssize_t count = is_list ? PyList_Size(object) : PyTuple_Size(object);
  out->count = (size_t)count;
  out->kind = TEN_ARG_INTS;
  room->ints = calloc((size_t)count + 1, sizeof *room->ints);
  room->floats = calloc((size_t)count + 1, sizeof *room->floats);
  room->arrays = calloc((size_t)count + 1, sizeof *room->arrays);
  if (!room->ints || !room->floats || !room->arrays) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
    if (!item) return -1;
    if (array_is(state, item) || item == Py_None) {
      out->kind = TEN_ARG_ARRAYS;
      room->arrays[i] = item == Py_None ? NULL : array_of(item);
      continue;
    }
    array_number number;
    const int known = array_number_of(item, &number);
    if (known <= 0) {
      if (!known) PyErr_Format(PyExc_TypeError, "argument '%s' cannot hold %R", out->name, Py_TYPE(item));
      return -1;
    }
    if (number.kind == NUMBER_FLOAT) out->kind = TEN_ARG_FLOATS;
    room->ints[i] = number.integer, room->floats[i] = number.real;
  }
  out->ints = room->ints, out->floats = room->floats, out->arrays = room->arrays;
  return 0;
}

static int argument_of(const core_state *state, PyObject *object, ten_argument *out, lists *room) {
  array_number number;
  if (object == Py_None) {
    out->kind = TEN_ARG_NONE;
  } else if (array_is(state, object)) {
    out->kind = TEN_ARG_ARRAY;
    out->array = array_of(object);
  } else if (PyObject_TypeCheck(object, state->dtype)) {
    out->kind = TEN_ARG_DTYPE;
    out->integer = ((dtype_object *)object)->dtype;
  } else if (PyUnicode_Check(object)) {
    out->kind = TEN_ARG_STRING;
    out->text = PyUnicode_AsUTF8AndSize(object, NULL);
    if (!out->text) return -1;
  } else if (PyList_Check(object) || PyTuple_Check(object)) {
    return list_argument(state, object, out, room);
  } else {
    const int known = array_number_of(object, &number);
    if (known < 0) return -1;
    if (!known) {
      PyErr_Format(PyExc_TypeError, "argument '%s' cannot be %R", out->name, Py_TYPE(object));
      return -1;
    }
    static const ten_argument_kind kinds[] = {TEN_ARG_NONE, TEN_ARG_BOOL, TEN_ARG_INT, TEN_ARG_FLOAT, TEN_ARG_COMPLEX};
    out->kind = kinds[number.kind];
    out->integer = number.integer, out->real = number.real, out->imag = number.imag;
  }
  return 0;
}

static ten_device *device_of(const ten_argument *arguments, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (arguments[i].kind == TEN_ARG_ARRAY) return ten_array_device(arguments[i].array);
    for (size_t k = 0; arguments[i].kind == TEN_ARG_ARRAYS && k < arguments[i].count; k++)
      if (arguments[i].arrays[k]) return ten_array_device(arguments[i].arrays[k]);
  }
  return NULL;
}

static PyObject *results_of(const core_state *state, ten_array **made, size_t count) {
  if (count == 1) return array_wrap(state, made[0]);
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; i < count; i++) {
    PyObject *array = tuple ? array_wrap(state, made[i]) : (ten_array_release(made[i]), NULL);
    if (!array)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, (Py_ssize_t)i, array);
  }
  return tuple;
}

/* op(name, device or None, results, **arguments) */
static PyObject *operation(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  const core_state *state = core_state_of(module);
  const Py_ssize_t given = names ? PyTuple_Size(names) : 0;
  if (count != 3 || given > ARGUMENTS_MAX)
    return PyErr_Format(PyExc_TypeError, "op(name, device, results, **arguments)");
  const char *name = PyUnicode_AsUTF8AndSize(args[0], NULL);
  const long results = PyLong_AsLong(args[2]);
  if (!name || PyErr_Occurred()) return NULL;
  if (results < 1) return PyErr_Format(PyExc_ValueError, "%s: %ld results", name, results);
  ten_argument arguments[ARGUMENTS_MAX] = {0};
  lists rooms[ARGUMENTS_MAX] = {0};
  ten_array *small[8] = {0}, **made = results <= 8 ? small : calloc((size_t)results, sizeof *made);
  PyObject *result = NULL;
  if (!made) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < given; i++) {
    arguments[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (argument_of(state, args[3 + i], &arguments[i], &rooms[i])) goto end;
  }
  ten_device *device = args[1] != Py_None ? ((device_object *)args[1])->device : device_of(arguments, (size_t)given);
  if (!device) {
    PyErr_Format(PyExc_TypeError, "%s: no array among the arguments", name);
    goto end;
  }
  ten_status *status = ten_array_op(device, name, arguments, (size_t)given, made, (size_t)results);
  result = status ? core_raise(state, status) : results_of(state, made, (size_t)results);
end:
  for (Py_ssize_t i = 0; i < given; i++) {
    free(rooms[i].ints);
    free(rooms[i].floats);
    free(rooms[i].arrays);
  }
  if (made != small) free(made);
  return result;
}

/* binary(name, x, y) */
static PyObject *binary(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const char *name = count == 3 ? PyUnicode_AsUTF8AndSize(args[0], NULL) : NULL;
  if (!name) return PyErr_Format(PyExc_TypeError, "binary(name, x, y)");
  PyObject *result = array_binary(core_state_of(module), name, args[1], args[2]);
  if (result != Py_NotImplemented) return result;
  Py_DECREF(result);
  return PyErr_Format(PyExc_TypeError, "%s takes arrays and numbers, not %R and %R", name, Py_TYPE(args[1]),
                      Py_TYPE(args[2]));
}

/* unary(name, x, floats): where `floats`, integers become the default float first */
static PyObject *unary(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const core_state *state = core_state_of(module);
  const char *name = count == 3 ? PyUnicode_AsUTF8AndSize(args[0], NULL) : NULL;
  if (!name) return PyErr_Format(PyExc_TypeError, "unary(name, x, floats)");
  if (!array_is(state, args[1]))
    return PyErr_Format(PyExc_TypeError, "%s takes an array, not %R", name, Py_TYPE(args[1]));
  if (args[2] != Py_True || ten_dtype_class(ten_array_dtype(array_of(args[1]))) >= TEN_CLASS_FLOAT)
    return array_unary(state, name, args[1]);
  ten_array *floats, *made = NULL;
  ten_status *status = ten_array_cast(array_of(args[1]), TEN_F32, &floats);
  if (!status) status = ten_array_unary(name, floats, &made);
  ten_array_release(floats);
  return status ? core_raise(state, status) : array_wrap(state, made);
}

/* is_complex(array) */
static PyObject *is_complex(PyObject *module, PyObject *object) {
  const core_state *state = core_state_of(module);
  if (!array_is(state, object)) return PyErr_Format(PyExc_TypeError, "not an array: %R", Py_TYPE(object));
  return PyBool_FromLong(ten_dtype_class(ten_array_dtype(array_of(object))) == TEN_CLASS_COMPLEX);
}

/* cast(array, dtype) */
static PyObject *cast(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const core_state *state = core_state_of(module);
  if (count != 2 || !array_is(state, args[0]))
    return PyErr_Format(PyExc_TypeError, "not an array: %R", count ? (PyObject *)Py_TYPE(args[0]) : Py_None);
  const ten_dtype dtype = array_dtype_of(state, args[1]);
  if (dtype == TEN_DTYPE_NONE) return NULL;
  ten_array *made;
  ten_status *status = ten_array_cast(array_of(args[0]), dtype, &made);
  return status ? core_raise(state, status) : array_wrap(state, made);
}

/* same(x, y): whether two objects are one array. */
static PyObject *same(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const core_state *state = core_state_of(module);
  if (count != 2 || !array_is(state, args[0]) || !array_is(state, args[1]))
    return PyErr_Format(PyExc_TypeError, "same(array, array)");
  return PyBool_FromLong(array_of(args[0]) == array_of(args[1]));
}

/* sequence(x): later arrays of a device have a higher number. */
static PyObject *sequence(PyObject *module, PyObject *x) {
  if (!array_is(core_state_of(module), x)) return PyErr_Format(PyExc_TypeError, "not an array");
  return PyLong_FromUnsignedLongLong(array_of(x)->node->sequence);
}

/* is_abstract(x): whether it is a placeholder, or made of one. */
static PyObject *is_abstract(PyObject *module, PyObject *x) {
  if (!array_is(core_state_of(module), x)) return PyErr_Format(PyExc_TypeError, "not an array");
  return PyBool_FromLong(array_of(x)->node->abstract);
}

static ten_array **arrays_of(const core_state *state, PyObject *list, size_t *out_count) {
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "not a list of arrays");
    return NULL;
  }
  *out_count = (size_t)PyList_Size(list);
  ten_array **arrays = calloc(*out_count + 1, sizeof *arrays);
  for (size_t i = 0; arrays && i < *out_count; i++) {
    PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
    if (!array_is(state, item)) {
      PyErr_Format(PyExc_TypeError, "not an array: %R", Py_TYPE(item));
      free(arrays);
      return NULL;
    }
    arrays[i] = array_of(item);
  }
  return arrays;
}

/* A list of arrays, which it takes. */
static PyObject *list_of(const core_state *state, ten_array **made, size_t count) {
  PyObject *result = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; i < count; i++) {
    PyObject *array = result ? array_wrap(state, made[i]) : NULL;
    if (array) PyList_SetItem(result, (Py_ssize_t)i, array);
  }
  return result;
}

/* gradients(loss, [array…]): a list of them */
static PyObject *gradients(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *loss, *list;
  size_t count = 0;
  if (!PyArg_ParseTuple(args, "O!O", state->array, &loss, &list)) return NULL;
  ten_array **by = arrays_of(state, list, &count);
  if (!by) return NULL;
  ten_array **made = calloc(count + 1, sizeof *made);
  ten_status *status = made ? ten_array_grad(array_of(loss), count, by, made) : NULL;
  PyObject *result = status ? core_raise(state, status) : list_of(state, made, made ? count : 0);
  free(by);
  free(made);
  return result;
}

static void function_delete(PyObject *capsule) {
  ten_function_release(PyCapsule_GetPointer(capsule, "tenfold.function"));
}

/* function(inputs, outputs): a capsule */
static PyObject *function_make(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *inputs, *outputs;
  size_t input_count = 0, output_count = 0;
  if (!PyArg_ParseTuple(args, "OO", &inputs, &outputs)) return NULL;
  ten_array **in = arrays_of(state, inputs, &input_count), **out = in ? arrays_of(state, outputs, &output_count) : NULL;
  PyObject *capsule = NULL;
  if (in && out) {
    ten_function *function;
    ten_status *status = ten_function_create(input_count, in, output_count, out, &function);
    capsule = status ? core_raise(state, status) : PyCapsule_New(function, "tenfold.function", function_delete);
  }
  free(in);
  free(out);
  return capsule;
}

/* call(function, inputs, results): a tuple, or the one result */
/* Their references are its own: while others run, `x[i] = y` may give an object another array. */
static PyObject *function_call(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *capsule, *inputs;
  Py_ssize_t results;
  size_t count = 0;
  if (!PyArg_ParseTuple(args, "OOn", &capsule, &inputs, &results)) return NULL;
  ten_function *function = PyCapsule_GetPointer(capsule, "tenfold.function");
  ten_array **in = function ? arrays_of(state, inputs, &count) : NULL;
  if (!in) return NULL;
  size_t wanted, gives;
  tensor_function_counts(function, &wanted, &gives);
  if (count != wanted || (size_t)results != gives) {
    free(in);
    return PyErr_Format(PyExc_TypeError, "the function takes %zu arrays and gives %zu; %zu and %zd are meant", wanted,
                        gives, count, results);
  }
  ten_array **made = calloc(gives + 1, sizeof *made);
  for (size_t i = 0; i < count; i++) ten_array_retain(in[i]);
  ten_status *status = NULL;
  Py_BEGIN_ALLOW_THREADS if (made) status = ten_function_call(function, in, made);
  Py_END_ALLOW_THREADS for (size_t i = 0; i < count; i++) ten_array_release(in[i]);
  PyObject *result = !made ? PyErr_NoMemory() : status ? core_raise(state, status) : results_of(state, made, gives);
  free(in);
  free(made);
  return result;
}

/* vmap(inputs, batches, outputs): a list; `inputs` stand for one example of the batches */
static PyObject *vmap(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *inputs, *batches, *outputs;
  size_t input_count = 0, batch_count = 0, count = 0;
  if (!PyArg_ParseTuple(args, "OOO", &inputs, &batches, &outputs)) return NULL;
  ten_array **in = arrays_of(state, inputs, &input_count);
  ten_array **all = in ? arrays_of(state, batches, &batch_count) : NULL;
  ten_array **out = all ? arrays_of(state, outputs, &count) : NULL;
  ten_array **made = out ? calloc(count + 1, sizeof *made) : NULL;
  PyObject *result = NULL;
  if (made && input_count != batch_count) {
    PyErr_Format(PyExc_TypeError, "%zu inputs and %zu batches", input_count, batch_count);
  } else if (made) {
    ten_status *status = ten_array_vmap(input_count, in, all, count, out, made);
    result = status ? core_raise(state, status) : list_of(state, made, count);
  }
  free(in);
  free(all);
  free(out);
  free(made);
  return result;
}

PyMethodDef core_array_op_functions[] = {
    {"op", (PyCFunction)(void (*)(void))operation, METH_FASTCALL | METH_KEYWORDS,
     "op(name, device or None, results, **arguments): an operation of ATen."},
    {"binary", (PyCFunction)(void (*)(void))binary, METH_FASTCALL, "binary(name, x, y): with promotion."},
    {"unary", (PyCFunction)(void (*)(void))unary, METH_FASTCALL,
     "unary(name, x, floats): where floats, integers are converted first."},
    {"is_complex", is_complex, METH_O, "is_complex(array)"},
    {"cast", (PyCFunction)(void (*)(void))cast, METH_FASTCALL, "cast(array, dtype)"},
    {"sequence", sequence, METH_O, "sequence(x): later arrays of a device have a higher number."},
    {"is_abstract", is_abstract, METH_O, "is_abstract(x): whether it is a placeholder, or made of one."},
    {"same", (PyCFunction)(void (*)(void))same, METH_FASTCALL, "same(x, y): whether two objects are one array."},
    {"gradients", gradients, METH_VARARGS, "gradients(loss, arrays): a list."},
    {"vmap", vmap, METH_VARARGS, "vmap(inputs, batches, outputs): a list of what outputs are for every example."},
    {"function", function_make, METH_VARARGS, "function(inputs, outputs): what calls what was recorded."},
    {"call", function_call, METH_VARARGS, "call(function, inputs, results)"},
    {NULL, NULL, 0, NULL}};
