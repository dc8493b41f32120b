/* plan.h: a program while it is lowered: buffers with addresses, and ordered steps, with their source ops. flatten.c
 * converts it to what runs and is stored (exec/flat.h); then it is freed.
 *
 * 1. A step reads and writes whole buffers; generated and hand-written kernels are launched alike (rt/rt.h).
 * 2. Control flow is a step that contains bodies; everything else is flat.
 * 3. After cpu_plan_memory every ARENA buffer has an offset, and buffers with overlapping live ranges are disjoint,
 * unless they are aliases. */
#ifndef TEN_CPU_PLAN_H
#define TEN_CPU_PLAN_H

#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/flat.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/move.h"
#include "backend/settings.h"
#include "ir/dims.h"
#include "value/tensor.h"

typedef struct ten_cg ten_cg;

typedef struct cpu_buffer {
  cpu_place place;
  size_t bytes;
  const ten_type *type; /* of its value, or NULL for scratch */
  uint32_t index;       /* INPUT, OUTPUT: which */
  const void *data;     /* CONSTANT: borrowed from the module */
  size_t offset;        /* ARENA, HOISTED */
  int64_t first, last;  /* live range, in positions */
  uint32_t same_as;     /* its own number, or the buffer it aliases */
} cpu_buffer;

typedef struct cpu_step cpu_step;
typedef struct cpu_body {
  TEN_VEC(cpu_step *) steps;
  int64_t begin, end; /* positions */
} cpu_body;

struct cpu_step {
  cpu_step_kind kind;
  const ten_op *op;
  TEN_VEC(uint32_t) args; /* buffers: inputs first, then outputs */
  uint32_t read_count;
  TEN_VEC(const ten_value *) inputs; /* generated: the values behind args, same order */
  TEN_VEC(const ten_value *) roots;  /* generated: values that are written, one per output buffer */
  TEN_VEC(const ten_value *) stages; /* LOOPS: values computed per row before it is written, in order */
  int64_t count, grain;              /* units of parallel work; minimum per call */
  TEN_VEC(const ten_op *) checks;    /* LOOPS: fused reductions over as many elements (asserts.c): the last args */
  int64_t parts;    /* with checks: number of calls, each of which writes one element there; 0: no checks */
  bool flat;        /* LOOPS: one loop over all elements */
  bool line;        /* LOOPS: the roots have one row; a unit is one element */
  bool is_if;       /* CASE: by predicate, not by index */
  bool paired;      /* LOOPS: interleaved with the next step, part by part (asserts.c) */
  bool overlaps;    /* LOOPS: overlapped with the next step, a GEMM (overlap.c) */
  bool single;      /* LOOPS: a unit is one element, with a loop inside */
  bool columns;     /* LOOPS: a reduce; a unit is a block of columns */
  uint32_t symbol;  /* generated: number of the function; UINT32_MAX: none */
  uint32_t ready;   /* GEMM, CONV: the predefined epilogue, plus one; 0: none */
  void *descriptor; /* in the plan's arena */
  int64_t *advance; /* inside CHUNKS, by arg: bytes by which its address advances each turn; or NULL */
  cpu_body *bodies;
  uint32_t body_count;
  int64_t position;
};

typedef struct cpu_plan {
  ten_arena arena;
  ten_module *module; /* the program after the passes */
  bool module_lent;   /* by the caller; otherwise it is owned */
  const ten_op *func; /* of that module */
  TEN_VEC(cpu_buffer) buffers;
  cpu_body init; /* runs once, when the program is loaded: fills the HOISTED buffers */
  cpu_body body;
  uint32_t input_count, output_count;
  const ten_type **input_types, **output_types; /* in the arena */
  size_t *input_bytes;
  uint32_t *updates;       /* by input: the output that updates it in place; UINT32_MAX: none */
  uint32_t *value_buffers; /* by ten_value.number; UINT32_MAX: none */
  uint32_t value_count;
  uint32_t symbol_count;
  size_t arena_bytes, hoisted_bytes;
  unsigned threads;                                            /* maximum, for which scratch is allocated */
  uint32_t interpreted;                                        /* ops that were not compiled */
  bool has_host;                                               /* some step needs the caller */
  bool bf16;                                                   /* f32 matmuls may round their inputs to bf16 */
  bool exact_conv;                                             /* no Winograd */
  bool round_once;                                             /* chains of bf16 ops are rounded at the end */
  bool plain;                                                  /* level 1: the order of summation is unchanged */
  bool verify_each;                                            /* verify between passes */
  void (*phase)(void *user, const char *name, double seconds); /* of the settings */
  void *phase_user;
  bool whole_batches;                 /* no CHUNKS */
  bool explain;                       /* fill in `considered` */
  struct cpu_considered **considered; /* by ten_value.number: candidates for the op (choose/print.c); or NULL */
  const struct cpu_tuning *tuning;    /* borrowed: the measured choices, or NULL */
} cpu_plan;

/* compile.c: passes, steps and memory. With inputs, shapes are taken from them. */
TEN_MUST_USE ten_status *cpu_prepare(const ten_module *module, const ten_op *func, const ten_settings *settings,
                                     ten_tensor *const *inputs, cpu_plan *plan);
/* lower.c: function → steps and buffers. */
TEN_MUST_USE ten_status *cpu_lower(cpu_plan *plan);
/* hoist_constants.c: moves work on constants to `init`. */
void cpu_plan_hoist(cpu_plan *plan);
/* unpacked.c: matmuls of few rows read B in place. */
void cpu_plan_direct(cpu_plan *plan);
/* overlap.c: overlaps updates with matmuls. */
void cpu_plan_overlap(cpu_plan *plan);
/* memory.c: liveness, aliasing, offsets. */
TEN_MUST_USE ten_status *cpu_plan_memory(cpu_plan *plan);
/* donate.c: outputs that alias donated inputs; after liveness is known. */
void cpu_plan_donate(cpu_plan *plan);
/* The buffer of the argument donated to this output; UINT32_MAX: none. */
uint32_t cpu_update_input(const cpu_plan *plan, uint32_t output);
/* updates.c: updates wait for the readers of what they overwrite. */
void cpu_plan_updates(cpu_plan *plan);
void cpu_plan_schedule(cpu_plan *plan); /* schedule.c: orders steps to reduce memory */
void cpu_plan_asserts(cpu_plan *plan);  /* asserts.c: moves checks before what they guard */
void cpu_plan_pairs(
    cpu_plan *plan); /* asserts.c: fuses a check into the loop over the same data, or interleaves the two */
/* chunks.c: layers of a large batch, some images at a time: `asked` of them, or 0: chosen by cost. */
void cpu_plan_chunks(cpu_plan *plan, int64_t asked);
/* Whether the value is such an output computed from its input: then it must not be written before the input is read. */
bool cpu_is_update(const cpu_plan *plan, const ten_value *value);
/* Whether the step reads the buffer only at the element that it writes, so that they can alias. */
bool cpu_reads_in_place(const cpu_plan *plan, const cpu_step *step, size_t root, uint32_t buffer);
/* memory.c: `second` aliases `first`; both are roots. */
void cpu_buffer_join(cpu_plan *plan, uint32_t first, uint32_t second);
/* epilogues.c: finds epilogues that need no generated code. */
void cpu_find_ready(cpu_plan *plan);
/* generate.c: whether anything must be generated; generates code for every generated step, into cg's module. */
bool cpu_needs_code(const cpu_plan *plan);
TEN_MUST_USE ten_status *cpu_generate(cpu_plan *plan, ten_cg *cg);
/* As text, for `show --stage plan`. */
void cpu_plan_print(const cpu_plan *plan, ten_buf *out);
/* One step without its expression: its kind, op and buffers' types. */
void cpu_step_print(const cpu_plan *plan, const cpu_step *step, ten_buf *out);
void cpu_plan_destroy(cpu_plan *plan);
/* flatten.c: the program that runs; data of constants and HOST steps stays in the plan's module. */
TEN_MUST_USE ten_status *cpu_flatten(const cpu_plan *plan, exec_program *out_program);

int64_t cpu_matmul_columns(const cpu_step *step); /* of the result of a GEMM or CONV step */

static inline uint32_t cpu_buffer_root(const cpu_plan *plan, uint32_t buffer) {
  while (plan->buffers.data[buffer].same_as != buffer) buffer = plan->buffers.data[buffer].same_as;
  return buffer;
}

#endif
