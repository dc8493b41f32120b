/* train.h: gradients of programs, and training them: forward pass, loss, gradients and update as one program. */
#ifndef TENFOLD_TRAIN_H
#define TENFOLD_TRAIN_H

#include "tenfold/executable.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise; later versions add fields at the end. */
typedef struct ten_gradient_options {
  size_t size;         /* sizeof(ten_gradient_options) */
  const uint32_t *by;  /* which inputs to differentiate by; NULL: every one of a float or complex type */
  size_t by_count;     /* of those */
  int with_results;    /* the program's own results come first */
  int take_cotangents; /* one more input for each float result: its cotangent; otherwise the first result is a float
                          scalar, a loss */
} ten_gradient_options;

/* A program of its own: (inputs…[, cotangents…]) -> ([results…,] gradients…), which can be compiled, or differentiated
 * again. `options` may be NULL. An op without a gradient is an error that names it and its line. The caller releases
 * the gradient, which keeps what it needs of the model alive. */
TEN_API TEN_MUST_USE ten_status *ten_model_gradient(ten_model *model, const ten_gradient_options *options,
                                                    ten_model **out_gradient);

/* Zero-initialise; later versions add fields at the end. Texts are borrowed for the call. */
typedef struct ten_training_options {
  size_t size;      /* sizeof(ten_training_options) */
  const char *loss; /* "cross_entropy" (NULL), "mse", "output", or the path of a program of (outputs…, target…) */
  const char
      *optimizer; /* "sgd" (NULL), "momentum", "adam", "adamw", "lamb", "adafactor", each with ",lr=1e-3" and so on */
  const char *schedule;  /* NULL, "linear:1000", "cosine:1000", each with ",warmup=100" */
  double clip;           /* the most that the norm of all gradients together may be; 0: anything */
  int64_t accumulate;    /* batches to an update; 0: one */
  int64_t batch;         /* of a model that was exported with an open one; 0: that of its example */
  const char *device;    /* "cpu" when NULL */
  const char *precision; /* "f32" (NULL); "bf16": products read bf16 and add up in f32, weights stay f32 */
  const char *memory;    /* "8G": the most that a step may need, state and batch included; NULL: what costs no time */
} ten_training_options;

typedef struct ten_training ten_training;

/* The model at `path` (.pt2) with its loss and optimizer, compiled. `options` may be NULL. */
TEN_API TEN_MUST_USE ten_status *ten_training_create(const char *path, const ten_training_options *options,
                                                     ten_training **out_training);
/* The same, to a file that ten_training_open maps in: nothing is compiled then. `device` is the CPU. */
TEN_API TEN_MUST_USE ten_status *ten_training_compile_to(const char *path, const ten_training_options *options,
                                                         const char *step_path);
TEN_API TEN_MUST_USE ten_status *ten_training_open(const char *step_path, ten_training **out_training);
TEN_API void ten_training_release(ten_training *training); /* NULL is fine */

/* What a step is fed: the inputs, then the target. Descriptions (data is NULL) and names are borrowed. */
TEN_API size_t ten_training_input_count(const ten_training *training);
TEN_API ten_buffer ten_training_input(const ten_training *training, size_t index, const char **out_name);

/* One step. A loss that is not finite is an error (TEN_MISMATCH) and changes nothing. One thread at a time. */
TEN_API TEN_MUST_USE ten_status *ten_training_step(ten_training *training, const ten_buffer *inputs, size_t input_count,
                                                   double *out_loss);
TEN_API int64_t ten_training_steps(const ten_training *training); /* done so far */

/* Parameters and buffers by the names of PyTorch's state_dict, optimizer state beside them ("fc.weight.exp_avg").
 * Data and names are borrowed until the next step. */
TEN_API size_t ten_training_state_count(const ten_training *training);
TEN_API ten_buffer ten_training_state(const ten_training *training, size_t index, const char **out_name);

/* PATH.safetensors for PyTorch, and PATH.state.safetensors to resume from, each written whole or not at all. */
TEN_API TEN_MUST_USE ten_status *ten_training_save(const ten_training *training, const char *path);
TEN_API TEN_MUST_USE ten_status *ten_training_resume(ten_training *training, const char *path);

#ifdef __cplusplus
}
#endif
#endif
