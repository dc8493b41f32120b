/* trace.c: writes where a program's time went as a timeline: `run --trace`, `train --trace`. The format is Chrome's
 * JSON of trace events, which Perfetto reads: complete events ("ph": "X") in microseconds from the first span's start,
 * those of steps inside those of the run they belong to. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/output.h"

enum { PROCESS = 1, THREAD = 1 };

static json_t *complete_event(const char *name, const char *category, double start, double seconds) {
  return json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i}", "name", name, "cat", category, "ph", "X", "ts", start * 1e6,
                   "dur", seconds * 1e6, "pid", PROCESS, "tid", THREAD);
}

static json_t *name_event(const char *what, const char *name) {
  return json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name", what, "ph", "M", "pid", PROCESS, "tid", THREAD, "args",
                   "name", name);
}

ten_status *cli_trace_write(const char *path, const cli_spans *spans, const ten_profile *profile) {
  json_t *events = json_array();
  json_array_append_new(events, name_event("process_name", "tenfold"));
  json_array_append_new(events, name_event("thread_name", "program"));
  const double zero = spans->count ? spans->data[0].start : 0;
  for (size_t i = 0; i < spans->count; i++) {
    const cli_span *span = &spans->data[i];
    json_array_append_new(events, complete_event(span->name, "phase", span->start - zero, span->seconds));
  }
  for (size_t i = 0; i < profile->events.count; i++) {
    const ten_profile_event *event = &profile->events.data[i];
    const ten_profile_row *row = &profile->rows.data[event->row];
    json_t *object = complete_event(row->label, "step", event->start - zero, event->seconds);
    json_object_set_new(object, "args",
                        json_pack("{s:I, s:f}", "step", (json_int_t)event->row, "flops",
                                  row->calls ? row->flops / (double)row->calls : 0));
    json_array_append_new(events, object);
  }
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
