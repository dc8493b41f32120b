/* pt2.h: imports torch.export archives as ATen programs (their form is in front/aten/aten.h). */
#ifndef TEN_IMPORT_PT2_H
#define TEN_IMPORT_PT2_H

#include "front/import/zip.h"
#include "ir/module.h"

/* `bytes` must outlive the module: weights are views of them. `source` is their file, or NULL. */
TEN_MUST_USE ten_status *ten_pt2_import(ten_str bytes, ten_source *source, ten_module **out_module);

#endif
