/* pool.c: strings, dialects, op names, attributes and types: each unique, numbered by frequency of use. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/bytecode/reader.h"
#include "ir/bytecode/writer.h"

struct bw_memo {
  const void *address;
  unsigned mode;
  uint32_t value;
};

void bw_fail(bw_writer *writer, const char *format, ...) {
  if (writer->error) return;
  ten_buf message = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&message, format, args);
  va_end(args);
  writer->error = writer->op ? ten_op_error(writer->op, TEN_UNSUPPORTED, "%s", message.data)
                             : ten_error(TEN_UNSUPPORTED, "%s", message.data);
  ten_buf_free(&message);
}

static void pool_free(bw_pool *pool) {
  ten_vec_free(&pool->entries);
  free(pool->slots);
}

void bw_free(bw_writer *writer) {
  pool_free(&writer->attrs);
  pool_free(&writer->types);
  pool_free(&writer->properties);
  ten_vec_free(&writer->stack);
  ten_vec_free(&writer->strings);
  ten_vec_free(&writer->dialects);
  ten_vec_free(&writer->names);
  free(writer->memo);
  ten_module_destroy(writer->scratch);
  ten_arena_destroy(&writer->arena);
}

static uint64_t memo_hash(const void *address, unsigned mode) {
  const uint64_t key = (uint64_t)(uintptr_t)address * 4 + mode;
  return ten_hash64(&key, sizeof key, 0);
}

/* Strings are looked up in the memo too, by the hash of their text. */
uint32_t bw_string(bw_writer *writer, ten_str text) {
  enum { STRING_MODE = 3 };
  const void *key = (const void *)(uintptr_t)(ten_hash64(text.data, text.size, 1) >> 3);
  const uint32_t found = bw_memo_get(writer, key, STRING_MODE);
  if (found != BW_NONE && ten_str_eq(writer->strings.data[found], text)) return found;
  ten_vec_push(&writer->strings, text);
  bw_memo_set(writer, key, STRING_MODE, (uint32_t)(writer->strings.count - 1));
  return (uint32_t)(writer->strings.count - 1);
}

uint32_t bw_dialect(bw_writer *writer, ten_str name) {
  for (size_t i = 0; i < writer->dialects.count; i++)
    if (ten_str_eq(writer->dialects.data[i], name)) return (uint32_t)i;
  ten_vec_push(&writer->dialects, (ten_str){ten_arena_strdup(&writer->arena, name.data, name.size), name.size});
  return (uint32_t)(writer->dialects.count - 1);
}

uint32_t bw_op_name(bw_writer *writer, ten_str dialect, ten_str name, bool registered) {
  const uint32_t owner = bw_dialect(writer, dialect);
  for (size_t i = 0; i < writer->names.count; i++) {
    bw_name *known = &writer->names.data[i];
    if (known->dialect != owner || !ten_str_eq(known->name, name)) continue;
    known->uses++;
    return (uint32_t)i;
  }
  ten_vec_push(&writer->names, (bw_name){.name = name, .dialect = owner, .uses = 1, .registered = registered});
  return (uint32_t)(writer->names.count - 1);
}

void bw_put(bw_writer *writer, bw_kind kind, uint64_t value) {
  ten_vec_push(&writer->stack, (bw_token){kind, value, NULL});
}

void bw_put_signed(bw_writer *writer, int64_t value) {
  bw_put(writer, BW_VARINT, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

void bw_put_blob(bw_writer *writer, const void *data, size_t size) {
  ten_vec_push(&writer->stack, (bw_token){BW_BLOB, size, data});
}

void bw_put_string(bw_writer *writer, ten_str text) { bw_put(writer, BW_STRING, bw_string(writer, text)); }

void bw_put_bits(bw_writer *writer, unsigned bits, uint64_t value) {
  if (bits < 64) value &= (UINT64_C(1) << bits) - 1;
  if (bits <= 8)
    bw_put(writer, BW_BYTE, value);
  else
    bw_put_signed(writer, (int64_t)value);
}

void bw_put_dims(bw_writer *writer, ten_ints values) {
  bw_put(writer, BW_VARINT, values.count);
  for (size_t i = 0; i < values.count; i++) bw_put_signed(writer, values.data[i]);
}

static uint64_t tokens_hash(const bw_token *tokens, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; i++) {
    const uint64_t pair[2] = {tokens[i].kind, tokens[i].value};
    hash = ten_hash64(pair, sizeof pair, hash);
    if (tokens[i].kind == BW_BLOB && tokens[i].value) hash = ten_hash64(tokens[i].data, (size_t)tokens[i].value, hash);
  }
  return hash;
}

static bool tokens_equal(const bw_token *a, const bw_token *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (a[i].kind != b[i].kind || a[i].value != b[i].value) return false;
    if (a[i].kind == BW_BLOB && a[i].value && memcmp(a[i].data, b[i].data, (size_t)a[i].value)) return false;
  }
  return true;
}

static void pool_grow(bw_pool *pool) {
  const size_t count = pool->slot_count ? pool->slot_count * 2 : 64;
  pool->slots = ten_renew(pool->slots, count * sizeof *pool->slots);
  pool->slot_count = count;
  for (size_t i = 0; i < pool->entries.count; i++) {
    size_t at = pool->entries.data[i].hash & (count - 1);
    while (pool->slots[at]) at = (at + 1) & (count - 1);
    pool->slots[at] = (uint32_t)i + 1;
  }
}

static uint32_t intern(bw_writer *writer, bw_pool *pool, bw_entry entry) {
  entry.hash = tokens_hash(entry.tokens, entry.token_count) + entry.dialect;
  if (pool->entries.count * 2 >= pool->slot_count) pool_grow(pool);
  size_t at = entry.hash & (pool->slot_count - 1);
  for (; pool->slots[at]; at = (at + 1) & (pool->slot_count - 1)) {
    const bw_entry *known = &pool->entries.data[pool->slots[at] - 1];
    if (known->hash == entry.hash && known->dialect == entry.dialect && known->custom == entry.custom &&
        known->token_count == entry.token_count && tokens_equal(known->tokens, entry.tokens, entry.token_count))
      return pool->slots[at] - 1;
  }
  entry.tokens = ten_arena_copy(&writer->arena, entry.tokens, entry.token_count * sizeof *entry.tokens);
  ten_vec_push(&pool->entries, entry);
  return (pool->slots[at] = (uint32_t)pool->entries.count) - 1;
}

uint32_t bw_end(bw_writer *writer, bw_pool *pool, const char *dialect, size_t begin) {
  bw_entry entry = {.tokens = writer->stack.data + begin, .token_count = writer->stack.count - begin, .custom = true};
  entry.dialect = dialect ? bw_dialect(writer, ten_str_of(dialect)) : 0;
  const uint32_t index = intern(writer, pool, entry);
  writer->stack.count = begin;
  return index;
}

uint32_t bw_text(bw_writer *writer, bw_pool *pool, ten_str text) {
  ten_str dialect = TEN_STR("builtin");
  if (text.size && memchr(text.data, 0, text.size))
    bw_fail(writer, "the text of an attribute or type has a NUL inside");
  if (text.size > 1 && (text.data[0] == '#' || text.data[0] == '!')) {
    size_t end = 1;
    while (end < text.size && text.data[end] != '.' && text.data[end] != '<') end++;
    dialect = (ten_str){text.data + 1, end - 1};
  }
  const bw_token token = {BW_BLOB, text.size + 1, ten_arena_strdup(&writer->arena, text.data, text.size)};
  return intern(writer, pool, (bw_entry){.tokens = &token, .token_count = 1, .dialect = bw_dialect(writer, dialect)});
}

uint32_t bw_memo_get(const bw_writer *writer, const void *address, unsigned mode) {
  if (!writer->memo_capacity) return BW_NONE;
  size_t at = memo_hash(address, mode) & (writer->memo_capacity - 1);
  for (; writer->memo[at].value; at = (at + 1) & (writer->memo_capacity - 1))
    if (writer->memo[at].address == address && writer->memo[at].mode == mode) return writer->memo[at].value - 1;
  return BW_NONE;
}

static void memo_insert(bw_writer *writer, struct bw_memo item) {
  size_t at = memo_hash(item.address, item.mode) & (writer->memo_capacity - 1);
  while (writer->memo[at].value && (writer->memo[at].address != item.address || writer->memo[at].mode != item.mode))
    at = (at + 1) & (writer->memo_capacity - 1);
  writer->memo_count += !writer->memo[at].value;
  writer->memo[at] = item;
}

void bw_memo_set(bw_writer *writer, const void *address, unsigned mode, uint32_t value) {
  if (writer->memo_count * 2 >= writer->memo_capacity) {
    struct bw_memo *old = writer->memo;
    const size_t old_capacity = writer->memo_capacity;
    writer->memo_capacity = old_capacity ? old_capacity * 2 : 256;
    writer->memo = ten_alloc(writer->memo_capacity * sizeof *writer->memo);
    writer->memo_count = 0;
    for (size_t i = 0; i < old_capacity; i++)
      if (old[i].value) memo_insert(writer, old[i]);
    free(old);
  }
  memo_insert(writer, (struct bw_memo){address, mode, value + 1});
}

typedef struct bw_rank {
  uint32_t index, dialect, uses;
} bw_rank;

static int by_dialect_and_uses(const void *a, const void *b) {
  const bw_rank *left = a, *right = b;
  if (left->dialect != right->dialect) return left->dialect < right->dialect ? -1 : 1;
  if (left->uses != right->uses) return left->uses > right->uses ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

/* The indices of `count` ranks in file order. Owned by the writer. */
static uint32_t *sort_ranks(bw_writer *writer, bw_rank *ranks, size_t count) {
  if (count) qsort(ranks, count, sizeof *ranks, by_dialect_and_uses);
  uint32_t *order = ten_arena_new_array(&writer->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++) order[i] = ranks[i].index;
  return order;
}

static uint32_t *entry_order(bw_writer *writer, const bw_pool *pool) {
  const size_t count = pool->entries.count;
  bw_rank *ranks = ten_arena_new_array(&writer->arena, bw_rank, count);
  for (size_t i = 0; i < count; i++)
    ranks[i] = (bw_rank){(uint32_t)i, pool->entries.data[i].dialect, pool->entries.data[i].uses};
  return sort_ranks(writer, ranks, count);
}

static void count_uses(bw_writer *writer, const bw_pool *pool) {
  for (size_t i = 0; i < pool->entries.count; i++)
    for (size_t k = 0; k < pool->entries.data[i].token_count; k++) {
      const bw_token *token = &pool->entries.data[i].tokens[k];
      if (token->kind == BW_ATTR || token->kind == BW_OPTIONAL) writer->attrs.entries.data[token->value].uses++;
      if (token->kind == BW_TYPE) writer->types.entries.data[token->value].uses++;
    }
}

static void number(bw_writer *writer, bw_pool *pool) {
  const uint32_t *order = entry_order(writer, pool);
  for (size_t i = 0; i < pool->entries.count; i++) pool->entries.data[order[i]].number = (uint32_t)i;
}

static uint32_t *name_order(bw_writer *writer) {
  const size_t count = writer->names.count;
  bw_rank *ranks = ten_arena_new_array(&writer->arena, bw_rank, count);
  for (size_t i = 0; i < count; i++)
    ranks[i] = (bw_rank){(uint32_t)i, writer->names.data[i].dialect, writer->names.data[i].uses};
  return sort_ranks(writer, ranks, count);
}

void bw_number(bw_writer *writer) {
  count_uses(writer, &writer->attrs);
  count_uses(writer, &writer->types);
  count_uses(writer, &writer->properties);
  number(writer, &writer->attrs);
  number(writer, &writer->types);
  for (size_t i = 0; i < writer->properties.entries.count; i++) writer->properties.entries.data[i].number = (uint32_t)i;
  const uint32_t *order = name_order(writer);
  for (size_t i = 0; i < writer->names.count; i++) writer->names.data[order[i]].number = (uint32_t)i;
}

/* Encodes `value` in `extra` + 1 bytes, 9 at most: a longer encoding than necessary is allowed. */
static void emit_long_varint(ten_buf *out, uint64_t value, unsigned extra) {
  if (extra == 8)
    ten_buf_addc(out, 0);
  else
    value = (value << 1 | 1) << extra;
  for (unsigned i = 0; i < (extra == 8 ? 8 : extra + 1); i++) ten_buf_addc(out, (char)(value >> (8 * i)));
}

static unsigned extra_bytes(uint64_t value) {
  unsigned extra = 0;
  while (extra < 8 && value >> (7 * (extra + 1))) extra++;
  return extra;
}

void bw_emit_varint(ten_buf *out, uint64_t value) { emit_long_varint(out, value, extra_bytes(value)); }

/* Pads the encoding of a size so that the data behind it is aligned to 8, or at least to 4: readers that map the file
 * can then use large constants in place. */
enum { ALIGNED_FROM = 4096 };
static void emit_aligning(ten_buf *out, uint64_t size) {
  const unsigned least = extra_bytes(size);
  unsigned extra = least;
  for (size_t step = 8; size >= ALIGNED_FROM && step >= 4; step /= 2) {
    for (extra = least; extra <= 8 && (out->size + extra + 1) % step; extra++) continue;
    if (extra <= 8) break;
    extra = least;
  }
  emit_long_varint(out, size, extra);
}

void bw_emit_section(ten_buf *out, unsigned id, const ten_buf *data) {
  ten_buf_addc(out, (char)id);
  if (id == BC_ATTRS_TYPES)
    emit_aligning(out, data->size);
  else
    bw_emit_varint(out, data->size);
  ten_buf_add(out, data->data, data->size);
}

static void emit_tokens(const bw_writer *writer, const bw_entry *entry, ten_buf *out) {
  if (!entry->custom) {
    ten_buf_add(out, entry->tokens[0].data, (size_t)entry->tokens[0].value);
    return;
  }
  for (size_t i = 0; i < entry->token_count; i++) {
    const bw_token *token = &entry->tokens[i];
    switch (token->kind) {
      case BW_BYTE: ten_buf_addc(out, (char)token->value); break;
      case BW_VARINT:
      case BW_STRING: bw_emit_varint(out, token->value); break;
      case BW_ATTR: bw_emit_varint(out, writer->attrs.entries.data[token->value].number); break;
      case BW_OPTIONAL: bw_emit_varint(out, (uint64_t)writer->attrs.entries.data[token->value].number << 1 | 1); break;
      case BW_TYPE: bw_emit_varint(out, writer->types.entries.data[token->value].number); break;
      case BW_BLOB:
        emit_aligning(out, token->value);
        ten_buf_add(out, token->data, (size_t)token->value);
        break;
    }
  }
}

static void emit_entries(bw_writer *writer, const bw_pool *pool, ten_buf *data, ten_buf *offsets) {
  const uint32_t *order = entry_order(writer, pool);
  const size_t count = pool->entries.count;
  for (size_t at = 0; at < count;) {
    const uint32_t dialect = pool->entries.data[order[at]].dialect;
    size_t end = at;
    while (end < count && pool->entries.data[order[end]].dialect == dialect) end++;
    bw_emit_varint(offsets, dialect);
    bw_emit_varint(offsets, end - at);
    for (; at < end; at++) {
      const bw_entry *entry = &pool->entries.data[order[at]];
      const size_t before = data->size;
      emit_tokens(writer, entry, data);
      bw_emit_varint(offsets, (uint64_t)(data->size - before) << 1 | entry->custom);
    }
  }
}

static void emit_attrs_types(bw_writer *writer, ten_buf *out) {
  ten_buf data = {0}, offsets = {0};
  bw_emit_varint(&offsets, writer->attrs.entries.count);
  bw_emit_varint(&offsets, writer->types.entries.count);
  emit_entries(writer, &writer->attrs, &data, &offsets);
  emit_entries(writer, &writer->types, &data, &offsets);
  bw_emit_section(out, BC_ATTRS_TYPES, &data);
  bw_emit_section(out, BC_OFFSETS, &offsets);
  ten_buf_free(&data);
  ten_buf_free(&offsets);
}

static void emit_dialects(bw_writer *writer, ten_buf *out) {
  ten_buf data = {0};
  bw_emit_varint(&data, writer->dialects.count);
  for (size_t i = 0; i < writer->dialects.count; i++)
    bw_emit_varint(&data, (uint64_t)bw_string(writer, writer->dialects.data[i])
                              << (writer->version >= BC_HAS_DIALECT_VERSIONS));
  if (writer->version >= BC_ELIDES_ARG_LOCS) bw_emit_varint(&data, writer->names.count);
  const uint32_t *order = name_order(writer);
  for (size_t at = 0; at < writer->names.count;) {
    const uint32_t dialect = writer->names.data[order[at]].dialect;
    size_t end = at;
    while (end < writer->names.count && writer->names.data[order[end]].dialect == dialect) end++;
    bw_emit_varint(&data, dialect);
    bw_emit_varint(&data, end - at);
    for (; at < end; at++) {
      const bw_name *name = &writer->names.data[order[at]];
      const uint64_t index = bw_string(writer, name->name);
      bw_emit_varint(&data, writer->version >= BC_HAS_PROPERTIES ? index << 1 | name->registered : index);
    }
  }
  bw_emit_section(out, BC_DIALECTS, &data);
  ten_buf_free(&data);
}

static void emit_properties(bw_writer *writer, ten_buf *out) {
  if (writer->version < BC_HAS_PROPERTIES) return;
  ten_buf data = {0}, one = {0};
  bw_emit_varint(&data, writer->properties.entries.count);
  for (size_t i = 0; i < writer->properties.entries.count; i++) {
    one.size = 0;
    emit_tokens(writer, &writer->properties.entries.data[i], &one);
    bw_emit_varint(&data, one.size);
    ten_buf_add(&data, one.data, one.size);
  }
  bw_emit_section(out, BC_PROPERTIES, &data);
  ten_buf_free(&data);
  ten_buf_free(&one);
}

static void emit_strings(bw_writer *writer, ten_buf *out) {
  ten_buf data = {0};
  bw_emit_varint(&data, writer->strings.count);
  for (size_t i = writer->strings.count; i-- > 0;) bw_emit_varint(&data, writer->strings.data[i].size + 1);
  for (size_t i = 0; i < writer->strings.count; i++) {
    ten_buf_addstr(&data, writer->strings.data[i]);
    ten_buf_addc(&data, 0);
  }
  bw_emit_section(out, BC_STRINGS, &data);
  ten_buf_free(&data);
}

void bw_emit_tables(bw_writer *writer, ten_buf *out) {
  emit_dialects(writer, out);
  emit_attrs_types(writer, out);
  emit_properties(writer, out);
  emit_strings(writer, out); /* last: the other sections add to it */
}
