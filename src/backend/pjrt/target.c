/* target.c: target names, and preparing a function for a plugin's compiler. */
#include "backend/pjrt/target.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/pjrt/client.h"
#include "ir/verify/verify.h"

bool ten_target_is(const char *text) { return !strncmp(text, "tpu", 3) || !strncmp(text, "pjrt:", 5); }

static ten_status *parse_plugin(const char *text, ten_target *target) {
  const char *path = text + 5, *end = strstr(path, ".so:");
  if (!end) return ten_error(TEN_INVALID, "'%s': a plugin's target is pjrt:PATH.so:TOPOLOGY[?NAME=VALUE,…]", text);
  ten_buf plugin = {0};
  ten_buf_printf(&plugin, "%s%.*s", memchr(path, '/', (size_t)(end - path)) ? "" : "./", (int)(end + 3 - path), path);
  target->plugin = ten_buf_take(&plugin);
  target->kind = "pjrt";
  const char *topology = end + 4, *question = strchr(topology, '?');
  const size_t size = question ? (size_t)(question - topology) : strlen(topology);
  if (!size || size >= sizeof target->topology) return ten_error(TEN_INVALID, "'%s' names no topology", text);
  memcpy(target->topology, topology, size);
  if (question) target->topology_options = ten_str_of(question + 1);
  ten_status *status = ten_tpu_parse(target->topology, &target->tpu); /* a TPU's name implies its memory size */
  target->is_tpu = !status;
  ten_status_free(status);
  return NULL;
}

ten_status *ten_target_parse(const char *text, ten_target *out_target) {
  *out_target = (ten_target){0};
  if (!strncmp(text, "pjrt:", 5)) {
    ten_status *status = parse_plugin(text, out_target);
    if (status) ten_target_free(out_target);
    return status;
  }
  if (!strcmp(text, "tpu"))
    return ten_error(TEN_INVALID, "no TPU is named; use tpu:v5e:2x2, tpu:v4:2x2x1, tpu:v5litepod-4, …");
  TEN_TRY(ten_tpu_parse(text, &out_target->tpu));
  out_target->is_tpu = true;
  out_target->kind = "tpu";
  snprintf(out_target->topology, sizeof out_target->topology, "%s", out_target->tpu.name);
  return NULL;
}

void ten_target_free(ten_target *target) {
  free(target->plugin);
  *target = (ten_target){0};
}

static void add_bytes(ten_buf *out, uint64_t bytes) { ten_buf_printf(out, "%.2f GiB", (double)bytes / 0x1p30); }

static ten_status *does_not_fit(const ten_target *target, const ten_prepared *p, uint64_t need, uint64_t there) {
  ten_buf text = {0};
  ten_buf_printf(&text, "%s: the program needs about ", target->tpu.name);
  add_bytes(&text, need);
  ten_buf_adds(&text, " of memory on each device (arguments ");
  add_bytes(&text, p->estimate.arguments);
  ten_buf_adds(&text, ", outputs ");
  add_bytes(&text, p->estimate.outputs);
  ten_buf_adds(&text, ", temporaries ");
  add_bytes(&text, p->estimate.temp);
  ten_buf_adds(&text, "); the device has ");
  add_bytes(&text, there);
  ten_buf_adds(&text, ". The largest:");
  for (size_t i = 0; i < p->estimate.count; i++) {
    ten_buf_printf(&text, "\n  %9.1f MiB  ", (double)p->estimate.largest[i].bytes / 0x1p20);
    pjrt_describe_need(&p->program, &p->estimate.largest[i], &text);
  }
  ten_buf_adds(&text, "\n(--force compiles it all the same; --mesh spreads it over more devices)");
  ten_status *status = ten_error(TEN_LIMIT, "%s", text.data);
  ten_buf_free(&text);
  return status;
}

static pjrt_style style_of(const ten_target *target) {
  return (pjrt_style){.masks = target->is_tpu && target->tpu.chip->masks, .parts = target->is_tpu};
}

static ten_status *prepare(const ten_target *target, const ten_target_options *options, const ten_module *module,
                           const ten_op *func, ten_prepared *p) {
  TEN_TRY(ten_verify(module));
  TEN_TRY(pjrt_program_make(module, func, style_of(target), &p->program));
  if (p->program.host)
    return ten_op_error(func, TEN_UNSUPPORTED,
                        "a program with check.* ops runs where the host is; it is not compiled for later");
  if (options->bf16) TEN_TRY(pjrt_use_bf16(&p->program));
  p->devices = ten_alloc(TEN_SPREAD_MOST * sizeof *p->devices);
  TEN_TRY(pjrt_spread_program(&p->program, &options->mesh, p->devices, &p->spread, &p->tilings));
  pjrt_estimate_program(&p->program, &options->mesh, &p->tilings, &p->estimate);
  if (!target->is_tpu) return NULL;
  const uint32_t wanted = p->spread.partitions * p->spread.replicas, there = ten_tpu_device_count(&target->tpu);
  if (wanted > there)
    return ten_error(TEN_INVALID, "the program is for %u devices; %s has %u", wanted, target->tpu.name, there);
  const uint64_t need = p->estimate.arguments + p->estimate.outputs + p->estimate.temp,
                 memory = (uint64_t)target->tpu.chip->memory;
  return need > memory && !options->force ? does_not_fit(target, p, need, memory) : NULL;
}

ten_status *ten_target_prepare(const ten_target *target, const ten_target_options *options, const ten_module *module,
                               const ten_op *func, ten_prepared *out_prepared) {
  *out_prepared = (ten_prepared){0};
  ten_status *status = prepare(target, options, module, func, out_prepared);
  if (status) ten_prepared_free(out_prepared);
  return status;
}

void ten_prepared_free(ten_prepared *prepared) {
  pjrt_program_free(&prepared->program);
  pjrt_tilings_free(&prepared->tilings);
  free(prepared->devices);
  *prepared = (ten_prepared){0};
}

ten_status *ten_target_compile(const ten_target *target, ten_aot *aot, const ten_prepared *prepared,
                               ten_aot_result *out_result) {
  *out_result = (ten_aot_result){0};
  ten_buf program = {0}, options = {0};
  pjrt_compile_options(&options, &prepared->spread);
  ten_status *status = pjrt_program_write(&prepared->program, ten_aot_stablehlo(aot), &program);
  if (!status)
    status = ten_aot_compile(aot, target->topology, target->topology_options, (ten_str){program.data, program.size},
                             (ten_str){options.data, options.size}, out_result);
  ten_buf_free(&program);
  ten_buf_free(&options);
  return ten_annotate(status, "compiling for %s", target->topology);
}
