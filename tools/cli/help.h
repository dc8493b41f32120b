/* help.h: prints the command table: as help on a terminal, as man pages, as shell completions. */
#ifndef TEN_CLI_HELP_H
#define TEN_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* The page of one command, or the overview when `command` is NULL. */
void cli_help_print(FILE *out, const cli_command *command);
/* The same page as roff for man(1): tenfold-NAME.1, or tenfold.1. */
void cli_man_print(FILE *out, const cli_command *command);
/* A completion script for "bash", "zsh" or "fish"; false when the shell is another. */
bool cli_completion_print(FILE *out, const char *shell);

#endif
