/* model.h: what an exported shared object is, seen from inside: the glue that export.c generates holds one such struct
 * and hands it to the functions of model.c. Names ten_exported_* are known to the glue. */
#ifndef TEN_CPU_EXPORT_MODEL_H
#define TEN_CPU_EXPORT_MODEL_H

#include <stdint.h>

enum { TEN_EXPORTED_STATE = 16 };

typedef struct ten_exported {
  const void *data; /* a .ten file without code, 64-aligned */
  uint64_t size;
  void *const *code; /* generated functions by number */
  uint64_t code_count;
  uint64_t state[TEN_EXPORTED_STATE]; /* zero at first; model.c's own */
} ten_exported;

/* What the functions return; ten_exported_message says it in words. */
typedef enum ten_exported_code {
  TEN_EXPORTED_OK,
  TEN_EXPORTED_CPU,    /* this CPU lacks instructions that the code uses */
  TEN_EXPORTED_MEMORY, /* there is not enough memory */
  TEN_EXPORTED_DATA,   /* the file is damaged */
  TEN_EXPORTED_CHECK   /* an input is what PyTorch refuses: an index out of range, say */
} ten_exported_code;

/* Prepares it: memory and threads; at most `threads`, 0: TENFOLD_THREADS, or as many as there are CPUs. Calls prepare
 * what is not. */
int ten_exported_open(ten_exported *model, uint32_t threads);
int ten_exported_call(ten_exported *model, void *const *inputs, void *const *outputs);
/* Gives memory and threads back. No call may be running. */
void ten_exported_close(ten_exported *model);
/* Of a check: what the last call of this thread that failed so found. */
const char *ten_exported_message(int code);

#endif
