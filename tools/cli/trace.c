/* trace.c: writes a program's time as a timeline: `run --trace`, `train --trace`, `profile --trace`. The format is
 * Chrome's JSON of trace events, which Perfetto reads: complete events ("ph": "X") in microseconds from the first
 * span's start; events of steps are nested in those of their run. */
#include <stdlib.h>
#include <string.h>

#include "backend/trace.h"
#include "base/file.h"
#include "cli/output.h"

enum { PROCESS = 1, THREAD = 1 }; /* workers are the threads after it */

static void add_transfer(void *user, const ten_transfer *transfer) {
  cli_spans *spans = user;
  ten_vec_push(
      spans, ((cli_span){cli_transfer_name(transfer->to_device), transfer->start, transfer->seconds, transfer->bytes}));
}

const char *cli_transfer_name(bool to_device) { return to_device ? "copy to device" : "copy from device"; }

void cli_spans_add_transfers(cli_spans *spans) { ten_transfers_tell(spans ? add_transfer : NULL, spans); }

void cli_trace_event(json_t *events, const cli_span *span, const char *category, int64_t process, int64_t thread,
                     json_t *args) {
  json_t *event = json_pack("{s:o, s:s, s:s, s:f, s:f, s:I, s:I}", "name", cli_json_text(ten_str_of(span->name)), "cat",
                            category, "ph", "X", "ts", span->start * 1e6, "dur", span->seconds * 1e6, "pid",
                            (json_int_t)process, "tid", (json_int_t)thread);
  if (args) json_object_set_new(event, "args", args);
  json_array_append_new(events, event);
}

void cli_trace_name(json_t *events, const char *what, const char *name, int64_t process, int64_t thread) {
  json_array_append_new(
      events, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "name", what, "ph", "M", "pid", (json_int_t)process, "tid",
                        (json_int_t)thread, "args", "name", cli_json_text(ten_str_of(name))));
}

json_t *cli_trace_args(const ten_step_row *step, size_t number, double flops) {
  json_t *args = json_pack("{s:I, s:f}", "step", (json_int_t)number, "flops", flops);
  if (!step) return args;
  json_object_set_new(args, "bytes", json_real(step->bytes));
  if (step->layer.size) json_object_set_new(args, "layer", cli_json_text(step->layer));
  if (step->place.size) json_object_set_new(args, "line", cli_json_text(step->place));
  return args;
}

ten_status *cli_trace_save(const char *path, json_t *events) {
  json_t *root = json_pack("{s:s, s:o}", "displayTimeUnit", "ms", "traceEvents", events);
  char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
  json_decref(root);
  if (!text) return ten_error(TEN_INTERNAL, "the trace cannot be written as JSON");
  ten_status *status = NULL;
  if (!strcmp(path, "-"))
    puts(text);
  else
    status = ten_file_write_atomic(path, text, strlen(text));
  free(text);
  return status;
}

ten_status *cli_trace_write(const char *path, const cli_spans *spans, const ten_profile *profile,
                            const ten_steps *steps) {
  json_t *events = json_array();
  cli_trace_name(events, "process_name", "tenfold", PROCESS, THREAD);
  cli_trace_name(events, "thread_name", "program", PROCESS, THREAD);
  double zero = spans->count ? spans->data[0].start : 0;
  for (size_t i = 1; i < spans->count; i++)
    if (spans->data[i].start < zero) zero = spans->data[i].start;
  for (size_t i = 0; i < spans->count; i++) {
    cli_span span = spans->data[i];
    span.start -= zero;
    json_t *args = span.bytes ? json_pack("{s:I}", "bytes", (json_int_t)span.bytes) : NULL;
    cli_trace_event(events, &span, span.bytes ? "transfer" : "phase", PROCESS, THREAD, args);
  }
  unsigned workers = 0;
  for (size_t i = 0; i < profile->events.count; i++) {
    const ten_profile_event *event = &profile->events.data[i];
    if (event->row >= profile->rows.count) continue; /* a worker's share of a step that did not end */
    const ten_profile_row *row = &profile->rows.data[event->row];
    const cli_span span = {row->label, event->start - zero, event->seconds};
    const ten_step_row *step = steps && event->row < steps->rows.count ? &steps->rows.data[event->row] : NULL;
    if (event->thread > workers) workers = event->thread;
    cli_trace_event(
        events, &span, event->thread ? "work" : "step", PROCESS, THREAD + event->thread,
        event->thread ? NULL : cli_trace_args(step, event->row, row->calls ? row->flops / (double)row->calls : 0));
  }
  for (unsigned i = 1; i <= workers; i++) cli_trace_name(events, "thread_name", "worker", PROCESS, THREAD + i);
  return cli_trace_save(path, events);
}
