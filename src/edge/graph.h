/* graph.h: a network as the list of ops that TFLite has: images with the channels last, activations merged into the op
 * that makes them. A graph is made of an f32 program (recognise.c), gets ranges from data (calibrate.c), scales and
 * integers (quantize.c), and becomes a StableHLO program (program.c) and a TFLite file (tflite.c); it is made of such a
 * program again (read.c).
 *
 * 1. Nodes are in the order in which they run; a tensor is written by one node, or is an input or a constant.
 * 2. Stored dimension i of a tensor is dimension order[i] of the value that it stands for.
 * 3. Tensors of one tie have one scale and one zero point: `tie` leads to the first of them. */
#ifndef TEN_EDGE_GRAPH_H
#define TEN_EDGE_GRAPH_H

#include "base/arena.h"
#include "ir/module.h"
#include "value/tensor.h"

typedef enum edge_kind {
#define EDGE_OP(kind, ...) EDGE_##kind,
#include "edge/ops.def"
#undef EDGE_OP
  EDGE_KIND_COUNT
} edge_kind;

typedef struct edge_op_info {
  const char *composite, *builtin;
  int code, version, options;
  bool moves;
} edge_op_info;
extern const edge_op_info edge_op_infos[EDGE_KIND_COUNT];

enum { EDGE_RANK = 6, EDGE_LOW = -128, EDGE_HIGH = 127, EDGE_NONE = UINT32_MAX, EDGE_WINDOW_MOST = INT16_MAX };

/* As the schema of TFLite numbers them. */
typedef enum edge_activation { EDGE_LINEAR = 0, EDGE_ACT_RELU = 1, EDGE_ACT_RELU6 = 3 } edge_activation;

typedef struct edge_tensor {
  ten_str name;
  const ten_value *value; /* of the f32 program; NULL: of a constant, or spread over more elements than it has */
  uint32_t rank;
  int64_t dims[EDGE_RANK];  /* as stored */
  uint8_t order[EDGE_RANK]; /* stored dimension i is dimension order[i] of the value */
  ten_dtype dtype;          /* i8; i32 of biases; f32 of inputs and results that stay real */
  const float *scales;      /* one, or one for each slice along `axis`; NULL: not quantized */
  size_t scale_count;
  int32_t axis, zero_point;
  bool fixed;          /* the scale follows from the op, not from data */
  bool nonnegative;    /* the op that makes it says so */
  const float *given;  /* of weights: the scales that the program quantized them with, or NULL */
  const float *real;   /* of a constant, before quantization */
  const void *data;    /* of a constant: i8 or i32 elements */
  uint32_t tie;        /* a tensor whose scale this one has, or itself */
  float low, high;     /* range that was seen; low > high: none */
  const double *means; /* of the slices along the last stored dimension, where they were seen; or NULL */
} edge_tensor;

typedef struct edge_node {
  edge_kind kind;
  const uint32_t *inputs; /* tensors */
  uint32_t input_count, output;
  edge_activation activation;
  bool same;                                 /* padding: SAME, not VALID */
  bool corners;                              /* RESIZE_BILINEAR: those of both images coincide; else half pixels */
  bool keep;                                 /* MEAN: reduced dimensions stay, of size 1 */
  int64_t stride[2], dilation[2], window[2]; /* height, width */
  float alpha;                               /* LEAKY_RELU */
  int64_t axis;                              /* CONCATENATION */
  const int32_t *list; /* permutation, low and high padding pairs, axes, shape, or begins then sizes */
  uint32_t list_count;
  const ten_loc *loc;
} edge_node;

typedef struct edge_graph {
  ten_arena arena;
  ten_str name;
  TEN_VEC(edge_tensor) tensors;
  TEN_VEC(edge_node) nodes;
  TEN_VEC(uint32_t) inputs;
  TEN_VEC(uint32_t) outputs;
  TEN_VEC(ten_tensor *) known; /* constants that were computed, owned */
} edge_graph;

void edge_graph_init(edge_graph *g);
void edge_graph_free(edge_graph *g);

/* The number of a new tensor with the dimensions in stored order; `order` NULL: as they are. */
uint32_t edge_tensor_add(edge_graph *g, ten_str name, uint32_t rank, const int64_t *dims, const uint8_t *order);
static inline edge_tensor *edge_at(edge_graph *g, uint32_t tensor) { return &g->tensors.data[tensor]; }
static inline const edge_tensor *edge_get(const edge_graph *g, uint32_t tensor) { return &g->tensors.data[tensor]; }
int64_t edge_tensor_count(const edge_tensor *t);
/* The size of dimension `dim` of the value. */
int64_t edge_tensor_dim(const edge_tensor *t, uint32_t dim);
/* A new node, to be filled in; its output is tied to the first input where the op only moves elements. */
edge_node *edge_node_add(edge_graph *g, edge_kind kind, uint32_t input_count, const uint32_t *inputs, uint32_t output,
                         const ten_loc *loc);
void edge_node_list(edge_graph *g, edge_node *node, uint32_t count, const int64_t *values);

uint32_t edge_tie_of(const edge_graph *g, uint32_t tensor);
void edge_tie(edge_graph *g, uint32_t a, uint32_t b);

/* The tensor with its dimensions stored in another order: itself, or that of a TRANSPOSE or RESHAPE. */
uint32_t edge_arrange(edge_graph *g, uint32_t tensor, const uint8_t *order, const ten_loc *loc);
/* The same elements under other dimensions: a RESHAPE, or itself. */
uint32_t edge_reshape(edge_graph *g, uint32_t tensor, uint32_t rank, const int64_t *dims, const uint8_t *order,
                      const ten_loc *loc);

/* recognise.c: the graph of a function of an f32 program, which must be inlined and simplified. `channels_last`: images
 * that the function takes and returns are stored with their channels last. What cannot be said in ops of TFLite is an
 * error that names every such op. Values of the function keep being referred to. */
typedef struct edge_shape_options {
  bool channels_last;
  bool real_io; /* inputs and results are f32, not i8 */
} edge_shape_options;
TEN_MUST_USE ten_status *edge_recognise(ten_module *module, const ten_op *func, const edge_shape_options *options,
                                        edge_graph *g);

/* program.c: the quantized graph as StableHLO; with `all`, every tensor that is computed is a result, in the order of
 * the nodes. */
TEN_MUST_USE ten_status *edge_program(const edge_graph *g, bool all, ten_module **out_module);
/* read.c: the graph of such a program. */
TEN_MUST_USE ten_status *edge_read(const ten_module *module, const ten_op *func, edge_graph *g);

/* place.c: why a node would be left to the CPU of an Edge TPU's host; NULL: it would not. */
const char *edge_cpu_reason(const edge_graph *g, const edge_node *node);
/* tflite.c: the graph as a TFLite file, appended. */
TEN_MUST_USE ten_status *edge_tflite(const edge_graph *g, ten_buf *out);

#endif
