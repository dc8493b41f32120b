/* train.h: gradients of programs, and training them: forward pass, loss, gradients and update as one program.
 *
 * Threads: one thread at a time uses a ten_training; programs are as program.h says. */
#ifndef TENFOLD_TRAIN_H
#define TENFOLD_TRAIN_H

#include "tenfold/executable.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a gradient. Set `size` and leave the rest zero for the defaults; later versions add fields at the
 * end, and sizes are checked as those of ten_compile_options. */
typedef struct ten_gradient_options {
  size_t size;         /* sizeof(ten_gradient_options) */
  const uint32_t *by;  /* inputs to differentiate with respect to; NULL: every one of a float or complex type */
  size_t by_count;     /* of those */
  int with_results;    /* the program's own results come first */
  int take_cotangents; /* one more input for each float result: its cotangent; otherwise the first result is a float
                          scalar, a loss */
} ten_gradient_options;

/* The gradient of `program` as a program of its own: (inputs…[, cotangents…]) -> ([results…,] gradients…), which can be
 * compiled, or differentiated again. `options` may be NULL: the defaults. An op without a gradient is an error
 * (TEN_UNSUPPORTED) that names it and its line. The caller releases `out_gradient`, which is NULL on an error and keeps
 * what it needs of the program. */
TEN_API TEN_MUST_USE ten_status *ten_program_gradient(ten_program *program, const ten_gradient_options *options,
                                                      ten_program **out_gradient);

/* Options of training. Set `size` and leave the rest zero for the defaults; later versions add fields at the end,
 * and sizes are checked as those of ten_compile_options. Texts are borrowed for the call. */
typedef struct ten_training_options {
  size_t size;      /* sizeof(ten_training_options) */
  const char *loss; /* "cross_entropy" (NULL), "mse", "output", or the path of a program of (outputs…, target…) */
  const char
      *optimizer; /* "sgd" (NULL), "momentum", "adam", "adamw", "lamb", "adafactor", each with ",lr=1e-3" and so on */
  const char *schedule;  /* NULL, "linear:1000", "cosine:1000", each with ",warmup=100" */
  double clip;           /* limit of the global norm of all gradients; 0: none */
  int64_t accumulate;    /* batches per update; 0: one */
  int64_t batch;         /* of a program that was exported with an open one; 0: that of its example */
  const char *device;    /* "cpu" when NULL */
  const char *precision; /* "f32" (NULL); "bf16": matmuls read bf16 and accumulate in f32, weights stay f32 */
  const char *memory;    /* "8G": memory limit of a step, including state and batch; NULL: what costs no time */
} ten_training_options;

/* A training step, compiled, and its state. A caller that gets one from a function here releases it once. */
typedef struct ten_training ten_training;

/* Compiles the PyTorch archive at `path` (.pt2) with its loss and optimizer. `options` may be NULL: the defaults. The
 * caller releases `out_training`, which is NULL on an error. Errors are those of loading, differentiating and
 * compiling, and TEN_LIMIT where `memory` is not enough. */
TEN_API TEN_MUST_USE ten_status *ten_training_create(const char *path, const ten_training_options *options,
                                                     ten_training **out_training);
/* The same of the archive at `path` with `options` (NULL: the defaults), to a step file at `step_path` that
 * ten_training_open maps in: nothing is compiled then. The device is the CPU. */
TEN_API TEN_MUST_USE ten_status *ten_training_compile_to(const char *path, const ten_training_options *options,
                                                         const char *step_path);
/* Maps in the step file at `step_path`, machine code to be trusted as an executable is. The caller releases
 * `out_training`, which is NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_training_open(const char *step_path, ten_training **out_training);
/* Ends `training`; NULL is allowed. */
TEN_API void ten_training_release(ten_training *training);

/* How many buffers a step of `training` is fed: the inputs, then the target. */
TEN_API size_t ten_training_input_count(const ten_training *training);
/* The description (data is NULL) of number `index` of what `training` is fed, and its name in `out_name`, which may be
 * NULL. Both are borrowed from the training. */
TEN_API ten_buffer ten_training_input(const ten_training *training, size_t index, const char **out_name);

/* One step of `training` on `inputs`, `input_count` of them, borrowed for the call; the loss goes to `out_loss`, 0 on
 * an error. A loss that is not finite is an error (TEN_MISMATCH) and changes nothing. */
TEN_API TEN_MUST_USE ten_status *ten_training_step(ten_training *training, const ten_buffer *inputs, size_t input_count,
                                                   double *out_loss);
/* Steps that `training` has done so far, those before it was resumed included. */
TEN_API int64_t ten_training_steps(const ten_training *training);

/* How many values the state of `training` has: parameters and buffers by the names of PyTorch's state_dict, and the
 * state of the optimizer ("fc.weight.exp_avg"). */
TEN_API size_t ten_training_state_count(const ten_training *training);
/* Number `index` of the state of `training`, with its name in `out_name`, which may be NULL. Data and name are borrowed
 * until the next step. All zero when there is no memory for a copy in PyTorch's order. */
TEN_API ten_buffer ten_training_state(const ten_training *training, size_t index, const char **out_name);

/* Writes the parameters of `training` to `path` for PyTorch (.safetensors), and all that is needed to resume to the
 * same with .state before its end, each whole or not at all. TEN_IO when that fails. */
TEN_API TEN_MUST_USE ten_status *ten_training_save(const ten_training *training, const char *path);
/* Takes up in `training` the state that was saved to `path`. Errors: TEN_NOT_FOUND or TEN_IO when it cannot be read,
 * TEN_INVALID when it is of another program; nothing changes then. */
TEN_API TEN_MUST_USE ten_status *ten_training_resume(ten_training *training, const char *path);

#ifdef __cplusplus
}
#endif
#endif
