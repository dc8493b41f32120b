/* trainer.h: runs a training step (transform/grad/train.h) repeatedly: it holds the state between steps, and
 * checkpoints hold it between runs. */
#ifndef TEN_TRAIN_TRAINER_H
#define TEN_TRAIN_TRAINER_H

#include "backend/backend.h"
#include "train/dataset.h"
#include "train/step_file.h"

typedef struct ten_trainer ten_trainer;

/* Compiles @step and takes the values of @init. The module is borrowed and must outlive the trainer; `settings`,
 * here and below, may be NULL. */
TEN_MUST_USE ten_status *ten_trainer_create(const ten_backend *backend, ten_module *module,
                                            const ten_settings *settings, ten_trainer **out_trainer);
/* Writes a step file (step_file.h) for the CPU, and opens one: nothing is compiled then. */
TEN_MUST_USE ten_status *ten_trainer_compile_to(ten_module *module, const ten_settings *settings, const char *path);
TEN_MUST_USE ten_status *ten_trainer_open(const char *path, ten_trainer **out_trainer);
void ten_trainer_destroy(ten_trainer *trainer);
/* What must be fed, in order: the inputs, then the target. Borrowed. */
const ten_dataset_field *ten_trainer_fields(const ten_trainer *trainer, size_t *out_count);
/* The state: a description of each value, and the value in PyTorch's order (borrowed until the next step). */
const ten_step_slot *ten_trainer_slots(const ten_trainer *trainer, size_t *out_count);
TEN_MUST_USE ten_status *ten_trainer_value(const ten_trainer *trainer, size_t slot, ten_tensor **out_value);
ten_executable *ten_trainer_executable(const ten_trainer *trainer); /* of the step; borrowed */
void ten_trainer_seed(ten_trainer *trainer, uint64_t seed);         /* for dropout etc.; before the first step */
int64_t ten_trainer_steps(const ten_trainer *trainer);              /* done so far */
size_t ten_trainer_parameters(const ten_trainer *trainer);          /* elements of all parameters */
TEN_MUST_USE ten_status *ten_trainer_step(ten_trainer *trainer, ten_tensor *const *inputs, double *out_loss);

/* The position of a run, apart from the state itself. */
typedef struct ten_position {
  int64_t epoch, batch; /* the next batch */
  uint64_t seed;
} ten_position;

/* Writes PATH (parameters and buffers under the names of PyTorch's state_dict) and, before it, PATH with .state before
 * its extension: all that is needed to resume exactly. Each is written atomically. */
TEN_MUST_USE ten_status *ten_trainer_save(const ten_trainer *trainer, const char *path, const ten_position *position);
/* Restores the state saved next to PATH; the program must have the same parameters and state. Nothing changes on an
 * error. */
TEN_MUST_USE ten_status *ten_trainer_resume(ten_trainer *trainer, const char *path, ten_position *out_position);

#endif
