/* run.c: `tenfold run`: runs a program on inputs and prints results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/api.h"
#include "backend/settings.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/devices.h"
#include "cli/inputs.h"
#include "cli/load.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "driver/chain.h"
#include "driver/devices.h"
#include "driver/specialise.h"
#include "front/import/load.h"
#include "ir/assert.h"
#include "train/step_file.h"

typedef struct run_values {
  cli_list libraries;
  const char *device, *output, *entry, *precision, *trace;
  cli_list inputs;
  cli_number random;
  cli_file profile_to;
  int64_t repeat;
  bool json, profile, exact_conv, isolate, no_checks, verify_each, quiet;
  ten_settings settings; /* of those options */
  bool archive;          /* a PyTorch program */
} run_values;

typedef struct run_times {
  double load, compile, execute; /* seconds; of several runs: the median */
  size_t interpreted;            /* ops of one run that were interpreted */
  ten_cost cost;
  ten_profile profile;     /* of all runs */
  cli_spans spans;         /* with --trace */
  const ten_op *signature; /* the function in the file, with the names of its inputs; or NULL */
} run_times;

static uint64_t seed_of(const run_values *values) {
  return values->random.has_value ? (uint64_t)values->random.value : 0;
}

/* A StableHLO program for the given inputs; if it has open shapes and the device needs static ones, they are those of
 * the inputs. */
static ten_status *specialise(const ten_import *program, const run_values *values, const ten_backend *device,
                              const ten_type *declared, ten_tensor *const *inputs, ten_module **out_module) {
  bool known = true;
  for (uint32_t i = 0; i < declared->input_count; i++)
    known &= inputs[i] != NULL || ten_type_is_static(declared->inputs[i]);
  TEN_TRY(ten_import_specialize(program, NULL, out_module));
  ten_op *func;
  ten_module *special = NULL;
  ten_status *status = cli_entry(*out_module, values->entry, &func);
  if (!status && known && !device->dynamic && ten_func_is_dynamic(func))
    status = ten_specialise(*out_module, func, inputs, declared->input_count, &special, &func);
  if (special) ten_module_destroy(*out_module), *out_module = special;
  if (status) ten_module_destroy(*out_module), *out_module = NULL;
  return status;
}

/* The peak resident memory of this process, touched mappings included. 0: unknown. */
static size_t peak_bytes(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  unsigned long long kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %llu", &kib) == 1) break;
  if (file) fclose(file);
  return (size_t)kib << 10;
}

static void print_text(void *user, const char *text) { fputs(text, user); }

static json_t *names_json(const ten_op *func, bool results) {
  json_t *list = json_array();
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < (results ? type->result_count : type->input_count); i++) {
    ten_buf name = {0};
    (results ? cli_result_name : cli_input_name)(func, i, &name);
    json_array_append_new(list, cli_json_text((ten_str){name.data, name.size}));
    ten_buf_free(&name);
  }
  return list;
}

static ten_status *report(const run_values *values, const ten_backend *device, const ten_op *func,
                          ten_tensor *const *results, uint32_t count, run_times *times) {
  const size_t runs = values->repeat > 1 ? (size_t)values->repeat : 1;
  if (values->output) TEN_TRY(ten_dir_make(values->output));
  json_t *list = values->json ? json_array() : NULL;
  ten_status *status = NULL;
  for (uint32_t i = 0; i < count && !status; i++) {
    char name[24];
    snprintf(name, sizeof name, "%u", i);
    if (values->output) status = cli_value_write(values->output, name, results[i]);
    if (list) json_array_append_new(list, cli_value_json(results[i]));
    if (list || values->output) continue;
    snprintf(name, sizeof name, "result %u", i);
    cli_value_print(stdout, name, results[i]);
  }
  if (!list) {
    if (values->profile && !status) cli_profile_print(stdout, &times->profile, runs);
    return status;
  }
  const ten_str entry = ten_func_name(func);
  json_t *profile = values->profile ? cli_profile_json(&times->profile, runs) : NULL;
  const bool cpu = !strcmp(device->name, "cpu");
  json_t *memory = json_pack("{s:I, s:I, s:I}", "arena", (json_int_t)times->cost.arena_bytes, "constants",
                             (json_int_t)times->cost.constant_bytes, "peak", (json_int_t)peak_bytes());
  json_t *root = json_pack("{s:s, s:o, s:{s:f, s:f, s:f}, s:o, s:o*}", "device", device->name, "entry",
                           cli_json_text(entry), "seconds", "load", times->load, "compile", times->compile, "execute",
                           times->execute, "results", list, "profile", profile);
  if (cpu) json_object_set_new(root, "interpreted", json_integer((json_int_t)times->interpreted));
  if (cpu) json_object_set(root, "memory", memory);
  json_decref(memory);
  json_object_set_new(root, "inputs", names_json(times->signature ? times->signature : func, false));
  json_object_set_new(root, "outputs", names_json(func, true));
  cli_json_print(root);
  return status;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *seconds, size_t count) {
  qsort(seconds, count, sizeof *seconds, by_value);
  return seconds[count / 2];
}

/* A span from `start` to now. */
static void add_span(run_times *times, const char *name, double start) {
  ten_vec_push(&times->spans, (cli_span){name, start, ten_clock() - start});
}

/* A phase of compiling, inside the span "compile". */
static void add_phase(void *user, const char *name, double seconds) { add_span(user, name, ten_clock() - seconds); }

static void free_times(run_times *times) {
  cli_spans_add_transfers(NULL);
  ten_profile_free(&times->profile);
  ten_vec_free(&times->spans);
}

static ten_status *write_trace(const ten_executable *executable, const char *path, const run_times *times) {
  ten_steps steps = {0};
  ten_status_free(ten_executable_steps(executable, &steps)); /* without steps, only times are known */
  ten_status *status = cli_trace_write(path, &times->spans, &times->profile, &steps);
  ten_steps_free(&steps);
  return status;
}

/* Runs it once, or --repeat times; returns the results of the last run. */
static ten_status *execute_all(ten_executable *executable, const run_values *values, ten_tensor *const *inputs,
                               ten_tensor **results, run_times *times) {
  const size_t count = values->repeat > 1 ? (size_t)values->repeat : 1;
  const ten_run_options options = {
      .print = print_text, .print_user = values->json ? stderr : stdout, .interpreted = &times->interpreted};
  double *seconds = ten_alloc(count * sizeof *seconds);
  times->profile.timeline = values->trace;
  /* A device that does not say when its steps ran still has phases and copies to show. */
  const bool observed = values->profile || (values->trace && executable->backend->profile);
  ten_status *status = observed ? ten_executable_profile(executable, &times->profile) : NULL;
  /* On another device the arguments stay there between runs. */
  const bool stay = !status && count > 1 && executable->backend->repeat;
  const double begun = ten_clock();
  if (stay) status = executable->backend->repeat(executable, inputs, count, seconds, results);
  if (stay) add_span(times, "runs", begun);
  ten_progress progress;
  ten_progress_start(&progress, cli_progress_stream(values->quiet), "run", count);
  for (size_t i = 0; i < count && !status && !stay; i++) {
    ten_tensors_release(results, executable->output_count);
    times->interpreted = 0;
    const double start = ten_clock();
    status = ten_execute(executable, inputs, executable->input_count, &options, results);
    seconds[i] = ten_clock() - start;
    add_span(times, "run", start);
    if (count > 1) ten_progress_step(&progress, "%.3f ms", seconds[i] * 1e3);
  }
  ten_progress_clear(&progress);
  if (values->trace && !status) status = write_trace(executable, values->trace, times);
  times->execute = median(seconds, count);
  times->cost = ten_backend_cost(executable);
  free(seconds);
  return status;
}

/* A compiled file: mapped and run. */
static ten_status *run_compiled(const char *path, const run_values *values) {
  ten_executable *executable;
  run_times times = {0};
  const double start = ten_clock();
  if (values->trace) cli_spans_add_transfers(&times.spans);
  TEN_TRY(ten_compiled_file_open(path, values->device, &executable));
  times.load = ten_clock() - start;
  add_span(&times, "load", start);
  const ten_type *type = ten_func_type(executable->func);
  const size_t count = (size_t)type->input_count + type->result_count;
  ten_tensor **inputs = ten_alloc((count + 1) * sizeof *inputs), **results = inputs + type->input_count;
  memset(inputs, 0, (count + 1) * sizeof *inputs);
  ten_status *status = cli_inputs_read(&values->inputs, values->random.given, executable->func, inputs);
  if (!status) status = cli_inputs_fill(seed_of(values), executable->func, false, inputs);
  if (!status) status = execute_all(executable, values, inputs, results, &times);
  if (!status) status = report(values, executable->backend, executable->func, results, type->result_count, &times);
  ten_tensors_release(inputs, count);
  free(inputs);
  ten_executable_release(executable);
  free_times(&times);
  return status;
}

static ten_status *run_module(ten_module *module, const run_values *values, const ten_backend *device,
                              ten_tensor **inputs, run_times *times) {
  ten_op *func;
  TEN_TRY(cli_entry(module, values->entry, &func));
  const ten_type *type = ten_func_type(func);
  TEN_TRY(cli_inputs_fill(seed_of(values), func, values->archive, inputs));
  ten_tensor **results = ten_alloc((type->result_count + 1) * sizeof *results);
  ten_executable *executable = NULL;
  const double start = ten_clock();
  cli_progress_start("compile", values->quiet);
  ten_status *status = ten_compile(device, module, func, &values->settings, &executable);
  cli_progress_stop();
  times->compile += ten_clock() - start;
  add_span(times, "compile", start);
  if (!status) status = execute_all(executable, values, inputs, results, times);
  if (!status) status = report(values, device, func, results, type->result_count, times);
  ten_executable_release(executable);
  ten_tensors_release(results, type->result_count);
  free(results);
  return status;
}

/* Data-dependent sizes: the parts of the program are compiled when reached, which is not counted as running. */
static ten_status *run_chain(ten_chain *chain, const run_values *values, const ten_backend *device, const ten_op *func,
                             ten_tensor **inputs, run_times *times) {
  if (values->profile || values->trace)
    return ten_error(TEN_UNSUPPORTED,
                     "--%s does not work here: sizes of this program depend on data, so it runs in parts",
                     values->profile ? "profile" : "trace");
  const ten_type *type = ten_func_type(func);
  TEN_TRY(cli_inputs_fill(seed_of(values), func, values->archive, inputs));
  const size_t count = values->repeat > 1 ? (size_t)values->repeat : 1;
  const ten_run_options options = {
      .print = print_text, .print_user = values->json ? stderr : stdout, .interpreted = &times->interpreted};
  double *seconds = ten_alloc(count * sizeof *seconds);
  ten_tensor **results = NULL;
  uint32_t result_count = 0;
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    if (results) ten_tensors_release(results, result_count);
    free(results);
    times->interpreted = 0;
    const double start = ten_clock(), compiled = ten_chain_compile_seconds(chain);
    status = ten_chain_execute(chain, inputs, type->input_count, &options, &results, &result_count);
    seconds[i] = ten_clock() - start - (ten_chain_compile_seconds(chain) - compiled);
  }
  times->execute = median(seconds, count);
  times->compile = ten_chain_compile_seconds(chain);
  free(seconds);
  if (!status) status = report(values, device, func, results, result_count, times);
  if (results) ten_tensors_release(results, result_count);
  free(results);
  return status;
}

static ten_status *run_archive(const ten_import *program, const run_values *values, const ten_backend *device,
                               const ten_type *declared, ten_tensor **inputs, run_times *times) {
  ten_aten_input *wanted = ten_alloc((declared->input_count + 1) * sizeof *wanted);
  memset(wanted, 0, (declared->input_count + 1) * sizeof *wanted);
  for (uint32_t i = 0; i < declared->input_count; i++)
    if (inputs[i] && ten_type_is_tensor(declared->inputs[i]))
      wanted[i].type = ten_type_with_shape(program->aten, declared->inputs[i], inputs[i]->rank, inputs[i]->dims);
  const ten_chain_options options = {
      .lowering = {.inputs = wanted, .input_count = declared->input_count, .unchecked = values->no_checks},
      .device = device,
      .settings = values->settings};
  ten_chain *chain;
  ten_status *status = ten_chain_open(program, &options, &chain);
  if (!status) {
    bool whole;
    ten_module *module = ten_chain_first(chain, &whole);
    times->compile = ten_chain_compile_seconds(chain);
    const ten_op *func = ten_module_entry(module, TEN_STR("main"));
    status = whole ? run_module(module, values, device, inputs, times)
                   : run_chain(chain, values, device, func, inputs, times);
    ten_chain_close(chain);
  }
  free(wanted);
  return status;
}

static ten_status *run_program(const ten_import *program, const run_values *values, const ten_backend *device,
                               run_times *times) {
  ten_op *func;
  TEN_TRY(cli_entry(program->aten ? program->aten : program->stablehlo, values->entry, &func));
  const ten_type *declared = ten_func_type(func);
  times->signature = func;
  ten_tensor **inputs = ten_alloc((declared->input_count + 1) * sizeof *inputs);
  memset(inputs, 0, (declared->input_count + 1) * sizeof *inputs);
  ten_module *module = NULL;
  ten_status *status = cli_inputs_read(&values->inputs, values->random.given, func, inputs);
  const double start = ten_clock();
  if (!status && program->aten)
    status = run_archive(program, values, device, declared, inputs, times);
  else if (!status)
    status = specialise(program, values, device, declared, inputs, &module);
  if (module) {
    if (values->no_checks) ten_asserts_strip(module);
    times->compile = ten_clock() - start;
    add_span(times, "lower", start);
    status = run_module(module, values, device, inputs, times);
    ten_module_destroy(module);
  }
  ten_tensors_release(inputs, declared->input_count);
  free(inputs);
  return status;
}

static ten_status *run_file(const char *path, const run_values *values) {
  if (ten_step_file_at(path))
    return ten_error(TEN_INVALID, "%s is a training step: 'tenfold train %s --data …' runs it", path, path);
  if (ten_backend_of_file(path)) {
    if (values->no_checks)
      return ten_error(TEN_INVALID, "%s is compiled: '--no-checks' goes with 'tenfold compile'", path);
    return run_compiled(path, values);
  }
  ten_log log;
  TEN_TRY(cli_log_open(&log));
  const ten_backend *device;
  TEN_TRY(cli_device_find(values->device, &device));
  if (values->exact_conv && strcmp(device->name, "cpu"))
    return ten_error(TEN_UNSUPPORTED, "--exact-conv is an option of the cpu, not of %s", device->name);
  run_times times = {0};
  run_values given = *values;
  if (given.trace) given.settings.phase = add_phase, given.settings.phase_user = &times;
  if (given.trace) cli_spans_add_transfers(&times.spans);
  cli_progress_follow(&given.settings);
  const double start = ten_clock();
  ten_import program;
  TEN_TRY(ten_import_load(path, &program));
  given.archive = program.aten != NULL;
  times.load = ten_clock() - start;
  add_span(&times, "load", start);
  ten_status *status = run_program(&program, &given, device, &times);
  if (!status)
    ten_log_info(&log, "loaded in %.3f ms, compiled for %s in %.3f ms, ran in %.3f ms", times.load * 1e3, device->name,
                 times.compile * 1e3, times.execute * 1e3);
  free_times(&times);
  ten_import_destroy(&program);
  return status;
}

/* In a separate process, so that a crash of a device's plugin is one message. That process prints its own
 * messages. */
static ten_status *run_isolated(const char *path, const run_values *values, int *out_code) {
  fflush(NULL);
  const pid_t process = fork();
  if (process < 0) return ten_error(TEN_IO, "a process for the program cannot be started: %s", strerror(errno));
  if (!process) {
    ten_status *status = run_file(path, values);
    const int code = status ? cli_fail(status) : CLI_OK;
    fflush(NULL);
    _exit(code); /* exit handlers of plugins have been seen to hang */
  }
  int how = 0;
  pid_t ended;
  do ended = waitpid(process, &how, 0);
  while (ended < 0 && errno == EINTR);
  if (ended > 0 && WIFSIGNALED(how))
    return ten_error(TEN_INTERNAL, "the process that ran %s on %s crashed (%s)", path,
                     values->device ? values->device : "cpu", strsignal(WTERMSIG(how)));
  *out_code = ended > 0 ? WEXITSTATUS(how) : CLI_NO;
  return NULL;
}

static int run_run(const cli_command *self, int argc, char **argv) {
  run_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count != 1) {
      code = cli_misuse(self, "takes one FILE");
    } else {
      values.profile = values.profile_to.given && !values.profile_to.path;
      if (values.profile_to.path) values.trace = values.profile_to.path;
      ten_status *status = ten_settings_parse(values.precision, values.exact_conv, &values.settings);
      values.settings.verify_each = values.verify_each;
      if (!status)
        status = values.isolate ? run_isolated(operands.data[0], &values, &code) : run_file(operands.data[0], &values);
      if (status) code = cli_fail(status);
    }
  }
  cli_list_free(&values.inputs);
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option run_options[] = {
    {"device", 'd', CLI_TEXT, "NAME", "what to run on ('tenfold devices' lists them)", offsetof(run_values, device)},
    {"input", 'i', CLI_LIST, "[NAME=]FILE.npy",
     "an input, by its name or in the order of the program's arguments; once for each", offsetof(run_values, inputs)},
    {"random", 0, CLI_NUMBER, "SEED",
     "random numbers for the inputs that are not given; the same seed (0) gives the same",
     offsetof(run_values, random)},
    {"output", 'o', CLI_FOLDER, "DIR", "write the results to DIR/0.npy, DIR/1.npy, … instead of printing them",
     offsetof(run_values, output)},
    {"entry", 0, CLI_TEXT, "NAME", "the function to run; otherwise @main, or the only public one",
     offsetof(run_values, entry)},
    {"precision", 0, CLI_TEXT, "f32|bf16|tf32",
     "of f32 matmuls and convolutions, whose sums stay f32. bf16 (cpu): their inputs are rounded; tf32 (cuda): their "
     "mantissas are cut to 10 bits",
     offsetof(run_values, precision)},
    {"exact-conv", 0, CLI_FLAG, NULL, "no Winograd: every convolution sums its own products",
     offsetof(run_values, exact_conv)},
    {"verify-each", 0, CLI_FLAG, NULL, "verify the program between all passes of the CPU",
     offsetof(run_values, verify_each)},
    {"no-checks", 0, CLI_FLAG, NULL,
     "of a PyTorch archive: do not check what eager mode raises, such as an index out of range",
     offsetof(run_values, no_checks)},
    {"repeat", 0, CLI_MANY, "N", "run it N times; the time reported is the median", offsetof(run_values, repeat)},
    {"profile", 0, CLI_JSON, "FILE.json",
     "print where the time goes, step by step (the cpu's); or write it to FILE.json, as --trace does",
     offsetof(run_values, profile_to)},
    {"trace", 0, CLI_OUTPUT, "FILE.json",
     "write when each step ran, one after the other, as a trace for Perfetto (the cpu's)", offsetof(run_values, trace)},
    {"isolate", 0, CLI_FLAG, NULL, "in a process of its own: a crash in a device's plugin is one message",
     offsetof(run_values, isolate)},
    {"json", 0, CLI_FLAG, NULL, "print device, times and results as JSON", offsetof(run_values, json)},
    CLI_QUIET_OPTION(run_values, quiet),
    CLI_LIBRARY_OPTION(run_values),
    {0},
};

const cli_command cli_run = {
    .name = "run",
    .summary = "run a program",
    .operands = "FILE [--input A.npy]… [options]",
    .description =
        "Reads a program (MLIR text, MLIR bytecode or a PyTorch archive; '-' is standard input), verifies it, compiles it for the device and runs "
        "it. Without --output it prints, for each result, its type, least, mean and largest element, and its first "
        "elements.\n\n"
        "Inputs and results are NumPy's .npy files. Types that NumPy does not know (bf16, f8E4M3FN, i4, …) are written "
        "as ml_dtypes writes them.",
    .options = run_options,
    .examples = (const char *const[]){"run examples/mlp.mlir --random", "run model.mlir --input x.npy --output results",
                                      "run model.mlirbc --random 7 --json", NULL},
    .run = run_run,
};
