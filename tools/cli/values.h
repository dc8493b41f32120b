/* values.h: a program's inputs and results as files, as random numbers, and as readable text. */
#ifndef TEN_CLI_VALUES_H
#define TEN_CLI_VALUES_H

#include <jansson.h>
#include <stdio.h>

#include "value/tensor.h"

/* The array of a .npy file, as a value of `type`: its element type determines how raw bytes are read, its shape is
 * checked. */
TEN_MUST_USE ten_status *cli_value_read(const char *path, const ten_type *type, ten_tensor **out_tensor);

/* The same seed, argument and type give the same numbers everywhere: floats in [-1, 1), integers in [-8, 8) or [0, 16)
 * or as much of that as the type holds, with `indices` 0 or 1; booleans. Dimensions must be known. */
TEN_MUST_USE ten_status *cli_value_random(uint64_t seed, uint32_t argument, const ten_type *type, bool indices,
                                          ten_tensor **out_tensor);

/* DIR/NAME.npy; the parts of a tuple as DIR/NAME.0.npy and so on; a token is not written. */
TEN_MUST_USE ten_status *cli_value_write(const char *dir, const char *name, const ten_tensor *tensor);

/* Two lines: type, minimum, mean and maximum; then the first elements. */
void cli_value_print(FILE *out, const char *name, const ten_tensor *tensor);
json_t *cli_value_json(const ten_tensor *tensor);

#endif
