/* writer.h: shared by the parts of the bytecode writer.
 *
 * Attributes and types are stored as unique lists of tokens, and get their numbers only when all are known: the most
 * used come first, since small numbers take fewer bytes. The first error stays in the writer; later output is
 * discarded. */
#ifndef TEN_IR_BYTECODE_WRITER_H
#define TEN_IR_BYTECODE_WRITER_H

#include "ir/bytecode/vhlo.h"

enum { BW_NONE = 0xffffffff };

typedef enum bw_kind { BW_BYTE, BW_VARINT, BW_ATTR, BW_TYPE, BW_OPTIONAL, BW_STRING, BW_BLOB } bw_kind;

typedef struct bw_token {
  bw_kind kind;
  uint64_t value;   /* byte, number; index of attribute, type or string; size of a blob */
  const void *data; /* of a blob; lives as long as the writer */
} bw_token;

typedef struct bw_entry {
  const bw_token *tokens;
  size_t token_count;
  uint64_t hash;
  uint32_t dialect;
  bool custom; /* else one blob: text and its NUL */
  uint32_t uses;
  uint32_t number; /* in the file */
} bw_entry;

typedef struct bw_pool {
  TEN_VEC(bw_entry) entries;
  uint32_t *slots; /* open-addressed, index + 1; owned */
  size_t slot_count;
} bw_pool;

typedef struct bw_name {
  ten_str name;
  uint32_t dialect, number, uses;
  bool registered;
} bw_name;

/* Values and their types exist twice when dialects are mixed: in VHLO's form and in the usual one. */
typedef enum bw_space { BW_VHLO, BW_PLAIN } bw_space;

typedef struct bw_writer {
  ten_module *scratch; /* holds attributes and types that exist only in the file; owned */
  uint16_t target;     /* as VHLO_VERSION */
  ten_vhlo_version target_version;
  unsigned version;  /* of the container */
  const ten_op *op;  /* the one being written, for messages */
  ten_status *error; /* owned */
  ten_arena arena;
  TEN_VEC(bw_token) stack; /* entries under construction */
  bw_pool attrs, types, properties;
  TEN_VEC(ten_str) strings;
  TEN_VEC(ten_str) dialects;
  TEN_VEC(bw_name) names;
  struct bw_memo *memo; /* entries already encoded, by address; owned */
  size_t memo_count, memo_capacity;
} bw_writer;

/* pool.c */
void bw_fail(bw_writer *writer, const char *format, ...) TEN_PRINTF(2, 3);
void bw_free(bw_writer *writer);
uint32_t bw_string(bw_writer *writer, ten_str text);
uint32_t bw_dialect(bw_writer *writer, ten_str name);
uint32_t bw_op_name(bw_writer *writer, ten_str dialect, ten_str name, bool registered);
static inline size_t bw_begin(const bw_writer *writer) { return writer->stack.count; }
void bw_put(bw_writer *writer, bw_kind kind, uint64_t value);
void bw_put_signed(bw_writer *writer, int64_t value);
void bw_put_blob(bw_writer *writer, const void *data, size_t size); /* preceded by its size */
void bw_put_string(bw_writer *writer, ten_str text);
void bw_put_bits(bw_writer *writer, unsigned bits, uint64_t value);
void bw_put_dims(bw_writer *writer, ten_ints values);
/* Ends the entry that starts at `begin`: returns its index. */
uint32_t bw_end(bw_writer *writer, bw_pool *pool, const char *dialect, size_t begin);
/* An attribute or type as text; the text names the dialect. */
uint32_t bw_text(bw_writer *writer, bw_pool *pool, ten_str text);
/* The index of what is already encoded, else BW_NONE. */
uint32_t bw_memo_get(const bw_writer *writer, const void *address, unsigned mode);
void bw_memo_set(bw_writer *writer, const void *address, unsigned mode, uint32_t value);
/* Numbers entries and names. */
void bw_number(bw_writer *writer);
/* The sections of tables; appended. */
void bw_emit_varint(ten_buf *out, uint64_t value);
void bw_emit_section(ten_buf *out, unsigned id, const ten_buf *data);
void bw_emit_tables(bw_writer *writer, ten_buf *out);

/* encode_vhlo.c: as VHLO, refusing what the target lacks. */
uint32_t bw_vhlo_type(bw_writer *writer, const ten_type *type);
uint32_t bw_vhlo_attr(bw_writer *writer, const ten_attr *attr);
void bw_put_elements(bw_writer *writer, const ten_attr *dense);
bool bw_check(bw_writer *writer, uint16_t since, const char *what);

/* encode_builtin.c: unchanged. */
uint32_t bw_plain_type(bw_writer *writer, const ten_type *type);
uint32_t bw_plain_attr(bw_writer *writer, const ten_attr *attr);
uint32_t bw_loc(bw_writer *writer, const ten_loc *loc);
/* A builtin dictionary with values encoded one way or the other; items sorted by name. */
uint32_t bw_plain_dict(bw_writer *writer, size_t count, const ten_named_attr *items,
                       uint32_t (*encode)(bw_writer *, const ten_attr *));
static inline uint32_t bw_type(bw_writer *writer, bw_space space, const ten_type *type) {
  return space == BW_VHLO ? bw_vhlo_type(writer, type) : bw_plain_type(writer, type);
}

/* downgrade.c: the form of an op in the target release; NULL after an error. */
const vhlo_op *bw_form(bw_writer *writer, const ten_op *op);
/* Attributes of an op in its form (and the form's order), and the others. */
typedef TEN_VEC(ten_named_attr) bw_attr_list;
void bw_downgrade(bw_writer *writer, const ten_op *op, const vhlo_op *form, bw_attr_list *inherent,
                  bw_attr_list *others);

/* mix.c: true when an op is written unchanged, in no VHLO form. */
bool bw_is_plain(const ten_op *op);
bw_space bw_space_of(const ten_value *value);
/* Inserts casts where a value passes between VHLO and other ops; changes the module. */
void bw_mix(ten_module *module);

#endif
