/* python_files.h: finds libraries that come as Python packages. */
#ifndef TEN_BACKEND_PYTHON_FILES_H
#define TEN_BACKEND_PYTHON_FILES_H

#include "base/environment.h"
#include "base/str.h"

enum { TEN_PYTHON_FILES_MOST = 4 };

/* The file that the variable names, or else the first of `files`, which are below site-packages; the caller frees the
 * path. `get` says how to get it, for the error. */
TEN_MUST_USE ten_status *ten_python_file_find(ten_env variable, const char *const files[TEN_PYTHON_FILES_MOST],
                                              const char *get, char **out_path);

#endif
