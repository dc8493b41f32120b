/* core.c: the extension module tenfold._core: what Python needs of the library, and no more. */
#include "core.h"

#include "backend/cache.h"
#include "driver/devices.h"
#include "tenfold/custom.h"
#include "tenfold/version.h"

static PyModuleDef core_module;

static PyObject *core_devices(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  PyObject *list = PyList_New(0);
  for (const ten_backend *const *backend = ten_backends; list && *backend; backend++) {
    if ((*backend)->internal) continue;
    PyObject *name = PyUnicode_FromString((*backend)->name);
    if (!name || PyList_Append(list, name)) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *core_knows(PyObject *module, PyObject *name) {
  (void)module;
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  return text ? PyBool_FromLong(ten_aten_knows(ten_str_of(text))) : NULL;
}

static PyObject *core_register_kernel(PyObject *module, PyObject *args) {
  const char *name;
  unsigned long long address;
  if (!PyArg_ParseTuple(args, "sK", &name, &address)) return NULL;
  ten_status *status = ten_register_kernel(name, (ten_kernel)(uintptr_t)address, NULL);
  return status ? core_raise(core_state_of(module), status) : Py_NewRef(Py_None);
}

static PyMethodDef core_methods[] = {
    {"load", core_load, METH_O, "load(path): a Program from a .pt2 archive, MLIR bytecode or text."},
    {"graph", core_graph, METH_O,
     "graph(json): a Program from one graph in torch.export's schema; every graph input is an input."},
    {"parse", core_parse, METH_O, "parse(text): a Program from MLIR text or bytecode."},
    {"set_exchange", core_set_exchange, METH_O,
     "set_exchange(capsule): the framework whose tensors Executable.run takes, by DLPack's C functions."},
    {"watch", core_watch, METH_VARARGS,
     "watch(begin, end): Executable.run calls begin(name) and end() around itself and each step; None: no more."},
    {"register_kernel", core_register_kernel, METH_VARARGS,
     "register_kernel(name, address): a C function (tenfold/custom.h) that custom_call @name runs."},
    {"remote_call", core_remote_call, METH_VARARGS,
     "remote_call(address, method, request, connection): the answer of a remote device, and the connection."},
    {"remote_upload", core_remote_upload, METH_VARARGS,
     "remote_upload(address, dtype, shape, data, connection, progress): the number of an array there, and the connection."},
    {"remote_download", core_remote_download, METH_VARARGS,
     "remote_download(address, number, data, connection, progress): fetches an array into a writable buffer."},
    {"views", core_views, METH_VARARGS,
     "views(block, words): tensors in the memory of the tensor `block`, and their addresses. `words` are those of all "
     "views as bytes of i64: offset in bytes, DLPack's type as code * 256 + bits, rank, sizes, strides."},
    {"enqueue_counts", core_enqueue_counts, METH_O,
     "enqueue_counts(reset): what the host did in all calls of Executable.enqueue, as a dict."},
    {"devices", core_devices, METH_NOARGS, "Names of the devices programs can be compiled for."},
    {"knows", core_knows, METH_O, "knows(name): whether an op such as 'aten.add.Tensor' has a lowering."},
    {NULL, NULL, 0, NULL}};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out) {
  *out = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *out ? PyModule_AddType(module, *out) : -1;
}

/* Programs are compiled each time where the cache is not used. */
static int warn_of_cache(void) {
  ten_status *status = ten_cache_check();
  const bool refused = status && ten_status_code(status) == TEN_INVALID;
  const int code = refused ? PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "tenfold: %s", ten_status_message(status)) : 0;
  ten_status_free(status);
  return code;
}

static int core_exec(PyObject *module) {
  core_state *state = core_state_of(module);
  state->error = PyErr_NewExceptionWithDoc("tenfold.Error", "What went wrong, and where.", PyExc_RuntimeError, NULL);
  if (!state->error || PyModule_AddObjectRef(module, "Error", state->error)) return -1;
  state->unsupported = PyErr_NewExceptionWithDoc("tenfold.UnsupportedError",
                                                 "Right, but not something this build can do.", state->error, NULL);
  if (!state->unsupported || PyModule_AddObjectRef(module, "UnsupportedError", state->unsupported)) return -1;
  PyObject *bases = PyTuple_Pack(2, PyExc_IndexError, state->error); /* eager mode raises now one, now the other */
  state->index_error =
      bases ? PyErr_NewExceptionWithDoc("tenfold.OutOfRangeError", "An index is out of range.", bases, NULL) : NULL;
  Py_XDECREF(bases);
  if (!state->index_error || PyModule_AddObjectRef(module, "OutOfRangeError", state->index_error)) return -1;
  if (add_type(module, &core_program_spec, &state->program) ||
      add_type(module, &core_executable_spec, &state->executable) ||
      add_type(module, &core_parts_spec, &state->parts) || add_type(module, &core_tensor_spec, &state->tensor) ||
      add_type(module, &core_recorder_spec, &state->recorder) || add_type(module, &core_value_spec, &state->value) ||
      add_type(module, &core_array_spec, &state->array) || add_type(module, &core_device_spec, &state->device) ||
      add_type(module, &core_dtype_spec, &state->dtype) || add_type(module, &core_sizes_spec, &state->sizes))
    return -1;
  if (core_array_dtypes(module, state) || PyModule_AddFunctions(module, core_array_value_functions) ||
      PyModule_AddFunctions(module, core_array_op_functions) ||
      PyModule_AddFunctions(module, core_array_file_functions))
    return -1;
  state->sites = core_sites_create();
  if (!state->sites) return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
  state->workspace = ten_workspace_create(ten_backend_default());
  if (warn_of_cache()) return -1;
  return PyModule_AddStringConstant(module, "version", TENFOLD_VERSION);
}

static int core_traverse(PyObject *module, visitproc visit, void *arg) {
  core_state *state = core_state_of(module);
  Py_VISIT(state->error);
  Py_VISIT(state->unsupported);
  Py_VISIT(state->index_error);
  Py_VISIT(state->program);
  Py_VISIT(state->executable);
  Py_VISIT(state->parts);
  Py_VISIT(state->tensor);
  Py_VISIT(state->recorder);
  Py_VISIT(state->value);
  Py_VISIT(state->array);
  Py_VISIT(state->device);
  Py_VISIT(state->dtype);
  Py_VISIT(state->sizes);
  Py_VISIT(state->array_class);
  for (size_t i = 0; i < sizeof state->dtypes / sizeof *state->dtypes; i++) Py_VISIT(state->dtypes[i]);
  return 0;
}

static int core_clear(PyObject *module) {
  core_state *state = core_state_of(module);
  Py_CLEAR(state->error);
  Py_CLEAR(state->unsupported);
  Py_CLEAR(state->index_error);
  Py_CLEAR(state->program);
  Py_CLEAR(state->executable);
  Py_CLEAR(state->parts);
  Py_CLEAR(state->tensor);
  Py_CLEAR(state->recorder);
  Py_CLEAR(state->value);
  Py_CLEAR(state->array);
  Py_CLEAR(state->device);
  Py_CLEAR(state->dtype);
  Py_CLEAR(state->sizes);
  Py_CLEAR(state->array_class);
  for (size_t i = 0; i < sizeof state->dtypes / sizeof *state->dtypes; i++) Py_CLEAR(state->dtypes[i]);
  return 0;
}

static void core_free(void *module) {
  core_state *state = PyModule_GetState(module);
  if (!state) return;
  core_sites_free(state->sites);
  state->sites = NULL;
  ten_workspace_release(state->workspace);
  state->workspace = NULL;
}

static PyModuleDef_Slot core_slots[] = {{Py_mod_exec, core_exec}, {0, NULL}};
static PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,        .m_name = "tenfold._core", .m_doc = "The Tenfold library.",
    .m_size = sizeof(core_state), .m_methods = core_methods, .m_slots = core_slots,
    .m_traverse = core_traverse,  .m_clear = core_clear,     .m_free = core_free};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&core_module); }
