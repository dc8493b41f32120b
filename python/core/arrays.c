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
static void release(void *owner) { ten_tensor_release(owner); }

/* The memory as integers that NumPy knows, then as what they stand for. Narrow integers are sign-extended here, and not
 * in ml_dtypes: those are converted. */
static PyObject *as_ml_type(const core_state *state, PyObject *numpy, ten_tensor *tensor, const char *name,
                            bool read_only) {
  const bool narrow = ten_dtype_is_int(tensor->dtype);
  const ten_dtype whole = ten_dtype_bytes(tensor->dtype) == 2                          ? TEN_UI16
                          : narrow && ten_dtype_class(tensor->dtype) == TEN_CLASS_SINT ? TEN_I8
                                                                                       : TEN_UI8;
  PyObject *types = PyImport_ImportModule("ml_dtypes");
  if (!types) {
    if (PyErr_ExceptionMatches(PyExc_ImportError))
      PyErr_Format(PyExc_TypeError, "NumPy has no %s: install ml_dtypes, which adds it", ten_dtype_name(tensor->dtype));
    return NULL;
  }
  PyObject *type = PyObject_GetAttrString(types, name), *memory = NULL, *integers = NULL, *array = NULL;
  Py_DECREF(types);
  if (!type) {
    PyErr_Format(PyExc_TypeError, "this ml_dtypes has no %s", name);
    return NULL;
  }
  ten_tensor *seen = NULL;
  ten_status *status = ten_tensor_from_memory(whole, tensor->rank, tensor->dims, tensor->data, release,
                                              ten_tensor_retain(tensor), &seen);
  if (status) {
    ten_tensor_release(tensor);
    core_raise(state, status);
  } else {
    memory = core_tensor_new(state, seen, read_only);
  }
  if (memory) integers = PyObject_CallMethod(numpy, "asarray", "O", memory);
  if (integers) array = PyObject_CallMethod(integers, narrow ? "astype" : "view", "O", type);
  Py_XDECREF(integers);
  Py_XDECREF(memory);
  Py_DECREF(type);
  return array;
}

PyObject *core_tensor_array(const core_state *state, PyObject *object, ten_tensor *tensor, PyObject *dtype,
                            PyObject *copy) {
  PyObject *numpy = PyImport_ImportModule("numpy"), *array = NULL, *result = NULL;
  if (!numpy) return NULL;
  const char *name = NULL;
  for (size_t i = 0; i < ML_TYPES; i++)
    if (ml_types[i].dtype == tensor->dtype) name = ml_types[i].name;
  PyObject *memory = name ? NULL : PyMemoryView_FromObject(object);
  if (name) array = as_ml_type(state, numpy, tensor, name, core_tensor_is_read_only(object));
  if (memory) array = PyObject_CallMethod(numpy, "asarray", "O", memory);
  Py_XDECREF(memory);
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
