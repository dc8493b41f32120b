/* open_state.h: an executable of a program with open dimensions, and the header of its file, for open_program.c and
 * open_file.c. */
#ifndef TEN_DRIVER_OPEN_STATE_H
#define TEN_DRIVER_OPEN_STATE_H

#include "backend/shapes.h"
#include "backend/shared.h"
#include "base/file.h"
#include "base/hash.h"
#include "driver/open_program.h"

typedef struct open_program {
  ten_executable base;    /* its function is the signature: types with open dimensions */
  ten_import program;     /* owned */
  ten_file file;          /* owned: program and code are read in place; or empty */
  ten_module *signature;  /* owned, of an archive; or NULL */
  const ten_op *declared; /* the program's function */
  ten_hash128 key;        /* ten_sizes_key */
  const ten_backend *device;
  ten_settings settings; /* with `shared` */
  bool unchecked;
  ten_shapes *shapes;
} open_program;

#define OPEN_FILE_MAGIC "TENFOLD open   "
typedef struct open_file_header {
  char magic[16];
  uint64_t format, size; /* of the whole file */
  uint64_t checksum[2];  /* XXH3 of what follows it */
  char version[16];
  uint64_t archive, precision, exact_conv, level, unchecked, entry; /* the last: bytes of its name, which follows */
  uint64_t program, code;                                           /* bytes of each */
} open_file_header;

/* An executable without program and signature; destroyed with open_destroy. */
open_program *open_create(const ten_open_options *options);
void open_view(open_program *p, const ten_import *program); /* takes a view of the program */
void open_destroy(ten_executable *executable);
/* Finds the function and fills in the signature. */
TEN_MUST_USE ten_status *open_sign(open_program *p, const char *entry);
/* Compiles for inputs of these shapes, and runs nothing. */
TEN_MUST_USE ten_status *open_prepare(open_program *p, ten_tensor *const *inputs);

#endif
