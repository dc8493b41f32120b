/* target.c: compiles for other machines, and reports: time, work, memory against the chip's, the largest buffers with
 * their source lines, collectives. */
#include "cli/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/pjrt/device.h"
#include "backend/pjrt/hlo.h"
#include "backend/pjrt/target.h"
#include "base/file.h"
#include "base/term.h"
#include "cli/output.h"
#include "cli/progress.h"

enum { TARGETS_MOST = 16, BUFFERS = 5 };

typedef struct outcome {
  ten_target target;
  ten_prepared prepared;
  ten_aot_result result;
  ten_hlo hlo;       /* empty when the plugin returns none */
  ten_status *error; /* owned: why it was not compiled */
} outcome;

static void outcome_free(outcome *o) {
  ten_status_free(o->error);
  ten_hlo_free(&o->hlo);
  ten_aot_result_free(&o->result);
  ten_prepared_free(&o->prepared);
  ten_target_free(&o->target);
}

static ten_status *read_options(const cli_target *values, ten_target_options *out) {
  *out = (ten_target_options){.mesh = {1, 1}, .force = values->force};
  if (values->mesh) TEN_TRY(ten_mesh_parse(values->mesh, &out->mesh));
  if (values->precision && strcmp(values->precision, "bf16") && strcmp(values->precision, "f32"))
    return ten_error(TEN_INVALID, "unknown precision '%s'; use f32 or bf16", values->precision);
  out->bf16 = values->precision && !strcmp(values->precision, "bf16");
  return NULL;
}

/* One process per plugin, for all of its targets. */
static ten_status *open_plugin(const cli_target *values, outcome *o, char **opened, ten_aot **aot) {
  if (!o->target.plugin) TEN_TRY(ten_pjrt_find("tpu", &o->target.plugin));
  if (*aot && !strcmp(*opened, o->target.plugin)) return NULL;
  ten_aot_close(*aot);
  free(*opened);
  *aot = NULL;
  *opened = NULL;
  TEN_TRY(ten_aot_open(o->target.plugin, !values->no_isolate, aot));
  *opened = ten_strdup(o->target.plugin);
  return NULL;
}

static ten_status *compile_one(const cli_target *values, const ten_target_options *options, const ten_module *module,
                               const ten_op *func, char **opened, ten_aot **aot, outcome *o) {
  /* First of all: does it fit. */
  TEN_TRY(ten_target_prepare(&o->target, options, module, func, &o->prepared));
  TEN_TRY(open_plugin(values, o, opened, aot));
  cli_progress_start("compile", values->quiet);
  cli_progress_at(o->target.topology);
  ten_status *status = ten_target_compile(&o->target, *aot, &o->prepared, &o->result);
  cli_progress_stop();
  TEN_TRY(status);
  const ten_str program = {o->result.program.data, o->result.program.size},
                format = {o->result.format.data, o->result.format.size};
  if (ten_str_starts(format, "hlo")) return ten_hlo_read(program, format, &o->hlo);
  return NULL;
}

static int64_t memory_sum(const ten_aot_result *r) {
  return r->memory[TEN_AOT_ARGUMENTS] + r->memory[TEN_AOT_OUTPUTS] - r->memory[TEN_AOT_ALIASED] +
         r->memory[TEN_AOT_TEMP] + r->memory[TEN_AOT_CODE];
}

static void add_size(ten_buf *out, double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    unit++;
  }
  ten_buf_printf(out, unit ? "%.2f %s" : "%.0f %s", bytes, units[unit]);
}

static char *size_text(double bytes) {
  ten_buf text = {0};
  add_size(&text, bytes);
  return ten_buf_take(&text);
}

/* The arguments of the program are the first parameters: they have their own names and lines. */
static void describe_buffer(const outcome *o, const ten_hlo_op *op, ten_buf *out) {
  const pjrt_program *p = &o->prepared.program;
  ten_hlo_print_shape(out, op->shape, false);
  if (op->parameter >= 0 && op->parameter < (int64_t)p->input_count + p->constant_count) {
    const ten_value *value = ten_op_body(p->func, 0)->args[op->parameter];
    const pjrt_need need = {.bytes = op->bytes, .argument = op->parameter, .value = value};
    ten_buf text = {0};
    pjrt_describe_need(p, &need, &text);
    const char *after = strstr(text.data, "  "); /* the shape is already printed */
    if (after) ten_buf_adds(out, after);
    ten_buf_free(&text);
    return;
  }
  ten_buf_printf(out, "  %.*s", TEN_FMT(op->opcode));
  if (op->file.size) ten_buf_printf(out, "  %.*s:%u", TEN_FMT(op->file), op->line);
}

static void print_memory(const outcome *o) {
  static const char *const names[] = {"code", "arguments", "outputs", "in place", "temporaries"};
  const ten_aot_result *r = &o->result;
  const int order[] = {TEN_AOT_ARGUMENTS, TEN_AOT_OUTPUTS, TEN_AOT_ALIASED, TEN_AOT_TEMP, TEN_AOT_CODE};
  printf("  memory           ");
  for (size_t i = 0; i < 5; i++) {
    if (order[i] == TEN_AOT_ALIASED && !r->memory[TEN_AOT_ALIASED]) continue;
    char *size = size_text((double)r->memory[order[i]]);
    printf("%s%s %s", i ? (order[i] == TEN_AOT_ALIASED ? " - " : " + ") : "", names[order[i]], size);
    free(size);
  }
  char *sum = size_text((double)memory_sum(r));
  printf(" = %s", sum);
  free(sum);
  if (o->target.is_tpu) {
    char *there = size_text((double)o->target.tpu.chip->memory);
    printf(" of %s: %s", there, memory_sum(r) <= o->target.tpu.chip->memory ? "fits" : "DOES NOT FIT");
    free(there);
  }
  putchar('\n');
}

static void print_outcome(const outcome *o) {
  const ten_aot_result *r = &o->result;
  const uint32_t devices = o->prepared.spread.partitions * o->prepared.spread.replicas;
  printf("%s  %.*s, %zu device%s; the program is for %u\n", o->target.topology, (int)r->device.size, r->device.data,
         r->device_count, r->device_count == 1 ? "" : "s", devices);
  printf("  compiled in      %.1f s\n", r->seconds);
  const double flops = ten_aot_cost_of(r, "flops", -1), bytes = ten_aot_cost_of(r, "bytes accessed", -1);
  if (flops >= 0) printf("  flops            %.4g\n", flops);
  if (bytes >= 0) printf("  bytes accessed   %.4g\n", bytes);
  const double seconds = ten_aot_cost_of(r, "optimal_seconds", -1); /* negative, hence invalid, with convolutions */
  if (seconds > 0) printf("  at best          %.4g s\n", seconds);
  if (r->has_memory) print_memory(o);
  const ten_hlo_op *largest[BUFFERS];
  const size_t count = ten_hlo_largest(&o->hlo, largest, BUFFERS);
  for (size_t i = 0; i < count; i++) {
    ten_buf text = {0};
    describe_buffer(o, largest[i], &text);
    char *size = size_text((double)largest[i]->bytes);
    printf("%s%10s  %s\n", i ? "                   " : "  largest buffers  ", size, text.data);
    free(size);
    ten_buf_free(&text);
  }
  ten_hlo_collective collectives[TEN_HLO_COLLECTIVES];
  const size_t kinds = ten_hlo_collectives(&o->hlo, collectives);
  for (size_t i = 0; i < kinds; i++) {
    char *size = size_text((double)collectives[i].bytes);
    printf("%s%s × %zu, %s\n", i ? "                   " : "  collectives      ", collectives[i].kind,
           collectives[i].count, size);
    free(size);
  }
  if (devices > 1 && !kinds && o->hlo.count) printf("  collectives      none\n");
}

static json_t *outcome_json(const outcome *o) {
  if (o->error) return json_pack("{s:s, s:s}", "target", o->target.topology, "error", ten_status_text(o->error));
  const ten_aot_result *r = &o->result;
  json_t *collectives = json_array(), *buffers = json_array();
  ten_hlo_collective each[TEN_HLO_COLLECTIVES];
  const size_t kinds = ten_hlo_collectives(&o->hlo, each);
  for (size_t i = 0; i < kinds; i++)
    json_array_append_new(collectives, json_pack("{s:s, s:I, s:I}", "kind", each[i].kind, "count",
                                                 (json_int_t)each[i].count, "bytes", (json_int_t)each[i].bytes));
  const ten_hlo_op *largest[BUFFERS];
  const size_t count = ten_hlo_largest(&o->hlo, largest, BUFFERS);
  for (size_t i = 0; i < count; i++) {
    ten_buf text = {0};
    describe_buffer(o, largest[i], &text);
    json_array_append_new(buffers, json_pack("{s:I, s:s}", "bytes", (json_int_t)largest[i]->bytes, "what", text.data));
    ten_buf_free(&text);
  }
  json_t *root = json_pack(
      "{s:s, s:s%, s:I, s:I, s:f, s:f, s:f, s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I}, s:{s:I, s:I, s:I}}", "target",
      o->target.topology, "device", r->device.size ? r->device.data : "", r->device.size, "devices",
      (json_int_t)r->device_count, "used", (json_int_t)(o->prepared.spread.partitions * o->prepared.spread.replicas),
      "seconds", r->seconds, "flops", ten_aot_cost_of(r, "flops", -1), "bytes_accessed",
      ten_aot_cost_of(r, "bytes accessed", -1), "collectives", collectives, "largest", buffers, "memory", "arguments",
      (json_int_t)r->memory[TEN_AOT_ARGUMENTS], "outputs", (json_int_t)r->memory[TEN_AOT_OUTPUTS], "in_place",
      (json_int_t)r->memory[TEN_AOT_ALIASED], "temp", (json_int_t)r->memory[TEN_AOT_TEMP], "code",
      (json_int_t)r->memory[TEN_AOT_CODE], "estimate", "arguments", (json_int_t)o->prepared.estimate.arguments,
      "outputs", (json_int_t)o->prepared.estimate.outputs, "temp", (json_int_t)o->prepared.estimate.temp);
  if (o->target.is_tpu) {
    json_object_set_new(root, "chip_memory", json_integer((json_int_t)o->target.tpu.chip->memory));
    json_object_set_new(root, "fits", json_boolean(memory_sum(r) <= o->target.tpu.chip->memory));
  }
  return root;
}

/* A table of generations. */
static void print_comparison(const outcome *all, size_t count) {
  printf("%-14s %9s %10s %12s %12s %12s %12s %10s  %s\n", "target", "compile", "flops", "bytes", "arguments",
         "temporaries", "in all", "memory", "at best, by published rates");
  for (size_t i = 0; i < count; i++) {
    const outcome *o = &all[i];
    if (o->error) {
      printf("%-14s %s\n", o->target.topology, ten_status_message(o->error));
      continue;
    }
    const ten_aot_result *r = &o->result;
    char *arguments = size_text((double)r->memory[TEN_AOT_ARGUMENTS]),
         *temp = size_text((double)r->memory[TEN_AOT_TEMP]), *sum = size_text((double)memory_sum(r)),
         *there = size_text(o->target.is_tpu ? (double)o->target.tpu.chip->memory : 0);
    const double flops = ten_aot_cost_of(r, "flops", 0), bytes = ten_aot_cost_of(r, "bytes accessed", 0);
    printf("%-14s %7.1f s %10.3g %12.3g %12s %12s %12s %10s", o->target.topology, r->seconds, flops, bytes, arguments,
           temp, sum, o->target.is_tpu ? there : "");
    if (o->target.is_tpu) {
      const ten_tpu_chip *chip = o->target.tpu.chip;
      const double compute = flops / (chip->flops / chip->devices), move = bytes / (chip->bandwidth / chip->devices);
      printf("  %.3g ms (%s)%s", 1e3 * (compute > move ? compute : move), compute > move ? "bf16 matmuls" : "memory",
             memory_sum(r) <= chip->memory ? "" : "; DOES NOT FIT");
    }
    putchar('\n');
    free(arguments);
    free(temp);
    free(sum);
    free(there);
  }
}

/* The names, split at commas; a plugin's topology with options may contain commas, so it must be alone. */
static ten_status *read_targets(const char *text, outcome *all, size_t *out_count) {
  *out_count = 0;
  for (const char *at = text; *at;) {
    const size_t size = strchr(text, '?') ? strlen(at) : strcspn(at, ",");
    if (*out_count == TARGETS_MOST) return ten_error(TEN_INVALID, "at most %d targets at once", TARGETS_MOST);
    ten_buf name = {0};
    if (!strncmp(at, "pjrt:", 5) || !strncmp(at, "tpu", 3))
      ten_buf_add(&name, at, size);
    else
      ten_buf_printf(&name, "tpu:%.*s", (int)size, at);
    outcome *o = &all[(*out_count)++];
    *o = (outcome){0};
    ten_status *status = ten_target_parse(name.data, &o->target);
    ten_buf_free(&name);
    TEN_TRY(status);
    at += size;
    if (*at) at++;
  }
  return *out_count ? NULL : ten_error(TEN_INVALID, "no target is named");
}

static ten_status *compile_all(const cli_target *values, const ten_module *module, const ten_op *func, outcome *all,
                               size_t *out_count) {
  ten_target_options options;
  TEN_TRY(read_targets(values->compare ? values->compare : values->target, all, out_count));
  TEN_TRY(read_options(values, &options));
  char *opened = NULL;
  ten_aot *aot = NULL;
  ten_status *status = NULL;
  for (size_t i = 0; i < *out_count && !status; i++) {
    status = compile_one(values, &options, module, func, &opened, &aot, &all[i]);
    if (!status || !values->compare || ten_status_code(status) == TEN_NOT_FOUND) continue;
    all[i].error = status; /* the error of one generation does not stop the others */
    status = NULL;
  }
  ten_aot_close(aot);
  free(opened);
  return status;
}

static ten_status *print_program(const outcome *o, ten_buf *out) {
  if (!o->result.program.size) return ten_error(TEN_UNSUPPORTED, "the plugin does not give its program back");
  if (o->hlo.count)
    ten_hlo_print(out, &o->hlo);
  else
    ten_buf_add(out, o->result.program.data, o->result.program.size);
  return NULL;
}

static ten_status *write_program(const outcome *o, const char *path) {
  ten_buf text = {0};
  ten_status *status = print_program(o, &text);
  if (!status) status = ten_file_write_atomic(path, text.data, text.size);
  ten_buf_free(&text);
  return status;
}

ten_status *cli_target_compile(const cli_target *values, const ten_module *module, const ten_op *func) {
  outcome all[TARGETS_MOST];
  size_t count = 0;
  ten_status *status = compile_all(values, module, func, all, &count);
  if (!status && values->output && !values->compare)
    status = ten_target_write(values->output, &all[0].target, &all[0].prepared, &all[0].result);
  if (!status && values->hlo) status = write_program(&all[0], values->hlo);
  if (!status && values->json) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, outcome_json(&all[i]));
    if (values->compare) {
      cli_json_print(list);
    } else {
      cli_json_print(json_incref(json_array_get(list, 0)));
      json_decref(list);
    }
  } else if (!status && values->compare) {
    print_comparison(all, count);
  } else if (!status) {
    print_outcome(&all[0]);
    if (values->output) printf("  written          %s\n", values->output);
  }
  for (size_t i = 0; i < count; i++) outcome_free(&all[i]);
  return status;
}

static json_t *ops_json(const ten_hlo *hlo) {
  json_t *list = json_array();
  for (size_t i = 0; i < hlo->count; i++) {
    const ten_hlo_computation *all = &hlo->computations[i];
    for (size_t k = 0; k < all->count && !all->fused; k++) {
      const ten_hlo_op *op = &all->ops[k];
      ten_buf place = {0};
      if (op->file.size) ten_buf_printf(&place, "%.*s:%u", TEN_FMT(op->file), op->line);
      json_array_append_new(list, json_pack("[s%, I, s]", op->opcode.data, op->opcode.size, (json_int_t)op->bytes,
                                            place.data ? place.data : ""));
      ten_buf_free(&place);
    }
  }
  return list;
}

ten_status *cli_target_json(const cli_target *values, const ten_module *module, const ten_op *func, json_t **out_json) {
  outcome all[TARGETS_MOST];
  size_t count = 0;
  *out_json = NULL;
  ten_status *status = compile_all(values, module, func, all, &count);
  if (!status) {
    *out_json = outcome_json(&all[0]);
    json_object_set_new(*out_json, "ops", ops_json(&all[0].hlo));
  }
  for (size_t i = 0; i < count; i++) outcome_free(&all[i]);
  return status;
}

ten_status *cli_target_show(const cli_target *values, const ten_module *module, const ten_op *func) {
  outcome all[TARGETS_MOST];
  size_t count = 0;
  ten_status *status = compile_all(values, module, func, all, &count);
  ten_buf text = {0};
  if (!status) status = print_program(&all[0], &text);
  if (!status) fwrite(text.data, 1, text.size, stdout);
  ten_buf_free(&text);
  for (size_t i = 0; i < count; i++) outcome_free(&all[i]);
  return status;
}
