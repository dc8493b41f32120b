/* edge.h: post-training quantization to int8, and TFLite files for the Edge TPU. */
#ifndef TEN_EDGE_H
#define TEN_EDGE_H

#include "backend/backend.h"
#include "edge/graph.h"

typedef enum edge_method { EDGE_MIN_MAX, EDGE_PERCENTILE, EDGE_MSE } edge_method;

typedef struct edge_options {
  edge_shape_options shape;
  edge_method method;
  double percentile;       /* of EDGE_PERCENTILE: how much of the elements is inside the range, in percent */
  bool no_bias_correction; /* biases stay as they are */
  bool dense_per_channel;  /* matmuls have a scale for each output; the Edge TPU wants one for all */
  int64_t samples;         /* batches of the data to look at, at most; 0: all */
  const ten_backend *device;
} edge_options;

/* How far a layer's int8 results are from the f32 program's. */
typedef struct edge_layer {
  ten_str name, kind, type; /* type: the shape as stored, "1x8x8x16"; borrowed from the graph */
  float scale;
  int32_t zero_point;
  double signal_to_noise; /* in dB; infinite: no error */
  double mean_error, max_error;
} edge_layer;

typedef struct edge_report {
  edge_graph graph; /* owned */
  TEN_VEC(edge_layer) layers;
  int64_t samples;
} edge_report;

void edge_report_free(edge_report *report);

/* Rewrites a function of an f32 program as an int8 program, with ranges from the data at `data` (train/dataset.h),
 * which may be NULL where the program itself says how every tensor is quantized. The module is used up: its function
 * returns other values afterwards. Both outputs are the caller's. */
TEN_MUST_USE ten_status *edge_quantize(ten_module *module, ten_op *func, const char *data, const edge_options *options,
                                       edge_report *out_report, ten_module **out_module);

/* The passes before either: ops that are known here, few of each kind. The function may be another one afterwards. */
TEN_MUST_USE ten_status *edge_prepare(ten_module *module, ten_op **func);

/* mixed.c: only convolutions and matmuls by constant weights become int8, and what is between them in a network of
 * convolutions; the function is rewritten in place. The report's layers are those, without errors. */
TEN_MUST_USE ten_status *edge_quantize_mixed(ten_module *module, ten_op *func, const char *data,
                                             const edge_options *options, edge_report *out_report);

/* ranges.c: scales and zero points of the function's f32 results as unsigned bytes; the report's layers are those. The
 * function stays as it is. */
TEN_MUST_USE ten_status *edge_ranges(ten_module *module, ten_op *func, const char *data, const edge_options *options,
                                     edge_report *out_report);

/* calibrate.c: runs the f32 program on data with the tensors of its graph as results. */
typedef struct edge_session edge_session;
TEN_MUST_USE ten_status *edge_session_open(edge_graph *g, ten_module *module, ten_op *func, const char *data,
                                           const edge_options *options, edge_session **out_session);
void edge_session_close(edge_session *session);
int64_t edge_session_samples(const edge_session *session);
int64_t edge_session_batches(const edge_session *session);
/* Ranges and means of all tensors. */
TEN_MUST_USE ten_status *edge_session_calibrate(edge_session *session);
/* One more batch: its inputs, and the f32 value of each tensor (by number, NULL where there is none). Both are
 * borrowed until the next call. */
TEN_MUST_USE ten_status *edge_session_next(edge_session *session, ten_tensor ***out_inputs, ten_tensor ***out_values);

/* parameters.c: scales and zero points from ranges; constants as integers. */
TEN_MUST_USE ten_status *edge_parameters(edge_graph *g, const edge_options *options);

#endif
