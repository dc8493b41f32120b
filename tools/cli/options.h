/* options.h: parses a command line by its command's option table. Takes `--name value`, `--name=value`, `-n
 * value`, `-nvalue` and `--` (operands follow), mixed with the operands in any order. `--help` and `-h` are in
 * every table. */
#ifndef TEN_CLI_OPTIONS_H
#define TEN_CLI_OPTIONS_H

#include "cli/command.h"

/* Fills `values` (zeroed or preset by the caller) and `operands`. True: continue. False: exit with *exit_code; the help
 * or an error was printed. The caller frees every cli_list with cli_list_free, in both cases. */
bool cli_parse(const cli_command *command, int argc, char **argv, void *values, cli_list *operands, int *exit_code);

/* The same where the operands are one FILE, or after `--` a command. */
bool cli_parse_subject(const cli_command *command, int argc, char **argv, void *values, cli_list *operands,
                       bool *out_is_command, int *exit_code);

void cli_list_add(cli_list *list, const char *item);
void cli_list_free(cli_list *list);

/* The name in `names` (ended by NULL) nearest to `wrong`, or NULL when none is close. */
const char *cli_nearest(const char *wrong, const char *const *names);

/* Prints `tenfold NAME: message` and how to get help, on stderr. Returns CLI_MISUSE. */
int cli_misuse(const cli_command *command, const char *format, ...) TEN_PRINTF(2, 3);

#endif
