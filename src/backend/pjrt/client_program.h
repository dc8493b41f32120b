/* client_program.h: a program as another compiler takes it. */
#ifndef TEN_PJRT_CLIENT_PROGRAM_H
#define TEN_PJRT_CLIENT_PROGRAM_H

#include "ir/bytecode/bytecode.h"

/* What an argument is, for people and for spreading it. */
typedef struct pjrt_argument {
  ten_str name;       /* "fc.weight", or empty */
  bool weight;        /* parameters, optimizer state, constants: no sample of a batch */
  const ten_loc *loc; /* where the user wrote it, or NULL */
} pjrt_argument;

typedef struct pjrt_program pjrt_program;
struct pjrt_program {
  ten_module *module;                 /* owned: @main, what it calls inside it but for @relu_N; static shapes */
  ten_op *func;                       /* @main */
  uint32_t input_count, output_count; /* of the function as it was; what was added comes after */
  uint32_t constant_count;
  const ten_attr **constants;      /* owned array; what the added arguments are, data borrowed from the first module */
  struct pjrt_argument *arguments; /* owned; of all arguments, those that were added too */
  bool *donated;                   /* owned; of the first inputs: the caller gives them up */
  /* Owned arrays, or NULL; of arguments and results that lie otherwise on the device: dimension i there is dimension
   * transposed[…][i] of the host's. */
  const int64_t **transposed, **transposed_results;
  ten_module *host; /* owned, or NULL: @main(added outputs) with the ops that only the host can do, checks */
  uint32_t host_result_count;
  uint32_t *host_results; /* owned; which outputs are the host's results: what the device gives there means nothing */
};

/* How a program is best written is not the same for all chips (docs/pjrt.md has the figures). */
typedef struct pjrt_style {
  bool masks; /* ReLU's gradient reads a mask of what went into it, as JAX's does, and not what came out */
  bool parts; /* what comes after the last matmul is computed for the part that is read; not in a training step */
} pjrt_style;

/* `func` and its module stay as they are, and must outlive the program. */
TEN_MUST_USE ten_status *pjrt_program_make(const ten_module *module, const ten_op *func, pjrt_style style,
                                           pjrt_program *out_program);
void pjrt_program_free(pjrt_program *program);
/* simplify.c: the same in words that XLA sees through. */
TEN_MUST_USE ten_status *pjrt_tidy(ten_module *module, ten_op *func, pjrt_style style);
bool pjrt_is_zero(const ten_value *value); /* a constant of zeros, broadcast or not */
/* outline.c, transpose_kernels.c: the last steps, once weights are arguments. */
void pjrt_outline_activations(ten_module *module, ten_op *main, pjrt_style style);
void pjrt_turn_kernels(pjrt_program *program);
/* As a portable artifact. */
TEN_MUST_USE ten_status *pjrt_program_write(const pjrt_program *program, ten_vhlo_version target, ten_buf *out);

#endif
