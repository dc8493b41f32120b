/* read.c: entry point of the reader. */
#include <stdlib.h>

#include "ir/bytecode/reader.h"

static const uint8_t magic[4] = {'M', 'L', 0xef, 'R'};
static const char artifact[] = "StableHLO_v";

bool ten_bytecode_is(const void *data, size_t size) {
  return size >= sizeof magic && !memcmp(data, magic, sizeof magic);
}

bool ten_bytecode_producer(const void *data, size_t size, ten_vhlo_version *out) {
  if (!ten_bytecode_is(data, size)) return false;
  const char *at = (const char *)data + sizeof magic;
  if (size == sizeof magic) return false;
  at++; /* the container's version: one byte as long as it is small */
  const char *nul = memchr(at, 0, size - sizeof magic - 1);
  if (!nul) return false;
  const ten_str name = {at, (size_t)(nul - at)};
  if (!ten_str_starts(name, artifact)) return false;
  return ten_vhlo_version_parse((ten_str){name.data + sizeof artifact - 1, name.size - sizeof artifact + 1}, out);
}

/* A value and its cast to the type it already has, which mixed dialects leave behind. */
static ten_status *drop_cast(ten_op *op, void *context) {
  (void)context;
  if (op->code != TEN_OP_CAST || op->operand_count != op->result_count) return NULL;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_op_operand(op, i)->type != op->results[i].type || ten_op_operand(op, i) == &op->results[i]) return NULL;
  for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], ten_op_operand(op, i));
  ten_op_erase(op);
  return NULL;
}

static void drop_casts(bc_reader *reader) {
  bool mixed = false;
  for (size_t i = 0; i < reader->ops.count; i++) mixed |= reader->ops.data[i].code == TEN_OP_CAST;
  if (mixed && !reader->error) reader->error = ten_op_walk(reader->module->op, drop_cast, NULL);
}

static ten_status *read_all(void *argument) {
  bc_reader *reader = argument;
  reader->module = ten_module_create();
  bc_read_sections(reader);
  if (!reader->error) bc_read_ir(reader);
  drop_casts(reader);
  return reader->error;
}

ten_status *ten_bytecode_read(const void *data, size_t size, const char *path, bool borrow_data, ten_module **out) {
  *out = NULL;
  const char *name = path ? path : "bytecode";
  if (!ten_bytecode_is(data, size)) return ten_error(TEN_INVALID, "%s: not MLIR bytecode", name);
  bc_reader reader = {.data = data, .size = size, .borrow = borrow_data};
  ten_arena_init(&reader.scratch);
  ten_status *status = ten_recover("reading bytecode", read_all, &reader);
  ten_arena_destroy(&reader.scratch);
  ten_vec_free(&reader.ops);
  ten_vec_free(&reader.resources);
  if (status) {
    ten_module_destroy(reader.module);
    return ten_annotate(status, "reading %s, bytecode version %u made by \"%.*s\"", name, (unsigned)reader.version,
                        (int)(reader.producer.size < 64 ? reader.producer.size : 64),
                        reader.producer.data ? reader.producer.data : "");
  }
  reader.module->mlir_version = (uint32_t)reader.version;
  *out = reader.module;
  return NULL;
}
