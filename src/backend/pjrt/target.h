/* target.h: compiles a program for a machine that is not present, from the function to the file. */
#ifndef TEN_PJRT_TARGET_H
#define TEN_PJRT_TARGET_H

#include "backend/pjrt/aot.h"
#include "backend/pjrt/estimate.h"
#include "backend/pjrt/spread.h"
#include "backend/pjrt/topology.h"

typedef struct ten_target {
  char *plugin;     /* owned; the library, NULL until it is searched for */
  const char *kind; /* "tpu", or "pjrt" for a plugin by its path */
  char topology[64];
  ten_str topology_options; /* NAME=VALUE,…; borrowed from the text */
  bool is_tpu;              /* `tpu` describes its chips */
  ten_tpu_topology tpu;
} ten_target;

/* "tpu:v5e:2x2" (or any other name of topology.h after "tpu:"), "pjrt:PATH.so:TOPOLOGY[?NAME=VALUE,…]". */
TEN_MUST_USE ten_status *ten_target_parse(const char *text, ten_target *out_target);
void ten_target_free(ten_target *target);
/* Whether the text is a target name. */
bool ten_target_is(const char *text);

typedef struct ten_target_options {
  ten_mesh mesh;
  bool bf16, force; /* force: compile even if it will not fit */
} ten_target_options;

/* A function prepared for a target. */
typedef struct ten_prepared {
  pjrt_program program;
  pjrt_spread spread;
  pjrt_tilings tilings;
  int *devices; /* owned */
  pjrt_estimate estimate;
} ten_prepared;
/* An error when the target has too few devices, or, unless forced, too little memory: the message names the largest
 * buffers. `func`'s module must outlive what is prepared. */
TEN_MUST_USE ten_status *ten_target_prepare(const ten_target *target, const ten_target_options *options,
                                            const ten_module *module, const ten_op *func, ten_prepared *out_prepared);
void ten_prepared_free(ten_prepared *prepared);
TEN_MUST_USE ten_status *ten_target_compile(const ten_target *target, ten_aot *aot, const ten_prepared *prepared,
                                            ten_aot_result *out_result);

/* OUT.tpu: the executable, the weights, and the function's signature; see aot_file.c. */
TEN_MUST_USE ten_status *ten_target_write(const char *path, const ten_target *target, const ten_prepared *prepared,
                                          const ten_aot_result *result);
bool ten_target_file_at(const char *path);
/* Loads a file on its device, or (`device` is not NULL) on another. */
TEN_MUST_USE ten_status *ten_target_open(const char *path, const ten_backend *device, ten_executable **out_executable);

#endif
