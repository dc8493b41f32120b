/* object_check.h: what a compiled file's descriptors may say. Shared by the files that check them. */
#ifndef TEN_CPU_OBJECT_CHECK_H
#define TEN_CPU_OBJECT_CHECK_H

#include "backend/cpu/exec/object.h"

/* Scratch that more threads need than a file was written for: one place for all steps, behind the arena. */
typedef struct cpu_growth {
  exec_program *program;
  size_t at, most; /* where it begins, and the bytes of the step that needs most */
} cpu_growth;

/* One step in the middle of being checked. `wrong` is set by the first thing that cannot be. */
typedef struct cpu_checker {
  const exec_loaded *loaded;
  const exec_program *program; /* of that */
  const exec_step *step;
  cpu_growth *growth; /* or NULL: scratch is as large as the file says */
  bool is_init;       /* it runs once, when the program is loaded, and may fill HOISTED buffers */
  int64_t turns;      /* how often the body it is in runs, its addresses moving on (CHUNKS); 1 elsewhere */
  const char *wrong;
} cpu_checker;

void cpu_check(cpu_checker *c, bool holds, const char *what);
/* Sizes: not negative, and not so large that a product of two of them does not fit. */
bool cpu_check_sizes(cpu_checker *c, size_t count, const int64_t *sizes);
/* The product of sizes; -1 when one is negative or it does not fit. */
int64_t cpu_check_product(size_t count, const int64_t *sizes);
#define CPU_PRODUCT(...) \
  cpu_check_product(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})
/* Argument k has `bytes` bytes (-1: no number of bytes is enough) that may be read, or written. */
void cpu_check_room(cpu_checker *c, size_t k, bool written, int64_t bytes);
/* Argument k is scratch of so many bytes, for the program's threads. */
void cpu_check_scratch(cpu_checker *c, size_t k, int64_t bytes);
/* The same of elements of `element` bytes at offset + Σ i·stride, every i from 0 to size - 1. */
void cpu_check_reach(cpu_checker *c, size_t k, bool written, int64_t offset, size_t rank, const int64_t *sizes,
                     const int64_t *strides, int64_t element);
/* How many arguments, and how many of them are read. */
void cpu_check_args(cpu_checker *c, size_t args, size_t read);
/* A truth that came from a file is 0 or 1. */
#define CPU_CHECK_BOOL(c, field) \
  cpu_check((c), *(const unsigned char *)&(field) <= 1, "a boolean that is neither 0 nor 1")

/* The step's `count`. */
void cpu_check_units(cpu_checker *c, int64_t units);

/* Of matmuls, convolutions and attention. Sizes of what is there: one at least, and such that no sum of products of
 * three does not fit. */
bool cpu_check_extents(cpu_checker *c, size_t count, const int64_t *sizes);
enum { CPU_BLOCK_MOST = 1 << 24 }; /* of ten_gemm.block */
/* What the epilogue reads besides, and one that is there already. */
void cpu_check_epilogue(cpu_checker *c, uint32_t args, bool tile, const uint32_t *also, int also_count,
                        int64_t columns);
void cpu_check_scratch_size(cpu_checker *c, size_t k, size_t bytes);

#endif
