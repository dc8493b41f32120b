/* simulate.c: the client as a simulated TPU. TENFOLD_TPU_SIM names the topology: devices, their kind, coordinates and
 * memory are that TPU's; the CPU computes. A value that does not fit into HBM is rejected as in the TPU's runtime.
 * TENFOLD_TPU_SIM_LOG is a log file with one JSON object per line of what was compiled, run and copied; `tenfold
 * tpu-sim` reads it. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/hash.h"
#include "ir/builder.h"
#include "ir/cost.h"
#include "plugin/plugin.h"
#include "transform/pass/pass.h"

#define GIB 1073741824.0

/* As in Google's runtime: JAX looks chips up by these names. */
static const char *kind_of(const ten_tpu_chip *chip) {
  static const struct {
    const char *name, *kind;
  } kinds[] = {{"v2", "TPU v2"},  {"v3", "TPU v3"},       {"v4", "TPU v4"},  {"v5e", "TPU v5 lite"},
               {"v5p", "TPU v5"}, {"v6e", "TPU v6 lite"}, {"tpu7x", "TPU7x"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].name, chip->name)) return kinds[i].kind;
  return chip->name;
}

ten_status *plugin_simulation_make(const char *topology, plugin_simulation **out) {
  *out = NULL;
  ten_tpu_topology tpu;
  TEN_TRY(ten_tpu_parse(topology, &tpu));
  if (ten_tpu_device_count(&tpu) > PLUGIN_DEVICES_MAX)
    return ten_error(TEN_LIMIT, "%s has %u devices; at most %d can be simulated", tpu.name, ten_tpu_device_count(&tpu),
                     PLUGIN_DEVICES_MAX);
  plugin_simulation *made = ten_alloc(sizeof *made);
  *made = (plugin_simulation){.tpu = tpu, .kind = kind_of(tpu.chip), .memory = tpu.chip->memory};
  const int64_t given = ten_env_number(TEN_ENV_TPU_SIM_HBM, 0);
  if (given) made->memory = given << 20;
  *out = made;
  return NULL;
}

/* The coordinates of device `id`: chips are numbered along x first, and the cores of one chip consecutively. */
void plugin_simulation_place(const plugin_simulation *tpu, PJRT_DeviceDescription *device) {
  const unsigned chip = (unsigned)device->id / tpu->tpu.chip->devices, *shape = tpu->tpu.shape;
  device->coords[0] = chip % shape[0];
  device->coords[1] = chip / shape[0] % shape[1];
  device->coords[2] = chip / shape[0] / shape[1];
  device->core = device->id % (int64_t)tpu->tpu.chip->devices;
  snprintf(device->name, sizeof device->name, "TPU_%d(%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ")", device->id,
           device->coords[0], device->coords[1], device->coords[2], device->core);
  static const char *const names[] = {"coords", "core_on_chip", "num_cores", "slice_index"};
  const int64_t cores = (int64_t)tpu->tpu.chip->devices, values[] = {0, device->core, cores, 0};
  for (size_t i = 0; i < PLUGIN_ATTRIBUTES; i++)
    device->attributes[i] = (PJRT_NamedValue){.struct_size = sizeof(PJRT_NamedValue),
                                              .name = names[i],
                                              .name_size = strlen(names[i]),
                                              .type = i ? PJRT_NamedValue_kInt64 : PJRT_NamedValue_kInt64List,
                                              .value_size = i ? 1 : 3};
  device->attributes[0].int64_array_value = device->coords;
  for (size_t i = 1; i < PLUGIN_ATTRIBUTES; i++) device->attributes[i].int64_value = values[i];
}

ten_status *plugin_room(const PJRT_Device *device, const plugin_memory *memory, int64_t bytes) {
  const plugin_simulation *tpu = device->client->simulation;
  if (!tpu || (memory && memory->kind != PLUGIN_MEMORY_DEVICE)) return NULL;
  const int64_t used = atomic_load(&device->bytes_in_use), left = tpu->memory - used;
  if (bytes <= left) return NULL;
  const int64_t *at = device->description.coords;
  return ten_error(TEN_LIMIT,
                   "Error allocating device buffer: Attempting to allocate %.2fG. That was not possible. There are "
                   "%.2fG free.; (%" PRId64 "x%" PRId64 "x%" PRId64 "_HBM%" PRId64 ")",
                   (double)bytes / GIB, (double)left / GIB, at[0], at[1], at[2], device->description.core);
}

static int64_t bytes_of(uint32_t count, const ten_type *const *types) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++)
    if (types[i]->kind == TEN_TYPE_TENSOR) sum += (int64_t)ten_type_bytes(types[i]);
  return sum;
}

/* Memory that the compiled program needs, per device. */
typedef struct need {
  int64_t arguments, outputs, work;
} need;

static need need_of(const plugin_program *p) {
  const ten_type *type = ten_func_type(p->executable->func);
  const int64_t share = p->partitions > 1 && p->spread.inputs ? (int64_t)p->partitions : 1;
  need all = {bytes_of(type->input_count, type->inputs) / share, bytes_of(type->result_count, type->results) / share,
              0};
  for (uint32_t i = 0; i < type->input_count; i++) /* a donated input's memory becomes an output's */
    if (p->donated[i]) all.outputs -= bytes_of(1, &type->inputs[i]) / share;
  if (all.outputs < 0) all.outputs = 0;
  ten_memory memory;
  if (ten_executable_memory(p->executable, &memory)) all.work = (int64_t)memory.work / share;
  return all;
}

int64_t plugin_simulation_needs(const plugin_program *p) {
  const need all = need_of(p);
  return all.outputs + all.work;
}

ten_status *plugin_simulation_fits(const plugin_program *p) {
  const plugin_simulation *tpu = p->client->simulation;
  if (!tpu) return NULL;
  const need all = need_of(p);
  const int64_t sum = all.arguments + all.outputs + all.work;
  if (sum <= tpu->memory) return NULL;
  return ten_error(TEN_LIMIT,
                   "Ran out of memory in memory space hbm. Used %.2fG of %.2fG hbm. Exceeded hbm capacity by %.2fG. "
                   "(program %.*s: arguments %.2fG, outputs %.2fG, temporaries %.2fG)",
                   (double)sum / GIB, (double)tpu->memory / GIB, (double)(sum - tpu->memory) / GIB, (int)p->name.size,
                   p->name.data, (double)all.arguments / GIB, (double)all.outputs / GIB, (double)all.work / GIB);
}

static ten_status *refuse_kernel(ten_op *op, void *context) {
  (void)context;
  if (op->code != TEN_OP_CUSTOM_CALL ||
      !ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")), "tpu_custom_call"))
    return NULL;
  return ten_op_error(op, TEN_UNSUPPORTED,
                      "is a Mosaic kernel (Pallas), which runs on a real TPU only; the simulated one runs it as plain "
                      "ops with pallas_call(..., interpret=True)");
}

ten_status *plugin_simulation_check(PJRT_Client *client, ten_module *module) {
  return client->simulation ? ten_op_walk(module->op, refuse_kernel, NULL) : NULL;
}

/* XLA computes the absolute value of a complex number as max * sqrt(1 + (min / max)^2), and so does TorchTPU in ops of
 * its own, which it then compares with XLA's to find the place of a maximum: the two must agree in the last digit. */
static void expand_absolute(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  if (!ten_dtype_is_complex(x->type->dtype) || !ten_type_is_static(x->type)) return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  ten_value *part[2];
  for (int i = 0; i < 2; i++)
    part[i] = ten_build_unary(&b, TEN_OP_ABS, ten_build_part(&b, i ? TEN_OP_IMAG : TEN_OP_REAL, x));
  ten_value *most = ten_build_binary(&b, TEN_OP_MAXIMUM, part[0], part[1]),
            *least = ten_build_binary(&b, TEN_OP_MINIMUM, part[0], part[1]), *one = ten_build_like(&b, most, 1),
            *ratio = ten_build_binary(&b, TEN_OP_DIVIDE, least, most),
            *root = ten_build_unary(
                &b, TEN_OP_SQRT,
                ten_build_binary(&b, TEN_OP_ADD, ten_build_binary(&b, TEN_OP_MULTIPLY, ratio, ratio), one)),
            *size = ten_build_binary(&b, TEN_OP_MULTIPLY, most, root);
  /* 0 / 0 and inf / inf are no numbers. */
  for (int i = 0; i < 2; i++) {
    ten_value *bound = ten_build_like(&b, most, i ? INFINITY : 0);
    size = ten_build_select(&b, ten_build_compare(&b, TEN_EQ, i ? most : least, bound), most, size);
  }
  ten_value_replace(&op->results[0], size);
  ten_op_erase(op);
}

ten_status *plugin_simulation_expand(PJRT_Client *client, ten_module *module) {
  return client->simulation ? ten_pass_each(module, TEN_OP_ABS, expand_absolute) : NULL;
}

/* The log. A line is one write, so that lines of several processes do not mix. */
static void log_line(const ten_buf *line) {
  const char *path = ten_env_text(TEN_ENV_TPU_SIM_LOG);
  const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (file < 0) return;
  const ssize_t wrote = write(file, line->data, line->size);
  (void)wrote; /* an incomplete log is no reason to stop a program */
  close(file);
}

static bool logs(const PJRT_Client *client) { return client->simulation && ten_env_text(TEN_ENV_TPU_SIM_LOG); }

/* A program without its types: an equal one was recompiled. */
typedef struct skeleton {
  ten_buf ops;
  const ten_loc *file; /* the first source location in the program */
} skeleton;

static ten_status *add_op(ten_op *op, void *context) {
  skeleton *all = context;
  ten_buf_addstr(&all->ops, op->name);
  ten_buf_addc(&all->ops, ' ');
  const ten_loc *file = all->file ? NULL : ten_loc_first_file(op->loc);
  if (file && file->name.size && !memmem(file->name.data, file->name.size, "site-packages", 13)) all->file = file;
  return NULL;
}

void plugin_simulation_note(plugin_skeleton_of *of, ten_module *module) {
  skeleton all = {0};
  ten_status_free(ten_op_walk(module->op, add_op, &all));
  const ten_hash128 key = ten_hash128_of(all.ops.data ? all.ops.data : "", all.ops.size, 0);
  ten_buf_free(&all.ops);
  of->skeleton = key.low;
  if (all.file) ten_buf_printf(&of->line, "%.*s:%u", TEN_FMT(all.file->name), all.file->line);
}

void plugin_simulation_begin(const PJRT_Client *client) {
  if (!logs(client)) return;
  const ten_tpu_topology *tpu = &client->simulation->tpu;
  const double share = tpu->chip->devices;
  ten_buf line = {0};
  ten_buf_printf(
      &line,
      "{\"event\": \"device\", \"topology\": \"%s\", \"kind\": \"%s\", \"devices\": %zu, \"memory\": %" PRId64
      ", \"flops\": %.0f, \"bandwidth\": %.0f}\n",
      tpu->name, client->simulation->kind, client->device_count, client->simulation->memory, tpu->chip->flops / share,
      tpu->chip->bandwidth / share);
  log_line(&line);
  ten_buf_free(&line);
}

void plugin_simulation_compiled(const plugin_program *p, const plugin_skeleton_of *of) {
  if (!logs(p->client)) return;
  const need all = need_of(p);
  const ten_type *type = ten_func_type(p->executable->func);
  ten_buf line = {0};
  ten_buf_adds(&line, "{\"event\": \"compile\", \"name\": ");
  ten_buf_add_json(&line, (ten_str){p->name.data, p->name.size});
  ten_buf_printf(&line,
                 ", \"program\": \"%.*s\", \"skeleton\": \"%016" PRIx64 "\", \"line\": ", (int)p->fingerprint.size,
                 p->fingerprint.data, of->skeleton);
  ten_buf_add_json(&line, (ten_str){of->line.data, of->line.size});
  ten_buf_printf(&line,
                 ", \"devices\": %zu, \"flops\": %.0f, \"bytes\": %.0f, \"arguments\": %" PRId64
                 ", \"outputs\": %" PRId64 ", \"temporaries\": %" PRId64 ", \"inputs\": [",
                 p->device_count, (double)p->costs[0].float_value, (double)p->costs[2].float_value, all.arguments,
                 all.outputs, all.work);
  for (uint32_t i = 0; i < type->input_count; i++) {
    ten_buf_adds(&line, i ? ", \"" : "\"");
    for (uint32_t d = 0; d < type->inputs[i]->rank; d++)
      ten_buf_printf(&line, "%" PRId64 "x", type->inputs[i]->dims[d]);
    ten_buf_printf(&line, "%s\"",
                   type->inputs[i]->kind == TEN_TYPE_TENSOR ? ten_dtype_name(type->inputs[i]->dtype) : "token");
  }
  ten_buf_adds(&line, "]}\n");
  log_line(&line);
  ten_buf_free(&line);
}

void plugin_simulation_ran(const plugin_program *p) {
  if (!logs(p->client)) return;
  int64_t peak = 0;
  for (size_t i = 0; i < p->device_count; i++) {
    const int64_t own = atomic_load(&p->devices[i]->peak_bytes);
    if (own > peak) peak = own;
  }
  ten_buf line = {0};
  ten_buf_printf(&line, "{\"event\": \"run\", \"program\": \"%.*s\", \"peak\": %" PRId64 "}\n",
                 (int)p->fingerprint.size, p->fingerprint.data, peak);
  log_line(&line);
  ten_buf_free(&line);
}

void plugin_simulation_read(const PJRT_Buffer *buffer, size_t bytes) {
  if (!logs(buffer->device->client)) return;
  ten_buf line = {0};
  ten_buf_printf(&line, "{\"event\": \"to_host\", \"bytes\": %zu}\n", bytes);
  log_line(&line);
  ten_buf_free(&line);
}

/* Without allocating: the error may be that there is no memory. */
void plugin_simulation_failed(const ten_status *status) {
  if (!ten_env_text(TEN_ENV_TPU_SIM_LOG)) return;
  char text[1024];
  size_t size = 0;
  for (const char *c = ten_status_text(status); *c && size + 1 < sizeof text; c++)
    text[size++] = *c == '"' || *c == '\\' ? '\'' : (unsigned char)*c < ' ' ? ' ' : *c;
  char data[sizeof text + 64];
  const int length = snprintf(data, sizeof data, "{\"event\": \"error\", \"text\": \"%.*s\"}\n", (int)size, text);
  log_line(&(ten_buf){.data = data, .size = (size_t)length});
}
