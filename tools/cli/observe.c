/* observe.c: compiles a program afresh and runs it several times under observation. */
#include "cli/observe.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/source.h"
#include "cli/devices.h"
#include "cli/inputs.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "driver/devices.h"
#include "front/import/load.h"

enum { RUNS_LEAST = 3, RUNS_MOST = 200 };
static const double run_time = 1; /* seconds */

static void add_span(cli_observed *o, const char *name, double start) {
  ten_vec_push(&o->spans, (cli_span){name, start, ten_clock() - start});
}

static void add_phase(void *user, const char *name, double seconds) { add_span(user, name, ten_clock() - seconds); }

ten_status *cli_observed_load(const char *path, const cli_observing *wanted, const cli_training *training,
                              ten_module **out_module, ten_op **out_func) {
  if (ten_backend_of_file(path))
    return ten_error(TEN_INVALID, "%s is compiled already; give the program that it was compiled from", path);
  if (wanted->train) {
    ten_recipe recipe;
    TEN_TRY(cli_training_recipe(training, &recipe));
    TEN_TRY(ten_recipe_load(&recipe, path, out_module));
    return cli_entry(*out_module, "step", out_func);
  }
  const cli_shapes shapes = {.batch = training->batch, .shapes = wanted->shapes};
  TEN_TRY(cli_load_shaped(path, wanted->entry, &shapes, out_module, NULL));
  return cli_entry(*out_module, wanted->entry, out_func);
}

/* The initial state of a training step, from its @init. */
static ten_status *initial_state(const cli_observed *o, ten_tensor **inputs) {
  ten_op *init;
  TEN_TRY(cli_entry(o->module, "init", &init));
  ten_executable *executable;
  TEN_TRY(ten_compile(ten_backend_default(), o->module, init, &(ten_settings){.transient = true}, &executable));
  ten_status *status = ten_execute(executable, NULL, 0, NULL, inputs);
  ten_executable_release(executable);
  return status;
}

static ten_status *run_once(cli_observed *o, ten_tensor *const *inputs, ten_tensor **results) {
  const uint32_t count = o->executable->output_count;
  memset(results, 0, count * sizeof *results);
  cli_run_time run = {.start = ten_clock(), .first_event = o->profile.events.count};
  ten_status *status = ten_execute(o->executable, inputs, o->executable->input_count, NULL, results);
  run.seconds = ten_clock() - run.start;
  run.event_count = o->profile.events.count - run.first_event;
  ten_vec_push(&o->runs, run);
  add_span(o, "run", run.start);
  ten_tensors_release(results, count);
  return status;
}

/* The run whose time is the median of all. */
static void find_middle(cli_observed *o) {
  for (size_t i = 0; i < o->runs.count; i++) {
    size_t less = 0;
    for (size_t k = 0; k < o->runs.count; k++)
      less += o->runs.data[k].seconds < o->runs.data[i].seconds ||
              (o->runs.data[k].seconds == o->runs.data[i].seconds && k < i);
    if (less == o->runs.count / 2) o->middle = i;
  }
  o->median = o->runs.data[o->middle].seconds;
}

static ten_status *run_all(cli_observed *o, const cli_observing *wanted, ten_tensor *const *inputs) {
  const int64_t repeat = wanted->repeat;
  ten_tensor **results = ten_alloc((o->executable->output_count + 1) * sizeof *results);
  const size_t spans = o->spans.count;
  ten_status *status = run_once(o, inputs, results); /* first touch of memory: not counted */
  o->runs.count = 0;
  o->spans.count = spans;
  o->profile.timeline = true;
  if (!status) status = ten_executable_profile(o->executable, &o->profile);
  const double start = ten_clock();
  cli_progress_start("run", wanted->quiet);
  cli_counters_count(&o->counters, true);
  while (!status) {
    const int64_t done = (int64_t)o->runs.count;
    if (repeat ? done >= repeat : done >= RUNS_MOST || (done >= RUNS_LEAST && ten_clock() - start > run_time)) break;
    status = run_once(o, inputs, results);
    cli_progress_at("");
  }
  cli_counters_count(&o->counters, false);
  cli_progress_stop();
  free(results);
  if (!status) find_middle(o);
  return status;
}

static ten_status *compile(const cli_observing *wanted, cli_observed *o) {
  const ten_backend *device;
  TEN_TRY(cli_device_find(wanted->device, &device));
  ten_settings settings;
  TEN_TRY(ten_settings_parse(wanted->precision, false, &settings));
  settings.transient = true;
  settings.phase = add_phase;
  settings.phase_user = o;
  const double start = ten_clock();
  cli_progress_start("compile", wanted->quiet);
  cli_progress_follow(&settings);
  ten_status *status = ten_compile(device, o->module, o->func, &settings, &o->executable);
  cli_progress_stop();
  TEN_TRY(status);
  o->compile = ten_clock() - start;
  add_span(o, "compile", start);
  return ten_executable_steps(o->executable, &o->steps);
}

ten_status *cli_observe(const char *path, const cli_observing *wanted, const cli_training *training,
                        cli_observed *out) {
  *out = (cli_observed){0};
  cli_counters_open(&out->counters); /* before threads start */
  const double start = ten_clock();
  TEN_TRY(cli_observed_load(path, wanted, training, &out->module, &out->func));
  out->load = ten_clock() - start;
  add_span(out, "load", start);
  const ten_type *type = ten_func_type(out->func);
  ten_tensor **inputs = ten_alloc((type->input_count + 1) * sizeof *inputs);
  memset(inputs, 0, (type->input_count + 1) * sizeof *inputs);
  ten_status *status = wanted->train ? initial_state(out, inputs) : NULL;
  if (!status) status = cli_inputs_read(&wanted->inputs, true, out->func, inputs);
  if (!status) status = cli_inputs_fill((uint64_t)wanted->seed, out->func, true, inputs);
  if (!status) status = compile(wanted, out);
  if (!status) status = run_all(out, wanted, inputs);
  ten_tensors_release(inputs, type->input_count);
  free(inputs);
  return status;
}

void cli_observed_free(cli_observed *observed) {
  cli_counters_close(&observed->counters);
  if (observed->executable) ten_executable_release(observed->executable);
  if (observed->module) ten_module_destroy(observed->module);
  ten_steps_free(&observed->steps);
  ten_profile_free(&observed->profile);
  ten_vec_free(&observed->spans);
  ten_vec_free(&observed->runs);
}
