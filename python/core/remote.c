/* remote.c: calls of a remote device, for tenfold/remote.py, which writes and reads the messages. */
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
