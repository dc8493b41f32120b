/* compile.c: `tenfold compile`: a program as a file that maps in and runs without compiling. */
#include <stdio.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/training.h"
#include "cpu/stages.h"
#include "train/trainer.h"

typedef struct compile_values {
  const char *output, *entry, *target;
  bool train;
  cli_training training;
} compile_values;

static ten_status *compile_training(const char *path, const compile_values *values) {
  ten_recipe recipe;
  TEN_TRY(cli_training_recipe(&values->training, &recipe));
  ten_module *module;
  TEN_TRY(ten_recipe_load(&recipe, path, &module));
  ten_status *status = ten_trainer_compile_to(module, values->output);
  ten_module_destroy(module);
  return status;
}

static ten_status *compile_file(const char *path, const compile_values *values) {
  ten_module *module;
  TEN_TRY(cli_load(path, &module));
  ten_op *func;
  ten_buf bytes = {0};
  ten_status *status = cli_entry(module, values->entry, &func);
  if (!status) status = ten_cpu_compile_file(module, func, &bytes);
  if (!status) status = ten_file_write_atomic(values->output, bytes.data, bytes.size);
  ten_buf_free(&bytes);
  ten_module_destroy(module);
  return status;
}

static int compile_run(const cli_command *self, int argc, char **argv) {
  compile_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count != 1 || !values.output) {
      code = cli_misuse(self, "takes one FILE and --output");
    } else if (values.target && strcmp(values.target, "cpu")) {
      code =
          cli_misuse(self, "no target '%s'; there is: cpu (of this machine; TENFOLD_CPU=generic for any of its kind)",
                     values.target);
    } else if (!values.train && cli_training_given(&values.training)) {
      code = cli_misuse(self, "'--%s' goes with '--train'", cli_training_given(&values.training));
    } else {
      ten_status *status =
          values.train ? compile_training(operands.data[0], &values) : compile_file(operands.data[0], &values);
      code = status ? cli_fail(status) : CLI_OK;
    }
  }
  cli_list_free(&operands);
  return code;
}

static const cli_option compile_options[] = {
    {"output", 'o', CLI_TEXT, "OUT.ten", "the file to write", offsetof(compile_values, output)},
    {"entry", 0, CLI_TEXT, "NAME", "the function to compile; otherwise @main, or the only public one",
     offsetof(compile_values, entry)},
    {"target", 0, CLI_TEXT, "TARGET", "what to compile for: cpu (the default)", offsetof(compile_values, target)},
    {"train", 0, CLI_FLAG, NULL, "compile a training step: forward pass, loss, gradients and update in one program",
     offsetof(compile_values, train)},
    CLI_TRAINING_OPTIONS(compile_values),
    {0},
};

const cli_command cli_compile = {
    .name = "compile",
    .summary = "compile a program to a file",
    .operands = "FILE -o OUT.ten [options]",
    .description =
        "Reads a program, compiles it for this machine and writes code, plan and packed constants as one file. 'tenfold run OUT.ten' maps it in and "
        "runs it without compiling; a CPU that lacks what the file needs refuses it and says what is missing.\n\n"
        "With --train the file holds a training step and the values that training starts from: 'tenfold train OUT.ten --data …' goes on "
        "from there.",
    .options = compile_options,
    .examples = (const char *const[]){"compile examples/mlp.mlir -o mlp.ten", "run mlp.ten --random",
                                      "compile model.pt2 --train --optimizer adamw,lr=1e-3 -o step.ten", NULL},
    .run = compile_run,
};
