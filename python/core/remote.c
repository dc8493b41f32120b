/* remote.c: calls of a remote device, for tenfold/remote.py, which writes and reads the messages. Arrays go from and to
 * the memory of buffers. */
#include "core.h"

#include "backend/remote/remote.h"
#include "driver/devices.h"

PyObject *core_remote_call(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  const char *address, *method, *data;
  Py_ssize_t size;
  unsigned long long connection;
  if (!PyArg_ParseTuple(args, "ssy#K", &address, &method, &data, &size, &connection)) return NULL;
  const ten_backend *backend = NULL;
  ten_buf answer = {0};
  const ten_buf request = {(char *)(uintptr_t)data, (size_t)size, (size_t)size};
  uint64_t used = 0;
  ten_status *status;
  Py_BEGIN_ALLOW_THREADS status = ten_remote_open(address, &backend);
  if (!status)
    status = ten_remote_call((remote_device *)(uintptr_t)backend, method, &request, connection, &answer, &used);
  Py_END_ALLOW_THREADS PyObject *result =
      status ? core_raise(state, status)
             : Py_BuildValue("y#K", answer.data ? answer.data : "", (Py_ssize_t)answer.size, (unsigned long long)used);
  ten_buf_free(&answer);
  return result;
}

/* Calls the function that Python gave; what it raises ends with it. */
static void tell(void *user, size_t done, size_t all) {
  const PyGILState_STATE held = PyGILState_Ensure();
  PyObject *result = PyObject_CallFunction(user, "KK", (unsigned long long)done, (unsigned long long)all);
  if (!result) PyErr_WriteUnraisable(user);
  Py_XDECREF(result);
  PyGILState_Release(held);
}

static bool read_shape(PyObject *shape, int64_t *dims, uint32_t *out_rank) {
  const Py_ssize_t rank = PyTuple_Size(shape);
  if (rank < 0) return false;
  if (rank > TEN_RANK_MAX) {
    PyErr_Format(PyExc_ValueError, "an array of %zd dimensions; %d are the most", rank, TEN_RANK_MAX);
    return false;
  }
  for (Py_ssize_t i = 0; i < rank; i++) dims[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
  *out_rank = (uint32_t)rank;
  return !PyErr_Occurred();
}

static ten_status *upload(const char *address, const ten_tensor *tensor, uint64_t connection,
                          const remote_progress *progress, uint64_t *out_number, uint64_t *out_connection) {
  const ten_backend *backend;
  TEN_TRY(ten_remote_open(address, &backend));
  return ten_remote_upload((remote_device *)(uintptr_t)backend, tensor, connection, progress, out_number,
                           out_connection);
}

PyObject *core_remote_upload(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  const char *address, *dtype_name;
  PyObject *shape, *told;
  Py_buffer data;
  unsigned long long connection;
  int64_t dims[TEN_RANK_MAX];
  uint32_t rank;
  if (!PyArg_ParseTuple(args, "ssO!y*KO", &address, &dtype_name, &PyTuple_Type, &shape, &data, &connection, &told))
    return NULL;
  const ten_dtype dtype = ten_dtype_parse(dtype_name, strlen(dtype_name));
  ten_tensor *tensor = NULL;
  uint64_t number = 0, used = 0;
  ten_status *status = NULL;
  if (!read_shape(shape, dims, &rank)) {
    PyBuffer_Release(&data);
    return NULL;
  }
  if (dtype == TEN_DTYPE_NONE)
    status = ten_error(TEN_INVALID, "no type '%s'", dtype_name);
  else
    status = ten_tensor_from_memory(dtype, rank, dims, data.buf, NULL, NULL, &tensor);
  if (!status && tensor->bytes != (size_t)data.len)
    status = ten_error(TEN_INVALID, "%zd bytes, shape and type take %zu", data.len, tensor->bytes);
  const remote_progress progress = {tell, told};
  Py_BEGIN_ALLOW_THREADS if (!status) status =
      upload(address, tensor, connection, told == Py_None ? NULL : &progress, &number, &used);
  Py_END_ALLOW_THREADS ten_tensor_release(tensor);
  PyBuffer_Release(&data);
  if (status) return core_raise(state, status);
  return Py_BuildValue("KK", (unsigned long long)number, (unsigned long long)used);
}

PyObject *core_remote_download(PyObject *module, PyObject *args) {
  const core_state *state = core_state_of(module);
  const char *address;
  PyObject *told;
  Py_buffer data;
  unsigned long long number, connection;
  if (!PyArg_ParseTuple(args, "sKw*KO", &address, &number, &data, &connection, &told)) return NULL;
  const ten_backend *backend = NULL;
  const remote_progress progress = {tell, told};
  ten_status *status;
  Py_BEGIN_ALLOW_THREADS status = ten_remote_open(address, &backend);
  if (!status)
    status = ten_remote_download((remote_device *)(uintptr_t)backend, number, data.buf, (size_t)data.len, connection,
                                 told == Py_None ? NULL : &progress);
  Py_END_ALLOW_THREADS PyBuffer_Release(&data);
  if (status) return core_raise(state, status);
  Py_RETURN_NONE;
}
