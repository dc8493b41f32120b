/* open_file.c: files of programs with open dimensions (.ten): the program as it came, an archive or StableHLO bytecode,
 * and the machine code that its sizes share. Numbers are eight bytes, little-endian; program and code are 64-aligned.
 *
 * Before it is written the program is compiled for four sets of sizes: the first is that of its example, the next two
 * tell which numbers of the code depend on sizes, and in the last the first open dimension, often the batch, is 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "driver/open_state.h"
#include "ir/bytecode/bytecode.h"
#include "ir/verify/verify.h"
#include "tenfold/version.h"

enum { ALIGN = 64, FORMAT = 1, ROUNDS = 4, MODES = 3, ENTRY_MOST = 1 << 12 };
static const char magic[16] = OPEN_FILE_MAGIC;

_Static_assert(sizeof(open_file_header) == 128, "the header is part of the format");

bool ten_open_program_is(ten_str bytes) {
  return bytes.size >= sizeof magic && !memcmp(bytes.data, magic, sizeof magic);
}

/* ---- sizes to compile for ---- */
/* One size of an open dimension in a round. Its number, which counts open dimensions, keeps different ones apart. */
static int64_t size_of(uint32_t round, uint32_t number, uint32_t first) {
  static const int64_t base[ROUNDS] = {24, 37, 11, 18};
  if (round == ROUNDS - 1 && number == first) return 1;
  return base[round] + (int64_t)number * (round == 1 ? 10 : 3);
}

/* The number of a dimension: equal ones have one size. Those of an archive have symbols. In StableHLO nothing says
 * which are equal: `mode` 0 takes all for different, 1 those at one position of their shape for equal, 2 all. */
static uint32_t number_of(const ten_op *func, uint32_t mode, uint32_t input, uint32_t dim) {
  const ten_type *type = ten_func_type(func);
  const ten_attr *symbols = ten_func_arg_attr(func, input, "aten.symbols");
  if (!symbols || symbols->kind != TEN_ATTR_ARRAY || dim >= symbols->array.count) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < input; i++) number += ten_type_is_tensor(type->inputs[i]) ? type->inputs[i]->rank : 0;
    return mode == 0 ? number + dim : mode == 1 ? dim : 0;
  }
  uint32_t number = 0;
  for (uint32_t i = 0; i <= input; i++) {
    const ten_attr *other = ten_func_arg_attr(func, i, "aten.symbols");
    for (uint32_t d = 0; other && other->kind == TEN_ATTR_ARRAY && d < other->array.count; d++, number++)
      if (ten_str_eq(ten_attr_as_string(other->array.items[d]), ten_attr_as_string(symbols->array.items[dim])))
        return number;
  }
  return number;
}

/* Inside the range of the symbol. */
static int64_t clamp(const ten_op *func, uint32_t input, uint32_t dim, int64_t size) {
  const ten_attr *symbols = ten_func_arg_attr(func, input, "aten.symbols"), *ranges = ten_op_attr(func, "aten.ranges");
  if (!ranges || !symbols || symbols->kind != TEN_ATTR_ARRAY || dim >= symbols->array.count) return size;
  char key[128];
  snprintf(key, sizeof key, "%.*s", TEN_FMT(ten_attr_as_string(symbols->array.items[dim])));
  const ten_ints range = ten_attr_as_ints(ten_dict_get(ranges, key));
  if (range.count != 2) return size;
  const int64_t low = range.data[0] > 2 ? range.data[0] : 0, high = range.data[1];
  if (high < low || (size >= low && size <= high)) return size; /* an empty range: lowering says so */
  return high - low < size ? high - (high - low) / 3 : low + size;
}

/* Compiles for one set of sizes; the first of an archive is its example. Inputs hold zeros and are not read. */
static ten_status *prepare(open_program *p, uint32_t mode, uint32_t round) {
  const ten_op *func = p->base.func;
  const ten_type *type = ten_func_type(func);
  ten_tensor **inputs = ten_alloc((type->input_count + 1) * sizeof *inputs);
  memset(inputs, 0, (type->input_count + 1) * sizeof *inputs);
  ten_status *status = NULL;
  uint32_t first = UINT32_MAX; /* the number of the first open dimension */
  for (uint32_t i = 0; i < type->input_count && !status; i++) {
    const ten_type *input = type->inputs[i];
    if (!ten_type_is_tensor(input) || !input->ranked) {
      inputs[i] = ten_type_is_tensor(input) ? NULL : ten_tensor_token();
      if (!inputs[i]) status = ten_error(TEN_INVALID, "input %u leaves its rank open", i);
      continue;
    }
    const ten_ints example = ten_attr_as_ints(ten_func_arg_attr(func, i, "aten.example"));
    int64_t dims[TEN_RANK_MAX];
    for (uint32_t d = 0; d < input->rank; d++) {
      dims[d] = input->dims[d];
      if (dims[d] != TEN_DYNAMIC) continue;
      const uint32_t number = number_of(func, mode, i, d);
      if (first == UINT32_MAX) first = number;
      dims[d] = clamp(p->declared, i, d, size_of(round, number, first));
      if (!round && d < example.count && example.data[d] >= 0) dims[d] = example.data[d];
    }
    status = ten_tensor_create(input->dtype, input->rank, dims, &inputs[i]);
  }
  if (!status) status = open_prepare(p, inputs);
  ten_tensors_release(inputs, type->input_count);
  free(inputs);
  return status;
}

/* A set of sizes that the program does not take is passed over (TEN_INVALID); of an archive the first set must work.
 * What cannot be compiled for another reason is not a matter of sizes: nothing is written then. */
static ten_status *prepare_all(open_program *p, ten_buf *why_empty) {
  uint32_t mode = 0;
  ten_status *status = prepare(p, mode, 0);
  while (status && !p->program.aten && ten_status_code(status) == TEN_INVALID && ++mode < MODES) {
    ten_status_free(status);
    status = prepare(p, mode, 0);
  }
  for (uint32_t round = 1; !status && round < ROUNDS; round++) ten_status_free(prepare(p, mode, round));
  if (!status || p->program.aten || ten_status_code(status) != TEN_INVALID) return status;
  if (why_empty) ten_buf_adds(why_empty, ten_status_text(status));
  ten_status_free(status); /* its sizes are compiled when they occur */
  return NULL;
}

/* ---- writing ---- */
static void seal(open_file_header *header, const ten_str *parts, size_t count) {
  ten_hasher *hasher = ten_hasher_create();
  ten_hasher_add(hasher, (const char *)header + offsetof(open_file_header, version),
                 sizeof *header - offsetof(open_file_header, version));
  header->size = sizeof *header;
  for (size_t i = 0; i < count; i++) {
    ten_hasher_add(hasher, parts[i].data, parts[i].size);
    header->size += parts[i].size;
  }
  const ten_hash128 sum = ten_hasher_result(hasher);
  header->checksum[0] = sum.low;
  header->checksum[1] = sum.high;
  ten_hasher_destroy(hasher);
}

static ten_str padding(size_t size) {
  static const char zeros[ALIGN];
  return (ten_str){zeros, (ALIGN - size % ALIGN) % ALIGN};
}

static ten_status *write(const open_program *p, const ten_import *program, const ten_buf *code, const char *path) {
  ten_buf bytecode = {0};
  ten_status *written =
      program->aten ? NULL : ten_bytecode_write(program->stablehlo, ten_vhlo_version_current, &bytecode);
  if (written) {
    ten_buf_free(&bytecode);
    return written;
  }
  const ten_str source = program->aten ? program->bytes : (ten_str){bytecode.data, bytecode.size};
  const ten_str entry = program->aten ? (ten_str){0} : ten_func_name(p->declared);
  open_file_header header = {.format = FORMAT,
                             .archive = program->aten != NULL,
                             .precision = p->settings.precision,
                             .exact_conv = p->settings.exact_conv,
                             .level = (uint64_t)p->settings.level,
                             .unchecked = p->unchecked,
                             .entry = entry.size,
                             .program = source.size,
                             .code = code->size};
  memcpy(header.magic, magic, sizeof magic);
  strncpy(header.version, TENFOLD_VERSION, sizeof header.version - 1);
  const ten_str parts[] = {entry, padding(entry.size), source, padding(source.size), {code->data, code->size}};
  enum { PARTS = sizeof parts / sizeof *parts };
  seal(&header, parts, PARTS);
  ten_str all[PARTS + 1] = {{(const char *)&header, sizeof header}};
  memcpy(all + 1, parts, sizeof parts);
  ten_status *status = ten_file_write_parts(path, all, PARTS + 1);
  ten_buf_free(&bytecode);
  return status;
}

static ten_status *save(open_program *p, const ten_import *program, const ten_open_options *options, const char *path) {
  TEN_TRY(open_sign(p, options->entry));
  const size_t name = program->aten ? 0 : ten_func_name(p->declared).size;
  if (name > ENTRY_MOST)
    return ten_error(TEN_LIMIT, "the function has a name of %zu bytes; in a file there are at most %d", name,
                     ENTRY_MOST);
  TEN_TRY(prepare_all(p, options->why_empty));
  ten_buf code = {0};
  ten_status *status = p->device->save_code(p->device, p->settings.shared, &code);
  if (!status) status = write(p, program, &code, path);
  ten_buf_free(&code);
  return status;
}

ten_status *ten_open_program_save(const ten_import *program, const ten_open_options *options, const char *path) {
  TEN_RECOVER("compiling the program");
  if (program->aten && !program->bytes.size)
    return ten_error(TEN_UNSUPPORTED, "%s: a program that was not read from an archive cannot be written", path);
  open_program *p = open_create(options);
  open_view(p, program);
  p->settings.transient = true; /* code from the cache would serve one size */
  p->settings.shared->keep_code = true;
  ten_status *status = save(p, program, options, path);
  open_destroy(&p->base);
  return status;
}

/* ---- reading ---- */
typedef struct file_parts {
  ten_str entry, program, code;
} file_parts;

/* The next part, which begins after `skip` bytes. False: the file ends before it. */
static bool take(ten_str *rest, size_t skip, uint64_t size, ten_str *out) {
  if (rest->size < skip || rest->size - skip < size) return false;
  *out = (ten_str){rest->data + skip, (size_t)size};
  *rest = (ten_str){rest->data + skip + size, rest->size - skip - (size_t)size};
  return true;
}

static ten_status *check(ten_str file, const char *name, open_file_header *out_header, file_parts *out_parts) {
  if (file.size < sizeof *out_header) return ten_error(TEN_INVALID, "%s is truncated", name);
  memcpy(out_header, file.data, sizeof *out_header);
  const open_file_header *h = out_header;
  if (h->format != FORMAT || memcmp(h->version, TENFOLD_VERSION, sizeof TENFOLD_VERSION))
    return ten_error(TEN_UNSUPPORTED, "%s was written by Tenfold %.*s; this is %s: compile it again", name,
                     (int)strnlen(h->version, sizeof h->version), h->version, TENFOLD_VERSION);
  if (h->size != file.size)
    return ten_error(TEN_INVALID, "%s is truncated or has trailing data: it has %zu bytes, %llu were written", name,
                     file.size, (unsigned long long)h->size);
  const size_t from = offsetof(open_file_header, version);
  const ten_hash128 sum = ten_hash128_of(file.data + from, file.size - from, 0);
  ten_str rest = {file.data + sizeof *h, file.size - sizeof *h};
  if (sum.low != h->checksum[0] || sum.high != h->checksum[1] || h->archive > 1 || h->exact_conv > 1 ||
      h->unchecked > 1 || h->precision > TEN_PRECISION_TF32 || h->level > TEN_LEVEL_MOST || h->entry > ENTRY_MOST ||
      !take(&rest, 0, h->entry, &out_parts->entry) ||
      !take(&rest, padding(h->entry).size, h->program, &out_parts->program) ||
      !take(&rest, padding(h->program).size, h->code, &out_parts->code) || rest.size)
    return ten_error(TEN_INVALID, "%s is damaged", name);
  return NULL;
}

static ten_status *read_program(const open_file_header *header, ten_str bytes, const char *name, ten_import *out) {
  if (header->archive) return ten_archive_load(bytes, NULL, &out->aten);
  TEN_TRY(ten_bytecode_read(bytes.data, bytes.size, name, true, &out->stablehlo));
  return ten_verify(out->stablehlo);
}

static ten_status *read_into(open_program *p, const open_file_header *header, const file_parts *parts,
                             const char *name) {
  char entry[ENTRY_MOST + 1];
  if (parts->entry.size) memcpy(entry, parts->entry.data, parts->entry.size);
  entry[parts->entry.size] = 0;
  TEN_TRY(read_program(header, parts->program, name, &p->program));
  TEN_TRY(open_sign(p, header->archive ? NULL : entry));
  return p->device->load_code(p->device, parts->code.data, parts->code.size, p->settings.shared);
}

ten_status *ten_open_program_read(const ten_file *file, const char *name, ten_executable **out_executable) {
  *out_executable = NULL;
  TEN_RECOVER("opening the compiled program");
  open_file_header header;
  file_parts parts;
  TEN_TRY(check(ten_file_bytes(file), name, &header, &parts));
  const ten_open_options options = {.settings = {.precision = (ten_precision)header.precision,
                                                 .exact_conv = header.exact_conv,
                                                 .level = (int)header.level},
                                    .unchecked = header.unchecked};
  open_program *p = open_create(&options);
  ten_status *status = ten_annotate(read_into(p, &header, &parts, name), "%s", name);
  if (status) {
    open_destroy(&p->base);
    return status;
  }
  p->file = *file;
  *out_executable = &p->base;
  return NULL;
}
