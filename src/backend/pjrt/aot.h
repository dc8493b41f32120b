/* aot.h: ahead-of-time compilation for an absent device by its vendor's plugin: a topology describes the machine. A
 * separate process (the small program `tenfold-aot`) does the work, unless requested otherwise: a plugin that crashes,
 * exits or prints does not affect the caller. TENFOLD_AOT names another command to run in its place, for example an
 * emulator around it. */
#ifndef TEN_PJRT_AOT_H
#define TEN_PJRT_AOT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "ir/bytecode/bytecode.h"

typedef struct ten_aot_cost {
  char *name; /* owned: "flops", "bytes accessed", … as the plugin names it */
  double value;
} ten_aot_cost;

enum {
  TEN_AOT_CODE,
  TEN_AOT_ARGUMENTS,
  TEN_AOT_OUTPUTS,
  TEN_AOT_ALIASED, /* outputs that alias arguments */
  TEN_AOT_TEMP,
  TEN_AOT_PEAK, /* 0: not reported by the plugin */
  TEN_AOT_MEMORY_COUNT
};

typedef struct ten_aot_result {
  ten_buf executable;       /* serialised; empty: not supported by the plugin */
  ten_buf program, format;  /* after scheduling: "hlo_with_config", "hlo" or "mlir" */
  ten_buf platform, device; /* "tpu …version", "TPU v5 lite" */
  size_t device_count;      /* of the topology */
  double seconds;           /* compile time */
  TEN_VEC(ten_aot_cost) costs;
  bool has_memory;
  int64_t memory[TEN_AOT_MEMORY_COUNT]; /* bytes per device */
} ten_aot_result;

void ten_aot_result_free(ten_aot_result *result);
/* The cost of that name, or `otherwise`. */
double ten_aot_cost_of(const ten_aot_result *result, const char *name, double otherwise);

/* A loaded plugin: it first reports its capabilities, then compiles any number of programs. */
typedef struct ten_aot ten_aot;
TEN_MUST_USE ten_status *ten_aot_open(const char *plugin, bool isolate, ten_aot **out_aot);
void ten_aot_close(ten_aot *aot); /* NULL is fine */
ten_vhlo_version ten_aot_stablehlo(const ten_aot *aot);
/* `topology` as the plugin names it, with options NAME=VALUE,… or empty; `options` is a CompileOptionsProto. */
TEN_MUST_USE ten_status *ten_aot_compile(ten_aot *aot, const char *topology, ten_str topology_options, ten_str program,
                                         ten_str options, ten_aot_result *out_result);

#endif
