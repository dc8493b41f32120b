/* stages.h: what compiling makes on the way, as text. */
#ifndef TEN_CPU_STAGES_H
#define TEN_CPU_STAGES_H

#include "runtime/backend.h"

/* `stage` is "passes" (the program after the passes), "plan" (or "fused"), "llvm", "asm". */
TEN_MUST_USE ten_status *ten_cpu_show(const ten_module *module, const ten_op *func, const char *stage, ten_buf *out);

/* How the functions of a module are to be compiled. Precision "bf16": inputs of f32 matrix products and convolutions
 * are rounded to bf16, sums stay f32; "f32", or NULL, rounds nothing. Exact convolutions: none goes through Winograd.
 * The environment can ask for the same: TENFOLD_PRECISION=bf16, TENFOLD_WINOGRAD=0. */
TEN_MUST_USE ten_status *ten_cpu_settings(ten_module *module, const char *precision, bool exact_conv);

/* What a call of the function needs: its arguments, results that do not take an argument's place, and memory to work in
 * (packed constants among it). Plans, and makes no code. */
typedef struct ten_cpu_bytes {
  size_t arguments, results, work;
} ten_cpu_bytes;
TEN_MUST_USE ten_status *ten_cpu_plan_bytes(const ten_module *module, const ten_op *func, ten_cpu_bytes *out_bytes);

/* The same of what is compiled; false: by another backend, or for shapes that are not known yet. */
bool ten_cpu_executable_bytes(const ten_executable *executable, ten_cpu_bytes *out_bytes);

/* How much is done to make it fast. 3, the default: everything; 2: no Winograd; 1: nothing that changes the order of
 * sums either. */
TEN_MUST_USE ten_status *ten_cpu_set_level(ten_module *module, int level);
/* The program is made for the moment: it is not kept on disk. */
void ten_cpu_set_passing(ten_module *module);

/* The function as a compiled file (.ten): see object.h. With `tuning` kernels are chosen by measuring, and it says how:
 * see tune.h. */
struct cpu_tuning;
TEN_MUST_USE ten_status *ten_cpu_compile_file(ten_module *module, const ten_op *func, struct cpu_tuning *tuning,
                                              ten_buf *out);

/* A compiled file as an executable; its function has types and no body. */
TEN_MUST_USE ten_status *ten_cpu_open(const char *path, ten_executable **out_executable);
/* A program that needs nothing but memory, and such a call: addresses in the order of inputs and outputs, unchecked. */
bool ten_cpu_is_plain(const ten_executable *executable);
TEN_MUST_USE ten_status *ten_cpu_call(ten_executable *executable, void *const *inputs, void *const *outputs);
/* Something of the caller's that is done by the program's threads, where it has any: task(context, i, thread) for every
 * i below count. */
void ten_cpu_share(ten_executable *executable, void (*task)(void *context, int64_t i, unsigned thread), void *context,
                   int64_t count);
/* Whether the output's address may be the input's. */
bool ten_cpu_in_place(const ten_executable *executable, uint32_t input, uint32_t output);
/* The same from memory, which is 64-aligned and outlives the executable; `name` stands for it in messages. */
TEN_MUST_USE ten_status *ten_cpu_read(const void *data, size_t size, const char *name, ten_executable **out_executable);

/* Runs the program once for each of replicas × partitions, a thread each, that meet in its collectives: process
 * replica * partitions + partition takes inputs[process] and fills outputs[process]. */
TEN_MUST_USE ten_status *ten_cpu_execute_together(ten_executable *executable, uint32_t replicas, uint32_t partitions,
                                                  ten_tensor *const *const *inputs, ten_tensor **const *outputs);

#endif
