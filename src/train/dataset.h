/* dataset.h: samples from files. A data set is one array per fed input of the step: [samples, row…]. Rows
 * are drawn in an order that depends only on the seed and the epoch, and the next batch is prefetched while the last
 * one is in use. */
#ifndef TEN_TRAIN_DATASET_H
#define TEN_TRAIN_DATASET_H

#include "value/tensor.h"

typedef struct ten_dataset ten_dataset;

/* The type of one input: [batch, row…]. */
typedef struct ten_dataset_field {
  ten_str name;
  const ten_type *type;
} ten_dataset_field;

typedef struct ten_dataset_options {
  uint64_t seed;
  bool shuffle;
  int64_t epoch, batch; /* where to start: batch `batch` of epoch `epoch` */
} ten_dataset_options;

/* `path`: a folder of .npy (NAME.npy; x.npy and y.npy when there is one input and perhaps a target) or of idx files
 * (…images…, …labels…), or one .npz; for one input also its .npy. Integers are converted to the input's type; bytes of
 * idx images become floats from 0 to 1. */
TEN_MUST_USE ten_status *ten_dataset_open(const char *path, const ten_dataset_field *fields, size_t count,
                                          const ten_dataset_options *options, ten_dataset **out_dataset);
void ten_dataset_close(ten_dataset *dataset);
int64_t ten_dataset_samples(const ten_dataset *dataset);
int64_t ten_dataset_batches(const ten_dataset *dataset); /* full ones of an epoch */
/* The next batch, one tensor per field (borrowed until the next call), and its position. */
TEN_MUST_USE ten_status *ten_dataset_next(ten_dataset *dataset, ten_tensor ***out_tensors, int64_t *out_epoch,
                                          int64_t *out_batch);

#endif
