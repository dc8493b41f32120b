/* cost.h: cost of ops, for every stage that needs it: passes that decide what to recompute, hoist or fuse, the analysis
 * of a program, and the counts that a PJRT plugin reports. An op's class is a column of ir/ops.def; the table in cost.c
 * maps classes to costs. */
#ifndef TEN_IR_COST_H
#define TEN_IR_COST_H

#include "ir/dims.h"

typedef struct ten_cost_info {
  const char *name;
  uint8_t time;        /* of one element, in simple instructions */
  uint8_t code;        /* length of the code for one f32 element, in simple instructions: polynomials are written out */
  uint8_t flops;       /* of one element, as counted: 1 for an exponential too */
  bool transcendental; /* counted separately by XLA's cost analysis */
} ten_cost_info;
extern const ten_cost_info ten_cost_infos[TEN_COST_COUNT];

static inline ten_cost_class ten_cost_class_of(ten_opcode code) { return ten_op_infos[code].cost; }
static inline const ten_cost_info *ten_op_cost(const ten_op *op) {
  return &ten_cost_infos[ten_cost_class_of(op->code)];
}

/* An elementwise function that costs more than storing and loading its result: exp, erf, pow. */
static inline bool ten_op_is_expensive(ten_opcode code) {
  const ten_cost_class cost = ten_cost_class_of(code);
  return cost == TEN_COST_FUNCTION || cost == TEN_COST_SPECIAL;
}
/* One or a few instructions for each element. */
static inline bool ten_op_is_simple(ten_opcode code) {
  const ten_cost_class cost = ten_cost_class_of(code);
  return cost == TEN_COST_COPY || cost == TEN_COST_SIMPLE;
}
/* Expensive per element, or expensive as a whole: worth hoisting out of a loop. */
static inline bool ten_op_is_worth_hoisting(ten_opcode code) {
  const ten_cost_class cost = ten_cost_class_of(code);
  return ten_op_is_expensive(code) || cost == TEN_COST_REDUCE || cost == TEN_COST_CONTRACT || cost == TEN_COST_SOLVE;
}

typedef struct ten_work {
  uint64_t macs;            /* multiply-adds of matmuls and convolutions */
  uint64_t flops;           /* two for each of these, one for each element of other ops */
  uint64_t transcendentals; /* of these elements, those that XLA counts separately */
  size_t unknown_loops;     /* loops of unknown trip count, counted once */
} ten_work;

/* Adds the work of an op, its regions and, where `module` is not NULL, the functions it calls. Matmuls and convolutions
 * count by definition, padding included, as is customary; a loop is multiplied by its trip count where that is
 * constant, a branch counts as its most expensive one. Dynamic shapes count as nothing. */
void ten_count_op(const ten_module *module, const ten_op *op, ten_work *work);

/* How often a while loop runs: for (i = init; i < limit; i += step) of constants, in the forms that JAX and PyTorch
 * emit. False: unknown. */
bool ten_loop_trips(const ten_op *loop, int64_t *out);

#endif
