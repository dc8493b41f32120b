/* merge.h: merges functions that differ only in constants. */
#ifndef TEN_CPU_MERGE_H
#define TEN_CPU_MERGE_H

#include "backend/cpu/codegen/cg.h"

/* Merges the inner functions of steps (spell.h). */
void cg_merge(ten_cg *cg);

#endif
