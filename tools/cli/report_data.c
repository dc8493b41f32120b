/* report_data.c: the JSON data of a report: of an observed program, a command, a training log. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/analyze.h"
#include "base/file.h"
#include "cli/names.h"
#include "cli/report.h"
#include "cli/roofline.h"
#include "front/import/load.h"
#include "tenfold/version.h"

/* ---- the program after fusion ---- */
static json_t *args_json(const ten_steps *steps, const ten_step_row *row, bool written) {
  json_t *list = json_array();
  for (size_t k = 0; k < row->arg_count; k++) {
    const ten_step_arg *arg = &steps->args.data[row->first_arg + k];
    if (arg->written == written)
      json_array_append_new(list, json_pack("[I, I]", (json_int_t)arg->buffer, (json_int_t)arg->bytes));
  }
  return list;
}

static json_t *steps_json(const ten_steps *steps, const ten_profile *profile, double runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < steps->rows.count; i++) {
    const ten_step_row *step = &steps->rows.data[i];
    const ten_profile_row *row = i < profile->rows.count ? &profile->rows.data[i] : NULL;
    json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:i, s:b, s:b}", "kind", step->kind, "label",
                               cli_json_text(step->label), "layer", cli_json_text(step->layer), "place",
                               cli_json_text(step->place), "flops", step->flops, "bytes", step->bytes, "seconds",
                               row ? row->seconds / runs : 0.0, "calls", row ? (double)row->calls / runs : 0.0, "depth",
                               (int)step->depth, "once", step->once, "host", step->host);
    json_object_set_new(object, "reads", args_json(steps, step, false));
    json_object_set_new(object, "writes", args_json(steps, step, true));
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

/* Of the median run: [step, start, seconds] relative to its start. */
static json_t *events_json(const cli_observed *o) {
  json_t *list = json_array();
  const cli_run_time *run = &o->runs.data[o->middle];
  for (size_t i = 0; i < run->event_count; i++) {
    const ten_profile_event *event = &o->profile.events.data[run->first_event + i];
    if (event->thread) continue; /* a worker's share of a step */
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
        list, json_pack("{s:o, s:o, s:o, s:s, s:s, s:f, s:f, s:f, s:o}", "name", cli_json_text(row->name), "layer",
                        cli_json_text(row->layer), "class", cli_json_text(row->class_name), "type",
                        type.data ? type.data : "", "place", place.data ? place.data : "", "flops", (double)row->flops,
                        "bytes", (double)(row->weight_bytes + row->read_bytes + row->written), "live",
                        (double)row->live_bytes, "in", sources_json(a, row->op)));
    ten_buf_free(&type);
    ten_buf_free(&place);
  }
  return list;
}

/* Inputs with open sizes. */
static json_t *open_json(const ten_op *func) {
  json_t *list = json_array();
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++) {
    if (ten_type_is_static(type->inputs[i])) continue;
    ten_buf name = {0}, sizes = {0};
    cli_input_name(func, i, &name);
    cli_shape_print(&sizes, type->inputs[i]);
    json_array_append_new(list, json_pack("{s:s, s:s}", "input", name.data, "sizes", sizes.data));
    ten_buf_free(&name);
    ten_buf_free(&sizes);
  }
  return list;
}

/* The ops as PyTorch exported them, or those of the compiled function. */
ten_status *report_add_before(json_t *root, const char *path, bool train, const ten_module *module,
                              const ten_op *func) {
  ten_import program = {0};
  ten_analysis analysis = {0};
  if (!train && strcmp(path, "-")) TEN_TRY(ten_import_load(path, &program));
  const bool aten = program.aten != NULL;
  const ten_op *declared = aten ? ten_module_entry(program.aten, TEN_STR("main")) : func;
  ten_status *status =
      aten ? ten_analyze_aten(program.aten, &analysis) : ten_analyze_stablehlo(module, func, &analysis);
  if (!status) {
    json_object_set_new(root, "stage", json_string(aten ? "aten" : "stablehlo"));
    json_object_set_new(root, "before", ops_json(&analysis));
    json_object_set_new(root, "parameters", json_integer((json_int_t)analysis.total.parameters));
    json_object_set_new(root, "parameter_bytes", json_integer((json_int_t)analysis.total.parameter_bytes));
    json_object_set_new(root, "eager_peak", json_integer((json_int_t)analysis.peak_bytes));
    json_object_set_new(root, "open", open_json(declared ? declared : func));
  }
  ten_analysis_free(&analysis);
  if (program.aten || program.stablehlo) ten_import_destroy(&program);
  return status;
}

json_t *report_begin(const char *program, bool train) {
  char date[32];
  const time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  return json_pack("{s:s, s:s, s:o, s:b, s:[], s:[], s:[], s:[], s:[]}", "tenfold", TENFOLD_VERSION, "date", date,
                   "program", cli_json_text(ten_str_of(program)), "train", train, "steps", "buffers", "events", "spans",
                   "before");
}

void report_add_machine(json_t *root) {
  roofline_device machine;
  if (roofline_machine(&machine))
    json_object_set_new(root, "machine",
                        json_pack("{s:f, s:f}", "flops", machine.flops, "bandwidth", machine.bandwidth));
}

void report_add_observed(json_t *root, const cli_observed *o, const char *precision) {
  const ten_cost cost = ten_backend_cost(o->executable);
  ten_memory memory = {0};
  ten_executable_memory(o->executable, &memory);
  json_t *more = json_pack("{s:s, s:{s:f, s:f, s:f}, s:I, s:f, s:s, s:I}", "device", o->executable->backend->name,
                           "seconds", "load", o->load, "compile", o->compile, "execute", o->median, "runs",
                           (json_int_t)o->runs.count, "flops", cost.flops, "precision", precision ? precision : "f32",
                           "threads", (json_int_t)o->steps.threads);
  json_object_set_new(more, "memory",
                      json_pack("{s:I, s:I, s:I, s:I, s:I}", "arguments", (json_int_t)memory.arguments, "results",
                                (json_int_t)memory.results, "arena", (json_int_t)o->steps.arena_bytes, "hoisted",
                                (json_int_t)o->steps.hoisted_bytes, "constants", (json_int_t)cost.constant_bytes));
  json_object_set_new(more, "steps", steps_json(&o->steps, &o->profile, o->runs.count ? (double)o->runs.count : 1));
  json_object_set_new(more, "buffers", buffers_json(&o->steps));
  json_object_set_new(more, "events", events_json(o));
  json_object_set_new(more, "spans", spans_json(o));
  json_object_set_new(more, "counters", cli_counters_json(&o->counters, (double)o->runs.count));
  json_object_update(root, more);
  json_decref(more);
}

void report_add_traced(json_t *root, const cli_traced *t) {
  json_t *events = json_array();
  for (size_t i = 0; i < t->profile.events.count; i++) {
    const ten_profile_event *event = &t->profile.events.data[i];
    json_array_append_new(events,
                          json_pack("[I, f, f]", (json_int_t)event->row, event->start - t->start, event->seconds));
  }
  json_t *more =
      json_pack("{s:b, s:s, s:{s:f, s:f, s:f}, s:i, s:o, s:o, s:O, s:O, s:o, s:o}", "command", 1, "device", "a command",
                "seconds", "all", t->seconds, "compile", t->compile, "execute", t->run, "runs", 1, "steps",
                steps_json(&t->steps, &t->profile, 1), "events", events, "spans", t->phases, "fallbacks", t->fallbacks,
                "recompiles", cli_traced_recompiles(t), "programs", cli_traced_programs(t));
  json_object_set_new(more, "memory", json_pack("{s:i, s:i}", "arena", 0, "hoisted", 0));
  json_object_update(root, more);
  json_decref(more);
}

/* Subsamples long runs to as many points as a page can show. */
enum { POINTS = 2000 };

ten_status *report_add_metrics(json_t *root, const char *path) {
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  const ten_str bytes = ten_file_bytes(&file);
  size_t lines = 0, line = 0;
  for (size_t i = 0; i < bytes.size; i++) lines += bytes.data[i] == '\n';
  const size_t every = lines / POINTS + 1;
  json_t *points = json_array();
  for (size_t at = 0; at < bytes.size; line++) {
    const char *end = memchr(bytes.data + at, '\n', bytes.size - at);
    const size_t size = end ? (size_t)(end - bytes.data) - at : bytes.size - at;
    json_t *object = line % every && line + 1 < lines ? NULL : json_loadb(bytes.data + at, size, 0, NULL);
    const json_t *loss = json_object_get(object, "loss"), *step = json_object_get(object, "step");
    if (json_is_number(loss) && json_is_integer(step))
      json_array_append_new(points, json_pack("[I, f, f]", json_integer_value(step), json_number_value(loss),
                                              json_number_value(json_object_get(object, "seconds"))));
    json_decref(object);
    at += size + 1;
  }
  ten_file_unmap(&file);
  const bool any = json_array_size(points) > 0;
  json_object_set_new(root, "metrics", points);
  return any ? NULL : ten_error(TEN_INVALID, "--metrics %s: no line is one that 'tenfold train --metrics' wrote", path);
}
