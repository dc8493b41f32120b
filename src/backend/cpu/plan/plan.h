/* plan.h: a compiled program as data: buffers with places, and steps in order.
 *
 * 1. A step reads and writes whole buffers; generated and hand-written kernels are launched alike (rt/rt.h).
 * 2. Control flow is a step that holds bodies; everything else is flat.
 * 3. After cpu_plan_memory every ARENA buffer has an offset, and buffers whose lives overlap do not, unless they are
 * meant to be one. */
#ifndef TEN_CPU_PLAN_H
#define TEN_CPU_PLAN_H

#include "backend/cpu/rt/rt.h"
#include "ir/dims.h"

typedef struct ten_cg ten_cg;

/* KEPT buffers are filled once, when the program is loaded: constants worked out from constants. */
typedef enum cpu_place { CPU_ARENA, CPU_INPUT, CPU_OUTPUT, CPU_CONSTANT, CPU_KEPT } cpu_place;

/* A matrix product: batch × m × k × n with strides in elements. */
enum { CPU_GEMM_BATCH = 4 };
typedef struct cpu_gemm {
  int64_t m, n, k, a_row, a_col, b_row, b_col;
  uint32_t batch_rank;
  int64_t batch[CPU_GEMM_BATCH], a_batch[CPU_GEMM_BATCH], b_batch[CPU_GEMM_BATCH], batches;
  int64_t packed_size;     /* floats of one packed B */
  uint32_t epilogue_args;  /* how many args of the step are the epilogue's */
  uint32_t also[TEN_ALSO]; /* which of them are laid out as the output is */
  int also_count;
  int64_t also_bytes;                /* of a number of theirs */
  bool bf16;                         /* in bf16, summed in f32; packed_size in numbers of that */
  bool narrow;                       /* the operands are bf16 in memory */
  bool tile;                         /* the product itself is not kept: the epilogue makes the outputs of it */
  uint32_t outputs;                  /* how many */
  int64_t out_bytes;                 /* of a number of the output */
  bool direct;                       /* B is read where it lies, not packed before */
  const struct ten_kernels *kernels; /* of the packing: filled in when loaded */
  int64_t block;                     /* ten_gemm.block */
  bool alone;                        /* on the caller's thread: sharing it out costs more */
  int8_t wish;                       /* measured: 1, read B where it lies; -1, pack it; 0: not measured */
} cpu_gemm;

typedef struct cpu_buffer {
  cpu_place place;
  size_t bytes;
  const ten_type *type; /* of the value it was made for, or NULL for scratch */
  uint32_t index;       /* INPUT, OUTPUT: which */
  const void *data;     /* CONSTANT: borrowed from the module */
  size_t offset;        /* ARENA, KEPT */
  int64_t first, last;  /* positions of its life */
  uint32_t same_as;     /* its own number, or the buffer whose place it shares */
} cpu_buffer;

typedef struct cpu_step cpu_step;
typedef struct cpu_body {
  TEN_VEC(cpu_step *) steps;
  int64_t begin, end; /* positions */
} cpu_body;

typedef enum cpu_step_kind {
  CPU_LOOPS,          /* generated: a loop nest over the roots' index space, cg_element inside */
  CPU_SCATTER,        /* generated: combines updates into buffers that hold the operands already */
  CPU_UPDATE,         /* generated: dynamic_update_slice into a buffer that holds the operand already */
  CPU_SELECT_SCATTER, /* generated, likewise */
  CPU_CALL,           /* a C kernel */
  CPU_PACK_B,         /* likewise: args B, packed */
  CPU_GEMM,           /* args: the epilogue's, A, packed B, outputs, scratch */
  CPU_PACK_CONV,      /* a C kernel: args kernel, packed */
  CPU_CONV,           /* args: the epilogue's, x, packed kernel, output, scratch */
  CPU_WGRAD,          /* args: x, g, output, scratch */
  CPU_ATTENTION,      /* args: see attention.h */
  CPU_COPY,           /* args[0] → args[1] */
  CPU_WHILE,          /* bodies: condition, body; args[0] is the condition's buffer */
  CPU_CASE,           /* bodies: branches; args[0] is the index (i32) or the predicate (i1) */
  CPU_ASSERT,         /* args: whether all is well (i1), and a value to show; descriptor: what it says */
  CPU_CHUNKS, /* bodies: one, run `count` times, its addresses moving on after each; args: of others (chunks.c) */
  CPU_HOST    /* an op that needs the caller: checks, feeds, collectives */
} cpu_step_kind;

struct cpu_step {
  cpu_step_kind kind;
  const ten_op *op;
  TEN_VEC(uint32_t) args; /* buffers: those read first, then those written */
  uint32_t read_count;
  TEN_VEC(const ten_value *) inputs; /* generated: the values behind args, same order */
  TEN_VEC(const ten_value *) roots;  /* generated: values that are written, one for each written buffer */
  TEN_VEC(const ten_value *) stages; /* LOOPS: what is worked out for each row before it is written, in order */
  int64_t count, grain;              /* units of parallel work; at least this many a call */
  TEN_VEC(const ten_op *) checks; /* LOOPS: reductions over as many elements, done by the way (asserts.c): the last */
  int64_t parts;                  /* args. With checks: the launch is so many calls, each of which writes one of */
                                  /* the elements there; 0: no checks */
  bool flat;                      /* LOOPS: one loop over all elements */
  bool line;                      /* LOOPS: the roots have one row; a unit is an element of it */
  bool is_if;                     /* CASE: by predicate, not by index */
  bool paired;                    /* LOOPS: in turns with the next step, part by part (asserts.c) */
  bool beside;                    /* LOOPS: at the same time as the next step, a GEMM (overlap.c) */
  uint64_t copy_bytes;            /* COPY */
  bool single;                    /* LOOPS: one unit is one element, which loops inside */
  bool columns;                   /* LOOPS: a reduce; one unit is a block of columns */
  uint32_t symbol;                /* generated: number of the function; UINT32_MAX: none */
  uint32_t ready;                 /* GEMM, CONV: the epilogue that is there already, plus one; 0: none */
  ten_cpu_kernel function;        /* of C kernels at once, of generated code after loading */
  void *epilogue;                 /* GEMM, CONV: generated, after loading, or NULL */
  void *descriptor;               /* in the plan's arena */
  int64_t *advance;               /* inside CHUNKS, by arg: bytes that its address moves after each turn; or NULL */
  cpu_body *bodies;
  uint32_t body_count;
  int64_t position;
  ten_str label;          /* of a step read from a file: what cpu_step_print would say */
  uint32_t number;        /* among all steps, for profiles */
  uint32_t pointer_start; /* where its addresses start in an instance's table */
};

static inline bool cpu_has_epilogue(cpu_step_kind kind) {
  return kind == CPU_GEMM || kind == CPU_CONV || kind == CPU_ATTENTION;
}

typedef struct cpu_plan {
  ten_arena arena;
  ten_module *module; /* owned: the program after the passes */
  const ten_op *func; /* of that module */
  TEN_VEC(cpu_buffer) buffers;
  cpu_body init; /* run once, when the program is loaded: fills the KEPT buffers */
  cpu_body body;
  uint32_t input_count, output_count;
  const ten_type **input_types, **output_types; /* in the arena */
  size_t *input_bytes;
  uint32_t *updates;       /* by input: the output that takes its place, updating it; UINT32_MAX: none */
  uint32_t *value_buffers; /* by ten_value.number; UINT32_MAX: none */
  uint32_t value_count;
  uint32_t pointer_count, symbol_count, step_count;
  size_t arena_bytes, kept_bytes;
  unsigned threads;                /* at most so many run it: scratch is made for them */
  uint32_t interpreted;            /* ops that were not compiled */
  bool has_host;                   /* some step needs the caller */
  bool bf16;                       /* f32 products may round their inputs to bf16 */
  bool exact_conv;                 /* no Winograd */
  bool round_once;                 /* chains of bf16 ops are rounded at their end */
  bool plain;                      /* level 1: the order of sums stays */
  bool verify_each;                /* verify between passes */
  bool whole_batches;              /* no CHUNKS */
  const struct cpu_tuning *tuning; /* borrowed: what was measured to be best, or NULL */
} cpu_plan;

/* lower.c: function → steps and buffers. */
TEN_MUST_USE ten_status *cpu_lower(cpu_plan *plan);
/* hoist_constants.c: moves work on constants to `init`. */
void cpu_plan_kept(cpu_plan *plan);
/* unpacked.c: products of few rows read B where it lies. */
void cpu_plan_direct(cpu_plan *plan);
/* overlap.c: updates that run at the same time as products. */
void cpu_plan_beside(cpu_plan *plan);
/* memory.c: lives, sharing, offsets. */
TEN_MUST_USE ten_status *cpu_plan_memory(cpu_plan *plan);
/* donate.c: outputs that take the place of inputs which are given away; after lives are known. */
void cpu_plan_donate(cpu_plan *plan);
/* The buffer of the argument that is given away for this output; UINT32_MAX: there is none. */
uint32_t cpu_update_input(const cpu_plan *plan, uint32_t output);
/* updates.c: updates wait for those who read what they take the place of. */
void cpu_plan_updates(cpu_plan *plan);
void cpu_plan_schedule(cpu_plan *plan); /* schedule.c: steps in an order that takes less memory */
void cpu_plan_asserts(cpu_plan *plan);  /* asserts.c: checks before what they could have stopped */
void cpu_plan_pairs(
    cpu_plan *plan); /* asserts.c: a check is done by the loop that reads the same, or in turns with it */
/* chunks.c: layers of a large batch, some images at a time: `asked` of them, or 0: as many as pay. */
void cpu_plan_chunks(cpu_plan *plan, int64_t asked);
/* Whether the value is such an output and made from its input: then nothing may write there before that is read. */
bool cpu_is_update(const cpu_plan *plan, const ten_value *value);
/* Whether the step reads the buffer at the element that it writes alone, so that one can take the other's place. */
bool cpu_reads_in_place(const cpu_plan *plan, const cpu_step *step, size_t root, uint32_t buffer);
/* memory.c: `second` takes the place of `first`; both are roots. */
void cpu_buffer_join(cpu_plan *plan, uint32_t first, uint32_t second);
/* epilogues.c: epilogues that need not be generated. */
void cpu_find_ready(cpu_plan *plan);
/* generate.c: whether anything must be generated; code for every generated step, into cg's module. */
bool cpu_needs_code(const cpu_plan *plan);
TEN_MUST_USE ten_status *cpu_generate(cpu_plan *plan, ten_cg *cg);
/* As text, for `show --stage plan`. */
void cpu_plan_print(const cpu_plan *plan, ten_buf *out);
/* One step without what it computes: its kind, op and buffers' types. */
void cpu_step_print(const cpu_plan *plan, const cpu_step *step, ten_buf *out);
void cpu_plan_destroy(cpu_plan *plan);
/* call.c: all of it but the module. */
void cpu_plan_release(cpu_plan *plan);
/* Of a matrix product or convolution; 0 for others. */
double cpu_step_flops(const cpu_step *step);

int64_t cpu_product_columns(const cpu_step *step); /* of the matrix that a GEMM or CONV step makes */

static inline uint32_t cpu_buffer_root(const cpu_plan *plan, uint32_t buffer) {
  while (plan->buffers.data[buffer].same_as != buffer) buffer = plan->buffers.data[buffer].same_as;
  return buffer;
}

#endif
