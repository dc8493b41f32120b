/* version.h: what this Tenfold is. */
#ifndef TENFOLD_VERSION_H
#define TENFOLD_VERSION_H

#define TENFOLD_VERSION "0.1.0"
/* The newest StableHLO whose programs and portable artifacts are read and written. */
#define TENFOLD_STABLEHLO_MAJOR 1
#define TENFOLD_STABLEHLO_MINOR 20
#define TENFOLD_STABLEHLO_PATCH 0
#define TENFOLD_STABLEHLO_VERSION          \
  TENFOLD_TEXT_OF(TENFOLD_STABLEHLO_MAJOR) \
  "." TENFOLD_TEXT_OF(TENFOLD_STABLEHLO_MINOR) "." TENFOLD_TEXT_OF(TENFOLD_STABLEHLO_PATCH)

#define TENFOLD_TEXT_OF(number) TENFOLD_TEXT(number)
#define TENFOLD_TEXT(word) #word

#endif
