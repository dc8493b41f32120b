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
  bool unchecked; /* what eager mode raises while it runs (an index out of range, say) is not looked for */
  bool training;  /* it is going to be differentiated: what stops gradients in PyTorch stops them here */
} ten_aten_options;

/* A StableHLO module with @main. Results: what @main returns, then what was written to: those carry `aten.mutates` (a
 * buffer's name) or `aten.mutates_input` (an index). Every op without a lowering is listed, with its line, in one
 * error. The ATen module is numbered on the way but not changed otherwise. Constants are shared: the ATen module must
 * live as long as the result. */
TEN_MUST_USE ten_status *ten_aten_lower(ten_module *aten, const ten_aten_options *options, ten_module **out_module);

/* A program with sizes that depend on data, part by part. The first part takes the inputs. Its first result is a
 * number, and what comes after that are the inputs of the next part, which is lowered for this number; and so on. The
 * results of the last part are the program's. */
typedef struct ten_aten_parts ten_aten_parts;
/* What `options` point to must stay. */
TEN_MUST_USE ten_status *ten_aten_parts_begin(ten_module *aten, const ten_aten_options *options,
                                              ten_aten_parts **out_parts);
/* `answer` is NULL for the first part. Modules belong to `parts`. After an error there is nothing more to come. */
TEN_MUST_USE ten_status *ten_aten_parts_next(ten_aten_parts *parts, const int64_t *answer, ten_module **out_module,
                                             bool *out_last);
void ten_aten_parts_end(ten_aten_parts *parts); /* NULL is fine */

/* True when there is a lowering: name without namespace, "add.Tensor". */
bool ten_aten_knows(ten_str name);

#endif
