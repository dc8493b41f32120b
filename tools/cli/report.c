/* report.c: `tenfold report`: one page about a program: its graph, its time, its memory. The page is report.html, whose
 * script draws the JSON that is inserted here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/report_page.h"
#include "cli/roofline.h"
#include "cli/target.h"

typedef struct report_values {
  cli_list libraries;
  cli_observing observing;
  cli_training training;
  const char *output, *compare, *metrics, *target, *mesh;
  bool json, no_measure;
} report_values;

/* ---- the page ---- */
static const char data_begin[] = "<script type=\"application/json\" id=\"data\">";
static const char data_end[] = "</script>";

/* The data of an existing report. */
static ten_status *compared_json(const char *path, json_t **out_json) {
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  const ten_str bytes = ten_file_bytes(&file);
  const char *begin = memmem(bytes.data, bytes.size, data_begin, sizeof data_begin - 1);
  if (begin) begin += sizeof data_begin - 1;
  const char *end =
      begin ? memmem(begin, bytes.size - (size_t)(begin - bytes.data), data_end, sizeof data_end - 1) : NULL;
  json_error_t error;
  *out_json = end ? json_loadb(begin, (size_t)(end - begin), 0, &error) : NULL;
  ten_file_unmap(&file);
  if (!json_is_object(*out_json)) {
    json_decref(*out_json);
    *out_json = NULL;
    return ten_error(TEN_INVALID, "--compare %s: is not a page that 'tenfold report' wrote", path);
  }
  json_object_del(*out_json, "compare"); /* a comparison with a comparison uses its newer report */
  return NULL;
}

/* JSON inside a script element: "<" must not begin a tag. */
static void add_json(ten_buf *out, const json_t *root) {
  char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
  for (const char *at = text; at && *at; at++) {
    if (*at == '<')
      ten_buf_adds(out, "\\u003c");
    else
      ten_buf_addc(out, *at);
  }
  free(text);
}

static ten_status *write_page(const char *path, const json_t *root) {
  static const char mark[] = "{{DATA}}";
  const ten_str page = {(const char *)report_page, report_page_size};
  const char *at = memmem(page.data, page.size, mark, sizeof mark - 1);
  if (!at) return ten_error(TEN_INTERNAL, "the page of the report has no place for its data");
  ten_buf out = {0};
  ten_buf_add(&out, page.data, (size_t)(at - page.data));
  ten_buf_adds(&out, data_begin);
  add_json(&out, root);
  ten_buf_adds(&out, data_end);
  at += sizeof mark - 1;
  ten_buf_add(&out, at, page.size - (size_t)(at - page.data));
  ten_status *status = NULL;
  if (!strcmp(path, "-"))
    fwrite(out.data, 1, out.size, stdout);
  else
    status = ten_file_write_atomic(path, out.data, out.size);
  ten_buf_free(&out);
  return status;
}

static ten_status *add_observed(json_t *root, const char *path, const report_values *values) {
  cli_observed observed;
  ten_status *status = cli_observe(path, &values->observing, &values->training, &observed);
  if (!status) {
    report_add_observed(root, &observed, values->observing.precision);
    status = report_add_before(root, path, values->observing.train, observed.module, observed.func);
  }
  cli_observed_free(&observed);
  return status;
}

/* For another machine: what its compiler reports. */
static ten_status *add_target(json_t *root, const char *path, const report_values *values) {
  ten_module *module;
  ten_op *func;
  TEN_TRY(cli_observed_load(path, &values->observing, &values->training, &module, &func));
  const cli_target target = {.target = values->target,
                             .mesh = values->mesh,
                             .precision = values->observing.precision,
                             .quiet = values->observing.quiet};
  json_t *outcome = NULL;
  ten_status *status = cli_target_json(&target, module, func, &outcome);
  if (!status) {
    json_object_set_new(root, "device", json_string(values->target));
    json_object_set_new(root, "target", outcome);
    status = report_add_before(root, path, values->observing.train, module, func);
  }
  ten_module_destroy(module);
  return status;
}

static ten_status *add_command(json_t *root, const cli_list *words, int *out_code) {
  cli_traced traced;
  ten_status *status = cli_traced_run(words, &traced);
  *out_code = traced.code < 0 ? CLI_NO : traced.code;
  if (!status) report_add_traced(root, &traced);
  cli_traced_free(&traced);
  return status;
}

static void say_written(const char *path, const json_t *root) {
  const json_t *seconds = json_object_get(root, "seconds");
  fprintf(stderr, "tenfold: wrote %s: ", path);
  if (json_object_get(root, "target"))
    fprintf(stderr, "%s\n", json_string_value(json_object_get(root, "device")));
  else if (json_object_get(root, "command"))
    fprintf(stderr, "%zu programs\n", json_array_size(json_object_get(root, "programs")));
  else
    fprintf(stderr, "%zu steps, %.3f ms a run\n", json_array_size(json_object_get(root, "steps")),
            json_number_value(json_object_get(seconds, "execute")) * 1e3);
}

static ten_status *report_on(const cli_list *operands, bool command, const report_values *values, int *out_code) {
  json_t *before = NULL;
  if (values->compare) TEN_TRY(compared_json(values->compare, &before));
  ten_buf name = {0};
  for (size_t i = 0; i < operands->count; i++) ten_buf_printf(&name, "%s%s", i ? " " : "", operands->data[i]);
  json_t *root = report_begin(name.data, values->observing.train);
  ten_buf_free(&name);
  ten_status *status = command          ? add_command(root, operands, out_code)
                       : values->target ? add_target(root, operands->data[0], values)
                                        : add_observed(root, operands->data[0], values);
  if (!status && !values->no_measure && !values->target) report_add_machine(root);
  if (!status && values->metrics) status = report_add_metrics(root, values->metrics);
  if (before) json_object_set(root, "compare", before);
  if (!status && values->json)
    cli_json_print(json_incref(root));
  else if (!status)
    status = write_page(values->output, root);
  if (!status && !values->json && strcmp(values->output, "-")) say_written(values->output, root);
  json_decref(root);
  json_decref(before);
  return status;
}

static int report_run(const cli_command *self, int argc, char **argv) {
  report_values values = {0};
  cli_list operands;
  bool command;
  int code;
  if (cli_parse_subject(self, argc, argv, &values, &operands, &command, &code)) {
    if (!values.output && !values.json) {
      code = cli_misuse(self, "needs -o FILE.html");
    } else if (values.target && (command || values.compare)) {
      code = cli_misuse(self, "--target goes neither with a command nor with --compare");
    } else if (values.mesh && !values.target) {
      code = cli_misuse(self, "--mesh goes with --target");
    } else {
      ten_status *status = report_on(&operands, command, &values, &code);
      if (status) code = cli_fail(status);
    }
  }
  cli_list_free(&values.observing.inputs);
  cli_list_free(&values.observing.shapes);
  cli_list_free(&values.libraries);
  cli_list_free(&operands);
  return code;
}

static const cli_option report_options[] = {
    {"output", 'o', CLI_OUTPUT, "FILE.html", "the page to write; it needs no network and no other file",
     offsetof(report_values, output)},
    {"compare", 0, CLI_TEXT, "OLD.html", "a report that was made before: the page shows what differs",
     offsetof(report_values, compare)},
    {"metrics", 0, CLI_TEXT, "FILE.jsonl",
     "what 'train --metrics' wrote: the page shows the curves of the loss and of time",
     offsetof(report_values, metrics)},
    {"target", 0, CLI_TEXT, "TARGET",
     "compile it for a machine that is not here (tpu:v5e:2x2, as `compile` takes it) and show what its compiler says",
     offsetof(report_values, target)},
    {"mesh", 0, CLI_TEXT, "data=N,model=M", "of --target: spread over N × M devices", offsetof(report_values, mesh)},
    CLI_NO_MEASURE_OPTION(report_values),
    {"json", 0, CLI_FLAG, NULL, "print what the page shows as JSON instead", offsetof(report_values, json)},
    CLI_OBSERVING_OPTIONS(report_values),
    CLI_LIBRARY_OPTION(report_values),
    {0},
};

const cli_command cli_report = {
    .name = "report",
    .summary = "write a page about a program: its graph, its time, its memory",
    .operands = "FILE|-- COMMAND… -o FILE.html [options]",
    .description =
        "Compiles the program for the cpu, runs it on random inputs (or those that are given) and writes one page: the "
        "graph before and after fusion, by layer; when each step ran; memory over time and what holds the peak; each step "
        "under the roofline of this machine; what was not compiled; what would be compiled again; precision; the phases of "
        "compiling.\n\n"
        "Of a command (-o report.html -- python train.py) the page shows every program that it compiled, as `profile` "
        "does. With --compare the page also says what changed since an earlier report, with --metrics how training "
        "went. With --target tpu:… the program is not run: libtpu's own figures are shown.",
    .options = report_options,
    .examples = (const char *const[]){"report model.pt2 -o report.html",
                                      "report model.pt2 --train --optimizer adamw -o step.html",
                                      "report model.pt2 -o new.html --compare old.html",
                                      "report model.pt2 --train --target tpu:v5e:2x2 -o tpu.html",
                                      "report -o report.html -- python train.py", NULL},
    .run = report_run,
};
