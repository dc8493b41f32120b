/* custom.h: operators of other libraries. An operator gets a lowering: a function that returns StableHLO for the given
 * operands. A lowering may call a kernel: a plain C function that the executable calls, named by stablehlo.custom_call.
 * Registration is process-wide; the last registration of a name counts.
 *
 * Threads: registering and loading may be done by any thread, at any time; programs compiled before are not changed. */
#ifndef TENFOLD_CUSTOM_H
#define TENFOLD_CUSTOM_H

#include "tenfold/buffer.h"
#include "tenfold/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call of an operator. Everything is borrowed for the duration of the call. */
typedef struct ten_lowering_request {
  size_t size;                /* sizeof(ten_lowering_request); later versions add fields at the end */
  const char *op;             /* "mylib.scale.default" */
  const ten_buffer *operands; /* tensors, in the order of the operator's arguments; types and shapes, no data */
  size_t operand_count;
  const ten_buffer *results; /* the operator's results, as far as they are known; unknown dimensions are -1 */
  size_t result_count;
  const void *arguments; /* for ten_lowering_number */
} ten_lowering_request;

/* Answers `request` with the text of a StableHLO module whose @main takes the operands and returns the results in
 * `out_text`, allocated by malloc and freed by the library. `user` is what was registered. An error ends the lowering
 * of the program and is its error. May be called from several threads. */
typedef ten_status *(*ten_lowering)(const ten_lowering_request *request, void *user, char **out_text);
/* Registers `lowering` for the operator `op`, with or without its overload: "mylib::scale", "mylib::scale.default".
 * The name is copied; `user` is handed to each call and must stay. TEN_INVALID without a name or a function. */
TEN_API TEN_MUST_USE ten_status *ten_register_lowering(const char *op, ten_lowering lowering, void *user);
/* A number among the arguments of `request`, by the `name` that the operator's schema gives it; `otherwise` when it was
 * left out. */
TEN_API double ten_lowering_number(const ten_lowering_request *request, const char *name, double otherwise);

/* Reads `inputs`, `input_count` of them, and fills `outputs`, `output_count` of them; both are row-major and borrowed
 * for the call. `user` is what was registered. An error ends the call of the program and is its error. May be called
 * from several threads. */
typedef ten_status *(*ten_kernel)(const ten_buffer *inputs, size_t input_count, const ten_buffer *outputs,
                                  size_t output_count, void *user);
/* Registers `kernel` under `name`, the call_target_name of stablehlo.custom_call. The name is copied; `user` is handed
 * to each call and must stay. TEN_INVALID without a name or a function. */
TEN_API TEN_MUST_USE ten_status *ten_register_kernel(const char *name, ten_kernel kernel, void *user);

/* Libraries of operators, as `tenfold run --library ops.so` and ten_library_load take them. A library is code, with all
 * rights of the process. It is linked with nothing: what it needs comes through `host`. It defines
 *
 *   TENFOLD_LIBRARY(host) {
 *     return host->register_kernel("mylib_scale", scale, NULL);
 *   }
 *
 * which makes two symbols: tenfold_library_abi, compared before anything is called, and tenfold_library_open, called
 * once. It stays loaded. */
#define TENFOLD_LIBRARY_ABI 1
typedef struct ten_library_host {
  size_t size; /* sizeof(ten_library_host); later versions add fields at the end */
  ten_status *(*register_lowering)(const char *op, ten_lowering lowering, void *user);
  ten_status *(*register_kernel)(const char *name, ten_kernel kernel, void *user);
  double (*lowering_number)(const ten_lowering_request *request, const char *name, double otherwise);
  ten_status *(*error)(const char *message); /* a status for lowerings and kernels to return */
} ten_library_host;

#ifdef __cplusplus
#define TENFOLD_LIBRARY_C extern "C"
#else
#define TENFOLD_LIBRARY_C
#endif
#define TENFOLD_LIBRARY(host)                                                                         \
  TENFOLD_LIBRARY_C __attribute__((visibility("default"))) extern const unsigned tenfold_library_abi; \
  const unsigned tenfold_library_abi = TENFOLD_LIBRARY_ABI;                                           \
  TENFOLD_LIBRARY_C __attribute__((visibility("default"))) ten_status *tenfold_library_open(          \
      const ten_library_host *host);                                                                  \
  ten_status *tenfold_library_open(const ten_library_host *host)

/* Loads the library at `path` and lets it register. Errors: TEN_NOT_FOUND or TEN_IO when the file cannot be read,
 * TEN_INVALID when it is no such library, TEN_UNSUPPORTED when it was built for another TENFOLD_LIBRARY_ABI, or the one
 * that it returned. */
TEN_API TEN_MUST_USE ten_status *ten_library_load(const char *path);

#ifdef __cplusplus
}
#endif
#endif
