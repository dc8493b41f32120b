/* rules.h: the interface of a batching rule. A rule gets an op of the function of one example, at least one of whose
 * operands is batched, and builds ops that compute all examples at once. An op without a rule, or whose rule does not
 * apply, becomes a loop over the examples. */
#ifndef TEN_BATCH_RULES_H
#define TEN_BATCH_RULES_H

#include "ir/builder.h"

enum { BATCH_RANK_MAX = 64 };

typedef struct ten_batch {
  ten_module *module;
  int64_t count;
  ten_value_map map;     /* of one example → of the batch */
  ten_value_map batched; /* the set of those that have the batch dimension, which comes first */
  ten_value *active;     /* inside of a branch or loop: i1 of each example, whether it is there; NULL: all are */
  ten_status *status;    /* owned: the first error inside a region */
} ten_batch;

/* False: the rule does not apply. True: every result of the op is in the map, or s->status is set. */
typedef bool (*ten_batch_rule)(ten_batch *s, ten_builder *b, const ten_op *op);

/* ---- batch.c ---- */
/* What became of a value. */
ten_value *ten_batch_get(const ten_batch *s, const ten_value *value);
bool ten_batch_is(const ten_batch *s, const ten_value *value); /* whether it became batched */
void ten_batch_set(ten_batch *s, const ten_value *value, ten_value *as, bool batched);
/* What became of a value, broadcast to the batch where it is not batched. */
ten_value *ten_batch_all(ten_batch *s, ten_builder *b, const ten_value *value);
static inline ten_value *ten_batch_operand(ten_batch *s, ten_builder *b, const ten_op *op, uint32_t i) {
  return ten_batch_all(s, b, ten_op_operand(op, i));
}
/* `type` with the batch dimension in front. */
const ten_type *ten_batch_type(const ten_batch *s, const ten_type *type);
/* The same op on `operands`, with the batch dimension in front of every result: its attributes may have to be set. Its
 * regions must not use batched values. */
ten_op *ten_batch_again(ten_batch *s, ten_builder *b, const ten_op *op, ten_value *const *operands);
void ten_batch_insert(ten_builder *b, ten_op *op); /* at the insertion point */
/* The same with every operand broadcast to the batch. */
ten_op *ten_batch_again_all(ten_batch *s, ten_builder *b, const ten_op *op);
/* Whether an op of the regions of `op` uses a value from outside that is batched. */
bool ten_batch_captures(const ten_batch *s, const ten_op *op);
/* Batches the ops of a block whose arguments are in the map; what its terminator returns is in it afterwards. */
TEN_MUST_USE ten_status *ten_batch_block(ten_batch *s, ten_builder *b, const ten_block *block);

/* Lists in the module's arena: every number one higher, and the same behind a first number. */
ten_ints ten_batch_shift(ten_batch *s, ten_ints list);
ten_ints ten_batch_shift_behind(ten_batch *s, int64_t first, ten_ints list);
/* Sets a list of dimensions. */
void ten_batch_dims(ten_batch *s, ten_op *op, const char *name, ten_ints list);

/* ---- the rules, by family ---- */
bool ten_batch_elementwise(ten_batch *s, ten_builder *b, const ten_op *op);

bool ten_batch_lead(ten_batch *s, ten_builder *b, const ten_op *op); /* shape.c: works on the last dimensions */
bool ten_batch_broadcast(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_transpose(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_slice(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_pad(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_concatenate(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_reverse(ten_batch *s, ten_builder *b, const ten_op *op);

bool ten_batch_dot(ten_batch *s, ten_builder *b, const ten_op *op); /* contract.c */
bool ten_batch_convolution(ten_batch *s, ten_builder *b, const ten_op *op);

bool ten_batch_reduce(ten_batch *s, ten_builder *b, const ten_op *op); /* reduce.c */
bool ten_batch_window(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_sort(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_map(ten_batch *s, ten_builder *b, const ten_op *op);

bool ten_batch_gather(ten_batch *s, ten_builder *b, const ten_op *op); /* index.c */
bool ten_batch_scatter(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_dynamic_slice(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_dynamic_update_slice(ten_batch *s, ten_builder *b, const ten_op *op);

bool ten_batch_if(ten_batch *s, ten_builder *b, const ten_op *op); /* control.c */
bool ten_batch_case(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_while(ten_batch *s, ten_builder *b, const ten_op *op);
bool ten_batch_assert(ten_batch *s, ten_builder *b, const ten_op *op);
/* Any op without effects: a loop over the examples. */
void ten_batch_loop(ten_batch *s, ten_builder *b, const ten_op *op);

#endif
