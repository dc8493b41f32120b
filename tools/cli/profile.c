/* profile.c: `tenfold profile`: the time of a program, or of a command's programs, by kind of step, layer and source
 * line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/observe.h"
#include "cli/options.h"
#include "cli/roofline.h"
#include "cli/traced.h"

enum { NAME_MOST = 90 };

typedef struct profile_values {
  cli_list libraries;
  cli_observing observing;
  cli_training training;
  const char *by, *trace;
  int64_t rows;
  bool json, no_measure;
} profile_values;

/* Steps grouped by a common property. Of one run. */
typedef struct group {
  ten_str name;
  double seconds, flops, bytes, calls;
  double limit; /* lower bound of the machine in seconds; 0: not measured */
} group;
typedef TEN_VEC(group) groups;

/* The lower bound of one call of a step: its arithmetic, or the bytes that it touches. */
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

/* The measurements: a row and a step for each number. */
typedef struct measured {
  const ten_steps *steps;
  const ten_profile *profile;
  double runs;                    /* the divisor */
  const roofline_device *machine; /* NULL: not known */
} measured;

static groups group_by(const measured *m, const char *by) {
  groups out = {0};
  const double runs = m->runs;
  for (size_t i = 0; i < m->profile->rows.count && i < m->steps->rows.count; i++) {
    const ten_profile_row *row = &m->profile->rows.data[i];
    const ten_step_row *step = &m->steps->rows.data[i];
    if (!row->calls) continue;
    const double calls = (double)row->calls / runs;
    add(&out, name_of(step, by),
        &(group){.seconds = row->seconds / runs,
                 .flops = row->flops / runs,
                 .bytes = step->bytes * calls,
                 .calls = calls,
                 .limit = limit_of(step, m->machine) * calls});
  }
  if (out.count) qsort(out.data, out.count, sizeof *out.data, by_seconds);
  return out;
}

static void print_number(double number, int width, const char *format) {
  char text[24] = "";
  if (number > 0) snprintf(text, sizeof text, format, number);
  printf(" %*s", width, text);
}

/* Truncate long names at the front, but a step's label at the end. */
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

static void print_groups(const measured *m, const char *by, int64_t most) {
  groups all = group_by(m, by);
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

static json_t *groups_json(const measured *m, const char *by) {
  groups all = group_by(m, by);
  json_t *list = json_array();
  for (size_t i = 0; i < all.count; i++) {
    const group *g = &all.data[i];
    json_t *object = json_pack("{s:o, s:f, s:f, s:f, s:f}", "name", cli_json_text(g->name), "seconds", g->seconds,
                               "calls", g->calls, "flops", g->flops, "bytes", g->bytes);
    if (m->machine) json_object_set_new(object, "limit_seconds", json_real(g->limit));
    json_array_append_new(list, object);
  }
  ten_vec_free(&all);
  return list;
}

static const char *const ways[] = {"kind", "layer", "line", "step"};
enum { WAYS = sizeof ways / sizeof *ways };

static void add_tables(json_t *root, const measured *m) {
  json_object_set_new(root, "threads", json_integer(m->steps->threads));
  if (m->machine)
    json_object_set_new(root, "machine",
                        json_pack("{s:f, s:f}", "flops", m->machine->flops, "bandwidth", m->machine->bandwidth));
  for (size_t i = 0; i < WAYS; i++) json_object_set_new(root, ways[i], groups_json(m, ways[i]));
}

static void print_tables(const profile_values *values, const measured *m) {
  if (m->machine)
    printf("limit: %.1f GFLOP/s and %.1f GB/s, measured here; %u threads at most\n", m->machine->flops * 1e-9,
           m->machine->bandwidth * 1e-9, m->steps->threads);
  for (size_t i = 0; i < WAYS; i++)
    if (values->by ? !strcmp(values->by, ways[i]) : i < 3) print_groups(m, ways[i], values->rows ? values->rows : 20);
}

static ten_status *profile_file(const char *path, const profile_values *values) {
  cli_observed o;
  roofline_device machine;
  ten_status *status = cli_observe(path, &values->observing, &values->training, &o);
  const bool known = !status && !values->no_measure && roofline_machine(&machine);
  const measured m = {&o.steps, &o.profile, (double)o.runs.count, known ? &machine : NULL};
  if (!status && values->trace) status = cli_trace_write(values->trace, &o.spans, &o.profile, &o.steps);
  if (!status && values->json) {
    json_t *root =
        json_pack("{s:o, s:s, s:{s:f, s:f, s:f}, s:I, s:o}", "program", cli_json_text(ten_str_of(path)), "device",
                  o.executable->backend->name, "seconds", "load", o.load, "compile", o.compile, "execute", o.median,
                  "runs", (json_int_t)o.runs.count, "counters", cli_counters_json(&o.counters, m.runs));
    add_tables(root, &m);
    cli_json_print(root);
  } else if (!status) {
    printf("%s on %s: %.3f ms a run (the median of %zu); loaded in %.3f ms, compiled in %.3f ms\n", path,
           o.executable->backend->name, o.median * 1e3, o.runs.count, o.load * 1e3, o.compile * 1e3);
    cli_counters_print(stdout, &o.counters, m.runs);
    print_tables(values, &m);
  }
  cli_observed_free(&o);
  return status;
}

/* ---- a command ---- */
static void print_programs(const cli_traced *t, int64_t most) {
  printf("\n%10s %7s %10s  %s\n", "ms", "runs", "compiled", "program");
  for (size_t i = 0; i < t->programs.count && i < (size_t)most; i++) {
    const cli_traced_program *p = &t->programs.data[i];
    printf("%10.3f %7zu %7.1f ms  @%s on %s, %zu steps  %.*s\n", p->run_seconds * 1e3, p->runs, p->seconds * 1e3,
           p->name, p->device, p->step_count, TEN_FMT(p->place));
  }
  if (t->programs.count > (size_t)most) printf("%28s  %zu more\n", "", t->programs.count - (size_t)most);
}

/* Reasons for slowness. */
static void print_remarks(const cli_traced *t, json_t *recompiles) {
  size_t i;
  const json_t *row;
  json_array_foreach(recompiles, i, row)
      printf("%scompiled again: @%s %s: %s, was %s\n", i ? "" : "\n",
             json_string_value(json_object_get(row, "program")), json_string_value(json_object_get(row, "place")),
             json_string_value(json_object_get(row, "is")), json_string_value(json_object_get(row, "was")));
  json_array_foreach(t->fallbacks, i, row)
      printf("%sin eager mode: %s %s: %s\n", i ? "" : "\n", json_string_value(json_object_get(row, "op")),
             json_string_value(json_object_get(row, "line")), json_string_value(json_object_get(row, "why")));
  if (t->dropped) printf("\n%llu steps were too many to be written down\n", (unsigned long long)t->dropped);
}

static ten_status *profile_command(const cli_list *words, const profile_values *values, int *out_code) {
  cli_traced t;
  roofline_device machine;
  ten_status *status = cli_traced_run(words, &t);
  *out_code = t.code < 0 ? CLI_NO : t.code;
  const bool known = !status && t.programs.count && !values->no_measure && roofline_machine(&machine);
  const measured m = {&t.steps, &t.profile, 1, known ? &machine : NULL};
  if (!status && values->trace) status = cli_trace_save(values->trace, json_incref(t.events));
  json_t *recompiles = cli_traced_recompiles(&t);
  if (!status && values->json) {
    json_t *root =
        json_pack("{s:o, s:I, s:{s:f, s:f, s:f}, s:o, s:O, s:O, s:o}", "command",
                  cli_json_text(ten_str_of(words->data[0])), "code", (json_int_t)t.code, "seconds", "all", t.seconds,
                  "compile", t.compile, "run", t.run, "programs", cli_traced_programs(&t), "recompiles", recompiles,
                  "fallbacks", t.fallbacks, "counters", cli_counters_json(&t.counters, 1));
    add_tables(root, &m);
    cli_json_print(root);
  } else if (!status) {
    printf("%s: %.3f s; %zu program%s, compiled in %.3f s, ran for %.3f s\n", words->data[0], t.seconds,
           t.programs.count, t.programs.count == 1 ? "" : "s", t.compile, t.run);
    cli_counters_print(stdout, &t.counters, 1);
    if (t.programs.count) print_programs(&t, values->rows ? values->rows : 20);
    print_remarks(&t, recompiles);
    if (t.programs.count) print_tables(values, &m);
  }
  json_decref(recompiles);
  cli_traced_free(&t);
  return status;
}

static int profile_run(const cli_command *self, int argc, char **argv) {
  profile_values values = {0};
  cli_list operands;
  bool command;
  int code;
  if (cli_parse_subject(self, argc, argv, &values, &operands, &command, &code)) {
    bool known = !values.by;
    for (size_t i = 0; i < WAYS; i++) known |= values.by && !strcmp(values.by, ways[i]);
    if (!known) {
      code = cli_misuse(self, "--by: '%s' is none of kind, layer, line, step", values.by);
    } else {
      ten_status *status =
          command ? profile_command(&operands, &values, &code) : profile_file(operands.data[0], &values);
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
    CLI_NO_MEASURE_OPTION(profile_values),
    {"json", 0, CLI_FLAG, NULL, "print all tables as JSON", offsetof(profile_values, json)},
    CLI_OBSERVING_OPTIONS(profile_values),
    CLI_LIBRARY_OPTION(profile_values),
    {0},
};

const cli_command cli_profile = {
    .name = "profile",
    .summary = "say where a program's time goes, by kind of step, layer and source line",
    .operands = "FILE|-- COMMAND… [options]",
    .description =
        "Compiles the program for the cpu, runs it on random inputs (or those that are given) and adds up the time of its "
        "steps. A step is what runs at once: a fused loop, a matrix product with what follows it.\n\n"
        "\"of limit\" is the share of what this machine can do at most: the step's arithmetic at the rate of a large "
        "matrix product, or the bytes that it reads and writes at the rate of memory, whichever takes longer. Data that "
        "stays in the caches makes it more than 100 %.\n\n"
        "Of a command (-- python train.py) every program that it compiles is measured as it runs, in all of its "
        "processes, whatever compiled it: torch.compile, device=\"tenfold\", JAX, the C API. What was compiled again for "
        "other sizes, and what PyTorch ran itself, is listed. The exit status is the command's.\n\n"
        "Where the system allows it, the CPU's counters are read, too: cycles, instructions, cache misses.",
    .options = profile_options,
    .examples = (const char *const[]){"profile examples/mlp.mlir", "profile model.pt2 --by layer --rows 10",
                                      "profile model.pt2 --train --optimizer adamw --json",
                                      "profile --trace trace.json -- python train.py", NULL},
    .run = profile_run,
};
