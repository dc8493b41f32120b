/* model.h: an exported shared object seen from inside: the glue that export.c generates contains one such struct and
 * passes it to the functions of model.c. The glue refers to the names ten_exported_*. */
#ifndef TEN_CPU_EXPORT_MODEL_H
#define TEN_CPU_EXPORT_MODEL_H

#include <stdint.h>

enum { TEN_EXPORTED_STATE = 16 };

typedef struct ten_exported {
  const void *data; /* a .ten file without code, 64-aligned */
  uint64_t size;
  void *const *code; /* generated functions by number */
  uint64_t code_count;
  uint64_t state[TEN_EXPORTED_STATE]; /* zero at first; private to model.c */
} ten_exported;

/* Return codes; ten_exported_message describes them. */
typedef enum ten_exported_code {
  TEN_EXPORTED_OK,
  TEN_EXPORTED_CPU,    /* this CPU lacks instructions that the code uses */
  TEN_EXPORTED_MEMORY, /* there is not enough memory */
  TEN_EXPORTED_DATA,   /* the file is damaged */
  TEN_EXPORTED_CHECK   /* an input that PyTorch rejects, such as an index out of range */
} ten_exported_code;

/* Allocates memory and starts at most `threads` threads, 0: TENFOLD_THREADS, or one per CPU. Calls do this if
 * needed. */
int ten_exported_open(ten_exported *model, uint32_t threads);
int ten_exported_call(ten_exported *model, void *const *inputs, void *const *outputs);
/* Frees memory and threads. No call may be running. */
void ten_exported_close(ten_exported *model);
/* For a check: the message of this thread's last failure. */
const char *ten_exported_message(int code);

#endif
