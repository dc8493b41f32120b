/* help.c: help on a terminal and man pages, both from the command table. */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "ir/ten.h"
#include "ir/verify/verify.h"
#include "tenfold/version.h"

enum { OPTION_COLUMN = 26 };

static const char overview[] =
    "Tenfold takes a PyTorch or StableHLO program whole, compiles it and runs it on a CPU, a GPU or a TPU.";

static const struct {
  int code;
  const char *text;
} exits[] = {
#define CLI_EXIT(name, code, text) {code, text},
    CLI_EXITS(CLI_EXIT)
#undef CLI_EXIT
};
enum { EXIT_COUNT = sizeof exits / sizeof *exits };

/* Wraps `text` to at most `width` columns with `indent` spaces; an empty line separates paragraphs, and a line that
 * starts with a space is kept. */
static void wrap(FILE *out, const char *text, size_t indent, size_t width) {
  while (*text) {
    const size_t line = strcspn(text, "\n");
    if (!line || *text == ' ') {
      fprintf(out, "%*s%.*s\n", line ? (int)indent : 0, "", (int)line, text);
    } else {
      size_t start = 0;
      while (start < line) {
        size_t end = start + (width - indent);
        if (end < line)
          while (end > start && text[end] != ' ') end--;
        if (end >= line || end == start) end = line;
        fprintf(out, "%*s%.*s\n", (int)indent, "", (int)(end - start), text + start);
        start = end + 1;
      }
    }
    text += line + (text[line] == '\n');
  }
}

static void option_label(ten_buf *label, const cli_option *option) {
  if (option->letter) ten_buf_printf(label, "-%c, ", option->letter);
  ten_buf_printf(label, "--%s", option->name);
  if (cli_may_omit(option->kind)) {
    ten_buf_printf(label, " [%s]", option->value);
  } else if (option->kind != CLI_FLAG) {
    ten_buf_printf(label, " %s", option->value);
  }
}

static void print_option(FILE *out, const cli_option *option) {
  ten_buf label = {0};
  option_label(&label, option);
  fprintf(out, "  %s", label.data);
  size_t column = label.size + 2;
  if (column + 2 > OPTION_COLUMN) {
    fputc('\n', out);
    column = 0;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *wrapped = open_memstream(&text, &size);
  if (wrapped) {
    wrap(wrapped, option->help, OPTION_COLUMN, 100);
    fclose(wrapped);
    fputs(text + column, out); /* the label takes part of the first line's indent */
    free(text);
  }
  ten_buf_free(&label);
}

static const cli_option help_option = {.name = "help", .letter = 'h', .kind = CLI_FLAG, .help = "show this help"};

static void print_overview(FILE *out) {
  fprintf(out, "usage: tenfold COMMAND [options]\n\n");
  wrap(out, overview, 0, 100);
  fprintf(out, "\ncommands:\n");
  for (const cli_command *const *command = cli_commands; *command; command++)
    fprintf(out, "  %-10s  %s\n", (*command)->name, (*command)->summary);
  fprintf(out, "\n'tenfold help COMMAND' says more about one, 'tenfold help environment' which variables are read.\n");
  fprintf(out, "\nexit status:\n");
  for (size_t i = 0; i < EXIT_COUNT; i++) fprintf(out, "  %d  %s\n", exits[i].code, exits[i].text);
}

/* The table of environment variables. */
static void print_environment(FILE *out) {
  wrap(out,
       "Environment variables that are read. A value that a variable does not take is an error. 'tenfold doctor' lists "
       "those that are set.",
       0, 100);
  for (ten_env variable = 0; variable < TEN_ENV_COUNT; variable++) {
    ten_buf values = {0};
    ten_env_describe(variable, &values);
    fprintf(out, "\n%s  %s\n", ten_env_rows[variable].name, values.data);
    wrap(out, ten_env_rows[variable].help, 4, 100);
    ten_buf_free(&values);
  }
}

void cli_help_print(FILE *out, const cli_command *command) {
  if (!command) {
    print_overview(out);
    return;
  }
  fprintf(out, "tenfold %s: %s\n\nusage: tenfold %s %s\n\n", command->name, command->summary, command->name,
          command->operands);
  wrap(out, command->description, 0, 100);
  fprintf(out, "\noptions:\n");
  for (const cli_option *option = command->options; option && option->name; option++) print_option(out, option);
  print_option(out, &help_option);
  if (!command->examples) return;
  fprintf(out, "\nexamples:\n");
  for (const char *const *example = command->examples; *example; example++) fprintf(out, "  tenfold %s\n", *example);
}

/* A character of two or three bytes, as roff names it; returns the bytes it took. */
static int roff_unicode(FILE *out, const unsigned char *at) {
  const int extra = *at >= 0xE0 ? 2 : 1;
  unsigned code = *at & (extra == 2 ? 0x0Fu : 0x1Fu);
  for (int i = 1; i <= extra; i++) code = code << 6 | (at[i] & 0x3Fu);
  fprintf(out, "\\[u%04X]", code);
  return extra;
}

/* roff reads a dash as a hyphen, a backslash as a command, and a dot or quote at a line's start as a request. */
static void roff(FILE *out, const char *text) {
  bool line_start = true;
  for (; *text; text++) {
    if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (line_start && *text == ' ') fputs(".br\n\\&", out);
    if (*text == '\\') {
      fputs("\\e", out);
    } else if (*text == '-') {
      fputs("\\-", out);
    } else if (*text == '\n' && text[1] == '\n') {
      fputs("\n.PP", out);
    } else if ((unsigned char)*text >= 0x80) {
      text += roff_unicode(out, (const unsigned char *)text);
    } else {
      fputc(*text, out);
    }
    line_start = *text == '\n' && text[1] != '\n';
  }
}

static void man_head(FILE *out, const char *name, const char *summary, const char *usage) {
  ten_buf title = {0};
  for (const char *c = name; *c; c++) ten_buf_addc(&title, *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c);
  fprintf(out, ".TH %s 1 \"\" \"tenfold %s\" \"Tenfold\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B tenfold\n", title.data,
          TENFOLD_VERSION, name, summary);
  roff(out, usage);
  fprintf(out, "\n.SH DESCRIPTION\n");
  ten_buf_free(&title);
}

static void man_option(FILE *out, const cli_option *option) {
  ten_buf label = {0};
  option_label(&label, option);
  fprintf(out, ".TP\n.B ");
  roff(out, label.data);
  fputc('\n', out);
  roff(out, option->help);
  fputc('\n', out);
  ten_buf_free(&label);
}

void cli_man_print(FILE *out, const cli_command *command) {
  if (!command) {
    man_head(out, "tenfold", "compile and run PyTorch and StableHLO programs", "COMMAND [options]");
    roff(out, overview);
    fprintf(out, "\n.SH COMMANDS\n");
    for (const cli_command *const *each = cli_commands; *each; each++)
      fprintf(out, ".TP\n.BR tenfold\\-%s (1)\n%s\n", (*each)->name, (*each)->summary);
    fprintf(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < EXIT_COUNT; i++) {
      fprintf(out, ".TP\n.B %d\n", exits[i].code);
      roff(out, exits[i].text);
      fputc('\n', out);
    }
    fprintf(out, ".SH ENVIRONMENT\n");
    for (ten_env variable = 0; variable < TEN_ENV_COUNT; variable++) {
      ten_buf values = {0};
      ten_env_describe(variable, &values);
      fprintf(out, ".TP\n.B %s\n", ten_env_rows[variable].name);
      roff(out, values.data);
      fputs(": ", out);
      roff(out, ten_env_rows[variable].help);
      fputc('\n', out);
      ten_buf_free(&values);
    }
    return;
  }
  ten_buf name = {0}, usage = {0};
  ten_buf_printf(&name, "tenfold-%s", command->name);
  ten_buf_printf(&usage, "%s %s", command->name, command->operands);
  man_head(out, name.data, command->summary, usage.data);
  roff(out, command->description);
  fprintf(out, "\n.SH OPTIONS\n");
  for (const cli_option *option = command->options; option && option->name; option++) man_option(out, option);
  man_option(out, &help_option);
  if (command->examples) {
    fprintf(out, ".SH EXAMPLES\n.nf\n");
    for (const char *const *example = command->examples; *example; example++) {
      fprintf(out, "tenfold ");
      roff(out, *example);
      fputc('\n', out);
    }
    fprintf(out, ".fi\n");
  }
  fprintf(out, ".SH SEE ALSO\n.BR tenfold (1)\n");
  ten_buf_free(&name);
  ten_buf_free(&usage);
}

typedef struct help_values {
  bool man, ops, dialect;
  const char *completion;
} help_values;

static int help_run(const cli_command *self, int argc, char **argv) {
  help_values values = {0};
  cli_list operands;
  int code;
  const cli_command *command = NULL;
  if (!cli_parse(self, argc, argv, &values, &operands, &code)) goto done;
  if (operands.count > 1) {
    code = cli_misuse(self, "one command at a time");
    goto done;
  }
  if (operands.count && !strcmp(operands.data[0], "environment")) {
    print_environment(stdout);
    goto done;
  }
  if (operands.count && !(command = cli_command_find(operands.data[0]))) {
    code = cli_misuse(self, "no command '%s'", operands.data[0]);
    goto done;
  }
  if (values.completion) {
    if (!cli_completion_print(stdout, values.completion))
      code = cli_misuse(self, "no completions for '%s' (bash, zsh, fish)", values.completion);
  } else if (values.ops) {
    ten_buf table = {0};
    ten_ops_describe(&table);
    fputs(table.data, stdout);
    ten_buf_free(&table);
  } else if (values.dialect) {
    ten_buf table = {0};
    ten_names_describe(&table);
    fputs(table.data, stdout);
    ten_buf_free(&table);
  } else if (values.man) {
    cli_man_print(stdout, command);
  } else {
    cli_help_print(stdout, command);
  }
done:
  cli_list_free(&operands);
  return code;
}

static const cli_option help_options[] = {
    {"man", 0, CLI_FLAG, NULL, "print the page as roff, for man(1)", offsetof(help_values, man)},
    {"ops", 0, CLI_FLAG, NULL, "print the table of all ops, as Markdown", offsetof(help_values, ops)},
    {"dialect", 0, CLI_FLAG, NULL, "print the names of the ten dialect, as Markdown", offsetof(help_values, dialect)},
    {"completion", 0, CLI_TEXT, "SHELL", "print a completion script for bash, zsh or fish",
     offsetof(help_values, completion)},
    {0},
};

const cli_command cli_help = {
    .name = "help",
    .summary = "say how a command is used",
    .operands = "[COMMAND|environment]",
    .description = "Shows the commands, all about one of them, or the environment variables that are read.",
    .options = help_options,
    .examples =
        (const char *const[]){"help run", "help environment", "help --man run | man -l -",
                              "help --completion bash > ~/.local/share/bash-completion/completions/tenfold", NULL},
    .run = help_run,
};
