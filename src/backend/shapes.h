/* shapes.h: the executables of a program with open dimensions, one for each set of input shapes, made when first used.
 * The most recent sets stay, as many as fit into a budget: a thousand sizes take no more memory than a few.
 * Thread-safe. */
#ifndef TEN_BACKEND_SHAPES_H
#define TEN_BACKEND_SHAPES_H

#include "backend/backend.h"

typedef struct ten_shapes ten_shapes;
typedef struct ten_shaped ten_shaped; /* one set of shapes */

/* Makes the executable for these inputs; `out_module` (NULL: none) is destroyed after it. */
typedef ten_status *(*ten_shapes_make)(void *context, ten_tensor *const *inputs, ten_executable **out_executable,
                                       ten_module **out_module);

ten_shapes *ten_shapes_create(void);
void ten_shapes_destroy(ten_shapes *shapes); /* NULL is fine */
/* The executable for inputs of these shapes, made with `make` if there is none. Valid until ten_shapes_done(shapes,
 * *out_used). */
TEN_MUST_USE ten_status *ten_shapes_find(ten_shapes *shapes, ten_tensor *const *inputs, size_t count,
                                         ten_shapes_make make, void *context, ten_executable **out_executable,
                                         ten_shaped **out_used);
void ten_shapes_done(ten_shapes *shapes, ten_shaped *used); /* NULL is fine */

#endif
