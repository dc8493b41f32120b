/* array_files.c: arrays by name in a safetensors file. */
#include "array.h"

#include <stdlib.h>

#include "train/safetensors.h"

static void release_all(ten_named_tensor *named, size_t count) {
  for (size_t i = 0; i < count; i++) ten_tensor_release((ten_tensor *)named[i].tensor);
  free(named);
}

/* The array's value as a tensor that borrows its memory; -1: an exception is set. */
static int name_tensor(const core_state *state, PyObject *key, PyObject *object, ten_named_tensor *out) {
  Py_ssize_t size;
  const char *text = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &size) : NULL;
  if (!text || !array_is(state, object)) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "not a dict of arrays by name: %R: %R", key, Py_TYPE(object));
    return -1;
  }
  ten_array *array = array_of(object);
  const void *data;
  ten_tensor *tensor;
  ten_status *status = ten_array_data(array, &data);
  if (!status)
    status = ten_tensor_from_memory(ten_array_dtype(array), ten_array_rank(array), ten_array_dims(array), (void *)data,
                                    NULL, NULL, &tensor);
  if (status) {
    core_raise(state, status);
    return -1;
  }
  *out = (ten_named_tensor){{text, (size_t)size}, tensor};
  return 0;
}

/* save_arrays(path, arrays): a dict of arrays by name. */
static PyObject *save_arrays(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *path, *arrays, *key, *object;
  if (!PyArg_ParseTuple(args, "O&O!", PyUnicode_FSConverter, &path, &PyDict_Type, &arrays)) return NULL;
  const size_t count = (size_t)PyDict_Size(arrays);
  ten_named_tensor *named = calloc(count ? count : 1, sizeof *named);
  size_t made = 0;
  Py_ssize_t at = 0;
  if (!named) PyErr_NoMemory();
  while (named && PyDict_Next(arrays, &at, &key, &object))
    if (name_tensor(state, key, object, &named[made]))
      break;
    else
      made++;
  ten_status *status = NULL;
  if (!PyErr_Occurred()) status = ten_safetensors_write(PyBytes_AsString(path), named, count, NULL, 0);
  release_all(named, made);
  Py_DECREF(path);
  if (status) return core_raise(state, status);
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static int add_array(const core_state *state, const ten_safetensors *file, ten_str name, ten_device *device,
                     PyObject *arrays) {
  ten_tensor *tensor;
  ten_array *array = NULL;
  ten_status *status = ten_safetensors_get(file, name, &tensor);
  if (!status) {
    status = ten_array_create(device, tensor->dtype, tensor->rank, tensor->dims, tensor->data, tensor->bytes, &array);
    ten_tensor_release(tensor);
  }
  if (status) {
    core_raise(state, status);
    return -1;
  }
  PyObject *key = PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size), *object = array_wrap(state, array);
  const int failed = !key || !object || PyDict_SetItem(arrays, key, object);
  Py_XDECREF(key);
  Py_XDECREF(object);
  return failed ? -1 : 0;
}

/* load_arrays(path, device): a dict of arrays by name, copied out of the file. */
static PyObject *load_arrays(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  PyObject *path, *device;
  if (!PyArg_ParseTuple(args, "O&O!", PyUnicode_FSConverter, &path, state->device, &device)) return NULL;
  ten_safetensors *file;
  ten_status *status = ten_safetensors_open(PyBytes_AsString(path), &file);
  Py_DECREF(path);
  if (status) return core_raise(state, status);
  PyObject *arrays = PyDict_New();
  ten_str name = {0};
  while (arrays && (name = ten_safetensors_next(file, name)).data)
    if (add_array(state, file, name, ((device_object *)device)->device, arrays)) Py_CLEAR(arrays);
  ten_safetensors_close(file);
  return arrays;
}

PyMethodDef core_array_file_functions[] = {{"save_arrays", save_arrays, METH_VARARGS, NULL},
                                           {"load_arrays", load_arrays, METH_VARARGS, NULL},
                                           {NULL, NULL, 0, NULL}};
