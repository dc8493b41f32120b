/* names.c: SSA names in scope. A region pops the names it defined; an isolated op starts with none. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/text/parser.h"

static uint64_t name_hash(ten_str text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < text.size; i++) hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

void ten_names_free(ten_names *names) {
  ten_vec_free(&names->log);
  free(names->slots);
  names->slots = NULL;
  names->capacity = 0;
}

static size_t slot_of(const ten_names *names, ten_str text, uint64_t hash) {
  size_t at = hash & (names->capacity - 1);
  for (; names->slots[at]; at = (at + 1) & (names->capacity - 1)) {
    const ten_name *name = &names->log.data[names->slots[at] - 1];
    if (name->hash == hash && ten_str_eq(name->text, text)) break;
  }
  return at;
}

const ten_name *ten_names_find(const ten_names *names, ten_str text) {
  if (!names->capacity) return NULL;
  const uint32_t index = names->slots[slot_of(names, text, name_hash(text))];
  return index ? &names->log.data[index - 1] : NULL;
}

static void names_grow(ten_names *names) {
  const size_t capacity = names->capacity ? names->capacity * 2 : 64;
  names->slots = ten_renew(names->slots, capacity * sizeof *names->slots);
  names->capacity = capacity;
  for (size_t i = 0; i < names->log.count; i++) {
    size_t at = names->log.data[i].hash & (names->capacity - 1);
    while (names->slots[at]) at = (at + 1) & (names->capacity - 1);
    names->slots[at] = (uint32_t)i + 1;
  }
}

bool ten_names_define(ten_parser *p, const ten_token *token, ten_value *values, uint32_t count) {
  ten_names *names = &p->names;
  if (names->log.count * 2 >= names->capacity) names_grow(names);
  const uint64_t hash = name_hash(token->text);
  const size_t at = slot_of(names, token->text, hash);
  if (names->slots[at]) {
    const ten_name *before = &names->log.data[names->slots[at] - 1];
    return ten_fail(p, token, "redefinition of '%.*s', first defined in line %u", TEN_FMT(token->text), before->line);
  }
  const ten_name name = {token->text, hash, values, count, token->line_start, token->line};
  ten_vec_push(&names->log, name);
  names->slots[at] = (uint32_t)names->log.count;
  return true;
}

void ten_names_pop(ten_names *names, size_t count) {
  while (names->log.count > count) {
    const ten_name *name = &names->log.data[names->log.count - 1];
    names->slots[slot_of(names, name->text, name->hash)] = 0;
    names->log.count--;
  }
}

ten_value *ten_names_resolve(ten_parser *p, const ten_operand_ref *ref, const ten_type *type, bool *ok) {
  const ten_name *name = ten_names_find(&p->names, ref->token.text);
  if (!name) {
    *ok = ten_fail(p, &ref->token, "use of undeclared value '%.*s'", TEN_FMT(ref->token.text));
    return NULL;
  }
  if (!name->values) {
    *ok = false; /* reported where it was defined */
    return NULL;
  }
  if (ref->number >= name->count) {
    *ok = ten_fail(p, &ref->token, "'%.*s' has %u result%s, there is no #%u", TEN_FMT(ref->token.text), name->count,
                   name->count == 1 ? "" : "s", ref->number);
    return NULL;
  }
  ten_value *value = &name->values[ref->number];
  if (type && value->type != type) {
    ten_buf text = {0};
    ten_buf_printf(&text, "'%.*s' is used as '", TEN_FMT(ref->token.text));
    ten_type_print(&text, type);
    ten_buf_adds(&text, "' but its type is '");
    ten_type_print(&text, value->type);
    ten_buf_addc(&text, '\'');
    *ok = ten_fail(p, &ref->token, "%s", text.data);
    ten_buf_free(&text);
    return NULL;
  }
  return value;
}
