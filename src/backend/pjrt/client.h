/* client.h: Tenfold as a client of another vendor's PJRT plugin: loading and querying it, compiling with it, running on
 * its devices. Private to src/backend/pjrt; backends see backend/backend.h, the command sees backend/pjrt/device.h and
 * backend/pjrt/aot.h. */
#ifndef TEN_PJRT_CLIENT_H
#define TEN_PJRT_CLIENT_H

#include "backend/pjrt/abi.h"
#include "backend/pjrt/device.h"
#include "backend/pjrt/types.h"
#include "ir/bytecode/bytecode.h"

enum { PJRT_MINOR_LEAST = 40 }; /* earlier versions had different structs under the same names */

typedef struct pjrt_plugin {
  const PJRT_Api *api;        /* the plugin's own, never unloaded */
  char *path;                 /* owned */
  const char *name;           /* the last part of the path, for messages */
  ten_vhlo_version stablehlo; /* version in which programs are written: the newest that both sides support */
} pjrt_plugin;

/* True when the plugin's table is long enough to contain the call and implements it. */
#define PJRT_HAS(plugin, call) \
  (offsetof(PJRT_Api, call##_) + sizeof(void *) <= (plugin)->api->struct_size && (plugin)->api->call##_ != NULL)
/* A plugin newer than this header rejects structs shorter than its own, so it gets longer ones: the bytes after the
 * known fields are zero, which PJRT reads as "not set". */
enum { PJRT_LATER = 16 };
#define PJRT_IS_NEWER(plugin) ((plugin)->api->pjrt_api_version.minor_version > PJRT_API_MINOR)
/* Makes the call, returns a status; `pointer` is to a call##_Args with its struct_size set; `said` describes it. */
#define PJRT_TRY_AS(plugin, call, pointer, said)                                  \
  __extension__({                                                                 \
    struct {                                                                      \
      call##_Args args;                                                           \
      uint64_t later[PJRT_LATER];                                                 \
    } padded_ = {.args = *(pointer)};                                             \
    ten_status *called_;                                                          \
    if (PJRT_HAS(plugin, call)) {                                                 \
      if (PJRT_IS_NEWER(plugin)) padded_.args.struct_size = sizeof padded_;       \
      called_ = pjrt_take((plugin), (plugin)->api->call##_(&padded_.args), said); \
      padded_.args.struct_size = sizeof(call##_Args);                             \
      *(pointer) = padded_.args;                                                  \
    } else {                                                                      \
      called_ = pjrt_missing((plugin), &#call[sizeof "PJRT_" - 1]);               \
    }                                                                             \
    called_;                                                                      \
  })
#define PJRT_TRY_CALL(plugin, call, pointer) PJRT_TRY_AS(plugin, call, pointer, &#call[sizeof "PJRT_" - 1])
#define PJRT_ARGS(call, ...) {.struct_size = sizeof(call##_Args), __VA_ARGS__}

/* Loads the library and checks that it is a compatible plugin; does not touch the device. */
TEN_MUST_USE ten_status *pjrt_plugin_load(const char *path, pjrt_plugin *out_plugin);
void pjrt_plugin_free(pjrt_plugin *plugin); /* the library stays loaded: plugins do not survive dlclose */
/* Converts and frees a plugin's error (NULL: none): a status with its code, message and payloads. */
TEN_MUST_USE ten_status *pjrt_take(const pjrt_plugin *plugin, PJRT_Error *error, const char *call);
TEN_MUST_USE ten_status *pjrt_missing(const pjrt_plugin *plugin, const char *call);

/* NAME=VALUE options as PJRT named values. true/false, integers, decimals and lists of integers (1:2:3) are sent typed;
 * everything else, and anything in single quotes, as text. */
typedef struct pjrt_options {
  PJRT_NamedValue *values; /* owned, with all they point to */
  size_t count;
} pjrt_options;
TEN_MUST_USE ten_status *pjrt_options_parse(ten_str text, pjrt_options *out_options);
void pjrt_options_add(pjrt_options *options, ten_str name, ten_str value);
bool pjrt_options_have(const pjrt_options *options, const char *name);
void pjrt_options_free(pjrt_options *options);

/* Waits for the event and destroys it; `seconds` 0: no timeout. NULL events are complete. */
TEN_MUST_USE ten_status *pjrt_await(const pjrt_plugin *plugin, PJRT_Event *event, double seconds, const char *what);

/* How a program is partitioned: 1 × 1 by default. */
typedef struct pjrt_spread {
  uint32_t replicas, partitions;
  bool shardy;        /* the program's shardings are sdy; otherwise mhlo */
  const int *devices; /* ids, replicas × partitions of them, or NULL: the plugin chooses */
} pjrt_spread;
/* CompileOptionsProto. */
void pjrt_compile_options(ten_buf *out, const pjrt_spread *spread);

#endif
