/* open_program.h: a program that leaves dimensions open, as one executable and as one file. A call lowers and plans it
 * for the shapes of its inputs, unless a recent call had the same; machine code is shared between sizes
 * (backend/shared.h). A file holds the program itself and the machine code for the sizes it was tried with: for sizes
 * that this code serves, which are nearly all, nothing is compiled where the file is opened. */
#ifndef TEN_DRIVER_OPEN_PROGRAM_H
#define TEN_DRIVER_OPEN_PROGRAM_H

#include "backend/backend.h"
#include "base/file.h"
#include "front/import/load.h"

typedef struct ten_open_options {
  const char *entry; /* the function; NULL: @main, or the only public one */
  ten_settings settings;
  bool unchecked;     /* of an archive: without checks for errors that eager mode raises */
  ten_buf *why_empty; /* of a file, may be NULL: gets why no sizes that were tried fit, where it holds no code */
} ten_open_options;

/* Whether an input of the function leaves a dimension open; `entry` as above. */
bool ten_import_is_open(const ten_import *program, const char *entry);
/* Runs on the default device. The program is borrowed and must outlive the executable. */
TEN_MUST_USE ten_status *ten_open_program_create(const ten_import *program, const ten_open_options *options,
                                                 ten_executable **out_executable);
/* Compiles it for some sizes and writes program and code to `path`, whole or not at all. */
TEN_MUST_USE ten_status *ten_open_program_save(const ten_import *program, const ten_open_options *options,
                                               const char *path);

/* True when the first bytes are those of such a file. */
bool ten_open_program_is(ten_str bytes);
/* Reads a file, 64-aligned; everything but the machine code is checked. On success the executable owns `file`. */
TEN_MUST_USE ten_status *ten_open_program_read(const ten_file *file, const char *name, ten_executable **out_executable);

#endif
