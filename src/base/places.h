/* places.h: files that are installed together with this library: archives, helper programs, the bundled LLVM. */
#ifndef TEN_BASE_PLACES_H
#define TEN_BASE_PLACES_H

#include <limits.h>
#include <stdbool.h>

/* Looks for `name` in the folders of an installation, a Python package or a build folder, relative to the file that
 * contains this code. `mode` is as for access(2). Sets `out_path` to the path, or to "" when nothing is found.
 * Allocates nothing: LLVM is located where no allocation may fail. */
bool ten_place_find(const char *name, int mode, char out_path[PATH_MAX]);

#endif
