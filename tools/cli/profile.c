/* profile.c: `tenfold profile`: where a program's time goes, by kind of step, layer and source line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/observe.h"
#include "cli/options.h"
#include "cli/roofline.h"

enum { NAME_MOST = 90 };

typedef struct profile_values {
  cli_list libraries;
  cli_observing observing;
  cli_training training;
  const char *by, *trace;
  int64_t rows;
  bool json, no_measure;
} profile_values;

/* Steps that have something in common. Of one run. */
typedef struct group {
  ten_str name;
  double seconds, flops, bytes, calls;
  double limit; /* seconds that the machine would need at best; 0: not measured */
} group;
typedef TEN_VEC(group) groups;

/* The least time of one call of a step: its arithmetic, or the bytes that it touches. */
static double limit_of(const ten_step_row *step, const roofline_device *machine) {
  if (!machine) return 0;
  const double compute = step->flops / machine->flops, memory = step->bytes / machine->bandwidth;
  return compute > memory ? compute : memory;
}

static ten_str name_of(const ten_step_row *step, const char *by) {
  if (!strcmp(by, "step")) return step->label;
  if (!strcmp(by, "kind")) return ten_str_of(step->kind);
  const ten_str name = !strcmp(by, "layer") ? step->layer : step->place;
  return name.size ? name : TEN_STR("-");
}

static int by_seconds(const void *a, const void *b) {
  const double x = ((const group *)a)->seconds, y = ((const group *)b)->seconds;
  return (x < y) - (x > y);
}

static void add(groups *out, ten_str name, const group *more) {
  size_t i = 0;
  while (i < out->count && !ten_str_eq(out->data[i].name, name)) i++;
  if (i == out->count) ten_vec_push(out, ((group){.name = name}));
  group *g = &out->data[i];
  g->seconds += more->seconds;
  g->flops += more->flops;
  g->bytes += more->bytes;
  g->calls += more->calls;
  g->limit += more->limit;
}

static groups group_by(const cli_observed *o, const char *by, const roofline_device *machine) {
  groups out = {0};
  const double runs = (double)o->runs.count;
  for (size_t i = 0; i < o->profile.rows.count && i < o->steps.rows.count; i++) {
    const ten_profile_row *row = &o->profile.rows.data[i];
    const ten_step_row *step = &o->steps.rows.data[i];
    if (!row->calls) continue;
    const double calls = (double)row->calls / runs;
    add(&out, name_of(step, by),
        &(group){.seconds = row->seconds / runs,
                 .flops = row->flops / runs,
                 .bytes = step->bytes * calls,
                 .calls = calls,
                 .limit = limit_of(step, machine) * calls});
  }
  if (out.count) qsort(out.data, out.count, sizeof *out.data, by_seconds);
  return out;
}

static void print_number(double number, int width, const char *format) {
  char text[24] = "";
  if (number > 0) snprintf(text, sizeof text, format, number);
  printf(" %*s", width, text);
}

/* The end of a long name says more than its beginning, except of a step's label. */
static void print_name(ten_str name, bool end) {
  if (name.size <= NAME_MOST) {
    printf("  %.*s\n", TEN_FMT(name));
    return;
  }
  size_t at = end ? name.size - NAME_MOST : 0, stop = at + NAME_MOST;
  while (at < name.size && at && ((unsigned char)name.data[at] & 0xC0) == 0x80) at++;
  while (stop < name.size && stop > at && ((unsigned char)name.data[stop] & 0xC0) == 0x80) stop--;
  printf("  %s%.*s%s\n", end ? "…" : "", (int)(stop - at), name.data + at, end ? "" : "…");
}

static void print_groups(const cli_observed *o, const char *by, const roofline_device *machine, int64_t most) {
  groups all = group_by(o, by, machine);
  double whole = 0, rest = 0;
  for (size_t i = 0; i < all.count; i++) whole += all.data[i].seconds;
  printf("\n%10s %6s %7s %9s %8s %9s  %s\n", "ms", "%", "calls", "GFLOP/s", "GB/s", "of limit", by);
  for (size_t i = 0; i < all.count; i++) {
    const group *g = &all.data[i];
    if (i >= (size_t)most) {
      rest += g->seconds;
      continue;
    }
    printf("%10.3f %6.1f %7.0f", g->seconds * 1e3, whole > 0 ? 100 * g->seconds / whole : 0, g->calls);
    const double s = g->seconds > 0 ? g->seconds : 1;
    print_number(g->flops / s * 1e-9, 9, "%.1f");
    print_number(g->bytes / s * 1e-9, 8, "%.1f");
    print_number(100 * g->limit / s, 9, "%.0f %%");
    print_name(g->name, strcmp(by, "step") != 0);
  }
  if (all.count > (size_t)most)
    printf("%10.3f %6.1f %36s  %zu more\n", rest * 1e3, whole > 0 ? 100 * rest / whole : 0, "",
           all.count - (size_t)most);
  ten_vec_free(&all);
}

static json_t *groups_json(const cli_observed *o, const char *by, const roofline_device *machine) {
  groups all = group_by(o, by, machine);
  json_t *list = json_array();
  for (size_t i = 0; i < all.count; i++) {
    const group *g = &all.data[i];
    json_t *object = json_pack("{s:s%, s:f, s:f, s:f, s:f}", "name", g->name.data, g->name.size, "seconds", g->seconds,
                               "calls", g->calls, "flops", g->flops, "bytes", g->bytes);
    if (machine) json_object_set_new(object, "limit_seconds", json_real(g->limit));
    json_array_append_new(list, object);
  }
  ten_vec_free(&all);
  return list;
}

static const char *const ways[] = {"kind", "layer", "line", "step"};
enum { WAYS = sizeof ways / sizeof *ways };

static void print_json(const char *path, const cli_observed *o, const roofline_device *machine) {
  json_t *root = json_pack("{s:s, s:s, s:{s:f, s:f, s:f}, s:I}", "program", path, "device",
                           o->executable->backend->name, "seconds", "load", o->load, "compile", o->compile, "execute",
                           o->median, "runs", (json_int_t)o->runs.count);
  if (machine)
    json_object_set_new(root, "machine",
                        json_pack("{s:f, s:f}", "flops", machine->flops, "bandwidth", machine->bandwidth));
  for (size_t i = 0; i < WAYS; i++) json_object_set_new(root, ways[i], groups_json(o, ways[i], machine));
  cli_json_print(root);
}

static ten_status *profile_file(const char *path, const profile_values *values) {
  cli_observed observed;
  roofline_device machine;
  ten_status *status = cli_observe(path, &values->observing, &values->training, &observed);
  const bool measured = !status && !values->no_measure && roofline_machine(&machine);
  const roofline_device *limit = measured ? &machine : NULL;
  if (!status && values->trace) status = cli_trace_write(values->trace, &observed.spans, &observed.profile);
  if (!status && values->json) {
    print_json(path, &observed, limit);
  } else if (!status) {
    printf("%s on %s: %.3f ms a run (the median of %zu); loaded in %.3f ms, compiled in %.3f ms\n", path,
           observed.executable->backend->name, observed.median * 1e3, observed.runs.count, observed.load * 1e3,
           observed.compile * 1e3);
    if (limit)
      printf("limit: %.1f GFLOP/s and %.1f GB/s, measured here\n", machine.flops * 1e-9, machine.bandwidth * 1e-9);
    for (size_t i = 0; i < WAYS; i++)
      if (values->by ? !strcmp(values->by, ways[i]) : i < 3)
        print_groups(&observed, ways[i], limit, values->rows ? values->rows : 20);
  }
  cli_observed_free(&observed);
  return status;
}

static int profile_run(const cli_command *self, int argc, char **argv) {
  profile_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    bool known = !values.by;
    for (size_t i = 0; i < WAYS; i++) known |= values.by && !strcmp(values.by, ways[i]);
    if (operands.count != 1) {
      code = cli_misuse(self, "takes one FILE");
    } else if (!known) {
      code = cli_misuse(self, "--by: '%s' is none of kind, layer, line, step", values.by);
    } else {
      ten_status *status = profile_file(operands.data[0], &values);
      if (status) code = cli_fail(status);
    }
  }
  cli_list_free(&values.observing.inputs);
  cli_list_free(&values.observing.shapes);
  cli_list_free(&values.libraries);
  cli_list_free(&operands);
  return code;
}

static const cli_option profile_options[] = {
    {"by", 0, CLI_TEXT, "kind|layer|line|step", "one table: what its rows add up; otherwise all but the last",
     offsetof(profile_values, by)},
    {"rows", 0, CLI_MANY, "N", "rows of each table (20)", offsetof(profile_values, rows)},
    {"trace", 0, CLI_OUTPUT, "FILE.json", "also write when each step ran, as a trace for Perfetto",
     offsetof(profile_values, trace)},
    {"no-measure", 0, CLI_FLAG, NULL, "do not measure what this machine can do at most",
     offsetof(profile_values, no_measure)},
    {"json", 0, CLI_FLAG, NULL, "print all tables as JSON", offsetof(profile_values, json)},
    CLI_OBSERVING_OPTIONS(profile_values),
    CLI_LIBRARY_OPTION(profile_values),
    {0},
};

const cli_command cli_profile = {
    .name = "profile",
    .summary = "say where a program's time goes, by kind of step, layer and source line",
    .operands = "FILE [options]",
    .description =
        "Compiles the program for the cpu, runs it on random inputs (or those that are given) and adds up the time of its "
        "steps. A step is what runs at once: a fused loop, a matrix product with what follows it.\n\n"
        "\"of limit\" is the share of what this machine can do at most: the step's arithmetic at the rate of a large "
        "matrix product, or the bytes that it reads and writes at the rate of memory, whichever takes longer. Data that "
        "stays in the caches makes it more than 100 %.",
    .options = profile_options,
    .examples = (const char *const[]){"profile examples/mlp.mlir", "profile model.pt2 --by layer --rows 10",
                                      "profile model.pt2 --train --optimizer adamw --json", NULL},
    .run = profile_run,
};
