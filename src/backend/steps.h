/* steps.h: lists the steps of a compiled program for inspection: in execution order, with the source location of each
 * and the memory that each reads and writes. */
#ifndef TEN_BACKEND_STEPS_H
#define TEN_BACKEND_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum ten_buffer_place {
  TEN_PLACE_ARENA, /* working memory: `offset` in it */
  TEN_PLACE_INPUT,
  TEN_PLACE_OUTPUT,
  TEN_PLACE_CONSTANT,
  TEN_PLACE_HOISTED /* computed once, when the program is loaded */
} ten_buffer_place;

typedef struct ten_step_buffer {
  ten_buffer_place place;
  uint32_t index; /* INPUT, OUTPUT: which */
  size_t bytes, offset;
} ten_step_buffer;

typedef struct ten_step_arg {
  uint32_t buffer;
  size_t bytes; /* that are used */
  bool written;
} ten_step_arg;

/* Texts are borrowed from the executable. */
typedef struct ten_step_row {
  const char *kind;
  ten_str label;        /* kind, op and types */
  ten_str layer, place; /* "features.0", "net.py:12"; empty: unknown */
  double flops, bytes;  /* of one run; bytes read and written */
  uint32_t depth;       /* nesting depth in loops and branches */
  bool once;            /* runs when the program is loaded, not at each call */
  bool host;            /* executed by the caller: not compiled */
  size_t first_arg, arg_count;
} ten_step_row;

/* Zero-initialise; free with ten_steps_free. Row numbers match those of a profile before it is sorted. */
typedef struct ten_steps {
  TEN_VEC(ten_step_row) rows;
  TEN_VEC(ten_step_arg) args;
  TEN_VEC(ten_step_buffer) buffers;
  size_t arena_bytes, hoisted_bytes;
  unsigned threads; /* maximum number of threads that run it */
} ten_steps;

void ten_steps_free(ten_steps *steps);

#endif
