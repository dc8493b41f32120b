/* commands.h: every subcommand, one file each; the table is in main.c. */
#ifndef TEN_CLI_COMMANDS_H
#define TEN_CLI_COMMANDS_H

#include "cli/command.h"

extern const cli_command cli_analyze;
extern const cli_command cli_cache;
extern const cli_command cli_check;
extern const cli_command cli_compile;
extern const cli_command cli_convert;
extern const cli_command cli_devices;
extern const cli_command cli_doctor;
extern const cli_command cli_help;
extern const cli_command cli_migrate;
extern const cli_command cli_opt;
extern const cli_command cli_profile;
extern const cli_command cli_quantize;
extern const cli_command cli_report;
extern const cli_command cli_run;
extern const cli_command cli_serve;
extern const cli_command cli_show;
extern const cli_command cli_tpu_sim;
extern const cli_command cli_train;
extern const cli_command cli_version;

#endif
