/* devices.h: the devices that the command can name. */
#ifndef TEN_CLI_DEVICES_H
#define TEN_CLI_DEVICES_H

#include "backend/backend.h"

/* The device of that name, or the first of the table for NULL. The error suggests the nearest name. */
TEN_MUST_USE ten_status *cli_device_find(const char *name, const ten_backend **out_device);

#endif
