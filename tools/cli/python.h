/* python.h: starts other programs, mainly Python. */
#ifndef TEN_CLI_PYTHON_H
#define TEN_CLI_PYTHON_H

#include "base/str.h"

/* TENFOLD_PYTHON, the active environment's Python, the folder's .venv, or python3; `path` may hold the text. */
const char *cli_python_find(ten_buf *path);
/* Makes a checkout's Python package importable in programs started from now on. */
void cli_python_set_path(void);
/* Runs a program to its end: returns its exit status, 127 when it could not be started, -1 when a signal ended it. */
int cli_run_program(const char *const *argv);

#endif
