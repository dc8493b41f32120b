/* array.c: arrays as Python objects. What Python's operators do is here, so that an operator costs one call; the
 * functions of the namespace are in python/tenfold/array. */
#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "tensor/internal.h"

static int array_getbuffer(PyObject *object, Py_buffer *view, int flags);

/* Without asking the module: a subclass of Python's has none. */
const core_state *array_state(PyObject *object) {
  if (PyType_GetSlot(Py_TYPE(object), Py_bf_getbuffer) != (void *)array_getbuffer) return NULL;
  return ((array_object *)object)->state;
}

static void array_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  const core_state *state = ((array_object *)object)->state;
  ten_array_release(array_of(object));
  freefunc release =
      state && type == state->array_class ? state->array_free : (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *array_shape(PyObject *object, void *unused) {
  (void)unused;
  const ten_array *array = array_of(object);
  const uint32_t rank = ten_array_rank(array);
  PyObject *shape = PyTuple_New((Py_ssize_t)rank);
  for (uint32_t i = 0; shape && i < rank; i++)
    PyTuple_SetItem(shape, (Py_ssize_t)i, PyLong_FromLongLong(ten_array_dims(array)[i]));
  return shape;
}
static PyObject *array_ndim(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromLong((long)ten_array_rank(array_of(object)));
}
static PyObject *array_size(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromSize_t(ten_array_count(array_of(object)));
}
static PyObject *array_dtype(PyObject *object, void *unused) {
  (void)unused;
  return array_dtype_object(array_state(object), ten_array_dtype(array_of(object)));
}
static PyObject *array_device_object(PyObject *object, void *unused) {
  (void)unused;
  return device_wrap(array_state(object), ten_device_retain(ten_array_device(array_of(object))));
}

/* Computes its array, which the caller releases: while others run, `x[i] = y` may give the object another. NULL: an
 * exception is set. */
static ten_array *array_compute(PyObject *object, const void **out_data) {
  ten_array *array = ten_array_retain(array_of(object));
  ten_status *status;
  Py_BEGIN_ALLOW_THREADS status = ten_array_data(array, out_data);
  Py_END_ALLOW_THREADS if (!status) return array;
  ten_array_release(array);
  core_raise(array_state(object), status);
  return NULL;
}

/* Its memory as a tensor: DLPack, buffers. */
static PyObject *array_tensor(PyObject *object, PyObject *unused) {
  (void)unused;
  const void *data;
  ten_array *array = array_compute(object, &data);
  if (!array) return NULL;
  ten_tensor *value = ten_tensor_retain(tensor_result_of(array)->value);
  ten_array_release(array);
  return core_tensor_new(array_state(object), value, true);
}

static int array_getbuffer(PyObject *object, Py_buffer *view, int flags) {
  PyObject *tensor = array_tensor(object, NULL);
  if (!tensor) return -1;
  const int code = PyObject_GetBuffer(tensor, view, flags);
  Py_DECREF(tensor);
  return code;
}

/* The one element of an array, or NULL with an exception set. */
static PyObject *array_item(PyObject *object, PyObject *unused) {
  (void)unused;
  const size_t count = ten_array_count(array_of(object));
  if (count != 1)
    return PyErr_Format(PyExc_TypeError,
                        "only arrays of one element can be converted to Python numbers; this one has %zu", count);
  const void *data;
  ten_array *array = array_compute(object, &data);
  PyObject *element = array ? array_element(ten_array_dtype(array), data) : NULL;
  ten_array_release(array);
  return element;
}

static PyObject *list_of(const ten_array *array, uint32_t dim, const char **at) {
  if (dim == ten_array_rank(array)) {
    PyObject *element = array_element(ten_array_dtype(array), *at);
    *at += ten_dtype_bytes(ten_array_dtype(array));
    return element;
  }
  const int64_t count = ten_array_dims(array)[dim];
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list && i < count; i++) {
    PyObject *item = list_of(array, dim + 1, at);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) Py_CLEAR(list);
  }
  return list;
}

static PyObject *array_tolist(PyObject *object, PyObject *unused) {
  (void)unused;
  const void *data;
  ten_array *array = array_compute(object, &data);
  const char *at = data;
  PyObject *list = array ? list_of(array, 0, &at) : NULL;
  ten_array_release(array);
  return list;
}

static PyObject *array_tobytes(PyObject *object, PyObject *unused) {
  (void)unused;
  const void *data;
  ten_array *array = array_compute(object, &data);
  if (!array) return NULL;
  const size_t size = ten_array_count(array) * ten_dtype_bytes(ten_array_dtype(array));
  PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
  ten_array_release(array);
  return bytes;
}

static PyObject *array_text(PyObject *object, PyObject *unused) {
  (void)unused;
  char *text;
  ten_status *status;
  ten_array *array = ten_array_retain(array_of(object));
  Py_BEGIN_ALLOW_THREADS status = ten_array_text(array, &text);
  Py_END_ALLOW_THREADS ten_array_release(array);
  if (status) return core_raise(array_state(object), status);
  PyObject *result = PyUnicode_FromString(text);
  free(text);
  return result;
}

/* The array becomes what another is: x[i] = y and its like make a new array of the old one. */
static PyObject *array_become(PyObject *object, PyObject *other) {
  if (!array_is(array_state(object), other)) return PyErr_Format(PyExc_TypeError, "not an array");
  ten_array *old = array_of(object);
  ((array_object *)object)->array = ten_array_retain(array_of(other));
  ten_array_release(old);
  return Py_NewRef(Py_None);
}

static PyMethodDef array_methods[] = {{"_tensor", array_tensor, METH_NOARGS, "Its memory."},
                                      {"item", array_item, METH_NOARGS, "The one element as a Python number."},
                                      {"tolist", array_tolist, METH_NOARGS, "Nested lists of Python numbers."},
                                      {"tobytes", array_tobytes, METH_NOARGS, "The elements as bytes, row by row."},
                                      {"_text", array_text, METH_NOARGS, "The elements as NumPy prints them."},
                                      {"_become", array_become, METH_O, "Takes the place of another array."},
                                      {NULL, NULL, 0, NULL}};
static PyGetSetDef array_getset[] = {{"shape", array_shape, NULL, "Sizes.", NULL},
                                     {"ndim", array_ndim, NULL, "How many dimensions.", NULL},
                                     {"size", array_size, NULL, "How many elements.", NULL},
                                     {"dtype", array_dtype, NULL, "Element type.", NULL},
                                     {"_device", array_device_object, NULL, "Its device.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};

/* bool, unsigned, signed, float, complex */
static int kind_rank(ten_dtype dtype) {
  const ten_dclass class = ten_dtype_class(dtype);
  return class == TEN_CLASS_UINT ? 1 : class == TEN_CLASS_SINT ? 2 : class == TEN_CLASS_BOOL ? 0 : (int)class + 3;
}

#define BINARY(slot, name)                          \
  static PyObject *slot(PyObject *x, PyObject *y) { \
    const core_state *state = array_state(x);       \
    if (!state) state = array_state(y);             \
    return array_binary(state, name, x, y);         \
  }
BINARY(array_add, "add")
BINARY(array_subtract, "sub")
BINARY(array_multiply, "mul")
BINARY(array_divide, "div")
BINARY(array_floor_divide, "floor_divide")
BINARY(array_remainder, "remainder")
BINARY(array_and, "bitwise_and")
BINARY(array_or, "bitwise_or")
BINARY(array_xor, "bitwise_xor")
BINARY(array_lshift, "bitwise_left_shift")
BINARY(array_rshift, "bitwise_right_shift")
BINARY(array_matmul, "matmul")

static PyObject *array_power(PyObject *x, PyObject *y, PyObject *modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  const core_state *state = array_state(x);
  if (!state) state = array_state(y);
  return array_binary(state, "pow", x, y);
}

static void type_print(ten_buf *out, const ten_array *array) {
  ten_buf_printf(out, "%s ", tensor_dtype_name(ten_array_dtype(array)));
  tensor_shape_print(out, ten_array_rank(array), ten_array_dims(array));
}

/* `operator` is that of x op y. */
static PyObject *in_place_error(const ten_array *x, const ten_array *made, const char *operator, PyObject * type) {
  ten_buf from = {0}, to = {0};
  type_print(&from, x);
  type_print(&to, made);
  PyErr_Format(type, "x %s= y would make %s of %s: write x = x %s y", operator, to.data, from.data, operator);
  ten_buf_free(&from);
  ten_buf_free(&to);
  return NULL;
}

/* x op= y keeps the type and the shape of x: `made`, which it takes, is x op y. A type of a lower kind is cast to that
 * of x, as NumPy's "same_kind" has it. */
static PyObject *in_place(PyObject *x, PyObject *made, const char *operator) {
  const core_state *state = array_state(x);
  if (!made || made == Py_NotImplemented) return made;
  ten_array *old = array_of(x), *new = array_of(made), *cast = NULL;
  const ten_dtype dtype = ten_array_dtype(old);
  const uint32_t rank = ten_array_rank(old);
  const bool shaped = ten_array_rank(new) == rank &&
                      (!rank || !memcmp(ten_array_dims(new), ten_array_dims(old), rank * sizeof(int64_t)));
  if (shaped && ten_array_dtype(new) == dtype) return made;
  ten_status *status = NULL;
  PyObject *result = NULL;
  if (!shaped)
    in_place_error(old, new, operator, PyExc_ValueError);
  else if (kind_rank(ten_array_dtype(new)) > kind_rank(dtype))
    in_place_error(old, new, operator, PyExc_TypeError);
  else if ((status = ten_array_cast(new, dtype, &cast)))
    core_raise(state, status);
  else
    result = array_wrap(state, cast);
  Py_DECREF(made);
  return result;
}

#define IN_PLACE(slot, of, operator) \
  static PyObject *slot(PyObject *x, PyObject *y) { return in_place(x, of(x, y), operator); }
IN_PLACE(array_iadd, array_add, "+")
IN_PLACE(array_isubtract, array_subtract, "-")
IN_PLACE(array_imultiply, array_multiply, "*")
IN_PLACE(array_idivide, array_divide, "/")
IN_PLACE(array_ifloor_divide, array_floor_divide, "//")
IN_PLACE(array_iremainder, array_remainder, "%")
IN_PLACE(array_iand, array_and, "&")
IN_PLACE(array_ior, array_or, "|")
IN_PLACE(array_ixor, array_xor, "^")
IN_PLACE(array_ilshift, array_lshift, "<<")
IN_PLACE(array_irshift, array_rshift, ">>")
IN_PLACE(array_imatmul, array_matmul, "@")
static PyObject *array_ipower(PyObject *x, PyObject *y, PyObject *modulus) {
  return in_place(x, array_power(x, y, modulus), "**");
}

#define UNARY(slot, name) \
  static PyObject *slot(PyObject *x) { return array_unary(array_state(x), name, x); }
UNARY(array_negative, "neg")
UNARY(array_absolute, "abs")
UNARY(array_invert, "bitwise_not")
static PyObject *array_positive(PyObject *x) { return array_wrap(array_state(x), ten_array_retain(array_of(x))); }

static PyObject *array_compare(PyObject *x, PyObject *y, int op) {
  static const char *const names[] = {
      [Py_LT] = "lt", [Py_LE] = "le", [Py_EQ] = "eq", [Py_NE] = "ne", [Py_GT] = "gt", [Py_GE] = "ge"};
  return array_binary(array_state(x), names[op], x, y);
}

static int array_bool(PyObject *object) {
  const size_t count = ten_array_count(array_of(object));
  if (count != 1) {
    PyErr_SetString(PyExc_ValueError,
                    count ? "the truth value of an array with more than one element is ambiguous; use any() or all()"
                          : "the truth value of an array without elements is ambiguous; use its size");
    return -1;
  }
  PyObject *item = array_item(object, NULL);
  const int truth = item ? PyObject_IsTrue(item) : -1;
  Py_XDECREF(item);
  return truth;
}

static PyObject *array_float(PyObject *object) {
  PyObject *item = array_item(object, NULL), *number = item ? PyNumber_Float(item) : NULL;
  Py_XDECREF(item);
  return number;
}
static PyObject *array_int(PyObject *object) {
  PyObject *item = array_item(object, NULL), *number = item ? PyNumber_Long(item) : NULL;
  Py_XDECREF(item);
  return number;
}
static PyObject *array_index(PyObject *object) {
  const ten_dtype dtype = ten_array_dtype(array_of(object));
  if (ten_array_rank(array_of(object)) || !ten_dtype_is_int(dtype))
    return PyErr_Format(PyExc_TypeError, "only integer arrays without dimensions can be an index");
  return array_item(object, NULL);
}
static Py_ssize_t array_length(PyObject *object) {
  if (ten_array_rank(array_of(object))) return (Py_ssize_t)ten_array_dims(array_of(object))[0];
  PyErr_SetString(PyExc_TypeError, "len() of an array without dimensions");
  return -1;
}

static PyType_Slot array_slots[] = {{Py_tp_dealloc, array_dealloc},
                                    {Py_tp_methods, array_methods},
                                    {Py_tp_getset, array_getset},
                                    {Py_bf_getbuffer, array_getbuffer},
                                    {Py_nb_add, array_add},
                                    {Py_nb_subtract, array_subtract},
                                    {Py_nb_multiply, array_multiply},
                                    {Py_nb_true_divide, array_divide},
                                    {Py_nb_floor_divide, array_floor_divide},
                                    {Py_nb_remainder, array_remainder},
                                    {Py_nb_power, array_power},
                                    {Py_nb_matrix_multiply, array_matmul},
                                    {Py_nb_and, array_and},
                                    {Py_nb_or, array_or},
                                    {Py_nb_xor, array_xor},
                                    {Py_nb_lshift, array_lshift},
                                    {Py_nb_rshift, array_rshift},
                                    {Py_nb_inplace_add, array_iadd},
                                    {Py_nb_inplace_subtract, array_isubtract},
                                    {Py_nb_inplace_multiply, array_imultiply},
                                    {Py_nb_inplace_true_divide, array_idivide},
                                    {Py_nb_inplace_floor_divide, array_ifloor_divide},
                                    {Py_nb_inplace_remainder, array_iremainder},
                                    {Py_nb_inplace_power, array_ipower},
                                    {Py_nb_inplace_matrix_multiply, array_imatmul},
                                    {Py_nb_inplace_and, array_iand},
                                    {Py_nb_inplace_or, array_ior},
                                    {Py_nb_inplace_xor, array_ixor},
                                    {Py_nb_inplace_lshift, array_ilshift},
                                    {Py_nb_inplace_rshift, array_irshift},
                                    {Py_nb_negative, array_negative},
                                    {Py_nb_positive, array_positive},
                                    {Py_nb_absolute, array_absolute},
                                    {Py_nb_invert, array_invert},
                                    {Py_nb_bool, array_bool},
                                    {Py_nb_float, array_float},
                                    {Py_nb_int, array_int},
                                    {Py_nb_index, array_index},
                                    {Py_mp_length, array_length},
                                    {Py_tp_richcompare, array_compare},
                                    {Py_tp_hash, PyObject_HashNotImplemented},
                                    {Py_tp_doc, "What tenfold.Array is made of."},
                                    {0, NULL}};
PyType_Spec core_array_spec = {"tenfold._core.Array", sizeof(array_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               array_slots};
