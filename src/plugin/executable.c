/* plugin_executable.c: compiles, inspects, stores and runs programs. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/proto.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "plugin/plugin.h"
#include "transform/pass/pass.h"

static void program_release(plugin_program *p) {
  if (!p || atomic_fetch_sub(&p->references, 1) > 1) return;
  plugin_callbacks_release(p);
  ten_executable_release(p->executable);
  ten_module_destroy(p->module);
  ten_buf *const texts[] = {&p->name, &p->options, &p->artifact, &p->fingerprint, &p->sharding_bytes, &p->answers};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ten_buf_free(texts[i]);
  free(p->donated), free(p->types), free(p->dims), free(p->ranks);
  free(p->memories), free(p->memory_kinds), free(p->memory_kind_sizes);
  free(p->layouts), free(p->layout_data);
  free(p->devices), free(p->shardings), free(p->sharding_sizes);
  ten_spread_free(&p->spread);
  plugin_client_release(p->client);
  free(p);
}

/* The ids of one computation's devices: field 1, packed or not. */
static ten_status *add_devices(plugin_program *p, ten_str computation, size_t partition) {
  ten_proto_field field;
  size_t replica = 0;
  while (ten_proto_next(&computation, &field)) {
    if (field.number != 1) continue;
    ten_str packed = field.bytes;
    do {
      uint64_t id = field.value;
      if (field.wire == 2 && !ten_proto_packed(&packed, &id)) break;
      if (id >= p->client->device_count)
        return ten_error(TEN_INVALID, "the program is for device %" PRIu64 "; there are %zu", id,
                         p->client->device_count);
      if (replica < p->replicas) p->devices[replica++ * p->partitions + partition] = p->client->devices[id];
    } while (field.wire == 2 && packed.size);
  }
  return NULL;
}

/* XLA's own options are accepted without effect; unknown ones are an error. */
static ten_status *check_override(ten_str entry) {
  static const char *const others[] = {"exec_time_optimization_effort", "memory_fitting_effort", "optimization_level",
                                       "memory_fitting_level", NULL};
  const ten_str key = ten_proto_bytes(entry, 1), value = ten_proto_bytes(entry, 2), text = ten_proto_bytes(value, 1);
  bool known = ten_str_starts(key, "xla_");
  for (size_t i = 0; others[i]; i++) known |= ten_str_is(key, others[i]);
  if (!known) return ten_error(TEN_INVALID, "No such compile option: '%.*s'", TEN_FMT(key));
  if (ten_str_is(key, "xla_embed_ir_in_executable") && text.size && !ten_str_is(text, "True") &&
      !ten_str_is(text, "False"))
    return ten_error(TEN_INVALID, "%.*s: '%.*s' is not a valid bool value.", TEN_FMT(key), TEN_FMT(text));
  return NULL;
}

static ten_status *check_overrides(ten_str options) {
  ten_proto_field field;
  while (ten_proto_next(&options, &field))
    if (field.number == 7 && field.wire == 2) TEN_TRY(check_override(field.bytes));
  return NULL;
}

/* CompileOptionsProto: field 3 are the build options; in those, 1 the device, 4 replicas, 5 partitions, 9 the device
 * assignment (whose field 3 are the computations' devices). */
static ten_status *read_options(plugin_program *p, ten_str options) {
  TEN_TRY(check_overrides(options));
  const ten_str build = ten_proto_bytes(options, 3);
  const uint64_t replicas = ten_proto_varint(build, 4, 1), partitions = ten_proto_varint(build, 5, 1);
  if (replicas > p->client->device_count || partitions > p->client->device_count ||
      replicas * partitions > p->client->device_count)
    return ten_error(TEN_INVALID,
                     "the program is for %" PRIu64 " replicas of %" PRIu64
                     " partitions; there are %zu devices (TENFOLD_CPU_DEVICES makes more)",
                     replicas, partitions, p->client->device_count);
  p->replicas = replicas ? (uint32_t)replicas : 1;
  p->partitions = partitions ? (uint32_t)partitions : 1;
  p->device_count = (size_t)p->replicas * p->partitions;
  p->devices = ten_alloc((p->device_count + 1) * sizeof(PJRT_Device *));
  for (size_t i = 0; i < p->device_count; i++) p->devices[i] = p->client->devices[i];
  ten_str assignment = ten_proto_bytes(build, 9);
  ten_proto_field field;
  for (size_t partition = 0; partition < p->partitions && ten_proto_next(&assignment, &field);)
    if (field.number == 3 && field.wire == 2) TEN_TRY(add_devices(p, field.bytes, partition++));
  return NULL;
}

static ten_status *describe(plugin_program *p, const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  p->input_count = type->input_count;
  p->output_count = type->result_count;
  p->donated = ten_alloc(p->input_count + 1);
  for (uint32_t i = 0; i < p->input_count; i++)
    p->donated[i] = ten_func_arg_attr(func, i, "tf.aliasing_output") || ten_func_arg_attr(func, i, "jax.buffer_donor");
  size_t rank = 0;
  for (uint32_t i = 0; i < p->output_count; i++) rank += type->results[i]->rank;
  p->types = ten_alloc((p->output_count + 1) * sizeof *p->types);
  p->ranks = ten_alloc((p->output_count + 1) * sizeof *p->ranks);
  p->dims = ten_alloc((rank + 1) * sizeof *p->dims);
  size_t at = 0;
  for (uint32_t i = 0; i < p->output_count; i++) {
    const ten_type *result = type->results[i];
    p->types[i] = result->kind == TEN_TYPE_TOKEN ? PJRT_Buffer_Type_TOKEN : pjrt_type_of(result->dtype);
    p->ranks[i] = result->rank;
    for (uint32_t d = 0; d < result->rank; d++) p->dims[at++] = result->dims[d];
  }
  const ten_attr *name = ten_op_attr(p->module->op, "sym_name");
  ten_buf_addstr(&p->name, name ? ten_attr_as_string(name) : ten_func_name(func));
  TEN_TRY(plugin_memories_read(p, func));
  return plugin_layouts_read(p, func);
}

static ten_status *parse(ten_str code, ten_module **out) {
  if (ten_bytecode_is(code.data, code.size)) return ten_bytecode_read(code.data, code.size, "program", false, out);
  return ten_text_parse(code.data, code.size, "program", out);
}

/* `answers` of a stored program: the partitioners' results of its first compilation. */
static ten_status *compile(PJRT_Client *client, ten_str code, ten_str options, ten_str answers, plugin_program **out) {
  *out = NULL;
  plugin_program *p = ten_alloc(sizeof *p);
  p->references = 1;
  p->client = client;
  plugin_client_retain(client);
  ten_status *status = read_options(p, options);
  const ten_hash128 key = ten_hash128_of(code.data, code.size, 0);
  ten_buf_printf(&p->fingerprint, "%016" PRIx64 "%016" PRIx64, key.high, key.low);
  if (!status) status = parse(code, &p->module);
  if (!status) status = plugin_dump_program(client, p->module, &p->fingerprint);
  if (!status) status = ten_verify(p->module);
  plugin_skeleton_of of = {0};
  if (!status && client->simulation) {
    status = plugin_simulation_check(client, p->module);
    plugin_simulation_note(&of, p->module);
    if (!status) status = plugin_simulation_expand(client, p->module);
    if (!status) status = ten_pass_chlo.run(p->module); /* @ApproxTopK refers to a function that later passes remove */
  }
  ten_op *func = status ? NULL : ten_module_entry(p->module, (ten_str){0});
  if (!status && !func) status = ten_error(TEN_INVALID, "the program has no @main");
  if (!status) {
    plugin_callbacks_hold(p);
    ten_buf_addstr(&p->options, options);
    ten_buf_addstr(&p->artifact, code);
    status = describe(p, func);
  }
  if (!status && p->partitions > 1) {
    plugin_partitioning partitioning;
    plugin_partitioning_start(&p->answers, answers, &partitioning);
    status = ten_spread_function(p->module, func, p->partitions, &partitioning.base, &p->spread);
    if (!status) plugin_shardings(p);
  }
  if (!status) status = ten_pass_unshard.run(p->module);
  if (!status) status = ten_compile(client->backend, p->module, func, NULL, &p->executable);
  if (!status) plugin_costs(p);
  if (!status) status = plugin_simulation_fits(p);
  if (!status) plugin_simulation_compiled(p, &of);
  ten_buf_free(&of.line);
  if (status) {
    program_release(p);
    return status;
  }
  *out = p;
  return NULL;
}

static PJRT_LoadedExecutable *loaded(plugin_program *program) { /* takes over the reference */
  PJRT_LoadedExecutable *executable = ten_alloc(sizeof *executable);
  executable->program = program;
  executable->logical_ids = ten_alloc(program->device_count * sizeof *executable->logical_ids);
  for (size_t i = 0; i < program->device_count; i++)
    executable->logical_ids[i] =
        (PJRT_LogicalDeviceIds){(int)(i / program->partitions), (int)(i % program->partitions)};
  return executable;
}

static ten_status *compile_program(PJRT_Client *client, const PJRT_Program *from, const char *options, size_t size,
                                   plugin_program **out) {
  const ten_str format = {from->format, from->format_size};
  if (!ten_str_is(format, "mlir"))
    return ten_error(TEN_UNSUPPORTED, "programs of format '%.*s' are not read; 'mlir' is", TEN_FMT(format));
  return compile(client, (ten_str){from->code, from->code_size}, (ten_str){options, size}, (ten_str){0}, out);
}

PJRT_Error *plugin_PJRT_Client_Compile(PJRT_Client_Compile_Args *args) {
  plugin_program *program;
  ten_status *status =
      compile_program(args->client, args->program, args->compile_options, args->compile_options_size, &program);
  if (status) return plugin_error(status);
  args->executable = loaded(program);
  return NULL;
}

PJRT_Error *plugin_PJRT_Compile(PJRT_Compile_Args *args) {
  plugin_program *program;
  ten_status *status = compile_program(args->topology->client, args->program, args->compile_options,
                                       args->compile_options_size, &program);
  if (status) return plugin_error(status);
  args->executable = ten_alloc(sizeof *args->executable);
  args->executable->program = program;
  return NULL;
}

PJRT_Error *plugin_PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args *args) {
  program_release(args->executable->program);
  free(args->executable->logical_ids);
  free(args->executable);
  return NULL;
}
PJRT_Error *plugin_PJRT_LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args *args) {
  PJRT_Executable *executable = ten_alloc(sizeof *executable);
  executable->program = args->loaded_executable->program;
  atomic_fetch_add(&executable->program->references, 1);
  args->executable = executable;
  return NULL;
}
PJRT_Error *plugin_PJRT_LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args *args) {
  return args->addressable_devices = args->executable->program->devices,
         args->num_addressable_devices = args->executable->program->device_count, NULL;
}
PJRT_Error *plugin_PJRT_LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args *args) {
  args->addressable_device_logical_ids = args->executable->logical_ids;
  args->num_addressable_device_logical_ids = args->executable->program->device_count;
  return NULL;
}
PJRT_Error *plugin_PJRT_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args *args) {
  return atomic_store(&args->executable->deleted, true), NULL;
}
PJRT_Error *plugin_PJRT_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args *args) {
  return args->is_deleted = atomic_load(&args->executable->deleted), NULL;
}
PJRT_Error *plugin_PJRT_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args *args) {
  args->executable_fingerprint = args->executable->program->fingerprint.data;
  args->executable_fingerprint_size = args->executable->program->fingerprint.size;
  return NULL;
}

/* DeviceAssignmentProto: 1 replicas, 2 computations, 3 {1: device ids}. */
static void assignment_free(PJRT_DeviceAssignmentSerialized *assignment) { free(assignment); }
PJRT_Error *plugin_PJRT_LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args *args) {
  const plugin_program *p = args->executable->program;
  ten_buf outer = {0};
  ten_proto_put_varint(&outer, 1, p->replicas);
  ten_proto_put_varint(&outer, 2, p->partitions);
  for (uint32_t k = 0; k < p->partitions; k++) {
    ten_buf inner = {0};
    for (uint32_t r = 0; r < p->replicas; r++)
      ten_proto_put_varint(&inner, 1, (uint64_t)p->devices[r * p->partitions + k]->description.id);
    ten_proto_put_bytes(&outer, 3, (ten_str){inner.data, inner.size});
    ten_buf_free(&inner);
  }
  args->serialized_bytes_size = outer.size;
  args->serialized_bytes = ten_buf_take(&outer);
  args->serialized_device_assignment = (PJRT_DeviceAssignmentSerialized *)(void *)args->serialized_bytes;
  args->serialized_device_assignment_deleter = assignment_free;
  return NULL;
}

/* The executable as data. */
PJRT_Error *plugin_PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args *args) {
  program_release(args->executable->program);
  free(args->executable);
  return NULL;
}
PJRT_Error *plugin_PJRT_Executable_Name(PJRT_Executable_Name_Args *args) {
  return args->executable_name = args->executable->program->name.data,
         args->executable_name_size = args->executable->program->name.size, NULL;
}
PJRT_Error *plugin_PJRT_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args *args) {
  return args->num_replicas = args->executable->program->replicas, NULL;
}
PJRT_Error *plugin_PJRT_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args *args) {
  return args->num_partitions = args->executable->program->partitions, NULL;
}
PJRT_Error *plugin_PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args *args) {
  return args->num_outputs = args->executable->program->output_count, NULL;
}
PJRT_Error *plugin_PJRT_Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args) {
  return args->size_in_bytes = -1, NULL; /* PJRT's value for "unknown" */
}
PJRT_Error *plugin_PJRT_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args *args) {
  const plugin_program *p = args->executable->program;
  return args->num_outputs = p->output_count, args->memory_kinds = p->memory_kinds + p->input_count,
         args->memory_kind_sizes = p->memory_kind_sizes + p->input_count, NULL;
}
PJRT_Error *plugin_PJRT_Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args *args) {
  const plugin_program *p = args->executable->program;
  return args->num_parameters = p->input_count, args->memory_kinds = p->memory_kinds,
         args->memory_kind_sizes = p->memory_kind_sizes, NULL;
}
PJRT_Error *plugin_PJRT_Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args *args) {
  return args->output_types = args->executable->program->types,
         args->num_output_types = args->executable->program->output_count, NULL;
}
PJRT_Error *plugin_PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args *args) {
  const plugin_program *p = args->executable->program;
  return args->num_outputs = p->output_count, args->dims = p->dims, args->dim_sizes = p->ranks, NULL;
}
PJRT_Error *plugin_PJRT_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args *args) {
  args->executable_fingerprint = args->executable->program->fingerprint.data;
  args->executable_fingerprint_size = args->executable->program->fingerprint.size;
  return NULL;
}

/* The original program: converted to text on request. */
PJRT_Error *plugin_PJRT_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args *args) {
  const plugin_program *p = args->executable->program;
  ten_module *module = NULL;
  ten_status *status = parse((ten_str){p->artifact.data, p->artifact.size}, &module);
  if (status) return plugin_error(status);
  ten_buf text = {0};
  ten_text_print(&text, module, NULL);
  ten_module_destroy(module);
  args->program->format = "mlir";
  args->program->format_size = 4;
  if (args->program->code && args->program->code_size < text.size)
    status =
        ten_error(TEN_INVALID, "the program's text has %zu bytes, the buffer %zu", text.size, args->program->code_size);
  else if (args->program->code)
    memcpy(args->program->code, text.data, text.size);
  args->program->code_size = text.size;
  ten_buf_free(&text);
  return plugin_error(status);
}

static void nothing_to_free(PJRT_SerializedCompileOptions *options) { (void)options; }
PJRT_Error *plugin_PJRT_Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args *args) {
  args->serialized_bytes = args->executable->program->options.data;
  args->serialized_bytes_size = args->executable->program->options.size;
  args->serialized_compile_options = NULL;
  args->serialized_compile_options_deleter = nothing_to_free;
  return NULL;
}

/* Stored form: the two sizes, the options, the artifact; then, in the second form, the partitioners' answers. It is
 * recompiled when loaded, through the disk cache. */
typedef struct stored_head {
  char magic[8];
  uint64_t options, artifact;
} stored_head;
static const char stored_magic[8] = "TENPJRT1", stored_magic_answers[8] = "TENPJRT2";

static void stored_free(PJRT_SerializedExecutable *stored) { free(stored); }

PJRT_Error *plugin_PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args *args) {
  const plugin_program *p = args->executable->program;
  stored_head head = {.options = p->options.size, .artifact = p->artifact.size};
  memcpy(head.magic, p->answers.size ? stored_magic_answers : stored_magic, sizeof head.magic);
  ten_buf out = {0};
  ten_buf_add(&out, &head, sizeof head);
  ten_buf_add(&out, p->options.data, p->options.size);
  ten_buf_add(&out, p->artifact.data, p->artifact.size);
  ten_buf_add(&out, p->answers.data, p->answers.size);
  args->serialized_bytes_size = out.size;
  args->serialized_bytes = ten_buf_take(&out);
  args->serialized_executable = (PJRT_SerializedExecutable *)(void *)args->serialized_bytes;
  args->serialized_executable_deleter = stored_free;
  return NULL;
}

PJRT_Error *plugin_PJRT_Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args *args) {
  stored_head head;
  const char *data = args->serialized_executable;
  if (args->serialized_executable_size < sizeof head)
    return plugin_error(ten_error(TEN_INVALID, "the stored executable is truncated"));
  memcpy(&head, data, sizeof head);
  const size_t left = args->serialized_executable_size - sizeof head;
  const bool has_answers = !memcmp(head.magic, stored_magic_answers, sizeof head.magic);
  if ((!has_answers && memcmp(head.magic, stored_magic, sizeof head.magic)) || head.options > left ||
      head.artifact > left - head.options || (!has_answers && head.artifact != left - head.options))
    return plugin_error(ten_error(TEN_INVALID, "this is not an executable that Tenfold stored"));
  ten_str options = {data + sizeof head, (size_t)head.options};
  if (args->overridden_serialized_compile_options_size)
    options = (ten_str){args->overridden_serialized_compile_options, args->overridden_serialized_compile_options_size};
  plugin_program *program;
  const ten_str code = {data + sizeof head + head.options, (size_t)head.artifact},
                answers = {code.data + code.size, left - (size_t)head.options - code.size};
  ten_status *status = compile(args->client, code, options, answers, &program);
  if (status) return plugin_error(ten_annotate(status, "loading a stored executable"));
  args->loaded_executable = loaded(program);
  return NULL;
}

PJRT_Error *plugin_PJRT_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args *args) {
  return args->context = ten_alloc(1), NULL;
}
PJRT_Error *plugin_PJRT_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args *args) {
  return free(args->context), NULL;
}
