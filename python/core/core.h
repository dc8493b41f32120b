/* core.h: shared by the files of the extension module tenfold._core. Limited API: one build serves every Python
 * from 3.11 on. */
#ifndef TEN_PYTHON_CORE_H
#define TEN_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "backend/backend.h"
#include "front/import/load.h"
#include "value/dlpack.h"

typedef struct core_state {
  PyTypeObject *program, *executable, *parts, *tensor, *recorder, *value, *array, *device, *dtype, *sizes;
  PyTypeObject *array_class; /* of arrays that are made, or NULL */
  allocfunc array_alloc;     /* of that class */
  freefunc array_free;
  PyObject *dtypes[16];              /* of array_types.c's table, then NULL */
  PyObject *error;                   /* tenfold.Error */
  PyObject *unsupported;             /* tenfold.UnsupportedError */
  PyObject *index_error;             /* tenfold.OutOfRangeError, an IndexError too */
  const dl_exchange *exchange;       /* the framework's own functions, or NULL */
  PyObject *watch_begin, *watch_end; /* of watch.c, or NULL */
  struct core_sites *sites;          /* of array_sites.c, or NULL */
  ten_workspace *workspace;          /* owned: working memory that compiled programs share, or NULL */
  ten_enqueue_counts enqueued;       /* by all executables */
} core_state;

typedef struct core_frozen core_frozen; /* frozen.c */

typedef struct executable_object {
  PyObject_HEAD PyObject *program; /* owned: constants look into it */
  ten_module *module;              /* owned */
  ten_executable *executable;      /* owned */
  ten_op *func;
  core_frozen *frozen;  /* owned: inputs that are constants of the program, or NULL */
  bool plain;           /* inputs may be updated where they are: nothing else sees memory while it runs */
  bool random;          /* draws random numbers */
  PyObject *step_names; /* owned, or NULL: of watch.c */
} executable_object;

core_state *core_state_of(PyObject *module);
/* Raises; consumes the status. Returns NULL. */
PyObject *core_raise(const core_state *state, ten_status *status);

/* A value of the program as a Python object with __dlpack__ and the buffer protocol; takes the reference. */
/* `read_only`: its buffer, and NumPy's view of it, cannot be written to. */
PyObject *core_tensor_new(const core_state *state, ten_tensor *tensor, bool read_only);
/* Anything with __dlpack__, and every NumPy array of a type we have; without a copy where it is contiguous, writable
 * and of at least 8 bits an element. NULL with an exception set. */
ten_tensor *core_tensor_from(const core_state *state, PyObject *object);

/* ---- what programs take and return (describe.c) ---- */
PyObject *core_types(const ten_op *func, bool inputs); /* (dtype, sizes) of each input or result */
PyObject *core_returned(const ten_op *func);           /* the same of the results that are the caller's */
PyObject *core_names(const ten_op *func, bool inputs);
/* "<tenfold.What: (x: f32[2, 3]) -> (f32[2])>" */
PyObject *core_signature(const char *what, const ten_op *func, bool named);
PyObject *core_tensor_repr(PyObject *object, const ten_tensor *tensor);
/* The device of that name, or NULL with a ValueError that lists those that exist. */
const ten_backend *core_backend(const char *device);

extern PyType_Spec core_program_spec, core_executable_spec, core_parts_spec, core_tensor_spec, core_recorder_spec,
    core_value_spec;
/* The sizes that a program is lowered for (shapes.c). */
typedef struct core_given {
  ten_aten_input *inputs; /* owned, or NULL: as declared */
  size_t count;
  ten_module *types; /* owned: of the inputs, or NULL */
} core_given;
void core_given_free(core_given *given);
/* A program whose sizes depend on data, to be called; None: they do not. Takes the inputs. */
PyObject *core_parts(const core_state *state, PyObject *object, const ten_import *program, core_given *given,
                     const ten_backend *backend);
/* How a program is to be compiled; what a device cannot do differently is left out. */
ten_status *core_settings(const ten_backend *backend, const char *precision, int level, bool transient,
                          ten_settings *out_settings);
bool core_is_random(ten_op *func); /* draws random numbers, wherever in it */
/* ---- programs for one set of sizes after another (shapes.c) ---- */
extern PyType_Spec core_sizes_spec;
struct ten_shared;
/* What an object of that type holds. */
struct ten_shared **core_sizes_shared(PyObject *sizes);
const ten_op *core_main(const ten_import *program);
ten_hash128 core_sizes_key(const ten_import *program); /* ten_sizes_key */
/* The executable shares what it can with others of the program (`*shared`, made when there is none). */
void core_share(const ten_import *program, ten_hash128 key, const ten_backend *backend,
                const ten_aten_options *lowering, ten_module *module, struct ten_shared **shared,
                ten_settings *settings);
/* `module` is the program as lowered. StableHLO with open dimensions is compiled for each set of sizes that comes. */
ten_status *core_compile(const ten_import *program, const ten_backend *backend, ten_module *module, const ten_op *func,
                         const ten_settings *settings, bool frozen, ten_executable **out_executable);
/* fingerprint(exact=()): bytes */
PyObject *core_fingerprint(const ten_import *program, PyObject *exact);
/* core.load(path), core.graph(json), core.parse(text) */
PyObject *core_load(PyObject *module, PyObject *path);
PyObject *core_graph(PyObject *module, PyObject *text);
PyObject *core_parse(PyObject *module, PyObject *text);
PyObject *core_remote_call(PyObject *module, PyObject *args);
PyObject *core_remote_upload(PyObject *module, PyObject *args);
PyObject *core_remote_download(PyObject *module, PyObject *args);

/* set_exchange(capsule); Executable.run(list) */
PyObject *core_set_exchange(PyObject *module, PyObject *capsule);
PyObject *core_executable_run(PyObject *executable, PyObject *list);
PyObject *core_executable_holds(PyObject *executable, PyObject *list);
/* Executable.enqueue(inputs, outputs, stream) */
PyObject *core_executable_enqueue(PyObject *executable, PyObject *args);
/* views(block, bytes) */
PyObject *core_views(PyObject *module, PyObject *args);
/* enqueue_counts(reset) */
PyObject *core_enqueue_counts(PyObject *module, PyObject *reset);

/* ---- a framework's profiler (watch.c) ---- */
/* watch(begin, end), of None each: no more. */
PyObject *core_watch(PyObject *module, PyObject *args);
typedef struct core_watching {
  ten_executable *executable; /* borrowed */
  PyObject *names, *begin, *end;
  ten_profile profile;
  bool steps;
} core_watching;
/* Around one run, by who has the GIL. False: nobody watches, and there is nothing to stop. */
bool core_watch_start(const core_state *state, executable_object *executable, core_watching *watching);
void core_watch_stop(core_watching *watching);

/* ---- inputs that do not change between calls (frozen.c) ---- */
/* Makes constants of inputs: `given` is a list of (index, tensor), an executable for other sizes that has such, or
 * None. `sampled`: of large ones only samples are compared afterwards. The settings hold as long as *out. -1: an
 * exception is set. */
int core_freeze(const core_state *state, PyObject *given, bool sampled, ten_module *module, ten_op *func,
                ten_settings *settings, core_frozen **out);
/* Fills in their values; by the threads of the program that they are part of. 1: they are what they were; 0: they are
 * not; -1: an exception is set. */
int core_frozen_take(const core_state *state, core_frozen *frozen, ten_executable *executable, PyObject *list,
                     ten_tensor **values);
/* (bytes that the system watches for writes, bytes that the last call read to compare them) */
PyObject *core_frozen_checks(const core_frozen *frozen);
void core_frozen_free(core_frozen *frozen); /* NULL is fine; other executables may go on using it */

/* ---- NumPy where DLPack has no words (arrays.c) ---- */
/* A capsule for an array whose own __dlpack__ refused: of integers, that stand for elements of *dtype unless it is
 * NONE. NULL with an exception set: it is no such array. */
PyObject *core_array_capsule(PyObject *array, ten_dtype *dtype);
/* The integers that hold elements of a type that ml_dtypes adds; NONE: NumPy has the type itself, or nobody has. */
ten_dtype core_array_carrier(ten_dtype dtype);
/* What numpy.array(memory, dtype, copy=copy) gives, `memory` being of the carrier of `meant`. */
PyObject *core_array_of(PyObject *memory, ten_dtype meant, PyObject *dtype, PyObject *copy);

/* ---- lines of Python that made arrays (array_sites.c) ---- */
typedef struct core_sites core_sites;
core_sites *core_sites_create(void); /* NULL: out of memory, or an exception is set */
void core_sites_free(core_sites *sites);

/* ---- arrays (array_types.c, array_values.c, array_ops.c, array.c) ---- */
extern PyType_Spec core_array_spec, core_device_spec, core_dtype_spec;
extern PyMethodDef core_array_value_functions[], core_array_op_functions[], core_array_file_functions[];
int core_array_dtypes(PyObject *module, core_state *state); /* element types as attributes; -1: an exception is set */

#endif
