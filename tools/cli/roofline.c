/* roofline.c: the lower bound of a program's time on a device: its arithmetic at the device's peak, or the minimum
 * bytes (weights, inputs, results, each once) at its memory bandwidth, whichever is longer. Peaks of accelerators are
 * published ones; this machine's are measured with our own matmul and by reading memory. */
#include "cli/roofline.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/pjrt/topology.h"
#include "base/clock.h"
#include "base/thread.h"
#include "driver/devices.h"
#include "ir/text/text.h"

enum { SIDE = 768, TRIES = 5, STREAM = 1 << 26, STREAM_PIECES = 64 };

static ten_status *measure_product(double *out_flops) {
  static const char text[] =
      "func.func @main(%a: tensor<768x768xf32>, %b: tensor<768x768xf32>) -> tensor<768x768xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<768x768xf32>, tensor<768x768xf32>)"
      " -> tensor<768x768xf32>\n"
      "  return %0 : tensor<768x768xf32>\n}\n";
  ten_module *module = NULL;
  ten_executable *executable = NULL;
  ten_tensor *inputs[2] = {0};
  double best = 0;
  ten_status *status = ten_text_parse(text, sizeof text - 1, "<roofline>", &module);
  if (!status)
    status = ten_compile(ten_backends[0], module, ten_module_entry(module, TEN_STR("main")), NULL, &executable);
  for (int i = 0; i < 2 && !status; i++)
    status = ten_tensor_create(TEN_F32, 2, (const int64_t[]){SIDE, SIDE}, &inputs[i]);
  for (int i = 0; i < TRIES && !status; i++) {
    ten_tensor *output = NULL;
    const double start = ten_clock();
    status = ten_execute(executable, inputs, 2, NULL, &output);
    const double rate = 2 * (double)(SIDE * SIDE * SIDE) / (ten_clock() - start);
    ten_tensor_release(output);
    if (i && rate > best) best = rate;
  }
  ten_tensors_release(inputs, 2);
  if (executable) ten_executable_release(executable);
  if (module) ten_module_destroy(module);
  *out_flops = best;
  return status;
}

static void read_piece(void *user, size_t index, size_t worker) {
  (void)worker;
  const uint64_t *at = (const uint64_t *)user + index * (STREAM / STREAM_PIECES / 8);
  uint64_t sums[8] = {0};
  for (size_t i = 0; i < STREAM / STREAM_PIECES / 8; i += 8)
    for (size_t k = 0; k < 8; k++) sums[k] += at[i + k];
  uint64_t whole = 0;
  for (size_t k = 0; k < 8; k++) whole += sums[k];
  volatile uint64_t keep = whole; /* so that the compiler does not remove the reads */
  (void)keep;
}

static double measure_memory(void) {
  uint64_t *data = malloc(STREAM);
  if (!data) return 0;
  memset(data, 1, STREAM);
  double best = 0;
  for (int i = 0; i < TRIES; i++) {
    const double start = ten_clock();
    ten_parallel_for(STREAM_PIECES, 0, read_piece, data);
    const double rate = (double)STREAM / (ten_clock() - start);
    if (rate > best) best = rate;
  }
  free(data);
  return best;
}

bool roofline_machine(roofline_device *out) {
  *out = (roofline_device){.name = "cpu", .what = "this machine, measured: f32 matmuls, reading memory"};
  ten_status *status = measure_product(&out->flops);
  ten_status_free(status);
  out->bandwidth = measure_memory();
  return out->flops > 0 && out->bandwidth > 0;
}

size_t roofline_devices(bool measure, roofline_device *out) {
  size_t count = measure && roofline_machine(out) ? 1 : 0;
  for (const ten_tpu_chip *chip = ten_tpu_chips; chip->name && count < ROOFLINE_DEVICES - 2; chip++) {
    roofline_device *d = &out[count++];
    *d = (roofline_device){.what = "published, a chip: bf16 matmuls",
                           .flops = chip->flops,
                           .bandwidth = chip->bandwidth,
                           .memory = (double)chip->memory * chip->devices};
    snprintf(d->name, sizeof d->name, "tpu:%s", chip->name);
  }
  out[count++] = (roofline_device){"h200", "published: bf16 matmuls, dense", 989e12, 4.8e12, 141e9};
  out[count++] = (roofline_device){"h200-f32", "published: f32 without tensor cores", 67e12, 4.8e12, 141e9};
  return count;
}

typedef struct roof {
  double seconds, compute, least, each; /* least: of the minimum bytes; each: op by op */
  bool fits;
} roof;

static roof roof_of(const ten_analysis *a, const roofline_device *d) {
  const ten_cost_sum *t = &a->total;
  const double weights = (double)(t->parameter_bytes + a->buffer_bytes);
  const double least = weights + (double)(a->input_bytes + a->output_bytes);
  roof r = {.compute = (double)t->flops / d->flops,
            .least = least / d->bandwidth,
            .each = (double)(t->weight_bytes + t->read_bytes + t->written) / d->bandwidth,
            .fits = !(d->memory > 0) || weights + (double)(a->input_bytes + a->peak_bytes) <= d->memory};
  r.seconds = r.compute > r.least ? r.compute : r.least;
  return r;
}

void roofline_print(const ten_analysis *a, const roofline_device *devices, size_t count) {
  printf("\n%-12s %10s %9s %12s %9s %12s\n", "device", "TFLOP/s", "GB/s", "at best, ms", "limit", "op by op, ms");
  for (size_t i = 0; i < count; i++) {
    const roofline_device *d = &devices[i];
    const roof r = roof_of(a, d);
    const double each = r.each > r.compute ? r.each : r.compute;
    printf("%-12s %10.3g %9.4g %12.4g %9s %12.4g%s\n", d->name, d->flops * 1e-12, d->bandwidth * 1e-9, r.seconds * 1e3,
           r.compute >= r.least ? "compute" : "memory", each * 1e3, r.fits ? "" : "  does not fit its memory");
  }
}

json_t *roofline_json(const ten_analysis *a, const roofline_device *devices, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const roofline_device *d = &devices[i];
    const roof r = roof_of(a, d);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:b}", "name", d->name, "what", d->what, "flops",
                        d->flops, "bandwidth", d->bandwidth, "seconds", r.seconds, "compute_seconds", r.compute,
                        "memory_seconds", r.least, "op_by_op_seconds", r.each, "limit",
                        r.compute >= r.least ? "compute" : "memory", "fits", r.fits));
  }
  return list;
}
