/* tpu_sim.c: `tenfold tpu-sim`: runs a TPU program on a simulated TPU. The Python package (tenfold.tpu), which this
 * starts, sets up the environment and prints the report. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"

typedef struct tpu_sim_values {
  const char *topology, *precision, *hbm, *report, *dump;
  bool quiet;
} tpu_sim_values;

static const cli_option tpu_sim_options[] = {
    {"topology", 0, CLI_TEXT, "TPU", "the TPU: v5e:1x1 (the default), v5e:2x2, v4:2x2x1, v6e:2x4, …",
     offsetof(tpu_sim_values, topology)},
    {"precision", 0, CLI_TEXT, "P", "f32 (the default), or tpu: operands of matmuls are rounded to bfloat16",
     offsetof(tpu_sim_values, precision)},
    {"hbm", 0, CLI_TEXT, "MIB", "memory of each device, instead of the chip's", offsetof(tpu_sim_values, hbm)},
    {"report", 0, CLI_TEXT, "FILE", "write the report as JSON, too", offsetof(tpu_sim_values, report)},
    {"dump", 0, CLI_TEXT, "FOLDER", "write programs (StableHLO), operands and results there",
     offsetof(tpu_sim_values, dump)},
    {"quiet", 'q', CLI_FLAG, NULL, "print no report", offsetof(tpu_sim_values, quiet)},
    {0},
};

static const char *const tpu_sim_examples[] = {
    "tpu-sim -- python train.py",
    "tpu-sim --topology v5e:2x2 --report report.json -- python train.py --epochs 1",
    NULL,
};

static int tpu_sim_run(const cli_command *self, int argc, char **argv) {
  tpu_sim_values values = {0};
  cli_list operands;
  int code;
  if (!cli_parse(self, argc, argv, &values, &operands, &code)) goto done;
  if (!operands.count) {
    code = cli_misuse(self, "needs a command: tenfold tpu-sim -- python train.py");
    goto done;
  }
  ten_buf python = {0};
  TEN_VEC(const char *) words = {0};
  const char *const given[] = {"--topology", values.topology, "--precision", values.precision, "--hbm",
                               values.hbm,   "--report",      values.report, "--dump",         values.dump};
  ten_vec_push(&words, cli_python_find(&python));
  ten_vec_push(&words, "-m");
  ten_vec_push(&words, "tenfold.tpu");
  for (size_t i = 0; i < sizeof given / sizeof *given; i += 2) {
    if (!given[i + 1]) continue;
    ten_vec_push(&words, given[i]);
    ten_vec_push(&words, given[i + 1]);
  }
  if (values.quiet) ten_vec_push(&words, "--quiet");
  ten_vec_push(&words, "--");
  for (size_t i = 0; i < operands.count; i++) ten_vec_push(&words, operands.data[i]);
  ten_vec_push(&words, NULL);
  cli_python_set_path();
  code = cli_run_program(words.data);
  if (code == 127)
    fprintf(stderr, "tenfold: tpu-sim needs Python: %s was not found (set TENFOLD_PYTHON)\n", words.data[0]);
  if (code < 0) code = CLI_NO;
  ten_vec_free(&words);
  ten_buf_free(&python);
done:
  cli_list_free(&operands);
  return code;
}

const cli_command cli_tpu_sim = {
    .name = "tpu-sim",
    .summary = "run a program for TPUs (TorchTPU, JAX) on a simulated TPU",
    .operands = "[options] -- COMMAND…",
    .description =
        "Runs the command so that TorchTPU (torch_tpu) and JAX find a TPU, which is simulated on the CPU: its devices and their places, "
        "the limit of its memory, and the custom calls that its programs carry. Nothing outside the command changes.\n\n"
        "At the end a report says what was compiled, and again for which operand, how often the host waited, operations, memory traffic "
        "and the most memory that a device held. The exit status is the command's.",
    .options = tpu_sim_options,
    .examples = tpu_sim_examples,
    .run = tpu_sim_run,
};
