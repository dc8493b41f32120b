/* pt2.c: opens an archive of torch.export.save: finds the program and its payload, checks versions.
 * Afterwards only the module and the archive's bytes are needed, not the JSON. */
#include "front/import/pt2_reader.h"

#include <stdio.h>

enum { SCHEMA_MAJOR = 8, NAME_MAX_SIZE = 512 };

const ten_zip_entry *pt2_find(const pt2_reader *r, const char *path) {
  char name[NAME_MAX_SIZE];
  const int size = snprintf(name, sizeof name, "%.*s%s", TEN_FMT(r->prefix), path);
  return size < 0 || (size_t)size >= sizeof name ? NULL : ten_zip_find(&r->zip, (ten_str){name, (size_t)size});
}

int64_t pt2_int(const json_t *object, const char *key, int64_t otherwise) {
  const json_t *value = json_object_get(object, key);
  return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static ten_status *json_read(const ten_zip_entry *entry, json_t **out) {
  *out = NULL;
  if (entry->compressed)
    return ten_error(TEN_UNSUPPORTED, "entry '%.*s' is compressed; torch.export.save stores its entries",
                     TEN_FMT(entry->name));
  json_error_t error;
  *out = json_loadb(entry->data.data, entry->data.size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (*out && json_is_object(*out)) return NULL;
  if (*out)
    json_decref(*out), *out = NULL;
  else
    return ten_error_at(ten_error(TEN_INVALID, "%s", error.text), "model.json", (unsigned)error.line,
                        (unsigned)error.column);
  return ten_error(TEN_INVALID, "'%.*s' does not hold an object", TEN_FMT(entry->name));
}

/* <prefix>/models/<name>.json; of several models, the one called "model". */
static ten_status *program_find(pt2_reader *r, const ten_zip_entry **out, ten_str *out_name) {
  *out = NULL;
  for (size_t i = 0; i < r->zip.count; i++) {
    const ten_str name = r->zip.entries[i].name;
    const char *slash = memchr(name.data, '/', name.size);
    if (!slash) continue;
    const ten_str rest = {slash + 1, name.size - (size_t)(slash + 1 - name.data)};
    if (!ten_str_starts(rest, "models/") || !ten_str_ends(rest, ".json")) continue;
    const ten_str model = {rest.data + 7, rest.size - 12};
    if (rest.size < 13 || memchr(model.data, '/', model.size)) continue;
    if (*out && !ten_str_is(model, "model")) continue;
    *out = &r->zip.entries[i];
    *out_name = model;
    r->prefix = (ten_str){name.data, (size_t)(slash + 1 - name.data)};
  }
  if (*out) return NULL;
  for (size_t i = 0; i < r->zip.count; i++) {
    const ten_str name = r->zip.entries[i].name;
    if (ten_str_ends(name, "serialized_exported_program.json"))
      return ten_error(TEN_UNSUPPORTED, "the archive was written before torch 2.7; export it again with a newer one");
    if (ten_str_ends(name, "data.pkl"))
      return ten_error(TEN_UNSUPPORTED, "this is a torch.save or TorchScript archive, not one of torch.export.save");
  }
  return ten_error(TEN_INVALID, "no models/*.json in the archive: not written by torch.export.save");
}

static ten_status *config_read(pt2_reader *r, const char *folder, ten_str model, json_t **out) {
  char path[NAME_MAX_SIZE];
  snprintf(path, sizeof path, "data/%s/%.*s_%s_config.json", folder, TEN_FMT(model), folder);
  const ten_zip_entry *entry = pt2_find(r, path);
  *out = NULL;
  if (!entry) return NULL;
  TEN_TRY(json_read(entry, out));
  if (!json_is_object(json_object_get(*out, "config"))) return ten_error(TEN_INVALID, "'%s' has no \"config\"", path);
  return NULL;
}

static ten_status *versions_check(const pt2_reader *r) {
  const ten_zip_entry *order = pt2_find(r, "byteorder");
  if (order && !ten_str_starts(order->data, "little"))
    return ten_error(TEN_UNSUPPORTED, "the weights are not little-endian");
  const json_t *version = json_object_get(r->program, "schema_version");
  const int64_t major = pt2_int(version, "major", -1);
  if (major == SCHEMA_MAJOR) return NULL;
  if (major < 0) return ten_error(TEN_INVALID, "the program does not say its schema version");
  return ten_error(TEN_UNSUPPORTED, "schema version %lld; this Tenfold reads version %d", (long long)major,
                   SCHEMA_MAJOR);
}

static ten_status *archive_read(pt2_reader *r) {
  const ten_zip_entry *entry;
  ten_str model = {0};
  TEN_TRY(program_find(r, &entry, &model));
  TEN_TRY(json_read(entry, &r->program));
  TEN_TRY(versions_check(r));
  TEN_TRY(config_read(r, "weights", model, &r->weights));
  TEN_TRY(config_read(r, "constants", model, &r->constants));
  return pt2_program(r);
}

static ten_status *read_all(void *reader) { return archive_read(reader); }

ten_status *ten_pt2_import(ten_str bytes, ten_source *source, ten_module **out_module) {
  *out_module = NULL;
  pt2_reader r = {.source = source};
  TEN_TRY(ten_zip_open(bytes, &r.zip));
  r.module = ten_module_create();
  ten_status *status = ten_recover("reading the archive", read_all, &r);
  json_decref(r.program);
  json_decref(r.weights);
  json_decref(r.constants);
  ten_zip_close(&r.zip);
  if (status) {
    ten_module_destroy(r.module);
    return status;
  }
  *out_module = r.module;
  return NULL;
}
