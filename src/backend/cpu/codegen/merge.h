/* merge.h: functions that differ in numbers alone become one. */
#ifndef TEN_CPU_MERGE_H
#define TEN_CPU_MERGE_H

#include "backend/cpu/codegen/cg.h"

/* Those of steps (spell.h). */
void cg_merge(ten_cg *cg);

#endif
