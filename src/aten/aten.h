/* aten.h: ATen programs become StableHLO. An ATen program is a module of generic ops: "aten.add.Tensor"(%a, %b) with
 * one attribute for each argument, named as PyTorch's schema names it: operand k is `k : index`, region k is `k : i32`,
 * lists are arrays of these, None is unit, numbers, strings and types are themselves.
 * @main takes the user's inputs; weights and buffers are stablehlo.constant ops that carry `aten.name`. */
#ifndef TEN_ATEN_ATEN_H
#define TEN_ATEN_ATEN_H

#include "ir/module.h"

/* What an input is for this lowering. Tensors: a static type. Python numbers: the value. */
typedef struct ten_aten_input {
  const ten_type *type; /* NULL: as declared, dynamic sizes from the example the program was exported with */
  bool has_number;
  double number;
} ten_aten_input;

/* A tensor that an op of @main reads or makes. Tensors of one storage look into the same memory. */
typedef struct ten_aten_tensor {
  const void *storage;
  const ten_type *type, *whole; /* of the tensor, and of all its storage */
  ten_str weight;               /* the parameter, buffer or constant it is, or empty */
  int32_t input;                /* of @main, or -1 */
} ten_aten_tensor;

/* What became of one op of @main; of its return, too. */
typedef struct ten_aten_step {
  const ten_op *op;
  const ten_op *made; /* the first StableHLO op it became, the others follow it; NULL: none */
  const ten_aten_tensor *operands, *results;
  size_t operand_count, result_count;
} ten_aten_step;

typedef struct ten_aten_options {
  const ten_aten_input *inputs; /* NULL: all as declared */
  size_t input_count;
  uint64_t seed;   /* of random ops */
  bool seed_input; /* random state is one more input, tensor<2xui64>, and one more result */
  bool donate;     /* inputs that are written to say which result takes their place: tf.aliasing_output */
  void (*observe)(void *context, const ten_aten_step *step); /* after each op, or NULL */
  void *context;
  bool training; /* it is going to be differentiated: what stops gradients in PyTorch stops them here */
  /* Sizes that depend on data. With `ask`, a program that needs one gets @main that computes only that number, marked
   * `aten.asks`: whoever runs it lowers again with the answer added. Answers are in the order they were asked for. */
  bool ask;
  const int64_t *answers;
  size_t answer_count;
} ten_aten_options;

/* A StableHLO module with @main. Results: what @main returns, then what was written to: those carry `aten.mutates` (a
 * buffer's name) or `aten.mutates_input` (an index). Every op without a lowering is listed, with its line, in one
 * error. The ATen module is numbered on the way but not changed otherwise. Constants are shared: the ATen module must
 * live as long as the result. */
TEN_MUST_USE ten_status *ten_aten_lower(ten_module *aten, const ten_aten_options *options, ten_module **out_module);
/* True for a module that computes a number to be lowered with, and nothing else. */
bool ten_aten_asks(const ten_module *module);
/* True when there is a lowering: name without namespace, "add.Tensor". */
bool ten_aten_knows(ten_str name);

#endif
