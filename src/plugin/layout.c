/* plugin_layout.c: memory layouts. Programs compute on row-major values; arrays, arguments and results may have another
 * layout (jax.experimental.layout), and are converted on the way in and out. The second half is PJRT's layouts
 * extension. */
#include <stdlib.h>

#include "plugin/plugin.h"

static void layout_rows(PJRT_Layouts_MemoryLayout *out, size_t rank) {
  out->rank = rank;
  for (size_t i = 0; i < rank; i++) out->minor_to_major[i] = (int64_t)(rank - 1 - i);
}

bool plugin_layout_is_rows(const PJRT_Layouts_MemoryLayout *layout) {
  for (size_t i = 0; i < layout->rank; i++)
    if (layout->minor_to_major[i] != (int64_t)(layout->rank - 1 - i)) return false;
  return true;
}

static ten_status *check_order(const PJRT_Layouts_MemoryLayout *layout) {
  bool seen[TEN_RANK_MAX] = {false};
  for (size_t i = 0; i < layout->rank; i++) {
    const int64_t dim = layout->minor_to_major[i];
    if (dim < 0 || dim >= (int64_t)layout->rank || seen[dim])
      return ten_error(TEN_INVALID, "a layout must name each of the %zu dimensions once; it has %lld at place %zu",
                       layout->rank, (long long)dim, i);
    seen[dim] = true;
  }
  return NULL;
}

ten_status *plugin_layout_of(const PJRT_Buffer_MemoryLayout *given, size_t rank, PJRT_Layouts_MemoryLayout *out) {
  if (rank > TEN_RANK_MAX)
    return ten_error(TEN_LIMIT, "a value of %zu dimensions; there may be %d", rank, TEN_RANK_MAX);
  layout_rows(out, rank);
  if (!given) return NULL;
  if (given->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
    return ten_error(TEN_UNSUPPORTED, "a layout by strides; Tenfold takes an order of dimensions");
  if (given->tiled.num_tiles)
    return ten_error(TEN_UNSUPPORTED, "a layout with %zu tiles; Tenfold takes an order of dimensions",
                     given->tiled.num_tiles);
  if (given->tiled.minor_to_major_size != rank)
    return ten_error(TEN_INVALID, "a layout of %zu dimensions for a value of %zu", given->tiled.minor_to_major_size,
                     rank);
  for (size_t i = 0; i < rank; i++) out->minor_to_major[i] = given->tiled.minor_to_major[i];
  return check_order(out);
}

void plugin_layout_dims(const PJRT_Layouts_MemoryLayout *layout, const int64_t *dims, int64_t *out) {
  for (size_t i = 0; i < layout->rank; i++) out[i] = dims[layout->minor_to_major[layout->rank - 1 - i]];
}

/* Byte strides of each dimension of a value with this layout. */
static void strides_of(const PJRT_Layouts_MemoryLayout *layout, const int64_t *dims, size_t element, int64_t *out) {
  int64_t stride = (int64_t)element;
  for (size_t i = 0; i < layout->rank; i++) {
    out[layout->minor_to_major[i]] = stride;
    stride *= dims[layout->minor_to_major[i]];
  }
}

/* Copies a non-empty value from one layout to another. */
static void reorder(const ten_tensor *tensor, const PJRT_Layouts_MemoryLayout *from,
                    const PJRT_Layouts_MemoryLayout *to, const int64_t *dims, char *out) {
  int64_t strides[TEN_RANK_MAX] = {0}, outer[TEN_RANK_MAX], sizes[TEN_RANK_MAX];
  const size_t element = ten_dtype_bytes(tensor->dtype);
  strides_of(from, dims, element, strides);
  plugin_layout_dims(to, strides, outer);
  plugin_layout_dims(to, dims, sizes);
  pjrt_gather_rows(tensor->data, outer, sizes, to->rank, element, &out);
}

ten_status *plugin_rows_of(const PJRT_Buffer *buffer, ten_tensor *tensor, ten_tensor **out) {
  if (plugin_layout_is_rows(&buffer->layout)) return *out = ten_tensor_retain(tensor), NULL;
  PJRT_Layouts_MemoryLayout rows;
  layout_rows(&rows, buffer->layout.rank);
  TEN_TRY(ten_tensor_create(tensor->dtype, (uint32_t)rows.rank, buffer->dims, out));
  if ((*out)->bytes) reorder(tensor, &buffer->layout, &rows, buffer->dims, (*out)->data);
  return NULL;
}

ten_status *plugin_lay_out(ten_tensor *rows, const PJRT_Layouts_MemoryLayout *layout, ten_tensor **out) {
  if (plugin_layout_is_rows(layout)) return *out = ten_tensor_retain(rows), NULL;
  int64_t dims[TEN_RANK_MAX];
  PJRT_Layouts_MemoryLayout from;
  layout_rows(&from, layout->rank);
  plugin_layout_dims(layout, rows->dims, dims);
  TEN_TRY(ten_tensor_create(rows->dtype, rows->rank, dims, out));
  if (rows->bytes) reorder(rows, &from, layout, rows->dims, (*out)->data);
  return NULL;
}

void plugin_copy_out(const PJRT_Buffer *buffer, const ten_tensor *tensor, const PJRT_Layouts_MemoryLayout *layout,
                     char *to) {
  if (!tensor->bytes) return;
  if (!memcmp(buffer->layout.minor_to_major, layout->minor_to_major, layout->rank * sizeof *layout->minor_to_major))
    memcpy(to, tensor->data, tensor->bytes);
  else
    reorder(tensor, &buffer->layout, layout, buffer->dims, to);
}

/* "{0,1}": dimensions from the innermost out. "default" and "auto" let us choose. */
static ten_status *read_mode(const ten_attr *attr, PJRT_Layouts_MemoryLayout *out) {
  const ten_str mode = attr ? ten_attr_as_string(attr) : TEN_STR("default");
  if (ten_str_is(mode, "default") || ten_str_is(mode, "auto")) return NULL;
  size_t count = 0, at = 1;
  bool fits = mode.size > 1 && mode.data[0] == '{' && mode.data[mode.size - 1] == '}';
  for (; fits && at + 1 < mode.size; at++) {
    int64_t dim = 0;
    fits = mode.data[at] >= '0' && mode.data[at] <= '9' && count < out->rank;
    for (; fits && mode.data[at] >= '0' && mode.data[at] <= '9' && dim < TEN_RANK_MAX; at++)
      dim = 10 * dim + (mode.data[at] - '0');
    fits = fits && (mode.data[at] == ',' || mode.data[at] == '}');
    if (fits) out->minor_to_major[count++] = dim;
  }
  if (!fits || count != out->rank)
    return ten_error(TEN_UNSUPPORTED, "layout '%.*s' of a value of %zu dimensions; Tenfold takes their order, '{0,1}'",
                     TEN_FMT(mode), out->rank);
  return check_order(out);
}

ten_status *plugin_layouts_read(plugin_program *p, const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  const size_t count = p->input_count + p->output_count;
  p->layouts = ten_alloc((count + 1) * sizeof(PJRT_Layouts_MemoryLayout *));
  p->layout_data = ten_alloc((count + 1) * sizeof *p->layout_data);
  for (size_t i = 0; i < count; i++) {
    const bool input = i < p->input_count;
    const uint32_t at = (uint32_t)(input ? i : i - p->input_count);
    const ten_type *value = input ? type->inputs[at] : type->results[at];
    layout_rows(&p->layout_data[i], ten_type_is_tensor(value) ? value->rank : 0);
    p->layouts[i] = &p->layout_data[i];
    ten_status *status = read_mode(
        input ? ten_func_arg_attr(func, at, "mhlo.layout_mode") : ten_func_result_attr(func, at, "mhlo.layout_mode"),
        &p->layout_data[i]);
    if (status) return ten_annotate(status, "%s %u", input ? "argument" : "result", at);
  }
  return NULL;
}

static PJRT_Error *layout_destroy(PJRT_Layouts_MemoryLayout_Destroy_Args *args) { return free(args->layout), NULL; }

static void text_free(PJRT_Layouts_SerializedLayout *text) { free(text); }

/* The text of a layout: dimensions from the innermost out, "{1,0}". */
static PJRT_Error *layout_serialize(PJRT_Layouts_MemoryLayout_Serialize_Args *args) {
  TEN_RECOVER_AS("describing a layout", plugin_error(ten_recovery_status(&ten_recovery_)));
  ten_buf text = {0};
  ten_buf_adds(&text, "{");
  for (size_t i = 0; i < args->layout->rank; i++)
    ten_buf_printf(&text, i ? ",%lld" : "%lld", (long long)args->layout->minor_to_major[i]);
  ten_buf_adds(&text, "}");
  args->serialized_bytes_size = text.size;
  args->serialized_bytes = ten_buf_take(&text);
  args->serialized_layout = (PJRT_Layouts_SerializedLayout *)(void *)(uintptr_t)args->serialized_bytes;
  args->serialized_layout_deleter = text_free;
  return NULL;
}

static PJRT_Error *layout_new(const PJRT_Layouts_MemoryLayout *of, size_t rank, PJRT_Layouts_MemoryLayout **out) {
  TEN_RECOVER_AS("describing a layout", plugin_error(ten_recovery_status(&ten_recovery_)));
  if (rank > TEN_RANK_MAX)
    return plugin_error(ten_error(TEN_LIMIT, "a layout of %zu dimensions; there may be %d", rank, TEN_RANK_MAX));
  *out = ten_alloc(sizeof **out);
  if (of)
    **out = *of;
  else
    layout_rows(*out, rank);
  return NULL;
}

static PJRT_Error *client_layout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args) {
  return layout_new(NULL, args->num_dims, &args->layout);
}
static PJRT_Error *buffer_layout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args) {
  return layout_new(&args->buffer->layout, args->buffer->layout.rank, &args->layout);
}
static PJRT_Error *topology_layout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args) {
  return layout_new(NULL, args->num_dims, &args->layout);
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
