/* version.h: the version. The macros describe the headers, the functions the loaded library, so that a program can
 * compare them. */
#ifndef TENFOLD_VERSION_H
#define TENFOLD_VERSION_H

#include "tenfold/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENFOLD_VERSION "0.1.0"
/* major * 1000000 + minor * 1000 + patch. Until 1.0.0 a new minor version may break the ABI. */
#define TENFOLD_VERSION_NUMBER 1000
/* The newest StableHLO whose programs and portable artifacts are read and written. */
#define TENFOLD_STABLEHLO_MAJOR 1
#define TENFOLD_STABLEHLO_MINOR 20
#define TENFOLD_STABLEHLO_PATCH 0
#define TENFOLD_STABLEHLO_VERSION          \
  TENFOLD_TEXT_OF(TENFOLD_STABLEHLO_MAJOR) \
  "." TENFOLD_TEXT_OF(TENFOLD_STABLEHLO_MINOR) "." TENFOLD_TEXT_OF(TENFOLD_STABLEHLO_PATCH)

#define TENFOLD_TEXT_OF(number) TENFOLD_TEXT(number)
#define TENFOLD_TEXT(word) #word

/* TENFOLD_VERSION of the library. Static; any thread. */
TEN_API const char *ten_version(void);
/* TENFOLD_VERSION_NUMBER of the library. Any thread. */
TEN_API int ten_version_number(void);
/* TENFOLD_STABLEHLO_VERSION of the library. Static; any thread. */
TEN_API const char *ten_stablehlo_version(void);

#ifdef __cplusplus
}
#endif

#endif
