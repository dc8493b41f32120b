/* client_program.h: a program in the form another compiler accepts. */
#ifndef TEN_PJRT_CLIENT_PROGRAM_H
#define TEN_PJRT_CLIENT_PROGRAM_H

#include "ir/bytecode/bytecode.h"

/* What an argument is, for messages and for partitioning it. */
typedef struct pjrt_argument {
  ten_str name;       /* "fc.weight", or empty */
  bool weight;        /* parameters, optimizer state, constants: not split along the batch */
  const ten_loc *loc; /* its location in the user's source, or NULL */
} pjrt_argument;

typedef struct pjrt_program pjrt_program;
struct pjrt_program {
  ten_module *module;                 /* owned: @main with all calls inlined except @relu_N; static shapes */
  ten_op *func;                       /* @main */
  uint32_t input_count, output_count; /* of the original function; added ones come after */
  uint32_t constant_count;
  const ten_attr **constants;      /* owned array; values of the added arguments, data borrowed from the first module */
  struct pjrt_argument *arguments; /* owned; of all arguments, including the added ones */
  bool *donated;                   /* owned; per original input: whether it is donated */
  /* Owned arrays, or NULL; for arguments and results that are transposed on the device: dimension i there is dimension
   * transposed[…][i] on the host. */
  const int64_t **transposed, **transposed_results;
  ten_module *host; /* owned, or NULL: @main(added outputs) with the ops that only the host can execute, checks */
  uint32_t host_result_count;
  uint32_t *host_results; /* owned; which outputs the host computes: the device's values there are unused */
};

/* The fastest form of a program differs between chips (docs/pjrt.md has the figures). */
typedef struct pjrt_style {
  bool masks; /* ReLU's gradient reads a mask of its input, as JAX's does, and not its output */
  bool parts; /* ops after the last matmul are computed only for the slice that is read; not in a training step */
} pjrt_style;

/* `func` and its module are not changed, and must outlive the program. */
TEN_MUST_USE ten_status *pjrt_program_make(const ten_module *module, const ten_op *func, pjrt_style style,
                                           pjrt_program *out_program);
void pjrt_program_free(pjrt_program *program);
/* simplify.c: rewrites ops into forms that XLA optimizes better. */
TEN_MUST_USE ten_status *pjrt_tidy(ten_module *module, ten_op *func, pjrt_style style);
bool pjrt_is_zero(const ten_value *value); /* a constant of zeros, broadcast or not */
/* outline.c, transpose_kernels.c: the last steps, once weights are arguments. */
void pjrt_outline_activations(ten_module *module, ten_op *main, pjrt_style style);
void pjrt_turn_kernels(pjrt_program *program);
/* As a portable artifact. */
TEN_MUST_USE ten_status *pjrt_program_write(const pjrt_program *program, ten_vhlo_version target, ten_buf *out);

#endif
