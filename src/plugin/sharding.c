/* sharding.c: shardings in XLA's format (OpSharding), and those of a program. */
#include <stdlib.h>

#include "base/proto.h"
#include "plugin/plugin.h"

/* OpSharding: 1 type (0 replicated, 3 other, 6 unreduced), 3 tiles, 4 devices in tile order, 6 whether the last tile
 * dimension is the number of devices that have each tile, 8 the types of tile dimensions beyond the value's rank;
 * instead of 4, the devices may be 9 an iota of that shape, and 10 its transpose. */
enum { SHARDING_REPLICATED = 0, SHARDING_OTHER = 3, SHARDING_UNREDUCED = 6 };

void plugin_put_sharding(ten_buf *out, const ten_tiling *tiling) {
  if (ten_tiling_is_whole(tiling) && (tiling->parts == 1 || tiling->parts == tiling->devices)) {
    ten_proto_put_varint(out, 1, tiling->parts == 1 ? SHARDING_REPLICATED : SHARDING_UNREDUCED);
    return;
  }
  int64_t count = 1;
  for (uint32_t i = 0; i < tiling->rank; i++) count *= tiling->tiles[i];
  const int64_t parts = tiling->parts, copies = tiling->devices / (count * parts);
  ten_proto_put_varint(out, 1, SHARDING_OTHER);
  for (uint32_t i = 0; i < tiling->rank; i++) ten_proto_put_varint(out, 3, (uint64_t)tiling->tiles[i]);
  if (parts > 1) ten_proto_put_varint(out, 3, (uint64_t)parts);
  if (copies > 1) ten_proto_put_varint(out, 3, (uint64_t)copies);
  for (int64_t t = 0; t < count * parts; t++)
    for (uint32_t d = 0; d < tiling->devices; d++) {
      int64_t tile = 0;
      for (uint32_t i = 0; i < tiling->rank; i++) tile = tile * tiling->tiles[i] + tiling->place[d * tiling->rank + i];
      if (parts > 1) tile = tile * parts + tiling->part[d];
      if (tile == t) ten_proto_put_varint(out, 4, d);
    }
  if (parts == 1 && copies > 1) ten_proto_put_varint(out, 6, 1);
  if (parts > 1) ten_proto_put_varint(out, 8, SHARDING_UNREDUCED);
  if (parts > 1 && copies > 1) ten_proto_put_varint(out, 8, SHARDING_REPLICATED);
}

/* The numbers of a repeated field, packed or not, as comma-separated text. */
static void add_numbers(ten_buf *out, ten_str message, uint32_t number) {
  ten_proto_field field;
  bool any = false;
  while (ten_proto_next(&message, &field)) {
    if (field.number != number) continue;
    ten_str packed = field.bytes;
    do {
      uint64_t value = field.value;
      if (field.wire == 2 && !ten_proto_packed(&packed, &value)) break;
      ten_buf_printf(out, any ? ",%llu" : "%llu", (unsigned long long)value);
      any = true;
    } while (field.wire == 2);
  }
}

ten_status *plugin_tiling_of(ten_str sharding, uint32_t rank, uint32_t devices, ten_tiling *out) {
  const uint64_t type = ten_proto_varint(sharding, 1, SHARDING_REPLICATED);
  *out = (ten_tiling){0};
  if (type != SHARDING_REPLICATED && type != SHARDING_OTHER)
    return ten_error(TEN_UNSUPPORTED, "a sharding of XLA's type %llu; 0 (replicated) and 3 (tiled) are read",
                     (unsigned long long)type);
  ten_buf text = {0};
  if (type == SHARDING_REPLICATED) {
    ten_buf_adds(&text, "{replicated}");
  } else {
    ten_buf_adds(&text, "{devices=[");
    add_numbers(&text, sharding, 3);
    ten_buf_adds(&text, "]");
    const size_t before = text.size;
    add_numbers(&text, sharding, 4);
    if (text.size == before) {
      ten_buf_adds(&text, "<=[");
      add_numbers(&text, sharding, 9);
      ten_buf_adds(&text, "]T(");
      add_numbers(&text, sharding, 10);
      ten_buf_adds(&text, ")");
    }
    ten_buf_adds(&text, "}");
  }
  ten_status *status = ten_tiling_of_hlo((ten_str){text.data, text.size}, rank, devices, out);
  ten_buf_free(&text);
  return status;
}

void plugin_shardings(plugin_program *p) {
  const size_t count = p->input_count + p->output_count;
  size_t *ends = ten_alloc((count + 1) * sizeof *ends);
  for (size_t i = 0; i < count; i++) {
    plugin_put_sharding(&p->sharding_bytes, i < p->input_count ? &p->spread.inputs[i].tiling
                                                               : &p->spread.outputs[i - p->input_count].tiling);
    ends[i] = p->sharding_bytes.size;
  }
  p->shardings = ten_alloc((count + 1) * sizeof *p->shardings);
  p->sharding_sizes = ten_alloc((count + 1) * sizeof *p->sharding_sizes);
  for (size_t i = 0; i < count; i++) {
    const size_t start = i ? ends[i - 1] : 0;
    p->shardings[i] = p->sharding_bytes.data + start;
    p->sharding_sizes[i] = ends[i] - start;
  }
  free(ends);
}

PJRT_Error *plugin_parameter_shardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args) {
  const plugin_program *p = args->executable->program;
  args->num_parameters = p->input_count;
  args->shardings = p->shardings; /* NULL for programs of one device */
  args->sharding_sizes = p->sharding_sizes;
  return NULL;
}
PJRT_Error *plugin_output_shardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args) {
  const plugin_program *p = args->executable->program;
  args->num_outputs = p->output_count;
  args->shardings = p->shardings ? p->shardings + p->input_count : NULL;
  args->sharding_sizes = p->sharding_sizes ? p->sharding_sizes + p->input_count : NULL;
  return NULL;
}
