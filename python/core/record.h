/* record.h: shared by the files that make the recorder a Python object. */
#ifndef TEN_PYTHON_RECORD_H
#define TEN_PYTHON_RECORD_H

#include "base/arena.h"
#include "core.h"
#include "front/record/record.h"

typedef struct recorder_object {
  PyObject_HEAD ten_recorder *recorder; /* owned */
  PyObject *tensor, *base;              /* the types of the device's tensors, and of all */
  PyObject *missing;                    /* stands for an argument that was left out */
  PyObject *dtypes, *formats, *layouts; /* numbers of the framework's enumerations */
  PyObject *resolve, *take_host, *line; /* a value's number; that of a tensor of the host; the line that runs */
  PyObject *needs_host;                 /* raised for arguments that a program cannot have */
  PyObject *specs, *results, *ops;      /* by their numbers: types, tuples of types, (handler, kinds) */
  PyObject *names[4];                   /* "_lazy", "graph", "ref", "number" */
  ten_record_program *current;          /* what the graph was found to be; borrowed from the recorder */
  bool promoting;
} recorder_object;

typedef TEN_VEC(uint64_t) record_words;

/* Memory that the library does not get is Python's MemoryError, from here to the end of a method. */
#define CORE_RECOVER TEN_RECOVER_AS("recording an op", PyErr_NoMemory())

/* Appends the row of an op, or from argument `first` on without the op. False with an exception set. */
bool record_encode(recorder_object *self, uint32_t op, PyObject *arguments, Py_ssize_t first, record_words *row);

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
