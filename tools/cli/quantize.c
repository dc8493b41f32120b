/* quantize.c: `tenfold quantize`: an f32 program as an int8 program. Archives are written by the Python package
 * (tenfold.torch.quantize), which asks this command for ranges. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"
#include "driver/devices.h"
#include "edge/edge.h"
#include "ir/bytecode/bytecode.h"

typedef struct quantize_values {
  cli_list libraries, shapes;
  const char *data, *output, *method, *percentile, *io, *layout, *dense, *device, *entry, *target;
  int64_t samples, batch;
  bool no_bias_correction, json, ranges;
  bool mixed; /* from `target` */
} quantize_values;

static bool is_bytecode(const char *path) { return ten_str_ends(ten_str_of(path), ".mlirbc"); }

/* One of several words; false: none of them. The first is the default. */
static bool choose(const char *given, const char *first, const char *second, bool *out_second) {
  *out_second = given && !strcmp(given, second);
  return !given || *out_second || !strcmp(given, first);
}

/* What the words on the command line say; a message for what they do not. */
static int options_read(const cli_command *self, quantize_values *values, edge_options *out) {
  *out =
      (edge_options){.percentile = 99.99, .samples = values->samples, .no_bias_correction = values->no_bias_correction};
  bool int8;
  if (!choose(values->io, "f32", "int8", &int8))
    return cli_misuse(self, "'--io' takes f32 or int8, not '%s'", values->io);
  out->shape.real_io = !int8;
  if (!choose(values->layout, "as-is", "nhwc", &out->shape.channels_last))
    return cli_misuse(self, "'--layout' takes as-is or nhwc, not '%s'", values->layout);
  if (!choose(values->dense, "one", "each", &out->dense_per_channel))
    return cli_misuse(self, "'--dense-scales' takes one or each, not '%s'", values->dense);
  if (!choose(values->target, "edgetpu", "cpu", &values->mixed))
    return cli_misuse(self, "'--target' takes edgetpu or cpu, not '%s'", values->target);
  if (values->mixed && (int8 || out->shape.channels_last || values->dense))
    return cli_misuse(self, "'--io', '--layout' and '--dense-scales' are for --target edgetpu");
  const char *method = values->method ? values->method : "minmax";
  if (!strcmp(method, "percentile"))
    out->method = EDGE_PERCENTILE;
  else if (!strcmp(method, "mse"))
    out->method = EDGE_MSE;
  else if (strcmp(method, "minmax") != 0)
    return cli_misuse(self, "'--method' takes minmax, percentile or mse, not '%s'", method);
  char *end = NULL;
  if (values->percentile) out->percentile = strtod(values->percentile, &end);
  if (values->percentile && (*end || !(out->percentile > 50 && out->percentile <= 100)))
    return cli_misuse(self, "'--percentile' takes a number above 50 and up to 100, not '%s'", values->percentile);
  return CLI_OK;
}

static json_t *report_json(const edge_report *report, const quantize_values *values) {
  json_t *layers = json_array();
  for (size_t i = 0; i < report->layers.count; i++) {
    const edge_layer *l = &report->layers.data[i];
    json_t *row = json_pack("{s:o, s:s%, s:s%, s:f, s:i, s:f, s:f}", "layer", cli_json_text(l->name), "op",
                            l->kind.data, l->kind.size, "shape", l->type.data, l->type.size, "scale", (double)l->scale,
                            "zero_point", (int)l->zero_point, "mean_error", l->mean_error, "max_error", l->max_error);
    json_object_set_new(row, "sqnr_db", isfinite(l->signal_to_noise) ? json_real(l->signal_to_noise) : json_null());
    json_array_append_new(layers, row);
  }
  json_t *made = json_object();
  if (values->output) json_object_set_new(made, "output", cli_json_text(ten_str_of(values->output)));
  json_object_set_new(made, "samples", json_integer((json_int_t)report->samples));
  json_object_set_new(made, "layers", layers);
  return made;
}

static void report_print(const edge_report *report, const quantize_values *values) {
  const bool scales = values->mixed || values->ranges;
  if (report->layers.count && scales)
    printf("%-34s %-24s %-16s %11s %5s\n", "layer", "op", values->ranges ? "shape" : "input", "scale", "zero");
  else if (report->layers.count)
    printf("%-34s %-24s %-16s %11s %5s %8s %11s %11s\n", "layer", "op", "stored shape", "scale", "zero", "SQNR dB",
           "mean error", "max error");
  for (size_t i = 0; i < report->layers.count; i++) {
    const edge_layer *l = &report->layers.data[i];
    if (scales) {
      printf("%-34.*s %-24.*s %-16.*s %11.5g %5d\n", TEN_FMT(l->name), TEN_FMT(l->kind), TEN_FMT(l->type),
             (double)l->scale, (int)l->zero_point);
      continue;
    }
    printf("%-34.*s %-24.*s %-16.*s %11.5g %5d %8.1f %11.3g %11.3g\n", TEN_FMT(l->name), TEN_FMT(l->kind),
           TEN_FMT(l->type), (double)l->scale, (int)l->zero_point, l->signal_to_noise, l->mean_error, l->max_error);
  }
  printf("%lld samples%s%s\n", (long long)report->samples, values->output ? "; written " : "",
         values->output ? values->output : "");
}

static ten_status *write_module(const ten_module *module, const char *path) {
  ten_buf bytes = {0};
  ten_status *status = NULL;
  if (is_bytecode(path))
    status = ten_bytecode_write(module, ten_vhlo_version_current, &bytes);
  else
    ten_text_print(&bytes, module, NULL);
  if (!status) status = ten_file_write_atomic(path, bytes.data, bytes.size);
  ten_buf_free(&bytes);
  return status;
}

static ten_status *quantize_file(const char *path, const quantize_values *values, edge_options *options) {
  options->device = ten_backend_default();
  if (values->device) TEN_TRY(ten_backend_open(values->device, &options->device));
  const cli_shapes shapes = {.batch = values->batch, .shapes = values->shapes};
  ten_module *module, *quantized = NULL;
  ten_buf open = {0};
  TEN_TRY(cli_load_shaped(path, values->entry, &shapes, &module, &open));
  ten_buf_free(&open);
  ten_op *func;
  edge_report report = {0};
  ten_status *status = cli_entry(module, values->entry, &func);
  if (!status && values->ranges)
    status = edge_ranges(module, func, values->data, options, &report);
  else if (!status)
    status = values->mixed ? edge_quantize_mixed(module, func, values->data, options, &report)
                           : edge_quantize(module, func, values->data, options, &report, &quantized);
  if (!status && !values->ranges) status = write_module(quantized ? quantized : module, values->output);
  if (!status && values->json) cli_json_print(report_json(&report, values));
  if (!status && !values->json) report_print(&report, values);
  edge_report_free(&report);
  if (quantized) ten_module_destroy(quantized);
  ten_module_destroy(module);
  return status ? ten_annotate(status, "quantizing %s", path) : NULL;
}

/* An archive, by the Python package: it is given the options that choose ranges. */
static int quantize_archive(const char *path, const quantize_values *values) {
  char self[4096], samples[32], batch[32];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  if (size < 0) return cli_fail(ten_error(TEN_IO, "the command's own file was not found"));
  self[size] = 0;
  snprintf(samples, sizeof samples, "%lld", (long long)values->samples);
  snprintf(batch, sizeof batch, "%lld", (long long)values->batch);
  ten_buf python = {0};
  TEN_VEC(const char *) words = {0};
  const char *const given[] = {"-o",           values->output,
                               "--command",    self,
                               "--data",       values->data,
                               "--method",     values->method,
                               "--device",     values->device,
                               "--samples",    values->samples ? samples : NULL,
                               "--batch",      values->batch ? batch : NULL,
                               "--percentile", values->percentile};
  const char *const start[] = {cli_python_find(&python), "-m", "tenfold.torch.quantize", path};
  for (size_t i = 0; i < sizeof start / sizeof *start; i++) ten_vec_push(&words, start[i]);
  for (size_t i = 0; i < sizeof given / sizeof *given; i += 2)
    for (size_t k = 0; given[i + 1] && k < 2; k++) ten_vec_push(&words, given[i + k]);
  for (size_t i = 0; i < values->shapes.count; i++) {
    ten_vec_push(&words, "--shape");
    ten_vec_push(&words, values->shapes.data[i]);
  }
  for (size_t i = 0; i < values->libraries.count; i++) {
    ten_vec_push(&words, "--library");
    ten_vec_push(&words, values->libraries.data[i]);
  }
  if (values->json) ten_vec_push(&words, "--json");
  ten_vec_push(&words, NULL);
  cli_python_set_path();
  int code = cli_run_program(words.data);
  if (code == 127)
    fprintf(stderr, "tenfold: writing an archive needs Python with torch: %s was not found (set TENFOLD_PYTHON)\n",
            start[0]);
  if (code < 0) code = CLI_NO;
  ten_vec_free(&words);
  ten_buf_free(&python);
  return code;
}

static int quantize_checked(const cli_command *self, const cli_list *operands, quantize_values *values) {
  edge_options options;
  if (operands->count != 1) return cli_misuse(self, "takes one FILE");
  if (!values->output && !values->ranges) return cli_misuse(self, "needs --output OUT.mlir");
  if (values->output && values->ranges) return cli_misuse(self, "'--ranges' writes nothing: not with --output");
  const ten_str name = ten_str_of(values->output ? values->output : "");
  const bool archive = ten_str_ends(name, ".pt2");
  if (archive &&
      (values->target || values->io || values->layout || values->dense || values->entry || values->no_bias_correction))
    return cli_misuse(
        self,
        "an archive is for PyTorch: '--target', '--io', '--layout', '--dense-scales', '--entry' and '--no-bias-correction' are for OUT.mlir");
  if (values->output && !archive && !ten_str_ends(name, ".mlir") && !ten_str_ends(name, ".mlirbc") &&
      !cli_is_device(values->output))
    return cli_misuse(self,
                      "--output %s: an int8 program is written as OUT.mlir (text), OUT.mlirbc (bytecode) or OUT.pt2",
                      values->output);
  const int code = options_read(self, values, &options);
  if (code) return code;
  if (archive) return quantize_archive(operands->data[0], values);
  ten_status *status = quantize_file(operands->data[0], values, &options);
  return status ? cli_fail(status) : CLI_OK;
}

static int quantize_run(const cli_command *self, int argc, char **argv) {
  quantize_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) code = quantize_checked(self, &operands, &values);
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  cli_list_free(&values.shapes);
  return code;
}

static const cli_option quantize_options[] = {
    {"data", 0, CLI_TEXT, "CALIB",
     "samples of the inputs: a folder of NAME.npy or x.npy, an .npz, or one .npy; the first dimension counts samples. An archive "
     "that was quantized before (quantized_decomposed ops, as torchao's pt2e writes) needs none",
     offsetof(quantize_values, data)},
    {"output", 'o', CLI_OUTPUT, "OUT.mlir",
     "the int8 program to write, as text, OUT.mlirbc as bytecode, or OUT.pt2 for PyTorch",
     offsetof(quantize_values, output)},
    {"target", 0, CLI_TEXT, "edgetpu|cpu",
     "what it is for: ops of TFLite from end to end (the default), or int8 convolutions and matmuls in an f32 program",
     offsetof(quantize_values, target)},
    {"method", 0, CLI_TEXT, "minmax|percentile|mse",
     "how the range of an activation is chosen: all that was seen (the default), most of it, or the least squared error",
     offsetof(quantize_values, method)},
    {"percentile", 0, CLI_TEXT, "P", "of --method percentile: how much of the elements is inside, 99.99 by default",
     offsetof(quantize_values, percentile)},
    {"samples", 0, CLI_MANY, "N", "look at the first N samples only", offsetof(quantize_values, samples)},
    {"no-bias-correction", 0, CLI_FLAG, NULL,
     "do not add to biases what rounding the weights takes from a layer's mean",
     offsetof(quantize_values, no_bias_correction)},
    {"io", 0, CLI_TEXT, "f32|int8", "the type of inputs and results: f32 as before (the default), or int8",
     offsetof(quantize_values, io)},
    {"layout", 0, CLI_TEXT, "as-is|nhwc",
     "how images go in and out: as in the program (the default), or [batch, height, width, channels]",
     offsetof(quantize_values, layout)},
    {"dense-scales", 0, CLI_TEXT, "one|each",
     "scales of a matmul's weights: one for all, which the Edge TPU needs (the default), or one for each output",
     offsetof(quantize_values, dense)},
    {"device", 0, CLI_TEXT, "DEVICE", "where calibration runs; cpu by default", offsetof(quantize_values, device)},
    {"batch", 0, CLI_MANY, "N", "the batch of the int8 program, where the file leaves it open",
     offsetof(quantize_values, batch)},
    {"shape", 0, CLI_LIST, "NAME=4x5x6", "sizes of an input that leaves some open; may be repeated",
     offsetof(quantize_values, shapes)},
    {"entry", 0, CLI_TEXT, "NAME", "the function to quantize; otherwise @main, or the only public one",
     offsetof(quantize_values, entry)},
    {"ranges", 0, CLI_FLAG, NULL, "say which scales the program's results have as unsigned bytes, and write nothing",
     offsetof(quantize_values, ranges)},
    {"json", 0, CLI_FLAG, NULL, "the error of each layer as JSON", offsetof(quantize_values, json)},
    CLI_LIBRARY_OPTION(quantize_values),
    {0},
};

const cli_command cli_quantize = {
    .name = "quantize",
    .summary = "make an int8 program of an f32 one",
    .operands = "FILE --data CALIB -o OUT.mlir [options]",
    .description =
        "Runs a network on samples, chooses a scale for each activation, rounds weights to 8 bits (one scale for each output channel of a "
        "convolution) and writes an int8 program: StableHLO whose integer ops compute what TFLite's kernels compute, bit for bit. 'tenfold run' "
        "runs it like any other, 'tenfold compile --target edgetpu' makes a .tflite file of it.\n\n"
        "Prints for each layer its scale, zero point, and how far its results are from the f32 program's on the samples: the ratio of signal to "
        "quantization noise, the mean and the largest error.\n\n"
        "With --target cpu only convolutions and matmuls by constant weights become int8, and all other ops stay as they are: any network goes, "
        "and the CPU computes it faster than in f32.\n\n"
        "OUT.pt2 is an archive for torch.export.load and for Tenfold: the same convolutions and matmuls with quantized_decomposed ops around "
        "them and weights stored as int8, as PyTorch's pt2e flow writes them. It is written by Python with PyTorch.\n\n"
        "Ops that TFLite's int8 kernels cannot express are named, all at once, with their layer and line, and nothing is written.",
    .options = quantize_options,
    .examples = (const char *const[]){"quantize model.pt2 --data samples/ -o model.int8.mlir",
                                      "quantize model.pt2 --data x.npy --io int8 --layout nhwc -o model.int8.mlir",
                                      "quantize model.pt2 --data x.npy --target cpu -o model.int8.mlir",
                                      "quantize model.pt2 --data samples/ -o model.int8.pt2",
                                      "compile model.int8.mlir --target edgetpu -o model.tflite", NULL},
    .run = quantize_run,
};
