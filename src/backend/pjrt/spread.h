/* spread.h: one program over several devices, and in other precisions, before it is written for a plugin. */
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

/* How each argument and result lies over the devices. */
typedef struct pjrt_tilings {
  uint32_t devices; /* 1: each is whole, and there are no lists */
  uint32_t input_count, output_count;
  ten_tiling *inputs, *outputs; /* owned */
  char *why;                    /* owned, or NULL: why it is not known, though there are several devices */
} pjrt_tilings;
void pjrt_tilings_free(pjrt_tilings *tilings);

/* Says how arguments and results are split, and gives what the plugin has to be told. A program that says so itself
 * keeps its own shardings (then the mesh must be 1 × 1), and what it leaves open is whole everywhere. Over a mesh,
 * results that take an argument's place are split like it, and the others are whole. `devices` has room for
 * TEN_SPREAD_MOST ids. */
enum { TEN_SPREAD_MOST = 16384 };
TEN_MUST_USE ten_status *pjrt_spread_program(pjrt_program *program, const ten_mesh *mesh, int *devices,
                                             pjrt_spread *out_spread, pjrt_tilings *out_tilings);

/* Matmuls and convolutions read bf16 and add up in f32; everything else stays: "bf16 with f32 weights". */
TEN_MUST_USE ten_status *pjrt_use_bf16(pjrt_program *program);
/* They are computed as precisely as the device can: XLA's own choice for f32 is TF32 on GPUs and bf16 on TPUs. */
TEN_MUST_USE ten_status *pjrt_use_highest(pjrt_program *program);

#endif
