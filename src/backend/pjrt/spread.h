/* spread.h: partitions a program over several devices, and changes its precision, before it is written for a plugin. */
#ifndef TEN_PJRT_SPREAD_H
#define TEN_PJRT_SPREAD_H

#include "backend/pjrt/client.h"
#include "backend/pjrt/client_program.h"
#include "transform/shard/tiling.h"

/* "data=4,model=2": inputs are split along their first dimension over `data`, weights along one of theirs over `model`.
 */
typedef struct ten_mesh {
  uint32_t data, model; /* 1: not split */
} ten_mesh;
TEN_MUST_USE ten_status *ten_mesh_parse(const char *text, ten_mesh *out_mesh);

/* How each argument and result is distributed over the devices. */
typedef struct pjrt_tilings {
  uint32_t devices; /* 1: nothing is split, and there are no lists */
  uint32_t input_count, output_count;
  ten_tiling *inputs, *outputs; /* owned */
  char *why;                    /* owned, or NULL: why the tilings are unknown, although there are several devices */
} pjrt_tilings;
void pjrt_tilings_free(pjrt_tilings *tilings);

/* Annotates how arguments and results are split, and returns the plugin's options. A program with shardings keeps them
 * (then the mesh must be 1 × 1), and unannotated values are replicated. Over a mesh, results that alias an argument are
 * split like it, and the others are replicated. `devices` has room for TEN_SPREAD_MOST ids. */
enum { TEN_SPREAD_MOST = 16384 };
TEN_MUST_USE ten_status *pjrt_spread_program(pjrt_program *program, const ten_mesh *mesh, int *devices,
                                             pjrt_spread *out_spread, pjrt_tilings *out_tilings);

/* Matmuls and convolutions read bf16 and accumulate in f32; everything else is unchanged: "bf16 with f32 weights". */
TEN_MUST_USE ten_status *pjrt_use_bf16(pjrt_program *program);
/* Requests the device's highest precision: XLA's default for f32 is TF32 on GPUs and bf16 on TPUs. */
TEN_MUST_USE ten_status *pjrt_use_highest(pjrt_program *program);

#endif
