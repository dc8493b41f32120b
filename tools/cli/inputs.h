/* inputs.h: a program's inputs: given files, and random numbers for the rest. */
#ifndef TEN_CLI_INPUTS_H
#define TEN_CLI_INPUTS_H

#include "cli/command.h"
#include "ir/module.h"
#include "value/tensor.h"

/* Reads the files of `--input` into `inputs` (as many as the function takes, NULL each). Files are read against the
 * declared types, and determine dynamic sizes. With `filled`, others may be missing. */
TEN_MUST_USE ten_status *cli_inputs_read(const cli_list *files, bool filled, const ten_op *func, ten_tensor **inputs);
/* Random numbers for missing inputs, once every size is known. Integers of a PyTorch program (`indices`, or the
 * function marks the input as one of an archive) are 0 or 1: valid indices or classes for almost every model. */
TEN_MUST_USE ten_status *cli_inputs_fill(uint64_t seed, const ten_op *func, bool indices, ten_tensor **inputs);

#endif
