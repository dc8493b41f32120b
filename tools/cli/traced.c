/* traced.c: runs a command and reads the traces of its programs (backend/trace.h). */
#include "cli/traced.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/trace.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/output.h"
#include "cli/python.h"

enum { EVENTS_MOST = 1 << 20, SHOWN_MOST = 20000 }; /* of a trace: more than Perfetto draws smoothly; of a page */

static double number(const json_t *line, const char *name) { return json_number_value(json_object_get(line, name)); }

static const char *text(const json_t *line, const char *name) {
  const char *found = json_string_value(json_object_get(line, name));
  return found ? found : "";
}

static void add_step(cli_traced *t, const json_t *step, cli_traced_program *program) {
  const ten_step_row row = {.kind = text(step, "kind"),
                            .label = ten_str_of(text(step, "label")),
                            .layer = ten_str_of(text(step, "layer")),
                            .place = ten_str_of(text(step, "place")),
                            .flops = number(step, "flops"),
                            .bytes = number(step, "bytes"),
                            .host = json_is_true(json_object_get(step, "host"))};
  if (!program->place.size) program->place = row.place;
  ten_vec_push(&t->steps.rows, row);
  ten_vec_push(&t->profile.rows, ((ten_profile_row){.label = ten_strdup(text(step, "label"))}));
  program->step_count++;
}

static void add_program(cli_traced *t, const json_t *line) {
  cli_traced_program program = {.line = line,
                                .name = text(line, "name"),
                                .device = text(line, "device"),
                                .start = number(line, "start"),
                                .seconds = number(line, "seconds"),
                                .first_step = t->steps.rows.count,
                                .process = (int64_t)number(line, "process"),
                                .thread = (int64_t)number(line, "thread"),
                                .number = (uint32_t)number(line, "program")};
  size_t i;
  json_t *step;
  json_array_foreach(json_object_get(line, "steps"), i, step) add_step(t, step, &program);
  const unsigned threads = (unsigned)number(line, "threads");
  if (threads > t->steps.threads) t->steps.threads = threads;
  t->compile += program.seconds;
  ten_vec_push(&t->programs, program);
}

/* A line of a file; the truncated line of a killed process is ignored. */
static void add_line(cli_traced *t, const char *data, size_t size) {
  json_t *line = json_loadb(data, size, 0, NULL);
  if (!json_is_object(line)) {
    json_decref(line);
    return;
  }
  json_array_append_new(t->lines, line);
  if (json_object_get(line, "fallback"))
    json_array_append_new(t->fallbacks, json_pack("{s:s, s:s, s:s}", "op", text(line, "fallback"), "line",
                                                  text(line, "line"), "why", text(line, "why")));
  if (json_object_get(line, "phase")) {
    const cli_span span = {text(line, "phase"), number(line, "start") - t->start, number(line, "seconds")};
    json_array_append_new(t->phases, json_pack("[s, f, f]", span.name, span.start, span.seconds));
    cli_trace_event(t->events, &span, "phase", (int64_t)number(line, "process"), (int64_t)number(line, "thread"), NULL);
  }
  if (json_object_get(line, "program")) add_program(t, line);
}

static cli_traced_program *find_program(cli_traced *t, size_t first, uint32_t wanted) {
  const size_t likely = first + wanted - 1; /* they are in order, except with concurrent compilation */
  if (likely < t->programs.count && t->programs.data[likely].number == wanted) return &t->programs.data[likely];
  for (size_t i = first; i < t->programs.count; i++)
    if (t->programs.data[i].number == wanted) return &t->programs.data[i];
  return NULL;
}

/* Adds it to the sums; false: it is none of the program. */
static bool count_event(cli_traced *t, const ten_trace_event *event, cli_traced_program *program) {
  const size_t row = program->first_step + event->step;
  if (event->kind == TEN_TRACE_RUN) {
    program->runs++;
    program->run_seconds += event->seconds;
    t->run += event->seconds;
    return true;
  }
  if (event->step >= program->step_count) return false;
  if (event->kind == TEN_TRACE_STEP) {
    ten_profile_row *sum = &t->profile.rows.data[row];
    sum->seconds += event->seconds;
    sum->calls++;
    sum->flops += t->steps.rows.data[row].flops;
    if (t->profile.events.count < SHOWN_MOST)
      ten_vec_push(&t->profile.events, ((ten_profile_event){row, event->start, event->seconds, 0}));
  }
  return true;
}

static void add_event(cli_traced *t, const ten_trace_event *event, cli_traced_program *program) {
  if (!count_event(t, event, program) || json_array_size(t->events) >= EVENTS_MOST) return;
  static const char *const categories[] = {
      [TEN_TRACE_STEP] = "step", [TEN_TRACE_WORK] = "work", [TEN_TRACE_RUN] = "run"};
  const bool is_run = event->kind == TEN_TRACE_RUN;
  const size_t row = program->first_step + event->step;
  const cli_span span = {is_run ? program->name : t->profile.rows.data[row].label, event->start - t->start,
                         event->seconds};
  json_t *args = event->kind == TEN_TRACE_STEP
                     ? cli_trace_args(&t->steps.rows.data[row], row, t->steps.rows.data[row].flops)
                     : NULL;
  cli_trace_event(t->events, &span, categories[event->kind], event->process, event->thread, args);
}

static void add_transfer(cli_traced *t, const ten_trace_event *event) {
  if (json_array_size(t->events) >= EVENTS_MOST) return;
  const cli_span span = {cli_transfer_name(event->kind == TEN_TRACE_TO_DEVICE), event->start - t->start,
                         event->seconds};
  cli_trace_event(t->events, &span, "transfer", event->process, event->thread,
                  json_pack("{s:I}", "bytes", (json_int_t)event->bytes));
}

/* Threads that only worked for others. */
static void name_worker(cli_traced *t, const ten_trace_event *event) {
  for (size_t i = 0; i < t->workers.count; i++)
    if (t->workers.data[i] == event->thread) return;
  ten_vec_push(&t->workers, event->thread);
  cli_trace_name(t->events, "thread_name", "worker", event->process, event->thread);
}

static ten_status *read_events(cli_traced *t, const char *path, size_t first) {
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  const ten_str bytes = ten_file_bytes(&file);
  const ten_trace_header *header = (const void *)bytes.data;
  if (bytes.size >= sizeof *header && !memcmp(header->magic, TEN_TRACE_MAGIC, sizeof header->magic)) {
    const uint64_t room = bytes.size - sizeof *header, used = header->used < room ? header->used : room;
    const ten_trace_event *events = (const void *)(bytes.data + sizeof *header);
    t->dropped += header->dropped;
    cli_traced_program *program = NULL;
    uint32_t known = 0;
    for (uint64_t i = 0; i < used / sizeof *events; i++) {
      const uint32_t kind = events[i].kind;
      if (kind == TEN_TRACE_TO_DEVICE || kind == TEN_TRACE_FROM_DEVICE) add_transfer(t, &events[i]);
      if (kind < TEN_TRACE_STEP || kind > TEN_TRACE_RUN) continue;
      if (kind == TEN_TRACE_WORK) name_worker(t, &events[i]);
      if (events[i].program != known) program = find_program(t, first, known = events[i].program);
      if (program) add_event(t, &events[i], program);
    }
  }
  ten_file_unmap(&file);
  return NULL;
}

/* NAME.jsonl, and NAME.events if it exists. */
static ten_status *read_pair(cli_traced *t, const char *path) {
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  const ten_str bytes = ten_file_bytes(&file);
  const size_t first = t->programs.count;
  for (size_t at = 0; at < bytes.size;) {
    const char *end = memchr(bytes.data + at, '\n', bytes.size - at);
    const size_t size = end ? (size_t)(end - bytes.data) - at : bytes.size - at;
    add_line(t, bytes.data + at, size);
    at += size + 1;
  }
  ten_file_unmap(&file);
  ten_buf events = {0};
  ten_buf_printf(&events, "%.*s.events", (int)(strlen(path) - strlen(".jsonl")), path);
  ten_status *status = access(events.data, R_OK) ? NULL : read_events(t, events.data, first);
  ten_buf_free(&events);
  return status;
}

/* Reads all files in the folder, and removes it. */
static ten_status *read_folder(cli_traced *t, const char *folder) {
  char *const paths[] = {(char *)folder, NULL};
  FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  ten_status *status = tree ? NULL : ten_error(TEN_IO, "%s: cannot be read", folder);
  for (FTSENT *entry; tree && !status && (entry = fts_read(tree));)
    if (entry->fts_info == FTS_F && ten_str_ends(ten_str_of(entry->fts_name), ".jsonl"))
      status = read_pair(t, entry->fts_path);
  if (tree) fts_close(tree);
  tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT *entry; tree && (entry = fts_read(tree));) {
    if (entry->fts_info == FTS_F) unlink(entry->fts_path);
    if (entry->fts_info == FTS_DP) rmdir(entry->fts_path);
  }
  if (tree) fts_close(tree);
  return status;
}

static void name_processes(cli_traced *t, const char *command) {
  for (size_t i = 0; i < t->programs.count; i++) {
    const cli_traced_program *program = &t->programs.data[i];
    const cli_span span = {"compile", program->start - t->start, program->seconds};
    cli_trace_event(t->events, &span, "compile", program->process, program->thread,
                    json_pack("{s:s, s:s}", "program", program->name, "device", program->device));
    bool known = false;
    for (size_t k = 0; k < i; k++) known |= t->programs.data[k].process == program->process;
    if (!known) cli_trace_name(t->events, "process_name", command, program->process, program->thread);
  }
}

ten_status *cli_traced_run(const cli_list *words, cli_traced *out) {
  *out = (cli_traced){.lines = json_array(), .events = json_array(), .phases = json_array(), .fallbacks = json_array()};
  const char *temporary = getenv("TMPDIR");
  ten_buf folder = {0};
  ten_buf_printf(&folder, "%s/tenfold-profile-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  ten_status *status = mkdtemp(folder.data) ? NULL : ten_error(TEN_IO, "%s: %s", folder.data, strerror(errno));
  if (!status) {
    TEN_VEC(const char *) argv = {0};
    for (size_t i = 0; i < words->count; i++) ten_vec_push(&argv, words->data[i]);
    ten_vec_push(&argv, NULL);
    cli_python_set_path();
    setenv("TENFOLD_PROFILE", folder.data, 1);
    setenv("TENFOLD_CACHE", "off", 0); /* a cached program has the lines of its first compilation */
    cli_counters_open(&out->counters);
    cli_counters_count(&out->counters, true);
    out->start = ten_clock();
    out->code = cli_run_program(argv.data);
    out->seconds = ten_clock() - out->start;
    cli_counters_count(&out->counters, false);
    unsetenv("TENFOLD_PROFILE");
    ten_vec_free(&argv);
    if (out->code == 127) status = ten_error(TEN_NOT_FOUND, "%s: no such command", words->data[0]);
    status = ten_first_error(status, read_folder(out, folder.data));
    if (!status) name_processes(out, words->data[0]);
  }
  ten_buf_free(&folder);
  return status;
}

void cli_traced_free(cli_traced *traced) {
  cli_counters_close(&traced->counters);
  ten_vec_free(&traced->programs);
  ten_vec_free(&traced->workers);
  ten_steps_free(&traced->steps);
  ten_profile_free(&traced->profile);
  json_decref(traced->events);
  json_decref(traced->phases);
  json_decref(traced->fallbacks);
  json_decref(traced->lines);
}

json_t *cli_traced_programs(const cli_traced *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->programs.count; i++) {
    const cli_traced_program *p = &t->programs.data[i];
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s%, s:f, s:I, s:f, s:I, s:I, s:O}", "name", p->name, "device", p->device, "place",
                        p->place.data ? p->place.data : "", p->place.size, "compile_seconds", p->seconds, "runs",
                        (json_int_t)p->runs, "seconds", p->run_seconds, "steps", (json_int_t)p->step_count, "process",
                        (json_int_t)p->process, "inputs", json_object_get(p->line, "inputs")));
  }
  return list;
}

/* The inputs whose types differ, in both programs. */
static json_t *difference(const json_t *was, const json_t *is) {
  ten_buf before = {0}, after = {0};
  for (size_t i = 0; i < json_array_size(was); i++) {
    const char *old = json_string_value(json_array_get(was, i)), *new = json_string_value(json_array_get(is, i));
    if (!old || !new || !strcmp(old, new)) continue;
    ten_buf_printf(&before, "%s%s", before.size ? ", " : "", old);
    ten_buf_printf(&after, "%s%s", after.size ? ", " : "", new);
  }
  json_t *both = before.size ? json_pack("{s:s, s:s}", "was", before.data, "is", after.data) : NULL;
  ten_buf_free(&before);
  ten_buf_free(&after);
  return both;
}

json_t *cli_traced_recompiles(const cli_traced *traced) {
  json_t *list = json_array();
  for (size_t i = 0; i < traced->programs.count; i++) {
    const cli_traced_program *new = &traced->programs.data[i];
    const json_t *inputs = json_object_get(new->line, "inputs");
    for (size_t k = 0; k < i; k++) {
      const cli_traced_program *old = &traced->programs.data[k];
      const json_t *before = json_object_get(old->line, "inputs");
      if (old->process != new->process || strcmp(text(old->line, "skeleton"), text(new->line, "skeleton")) != 0 ||
          json_array_size(before) != json_array_size(inputs))
        continue;
      json_t *row = difference(before, inputs);
      if (!row) continue;
      json_object_set_new(row, "program", cli_json_text(ten_str_of(new->name)));
      json_object_set_new(row, "place", cli_json_text(new->place));
      json_array_append_new(list, row);
      break;
    }
  }
  return list;
}
