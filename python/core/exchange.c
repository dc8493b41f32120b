/* exchange.c: tensors of a framework in and out by DLPack's C functions (version 1.2 on): no Python runs for each
 * tensor. The framework's table comes once, as the capsule on its tensor type; without one, program.c's way is there.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

PyObject *core_set_exchange(PyObject *module, PyObject *capsule) {
  core_state *state = core_state_of(module);
  const dl_exchange *table = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  if (!table) return NULL;
  if (table->version.major == 1 && table->to_object && table->look) state->exchange = table;
  return PyBool_FromLong(state->exchange != NULL);
}

/* Takes the reference. */
static PyObject *give(const core_state *state, ten_tensor *tensor) {
  dl_versioned *managed;
  ten_status *status = ten_tensor_to_dlpack(tensor, &managed);
  if (status) {
    ten_tensor_release(tensor);
    return core_raise(state, status);
  }
  void *object = NULL;
  return state->exchange->to_object(managed, &object) ? NULL : object;
}

/* A view of the framework's memory; what is not row-major, or not aligned to its elements, is copied. 1: a view, 2: a
 * copy, 0: not of this type or shape, -1: an exception is set. */
static int take(const core_state *state, PyObject *object, const ten_type *want, ten_tensor **out) {
  dl_tensor t;
  if (state->exchange->look(object, &t)) return -1;
  const ten_dtype dtype = ten_dlpack_to_dtype(t.dtype);
  if (t.device.type != DL_CPU || dtype != want->dtype || t.rank != (int32_t)want->rank) return 0;
  for (uint32_t i = 0; i < want->rank; i++)
    if (want->dims[i] != t.shape[i]) return 0;
  ten_status *status;
  char *data = ten_dlpack_data(&t);
  if (ten_dlpack_is_contiguous(&t)) {
    status = ten_tensor_from_memory(dtype, want->rank, t.shape, data, NULL, NULL, out);
  } else {
    status = ten_tensor_create_unset(dtype, want->rank, t.shape, out);
    if (!status) ten_dlpack_copy(&t, ten_dtype_bytes(dtype), (*out)->data);
  }
  if (!status) return (*out)->data == data ? 1 : 2;
  core_raise(state, status);
  return -1;
}

/* A result that is one of the inputs, whose memory is not ours to hand out: copied. */
static ten_status *own(ten_tensor **output, ten_tensor *const *inputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (inputs[i] != *output && inputs[i]->data != (*output)->data) continue;
    ten_tensor *copy;
    TEN_TRY(ten_tensor_create_unset((*output)->dtype, (*output)->rank, (*output)->dims, &copy));
    if (copy->bytes) memcpy(copy->data, (*output)->data, copy->bytes);
    ten_tensor_release(*output);
    *output = copy;
    return NULL;
  }
  return NULL;
}

/* Whether another input is in the same memory, wholly or in part: a program must not see that this one is updated. */
static bool is_shared(ten_tensor *const *inputs, size_t count, size_t index) {
  const char *data = inputs[index]->data, *end = data + inputs[index]->bytes;
  for (size_t i = 0; i < count; i++) {
    const char *other = inputs[i]->data;
    if (i != index && other < end && data < other + inputs[i]->bytes) return true;
  }
  return false;
}

/* Results in the memory of the inputs they update, where the plan allows that and no other input is there; the others
 * in memory of their own. The input's own object is the result then: `same` says which. */
static ten_status *run_in_place(const executable_object *self, ten_tensor *const *inputs, size_t count,
                                ten_tensor **outputs, uint32_t *same) {
  TEN_RECOVER("running the program");
  const ten_type *type = ten_func_type(self->func);
  void **addresses = ten_alloc((count + type->result_count + 1) * sizeof *addresses);
  for (size_t i = 0; i < count; i++) addresses[i] = inputs[i]->data;
  ten_status *status = NULL;
  for (uint32_t i = 0; i < type->result_count && !status; i++) {
    const ten_attr *updated = ten_func_result_attr(self->func, i, "aten.mutates_input");
    const int64_t input = updated ? ten_attr_as_int(updated, -1) : -1;
    same[i] = UINT32_MAX;
    if (input >= 0 && (size_t)input < count && ten_executable_in_place(self->executable, (uint32_t)input, i) &&
        !is_shared(inputs, count, (size_t)input)) {
      same[i] = (uint32_t)input;
      addresses[count + i] = addresses[input];
      continue;
    }
    const ten_type *result = type->results[i];
    status = ten_tensor_create_unset(result->dtype, result->rank, result->dims, &outputs[i]);
    if (!status) addresses[count + i] = outputs[i]->data;
  }
  if (!status) status = ten_executable_call(self->executable, addresses, addresses + count);
  free(addresses);
  return status;
}

/* The framework's tensors are freed soon, and others of the same sizes take their place. */
static const ten_run_options reusing = {.reuse_results = true};

PyObject *core_executable_run(PyObject *object, PyObject *list) {
  executable_object *self = (executable_object *)object;
  const core_state *state = PyType_GetModuleState(Py_TYPE(object));
  if (!state->exchange || !PyList_Check(list))
    return PyErr_Format(PyExc_TypeError, "a list of tensors of a framework that exchanges them in C is expected");
  const size_t count = (size_t)PyList_Size(list), results = self->executable->output_count;
  const ten_type *type = ten_func_type(self->func);
  if (count != type->input_count) Py_RETURN_NONE;
  ten_tensor *small[64];
  const size_t total = count + results;
  ten_tensor **values = total <= 64 ? small : malloc(total * sizeof *values);
  if (!values) return PyErr_NoMemory();
  memset(values, 0, total * sizeof *values);
  ten_tensor **outputs = values + count;
  uint32_t *same = self->plain ? malloc((results + 1) * sizeof *same) : NULL;
  bool copied = false; /* a copy of an input cannot be updated for it */
  PyObject *made = NULL;
  if (self->frozen) {
    const int same_weights = core_frozen_take(state, self->frozen, self->executable, list, values);
    if (same_weights == 0) made = Py_NewRef(Py_False);
    if (same_weights <= 0) goto done;
  }
  for (size_t i = 0; i < count; i++) {
    if (values[i]) continue;
    const int taken = take(state, PyList_GetItem(list, (Py_ssize_t)i), type->inputs[i], &values[i]);
    copied |= taken == 2;
    if (taken > 0) continue;
    if (taken == 0) made = Py_NewRef(Py_None);
    goto done;
  }
  ten_status *status;
  const bool in_place = same && !copied;
  core_watching watching;
  const bool watched = state->watch_begin && core_watch_start(state, self, &watching);
  Py_BEGIN_ALLOW_THREADS status = in_place ? run_in_place(self, values, count, outputs, same)
                                           : ten_execute(self->executable, values, count, &reusing, outputs);
  if (!status && !in_place) {
    bool kept = false;
    for (size_t i = 0; i < count; i++) kept |= values[i]->references > 1;
    for (size_t i = 0; i < results && !status && kept; i++) status = own(&outputs[i], values, count);
  }
  Py_END_ALLOW_THREADS if (watched) core_watch_stop(&watching);
  if (status) {
    core_raise(state, status);
    goto done;
  }
  made = PyList_New((Py_ssize_t)results);
  for (size_t i = 0; made && i < results; i++) {
    PyObject *item = in_place && same[i] != UINT32_MAX ? Py_NewRef(PyList_GetItem(list, (Py_ssize_t)same[i]))
                                                       : give(state, outputs[i]);
    outputs[i] = NULL;
    if (!item || PyList_SetItem(made, (Py_ssize_t)i, item)) Py_CLEAR(made);
  }
done:
  free(same);
  ten_tensors_release(values, total);
  if (values != small) free(values);
  return made;
}

PyObject *core_executable_holds(PyObject *object, PyObject *list) {
  const executable_object *self = (executable_object *)object;
  const core_state *state = PyType_GetModuleState(Py_TYPE(object));
  const size_t count = ten_func_type(self->func)->input_count;
  if (!state->exchange || !PyList_Check(list) || (size_t)PyList_Size(list) != count)
    return PyErr_Format(PyExc_TypeError, "a list of %zu tensors of a framework that exchanges them in C is expected",
                        count);
  if (!self->frozen) Py_RETURN_TRUE;
  ten_tensor **values = calloc(count + 1, sizeof *values);
  if (!values) return PyErr_NoMemory();
  const int same = core_frozen_take(state, self->frozen, self->executable, list, values);
  ten_tensors_release(values, count);
  free(values);
  return same < 0 ? NULL : PyBool_FromLong(same);
}
