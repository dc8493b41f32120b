/* estimate.h: what a program needs of a device's memory, worked out from the program alone, before any plugin is
 * loaded.
 */
#ifndef TEN_PJRT_ESTIMATE_H
#define TEN_PJRT_ESTIMATE_H

#include "backend/pjrt/spread.h"

typedef struct pjrt_need {
  uint64_t bytes;
  int64_t argument; /* its number, or -1 */
  const ten_value *value;
} pjrt_need;

enum { PJRT_NEEDS = 8 };
typedef struct pjrt_estimate {
  uint64_t arguments, outputs, temp; /* of one device; outputs that take the place of arguments are not counted */
  pjrt_need largest[PJRT_NEEDS];     /* the largest first: arguments, and what is alive at the worst moment */
  size_t count;
} pjrt_estimate;

/* Temporaries are what cannot be fused away: results of matmuls, convolutions, reductions and the like, each alive
 * until whatever reads it, or reads what is computed from it element by element, is done. That is the least a compiler
 * needs: for VGG19 on v5e, libtpu's own temporaries were 2.3 to 3.1 times as much (padding, copies in other layouts).
 */
void pjrt_estimate_program(const pjrt_program *program, const ten_mesh *mesh, const pjrt_tilings *tilings,
                           pjrt_estimate *out_estimate);
/* Where a value comes from: "f32[2,3] of model.py:12", appended. */
void pjrt_describe_need(const pjrt_program *program, const pjrt_need *need, ten_buf *out);

#endif
