/* graph.h: imports one graph in memory as an ATen program: the input of torch.compile. */
#ifndef TEN_IMPORT_GRAPH_H
#define TEN_IMPORT_GRAPH_H

#include "ir/module.h"

/* JSON of a Graph in torch.export's schema. Every input of it is an input of @main, every output a result. The text is
 * not referenced afterwards. */
TEN_MUST_USE ten_status *ten_graph_import(ten_str json, ten_module **out_module);

#endif
