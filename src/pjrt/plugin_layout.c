/* plugin_layout.c: PJRT's extension about layouts. All our buffers are row-major; a caller that can ask for that need
 * not read the whole program back to find it out. */
#include <stdlib.h>

#include "pjrt/plugin.h"

static PJRT_Error *layout_destroy(PJRT_Layouts_MemoryLayout_Destroy_Args *args) { return free(args->layout), NULL; }

static void text_free(PJRT_Layouts_SerializedLayout *text) { free(text); }

/* The text of a layout: dimensions from the innermost out, "{1,0}". */
static PJRT_Error *layout_serialize(PJRT_Layouts_MemoryLayout_Serialize_Args *args) {
  ten_buf text = {0};
  ten_buf_adds(&text, "{");
  for (size_t i = args->layout->rank; i-- > 0;) ten_buf_printf(&text, i ? "%zu," : "%zu", i);
  ten_buf_adds(&text, "}");
  args->serialized_bytes_size = text.size;
  args->serialized_bytes = ten_buf_take(&text);
  args->serialized_layout = (PJRT_Layouts_SerializedLayout *)(void *)(uintptr_t)args->serialized_bytes;
  args->serialized_layout_deleter = text_free;
  return NULL;
}

static PJRT_Layouts_MemoryLayout *layout_new(size_t rank) {
  PJRT_Layouts_MemoryLayout *layout = ten_alloc(sizeof *layout);
  layout->rank = rank;
  return layout;
}

static PJRT_Error *client_layout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args) {
  return args->layout = layout_new(args->num_dims), NULL;
}
static PJRT_Error *buffer_layout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args) {
  return args->layout = layout_new(args->buffer->rank), NULL;
}
static PJRT_Error *topology_layout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args) {
  return args->layout = layout_new(args->num_dims), NULL;
}
static PJRT_Error *output_layouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *args) {
  const plugin_program *p = args->executable->program;
  return args->num_outputs = p->output_count, args->layouts = p->layouts + p->input_count, NULL;
}
static PJRT_Error *parameter_layouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args *args) {
  const plugin_program *p = args->executable->program;
  return args->num_parameters = p->input_count, args->layouts = p->layouts, NULL;
}

PJRT_Layouts_Extension plugin_layouts = {
    .base = {.struct_size = sizeof(PJRT_Layouts_Extension), .type = PJRT_Extension_Type_Layouts},
    .destroy = layout_destroy,
    .serialize = layout_serialize,
    .client_default = client_layout,
    .buffer = buffer_layout,
    .topology_default = topology_layout,
    .outputs = output_layouts,
    .parameters = parameter_layouts};

void plugin_layouts_make(plugin_program *p, const ten_type *type) {
  const size_t count = p->input_count + p->output_count;
  p->layouts = ten_alloc((count + 1) * sizeof(PJRT_Layouts_MemoryLayout *));
  p->layout_data = ten_alloc((count + 1) * sizeof *p->layout_data);
  for (size_t i = 0; i < count; i++) {
    const ten_type *value = i < p->input_count ? type->inputs[i] : type->results[i - p->input_count];
    p->layout_data[i].rank = ten_type_is_tensor(value) ? value->rank : 0;
    p->layouts[i] = &p->layout_data[i];
  }
}
