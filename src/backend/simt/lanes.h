/* lanes.h: several elements a thread, which follow each other in memory, with loads and stores of 16 bytes. */
#ifndef TEN_SIMT_LANES_H
#define TEN_SIMT_LANES_H

#include "backend/simt/gen.h"

/* How many elements of each output a thread is to compute; 1: no more than one. */
int64_t simt_lanes_of(const simt_gen *gen, const ten_value *const *outputs, uint32_t count);
/* The kernel of such a thread. False: it would load element by element, and another kernel is to be begun. */
bool simt_emit_lanes(simt_gen *gen, bool *stored, const ten_value *const *outputs, uint32_t count, int64_t lanes,
                     simt_ix thread);

/* Parts of it: from now on `first`, a register, and the numbers after it are lanes; w0, w1…, and their stores to q0,
 * q1… from this place on, but for outputs that are NULL. */
void simt_set_lanes(simt_gen *gen, simt_ix first, int64_t count);
void simt_lanes_declare(simt_gen *gen, const ten_value *const *outputs, uint32_t count);
void simt_lanes_store(simt_gen *gen, const ten_value *const *outputs, uint32_t count, simt_ix first);

#endif
