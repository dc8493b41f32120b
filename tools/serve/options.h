/* options.h: the options of `tenfold serve`, and how the command passes them to the program: `tenfold serve` parses and
 * checks the command line and executes tenfold-serve with one argument NAME=VALUE for each given option, then "--" and
 * the models. */
#ifndef TEN_SERVE_OPTIONS_H
#define TEN_SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define SERVE_FIELD_TEXT const char *
#define SERVE_FIELD_COUNT int64_t
#define SERVE_FIELD_MANY int64_t
#define SERVE_FIELD_FLAG bool

typedef struct serve_options {
#define OPTION(kind, field, name, value, help) SERVE_FIELD_##kind field;
#include "serve/options.def"
#undef OPTION
} serve_options;

/* The program's file name, next to the command. */
#define SERVE_PROGRAM "tenfold-serve"

#endif
