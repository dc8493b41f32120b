/* describe.c: what programs take and return, as Python objects and as the line that repr() shows. Names are those of
 * an archive's signature or of the program's text; "arg0" and "result0" where there are none. */
#include <stdio.h>

#include "core.h"
#include "driver/devices.h"

/* (dtype, sizes or None for each) */
static PyObject *type_describe(const ten_type *type) {
  if (type->kind != TEN_TYPE_TENSOR) return Py_BuildValue("(sO)", ten_dtype_name(type->dtype), Py_None);
  PyObject *sizes = PyTuple_New((Py_ssize_t)type->rank);
  for (uint32_t d = 0; sizes && d < type->rank; d++) {
    PyObject *size = type->dims[d] == TEN_DYNAMIC ? Py_NewRef(Py_None) : PyLong_FromLongLong(type->dims[d]);
    if (!size || PyTuple_SetItem(sizes, (Py_ssize_t)d, size)) return Py_DECREF(sizes), NULL;
  }
  return sizes ? Py_BuildValue("(sN)", ten_dtype_name(type->dtype), sizes) : NULL;
}

PyObject *core_types(const ten_op *func, bool inputs) {
  const ten_type *type = ten_func_type(func);
  const uint32_t count = inputs ? type->input_count : type->result_count;
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < count; i++) {
    PyObject *item = type_describe(inputs ? type->inputs[i] : type->results[i]);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* Whether a result is the caller's: not a buffer, an input or the random state that the program updates. */
static bool is_returned(const ten_op *func, uint32_t i) {
  return !ten_func_result_attr(func, i, "aten.mutates") && !ten_func_result_attr(func, i, "aten.mutates_input") &&
         !ten_func_result_attr(func, i, "aten.seed");
}

static ten_str name_of(const ten_op *func, bool input, uint32_t i) {
  const ten_attr *attr =
      input ? ten_func_arg_attr(func, i, "aten.name") : ten_func_result_attr(func, i, "jax.result_info");
  const ten_str name = ten_attr_as_string(attr);
  if (name.size) return name;
  const ten_block *body = func->region_count ? func->regions[0].first : NULL;
  if (!body) return (ten_str){0};
  if (input) return i < body->arg_count ? body->args[i]->name : (ten_str){0};
  const ten_op *leave = body->last;
  return leave && i < leave->operand_count ? ten_op_operand(leave, i)->name : (ten_str){0};
}

static PyObject *name_describe(const ten_op *func, bool input, uint32_t i) {
  const ten_str name = name_of(func, input, i);
  bool digits = true; /* a value's number is no name */
  for (size_t k = 0; k < name.size; k++) digits &= name.data[k] >= '0' && name.data[k] <= '9';
  if (digits) return PyUnicode_FromFormat(input ? "arg%u" : "result%u", i);
  return PyUnicode_DecodeUTF8(name.data, (Py_ssize_t)name.size, "replace");
}

PyObject *core_names(const ten_op *func, bool inputs) {
  const ten_type *type = ten_func_type(func);
  const uint32_t count = inputs ? type->input_count : type->result_count;
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < count; i++) {
    if (!inputs && !is_returned(func, i)) continue;
    PyObject *item = name_describe(func, inputs, i);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

PyObject *core_returned(const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < type->result_count; i++) {
    if (!is_returned(func, i)) continue;
    PyObject *item = type_describe(type->results[i]);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static void type_print(ten_buf *out, const ten_type *type) {
  ten_buf_printf(out, "%s", ten_dtype_name(type->dtype));
  if (type->kind != TEN_TYPE_TENSOR) return;
  ten_buf_printf(out, "[");
  for (uint32_t d = 0; d < type->rank; d++) {
    ten_buf_printf(out, "%s", d ? ", " : "");
    if (type->dims[d] == TEN_DYNAMIC)
      ten_buf_printf(out, "?");
    else
      ten_buf_printf(out, "%lld", (long long)type->dims[d]);
  }
  ten_buf_printf(out, "]");
}

static void values_print(ten_buf *out, const ten_op *func, bool inputs, bool named) {
  enum { SHOWN = 16 }; /* more than these are counted */
  const ten_type *type = ten_func_type(func);
  const uint32_t count = inputs ? type->input_count : type->result_count;
  uint32_t shown = 0, left = 0;
  ten_buf_printf(out, "(");
  for (uint32_t i = 0; i < count; i++) {
    if (!inputs && !is_returned(func, i)) continue;
    if (shown == SHOWN) {
      left++;
      continue;
    }
    ten_buf_printf(out, "%s", shown++ ? ", " : "");
    const ten_str name = named ? name_of(func, inputs, i) : (ten_str){0};
    if (name.size && (name.data[0] < '0' || name.data[0] > '9')) ten_buf_printf(out, "%.*s: ", TEN_FMT(name));
    type_print(out, inputs ? type->inputs[i] : type->results[i]);
  }
  if (left) ten_buf_printf(out, ", and %u more", left);
  ten_buf_printf(out, ")");
}

PyObject *core_signature(const char *what, const ten_op *func, bool named) {
  TEN_RECOVER_AS("describing a program", PyErr_NoMemory());
  ten_buf text = {0};
  ten_buf_printf(&text, "<tenfold.%s", what);
  if (func) {
    ten_buf_printf(&text, ": ");
    values_print(&text, func, true, named);
    ten_buf_printf(&text, " -> ");
    values_print(&text, func, false, named);
  } else {
    ten_buf_printf(&text, " without @main");
  }
  ten_buf_printf(&text, ">");
  PyObject *made = PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.size, "replace");
  ten_buf_free(&text);
  return made;
}

/* "tenfold.Tensor(f32[3], [1. 2. 3.])"; without the values where NumPy cannot show them. */
PyObject *core_tensor_repr(PyObject *object, const ten_tensor *tensor) {
  TEN_RECOVER_AS("describing a tensor", PyErr_NoMemory());
  ten_buf text = {0};
  ten_buf_printf(&text, "%s[", ten_dtype_name(tensor->dtype));
  for (uint32_t d = 0; d < tensor->rank; d++)
    ten_buf_printf(&text, "%s%lld", d ? ", " : "", (long long)tensor->dims[d]);
  ten_buf_printf(&text, "]");
  PyObject *array = PyObject_CallMethod(object, "__array__", NULL), *values = array ? PyObject_Str(array) : NULL;
  PyErr_Clear();
  PyObject *made = values ? PyUnicode_FromFormat("tenfold.Tensor(%s, %U)", text.data, values)
                          : PyUnicode_FromFormat("tenfold.Tensor(%s)", text.data);
  Py_XDECREF(array);
  Py_XDECREF(values);
  ten_buf_free(&text);
  return made;
}

const ten_backend *core_backend(const char *device) {
  TEN_RECOVER_AS("looking for a device", (PyErr_NoMemory(), NULL));
  const ten_backend *found = ten_backend_find(ten_str_of(device));
  if (found) return found;
  if (strchr(device, ':')) { /* by number, or remote */
    ten_status *status = ten_backend_open(device, &found);
    if (!status) return found;
    PyErr_SetString(PyExc_ValueError, ten_status_text(status));
    ten_status_free(status);
    return NULL;
  }
  ten_buf text = {0};
  for (size_t i = 0; ten_backends[i]; i++) ten_buf_printf(&text, "%s'%s'", i ? ", " : "", ten_backends[i]->name);
  PyErr_Format(PyExc_ValueError, "unknown device '%s'; the devices are %s", device, text.data);
  ten_buf_free(&text);
  return NULL;
}
