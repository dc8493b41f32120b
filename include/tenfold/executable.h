/* executable.h: compiled programs: their inputs and results, their cost, and running them.
 *
 * Threads: several threads may execute, describe and query one executable at once. Releasing it must be the last use.
 */
#ifndef TENFOLD_EXECUTABLE_H
#define TENFOLD_EXECUTABLE_H

#include "tenfold/buffer.h"
#include "tenfold/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function of a program, compiled for one device. A caller that gets one from a function here releases it once. */
typedef struct ten_executable ten_executable;
/* A call in progress. */
typedef struct ten_event ten_event;

/* How a program is compiled. Set `size` and leave the rest zero for the defaults; later versions add fields at the end.
 * A size below that of version 0.1.0 is TEN_INVALID; a larger one than this library knows is TEN_UNSUPPORTED unless all
 * that it does not know is zero. Texts are borrowed for the call. */
typedef struct ten_compile_options {
  size_t size;        /* sizeof(ten_compile_options) */
  const char *device; /* as `tenfold devices` lists them; NULL: "cpu" */
  const char *entry;  /* the function; NULL: @main, or the only public one */
  /* Of f32 matmuls and convolutions, whose sums stay f32: "bf16" (cpu) rounds their inputs to bf16; "tf32" (cuda) cuts
   * the mantissas of their inputs to 10 bits; "f32" does neither; NULL: f32, or on the cpu as the environment's
   * TENFOLD_PRECISION says. What a device does not take is TEN_UNSUPPORTED. */
  const char *precision;
  int exact_conv; /* not 0: no convolution goes through Winograd, and bf16 of PyTorch is rounded after every op */
  /* ten_program_compile_to and ten_program_export, not 0: kernels are chosen by measuring them on this machine; results
   * may differ in the last bits. */
  int tune;
  /* Not 0: a program from PyTorch does not check what eager mode raises (an index out of range, a singular matrix). */
  int no_checks;
  int padding; /* not read */
  /* Not 0 (cpu): dimensions that an archive leaves open stay open, where they otherwise have the sizes of its example.
   * Inputs of any sizes that the program was exported for are taken, others refused with the dimension's name. */
  int open;
} ten_compile_options;

/* Compiles `program` as `options` say; NULL: the defaults. The caller releases `out_executable`, which is NULL on an
 * error and otherwise keeps what it needs of the program. Errors: TEN_NOT_FOUND for a device or function that does not
 * exist, TEN_INVALID for options that are wrong, TEN_UNSUPPORTED for what the device cannot compile, TEN_LIMIT when
 * memory runs out. */
TEN_API TEN_MUST_USE ten_status *ten_program_compile(ten_program *program, const ten_compile_options *options,
                                                     ten_executable **out_executable);

/* Compiles `program` as `options` say (NULL: the defaults) and writes a compiled file (.ten) to `path`, whole or not at
 * all, that ten_executable_open maps in. The device is the CPU. Errors are those of ten_program_compile, and TEN_IO
 * when the file cannot be written. */
TEN_API TEN_MUST_USE ten_status *ten_program_compile_to(ten_program *program, const ten_compile_options *options,
                                                        const char *path);

/* Compiles `program` as `options` say (NULL: the defaults) into a plain shared object at `path` with a C function, and
 * its header at `header` (NULL: none), that need neither Tenfold nor LLVM. `name` is the function's; NULL: made of the
 * file's. Takes a linker. Errors are those of ten_program_compile_to. */
TEN_API TEN_MUST_USE ten_status *ten_program_export(ten_program *program, const ten_compile_options *options,
                                                    const char *path, const char *header, const char *name);

/* Maps in the compiled file at `path`. It is machine code, to be trusted as an executable is: a damaged one is an error
 * (TEN_INVALID), one that was made to do harm is not noticed. The caller releases `out_executable`, which is NULL on an
 * error. */
TEN_API TEN_MUST_USE ten_status *ten_executable_open(const char *path, ten_executable **out_executable);

/* Ends `executable`; NULL is allowed. No call of it may be in progress. */
TEN_API void ten_executable_release(ten_executable *executable);

/* How many inputs `executable` takes. */
TEN_API size_t ten_executable_input_count(const ten_executable *executable);
/* How many outputs `executable` gives. */
TEN_API size_t ten_executable_output_count(const ten_executable *executable);
/* Element type and shape of input number `index`, below the count, of `executable`; data is NULL. A dimension that only
 * a call decides is -1. Dimensions are borrowed from the executable. */
TEN_API ten_buffer ten_executable_input(const ten_executable *executable, size_t index);
/* The same of output number `index` of `executable`. */
TEN_API ten_buffer ten_executable_output(const ten_executable *executable, size_t index);
/* What input number `index` of `executable` is called in the program that was compiled, such as the parameter of a
 * PyTorch module's forward; "" where it has no name. Borrowed from the executable. */
TEN_API const char *ten_executable_input_name(const ten_executable *executable, size_t index);
/* The same of output number `index` of `executable`. */
TEN_API const char *ten_executable_output_name(const ten_executable *executable, size_t index);

/* The cost of running, known before it runs. Set `size`; later versions add fields at the end. */
typedef struct ten_cost {
  size_t size;           /* sizeof(ten_cost) */
  size_t arena_bytes;    /* working memory of one call */
  size_t constant_bytes; /* constants, packed and not */
  double flops;          /* multiplications and additions of matmuls and convolutions */
  size_t launches;       /* kernels of one call, loops counted once */
  double bytes;          /* read and written by those kernels */
} ten_cost;

/* Fills `out_cost`, as far as its size goes, with the cost of `executable`; zeros where the device does not say.
 * TEN_INVALID when the size is not that of a version of ten_cost. */
TEN_API TEN_MUST_USE ten_status *ten_executable_cost(const ten_executable *executable, ten_cost *out_cost);

/* Calls `executable`: reads `inputs`, `input_count` of them, and writes `outputs`, `output_count` of them, where they
 * are; both are borrowed for the call. Types, shapes and counts are checked first (TEN_INVALID). Other errors are the
 * program's own, with ten_status_exception where PyTorch has one; outputs may then be partly written. */
TEN_API TEN_MUST_USE ten_status *ten_executable_execute(ten_executable *executable, const ten_buffer *inputs,
                                                        size_t input_count, const ten_buffer *outputs,
                                                        size_t output_count);

/* The same on another thread: starts a call of `executable` on `inputs`, `input_count` of them, and `outputs`,
 * `output_count` of them. The descriptions are copied; the memory must stay until the event is done. The caller
 * releases `out_event`, which is NULL on an error. Errors of the call itself are those of ten_event_wait. */
TEN_API TEN_MUST_USE ten_status *ten_executable_start(ten_executable *executable, const ten_buffer *inputs,
                                                      size_t input_count, const ten_buffer *outputs,
                                                      size_t output_count, ten_event **out_event);

/* Waits for `event` and returns what the call returned, the first time; NULL after that. One thread at a time. */
TEN_API TEN_MUST_USE ten_status *ten_event_wait(ten_event *event);
/* Whether the call of `event` has ended: 1 or 0. Never waits; any thread. */
TEN_API int ten_event_done(ten_event *event);
/* Waits for `event` if it must, drops its error, and ends it; NULL is allowed. */
TEN_API void ten_event_release(ten_event *event);

#ifdef __cplusplus
}
#endif
#endif
