/* options.c: parses a command line by its command's option table. */
#include "cli/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/help.h"
#include "cli/output.h"
#include "tenfold/custom.h"

void cli_list_add(cli_list *list, const char *item) { ten_vec_push(list, item); }
void cli_list_free(cli_list *list) { ten_vec_free(list); }

int cli_misuse(const cli_command *command, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "tenfold %s: ", command->name);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\ntry 'tenfold help %s'\n", command->name);
  va_end(args);
  return CLI_MISUSE;
}

/* Damerau–Levenshtein distance between words of at most 63 letters. */
static size_t word_distance(const char *a, const char *b) {
  enum { MOST = 64 };
  size_t rows[3][MOST];
  const size_t a_size = strlen(a), b_size = strlen(b);
  if (a_size >= MOST || b_size >= MOST) return MOST;
  for (size_t j = 0; j <= b_size; j++) rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < best)
        best = above2[j - 2] + 1;
      row[j] = best;
    }
  }
  return rows[a_size % 3][b_size];
}

const char *cli_nearest(const char *wrong, const char *const *names) {
  const char *nearest = NULL;
  size_t least = strlen(wrong) / 3 + 2; /* a greater distance is not a typo */
  for (; *names; names++) {
    const size_t distance = word_distance(wrong, *names);
    if (distance >= least) continue;
    least = distance;
    nearest = *names;
  }
  return nearest;
}

static const cli_option *option_find(const cli_command *command, const char *name, size_t size) {
  for (const cli_option *option = command->options; option && option->name; option++)
    if (strlen(option->name) == size && !memcmp(option->name, name, size)) return option;
  return NULL;
}

static const cli_option *option_find_letter(const cli_command *command, char letter) {
  for (const cli_option *option = command->options; option && option->name; option++)
    if (option->letter == letter) return option;
  return NULL;
}

static int unknown_option(const cli_command *command, const char *name, size_t size) {
  const char *names[64];
  size_t count = 0;
  for (const cli_option *option = command->options; option && option->name && count < 62; option++)
    names[count++] = option->name;
  names[count++] = "help";
  names[count] = NULL;
  char wrong[64];
  snprintf(wrong, sizeof wrong, "%.*s", (int)size, name);
  const char *nearest = cli_nearest(wrong, names);
  if (nearest) return cli_misuse(command, "no option '--%.*s'; did you mean '--%s'?", (int)size, name, nearest);
  return cli_misuse(command, "no option '--%.*s'", (int)size, name);
}

static bool read_integer(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 0);
  if (errno || end == text || *end) return false;
  *out = value;
  return true;
}

/* Stores one option. `next` is the following argument or NULL; *took_next says whether it was the value. */
static int option_store(const cli_command *command, const cli_option *option, const char *inline_value,
                        const char *next, void *values, bool *took_next) {
  void *field = (char *)values + option->offset;
  *took_next = false;
  if (option->kind == CLI_FLAG) {
    if (inline_value) return cli_misuse(command, "'--%s' takes no value", option->name);
    *(bool *)field = true;
    return CLI_OK;
  }
  if (option->kind == CLI_NUMBER) {
    cli_number *number = field;
    const char *text = inline_value ? inline_value : next;
    number->given = true;
    number->has_value = text && read_integer(text, &number->value);
    if (inline_value && !number->has_value)
      return cli_misuse(command, "'--%s' takes an integer, not '%s'", option->name, inline_value);
    *took_next = !inline_value && number->has_value;
    return CLI_OK;
  }
  if (option->kind == CLI_JSON) {
    *took_next = !inline_value && next && ten_str_ends(ten_str_of(next), ".json");
    *(cli_file *)field = (cli_file){true, *took_next ? next : inline_value};
    return CLI_OK;
  }
  const char *text = inline_value ? inline_value : next;
  if (!text) return cli_misuse(command, "'--%s' needs a value (%s)", option->name, option->value);
  *took_next = !inline_value;
  switch (option->kind) {
    case CLI_TEXT:
    case CLI_OUTPUT:
    case CLI_FOLDER: *(const char **)field = text; break;
    case CLI_LIST:
    case CLI_LIBRARY:
    case CLI_OUTPUTS: cli_list_add(field, text); break;
    case CLI_MANY:
      if (!read_integer(text, field) || *(int64_t *)field < 1)
        return cli_misuse(command, "'--%s' takes a number of one or more, not '%s'", option->name, text);
      break;
    case CLI_COUNT:
      if (!read_integer(text, field) || *(int64_t *)field < 0)
        return cli_misuse(command, "'--%s' takes a number of zero or more, not '%s'", option->name, text);
      break;
    case CLI_FLAG:
    case CLI_JSON:
    case CLI_NUMBER: break;
  }
  return CLI_OK;
}

static ten_status *check_output(const cli_option *option, const char *path) {
  if (!path || !strcmp(path, "-")) return NULL;
  ten_status *status = option->kind == CLI_FOLDER ? ten_dir_check_output(path) : ten_file_check_output(path);
  return ten_annotate(status, "checking '--%s' before any work is done", option->name);
}

/* Check outputs first, so that no long work is lost because they cannot be written. Libraries are loaded here, too. */
static ten_status *prepare(const cli_command *command, void *values) {
  for (const cli_option *option = command->options; option && option->name; option++) {
    const void *field = (char *)values + option->offset;
    if (option->kind == CLI_OUTPUT || option->kind == CLI_FOLDER)
      TEN_TRY(check_output(option, *(const char *const *)field));
    if (option->kind == CLI_JSON) TEN_TRY(check_output(option, ((const cli_file *)field)->path));
    const bool library = option->kind == CLI_LIBRARY;
    if (option->kind != CLI_OUTPUTS && !library) continue;
    const cli_list *list = field;
    for (size_t i = 0; i < list->count; i++)
      TEN_TRY(library ? ten_library_load(list->data[i]) : check_output(option, list->data[i]));
  }
  return NULL;
}

bool cli_parse(const cli_command *command, int argc, char **argv, void *values, cli_list *operands, int *exit_code) {
  memset(operands, 0, sizeof *operands);
  *exit_code = CLI_OK;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i], *inline_value = NULL;
    if (word[0] != '-' || !word[1]) { /* "-" is an operand: standard input */
      cli_list_add(operands, word);
      continue;
    }
    if (!strcmp(word, "--")) {
      for (i++; i < argc; i++) cli_list_add(operands, argv[i]);
      break;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
      cli_help_print(stdout, command);
      return false;
    }
    const cli_option *option;
    if (word[1] == '-') {
      const size_t size = strcspn(word + 2, "=");
      if (word[2 + size]) inline_value = word + 2 + size + 1;
      option = option_find(command, word + 2, size);
      if (!option) return *exit_code = unknown_option(command, word + 2, size), false;
    } else {
      option = option_find_letter(command, word[1]);
      if (!option) return *exit_code = cli_misuse(command, "no option '-%c'", word[1]), false;
      if (word[2] && option->kind == CLI_FLAG)
        return *exit_code = cli_misuse(command, "'-%c' takes no value", word[1]), false;
      if (word[2]) inline_value = word + 2;
    }
    bool took_next;
    *exit_code = option_store(command, option, inline_value, i + 1 < argc ? argv[i + 1] : NULL, values, &took_next);
    if (*exit_code) return false;
    i += took_next;
  }
  ten_status *status = prepare(command, values);
  if (status) *exit_code = cli_fail(status);
  return !*exit_code;
}

bool cli_parse_subject(const cli_command *command, int argc, char **argv, void *values, cli_list *operands,
                       bool *out_is_command, int *exit_code) {
  int before = 0;
  while (before < argc && strcmp(argv[before], "--") != 0) before++;
  *out_is_command = before < argc;
  if (!cli_parse(command, argc, argv, values, operands, exit_code)) return false;
  const size_t wanted = *out_is_command ? (size_t)(argc - before - 1) : 1;
  if (operands->count == wanted && wanted) return true;
  *exit_code = cli_misuse(command, "takes one FILE, or -- and a command");
  return false;
}
