/* merge.h: functions that differ in numbers alone become one. */
#ifndef TEN_CPU_MERGE_H
#define TEN_CPU_MERGE_H

#include "backend/cpu/codegen/cg.h"

/* Inner functions of steps: private, one caller each, the last parameter a pointer that nothing uses yet. */
#define CG_INNER_PREFIX "body"

void cg_merge(ten_cg *cg);

#endif
