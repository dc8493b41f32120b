/* command.h: the interface of a subcommand. main.c has the table; each other file defines one row.
 * The help text, the man pages and the shell completions are all generated from these rows, so they
 * agree. */
#ifndef TEN_CLI_COMMAND_H
#define TEN_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenfold/status.h"

/* The exit status of every command. If killed by signal N, the shell reports 128 + N. */
#define CLI_EXITS(EXIT)                                                                                        \
  EXIT(OK, 0, "done; of a question: yes")                                                                      \
  EXIT(NO, 1, "the answer is no: a check failed, a program or its data is wrong, something failed on the way") \
  EXIT(MISUSE, 2, "wrong use: an option, an environment variable, a file or a device that is not there")
enum {
#define CLI_EXIT(name, code, text) CLI_##name = code,
  CLI_EXITS(CLI_EXIT)
#undef CLI_EXIT
};

typedef enum cli_option_kind {
  CLI_FLAG,   /* bool: present or not */
  CLI_TEXT,   /* const char *: the last one wins */
  CLI_COUNT,  /* int64_t, zero or more */
  CLI_MANY,   /* int64_t, one or more; 0: not given */
  CLI_LIST,   /* cli_list: each use adds one */
  CLI_NUMBER, /* cli_number: an integer that may be omitted, as in `--random [SEED]` */
  CLI_JSON,   /* cli_file: a file NAME.json to write, which may be omitted, as in `--profile [FILE.json]` */
  /* Outputs are checked before the command starts: the folder exists and is writable. */
  CLI_OUTPUT,  /* const char *: a file; "-" is standard output */
  CLI_OUTPUTS, /* cli_list of such */
  CLI_FOLDER,  /* const char *: a folder, which is created with its parents */
  CLI_LIBRARY  /* cli_list: libraries of operators, loaded before the command starts */
} cli_option_kind;

typedef struct cli_list {
  const char **data; /* owned; the strings are argv's */
  size_t count, capacity;
} cli_list;

typedef struct cli_number {
  bool given, has_value;
  int64_t value;
} cli_number;

typedef struct cli_file {
  bool given;
  const char *path; /* NULL: omitted */
} cli_file;

static inline bool cli_may_omit(cli_option_kind kind) { return kind == CLI_NUMBER || kind == CLI_JSON; }

typedef struct cli_option {
  const char *name; /* without the dashes; NULL ends a table */
  char letter;      /* its short form, or 0 */
  cli_option_kind kind;
  const char *value; /* the value's name in the help; FILE and DIR complete as paths */
  const char *help;
  size_t offset; /* of the field in the command's struct of values */
} cli_option;

typedef struct cli_command cli_command;
struct cli_command {
  const char *name;
  const char *summary;         /* one line, lower case, no full stop */
  const char *operands;        /* what follows the name in the usage line */
  const char *description;     /* paragraphs, with an empty line between */
  const cli_option *options;   /* may be NULL */
  const char *const *examples; /* command lines without "tenfold ", then NULL; may be NULL */
  int (*run)(const cli_command *self, int argc, char **argv); /* argv starts after the command's name */
};

/* The row of an option table whose values have a cli_list called `libraries`. */
#define CLI_LIBRARY_OPTION(values)                                                \
  {"library",                                                                     \
   0,                                                                             \
   CLI_LIBRARY,                                                                   \
   "FILE.so",                                                                     \
   "operators of your own, in C (tenfold/custom.h): it is code, and run as such", \
   offsetof(values, libraries)}

/* The table, ended by NULL. */
extern const cli_command *const cli_commands[];
const cli_command *cli_command_find(const char *name);

#endif
