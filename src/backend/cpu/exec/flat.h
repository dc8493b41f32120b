/* flat.h: a compiled program as it runs and as it is stored: arrays of buffers and steps, independent of the compiler.
 *
 * 1. A step reads and writes whole buffers; generated and hand-written kernels are launched alike (rt/rt.h).
 * 2. Steps are in one array. A body is a range of it; control flow is a step that refers to other ranges.
 * 3. No pointer refers to the IR or to the plan it was made from (plan/flatten.c), except the opaque exec_step.host.
 * 4. A program read from a file has passed object_check.c: no kernel leaves its buffers.
 * 5. Everything about a C kernel is in its row of kernels.def and its own file. */
#ifndef TEN_CPU_EXEC_FLAT_H
#define TEN_CPU_EXEC_FLAT_H

#include "backend/cpu/rt/rt.h"
#include "base/arena.h"
#include "base/str.h"
#include "tenfold/dtype.h"

/* HOISTED buffers hold hoisted constants: they are filled once, when the program is loaded. */
typedef enum cpu_place { CPU_ARENA, CPU_INPUT, CPU_OUTPUT, CPU_CONSTANT, CPU_HOISTED } cpu_place;

typedef enum cpu_step_kind {
  CPU_LOOPS,          /* generated: a loop nest over the roots' index space, around cg_element */
  CPU_SCATTER,        /* generated: combines updates into buffers that already hold the operands */
  CPU_UPDATE,         /* generated: dynamic_update_slice into a buffer that already holds the operand */
  CPU_SELECT_SCATTER, /* generated, likewise */
  CPU_COPY,           /* args[0] → args[1] */
  CPU_WHILE,          /* bodies: condition, body; args[0] is the condition's buffer */
  CPU_CASE,           /* bodies: branches; args[0] is the index (i32) or the predicate (i1) */
  CPU_ASSERT,         /* args: the condition (i1), and a value to show; descriptor: the message */
  CPU_CHUNKS,         /* bodies: one, run `count` times, its addresses advancing after each; args: see chunks.c */
  CPU_HOST,           /* an op that needs the caller: checks, feeds, collectives */
/* C kernels: the file of each says what its args are. */
#define KERNEL(KIND, name, file) CPU_##KIND,
#include "backend/cpu/exec/kernels.def"
  CPU_KIND_COUNT
} cpu_step_kind;
const char *cpu_step_kind_name(cpu_step_kind kind); /* kernels.c */

static inline bool cpu_has_epilogue(cpu_step_kind kind) {
  return kind == CPU_GEMM || kind == CPU_CONV || kind == CPU_ATTENTION || kind == CPU_INT8;
}

/* Packs weights. */
static inline bool cpu_packs(cpu_step_kind kind) {
  return kind == CPU_PACK_B || kind == CPU_PACK_CONV || kind == CPU_PACK_INT8;
}

/* Type of an input or output. */
typedef struct exec_type {
  ten_dtype dtype; /* TEN_DTYPE_NONE: a token, of zero bytes */
  uint32_t rank;
  const int64_t *dims;
  size_t bytes;
  ten_str name; /* empty: none; borrowed from the file, or in the arena */
  bool archive; /* of an input: from a PyTorch program, so that integers may be indices */
} exec_type;

typedef struct exec_buffer {
  cpu_place place;
  uint32_t index; /* INPUT, OUTPUT: which */
  size_t bytes;
  size_t offset;    /* ARENA, HOISTED */
  const void *data; /* CONSTANT: borrowed from the file or the module */
  bool shared;      /* CONSTANT: borrowed from another size of the program instead */
} exec_buffer;

typedef struct exec_body {
  uint32_t first, count; /* steps */
} exec_body;

typedef struct exec_arg {
  uint32_t buffer;
  size_t bytes;    /* of the value, at most the buffer's */
  int64_t advance; /* inside CHUNKS: bytes by which its address advances each turn */
} exec_arg;

typedef struct exec_step {
  cpu_step_kind kind;
  bool is_if;    /* CASE: by predicate, not by index */
  bool paired;   /* LOOPS: interleaved with the next step, part by part */
  bool overlaps; /* LOOPS: overlapped with the next step, a GEMM */
  uint32_t arg_count, read_count, body_count;
  const exec_arg *args; /* inputs first, then outputs */
  const exec_body *bodies;
  int64_t count, grain;    /* units of parallel work; minimum per call */
  int64_t parts;           /* LOOPS with checks: number of calls, each with its own check result; 0: no checks */
  uint32_t symbol;         /* generated: number of the function; UINT32_MAX: none */
  uint32_t ready;          /* GEMM, CONV: the predefined epilogue, plus one; 0: none */
  ten_cpu_kernel function; /* for generated code set at load time, for C kernels at once; NULL: run_whole */
  void (*run_whole)(const ten_kernels *kernels, const struct exec_step *step, void **args, ten_pool *pool);
  void *epilogue;          /* GEMM, CONV: generated, set at load time, or NULL */
  void *descriptor;        /* in the program's arena */
  const uint64_t *numbers; /* constants that generated code reads at args[-1]: in the program's arena, or NULL */
  const void *host;        /* HOST: the op, opaque here */
  ten_str label;           /* kind, op and types, for profiles */
  ten_str layer, place;    /* of the op it was made for: "features.0", "net.py:12"; empty: unknown */
  uint32_t number;         /* index among all steps in order; for profiles */
  uint32_t pointer_start;  /* where its addresses start in an instance's table */
} exec_step;

typedef struct exec_program {
  ten_arena arena; /* args, bodies, descriptors, types */
  TEN_VEC(exec_buffer) buffers;
  TEN_VEC(exec_step) steps;
  exec_body init; /* runs once, when the program is loaded: fills the HOISTED buffers */
  exec_body body;
  uint32_t input_count, output_count;
  exec_type *inputs, *outputs;
  uint32_t *updates; /* by input: the output that updates it in place; UINT32_MAX: none */
  uint32_t pointer_count, symbol_count;
  size_t arena_bytes, hoisted_bytes;
  unsigned threads; /* maximum, for which scratch is allocated */
  bool has_host;    /* some step needs the caller */
} exec_program;

static inline exec_step *exec_step_at(const exec_program *program, exec_body body, uint32_t i) {
  return &program->steps.data[body.first + i];
}
static inline const exec_buffer *exec_arg_buffer(const exec_program *program, const exec_step *step, size_t k) {
  return &program->buffers.data[step->args[k].buffer];
}
/* Bytes that a step writes, including scratch. */
static inline size_t exec_written_bytes(const exec_step *step) {
  size_t bytes = 0;
  for (size_t k = step->read_count; k < step->arg_count; k++)
    bytes = bytes > SIZE_MAX - step->args[k].bytes ? SIZE_MAX : bytes + step->args[k].bytes;
  return bytes;
}

/* call.c */
void exec_program_init(exec_program *program);
void exec_program_free(exec_program *program);
/* kernels.c: of a matmul, convolution or attention; 0 for others. */
double exec_step_flops(const exec_step *step);

#endif
