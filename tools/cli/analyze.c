/* analyze.c: `tenfold analyze`: the cost of a program. */
#include <inttypes.h>
#include <stdio.h>

#include "analyze/analyze.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/roofline.h"
#include "front/import/load.h"

typedef struct analyze_values {
  cli_list libraries;
  const char *stage;
  bool json, ops, no_measure;
} analyze_values;

static void put(json_t *object, const char *name, uint64_t number) {
  json_object_set_new(object, name, json_integer((json_int_t)number));
}

static json_t *sum_json(const ten_cost_sum *sum, bool named) {
  json_t *object = json_object();
  if (named) json_object_set_new(object, "name", cli_json_text(sum->name));
  if (sum->class_name.size) json_object_set_new(object, "class", cli_json_text(sum->class_name));
  put(object, "ops", sum->ops);
  put(object, "macs", sum->macs);
  put(object, "flops", sum->flops);
  put(object, "parameters", sum->parameters);
  put(object, "parameter_bytes", sum->parameter_bytes);
  put(object, "weight_bytes_read", sum->weight_bytes);
  put(object, "bytes_read", sum->read_bytes);
  put(object, "bytes_written", sum->written);
  put(object, "live_bytes", sum->live_bytes);
  return object;
}

static json_t *row_json(const ten_analysis *a, const ten_cost_row *row) {
  json_t *object = json_object();
  json_object_set_new(object, "op", cli_json_text(row->name));
  json_object_set_new(object, "result", cli_json_text(row->result));
  json_object_set_new(object, "layer", cli_json_text(row->layer));
  if (row->line) {
    json_object_set_new(object, "file", cli_json_text(row->file));
    put(object, "line", row->line);
  }
  put(object, "macs", row->macs);
  put(object, "flops", row->flops);
  put(object, "weight_bytes_read", row->weight_bytes);
  put(object, "bytes_read", row->read_bytes);
  put(object, "bytes_written", row->written);
  put(object, "live_bytes", row->live_bytes);
  if (row->alias >= 0)
    json_object_set_new(object, row->writes ? "writes" : "views", cli_json_text(a->rows.data[row->alias].result));
  else if (row->alias_name.size)
    json_object_set_new(object, row->writes ? "writes" : "views", cli_json_text(row->alias_name));
  return object;
}

static void print_json(const char *path, const char *stage, const ten_analysis *a, const roofline_device *devices,
                       size_t count) {
  json_t *root = json_object(), *kinds = json_array(), *layers = json_array(), *ops = json_array();
  for (size_t i = 0; i < a->kinds.count; i++) json_array_append_new(kinds, sum_json(&a->kinds.data[i], true));
  for (size_t i = 0; i < a->layers.count; i++) json_array_append_new(layers, sum_json(&a->layers.data[i], true));
  for (size_t i = 0; i < a->rows.count; i++) json_array_append_new(ops, row_json(a, &a->rows.data[i]));
  json_object_set_new(root, "program", cli_json_text(ten_str_of(path)));
  json_object_set_new(root, "stage", json_string(stage));
  json_object_set_new(root, "total", sum_json(&a->total, false));
  put(root, "buffers", a->buffers);
  put(root, "buffer_bytes", a->buffer_bytes);
  put(root, "input_bytes", a->input_bytes);
  put(root, "output_bytes", a->output_bytes);
  put(root, "peak_bytes", a->peak_bytes);
  put(root, "peak_op", a->peak_row);
  put(root, "loops_of_unknown_length", a->unknown_loops);
  json_object_set_new(root, "kinds", kinds);
  json_object_set_new(root, "layers", layers);
  json_object_set_new(root, "ops", ops);
  json_object_set_new(root, "roofline", roofline_json(a, devices, count));
  cli_json_print(root);
}

/* "548.1 MiB" */
static const char *bytes_text(uint64_t bytes, char *out, size_t size) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 1024 && unit < 4) value /= 1024, unit++;
  snprintf(out, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return out;
}

/* "19.632 G" */
static const char *count_text(uint64_t count, char *out, size_t size) {
  static const char *const units[] = {"", " k", " M", " G", " T", " P"};
  double value = (double)count;
  size_t unit = 0;
  while (value >= 1000 && unit < 5) value /= 1000, unit++;
  snprintf(out, size, unit ? "%.3f%s" : "%.0f%s", value, units[unit]);
  return out;
}

static void print_sums(const char *title, const ten_cost_sum *sums, size_t count, bool with_parameters) {
  int width = (int)strlen(title);
  for (size_t i = 0; i < count; i++) width = (int)sums[i].name.size > width ? (int)sums[i].name.size : width;
  printf("\n%-*s %5s %13s %11s %11s %11s %11s %11s\n", width, title, "ops", "multiply-adds",
         with_parameters ? "parameters" : "flops", "weights", "read", "written", "alive");
  for (size_t i = 0; i < count; i++) {
    const ten_cost_sum *s = &sums[i];
    char macs[32], other[32], weights[32], read[32], written[32], alive[32];
    const ten_str name = s->name.size ? s->name : TEN_STR("-");
    printf("%-*.*s %5" PRIu64 " %13s %11s %11s %11s %11s %11s\n", width, TEN_FMT(name), s->ops,
           count_text(s->macs, macs, sizeof macs),
           count_text(with_parameters ? s->parameters : s->flops, other, sizeof other),
           bytes_text(with_parameters ? s->parameter_bytes : s->weight_bytes, weights, sizeof weights),
           bytes_text(s->read_bytes, read, sizeof read), bytes_text(s->written, written, sizeof written),
           bytes_text(s->live_bytes, alive, sizeof alive));
  }
}

static void print_ops(const ten_analysis *a) {
  printf("\n%-36s %-28s %13s %11s %11s %11s %11s  %s\n", "op", "layer", "multiply-adds", "weights", "read", "written",
         "alive", "memory");
  for (size_t i = 0; i < a->rows.count; i++) {
    const ten_cost_row *r = &a->rows.data[i];
    char macs[32], weights[32], read[32], written[32], alive[32];
    printf("%-36.*s %-28.*s %13s %11s %11s %11s %11s ", TEN_FMT(r->name), TEN_FMT(r->layer),
           count_text(r->macs, macs, sizeof macs), bytes_text(r->weight_bytes, weights, sizeof weights),
           bytes_text(r->read_bytes, read, sizeof read), bytes_text(r->written, written, sizeof written),
           bytes_text(r->live_bytes, alive, sizeof alive));
    const ten_str other = r->alias >= 0 ? a->rows.data[r->alias].result : r->alias_name;
    if (other.size) printf(" %s %.*s", r->writes ? "writes to" : "looks into", TEN_FMT(other));
    putchar('\n');
  }
}

static void print_text(const char *path, const ten_analysis *a, const analyze_values *values,
                       const roofline_device *devices, size_t count) {
  const ten_cost_sum *t = &a->total;
  char one[32], two[32], three[32];
  printf("%s: %" PRIu64 " op%s, %s multiply-adds, %s flops\n", path, t->ops, t->ops == 1 ? "" : "s",
         count_text(t->macs, one, sizeof one), count_text(t->flops, two, sizeof two));
  printf("parameters: %s (%s); buffers and constants: %s\n", count_text(t->parameters, one, sizeof one),
         bytes_text(t->parameter_bytes, two, sizeof two), bytes_text(a->buffer_bytes, three, sizeof three));
  printf("inputs: %s; results: %s\n", bytes_text(a->input_bytes, one, sizeof one),
         bytes_text(a->output_bytes, two, sizeof two));
  printf("activations: %s written, at most %s alive at once", bytes_text(t->written, one, sizeof one),
         bytes_text(a->peak_bytes, two, sizeof two));
  if (a->rows.count) {
    const ten_cost_row *peak = &a->rows.data[a->peak_row];
    printf(", at %.*s", TEN_FMT(peak->name));
    if (peak->layer.size) printf(" of %.*s", TEN_FMT(peak->layer));
    if (peak->line) printf(" (%.*s:%u)", TEN_FMT(peak->file), peak->line);
  }
  const uint64_t least = t->parameter_bytes + a->buffer_bytes + a->input_bytes + a->output_bytes;
  printf("\ntraffic: %s op by op; %s at least\n",
         bytes_text(t->weight_bytes + t->read_bytes + t->written, one, sizeof one), bytes_text(least, two, sizeof two));
  size_t views = 0, writes = 0;
  for (size_t i = 0; i < a->rows.count; i++) {
    const ten_cost_row *r = &a->rows.data[i];
    if (r->alias >= 0 || r->alias_name.size) r->writes ? writes++ : views++;
  }
  printf("aliases: ops that look into memory of others: %zu; that write there: %zu\n", views, writes);
  if (a->unknown_loops) printf("loops whose length is not known, counted once: %zu\n", a->unknown_loops);
  print_sums("kind", a->kinds.data, a->kinds.count, false);
  if (a->layers.count) print_sums("layer", a->layers.data, a->layers.count, true);
  if (values->ops) print_ops(a);
  roofline_print(a, devices, count);
}

static ten_status *analyze(const char *path, const analyze_values *values) {
  ten_analysis analysis = {0};
  ten_import program = {0};
  ten_module *module = NULL;
  ten_status *status = NULL;
  const char *stage = values->stage;
  if (!stage || !strcmp(stage, "aten")) {
    status = ten_import_load(path, &program);
    if (!status && !program.aten && stage)
      status = ten_error(TEN_INVALID, "%s: is StableHLO already; only a PyTorch archive has an ATen stage", path);
    if (!status && program.aten) {
      stage = "aten";
      status = ten_analyze_aten(program.aten, &analysis);
    } else if (!status) {
      ten_import_destroy(&program);
      program = (ten_import){0};
      stage = NULL;
    }
  }
  if (!status && (!stage || strcmp(stage, "aten"))) {
    ten_op *func;
    stage = "stablehlo";
    status = cli_load(path, &module);
    if (!status) status = cli_entry(module, NULL, &func);
    if (!status) status = ten_analyze_stablehlo(module, func, &analysis);
  }
  if (!status) {
    roofline_device devices[ROOFLINE_DEVICES];
    const size_t count = roofline_devices(!values->no_measure, devices);
    if (values->json)
      print_json(path, stage, &analysis, devices, count);
    else
      print_text(path, &analysis, values, devices, count);
    ten_analysis_free(&analysis);
  }
  if (module) ten_module_destroy(module);
  if (program.aten || program.stablehlo) ten_import_destroy(&program);
  return status;
}

static int analyze_run(const cli_command *self, int argc, char **argv) {
  analyze_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count != 1) {
      code = cli_misuse(self, "takes one FILE");
    } else if (values.stage && strcmp(values.stage, "aten") && strcmp(values.stage, "stablehlo")) {
      code = cli_misuse(self, "unknown stage '%s'; use aten or stablehlo", values.stage);
    } else {
      ten_status *status = analyze(operands.data[0], &values);
      code = status ? cli_fail(status) : CLI_OK;
    }
  }
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option analyze_options[] = {
    {"stage", 0, CLI_TEXT, "aten|stablehlo",
     "the form whose ops are counted: aten, the default of a PyTorch archive, or stablehlo",
     offsetof(analyze_values, stage)},
    {"ops", 0, CLI_FLAG, NULL, "a line for each op, with what its memory is shared with",
     offsetof(analyze_values, ops)},
    {"json", 0, CLI_FLAG, NULL, "everything, each op too, as JSON", offsetof(analyze_values, json)},
    CLI_NO_MEASURE_OPTION(analyze_values),
    CLI_LIBRARY_OPTION(analyze_values),
    {0},
};

const cli_command cli_analyze = {
    .name = "analyze",
    .summary = "say what a program costs: arithmetic, memory, and the least time on each device",
    .operands = "FILE [options]",
    .description =
        "Counts a program's ops by kind and by layer: multiply-adds, bytes of weights, of activations and of traffic, what is alive at "
        "once, and which ops share memory. Nothing is run. Sizes that may vary are those of the export.\n\n"
        "Memory is counted as PyTorch would hold it, op by op; \"at least\" is what no fusion can avoid: weights, inputs and results, each "
        "once. The last table is the roofline: the least time on this machine (measured), on each TPU and on an H200 (published peaks).",
    .options = analyze_options,
    .examples =
        (const char *const[]){"analyze model.pt2", "analyze model.pt2 --json", "analyze examples/mlp.mlir --ops", NULL},
    .run = analyze_run,
};
