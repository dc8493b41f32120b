/* analyze.h: static cost analysis of a program: multiply-adds, bytes, liveness and aliases of each op, of each layer,
 * and of the whole. */
#ifndef TEN_ANALYZE_ANALYZE_H
#define TEN_ANALYZE_ANALYZE_H

#include "front/aten/aten.h"

/* One op. Texts are borrowed from the program. */
typedef struct ten_cost_row {
  const ten_op *op;          /* borrowed */
  ten_str name;              /* "aten.conv2d.default" */
  ten_str result;            /* the name of its first result, or empty */
  ten_str layer, class_name; /* "features.0", "torch.nn.modules.conv.Conv2d"; empty: the program's own */
  ten_str file;
  uint32_t line;                              /* 0: unknown */
  uint64_t macs;                              /* multiply-adds of matmuls and convolutions, padding included */
  uint64_t flops;                             /* two for each of these, one for each element computed by other ops */
  uint64_t weight_bytes, read_bytes, written; /* of weights; of other operands; of results, in place or not */
  uint64_t live_bytes;                        /* of op results that are live while it runs */
  int64_t alias;                              /* the row whose memory its result aliases, -1: none */
  ten_str alias_name;                         /* the weight or input, if it aliases one */
  bool writes;                                /* writes that memory: an in-place op */
} ten_cost_row;

/* Rows summed by name. */
typedef struct ten_cost_sum {
  ten_str name, class_name;
  uint64_t ops, macs, flops, weight_bytes, read_bytes, written, live_bytes; /* live_bytes: the maximum */
  uint64_t parameters, parameter_bytes;                                     /* of layers: those with its name */
} ten_cost_sum;

typedef TEN_VEC(ten_cost_sum) ten_cost_sums;

typedef struct ten_analysis {
  TEN_VEC(ten_cost_row) rows;
  ten_cost_sums kinds, layers; /* kinds with most multiply-adds first; layers, if known, in order */
  ten_cost_sum total;
  uint64_t buffers, buffer_bytes; /* untrained weights, constants */
  uint64_t input_bytes, output_bytes;
  uint64_t peak_bytes; /* the peak of live bytes, without weights and inputs */
  size_t peak_row;
  size_t unknown_loops; /* counted once each: their trip count is unknown */
} ten_analysis;

/* For an ATen program, with the sizes it was exported with. The program must outlive the analysis. */
TEN_MUST_USE ten_status *ten_analyze_aten(ten_module *aten, ten_analysis *out);
/* For a StableHLO function. Dynamic shapes are an error. */
TEN_MUST_USE ten_status *ten_analyze_stablehlo(const ten_module *module, const ten_op *func, ten_analysis *out);
void ten_analysis_free(ten_analysis *analysis);

#endif
