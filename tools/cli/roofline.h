/* roofline.h: peaks of devices, and the resulting bounds of a program. */
#ifndef TEN_CLI_ROOFLINE_H
#define TEN_CLI_ROOFLINE_H

#include <jansson.h>

#include "analyze/analyze.h"

typedef struct roofline_device {
  char name[32];
  const char *what;        /* source of the figures */
  double flops, bandwidth; /* per second */
  double memory;           /* bytes; 0: unknown */
} roofline_device;

enum { ROOFLINE_DEVICES = 16 };
/* This machine's CPU, measured (skipped when that fails), the TPUs, the H200. Returns how many. */
size_t roofline_devices(bool measure, roofline_device *out);
/* The first of these alone; false when it cannot be measured. Takes a moment. */
bool roofline_machine(roofline_device *out);

/* The row of an option table whose values have a bool called `no_measure`. */
#define CLI_NO_MEASURE_OPTION(values) \
  {"no-measure", 0, CLI_FLAG, NULL, "do not measure what this machine can do at most", offsetof(values, no_measure)}

void roofline_print(const ten_analysis *analysis, const roofline_device *devices, size_t count);
json_t *roofline_json(const ten_analysis *analysis, const roofline_device *devices, size_t count);

#endif
