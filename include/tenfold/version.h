/* version.h: what this Tenfold is. */
#ifndef TENFOLD_VERSION_H
#define TENFOLD_VERSION_H

#define TENFOLD_VERSION "0.1.0"
/* The newest StableHLO whose programs and portable artifacts are read and written. */
#define TENFOLD_STABLEHLO_VERSION "1.20.0"

#endif
