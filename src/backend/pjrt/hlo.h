/* hlo.h: parses XLA's HLO as plugins return it: a serialised HloModuleProto, read in place. It understands enough to
 * print it and to find collectives, buffers and their source lines; unknown fields are skipped. */
#ifndef TEN_PJRT_HLO_H
#define TEN_PJRT_HLO_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ten_hlo_op {
  ten_str proto; /* HloInstructionProto */
  ten_str name, opcode, shape;
  int64_t id, parameter; /* parameter: its index, or -1 */
  uint64_t bytes;        /* of its result in the device's main memory, padded according to its layout */
  ten_str file;          /* the user's source file; empty: unknown */
  uint32_t line;
} ten_hlo_op;

typedef struct ten_hlo_computation {
  ten_str name;
  int64_t id, root;
  bool fused;      /* inside a fusion: its results are not materialized */
  ten_hlo_op *ops; /* owned; in scheduled order, if there is a schedule */
  size_t count;
} ten_hlo_computation;

typedef struct ten_hlo {
  ten_str name;
  bool scheduled;
  ten_hlo_computation *computations; /* owned; the entry last */
  size_t count;
} ten_hlo;

/* `format` is PJRT's name: "hlo" or "hlo_with_config". The bytes must outlive the result. */
TEN_MUST_USE ten_status *ten_hlo_read(ten_str bytes, ten_str format, ten_hlo *out_hlo);
void ten_hlo_free(ten_hlo *hlo);
void ten_hlo_print(ten_buf *out, const ten_hlo *hlo);
/* "f32[2,3]{1,0}" */
void ten_hlo_print_shape(ten_buf *out, ten_str shape, bool layout);

/* Collectives by kind. */
typedef struct ten_hlo_collective {
  const char *kind; /* "all-reduce", … */
  size_t count;
  uint64_t bytes; /* of their results on one device */
} ten_hlo_collective;
enum { TEN_HLO_COLLECTIVES = 6 };
/* Those that occur; ops in loops count once. Returns the number of kinds. */
size_t ten_hlo_collectives(const ten_hlo *hlo, ten_hlo_collective out[TEN_HLO_COLLECTIVES]);

/* The largest results and parameters, the largest first; tuples and aliases of another buffer are omitted. */
size_t ten_hlo_largest(const ten_hlo *hlo, const ten_hlo_op **out, size_t room);

#endif
