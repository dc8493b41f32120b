/* devices.h: what programs can run on. */
#ifndef TEN_CLI_DEVICES_H
#define TEN_CLI_DEVICES_H

#include <stdbool.h>

#include "tenfold/status.h"

typedef struct cli_device {
  const char *name;
  const char *summary;
} cli_device;

/* Ended by a NULL name; the first one is the default. */
extern const cli_device cli_device_table[];

/* The device of that name, or the default for NULL. */
TEN_MUST_USE ten_status *cli_device_find(const char *name, const cli_device **out_device);

#endif
