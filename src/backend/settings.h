/* settings.h: how to compile a function. A backend takes these in addition to the module; a module says only what is
 * computed. Zero-initialised settings are the defaults. */
#ifndef TEN_BACKEND_SETTINGS_H
#define TEN_BACKEND_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenfold/status.h"

typedef enum ten_precision {
  TEN_PRECISION_DEFAULT, /* TENFOLD_PRECISION, or f32 */
  TEN_PRECISION_F32,
  TEN_PRECISION_BF16, /* inputs of f32 matmuls and convolutions are rounded to bf16, sums stay f32 */
  TEN_PRECISION_TF32  /* on NVIDIA GPUs: their mantissas are cut to 10 bits, sums stay f32 */
} ten_precision;

enum { TEN_LEVEL_MOST = 3 };

/* Memory whose contents stay as they are for as long as any executable that was compiled with it. */
typedef struct ten_held {
  const void *data;
  size_t bytes;
} ten_held;

typedef struct ten_settings {
  ten_precision precision;
  bool exact_conv; /* no Winograd convolutions, and PyTorch's bf16 is rounded after every op */
  int level;       /* optimization level. 3, or 0: everything; 2: no Winograd; 1: also nothing that changes the
                      order of summation */
  bool transient;  /* compiled for one use: not written to the cache; not part of a cache key */
  /* The program is compiled for one set of sizes after another, and its executables share code (shared.h). NULL: for
   * this one alone. Borrowed: an executable retains it. Not part of a cache key. */
  struct ten_shared *shared;
  /* With `shared`: the sizes that vary between executables, in the same order and number for all; borrowed for the
   * call. The list may be incomplete or empty: open sizes are then detected from more sizes. */
  const int64_t *open_sizes;
  size_t open_count;
  /* With `shared`: memory that constants of the module are views of, by address; `held_as` tells it from what was at
   * the same addresses at other times. What executables compute of such constants alone they share without reading
   * them. Borrowed for the call. Not part of a cache key. */
  const ten_held *held;
  size_t held_count;
  uint64_t held_as;
  /* Working memory shared with other programs (backend.h). NULL, or another backend's: with `shared` the executables of
   * the program share theirs, without it each keeps its own. Borrowed: an executable retains it. Not part of a cache
   * key. */
  struct ten_workspace *workspace;
  int capability; /* of the NVIDIA GPU that kernels are shown for: 90 for sm_90; 0: of the first one here */
  bool verified;  /* the module comes from a lowering that verified it: not again; not part of a cache key */
  /* The module was made for this executable and may be changed, except for the function's type and attributes; it
   * outlives the executable. Otherwise a copy is changed. Not part of a cache key. */
  bool module_lent;
  bool verify_each; /* the module is verified between passes, as with TENFOLD_VERIFY_EACH=on; not part of a cache key */
  /* Called after each compile phase (a pass, planning, code generation) with its duration in seconds; NULL, or valid
   * for the executable's lifetime. Not part of a cache key. */
  void (*phase)(void *user, const char *name, double seconds);
  void *phase_user;
} ten_settings;

/* `precision` is "f32", "bf16", "tf32" or NULL: the default. */
TEN_MUST_USE ten_status *ten_precision_parse(const char *precision, ten_precision *out_precision);
const char *ten_precision_name(ten_precision precision); /* of the default: "f32" */
/* The same together with exact_conv, as most options have them. */
TEN_MUST_USE ten_status *ten_settings_parse(const char *precision, bool exact_conv, ten_settings *out_settings);
/* 1, 2 or 3; anything else is an error. */
TEN_MUST_USE ten_status *ten_settings_set_level(ten_settings *settings, int level);

#endif
