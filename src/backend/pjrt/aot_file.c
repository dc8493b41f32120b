/* aot_file.c: the file format OUT.tpu.
 *   16 bytes of magic; 8 bytes: the size of the header; the header, a protocol buffer (FILE_* below); then, 64-aligned,
 *   the executable and the weights.
 * Everything in a file is checked before it is used. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/pjrt/client_device.h"
#include "backend/pjrt/target.h"
#include "base/file.h"
#include "base/proto.h"
#include "base/size.h"
#include "ir/ten.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

static const char magic[16] = "tenfold pjrt 2\n";
enum {
  FILE_KIND = 1,
  FILE_TOPOLOGY,
  FILE_SIGNATURE,
  FILE_DEVICES,
  FILE_EXECUTABLE,
  FILE_WEIGHT,
  FILE_TILING = 9, /* per argument, then per result: 1 the tiles of each dimension, 2 the tile of each device;
                      empty: not split */
  FILE_WHY         /* why there are no tilings, although there are several devices */
};
enum { ALIGNMENT = 64, HEADER_MOST = 1 << 28 };

/* The host's type of a value that is transposed on the device. */
static const ten_type *host_type(ten_module *module, const ten_type *type, const int64_t *order) {
  type = ten_type_import(module, type);
  if (!order) return type;
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t i = 0; i < type->rank; i++) dims[order[i]] = type->dims[i];
  return ten_type_with_shape(module, type, type->rank, dims);
}

static const ten_attr *orders_attr(ten_module *module, const ten_type *const *types, uint32_t count,
                                   const int64_t *const *orders) {
  const ten_attr **attrs = ten_arena_new_array(&module->arena, const ten_attr *, count + 1);
  for (uint32_t i = 0; i < count; i++)
    attrs[i] = ten_attr_list(module, TEN_I64, orders[i] ? types[i]->rank : 0, orders[i]);
  return ten_attr_array(module, count, attrs);
}

/* Two declarations: @entry is what the user calls; @main appends the weights to its arguments, and has for each
 * argument and result the order of its dimensions. */
static void write_signature(const pjrt_program *p, ten_buf *out) {
  ten_module *module = ten_module_create();
  const ten_type *type = ten_func_type(p->func);
  for (int whole = 0; whole < 2; whole++) {
    const uint32_t inputs = whole ? type->input_count : p->input_count,
                   results = whole ? type->result_count : p->output_count;
    const ten_type **in = ten_arena_new_array(&module->arena, const ten_type *, inputs + 1),
                   **give = ten_arena_new_array(&module->arena, const ten_type *, results + 1);
    for (uint32_t i = 0; i < inputs; i++) in[i] = host_type(module, type->inputs[i], whole ? NULL : p->transposed[i]);
    for (uint32_t i = 0; i < results; i++)
      give[i] = host_type(module, type->results[i], whole ? NULL : p->transposed_results[i]);
    ten_op *func = ten_func_create(module, whole ? TEN_STR("main") : TEN_STR("entry"), inputs, in, results, give, NULL);
    ten_op_set_attr(module, func, TEN_STR("sym_visibility"), ten_attr_string(module, TEN_STR("private")));
    func->regions[0].first = func->regions[0].last = NULL; /* a declaration */
    if (!whole) continue;
    const ten_attr **attrs = ten_arena_new_array(&module->arena, const ten_attr *, inputs + 1);
    for (uint32_t i = 0; i < inputs; i++) {
      const ten_attr *alias = ten_func_arg_attr(p->func, i, "tf.aliasing_output");
      const ten_named_attr item = {.name = TEN_STR("tf.aliasing_output"),
                                   .value = ten_attr_i32(module, (int32_t)ten_attr_as_int(alias, 0))};
      attrs[i] = ten_attr_dict(module, alias != NULL, &item);
    }
    ten_op_set_attr(module, func, TEN_STR("arg_attrs"), ten_attr_array(module, inputs, attrs));
    ten_own_attr_set(module, func, TEN_NAME_TRANSPOSED_ARGUMENTS, orders_attr(module, in, inputs, p->transposed));
    ten_own_attr_set(module, func, TEN_NAME_TRANSPOSED_RESULTS,
                     orders_attr(module, give, results, p->transposed_results));
  }
  ten_text_print(out, module, NULL);
  ten_module_destroy(module);
}

static void put_range(ten_buf *out, uint32_t number, uint64_t offset, uint64_t size) {
  ten_buf range = {0};
  ten_proto_put_varint(&range, 1, offset);
  ten_proto_put_varint(&range, 2, size);
  ten_proto_put_bytes(out, number, (ten_str){range.data, range.size});
  ten_buf_free(&range);
}

static void put_tilings(ten_buf *out, uint32_t count, const ten_tiling *tilings) {
  for (uint32_t k = 0; k < count; k++) {
    const ten_tiling *t = &tilings[k];
    ten_buf tiling = {0};
    const bool cut = !ten_tiling_is_whole(t);
    for (uint32_t i = 0; i < t->rank && cut; i++) ten_proto_put_varint(&tiling, 1, (uint64_t)t->tiles[i]);
    for (uint32_t d = 0; d < t->devices && cut; d++) {
      uint64_t tile = 0;
      for (uint32_t i = 0; i < t->rank; i++) tile = tile * (uint64_t)t->tiles[i] + t->place[d * t->rank + i];
      ten_proto_put_varint(&tiling, 2, tile);
    }
    ten_proto_put_bytes(out, FILE_TILING, (ten_str){tiling.data, tiling.size});
    ten_buf_free(&tiling);
  }
}

static uint64_t aligned(uint64_t offset) { return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

ten_status *ten_target_write(const char *path, const ten_target *target, const ten_prepared *prepared,
                             const ten_aot_result *result) {
  if (!result->executable.size)
    return ten_error(TEN_UNSUPPORTED, "the plugin does not serialise its executables, so there is nothing to write");
  const pjrt_program *p = &prepared->program;
  ten_buf header = {0}, signature = {0};
  write_signature(p, &signature);
  ten_proto_put_bytes(&header, FILE_KIND, ten_str_of(target->kind));
  ten_proto_put_bytes(&header, FILE_TOPOLOGY, ten_str_of(target->topology));
  ten_proto_put_bytes(&header, FILE_SIGNATURE, (ten_str){signature.data, signature.size});
  ten_proto_put_varint(&header, FILE_DEVICES, prepared->spread.partitions * prepared->spread.replicas);
  put_tilings(&header, prepared->tilings.input_count, prepared->tilings.inputs);
  put_tilings(&header, prepared->tilings.output_count, prepared->tilings.outputs);
  if (prepared->tilings.why) ten_proto_put_bytes(&header, FILE_WHY, ten_str_of(prepared->tilings.why));
  /* Offsets count from the first 64-aligned byte after the header. */
  uint64_t at = 0;
  put_range(&header, FILE_EXECUTABLE, at, result->executable.size);
  at = aligned(at + result->executable.size);
  for (uint32_t i = 0; i < p->constant_count; i++) {
    put_range(&header, FILE_WEIGHT, at, p->constants[i]->dense.size);
    at = aligned(at + p->constants[i]->dense.size);
  }
  static const char zeros[ALIGNMENT];
  const uint64_t size = header.size;
  const size_t count = 4 + 2 * ((size_t)p->constant_count + 1);
  ten_str *parts = ten_alloc(count * sizeof *parts);
  size_t n = 0;
  parts[n++] = (ten_str){magic, sizeof magic};
  parts[n++] = (ten_str){(const char *)&size, sizeof size};
  parts[n++] = (ten_str){header.data, header.size};
  const uint64_t head = sizeof magic + sizeof size + header.size;
  parts[n++] = (ten_str){zeros, (size_t)(aligned(head) - head)};
  for (uint32_t i = 0; i <= p->constant_count; i++) {
    const ten_str data = i ? (ten_str){p->constants[i - 1]->dense.data, p->constants[i - 1]->dense.size}
                           : (ten_str){result->executable.data, result->executable.size};
    parts[n++] = data;
    parts[n++] = (ten_str){zeros, (size_t)(aligned(data.size) - data.size)};
  }
  ten_status *status = ten_file_write_parts(path, parts, n);
  free(parts);
  ten_buf_free(&header);
  ten_buf_free(&signature);
  return status;
}

bool ten_target_file_at(const char *path) {
  if (ten_str_ends(ten_str_of(path), ".tpu")) return true; /* whatever it contains, no other reader handles it */
  FILE *file = fopen(path, "rb");
  char start[sizeof magic];
  const bool is = file && fread(start, 1, sizeof start, file) == sizeof start && !memcmp(start, magic, sizeof magic);
  if (file) fclose(file);
  return is;
}

static ten_status *broken(const char *path, const char *what) {
  return ten_error(TEN_INVALID, "%s is damaged: %s", path, what);
}

static bool take_range(ten_str range, ten_str data, ten_str *out) {
  const uint64_t offset = ten_proto_varint(range, 1, UINT64_MAX), size = ten_proto_varint(range, 2, UINT64_MAX);
  if (offset > data.size || size > data.size - offset) return false;
  *out = (ten_str){data.data + offset, (size_t)size};
  return true;
}

typedef struct opened {
  ten_file file;
  ten_module *module;
} opened;

static void opened_free(void *data) {
  opened *o = data;
  if (o->module) ten_module_destroy(o->module);
  ten_file_unmap(&o->file);
  free(o);
}

/* The weights, one for each argument of @main after those of @entry. */
static ten_status *read_weights(const char *path, ten_str header, ten_str data, ten_module *module, pjrt_program *p) {
  const ten_type *type = ten_func_type(p->func);
  p->constants = ten_alloc((type->input_count - p->input_count + 1) * sizeof *p->constants);
  ten_proto_field field;
  while (ten_proto_next(&header, &field)) {
    if (field.number != FILE_WEIGHT || field.wire != 2) continue;
    const uint32_t argument = p->input_count + p->constant_count;
    ten_str bytes;
    if (argument >= type->input_count || !take_range(field.bytes, data, &bytes) ||
        bytes.size != ten_type_bytes(type->inputs[argument]))
      return broken(path, "a weight is not where it should be");
    p->constants[p->constant_count++] = ten_attr_dense_view(
        module, host_type(module, type->inputs[argument], p->transposed[argument]), bytes.data, bytes.size, false);
  }
  return p->input_count + p->constant_count == type->input_count ? NULL : broken(path, "weights are missing");
}

/* One dimension order per type; false when one is invalid. Older files have none. */
static bool read_orders(const ten_op *func, ten_name name, uint32_t count, const ten_type *const *types,
                        const int64_t **out) {
  const ten_attr *list = ten_own_attr(func, name);
  if (!list) return true;
  if (list->kind != TEN_ATTR_ARRAY || list->array.count != count) return false;
  for (uint32_t i = 0; i < count; i++) {
    const ten_ints order = ten_attr_as_ints(list->array.items[i]);
    if (!order.count) continue;
    bool seen[TEN_RANK_MAX] = {0};
    if (order.count != types[i]->rank || order.count > TEN_RANK_MAX) return false;
    for (size_t k = 0; k < order.count; k++) {
      if (order.data[k] < 0 || order.data[k] >= (int64_t)order.count || seen[order.data[k]]) return false;
      seen[order.data[k]] = true;
    }
    out[i] = order.data;
  }
  return true;
}

/* Reads one tiling; false unless each dimension is split evenly, each device has a tile, and each tile has a device. */
static bool read_tiling(ten_str text, const ten_type *type, uint32_t devices, ten_tiling *out) {
  ten_tiling_whole(type->rank, devices, out);
  if (!text.size) return true;
  uint32_t dims = 0, places = 0;
  uint64_t count = 1;
  bool *seen = ten_alloc((size_t)devices + 1), good = true;
  memset(seen, 0, (size_t)devices + 1);
  ten_proto_field field;
  while (good && ten_proto_next(&text, &field)) {
    good =
        field.wire == 0 && (field.number == 1 ? dims < type->rank && !places : places < devices && dims == type->rank);
    if (!good) break;
    if (field.number == 1) {
      good = field.value && field.value <= devices && type->dims[dims] % (int64_t)field.value == 0;
      if (good) out->tiles[dims++] = (int64_t)field.value;
      count *= field.value;
      good = good && count <= devices;
    } else {
      uint64_t left = field.value;
      good = left < count;
      if (good) seen[left] = true;
      for (uint32_t i = type->rank; i-- && good; left /= (uint64_t)out->tiles[i])
        out->place[(size_t)places * type->rank + i] = (uint32_t)(left % (uint64_t)out->tiles[i]);
      places++;
    }
  }
  good = good && dims == type->rank && places == devices;
  for (uint64_t i = 0; i < count && good; i++) good = seen[i];
  free(seen);
  return good;
}

/* How arguments and results are distributed over devices. */
static ten_status *read_tilings(const char *path, ten_str header, const ten_type *type, pjrt_tilings *out) {
  const uint64_t devices = ten_proto_varint(header, FILE_DEVICES, 1);
  if (!devices || devices > TEN_SPREAD_MOST) return broken(path, "it is for no number of devices");
  *out = (pjrt_tilings){.devices = (uint32_t)devices};
  if (devices == 1) return NULL;
  const ten_str why = ten_proto_bytes(header, FILE_WHY);
  if (why.size)
    return ten_error(TEN_UNSUPPORTED,
                     "%s is compiled for %llu devices, and how its arguments lie on them is not known: "
                     "%.*s",
                     path, (unsigned long long)devices, TEN_FMT(why));
  out->inputs = ten_alloc((type->input_count + 1) * sizeof *out->inputs);
  out->outputs = ten_alloc((type->result_count + 1) * sizeof *out->outputs);
  ten_proto_field field;
  while (ten_proto_next(&header, &field)) {
    if (field.number != FILE_TILING || field.wire != 2) continue;
    const bool input = out->input_count < type->input_count;
    if (!input && out->output_count == type->result_count) return broken(path, "it has too many tilings");
    const ten_type *each = input ? type->inputs[out->input_count] : type->results[out->output_count];
    ten_tiling *tiling = input ? &out->inputs[out->input_count++] : &out->outputs[out->output_count++];
    if (!read_tiling(field.bytes, each, out->devices, tiling)) return broken(path, "a tiling is none");
  }
  return out->input_count == type->input_count && out->output_count == type->result_count
             ? NULL
             : broken(path, "it does not say how its arguments lie on its devices");
}

static ten_status *read_file(const char *path, opened *o, ten_str *out_kind, ten_str *out_executable,
                             ten_op **out_entry, pjrt_tilings *tilings, pjrt_program *p) {
  TEN_TRY(ten_file_map(path, &o->file));
  const ten_str all = ten_file_bytes(&o->file);
  uint64_t size = 0;
  if (all.size < sizeof magic + sizeof size || memcmp(all.data, magic, sizeof magic))
    return ten_error(TEN_INVALID, "%s is not a program compiled for a plugin", path);
  memcpy(&size, all.data + sizeof magic, sizeof size);
  if (size > HEADER_MOST || size > all.size - sizeof magic - sizeof size) return broken(path, "its header ends early");
  const ten_str header = {all.data + sizeof magic + sizeof size, (size_t)size};
  const uint64_t from = aligned(sizeof magic + sizeof size + size);
  const ten_str data = {all.data + (from < all.size ? from : all.size), from < all.size ? all.size - (size_t)from : 0};
  *out_kind = ten_proto_bytes(header, FILE_KIND);
  const ten_str signature = ten_proto_bytes(header, FILE_SIGNATURE);
  if (!signature.size) return broken(path, "it does not say what it takes");
  TEN_TRY(ten_annotate(ten_text_parse(signature.data, signature.size, path, &o->module), "reading %s", path));
  TEN_TRY(ten_annotate(ten_verify(o->module), "reading %s", path));
  p->func = ten_module_find(o->module, TEN_STR("main"));
  *out_entry = ten_module_find(o->module, TEN_STR("entry"));
  if (!p->func || !*out_entry || !ten_op_is_func(p->func) || !ten_op_is_func(*out_entry))
    return broken(path, "it does not say what it takes");
  const ten_type *whole = ten_func_type(p->func), *type = ten_func_type(*out_entry);
  if (type->input_count > whole->input_count || type->result_count != whole->result_count)
    return broken(path, "its two declarations do not fit");
  for (uint32_t i = 0; i < whole->input_count; i++)
    if (!ten_type_is_tensor(whole->inputs[i]) || !ten_type_is_static(whole->inputs[i]))
      return broken(path, "it takes what is no tensor");
  for (uint32_t i = 0; i < whole->result_count; i++)
    if (!ten_type_is_tensor(whole->results[i]) || !ten_type_is_static(whole->results[i]))
      return broken(path, "it gives what is no tensor");
  p->transposed = ten_alloc((whole->input_count + 1) * sizeof *p->transposed);
  p->transposed_results = ten_alloc((whole->result_count + 1) * sizeof *p->transposed_results);
  if (!read_orders(p->func, TEN_NAME_TRANSPOSED_ARGUMENTS, whole->input_count, whole->inputs, p->transposed) ||
      !read_orders(p->func, TEN_NAME_TRANSPOSED_RESULTS, whole->result_count, whole->results, p->transposed_results))
    return broken(path, "an order of dimensions is none");
  for (uint32_t i = 0; i < type->input_count; i++)
    if (host_type(o->module, whole->inputs[i], p->transposed[i]) != type->inputs[i])
      return broken(path, "its two declarations do not fit");
  TEN_TRY(read_tilings(path, header, whole, tilings));
  p->input_count = type->input_count;
  p->output_count = type->result_count;
  p->donated = ten_alloc(p->input_count + 1);
  for (uint32_t i = 0; i < p->input_count; i++)
    p->donated[i] = ten_func_arg_attr(p->func, i, "tf.aliasing_output") != NULL;
  TEN_TRY(read_weights(path, header, data, o->module, p));
  if (!take_range(ten_proto_bytes(header, FILE_EXECUTABLE), data, out_executable) || !out_executable->size)
    return broken(path, "its code is not where it should be");
  return NULL;
}

ten_status *ten_target_open(const char *path, const ten_backend *device, ten_executable **out_executable) {
  *out_executable = NULL;
  opened *o = ten_alloc(sizeof *o);
  *o = (opened){0};
  pjrt_program program = {0};
  ten_str kind = {0}, code = {0};
  ten_op *entry = NULL;
  pjrt_tilings tilings = {0};
  ten_status *status = read_file(path, o, &kind, &code, &entry, &tilings, &program);
  if (!status && !device && !ten_str_is(kind, "tpu"))
    status =
        ten_error(TEN_INVALID, "%s was compiled by a plugin of its own: say which with --device pjrt:PATH.so", path);
  const ten_backend *backend = device ? device : &ten_tpu_backend;
  if (!status && !ten_pjrt_is(backend))
    status = ten_error(TEN_INVALID, "%s is compiled for a plugin's device; '%s' is none", path, backend->name);
  if (!status) return pjrt_load(backend, &program, code, entry, &tilings, opened_free, o, out_executable);
  pjrt_program_free(&program);
  pjrt_tilings_free(&tilings);
  opened_free(o);
  return status;
}
