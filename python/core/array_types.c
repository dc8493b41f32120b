/* array_types.c: element types and devices as Python objects, and the object of an array: what the other files of
 * arrays make theirs of. */
#include "array.h"
#include "tensor/internal.h"

static const ten_dtype dtypes[] = {TEN_I1,   TEN_I8,  TEN_I16,  TEN_I32, TEN_I64, TEN_UI8, TEN_UI16, TEN_UI32,
                                   TEN_UI64, TEN_F16, TEN_BF16, TEN_F32, TEN_F64, TEN_C64, TEN_C128};

/* ---- element types ---- */
PyObject *array_dtype_object(const core_state *state, ten_dtype dtype) {
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
    if (dtypes[i] == dtype) return Py_NewRef(state->dtypes[i]);
  return PyErr_Format(state->error, "no dtype for %s", ten_dtype_name(dtype));
}

ten_dtype array_dtype_of(const core_state *state, PyObject *object) {
  if (PyObject_TypeCheck(object, state->dtype)) return ((dtype_object *)object)->dtype;
  if (object == (PyObject *)&PyBool_Type) return TEN_I1;
  if (object == (PyObject *)&PyLong_Type) return TEN_I64;
  if (object == (PyObject *)&PyFloat_Type) return TEN_F64;
  if (object == (PyObject *)&PyComplex_Type) return TEN_C128;
  PyErr_Format(PyExc_TypeError, "an element type is one of tenfold's, such as tenfold.float32, not %R", object);
  return TEN_DTYPE_NONE;
}

int core_array_dtypes(PyObject *module, core_state *state) {
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    dtype_object *object = PyObject_New(dtype_object, state->dtype);
    if (!object) return -1;
    object->dtype = dtypes[i];
    state->dtypes[i] = (PyObject *)object;
    char name[32];
    PyOS_snprintf(name, sizeof name, "dtype_%s", tensor_dtype_name(dtypes[i]));
    if (PyModule_AddObjectRef(module, name, (PyObject *)object)) return -1;
  }
  return 0;
}

static PyObject *dtype_repr(PyObject *object) {
  return PyUnicode_FromFormat("tenfold.%s", tensor_dtype_name(((dtype_object *)object)->dtype));
}
static PyObject *dtype_get_name(PyObject *object, void *unused) {
  (void)unused;
  return PyUnicode_FromString(tensor_dtype_name(((dtype_object *)object)->dtype));
}
static PyObject *dtype_get_itemsize(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromSize_t(ten_dtype_bytes(((dtype_object *)object)->dtype));
}
static PyObject *dtype_get_kind(PyObject *object, void *unused) {
  (void)unused;
  static const char *const kinds[] = {"bool", "signed integer", "unsigned integer", "real floating",
                                      "complex floating"};
  return PyUnicode_FromString(kinds[ten_dtype_class(((dtype_object *)object)->dtype)]);
}
static PyObject *dtype_reduce(PyObject *object, PyObject *unused) {
  (void)unused;
  PyObject *package = PyImport_ImportModule("tenfold.array.dtypes");
  PyObject *make = package ? PyObject_GetAttrString(package, "named") : NULL;
  Py_XDECREF(package);
  return make ? Py_BuildValue("N(s)", make, tensor_dtype_name(((dtype_object *)object)->dtype)) : NULL;
}
static PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, "For pickle."}, {NULL, NULL, 0, NULL}};
static PyGetSetDef dtype_getset[] = {{"name", dtype_get_name, NULL, "As the array API names it.", NULL},
                                     {"itemsize", dtype_get_itemsize, NULL, "Bytes of an element.", NULL},
                                     {"kind", dtype_get_kind, NULL, "As isdtype names it.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot dtype_slots[] = {{Py_tp_repr, dtype_repr},
                                    {Py_tp_getset, dtype_getset},
                                    {Py_tp_methods, dtype_methods},
                                    {Py_tp_doc, "An element type."},
                                    {0, NULL}};
PyType_Spec core_dtype_spec = {"tenfold._core.DType", sizeof(dtype_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, dtype_slots};

/* ---- devices ---- */
PyObject *device_wrap(const core_state *state, ten_device *device) {
  device_object *object = PyObject_New(device_object, state->device);
  if (object)
    object->device = device, object->state = state;
  else
    ten_device_release(device);
  return (PyObject *)object;
}

static void device_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  ten_device_release(((device_object *)object)->device);
  PyObject_Free(object);
  Py_DECREF(type);
}
static PyObject *device_repr(PyObject *object) {
  return PyUnicode_FromFormat("<tenfold.Device %s>", ten_device_get_name(((device_object *)object)->device));
}
/* Two objects of one device are equal. */
static PyObject *device_compare(PyObject *x, PyObject *y, int op) {
  if (Py_TYPE(x) != Py_TYPE(y) || (op != Py_EQ && op != Py_NE)) return Py_NewRef(Py_NotImplemented);
  const bool same = ((device_object *)x)->device == ((device_object *)y)->device;
  return PyBool_FromLong(same == (op == Py_EQ));
}
static Py_hash_t device_hash(PyObject *object) {
  return (Py_hash_t)((uintptr_t)((device_object *)object)->device >> 4);
}
static PyObject *device_name(PyObject *object, void *unused) {
  (void)unused;
  return PyUnicode_FromString(ten_device_get_name(((device_object *)object)->device));
}
static PyObject *device_kind(PyObject *object, void *unused) {
  (void)unused;
  return PyUnicode_FromString(ten_device_get_kind(((device_object *)object)->device));
}
static PyObject *device_index(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromUnsignedLong(ten_device_get_index(((device_object *)object)->device));
}
static PyObject *device_description(PyObject *object, void *unused) {
  (void)unused;
  return PyUnicode_FromString(ten_device_get_description(((device_object *)object)->device));
}
static PyObject *device_stats(PyObject *object, PyObject *unused) {
  (void)unused;
  ten_device_stats stats = {.size = sizeof stats};
  ten_status *status = ten_device_get_stats(((device_object *)object)->device, &stats);
  if (status) return core_raise(((device_object *)object)->state, status);
  return Py_BuildValue("{s:n,s:n,s:n,s:n,s:K,s:K,s:K,s:K,s:n,s:n,s:n,s:n,s:n,s:K,s:K}", "bytes",
                       (Py_ssize_t)stats.bytes, "bytes_peak", (Py_ssize_t)stats.bytes_peak, "pending",
                       (Py_ssize_t)stats.pending, "programs", (Py_ssize_t)stats.programs, "recorded", stats.recorded,
                       "runs", stats.runs, "compiled", stats.compiled, "interpreted_runs", stats.interpreted_runs,
                       "pool_used", (Py_ssize_t)stats.pool_used, "pool_used_peak", (Py_ssize_t)stats.pool_used_peak,
                       "pool_reserved", (Py_ssize_t)stats.pool_reserved, "pool_reserved_peak",
                       (Py_ssize_t)stats.pool_reserved_peak, "memory_limit", (Py_ssize_t)stats.memory_limit,
                       "allocations", stats.allocations, "reused", stats.reused);
}
static PyObject *device_set_memory_limit(PyObject *object, PyObject *bytes) {
  const size_t limit = bytes == Py_None ? 0 : PyLong_AsSize_t(bytes);
  if (PyErr_Occurred()) return NULL;
  if (bytes != Py_None && !limit) return PyErr_Format(PyExc_ValueError, "a limit is at least 1 byte; None: no limit");
  ten_device_set_memory_limit(((device_object *)object)->device, limit);
  return Py_NewRef(Py_None);
}
static PyObject *device_trim(PyObject *object, PyObject *args) {
  Py_ssize_t keep = 0;
  if (!PyArg_ParseTuple(args, "|n", &keep)) return NULL;
  if (keep < 0) return PyErr_Format(PyExc_ValueError, "trim(keep): %zd bytes cannot be left", keep);
  return PyLong_FromSize_t(ten_device_trim(((device_object *)object)->device, (size_t)keep));
}
static PyObject *device_synchronize(PyObject *object, PyObject *unused) {
  (void)unused;
  ten_status *status;
  Py_BEGIN_ALLOW_THREADS status = ten_device_synchronize(((device_object *)object)->device);
  Py_END_ALLOW_THREADS return status ? core_raise(((device_object *)object)->state, status) : Py_NewRef(Py_None);
}
static PyObject *device_tape(PyObject *object, PyObject *on) {
  if (PyObject_IsTrue(on))
    ten_tape_begin(((device_object *)object)->device);
  else
    ten_tape_end(((device_object *)object)->device);
  return Py_NewRef(Py_None);
}
static PyMethodDef device_methods[] = {
    {"stats", device_stats, METH_NOARGS, "Counts: memory in use and at most, operations recorded and pending, runs."},
    {"set_memory_limit", device_set_memory_limit, METH_O,
     "set_memory_limit(bytes): what its arrays may take together from now on; None: no limit."},
    {"trim", device_trim, METH_VARARGS,
     "trim(keep=0): gives free memory to the system until at most so many bytes are left; how many went."},
    {"synchronize", device_synchronize, METH_NOARGS, "Runs everything that was recorded."},
    {"_tape", device_tape, METH_O, "Begins (True) or ends (False) a tape."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef device_getset[] = {{"name", device_name, NULL, "What it was opened by.", NULL},
                                      {"kind", device_kind, NULL, "Its name without a number.", NULL},
                                      {"index", device_index, NULL, "Its number among those of its kind.", NULL},
                                      {"description", device_description, NULL, "What it runs on.", NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot device_slots[] = {{Py_tp_dealloc, device_dealloc},     {Py_tp_repr, device_repr},
                                     {Py_tp_methods, device_methods},     {Py_tp_getset, device_getset},
                                     {Py_tp_richcompare, device_compare}, {Py_tp_hash, device_hash},
                                     {Py_tp_doc, "A device of arrays."},  {0, NULL}};
PyType_Spec core_device_spec = {"tenfold._core.Device", sizeof(device_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, device_slots};

/* ---- arrays ---- */
static bool is_large(const ten_array *array) {
  const tensor_result *result = tensor_result_of(array);
  size_t bytes = ten_dtype_bytes(result->dtype);
  for (uint32_t i = 0; i < result->rank; i++) bytes *= (size_t)result->dims[i]; /* a shape that was checked */
  return bytes >= TENSOR_HOLDER_BYTES;
}

PyObject *array_wrap(const core_state *state, ten_array *array) {
  PyTypeObject *type = state->array_class ? state->array_class : state->array;
  allocfunc allocate = state->array_class ? state->array_alloc : (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  array_object *object = (array_object *)allocate(type, 0);
  if (!object) {
    ten_array_release(array);
    return NULL;
  }
  object->array = array;
  object->state = state;
  if (array->node->checked || is_large(array)) core_site_set(state, array);
  return (PyObject *)object;
}
