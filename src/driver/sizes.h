/* sizes.h: programs that leave sizes open and are compiled for one set of sizes after another: what their code is to
 * read is learnt before the first compilation. Other sizes are chosen and the program is lowered for them; or code that
 * an earlier process generated is taken over. */
#ifndef TEN_DRIVER_SIZES_H
#define TEN_DRIVER_SIZES_H

#include "backend/backend.h"
#include "base/hash.h"
#include "front/import/load.h"

/* The same for programs that are likely to share code, in this process or another; `func` is the program's and may be
 * NULL. Zeros: it leaves no size open. Renumbers values: no other thread may use the program. */
ten_hash128 ten_sizes_key(const ten_import *program, const ten_op *func);

/* The program for these inputs, as StableHLO: lowered, or with refined shapes; `func` is the program's. Inputs of
 * StableHLO have types, and only their shapes count. */
TEN_MUST_USE ten_status *ten_sizes_lower(const ten_import *program, const ten_op *func,
                                         const ten_aten_options *lowering, ten_module **out_module);

/* Completes settings with `shared`: lists the open sizes, in `arena`, and before the first compilation learns from
 * other sizes, or from the entry with this key in the cache. `lowering` is that for the sizes at hand. Other sizes are
 * chosen by the symbols of an archive; in StableHLO those that are equal here are taken to stay equal where the program
 * asks for it. Where none can be chosen the first two sizes tell what is open. */
void ten_sizes_prepare(const ten_import *program, const ten_op *func, ten_hash128 key, const ten_backend *backend,
                       const ten_aten_options *lowering, ten_arena *arena, ten_settings *settings);

#endif
