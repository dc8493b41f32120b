/* dataset.h: samples from files. A data set is one array for each input of the step that is fed: [samples, row…]. Rows
 * are drawn in an order that depends on the seed and the epoch alone, and the next batch is gathered while the last one
 * is being worked on. */
#ifndef TEN_TRAIN_DATASET_H
#define TEN_TRAIN_DATASET_H

#include "value/tensor.h"

typedef struct ten_dataset ten_dataset;

/* What one input wants: [batch, row…] of a type. */
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
 * (…images…, …labels…), or one .npz; of one input also its .npy. Integers are converted to the type an input wants;
 * bytes of idx images become floats from 0 to 1. */
TEN_MUST_USE ten_status *ten_dataset_open(const char *path, const ten_dataset_field *fields, size_t count,
                                          const ten_dataset_options *options, ten_dataset **out_dataset);
void ten_dataset_close(ten_dataset *dataset);
int64_t ten_dataset_samples(const ten_dataset *dataset);
int64_t ten_dataset_batches(const ten_dataset *dataset); /* whole ones of an epoch */
/* The next batch, one tensor for each field (borrowed until the next call), and where it stands. */
TEN_MUST_USE ten_status *ten_dataset_next(ten_dataset *dataset, ten_tensor ***out_tensors, int64_t *out_epoch,
                                          int64_t *out_batch);

#endif
