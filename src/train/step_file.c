/* step_file.c: writes and reads step files. */
#include "train/step_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "tenfold/version.h"
#include "train/transpose.h"

static const char magic[16] = "TENFOLD training";
enum { ALIGN = 64, HEADER_MOST = 64 << 20 };

static size_t aligned(size_t at) { return (at + ALIGN - 1) / ALIGN * ALIGN; }

static bool all_zero(const ten_tensor *tensor) {
  const char *data = tensor->data;
  return !tensor->bytes || (!data[0] && !memcmp(data, data + 1, tensor->bytes - 1));
}

/* Offsets count from the end of the header, so that they do not depend on its size. */
static json_t *describe(const ten_step_slot *slots, size_t slot_count, ten_tensor *const *state, size_t state_count,
                        size_t code_size, size_t *offsets, size_t *out_code) {
  json_t *list = json_array();
  size_t at = 0;
  for (size_t i = 0; i < slot_count; i++) {
    const bool stored = i < state_count && state[i] && !all_zero(state[i]);
    json_t *offset = json_null(), *size = json_null();
    offsets[i] = SIZE_MAX;
    if (stored) {
      offset = json_integer((json_int_t)(offsets[i] = at));
      size = json_integer((json_int_t)state[i]->bytes);
      at = aligned(at + state[i]->bytes);
    }
    json_t *slot = json_pack("[s%, s%, o, o]", slots[i].role.data, slots[i].role.size, slots[i].name.data,
                             slots[i].name.size, offset, size);
    const int64_t *order = slots[i].transpose.order;
    if (slot && slots[i].transpose.rank)
      json_array_append_new(slot, json_pack("[I, I, I, I]", (json_int_t)order[0], (json_int_t)order[1],
                                            (json_int_t)order[2], (json_int_t)order[3]));
    json_array_append_new(list, slot);
  }
  *out_code = at;
  return json_pack("{s:s, s:I, s:o, s:[I, I]}", "version", TENFOLD_VERSION, "state", (json_int_t)state_count, "slots",
                   list, "code", (json_int_t)at, (json_int_t)code_size);
}

ten_status *ten_step_file_write(const char *path, const ten_step_slot *slots, size_t slot_count,
                                ten_tensor *const *state, size_t state_count, ten_str code) {
  static const char zeros[ALIGN];
  size_t *offsets = ten_alloc((slot_count + 1) * sizeof *offsets), code_at;
  json_t *header = describe(slots, slot_count, state, state_count, code.size, offsets, &code_at);
  char *text = header ? json_dumps(header, JSON_COMPACT) : NULL;
  if (header) json_decref(header);
  if (!text) {
    free(offsets);
    return ten_error(TEN_INVALID, "a parameter's name cannot be written: it is not UTF-8");
  }
  ten_buf head = {0};
  ten_buf_adds(&head, text);
  free(text);
  while ((sizeof magic + sizeof(uint64_t) + head.size) % ALIGN) ten_buf_addc(&head, ' ');
  const uint64_t size = head.size;
  TEN_VEC(ten_str) parts = {0};
  ten_vec_push(&parts, ((ten_str){magic, sizeof magic}));
  ten_vec_push(&parts, ((ten_str){(const char *)&size, sizeof size}));
  ten_vec_push(&parts, ((ten_str){head.data, head.size}));
  for (size_t i = 0; i < state_count; i++) {
    if (offsets[i] == SIZE_MAX) continue;
    ten_vec_push(&parts, ((ten_str){state[i]->data, state[i]->bytes}));
    ten_vec_push(&parts, ((ten_str){zeros, aligned(state[i]->bytes) - state[i]->bytes}));
  }
  ten_vec_push(&parts, code);
  ten_status *status = ten_file_write_parts(path, parts.data, parts.count);
  ten_vec_free(&parts);
  ten_buf_free(&head);
  free(offsets);
  return status;
}

bool ten_step_file_is(ten_str bytes) { return bytes.size >= sizeof magic && !memcmp(bytes.data, magic, sizeof magic); }

bool ten_step_file_at(const char *path) {
  char start[sizeof magic];
  struct stat info;
  FILE *file = !stat(path, &info) && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL; /* a pipe can be read once */
  const size_t size = file ? fread(start, 1, sizeof start, file) : 0;
  if (file) fclose(file);
  return ten_step_file_is((ten_str){start, size});
}

/* A range of the data; false if out of bounds. Empty if both are null. */
static bool read_range(ten_str data, const json_t *offset, const json_t *size, ten_str *out) {
  *out = (ten_str){0};
  if (json_is_null(offset) && json_is_null(size)) return true;
  const json_int_t from = json_integer_value(offset), count = json_integer_value(size);
  if (!json_is_integer(offset) || !json_is_integer(size) || from < 0 || count < 0) return false;
  if ((uint64_t)from > data.size || (uint64_t)count > data.size - (uint64_t)from || from % ALIGN) return false;
  *out = (ten_str){data.data + from, (size_t)count};
  return true;
}

static bool read_transpose(const json_t *list, ten_transpose *out) {
  *out = (ten_transpose){.rank = (uint32_t)json_array_size(list)};
  if (!list) return true;
  for (size_t i = 0; i < out->rank && i < TEN_TRANSPOSE_RANK; i++)
    out->order[i] = json_integer_value(json_array_get(list, i));
  return ten_transpose_fits(out, TEN_TRANSPOSE_RANK);
}

static bool read_slots(ten_str data, ten_step_file *f) {
  const json_t *slots = json_object_get(f->header, "slots"), *code = json_object_get(f->header, "code");
  const json_int_t state_count = json_integer_value(json_object_get(f->header, "state"));
  f->slot_count = json_array_size(slots);
  if (!f->slot_count || state_count < 0 || (uint64_t)state_count > f->slot_count) return false;
  f->state_count = (size_t)state_count;
  f->slots = ten_alloc(f->slot_count * sizeof *f->slots);
  f->data = ten_alloc(f->slot_count * sizeof *f->data);
  for (size_t i = 0; i < f->slot_count; i++) {
    const json_t *slot = json_array_get(slots, i), *role = json_array_get(slot, 0), *name = json_array_get(slot, 1);
    if (!json_is_string(role) || !json_is_string(name)) return false;
    f->slots[i].role = (ten_str){json_string_value(role), json_string_length(role)};
    f->slots[i].name = (ten_str){json_string_value(name), json_string_length(name)};
    if (!read_range(data, json_array_get(slot, 2), json_array_get(slot, 3), &f->data[i])) return false;
    if (!read_transpose(json_array_get(slot, 4), &f->slots[i].transpose)) return false;
  }
  return read_range(data, json_array_get(code, 0), json_array_get(code, 1), &f->code) && f->code.data;
}

ten_status *ten_step_file_read(ten_str bytes, const char *name, ten_step_file *out_file) {
  *out_file = (ten_step_file){0};
  uint64_t size = 0;
  const size_t start = sizeof magic + sizeof size;
  if (!ten_step_file_is(bytes)) return ten_error(TEN_INVALID, "%s is not a training step", name);
  if (bytes.size >= start) memcpy(&size, bytes.data + sizeof magic, sizeof size);
  if (bytes.size < start || size > HEADER_MOST || size > bytes.size - start || (start + size) % ALIGN)
    return ten_error(TEN_INVALID, "%s is truncated", name);
  json_error_t error;
  out_file->header = json_loadb(bytes.data + start, (size_t)size, JSON_REJECT_DUPLICATES, &error);
  const char *version = json_string_value(json_object_get(out_file->header, "version"));
  const ten_str data = {bytes.data + start + size, bytes.size - start - (size_t)size};
  ten_status *status = NULL;
  if (version && strcmp(version, TENFOLD_VERSION))
    status = ten_error(TEN_UNSUPPORTED, "%s was compiled by Tenfold %s; this is %s: compile it again", name, version,
                       TENFOLD_VERSION);
  else if (!version || !read_slots(data, out_file))
    status = ten_error(TEN_INVALID, "%s is damaged or truncated", name);
  if (status) {
    ten_step_file_free(out_file);
    if (out_file->header) json_decref(out_file->header);
    *out_file = (ten_step_file){0};
  }
  return status;
}

void ten_step_file_free(ten_step_file *file) {
  free(file->slots);
  free(file->data);
  file->slots = NULL;
  file->data = NULL;
}
