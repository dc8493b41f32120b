/* compile.c: `tenfold compile`: compiles a program to a file that is mapped and run without compiling. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pjrt/target.h"
#include "backend/settings.h"
#include "base/c_name.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/edge_target.h"
#include "cli/load.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/training.h"
#include "driver/devices.h"
#include "driver/open_program.h"
#include "driver/specialise.h"
#include "ir/assert.h"
#include "train/trainer.h"

typedef struct compile_values {
  cli_list libraries;
  const char *entry, *header, *name;
  cli_target target;
  bool train, exact_conv, tune, no_checks, verify_each, open;
  cli_training training; /* its batch also applies without --train */
  cli_list shapes;
} compile_values;

/* Starts showing progress. */
static ten_status *settings_of(const compile_values *values, ten_settings *out_settings) {
  TEN_TRY(ten_settings_parse(values->target.precision, values->exact_conv, out_settings));
  out_settings->verify_each = values->verify_each;
  cli_progress_start("compile", values->target.quiet);
  cli_progress_follow(out_settings);
  return NULL;
}

static ten_status *compile_training(const char *path, const compile_values *values) {
  ten_recipe recipe;
  TEN_TRY(cli_training_recipe(&values->training, &recipe));
  ten_settings settings;
  TEN_TRY(settings_of(values, &settings));
  ten_module *module;
  TEN_TRY(ten_recipe_load(&recipe, path, &module));
  ten_status *status = ten_trainer_compile_to(module, &settings, values->target.output);
  cli_progress_stop();
  ten_module_destroy(module);
  return status;
}

static bool is_shared(const compile_values *values) {
  return values->target.output && ten_str_ends(ten_str_of(values->target.output), ".so");
}

static ten_status *write_file(ten_module *module, const ten_op *func, const char *path, const compile_values *values,
                              ten_tuning *tuning) {
  ten_settings settings;
  TEN_TRY(settings_of(values, &settings));
  if (is_shared(values)) {
    const char *slash = strrchr(path, '/');
    const ten_export_options options = {.path = values->target.output,
                                        .header = values->header,
                                        .name = values->name,
                                        .origin = slash ? slash + 1 : path};
    return ten_backend_export(ten_backend_default(), module, func, &settings, &options, tuning);
  }
  ten_buf bytes = {0};
  ten_status *status = ten_backend_save(ten_backend_default(), module, func, &settings, tuning, &bytes);
  if (!status) status = ten_file_write_atomic(values->target.output, bytes.data, bytes.size);
  ten_buf_free(&bytes);
  return status;
}

/* The program for the given sizes; a compiled file has one program with static shapes, and a message says so if the
 * archive supports others. */
static ten_status *load(const char *path, const compile_values *values, ten_module **out_module) {
  const cli_shapes shapes = {.batch = values->training.batch, .shapes = values->shapes};
  ten_buf open = {0};
  ten_status *status = cli_load_shaped(path, values->entry, &shapes, out_module, &open);
  if (!status && open.size)
    fprintf(
        stderr,
        "tenfold: %s leaves dimensions open; what is written takes the sizes of its example only: %s (--batch N and "
        "--shape NAME=SIZES choose others; --open keeps them open)\n",
        path, open.data);
  ten_buf_free(&open);
  const ten_op *func = status ? NULL : ten_module_entry(*out_module, ten_str_of(values->entry));
  if (func && ten_func_is_dynamic(func)) {
    ten_buf inputs = {0};
    cli_inputs_print(&inputs, func);
    status =
        ten_error(TEN_INVALID,
                  "%s leaves dimensions open, and a compiled file takes one shape of each input (%s): --batch N and "
                  "--shape NAME=SIZES choose it, --open keeps them open",
                  path, inputs.data);
    ten_buf_free(&inputs);
    ten_module_destroy(*out_module);
    *out_module = NULL;
  }
  return status;
}

/* Dimensions that the program leaves open stay open. */
static ten_status *compile_open(const char *path, const compile_values *values) {
  ten_import program;
  const double start = ten_clock();
  TEN_TRY(ten_import_load(path, &program));
  ten_buf why_empty = {0};
  ten_open_options options = {.entry = values->entry, .unchecked = values->no_checks, .why_empty = &why_empty};
  ten_status *status = ten_import_is_open(&program, values->entry)
                           ? settings_of(values, &options.settings)
                           : ten_error(TEN_INVALID, "%s leaves no dimension open: compile it without --open", path);
  if (!status && values->no_checks && program.stablehlo) ten_asserts_strip(program.stablehlo);
  if (!status) status = ten_open_program_save(&program, &options, values->target.output);
  cli_progress_stop();
  ten_import_destroy(&program);
  if (!status && why_empty.size)
    fprintf(stderr,
            "tenfold: %s holds no machine code: none of the sizes that were tried fit the program, whose sizes are "
            "compiled where it runs: %s\n",
            values->target.output, why_empty.data);
  ten_buf_free(&why_empty);
  if (!status && values->target.json)
    cli_json_print(json_pack("{s:o, s:f}", "output", cli_json_text(ten_str_of(values->target.output)), "seconds",
                             ten_clock() - start));
  return status;
}

static ten_status *compile_file(const char *path, const compile_values *values) {
  if (values->open) return compile_open(path, values);
  ten_module *module;
  const double start = ten_clock();
  TEN_TRY(load(path, values, &module));
  if (values->no_checks) ten_asserts_strip(module);
  ten_op *func;
  ten_tuning tuning = {0};
  ten_status *status = cli_entry(module, values->entry, &func);
  if (!status) status = write_file(module, func, path, values, values->tune ? &tuning : NULL);
  cli_progress_stop();
  if (!status && values->target.json)
    cli_json_print(json_pack("{s:o, s:f, s:o*}", "output", cli_json_text(ten_str_of(values->target.output)), "seconds",
                             ten_clock() - start, "tuning", values->tune ? cli_tuning_json(&tuning) : NULL));
  else if (!status && values->tune)
    cli_tuning_print(stdout, &tuning);
  ten_tuning_free(&tuning);
  ten_module_destroy(module);
  return status;
}

/* `cpu:ARCH` selects a variant of the architecture. */
static ten_status *take_arch(const char *target) {
  const char *arch = target[3] == ':' ? target + 4 : NULL;
  const ten_backend *backend = ten_backend_default();
  return !arch || !strcmp(arch, "native") ? NULL : backend->select_arch(backend, arch);
}

static bool is_edge(const char *target) { return target && !strcmp(target, "edgetpu"); }

/* Compiles for another machine. */
static ten_status *compile_target(const char *path, const compile_values *values) {
  ten_module *module;
  ten_recipe recipe;
  if (values->train) {
    TEN_TRY(cli_training_recipe(&values->training, &recipe));
    recipe.keep = true;
    /* libtpu materializes the gradients of parts as whole tensors padded with zeros: BERT's step took 1.13 of its bytes
     * on v2. With several devices there is less to send. */
    recipe.whole = !values->target.mesh;
    TEN_TRY(ten_recipe_load(&recipe, path, &module));
  } else {
    TEN_TRY(load(path, values, &module));
  }
  ten_op *func;
  ten_status *status = cli_entry(module, values->train ? "step" : values->entry, &func);
  if (!status && is_edge(values->target.target))
    status = cli_edge_compile(module, func, values->target.output, values->target.json, values->target.quiet);
  else if (!status)
    status = cli_target_compile(&values->target, module, func);
  ten_module_destroy(module);
  return status;
}

/* The extension of --output must match the format written. */
static const char *wrong_ending(const compile_values *values, bool here) {
  const char *path = values->target.output;
  if (!path || cli_is_device(path)) return NULL;
  const ten_str name = ten_str_of(path);
  if (here && values->train) return ten_str_ends(name, ".ten") ? NULL : ".ten (a training step)";
  if (here) return ten_str_ends(name, ".ten") || ten_str_ends(name, ".so") ? NULL : ".ten or .so (a shared object)";
  if (is_edge(values->target.target)) return ten_str_ends(name, ".tflite") ? NULL : ".tflite (a TFLite file)";
  return ten_str_ends(name, ".tpu") ? NULL : ".tpu (a program for another machine)";
}

static int check_use(const cli_command *self, const compile_values *values, size_t operands, const char *target,
                     bool here) {
  const cli_training *training = &values->training;
  cli_training rest = *training;
  rest.batch = 0;
  if (operands != 1 || (here && !values->target.output))
    return cli_misuse(self, here ? "takes one FILE and --output" : "takes one FILE");
  if (!here && !is_edge(target) && !ten_target_is(target))
    return cli_misuse(self,
                      "no target '%s'; use cpu (of this machine; cpu:generic for any of its kind), "
                      "tpu:v5e:2x2 and its like, edgetpu, pjrt:PATH.so:TOPOLOGY",
                      target);
  if (values->target.compare && (values->target.output || values->target.hlo))
    return cli_misuse(self, "--compare writes no file");
  if (here && (values->target.mesh || values->target.hlo || (values->target.json && values->train)))
    return cli_misuse(self, "--mesh, --hlo, and --json with --train, go with --target tpu:…");
  if (is_edge(target) && (values->train || values->target.mesh || values->target.hlo || values->target.precision))
    return cli_misuse(self, "--train, --mesh, --hlo and --precision do not go with --target edgetpu");
  if (!here && (values->exact_conv || values->tune))
    return cli_misuse(self, "--exact-conv and --tune go with --target cpu");
  if (values->train && values->tune) return cli_misuse(self, "a training step cannot be tuned yet");
  if (here && values->train && is_shared(values))
    return cli_misuse(self, "a training step is written as OUT.ten, not as a shared object");
  if (wrong_ending(values, here))
    return cli_misuse(self, "--output %s: the ending is none that is known; it is %s", values->target.output,
                      wrong_ending(values, here));
  if ((values->header || values->name) && (!here || values->train || !is_shared(values)))
    return cli_misuse(self, "--header and --name go with -o OUT.so");
  const char *why = values->name ? ten_c_name_problem(values->name) : NULL;
  if (why) return cli_misuse(self, "--name: '%s' cannot be the name of a C function: %s", values->name, why);
  if (!values->train && cli_training_given(&rest))
    return cli_misuse(self, "'--%s' goes with '--train'", cli_training_given(&rest));
  if (values->open &&
      (!here || values->train || is_shared(values) || values->tune || values->shapes.count || training->batch))
    return cli_misuse(self, "--open goes with -o OUT.ten, and not with --shape, --batch, --tune or --train");
  if (values->train && values->shapes.count)
    return cli_misuse(self, "of a training step --batch can be chosen, no --shape");
  return CLI_OK;
}

static int compile_run(const cli_command *self, int argc, char **argv) {
  compile_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    const char *target = values.target.compare ? "tpu" : values.target.target ? values.target.target : "cpu";
    const bool here = !strcmp(target, "cpu") || ten_str_starts(ten_str_of(target), "cpu:");
    code = check_use(self, &values, operands.count, target, here);
    if (!code) {
      if (values.no_checks) setenv("TENFOLD_CHECKS", "off", 1);
      ten_status *status = here ? take_arch(target) : compile_target(operands.data[0], &values);
      if (here && !status) status = (values.train ? compile_training : compile_file)(operands.data[0], &values);
      code = status ? cli_fail(status) : CLI_OK;
    }
  }
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  cli_list_free(&values.shapes);
  return code;
}

static const cli_option compile_options[] = {
    {"output", 'o', CLI_OUTPUT, "OUT.ten",
     "the file to write: OUT.ten, or OUT.so, a shared object; OUT.tpu, or OUT.tflite, of other targets than cpu, where it may be "
     "omitted",
     offsetof(compile_values, target.output)},
    {"header", 0, CLI_OUTPUT, "OUT.h", "of OUT.so: write its C header there", offsetof(compile_values, header)},
    {"name", 0, CLI_TEXT, "NAME", "of OUT.so: what its function is called; otherwise after the file",
     offsetof(compile_values, name)},
    {"entry", 0, CLI_TEXT, "NAME", "the function to compile; otherwise @main, or the only public one",
     offsetof(compile_values, entry)},
    {"shape", 0, CLI_LIST, "NAME=4x5x6",
     "sizes of an input that leaves some open, or SYMBOL=8 of a dimension; may be repeated (--batch: the first of all)",
     offsetof(compile_values, shapes)},
    {"open", 0, CLI_FLAG, NULL,
     "keep the dimensions open that the program leaves open: OUT.ten takes any sizes that it was exported for",
     offsetof(compile_values, open)},
    {"target", 0, CLI_TEXT, "TARGET",
     "what to compile for: cpu (the default; cpu:generic, cpu:avx2, cpu:avx512: any CPU that has that), tpu:v5e:2x2 and its like (v2 to tpu7x, by shape or as v5litepod-4), "
     "edgetpu (an int8 program, as OUT.tflite), or pjrt:PATH.so:TOPOLOGY",
     offsetof(compile_values, target.target)},
    {"compare", 0, CLI_TEXT, "TARGETS", "compile for each of several (v5e:2x2,v6e:2x2) and show them side by side",
     offsetof(compile_values, target.compare)},
    {"mesh", 0, CLI_TEXT, "data=N,model=M", "spread over N × M devices: inputs are split over data, weights over model",
     offsetof(compile_values, target.mesh)},
    {"precision", 0, CLI_TEXT, "f32|bf16",
     "bf16: matmuls and convolutions read bf16 and add up in f32; weights stay f32",
     offsetof(compile_values, target.precision)},
    {"exact-conv", 0, CLI_FLAG, NULL, "no Winograd: every convolution sums its own products (cpu)",
     offsetof(compile_values, exact_conv)},
    {"verify-each", 0, CLI_FLAG, NULL, "verify the program between all passes of the CPU",
     offsetof(compile_values, verify_each)},
    {"no-checks", 0, CLI_FLAG, NULL,
     "of a PyTorch archive: leave out the checks for what eager mode raises, such as an index out of range (cpu)",
     offsetof(compile_values, no_checks)},
    {"tune", 0, CLI_FLAG, NULL, "measure the kernels there are for each shape, keep the fastest, say which (cpu)",
     offsetof(compile_values, tune)},
    {"force", 0, CLI_FLAG, NULL, "compile even what will not fit the target's memory",
     offsetof(compile_values, target.force)},
    {"no-isolate", 0, CLI_FLAG, NULL, "run the target's compiler in this process, not in one of its own",
     offsetof(compile_values, target.no_isolate)},
    {"hlo", 0, CLI_OUTPUT, "FILE", "also write the program as the target's compiler scheduled it, as text",
     offsetof(compile_values, target.hlo)},
    {"json", 0, CLI_FLAG, NULL, "what came of it as JSON", offsetof(compile_values, target.json)},
    CLI_QUIET_OPTION(compile_values, target.quiet),
    {"train", 0, CLI_FLAG, NULL, "compile a training step: forward pass, loss, gradients and update in one program",
     offsetof(compile_values, train)},
    CLI_TRAINING_OPTIONS(compile_values),
    CLI_LIBRARY_OPTION(compile_values),
    {0},
};

const cli_command cli_compile = {
    .name = "compile",
    .summary = "compile a program to a file",
    .operands = "FILE -o OUT.ten [--target TARGET] [options]",
    .description =
        "Reads a program, compiles it for this machine and writes code, plan and packed constants as one file. 'tenfold run OUT.ten' maps it in and "
        "runs it without compiling; a CPU that lacks what the file needs refuses it and says what is missing. The file is machine code: its checksum and "
        "plan are checked when it is opened, what the code does cannot be. Run one only where you would run a program from the same source.\n\n"
        "OUT.so is a plain shared object with one C function, declared in --header: it needs neither Tenfold nor LLVM where it runs. Making it "
        "takes a linker (cc, or ld).\n\n"
        "A file holds one program for one shape of each input. Where an archive leaves dimensions open, the sizes are those of its example, and "
        "a line on stderr says so; --batch and --shape choose others. With --open the file takes any sizes: it holds the program itself and machine code "
        "that serves nearly all sizes. A call with new sizes plans steps and memory for them, which takes milliseconds and needs LLVM; sizes that the "
        "program was not exported for are refused by the name of the dimension.\n\n"
        "With --train the file holds a training step and the values that training starts from: 'tenfold train OUT.ten --data …' goes on "
        "from there.\n\n"
        "For a TPU (--target tpu:v5e:2x2) the program is compiled by libtpu, which needs no TPU for that: the time it took, flops, bytes, "
        "memory against what the chip has, the largest buffers with their lines, and collectives are printed, and OUT.tpu runs where there is "
        "one ('tenfold run OUT.tpu'). Whether it fits is worked out first; libtpu runs in a process of its own.\n\n"
        "For the Edge TPU (--target edgetpu) an int8 program of 'tenfold quantize' becomes a TFLite file. Ops that the Edge TPU would leave to "
        "the CPU are named first, each with its reason; edgetpu_compiler is called where it is on PATH.",
    .options = compile_options,
    .examples = (const char *const[]){"compile examples/mlp.mlir -o mlp.ten", "run mlp.ten --random",
                                      "compile examples/mlp.mlir -o mlp.so --header mlp.h",
                                      "compile model.pt2 -o model.ten --tune", "compile model.pt2 -o model.ten --open",
                                      "compile model.pt2 --train --optimizer adamw,lr=1e-3 -o step.ten",
                                      "compile model.pt2 --target tpu:v5e:2x2 --precision bf16 -o model.tpu",
                                      "compile model.pt2 --train --compare v5e:2x2,v6e:2x2",
                                      "compile model.int8.mlir --target edgetpu -o model.tflite", NULL},
    .run = compile_run,
};
