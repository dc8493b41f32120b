/* report.c: `tenfold report`: one page about a program: its graph, its time, its memory. The page itself is
 * report.html, drawn by its own script from the JSON that is put into it here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/analyze.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/observe.h"
#include "cli/options.h"
#include "cli/report_page.h"
#include "cli/roofline.h"
#include "front/import/load.h"
#include "tenfold/version.h"

typedef struct report_values {
  cli_list libraries;
  cli_observing observing;
  cli_training training;
  const char *output, *compare;
  bool json, no_measure;
} report_values;

static json_t *text_json(ten_str text) { return json_stringn(text.data ? text.data : "", text.size); }

/* ---- what the program consists of after fusion ---- */
static json_t *args_json(const ten_steps *steps, const ten_step_row *row, bool written) {
  json_t *list = json_array();
  for (size_t k = 0; k < row->arg_count; k++) {
    const ten_step_arg *arg = &steps->args.data[row->first_arg + k];
    if (arg->written == written)
      json_array_append_new(list, json_pack("[I, I]", (json_int_t)arg->buffer, (json_int_t)arg->bytes));
  }
  return list;
}

static json_t *steps_json(const cli_observed *o) {
  json_t *list = json_array();
  const double runs = o->runs.count ? (double)o->runs.count : 1;
  for (size_t i = 0; i < o->steps.rows.count; i++) {
    const ten_step_row *step = &o->steps.rows.data[i];
    const ten_profile_row *row = i < o->profile.rows.count ? &o->profile.rows.data[i] : NULL;
    json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:i, s:b, s:b}", "kind", step->kind, "label",
                               text_json(step->label), "layer", text_json(step->layer), "place", text_json(step->place),
                               "flops", step->flops, "bytes", step->bytes, "seconds", row ? row->seconds / runs : 0.0,
                               "calls", row ? (double)row->calls / runs : 0.0, "depth", (int)step->depth, "once",
                               step->once, "host", step->host);
    json_object_set_new(object, "reads", args_json(&o->steps, step, false));
    json_object_set_new(object, "writes", args_json(&o->steps, step, true));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *buffers_json(const ten_steps *steps) {
  static const char *const places[] = {[TEN_PLACE_ARENA] = "arena",
                                       [TEN_PLACE_INPUT] = "input",
                                       [TEN_PLACE_OUTPUT] = "output",
                                       [TEN_PLACE_CONSTANT] = "constant",
                                       [TEN_PLACE_HOISTED] = "hoisted"};
  json_t *list = json_array();
  for (size_t i = 0; i < steps->buffers.count; i++) {
    const ten_step_buffer *b = &steps->buffers.data[i];
    json_array_append_new(list, json_pack("[s, I, I, I]", places[b->place], (json_int_t)b->bytes, (json_int_t)b->offset,
                                          (json_int_t)b->index));
  }
  return list;
}

/* Of the run whose time is the median: [step, start, seconds] from its own start. */
static json_t *events_json(const cli_observed *o) {
  json_t *list = json_array();
  const cli_run_time *run = &o->runs.data[o->middle];
  for (size_t i = 0; i < run->event_count; i++) {
    const ten_profile_event *event = &o->profile.events.data[run->first_event + i];
    json_array_append_new(list,
                          json_pack("[I, f, f]", (json_int_t)event->row, event->start - run->start, event->seconds));
  }
  return list;
}

static json_t *spans_json(const cli_observed *o) {
  json_t *list = json_array();
  const double zero = o->spans.count ? o->spans.data[0].start : 0;
  for (size_t i = 0; i < o->spans.count; i++) {
    const cli_span *span = &o->spans.data[i];
    json_array_append_new(list, json_pack("[s, f, f]", span->name, span->start - zero, span->seconds));
  }
  return list;
}

/* ---- the program before fusion ---- */
static json_t *sources_json(const ten_analysis *a, const ten_op *op) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_op *from = ten_op_operand(op, i)->op;
    if (from && from->number < a->rows.count && a->rows.data[from->number].op == from)
      json_array_append_new(list, json_integer((json_int_t)from->number));
  }
  return list;
}

static json_t *ops_json(const ten_analysis *a) {
  for (size_t i = 0; i < a->rows.count; i++) ((ten_op *)a->rows.data[i].op)->number = (uint32_t)i;
  json_t *list = json_array();
  for (size_t i = 0; i < a->rows.count; i++) {
    const ten_cost_row *row = &a->rows.data[i];
    ten_buf type = {0}, place = {0};
    if (row->op->result_count) ten_type_print(&type, row->op->results[0].type);
    if (row->line) ten_buf_printf(&place, "%.*s:%u", TEN_FMT(row->file), row->line);
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o, s:s, s:s, s:f, s:f, s:f, s:o}", "name", text_json(row->name), "layer",
                        text_json(row->layer), "class", text_json(row->class_name), "type", type.data ? type.data : "",
                        "place", place.data ? place.data : "", "flops", (double)row->flops, "bytes",
                        (double)(row->weight_bytes + row->read_bytes + row->written), "live", (double)row->live_bytes,
                        "in", sources_json(a, row->op)));
    ten_buf_free(&type);
    ten_buf_free(&place);
  }
  return list;
}

/* The ops as PyTorch exported them, or those of the function that was compiled. */
static ten_status *before_json(const char *path, const report_values *values, const cli_observed *o, json_t *root) {
  ten_import program = {0};
  ten_analysis analysis = {0};
  if (!values->observing.train && strcmp(path, "-")) TEN_TRY(ten_import_load(path, &program));
  const bool aten = program.aten != NULL;
  ten_status *status =
      aten ? ten_analyze_aten(program.aten, &analysis) : ten_analyze_stablehlo(o->module, o->func, &analysis);
  if (!status) {
    json_object_set_new(root, "stage", json_string(aten ? "aten" : "stablehlo"));
    json_object_set_new(root, "before", ops_json(&analysis));
    json_object_set_new(root, "parameters", json_integer((json_int_t)analysis.total.parameters));
    json_object_set_new(root, "parameter_bytes", json_integer((json_int_t)analysis.total.parameter_bytes));
    json_object_set_new(root, "eager_peak", json_integer((json_int_t)analysis.peak_bytes));
  }
  ten_analysis_free(&analysis);
  if (program.aten || program.stablehlo) ten_import_destroy(&program);
  return status;
}

static json_t *whole_json(const char *path, const report_values *values, const cli_observed *o) {
  const ten_cost cost = ten_backend_cost(o->executable);
  ten_memory memory = {0};
  ten_executable_memory(o->executable, &memory);
  char date[32];
  const time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:b, s:{s:f, s:f, s:f}, s:I, s:f}", "tenfold", TENFOLD_VERSION, "date",
                           date, "program", path, "device", o->executable->backend->name, "train",
                           values->observing.train, "seconds", "load", o->load, "compile", o->compile, "execute",
                           o->median, "runs", (json_int_t)o->runs.count, "flops", cost.flops);
  json_object_set_new(root, "precision",
                      json_string(values->observing.precision ? values->observing.precision : "f32"));
  json_object_set_new(root, "threads", json_integer(o->steps.threads));
  json_object_set_new(root, "memory",
                      json_pack("{s:I, s:I, s:I, s:I, s:I}", "arguments", (json_int_t)memory.arguments, "results",
                                (json_int_t)memory.results, "arena", (json_int_t)o->steps.arena_bytes, "hoisted",
                                (json_int_t)o->steps.hoisted_bytes, "constants", (json_int_t)cost.constant_bytes));
  json_object_set_new(root, "steps", steps_json(o));
  json_object_set_new(root, "buffers", buffers_json(&o->steps));
  json_object_set_new(root, "events", events_json(o));
  json_object_set_new(root, "spans", spans_json(o));
  roofline_device machine;
  if (!values->no_measure && roofline_machine(&machine))
    json_object_set_new(root, "machine",
                        json_pack("{s:f, s:f}", "flops", machine.flops, "bandwidth", machine.bandwidth));
  return root;
}

/* ---- the page ---- */
static const char data_begin[] = "<script type=\"application/json\" id=\"data\">";
static const char data_end[] = "</script>";

/* The data of a report that was made before. */
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
  json_object_del(*out_json, "compare"); /* of reports that compare, the newer is compared with */
  return NULL;
}

/* JSON inside a script element: "<" never begins a tag there. */
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

static ten_status *report_file(const char *path, const report_values *values) {
  json_t *before = NULL;
  if (values->compare) TEN_TRY(compared_json(values->compare, &before));
  cli_observed observed;
  json_t *root = NULL;
  ten_status *status = cli_observe(path, &values->observing, &values->training, &observed);
  if (!status) root = whole_json(path, values, &observed);
  if (!status) status = before_json(path, values, &observed, root);
  if (root && before) json_object_set(root, "compare", before);
  if (!status && values->json)
    cli_json_print(json_incref(root));
  else if (!status)
    status = write_page(values->output, root);
  if (!status && !values->json && strcmp(values->output, "-"))
    fprintf(stderr, "tenfold: wrote %s: %zu steps, %.3f ms a run\n", values->output, observed.steps.rows.count,
            observed.median * 1e3);
  json_decref(root);
  json_decref(before);
  cli_observed_free(&observed);
  return status;
}

static int report_run(const cli_command *self, int argc, char **argv) {
  report_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count != 1) {
      code = cli_misuse(self, "takes one FILE");
    } else if (!values.output && !values.json) {
      code = cli_misuse(self, "needs -o FILE.html");
    } else {
      ten_status *status = report_file(operands.data[0], &values);
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
    {"no-measure", 0, CLI_FLAG, NULL, "do not measure what this machine can do at most: no roofline",
     offsetof(report_values, no_measure)},
    {"json", 0, CLI_FLAG, NULL, "print what the page shows as JSON instead", offsetof(report_values, json)},
    CLI_OBSERVING_OPTIONS(report_values),
    CLI_LIBRARY_OPTION(report_values),
    {0},
};

const cli_command cli_report = {
    .name = "report",
    .summary = "write a page about a program: its graph, its time, its memory",
    .operands = "FILE -o FILE.html [options]",
    .description =
        "Compiles the program for the cpu, runs it on random inputs (or those that are given) and writes one page: the "
        "graph before and after fusion, by layer; when each step ran; memory over time and what holds the peak; each step "
        "under the roofline of this machine; what was not compiled; the phases of compiling.\n\n"
        "With --compare the page also says what changed since an earlier report.",
    .options = report_options,
    .examples = (const char *const[]){"report model.pt2 -o report.html",
                                      "report model.pt2 --train --optimizer adamw -o step.html",
                                      "report model.pt2 -o new.html --compare old.html", NULL},
    .run = report_run,
};
