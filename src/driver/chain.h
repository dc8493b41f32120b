/* chain.h: a PyTorch program for inputs of known shapes, ready to run. If sizes depend on data it is a chain of parts,
 * each compiled when a size first occurs and cached: the same sizes compile nothing again. */
#ifndef TEN_DRIVER_CHAIN_H
#define TEN_DRIVER_CHAIN_H

#include "backend/backend.h"
#include "front/import/load.h"

typedef struct ten_chain ten_chain;

typedef struct ten_chain_options {
  ten_aten_options lowering; /* what it points to must outlive the chain */
  const ten_backend *device;
  ten_settings settings;
} ten_chain_options;

/* The program must be an archive, and outlive the chain. */
TEN_MUST_USE ten_status *ten_chain_open(const ten_import *program, const ten_chain_options *options,
                                        ten_chain **out_chain);
void ten_chain_close(ten_chain *chain); /* NULL is fine */

/* The first part, owned by the chain; `out_whole`: it is the only part, and may be compiled like any module. */
ten_module *ten_chain_first(ten_chain *chain, bool *out_whole);
/* Seconds spent on lowering and compiling so far. */
double ten_chain_compile_seconds(const ten_chain *chain);
/* Runs all parts. The caller releases the results and frees the list. One call at a time. */
TEN_MUST_USE ten_status *ten_chain_execute(ten_chain *chain, ten_tensor *const *inputs, size_t count,
                                           const ten_run_options *options, ten_tensor ***out_results,
                                           uint32_t *out_count);

#endif
