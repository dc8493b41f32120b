/* aot_compile.c: compiles for a topology with a plugin in this process and copies the results out. */
#include <stdlib.h>

#include "backend/pjrt/aot_wire.h"
#include "backend/pjrt/client.h"
#include "base/clock.h"

/* libtpu queries the cloud's metadata server, for minutes where there is none; these are its own switches. */
void aot_set_up(const char *plugin) {
  const char *slash = strrchr(plugin, '/');
  if (!strstr(slash ? slash : plugin, "tpu")) return;
  setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  setenv("TPU_ACCELERATOR_TYPE", "v5litepod-4", 0);
  setenv("TPU_WORKER_HOSTNAMES", "localhost", 0);
  setenv("TPU_WORKER_ID", "0", 0);
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", 0); /* its lock is for the chips, which are not used here */
}

static ten_status *describe_topology(const pjrt_plugin *plugin, PJRT_TopologyDescription *topology,
                                     ten_aot_result *result) {
  PJRT_TopologyDescription_PlatformName_Args name =
      PJRT_ARGS(PJRT_TopologyDescription_PlatformName, .topology = topology);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_TopologyDescription_PlatformName, &name));
  ten_buf_add(&result->platform, name.platform_name, name.platform_name_size);
  PJRT_TopologyDescription_GetDeviceDescriptions_Args list =
      PJRT_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, .topology = topology);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_TopologyDescription_GetDeviceDescriptions, &list));
  result->device_count = list.num_descriptions;
  if (!list.num_descriptions) return ten_error(TEN_INVALID, "%s: the topology has no devices", plugin->name);
  PJRT_DeviceDescription_Kind_Args kind =
      PJRT_ARGS(PJRT_DeviceDescription_Kind, .device_description = list.descriptions[0]);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_DeviceDescription_Kind, &kind));
  ten_buf_add(&result->device, kind.device_kind, kind.device_kind_size);
  return NULL;
}

static ten_status *take_costs(const pjrt_plugin *plugin, PJRT_Executable *executable, ten_aot_result *result) {
  PJRT_Executable_GetCostAnalysis_Args costs = PJRT_ARGS(PJRT_Executable_GetCostAnalysis, .executable = executable);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Executable_GetCostAnalysis, &costs));
  for (size_t i = 0; i < costs.num_properties; i++) {
    const PJRT_NamedValue *value = &costs.properties[i];
    double number = 0;
    if (value->type == PJRT_NamedValue_kFloat) number = (double)value->float_value;
    if (value->type == PJRT_NamedValue_kInt64) number = (double)value->int64_value;
    ten_buf name = {0};
    ten_buf_add(&name, value->name, value->name_size);
    ten_buf_addc(&name, 0);
    ten_vec_push(&result->costs, ((ten_aot_cost){ten_buf_take(&name), number}));
  }
  return NULL;
}

static ten_status *take_memory(const pjrt_plugin *plugin, PJRT_Executable *executable, ten_aot_result *result) {
  PJRT_Executable_GetCompiledMemoryStats_Args m =
      PJRT_ARGS(PJRT_Executable_GetCompiledMemoryStats, .executable = executable);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Executable_GetCompiledMemoryStats, &m));
  result->has_memory = true;
  result->memory[TEN_AOT_CODE] = m.generated_code_size_in_bytes;
  result->memory[TEN_AOT_ARGUMENTS] = m.argument_size_in_bytes;
  result->memory[TEN_AOT_OUTPUTS] = m.output_size_in_bytes;
  result->memory[TEN_AOT_ALIASED] = m.alias_size_in_bytes;
  result->memory[TEN_AOT_TEMP] = m.temp_size_in_bytes;
  result->memory[TEN_AOT_PEAK] = m.peak_memory_in_bytes;
  return NULL;
}

/* The plugin reports the size, we allocate, it fills the buffer. */
static ten_status *take_program(const pjrt_plugin *plugin, PJRT_Executable *executable, ten_aot_result *result) {
  PJRT_Program program = {.struct_size = sizeof program};
  PJRT_Executable_OptimizedProgram_Args args =
      PJRT_ARGS(PJRT_Executable_OptimizedProgram, .executable = executable, .program = &program);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Executable_OptimizedProgram, &args));
  ten_buf_reserve(&result->program, program.code_size + 1);
  program.code = result->program.data;
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Executable_OptimizedProgram, &args));
  result->program.size = program.code_size;
  ten_buf_add(&result->format, program.format, program.format_size);
  return NULL;
}

static ten_status *take_executable(const pjrt_plugin *plugin, PJRT_Executable *executable, ten_aot_result *result) {
  PJRT_Executable_Serialize_Args args = PJRT_ARGS(PJRT_Executable_Serialize, .executable = executable);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Executable_Serialize, &args));
  ten_buf_add(&result->executable, args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_executable_deleter) args.serialized_executable_deleter(args.serialized_executable);
  return NULL;
}

/* A call that the plugin does not implement is skipped; a failing call is an error. */
static ten_status *optional(ten_status *status) {
  if (!status || ten_status_code(status) != TEN_UNSUPPORTED) return status;
  ten_status_free(status);
  return NULL;
}

static ten_status *compile(const pjrt_plugin *plugin, PJRT_TopologyDescription *topology, ten_str program,
                           ten_str options, ten_aot_result *result) {
  TEN_TRY(describe_topology(plugin, topology, result));
  PJRT_Program code = {.struct_size = sizeof code,
                       .code = (char *)(uintptr_t)program.data,
                       .code_size = program.size,
                       .format = "mlir",
                       .format_size = 4};
  PJRT_Compile_Args args = PJRT_ARGS(PJRT_Compile, .topology = topology, .program = &code,
                                     .compile_options = options.data, .compile_options_size = options.size);
  const double start = ten_clock();
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Compile, &args));
  result->seconds = ten_clock() - start;
  if (!args.executable) return ten_error(TEN_INVALID, "%s: Compile returned no executable", plugin->name);
  ten_status *status = optional(take_costs(plugin, args.executable, result));
  if (!status) status = optional(take_memory(plugin, args.executable, result));
  if (!status) status = optional(take_program(plugin, args.executable, result));
  if (!status) status = optional(take_executable(plugin, args.executable, result));
  PJRT_Executable_Destroy_Args destroy = PJRT_ARGS(PJRT_Executable_Destroy, .executable = args.executable);
  return ten_first_error(status, PJRT_TRY_CALL(plugin, PJRT_Executable_Destroy, &destroy));
}

ten_status *aot_compile_here(const pjrt_plugin *plugin, const char *topology, ten_str topology_options, ten_str program,
                             ten_str options, ten_aot_result *out_result) {
  *out_result = (ten_aot_result){0};
  pjrt_options named;
  TEN_TRY(pjrt_options_parse(topology_options, &named));
  PJRT_TopologyDescription_Create_Args create =
      PJRT_ARGS(PJRT_TopologyDescription_Create, .topology_name = topology, .topology_name_size = strlen(topology),
                .create_options = named.values, .num_options = named.count);
  ten_status *status = PJRT_TRY_CALL(plugin, PJRT_TopologyDescription_Create, &create);
  if (!status && !create.topology)
    status = ten_error(TEN_INVALID, "%s: TopologyDescription_Create returned no topology", plugin->name);
  if (!status) {
    status = compile(plugin, create.topology, program, options, out_result);
    PJRT_TopologyDescription_Destroy_Args destroy =
        PJRT_ARGS(PJRT_TopologyDescription_Destroy, .topology = create.topology);
    status = ten_first_error(status, PJRT_TRY_CALL(plugin, PJRT_TopologyDescription_Destroy, &destroy));
  }
  pjrt_options_free(&named);
  if (status) ten_aot_result_free(out_result);
  return status;
}
