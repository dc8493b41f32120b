/* estimate.h: estimates a program's device memory from the program alone, before any plugin is loaded. */
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
  uint64_t arguments, outputs, temp; /* per device; outputs that alias arguments are not counted */
  pjrt_need largest[PJRT_NEEDS];     /* the largest first: arguments, and buffers live at the peak */
  size_t count;
} pjrt_estimate;

/* Temporaries are results that cannot be fused: of matmuls, convolutions, reductions and similar ops, each live until
 * its last reader, direct or through elementwise ops, is done. That is a lower bound for a compiler: for VGG19 on v5e,
 * libtpu's own temporaries were 2.3 to 3.1 times as much (padding, copies in other layouts). */
void pjrt_estimate_program(const pjrt_program *program, const ten_mesh *mesh, const pjrt_tilings *tilings,
                           pjrt_estimate *out_estimate);
/* Appends a value's type and source location: "f32[2,3] of model.py:12". */
void pjrt_describe_need(const pjrt_program *program, const pjrt_need *need, ten_buf *out);

#endif
