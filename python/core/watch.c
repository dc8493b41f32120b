/* watch.c: a framework's profiler sees the steps of programs: while watch(begin, end) is set, Executable.run calls
 * begin(name) and end() around itself and around each step, on the thread that called it. */
#include "core.h"

#include <string.h>

/* "tenfold::matmul encoder.0 (net.py:12)", a list of them. */
static PyObject *names_of(const ten_executable *executable) {
  ten_steps steps;
  ten_status *status = ten_executable_steps(executable, &steps);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; !status && list && i < steps.rows.count; i++) {
    const ten_step_row *row = &steps.rows.data[i];
    ten_str place = row->place;
    const char *slash = place.size ? memrchr(place.data, '/', place.size) : NULL;
    if (slash) place = (ten_str){slash + 1, place.size - (size_t)(slash + 1 - place.data)};
    ten_buf text = {0};
    ten_buf_printf(&text, "tenfold::%s", row->kind);
    if (row->layer.size) ten_buf_printf(&text, " %.*s", TEN_FMT(row->layer));
    if (place.size) ten_buf_printf(&text, " (%.*s)", TEN_FMT(place));
    PyObject *name = PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.size, "replace");
    if (!name || PyList_Append(list, name)) Py_CLEAR(list);
    Py_XDECREF(name);
    ten_buf_free(&text);
  }
  if (!status) ten_steps_free(&steps);
  ten_status_free(status); /* a device that has no steps is seen as a whole */
  return list;
}

PyObject *core_watch(PyObject *module, PyObject *args) {
  core_state *state = core_state_of(module);
  PyObject *begin, *end;
  if (!PyArg_ParseTuple(args, "OO", &begin, &end)) return NULL;
  Py_XDECREF(state->watch_begin);
  Py_XDECREF(state->watch_end);
  state->watch_begin = begin == Py_None ? NULL : Py_NewRef(begin);
  state->watch_end = end == Py_None ? NULL : Py_NewRef(end);
  Py_RETURN_NONE;
}

/* What a profiler raises does not stop a program. */
static void tell(PyObject *function, PyObject *name) {
  PyObject *result = name ? PyObject_CallFunctionObjArgs(function, name, NULL) : PyObject_CallNoArgs(function);
  if (!result) PyErr_WriteUnraisable(function);
  Py_XDECREF(result);
}

static void step_began(void *user, size_t step) {
  const core_watching *watching = user;
  const PyGILState_STATE held = PyGILState_Ensure();
  tell(watching->begin, PyList_GetItem(watching->names, (Py_ssize_t)step));
  PyGILState_Release(held);
}

static void step_ended(void *user, size_t step, double start, double seconds) {
  (void)step, (void)start, (void)seconds;
  const core_watching *watching = user;
  const PyGILState_STATE held = PyGILState_Ensure();
  tell(watching->end, NULL);
  PyGILState_Release(held);
}

bool core_watch_start(const core_state *state, executable_object *self, core_watching *watching) {
  if (!state->watch_begin || !state->watch_end || self->executable->traced) return false;
  if (!self->step_names) self->step_names = names_of(self->executable);
  PyObject *whole = self->step_names ? PyUnicode_FromString("tenfold::program") : NULL;
  if (!whole) {
    PyErr_Clear();
    return false;
  }
  *watching = (core_watching){.executable = self->executable,
                              .names = Py_NewRef(self->step_names),
                              .begin = Py_NewRef(state->watch_begin),
                              .end = Py_NewRef(state->watch_end)};
  watching->profile = (ten_profile){.began = step_began, .ended = step_ended, .user = watching};
  tell(watching->begin, whole);
  Py_DECREF(whole);
  watching->steps = PyList_Size(self->step_names) > 0;
  ten_status *status = watching->steps ? ten_executable_profile(self->executable, &watching->profile) : NULL;
  ten_status_free(status);
  return true;
}

void core_watch_stop(core_watching *watching) {
  if (watching->steps) ten_status_free(ten_executable_profile(watching->executable, NULL));
  tell(watching->end, NULL);
  Py_DECREF(watching->names);
  Py_DECREF(watching->begin);
  Py_DECREF(watching->end);
}
