/* tensor.c: values in and out of Python by DLPack, without copies. What is not contiguous is copied once, here. */
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "core.h"

typedef struct tensor_object {
  PyObject_HEAD ten_tensor *tensor; /* owned reference */
  bool read_only;
} tensor_object;

/* ---- out ---- */
PyObject *core_tensor_new(const core_state *state, ten_tensor *tensor, bool read_only) {
  tensor_object *self = PyObject_New(tensor_object, state->tensor);
  if (!self) {
    ten_tensor_release(tensor);
    return NULL;
  }
  self->tensor = tensor;
  self->read_only = read_only;
  return (PyObject *)self;
}

static void tensor_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  ten_tensor_release(((tensor_object *)object)->tensor);
  PyObject_Free(object);
  Py_DECREF(type);
}

static void managed_delete(dl_managed *managed) {
  ten_tensor_release(managed->context);
  free(managed);
}

static void capsule_delete(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return; /* taken: the consumer deletes it */
  dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
  managed->deleter(managed);
}

static PyObject *tensor_dlpack(PyObject *object, PyObject *args, PyObject *kwargs) {
  (void)args, (void)kwargs;
  ten_tensor *tensor = ((tensor_object *)object)->tensor;
  dl_dtype dtype;
  if (!ten_dlpack_of_dtype(tensor->dtype, &dtype))
    return PyErr_Format(PyExc_TypeError, "DLPack has no %s", ten_dtype_name(tensor->dtype));
  dl_managed *managed = calloc(1, sizeof *managed);
  if (!managed) return PyErr_NoMemory();
  managed->tensor = (dl_tensor){.data = tensor->data,
                                .device = {DL_CPU, 0},
                                .rank = (int32_t)tensor->rank,
                                .dtype = dtype,
                                .shape = (int64_t *)tensor->dims};
  managed->context = ten_tensor_retain(tensor);
  managed->deleter = managed_delete;
  PyObject *capsule = PyCapsule_New(managed, "dltensor", capsule_delete);
  if (!capsule) managed_delete(managed);
  return capsule;
}

static PyObject *tensor_device(PyObject *object, PyObject *unused) {
  (void)object, (void)unused;
  return Py_BuildValue("(ii)", DL_CPU, 0);
}

static PyObject *tensor_shape(PyObject *object, void *unused) {
  (void)unused;
  const ten_tensor *tensor = ((tensor_object *)object)->tensor;
  PyObject *shape = PyTuple_New((Py_ssize_t)tensor->rank);
  for (uint32_t i = 0; shape && i < tensor->rank; i++) {
    PyObject *size = PyLong_FromLongLong(tensor->dims[i]);
    if (!size || PyTuple_SetItem(shape, (Py_ssize_t)i, size)) {
      Py_DECREF(shape);
      return NULL;
    }
  }
  return shape;
}

static PyObject *tensor_dtype(PyObject *object, void *unused) {
  (void)unused;
  return PyUnicode_FromString(ten_dtype_name(((tensor_object *)object)->tensor->dtype));
}

static const char *format_of(ten_dtype dtype) {
  switch (dtype) {
    case TEN_I1: return "?";
    case TEN_I8: return "b";
    case TEN_UI8: return "B";
    case TEN_I16: return "h";
    case TEN_UI16: return "H";
    case TEN_I32: return "i";
    case TEN_UI32: return "I";
    case TEN_I64: return "q";
    case TEN_UI64: return "Q";
    case TEN_F16: return "e";
    case TEN_F32: return "f";
    case TEN_F64: return "d";
    case TEN_C64: return "Zf";
    case TEN_C128: return "Zd";
    default: return NULL;
  }
}

static int tensor_getbuffer(PyObject *object, Py_buffer *view, int flags) {
  const bool read_only = ((tensor_object *)object)->read_only;
  ten_tensor *tensor = ((tensor_object *)object)->tensor;
  if (read_only && flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "an array's elements never change: its memory is read-only");
    return -1;
  }
  const char *format = format_of(tensor->dtype);
  if (!format) {
    PyErr_Format(PyExc_BufferError, "no buffer format for %s", ten_dtype_name(tensor->dtype));
    return -1;
  }
  const Py_ssize_t item = (Py_ssize_t)ten_dtype_bytes(tensor->dtype);
  Py_ssize_t *lists = malloc((2 * (size_t)tensor->rank + 1) * sizeof *lists);
  if (!lists) return PyErr_NoMemory(), -1;
  Py_ssize_t stride = item;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    lists[i] = (Py_ssize_t)tensor->dims[i];
    lists[tensor->rank + i] = stride;
    stride *= lists[i];
  }
  *view = (Py_buffer){.buf = tensor->data,
                      .obj = object,
                      .len = (Py_ssize_t)tensor->bytes,
                      .itemsize = item,
                      .readonly = read_only,
                      .ndim = (int)tensor->rank,
                      .format = (char *)format,
                      .shape = lists,
                      .strides = lists + tensor->rank,
                      .internal = lists};
  Py_INCREF(object);
  return 0;
}

static void tensor_releasebuffer(PyObject *object, Py_buffer *view) {
  (void)object;
  free(view->internal);
}

static void release(void *owner) { ten_tensor_release(owner); }

/* The same memory as integers that NumPy knows. */
static PyObject *carried(const core_state *state, const tensor_object *object, ten_dtype carrier) {
  ten_tensor *tensor = object->tensor, *seen = NULL;
  ten_status *status = ten_tensor_from_memory(carrier, tensor->rank, tensor->dims, tensor->data, release,
                                              ten_tensor_retain(tensor), &seen);
  if (!status) return core_tensor_new(state, seen, object->read_only);
  ten_tensor_release(tensor);
  return core_raise(state, status);
}

static PyObject *tensor_array(PyObject *object, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", names, &dtype, &copy)) return NULL;
  const ten_dtype meant = ((tensor_object *)object)->tensor->dtype, carrier = core_array_carrier(meant);
  PyObject *memory = carrier == TEN_DTYPE_NONE
                         ? PyMemoryView_FromObject(object)
                         : carried(PyType_GetModuleState(Py_TYPE(object)), (tensor_object *)object, carrier);
  PyObject *array = memory ? core_array_of(memory, meant, dtype, copy) : NULL;
  Py_XDECREF(memory);
  return array;
}

static PyObject *tensor_repr(PyObject *object) { return core_tensor_repr(object, ((tensor_object *)object)->tensor); }

static PyMethodDef tensor_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS, "A DLPack capsule."},
    {"__array__", (PyCFunction)(void (*)(void))tensor_array, METH_VARARGS | METH_KEYWORDS,
     "A NumPy array of the same memory where that is possible, of a type of ml_dtypes where NumPy has none."},
    {"__dlpack_device__", tensor_device, METH_NOARGS, "The device, as DLPack numbers it."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef tensor_getset[] = {{"shape", tensor_shape, NULL, "Sizes.", NULL},
                                      {"dtype", tensor_dtype, NULL, "Element type, as MLIR spells it.", NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot tensor_slots[] = {
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_repr, tensor_repr},
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_getset},
    {Py_bf_getbuffer, tensor_getbuffer},
    {Py_bf_releasebuffer, tensor_releasebuffer},
    {Py_tp_doc, "A tensor in host memory: hand it to numpy.asarray or torch.from_dlpack."},
    {0, NULL}};
PyType_Spec core_tensor_spec = {"tenfold._core.Tensor", sizeof(tensor_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tensor_slots};

/* ---- in ---- */
static void dl_release(void *owner) {
  dl_managed *managed = owner;
  if (managed->deleter) managed->deleter(managed);
}

/* `meant`: what its elements stand for, where that is not their own type. */
static ten_tensor *from_capsule(const core_state *state, PyObject *capsule, ten_dtype meant) {
  dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
  if (!managed) return NULL;
  const dl_tensor *t = &managed->tensor;
  const ten_dtype dtype = meant == TEN_DTYPE_NONE ? ten_dlpack_to_dtype(t->dtype) : meant;
  if (t->device.type != DL_CPU || dtype == TEN_DTYPE_NONE || t->rank < 0 || t->rank > TEN_RANK_MAX) {
    PyErr_Format(PyExc_TypeError, t->device.type != DL_CPU ? "the tensor is not in host memory"
                                                           : "an array of a type or rank that is not supported");
    return NULL;
  }
  ten_tensor *tensor = NULL;
  ten_status *status;
  const bool narrow = meant != TEN_DTYPE_NONE && ten_dtype_bits(meant) < 8;
  if (ten_dlpack_is_contiguous(t) && !narrow) {
    PyCapsule_SetName(capsule, "used_dltensor");
    status =
        ten_tensor_from_memory(dtype, (uint32_t)t->rank, t->shape, ten_dlpack_data(t), dl_release, managed, &tensor);
    if (status) dl_release(managed);
  } else {
    status = ten_tensor_create(dtype, (uint32_t)t->rank, t->shape, &tensor);
    if (!status && !ten_dlpack_is_contiguous(t))
      ten_dlpack_copy(t, ten_dtype_bytes(dtype), tensor->data);
    else if (!status && tensor->bytes)
      memcpy(tensor->data, (const char *)t->data + t->byte_offset, tensor->bytes);
    if (!status && narrow) ten_npy_normalise(dtype, tensor->data, tensor->bytes);
  }
  if (status) core_raise(state, status);
  return tensor;
}

ten_tensor *core_tensor_from(const core_state *state, PyObject *object) {
  if (PyObject_TypeCheck(object, state->tensor)) return ten_tensor_retain(((tensor_object *)object)->tensor);
  PyObject *capsule =
      PyCapsule_IsValid(object, "dltensor") ? Py_NewRef(object) : PyObject_CallMethod(object, "__dlpack__", NULL);
  ten_dtype meant = TEN_DTYPE_NONE;
  if (!capsule && PyErr_ExceptionMatches(PyExc_BufferError)) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    capsule = core_array_capsule(object, &meant);
    if (capsule) {
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(trace);
    } else {
      PyErr_Restore(type, value, trace); /* what DLPack said */
    }
  }
  if (!capsule) return NULL;
  ten_tensor *tensor = from_capsule(state, capsule, meant);
  Py_DECREF(capsule);
  return tensor;
}
