/* topology.h: TPUs by their Cloud TPU names: generation and shape (v5e:2x2), or accelerator type
 * (v5litepod-4, v4-8). */
#ifndef TEN_PJRT_TOPOLOGY_H
#define TEN_PJRT_TOPOLOGY_H

#include <stdint.h>

#include "base/str.h"

typedef struct ten_tpu_chip {
  const char *name;        /* as libtpu takes it: "v5e" */
  const char *other[3];    /* "v5litepod", "v5lite" */
  unsigned dimensions;     /* of its interconnect */
  unsigned devices;        /* visible to a program per chip */
  unsigned counted;        /* units per chip that the number of an accelerator type (v4-8) counts */
  int64_t memory;          /* HBM bytes of one device */
  double flops, bandwidth; /* per chip: bf16 operations and HBM bytes per second, as published */
  unsigned most;           /* maximum chips in one slice */
  bool masks;              /* libtpu prefers JAX's form of ReLU's gradient: pjrt_style */
} ten_tpu_chip;

typedef struct ten_tpu_topology {
  const ten_tpu_chip *chip;
  unsigned shape[3]; /* chips along each dimension; 1 for a missing dimension */
  char name[48];     /* "v5e:2x2", as libtpu takes it */
} ten_tpu_topology;

/* Terminated by an entry without a name. */
extern const ten_tpu_chip ten_tpu_chips[];

/* "v5e:2x2", "v5e", "v5litepod-16", "v4-8", each with or without the prefix "tpu:". The error lists the valid names. */
TEN_MUST_USE ten_status *ten_tpu_parse(const char *text, ten_tpu_topology *out_topology);
static inline unsigned ten_tpu_chip_count(const ten_tpu_topology *t) { return t->shape[0] * t->shape[1] * t->shape[2]; }
static inline unsigned ten_tpu_device_count(const ten_tpu_topology *t) {
  return ten_tpu_chip_count(t) * t->chip->devices;
}

#endif
