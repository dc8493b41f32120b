/* client_options.c: encodes options for a plugin: of the client as named values, of a compilation as a protocol
 * buffer, element types as numbers. */
#include <errno.h>
#include <stdlib.h>

#include "backend/pjrt/client.h"
#include "base/arena.h"
#include "base/proto.h"

static char *copy(ten_str text) {
  char *out = ten_alloc(text.size + 1);
  memcpy(out, text.data, text.size);
  out[text.size] = 0;
  return out;
}

static bool read_int(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = (int64_t)strtoll(text, &end, 10);
  return end != text && !*end && !errno;
}

static bool read_list(const char *text, PJRT_NamedValue *value) {
  TEN_VEC(int64_t) list = {0};
  for (const char *at = text;; at++) {
    char *end;
    errno = 0;
    const int64_t number = (int64_t)strtoll(at, &end, 10);
    if (end == at || errno || (*end && *end != ':')) break;
    ten_vec_push(&list, number);
    at = end;
    if (*at) continue;
    if (list.count < 2) break;
    value->type = PJRT_NamedValue_kInt64List;
    value->int64_array_value = list.data;
    value->value_size = list.count;
    return true;
  }
  ten_vec_free(&list);
  return false;
}

static void read_value(char *text, PJRT_NamedValue *value) { /* takes ownership of the text */
  char *end;
  const size_t size = strlen(text);
  value->value_size = 1;
  if (!strcmp(text, "true") || !strcmp(text, "false")) {
    value->type = PJRT_NamedValue_kBool;
    value->bool_value = *text == 't';
  } else if (read_int(text, &value->int64_value)) {
    value->type = PJRT_NamedValue_kInt64;
  } else if (size && (value->float_value = strtof(text, &end), !*end)) {
    value->type = PJRT_NamedValue_kFloat;
  } else if (!read_list(text, value)) {
    const bool quoted = size >= 2 && *text == '\'' && text[size - 1] == '\'';
    value->type = PJRT_NamedValue_kString;
    value->string_value = quoted ? copy((ten_str){text + 1, size - 2}) : text;
    value->value_size = strlen(value->string_value);
    if (quoted) free(text);
    return;
  }
  free(text);
}

void pjrt_options_add(pjrt_options *options, ten_str name, ten_str value) {
  options->values = ten_realloc(options->values, (options->count + 1) * sizeof *options->values);
  PJRT_NamedValue *added = &options->values[options->count++];
  *added = (PJRT_NamedValue){.struct_size = sizeof *added, .name = copy(name), .name_size = name.size};
  read_value(copy(value), added);
}

ten_status *pjrt_options_parse(ten_str text, pjrt_options *out_options) {
  *out_options = (pjrt_options){0};
  while (text.size) {
    const char *comma = memchr(text.data, ',', text.size);
    const ten_str part = {text.data, comma ? (size_t)(comma - text.data) : text.size};
    text.data += part.size + (comma != NULL);
    text.size -= part.size + (comma != NULL);
    const char *equals = part.size ? memchr(part.data, '=', part.size) : NULL;
    if (!equals || equals == part.data) {
      pjrt_options_free(out_options);
      return ten_error(TEN_INVALID, "'%.*s' is not an option of a plugin; options are given as NAME=VALUE",
                       TEN_FMT(part));
    }
    const ten_str name = {part.data, (size_t)(equals - part.data)};
    pjrt_options_add(out_options, name, (ten_str){equals + 1, part.size - name.size - 1});
  }
  return NULL;
}

bool pjrt_options_have(const pjrt_options *options, const char *name) {
  for (size_t i = 0; i < options->count; i++)
    if (!strcmp(options->values[i].name, name)) return true;
  return false;
}

void pjrt_options_free(pjrt_options *options) {
  for (size_t i = 0; i < options->count; i++) {
    PJRT_NamedValue *value = &options->values[i];
    free((char *)value->name);
    if (value->type == PJRT_NamedValue_kString) free((char *)value->string_value);
    if (value->type == PJRT_NamedValue_kInt64List) free((int64_t *)value->int64_array_value);
  }
  free(options->values);
  *options = (pjrt_options){0};
}

/* CompileOptionsProto: 3 are the build options: 1 device ordinal, 4 replicas, 5 partitions, 6 SPMD, 9 the assignment
 * (1 replicas, 2 partitions, 3 for each partition: 1 the devices of its replicas), 19 Shardy, 23 processes, 25 the
 * effort to spend on fitting into memory. They are as JAX sends them, so that a plugin treats us like JAX. */
void pjrt_compile_options(ten_buf *out, const pjrt_spread *spread) {
  enum { EFFORT_O2 = 29 };
  const uint32_t replicas = spread->replicas ? spread->replicas : 1,
                 parts = spread->partitions ? spread->partitions : 1;
  ten_buf build = {0};
  ten_proto_put_varint(&build, 1, (uint64_t)-1);
  ten_proto_put_varint(&build, 4, replicas);
  ten_proto_put_varint(&build, 5, parts);
  ten_proto_put_varint(&build, 6, 1); /* use_spmd_partitioning */
  if (spread->devices) {
    ten_buf assignment = {0};
    ten_proto_put_varint(&assignment, 1, replicas);
    ten_proto_put_varint(&assignment, 2, parts);
    for (uint32_t p = 0; p < parts; p++) {
      ten_buf ids = {0};
      for (uint32_t r = 0; r < replicas; r++)
        ten_proto_put_varint(&ids, 1, (uint64_t)(int64_t)spread->devices[r * parts + p]);
      ten_proto_put_bytes(&assignment, 3, (ten_str){ids.data, ids.size});
      ten_buf_free(&ids);
    }
    ten_proto_put_bytes(&build, 9, (ten_str){assignment.data, assignment.size});
    ten_buf_free(&assignment);
  }
  if (spread->shardy || parts == 1) ten_proto_put_varint(&build, 19, 1); /* use_shardy_partitioner */
  ten_proto_put_varint(&build, 23, 1);                                   /* process_count */
  ten_proto_put_varint(&build, 25, EFFORT_O2);                           /* memory_fitting_level */
  ten_proto_put_bytes(out, 3, (ten_str){build.data, build.size});
  ten_buf_free(&build);
}
