/* shapes.h: the options that give sizes to open dimensions of a program (`--batch`, `--shape`), and the names of a
 * function's inputs and results. */
#ifndef TEN_CLI_SHAPES_H
#define TEN_CLI_SHAPES_H

#include "cli/command.h"
#include "front/aten/aten.h"

typedef struct cli_shapes {
  int64_t batch;   /* 0: not given */
  cli_list shapes; /* NAME=4x5x6 of an input, SYMBOL=8 of a dimension */
  bool by_symbol;  /* open dimensions are named as cli_symbols_describe does */
} cli_shapes;

/* What is known of each open dimension of an archive, a line each: its symbol, where it is, its range and size. */
void cli_symbols_describe(const ten_module *aten, const ten_aten_input *inputs, ten_buf *out);

#define CLI_SHAPE_HELP "NAME=SIZES"

/* The inputs of an archive's @main: `out_inputs` has room for all. Sizes that are not given are those of the archive's
 * example. */
TEN_MUST_USE ten_status *cli_shapes_of_archive(const cli_shapes *shapes, ten_module *aten, ten_aten_input *out_inputs);
/* The same for a StableHLO module whose entry has open dimensions: makes them static. Replaces `*module`. */
TEN_MUST_USE ten_status *cli_shapes_apply(const cli_shapes *shapes, const char *entry, ten_module **module);

/* The open dimensions, and the sizes used for them, in words: nothing when all are known. */
void cli_shapes_describe(const ten_module *aten, const ten_aten_input *inputs, ten_buf *out);

#endif
