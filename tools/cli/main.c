/* main.c: the command `tenfold`: the table of subcommands, and dispatch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/mapped.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"

/* In the order of the help. */
const cli_command *const cli_commands[] = {
    &cli_run,     &cli_compile, &cli_check,   &cli_show,     &cli_analyze, &cli_profile, &cli_report,
    &cli_train,   &cli_opt,     &cli_convert, &cli_quantize, &cli_serve,   &cli_migrate, &cli_tpu_sim,
    &cli_devices, &cli_cache,   &cli_doctor,  &cli_version,  &cli_help,    NULL,
};

const cli_command *cli_command_find(const char *name) {
  for (const cli_command *const *command = cli_commands; *command; command++)
    if (!strcmp((*command)->name, name)) return *command;
  return NULL;
}

static int unknown_command(const char *name) {
  const char *names[64];
  size_t count = 0;
  for (const cli_command *const *command = cli_commands; *command && count < 63; command++)
    names[count++] = (*command)->name;
  names[count] = NULL;
  const char *nearest = cli_nearest(name, names);
  fprintf(stderr, "tenfold: unknown command '%s'", name);
  if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
  fprintf(stderr, "\ntry 'tenfold help'\n");
  return CLI_MISUSE;
}

/* Catches failed allocations that no inner function reports. */
static ten_status *command_run(const cli_command *command, int argc, char **argv, int *out_code) {
  TEN_RECOVER("running the command");
  *out_code = command->run(command, argc, argv);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    cli_help_print(stderr, NULL);
    return CLI_MISUSE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version")) name = "version";
  const cli_command *command = cli_command_find(name);
  if (!command) return unknown_command(name);
  json_set_alloc_funcs(ten_alloc, free); /* out of memory is an error, not a missing field */
  const bool about = command == &cli_help || command == &cli_version || command == &cli_doctor;
  ten_status *wrong = about ? NULL : ten_env_check();
  if (wrong) {
    cli_fail(wrong);
    return CLI_MISUSE;
  }
  int code = CLI_NO;
  ten_status *failed = command_run(command, argc - 2, argv + 2, &code);
  if (failed) code = cli_fail(failed);
  if (!code && ten_mapped_lost()) {
    fprintf(stderr, "tenfold: a file became shorter while it was being read: what was printed may be wrong\n");
    code = CLI_NO;
  }
  /* A full disk or a closed pipe is detected only when the output is flushed. */
  if (fflush(stdout) || ferror(stdout)) {
    perror("tenfold: standard output");
    return code ? code : CLI_NO;
  }
  return code;
}
