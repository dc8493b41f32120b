/* aten.h: lowers ATen programs to StableHLO. An ATen program is a module of generic ops: "aten.add.Tensor"(%a, %b) with
 * one attribute for each argument, named as PyTorch's schema names it: operand k is `k : index`, region k is `k : i32`,
 * lists are arrays of these, None is unit; numbers, strings and types are plain attributes.
 * @main takes the user's inputs; weights and buffers are stablehlo.constant ops that carry `aten.name`. */
#ifndef TEN_ATEN_ATEN_H
#define TEN_ATEN_ATEN_H

#include "ir/module.h"

/* An input in this lowering. Tensors: a static type. Python numbers: the value. */
typedef struct ten_aten_input {
  const ten_type *type; /* NULL: as declared, dynamic sizes from the example the program was exported with */
  bool has_number;
  double number;
} ten_aten_input;

/* How to choose other sizes. */
typedef struct ten_aten_other {
  uint32_t round; /* 0: close to those at hand; 1: about twice as large */
  bool together; /* symbols whose values differ by at most 1 are a group and change by the same; else each is a group */
  uint32_t only; /* the groups that change, as bits; 0: all */
} ten_aten_other;
enum { TEN_ATEN_OTHER_ROUNDS = 2 };
/* Other sizes that the program may be called with, to tell what of its code depends on them. Inputs name their open
 * sizes in an attribute: aten.symbols (the symbol of each, in archives) or aten.sizes (expressions of symbols; of a
 * number its own). `inputs` are those at hand, one for each input; types are made in `types`. False: what is open is
 * not known, and `out_inputs` is undefined. Constraints between symbols are not known here: lowering may refuse. */
bool ten_aten_other_sizes(const ten_op *func, const ten_aten_input *inputs, const ten_aten_other *how,
                          ten_module *types, ten_aten_input *out_inputs, uint32_t *out_groups);

/* A tensor that an op of @main reads or produces. Tensors with the same storage alias each other. */
typedef struct ten_aten_tensor {
  const void *storage;
  const ten_type *type, *whole; /* of the tensor, and of all its storage */
  ten_str weight;               /* the name of the parameter, buffer or constant, or empty */
  int32_t input;                /* of @main, or -1 */
} ten_aten_tensor;

/* The lowering of one op of @main; of its return, too. */
typedef struct ten_aten_step {
  const ten_op *op;
  const ten_op *made; /* the first StableHLO op it was lowered to, followed by the others; NULL: none */
  const ten_aten_tensor *operands, *results;
  size_t operand_count, result_count;
} ten_aten_step;

typedef struct ten_aten_options {
  const ten_aten_input *inputs; /* NULL: all as declared */
  size_t input_count;
  uint64_t seed;   /* of random ops */
  bool seed_input; /* adds the random state as an input, tensor<2xui64>, and as a result */
  bool donate;     /* mark mutated inputs with the result that replaces them: tf.aliasing_output */
  void (*observe)(void *context, const ten_aten_step *step); /* after each op, or NULL */
  void *context;
  bool unchecked; /* omit checks for errors that eager mode raises (such as an index out of range) */
  bool training;  /* it will be differentiated: ops that stop gradients in PyTorch stop them here */
} ten_aten_options;

/* A StableHLO module with @main. Results: what @main returns, then mutated tensors: those have `aten.mutates` (a
 * buffer's name) or `aten.mutates_input` (an index). One error lists every op without a lowering, with its line.
 * Only the value numbers of the ATen module change. Constants are shared: the ATen module must outlive the
 * result. */
TEN_MUST_USE ten_status *ten_aten_lower(ten_module *aten, const ten_aten_options *options, ten_module **out_module);

/* A program with data-dependent sizes, in parts. The first part takes the inputs. Its first result is a size, and its
 * other results are the inputs of the next part, which is lowered for this size; and so on. The last part returns the
 * program's results. */
typedef struct ten_aten_parts ten_aten_parts;
/* What `options` point to must outlive the parts. */
TEN_MUST_USE ten_status *ten_aten_parts_begin(ten_module *aten, const ten_aten_options *options,
                                              ten_aten_parts **out_parts);
/* `answer` is NULL for the first part. Modules belong to `parts`. After an error there are no more parts. */
TEN_MUST_USE ten_status *ten_aten_parts_next(ten_aten_parts *parts, const int64_t *answer, ten_module **out_module,
                                             bool *out_last);
void ten_aten_parts_end(ten_aten_parts *parts); /* NULL is fine */

/* True when there is a lowering: name without namespace, "add.Tensor". */
bool ten_aten_knows(ten_str name);

#endif
