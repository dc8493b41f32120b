/* record.h: shared by the files that make the recorder a Python object. */
#ifndef TEN_PYTHON_RECORD_H
#define TEN_PYTHON_RECORD_H

#include "base/arena.h"
#include "core.h"
#include "front/record/record.h"

/* What a tensor stands for: values.py says more. */
typedef struct value_object {
  PyObject_HEAD PyObject *spec, *root, *parent, *step, *data, *failed, *fill; /* NULL: None */
  unsigned long long graph;
  long long ref;
  PyObject *weak;
} value_object;

/* An op that C may handle. All owned. */
typedef struct fast_op {
  PyObject *op, *handler;
  PyObject *index, *steps; /* places of arguments by name; views made before, or None */
  uint32_t number;
  bool several, as_list, is_view;
} fast_op;

/* What the dispatcher needs of Python: types, functions, and the list of weak references to roots. */
enum {
  FAST_VALUE,
  FAST_MAKE,   /* makes a tensor, with the arguments that */
  FAST_MAKING, /* tells for a type */
  FAST_ACQUIRE,
  FAST_RELEASE,
  FAST_SLOW,   /* (op, args, kwargs): any op */
  FAST_ADDED,  /* (handler, args, kwargs, row): one whose row begins or leaves a program */
  FAST_FINISH, /* (handler, first value, types): results of other layouts */
  FAST_HOST,   /* (handler, args, kwargs, reason) */
  FAST_FLUSH,
  FAST_ROOTS,
  FAST_OBJECTS
};

typedef struct recorder_object {
  PyObject_HEAD ten_recorder *recorder; /* owned */
  PyObject *tensor, *base;              /* the types of the device's tensors, and of all */
  PyObject *missing;                    /* stands for an argument that was left out */
  PyObject *dtypes, *formats, *layouts; /* numbers of the framework's enumerations */
  PyObject *resolve, *take_host, *line; /* a value's number; that of a tensor of the host; the line that runs */
  PyObject *needs_host;                 /* raised for arguments that a program cannot have */
  PyObject *specs, *results, *ops;      /* by their numbers: types, tuples of types, (handler, kinds) */
  PyObject *names[5];                   /* "_lazy", "graph", "ref", "number", "specs" */
  PyObject *wraps;                      /* by a type's number: how a tensor of it is made, or None */
  PyObject *with[FAST_OBJECTS];
  fast_op *fast; /* a hash table by address; owned */
  size_t fast_room, fast_count;
  unsigned long thread;        /* that C handles ops on */
  ten_record_program *current; /* what the graph was found to be; borrowed from the recorder */
  bool promoting, careful;     /* careful: Python handles all ops */
} recorder_object;

typedef TEN_VEC(uint64_t) record_words;

/* Memory that the library does not get is Python's MemoryError, from here to the end of a method. */
#define CORE_RECOVER TEN_RECOVER_AS("recording an op", PyErr_NoMemory())

/* Appends the row of an op, or from argument `first` on without the op. False with an exception set. */
bool record_encode(recorder_object *self, uint32_t op, PyObject *arguments, Py_ssize_t first, record_words *row);

/* The types of results, as a tuple; a new reference. */
PyObject *core_record_specs(recorder_object *self, uint32_t results);
void core_fast_free(recorder_object *self);
PyObject *core_record_fast(PyObject *recorder, PyObject *args);
PyObject *core_record_dispatching(PyObject *recorder, PyObject *args);
PyObject *core_record_dispatch(PyObject *recorder, PyObject *const *given, Py_ssize_t count);
#define CORE_RECORD_DISPATCH                                                                    \
  {"fast", core_record_fast, METH_VARARGS,                                                      \
   "fast(op, handler, number, index, steps, several, as_list): an op that C may handle."},      \
      {"dispatching", core_record_dispatching, METH_VARARGS, "What dispatch needs of Python."}, \
      {"dispatch", (PyCFunction)(void (*)(void))core_record_dispatch, METH_FASTCALL,            \
       "dispatch(op, types, args, kwargs)"}

PyObject *core_record_json(PyObject *recorder, PyObject *args);
PyObject *core_record_node(PyObject *recorder, PyObject *args);
PyObject *core_record_body(PyObject *recorder, PyObject *args);
PyObject *core_record_fold(PyObject *recorder, PyObject *args);
PyObject *core_record_scalars(PyObject *recorder, PyObject *unused);
PyObject *core_record_find(PyObject *recorder, PyObject *wanted);
PyObject *core_record_store(PyObject *recorder, PyObject *unused);
PyObject *core_record_returns(PyObject *recorder, PyObject *wanted);
PyObject *core_record_ran(PyObject *recorder, PyObject *unused);
PyObject *core_record_clear(PyObject *recorder, PyObject *unused);
#define CORE_RECORD_READING                                                                                      \
  {"json", core_record_json, METH_VARARGS, "json(wanted, only): the graph in torch.export's schema."},           \
      {"node", core_record_node, METH_VARARGS,                                                                   \
       "node(number, values): (handler or None, arguments, results, key, line); tensors are values[number]."},   \
      {"body", core_record_body, METH_VARARGS, "body(node, text): the StableHLO of an op that was given one."},  \
      {"fold", core_record_fold, METH_VARARGS,                                                                   \
       "fold(value, inputs): the nodes that make a constant, or with inputs what few small ops make, or None."}, \
      {"scalars", core_record_scalars, METH_NOARGS, "The numbers that are inputs."},                             \
      {"find", core_record_find, METH_O, "find(wanted): (program or 0, executable or -1, why it is compiled)."}, \
      {"store", core_record_store, METH_NOARGS, "Stores the graph as a program: (number, programs dropped)."},   \
      {"returns", core_record_returns, METH_O, "returns(wanted): one more executable of the program found."},    \
      {"ran", core_record_ran, METH_NOARGS, "The program that was found or stored, if any, runs now."},          \
      {"clear", core_record_clear, METH_NOARGS, "Drops all programs."}

#endif
