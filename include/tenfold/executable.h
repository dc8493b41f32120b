/* executable.h: compiled programs: what they take and give, what they cost, and running them. */
#ifndef TENFOLD_EXECUTABLE_H
#define TENFOLD_EXECUTABLE_H

#include "tenfold/buffer.h"
#include "tenfold/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ten_compiled ten_compiled;
typedef struct ten_event ten_event;

/* Zero-initialise; later versions add fields at the end. */
typedef struct ten_compile_options {
  size_t size;        /* sizeof(ten_compile_options) */
  const char *device; /* "cpu" when NULL */
  const char *entry;  /* the function; NULL: @main, or the only public one */
  /* "bf16" rounds the inputs of f32 matrix products and convolutions to bf16, sums stay f32; NULL or "f32": no. */
  const char *precision;
  int exact_conv; /* not 0: no convolution goes through Winograd, and bf16 of PyTorch is rounded after every op */
  /* ten_model_compile_to and ten_model_export, not 0: kernels are chosen by measuring them here; the last bits of
   * results may be others. */
  int tune;
  /* Not 0: a program from PyTorch does not check what eager mode raises (an index out of range, a singular matrix). */
  int no_checks;
} ten_compile_options;

/* `options` may be NULL. Retains the model. */
TEN_API TEN_MUST_USE ten_status *ten_model_compile(ten_model *model, const ten_compile_options *options,
                                                   ten_compiled **out_compiled);
/* Writes a compiled file (.ten) that ten_compiled_open maps in. */
TEN_API TEN_MUST_USE ten_status *ten_model_compile_to(ten_model *model, const ten_compile_options *options,
                                                      const char *path);
/* Writes a plain shared object with a C function, and its header (NULL: none), that need neither Tenfold nor LLVM;
 * takes a linker. `name` is the function's (NULL: after the file). */
TEN_API TEN_MUST_USE ten_status *ten_model_export(ten_model *model, const ten_compile_options *options,
                                                  const char *path, const char *header, const char *name);
/* The file is machine code, to be trusted as an executable is: a damaged one is an error, one that was made to do harm
 * is not noticed. */
TEN_API TEN_MUST_USE ten_status *ten_compiled_open(const char *path, ten_compiled **out_compiled);
TEN_API void ten_compiled_release(ten_compiled *compiled); /* NULL is fine */

TEN_API size_t ten_compiled_input_count(const ten_compiled *compiled);
TEN_API size_t ten_compiled_output_count(const ten_compiled *compiled);
/* Element type and shape; data is NULL. A dimension that only a call decides is -1. Dimensions are borrowed from
 * `compiled`. */
TEN_API ten_buffer ten_compiled_input(const ten_compiled *compiled, size_t index);
TEN_API ten_buffer ten_compiled_output(const ten_compiled *compiled, size_t index);

/* What running it takes, known before it runs. */
typedef struct ten_cost {
  size_t arena_bytes;    /* working memory of one call */
  size_t constant_bytes; /* constants, packed and not */
  double flops;          /* multiplications and additions of matrix products and convolutions */
  size_t launches;       /* kernels of one call, loops counted once */
  double bytes;          /* read and written by those kernels */
} ten_cost;
TEN_API ten_cost ten_compiled_cost(const ten_compiled *compiled);

/* Reads the inputs and writes the outputs where they are. Types, shapes and counts are checked. May be called from
 * several threads. */
TEN_API TEN_MUST_USE ten_status *ten_compiled_execute(ten_compiled *compiled, const ten_buffer *inputs,
                                                      size_t input_count, const ten_buffer *outputs,
                                                      size_t output_count);
/* The same, on another thread: buffers must stay until the event is done. The caller releases the event, which waits
 * for it. */
TEN_API TEN_MUST_USE ten_status *ten_compiled_start(ten_compiled *compiled, const ten_buffer *inputs,
                                                    size_t input_count, const ten_buffer *outputs, size_t output_count,
                                                    ten_event **out_event);
/* Waits; gives what the call returned, once. */
TEN_API TEN_MUST_USE ten_status *ten_event_wait(ten_event *event);
TEN_API int ten_event_done(ten_event *event);
TEN_API void ten_event_release(ten_event *event);

#ifdef __cplusplus
}
#endif
#endif
