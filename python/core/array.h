/* array.h: shared by the files of arrays in Python: array_types.c at the bottom, then array_values.c and array_ops.c,
 * then array.c. */
#ifndef TEN_PYTHON_ARRAY_H
#define TEN_PYTHON_ARRAY_H

#include "core.h"
#include "tenfold/tensor.h"

typedef struct array_object {
  PyObject_HEAD ten_array *array; /* owned */
  const core_state *state;        /* of the module, which its type holds */
} array_object;

typedef struct device_object {
  PyObject_HEAD ten_device *device; /* owned */
  const core_state *state;
} device_object;

typedef struct dtype_object {
  PyObject_HEAD ten_dtype dtype;
} dtype_object;

/* A Python number: what it is, and its value. */
typedef struct array_number {
  enum { NUMBER_NO, NUMBER_BOOL, NUMBER_INT, NUMBER_FLOAT, NUMBER_COMPLEX } kind;
  int64_t integer; /* BOOL, INT: of an unsigned type its bits */
  bool large;      /* INT: does not fit int64_t, but uint64_t */
  double real, imag;
} array_number;

static inline bool array_is(const core_state *state, PyObject *object) {
  return Py_TYPE(object) == state->array_class || PyObject_TypeCheck(object, state->array);
}
static inline ten_array *array_of(PyObject *object) { return ((array_object *)object)->array; }

/* A Python object of the class that was told; takes the reference. */
PyObject *array_wrap(const core_state *state, ten_array *array);
PyObject *device_wrap(const core_state *state, ten_device *device); /* takes the reference */
PyObject *array_dtype_object(const core_state *state, ten_dtype dtype);
/* An element type, also Python's bool, int, float and complex; TEN_DTYPE_NONE: an exception is set. */
ten_dtype array_dtype_of(const core_state *state, PyObject *object);
/* 0: no number; -1: an exception is set. */
int array_number_of(PyObject *object, array_number *out);
/* A number as an element of the type that it takes where it meets `like`; -1: an exception is set. */
enum { ARRAY_ELEMENT_BYTES = 16 };
int array_number_element(const array_number *number, ten_array *like, ten_dtype *out_dtype, void *element);
/* The same as a rank-0 array; NULL with an exception set. */
ten_array *array_of_number(const core_state *state, const array_number *number, ten_array *like);
/* The element as a Python number. */
PyObject *array_element(ten_dtype dtype, const void *at);
/* One element stored; -1: an exception is set. */
int array_store(const array_number *number, ten_dtype dtype, void *at);
/* x op y; numbers are taken as arrays. NotImplemented where one is neither. */
PyObject *array_binary(const core_state *state, const char *name, PyObject *x, PyObject *y);
PyObject *array_unary(const core_state *state, const char *name, PyObject *x);
/* Notes the line of Python that is running as the place where the array was made. */
void core_site_set(const core_state *state, ten_array *array);
const core_state *array_state(PyObject *object); /* NULL: not an array */

#endif
