/* pt2.h: torch.export archives become ATen programs (front/aten/aten.h says what those look like). */
#ifndef TEN_IMPORT_PT2_H
#define TEN_IMPORT_PT2_H

#include "front/import/zip.h"
#include "ir/module.h"

/* `bytes` must outlive the module: weights are looked at where they lie. `source` is the file that they are, or NULL.
 */
TEN_MUST_USE ten_status *ten_pt2_import(ten_str bytes, ten_source *source, ten_module **out_module);

#endif
