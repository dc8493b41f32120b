/* object_check.h: validates the descriptors of a compiled file. Shared by the files that check them. */
#ifndef TEN_CPU_OBJECT_CHECK_H
#define TEN_CPU_OBJECT_CHECK_H

#include "backend/cpu/exec/object.h"

/* Extra scratch for more threads than a file was written for: one area for all steps, after the arena. */
typedef struct cpu_growth {
  exec_program *program;
  size_t at, most; /* its offset, and the largest size that a step needs */
} cpu_growth;

/* A step being checked. `wrong` is set by the first problem. */
typedef struct cpu_checker {
  const exec_loaded *loaded;
  const exec_program *program; /* of that */
  const exec_step *step;
  cpu_growth *growth; /* or NULL: scratch has the size in the file */
  bool is_init;       /* it runs once, when the program is loaded, and may fill HOISTED buffers */
  int64_t turns;      /* how often its body runs with advancing addresses (CHUNKS); 1 elsewhere */
  const char *wrong;
} cpu_checker;

void cpu_check(cpu_checker *c, bool holds, const char *what);
/* Sizes: non-negative, and small enough that a product of two does not overflow. */
bool cpu_check_sizes(cpu_checker *c, size_t count, const int64_t *sizes);
/* The product of sizes; -1 when one is negative or it overflows. */
int64_t cpu_check_product(size_t count, const int64_t *sizes);
#define CPU_PRODUCT(...) \
  cpu_check_product(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})
/* Argument k must have `bytes` bytes (-1: always fails) that may be read, or written. */
void cpu_check_room(cpu_checker *c, size_t k, bool written, int64_t bytes);
/* Argument k must be scratch of so many bytes, for the program's threads. */
void cpu_check_scratch(cpu_checker *c, size_t k, int64_t bytes);
/* The same for elements of `element` bytes at offset + Σ i·stride, every i from 0 to size - 1. */
void cpu_check_reach(cpu_checker *c, size_t k, bool written, int64_t offset, size_t rank, const int64_t *sizes,
                     const int64_t *strides, int64_t element);
/* The number of arguments, and of inputs among them. */
void cpu_check_args(cpu_checker *c, size_t args, size_t read);
/* A bool from a file must be 0 or 1. */
#define CPU_CHECK_BOOL(c, field) \
  cpu_check((c), *(const unsigned char *)&(field) <= 1, "a boolean that is neither 0 nor 1")

/* The step's `count`. */
void cpu_check_units(cpu_checker *c, int64_t units);

/* For matmuls, convolutions and attention. Sizes must be positive, and small enough that sums of products of three do
 * not overflow. */
bool cpu_check_extents(cpu_checker *c, size_t count, const int64_t *sizes);
enum { CPU_BLOCK_MOST = 1 << 24 }; /* of ten_gemm.block */
/* The epilogue's extra operands, or a predefined epilogue. */
void cpu_check_epilogue(cpu_checker *c, uint32_t args, bool tile, const uint32_t *also, int also_count,
                        int64_t columns);
void cpu_check_scratch_size(cpu_checker *c, size_t k, size_t bytes);

#endif
