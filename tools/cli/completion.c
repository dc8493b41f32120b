/* completion.c: shell completions, from the command table. Options whose value is called FILE or DIR complete as paths;
 * so do operands that name FILE or PATH. */
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"

static bool wants_path(const char *what) {
  return what && (strstr(what, "FILE") || strstr(what, "PATH") || strstr(what, "DIR") || strstr(what, ".npy"));
}

static void bash_print(FILE *out) {
  fputs(
      "# bash completion for tenfold\n_tenfold() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '",
      out);
  for (const cli_command *const *command = cli_commands; *command; command++)
    fprintf(out, "%s%s", command == cli_commands ? "" : " ", (*command)->name);
  fputs("' -- \"$word\"))\n    return\n  fi\n  local options='--help' paths=\n  case ${COMP_WORDS[1]} in\n", out);
  for (const cli_command *const *command = cli_commands; *command; command++) {
    fprintf(out, "    %s) options='--help", (*command)->name);
    for (const cli_option *option = (*command)->options; option && option->name; option++)
      fprintf(out, " --%s", option->name);
    fprintf(out, "'%s ;;\n", wants_path((*command)->operands) ? " paths=1" : "");
  }
  fputs("  esac\n  case ${COMP_WORDS[1]}:$before in\n", out);
  for (const cli_command *const *command = cli_commands; *command; command++)
    for (const cli_option *option = (*command)->options; option && option->name; option++) {
      if (option->kind == CLI_FLAG || cli_may_omit(option->kind)) continue;
      fprintf(out, "    %s:--%s", (*command)->name, option->name);
      if (option->letter) fprintf(out, "|%s:-%c", (*command)->name, option->letter);
      fprintf(out, ") options= paths=%s ;;\n", wants_path(option->value) ? "1" : "");
    }
  fputs("    help:*) options+=\"", out);
  for (const cli_command *const *command = cli_commands; *command; command++) fprintf(out, " %s", (*command)->name);
  fputs(
      "\" ;;\n  esac\n"
      "  if [[ $word == -* || -z $paths ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null\n  fi\n}\n"
      "complete -F _tenfold tenfold\n",
      out);
}

/* Colons and brackets are special in zsh's specifications; so is the quote inside single quotes. */
static void zsh_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\'') {
      fputs("'\\''", out);
      continue;
    }
    if (strchr(":[]\\", *text)) fputc('\\', out);
    fputc(*text, out);
  }
}

static void zsh_print(FILE *out) {
  fputs("#compdef tenfold\n_tenfold() {\n  local -a commands\n  commands=(\n", out);
  for (const cli_command *const *command = cli_commands; *command; command++) {
    fprintf(out, "    '%s:", (*command)->name);
    zsh_text(out, (*command)->summary);
    fputs("'\n", out);
  }
  fputs("  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n  case $words[2] in\n", out);
  for (const cli_command *const *command = cli_commands; *command; command++) {
    fprintf(out, "    %s) _arguments", (*command)->name);
    for (const cli_option *option = (*command)->options; option && option->name; option++) {
      fprintf(out, " \\\n      '%s--%s%s[",
              option->kind == CLI_LIST || option->kind == CLI_OUTPUTS || option->kind == CLI_LIBRARY ? "*" : "",
              option->name, option->kind == CLI_FLAG ? "" : "=");
      zsh_text(out, option->help);
      fputc(']', out);
      if (option->kind != CLI_FLAG) {
        fprintf(out, "%s", cli_may_omit(option->kind) ? "::" : ":");
        zsh_text(out, option->value);
        fputs(wants_path(option->value) ? ":_files" : ":", out);
      }
      fputc('\'', out);
    }
    fputs(" \\\n      '--help[show help]'", out);
    if (*command == &cli_help) {
      fputs(" '*:command:->commands'\n      [[ $state == commands ]] && _describe command commands ;;\n", out);
    } else {
      fprintf(out, "%s ;;\n", wants_path((*command)->operands) ? " '*:file:_files'" : "");
    }
  }
  fputs("  esac\n}\n_tenfold \"$@\"\n", out);
}

static void fish_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
}

static void fish_print(FILE *out) {
  fputs("# fish completion for tenfold\ncomplete -c tenfold -n __fish_use_subcommand -f\n", out);
  for (const cli_command *const *command = cli_commands; *command; command++) {
    fprintf(out, "complete -c tenfold -n __fish_use_subcommand -f -a %s -d '", (*command)->name);
    fish_text(out, (*command)->summary);
    fputs("'\n", out);
    if (!wants_path((*command)->operands))
      fprintf(out, "complete -c tenfold -n '__fish_seen_subcommand_from %s' -f\n", (*command)->name);
    for (const cli_option *option = (*command)->options; option && option->name; option++) {
      fprintf(out, "complete -c tenfold -n '__fish_seen_subcommand_from %s' -l %s", (*command)->name, option->name);
      if (option->letter) fprintf(out, " -s %c", option->letter);
      if (option->kind != CLI_FLAG && !cli_may_omit(option->kind))
        fprintf(out, " %s", wants_path(option->value) ? "-rF" : "-x");
      fputs(" -d '", out);
      fish_text(out, option->help);
      fputs("'\n", out);
    }
  }
}

bool cli_completion_print(FILE *out, const char *shell) {
  static const struct {
    const char *name;
    void (*print)(FILE *out);
  } shells[] = {{"bash", bash_print}, {"zsh", zsh_print}, {"fish", fish_print}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (!strcmp(shells[i].name, shell)) return shells[i].print(out), true;
  return false;
}
