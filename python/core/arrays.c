/* arrays.c: NumPy arrays that DLPack has no words for: those of the types that ml_dtypes adds to NumPy (bf16, floats of
 * 8 bits and fewer, integers of 2 and 4), and those that are read-only. Both packages are imported by name, when such
 * an array comes or is wanted. */
#include <string.h>

#include "core.h"

static const struct {
  ten_dtype dtype;
  const char *name;
} ml_types[] = {
    {TEN_I2, "int2"},
    {TEN_I4, "int4"},
    {TEN_UI2, "uint2"},
    {TEN_UI4, "uint4"},
    {TEN_F4E2M1FN, "float4_e2m1fn"},
    {TEN_F6E2M3FN, "float6_e2m3fn"},
    {TEN_F6E3M2FN, "float6_e3m2fn"},
    {TEN_F8E3M4, "float8_e3m4"},
    {TEN_F8E4M3, "float8_e4m3"},
    {TEN_F8E4M3B11FNUZ, "float8_e4m3b11fnuz"},
    {TEN_F8E4M3FN, "float8_e4m3fn"},
    {TEN_F8E4M3FNUZ, "float8_e4m3fnuz"},
    {TEN_F8E5M2, "float8_e5m2"},
    {TEN_F8E5M2FNUZ, "float8_e5m2fnuz"},
    {TEN_F8E8M0FNU, "float8_e8m0fnu"},
    {TEN_BF16, "bfloat16"},
};
enum { ML_TYPES = sizeof ml_types / sizeof *ml_types };

/* The attribute of an attribute; takes no reference and gives one. */
static PyObject *attribute(PyObject *object, const char *first, const char *second) {
  PyObject *between = PyObject_GetAttrString(object, first);
  PyObject *found = between ? PyObject_GetAttrString(between, second) : NULL;
  Py_XDECREF(between);
  return found;
}

/* ---- in ---- */
static ten_dtype type_of(PyObject *array) {
  PyObject *name = attribute(array, "dtype", "name");
  const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  ten_dtype dtype = TEN_DTYPE_NONE;
  for (size_t i = 0; text && i < ML_TYPES; i++)
    if (!strcmp(ml_types[i].name, text)) dtype = ml_types[i].dtype;
  Py_XDECREF(name);
  return dtype;
}

PyObject *core_array_capsule(PyObject *array, ten_dtype *dtype) {
  *dtype = type_of(array);
  PyObject *writable = PyErr_Occurred() ? NULL : attribute(array, "flags", "writeable");
  const int in_place = writable ? PyObject_IsTrue(writable) : -1;
  Py_XDECREF(writable);
  if (in_place < 0) return NULL;
  const char *whole = *dtype == TEN_DTYPE_NONE ? NULL : ten_dtype_bytes(*dtype) == 2 ? "uint16" : "uint8";
  PyObject *seen = whole ? PyObject_CallMethod(array, "view", "s", whole) : Py_NewRef(array);
  if (seen && !in_place) {
    PyObject *copy = PyObject_CallMethod(seen, "copy", NULL);
    Py_DECREF(seen);
    seen = copy;
  }
  PyObject *capsule = seen ? PyObject_CallMethod(seen, "__dlpack__", NULL) : NULL;
  Py_XDECREF(seen);
  return capsule;
}

/* ---- out ---- */
static const char *ml_name(ten_dtype dtype) {
  for (size_t i = 0; i < ML_TYPES; i++)
    if (ml_types[i].dtype == dtype) return ml_types[i].name;
  return NULL;
}

ten_dtype core_array_carrier(ten_dtype dtype) {
  if (!ml_name(dtype)) return TEN_DTYPE_NONE;
  if (ten_dtype_bytes(dtype) == 2) return TEN_UI16;
  return ten_dtype_is_int(dtype) && ten_dtype_class(dtype) == TEN_CLASS_SINT ? TEN_I8 : TEN_UI8;
}

/* Integers as what they stand for. Narrow integers are sign-extended here, and not in ml_dtypes: those are converted.
 */
static PyObject *as_ml_type(PyObject *integers, ten_dtype dtype, const char *name) {
  PyObject *types = PyImport_ImportModule("ml_dtypes");
  if (!types) {
    if (PyErr_ExceptionMatches(PyExc_ImportError))
      PyErr_Format(PyExc_TypeError, "NumPy has no %s: install ml_dtypes, which adds it", ten_dtype_name(dtype));
    return NULL;
  }
  PyObject *type = PyObject_GetAttrString(types, name);
  Py_DECREF(types);
  if (!type) return PyErr_Format(PyExc_TypeError, "this ml_dtypes has no %s", name);
  PyObject *array = PyObject_CallMethod(integers, ten_dtype_is_int(dtype) ? "astype" : "view", "O", type);
  Py_DECREF(type);
  return array;
}

PyObject *core_array_of(PyObject *memory, ten_dtype meant, PyObject *dtype, PyObject *copy) {
  PyObject *numpy = PyImport_ImportModule("numpy"), *result = NULL;
  if (!numpy) return NULL;
  PyObject *array = PyObject_CallMethod(numpy, "asarray", "O", memory);
  const char *name = ml_name(meant);
  if (array && name) {
    PyObject *integers = array;
    array = as_ml_type(integers, meant, name);
    Py_DECREF(integers);
  }
  PyObject *make = array ? PyObject_GetAttrString(numpy, "array") : NULL;
  PyObject *args = make ? Py_BuildValue("(OO)", array, dtype) : NULL;
  PyObject *options = args ? Py_BuildValue("{sO}", "copy", copy) : NULL;
  if (options) result = PyObject_Call(make, args, options);
  Py_XDECREF(options);
  Py_XDECREF(args);
  Py_XDECREF(make);
  Py_XDECREF(array);
  Py_DECREF(numpy);
  return result;
}
