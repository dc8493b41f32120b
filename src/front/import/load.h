/* load.h: programs from files: a PyTorch archive (.pt2), MLIR bytecode or MLIR text, distinguished by their first
 * bytes. */
#ifndef TEN_IMPORT_LOAD_H
#define TEN_IMPORT_LOAD_H

#include "front/aten/aten.h"
#include "ir/text/text.h"

/* One program, in its original form. Exactly one of the two modules is set. */
typedef struct ten_import {
  ten_module *aten;      /* owned; of a .pt2 archive */
  ten_module *stablehlo; /* owned; of text and bytecode */
  ten_str bytes;         /* of an archive: the file, borrowed from the module; or empty */
} ten_import;

/* "-" is standard input. Text of several modules is an error here; ten_text_parse_all reads those. StableHLO is
 * verified; an archive is verified after lowering. */
TEN_MUST_USE ten_status *ten_import_load(const char *path, ten_import *out_program);
void ten_import_destroy(ten_import *program);
/* True when the bytes are those of a .pt2 archive. */
bool ten_import_is_archive(ten_str bytes);
/* Constants are views of the bytes, which live as long as the module. `source` is their file, or NULL. */
TEN_MUST_USE ten_status *ten_archive_load(ten_str bytes, ten_source *source, ten_module **out_aten);

/* The program as StableHLO, for these inputs (aten.h); NULL options: as exported. StableHLO programs are cloned
 * unchanged. The program must outlive the module: constants are shared. */
TEN_MUST_USE ten_status *ten_import_specialize(const ten_import *program, const ten_aten_options *options,
                                               ten_module **out_module);

#endif
