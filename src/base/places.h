/* places.h: files that are installed together with this library: archives, helper programs, the bundled LLVM. */
#ifndef TEN_BASE_PLACES_H
#define TEN_BASE_PLACES_H

#include <limits.h>
#include <stdbool.h>

/* Looks for `name` in the folders where an installation, a Python package or a build folder has such files, seen from
 * the file that this code is in. `mode` is as for access(2). Sets `out_path` to the path, to ""
 * when it is not there. Allocates nothing: LLVM is looked for where no allocation may fail.
 */
bool ten_place_find(const char *name, int mode, char out_path[PATH_MAX]);

#endif
