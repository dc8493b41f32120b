/* parse.c: a whole text: aliases, ops, resources; files of several modules. */
#include <stdlib.h>

#include "ir/text/parser.h"

static int by_key(const void *a, const void *b) {
  return ten_str_compare((*(ten_attr *const *)a)->dense.resource, (*(ten_attr *const *)b)->dense.resource);
}

/* Of the resources, sorted by name. */
static size_t first_resource(const ten_parser *p, ten_str key) {
  size_t low = 0, high = p->resources.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (ten_str_compare(p->resources.data[middle]->dense.resource, key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* "0x", four bytes of alignment, the data. */
static bool resource_blob(ten_parser *p, ten_str key) {
  const ten_token token = p->token;
  if (!ten_accept(p, TOK_STRING)) return ten_expected(p, "the blob: \"0x…\"");
  ten_attr *attr = NULL;
  unsigned char *data = NULL;
  size_t size = 0;
  for (size_t i = first_resource(p, key); i < p->resources.count; i++) {
    attr = p->resources.data[i];
    if (!ten_str_eq(attr->dense.resource, key)) break;
    if (!data) {
      const char *digits = token.text.data + 11;
      if (token.text.size < 12 || token.text.size % 2 || memcmp(token.text.data, "\"0x", 3))
        return ten_fail(p, &token, "expected a blob: \"0x\", eight digits of alignment, the bytes");
      size = (token.text.size - 12) / 2;
      data = ten_arena_try(&p->module->arena, size);
      if (!data) return ten_fail_code(p, TEN_LIMIT, &token, "out of memory: a resource takes %zu bytes", size);
      for (size_t at = 0; at < size; at++) {
        const unsigned high = ten_hex_values[(unsigned char)digits[2 * at]],
                       low = ten_hex_values[(unsigned char)digits[2 * at + 1]];
        if (high > 15 || low > 15) return ten_fail(p, &token, "expected hex digits only");
        data[at] = (unsigned char)(high << 4 | low);
      }
    }
    if (size != ten_type_bytes(attr->dense.type))
      return ten_fail(p, &token, "resource '%.*s' has %zu bytes, its type takes %zu", TEN_FMT(key), size,
                      ten_type_bytes(attr->dense.type));
    attr->dense.data = data;
    attr->dense.size = size;
  }
  return true;
}

static bool resource_key(ten_parser *p, ten_str *out) {
  if (ten_at(p, TOK_STRING)) return ten_parse_string(p, out);
  *out = p->token.text;
  return ten_accept(p, TOK_BARE) || ten_expected(p, "a name");
}

/* { key: value, … }, each value passed to `item`. */
static bool meta_dict(ten_parser *p, int level, bool used) {
  if (!ten_expect(p, '{', "'{'")) return false;
  while (!ten_at(p, '}')) {
    ten_str key = {0};
    if (!resource_key(p, &key) || !ten_expect(p, ':', "':'")) return false;
    if (level == 1 && used) {
      if (!resource_blob(p, key)) return false;
    } else if (level == 0 && ten_at(p, '{')) {
      if (!meta_dict(p, 1, used && ten_str_is(key, "builtin"))) return false;
    } else if (!ten_accept(p, TOK_STRING) && !ten_accept(p, TOK_INT) && !ten_accept_word(p, "true") &&
               !ten_accept_word(p, "false")) {
      return ten_expected(p, "a value");
    }
    if (!ten_accept(p, ',')) break;
  }
  return ten_expect(p, '}', "',' or '}'");
}

/* {-# dialect_resources: {builtin: {key: "0x…"}} #-} */
static bool file_metadata(ten_parser *p) {
  ten_advance(p);
  if (p->resources.count) qsort(p->resources.data, p->resources.count, sizeof *p->resources.data, by_key);
  while (!ten_at(p, TOK_META_END)) {
    ten_str key = {0};
    if (!resource_key(p, &key) || !ten_expect(p, ':', "':'")) return false;
    if (!meta_dict(p, 0, ten_str_is(key, "dialect_resources"))) return false;
    if (!ten_accept(p, ',')) break;
  }
  return ten_expect(p, TOK_META_END, "',' or '#-}'");
}

static void top_level(ten_parser *p) {
  ten_block *body = ten_module_body(p->module);
  while (!p->stop && !ten_at(p, TOK_EOF)) {
    const size_t errors = p->diagnostics->items.count;
    if (ten_at(p, TOK_HASH) || ten_at(p, TOK_BANG)) {
      if (ten_parse_alias_definition(p)) continue;
      const uint32_t line = p->token.line; /* an alias is one line: go on behind it */
      while (!ten_at(p, TOK_EOF) && p->token.line == line) ten_advance(p);
    } else if (ten_at(p, TOK_META_BEGIN)) {
      if (!file_metadata(p)) return;
    } else if (ten_at(p, '}') || ten_at(p, TOK_CARET)) {
      if (!errors) ten_fail(p, &p->token, "expected an op, not '%.*s'", TEN_FMT(p->token.text));
      ten_advance(p); /* after an error, most likely the rest of the failed op */
    } else {
      const ten_lexer start = p->lexer;
      ten_parse_block_ops(p, body, TOK_EOF);
      if (p->lexer.at == start.at) ten_advance(p);
    }
  }
}

/* If the only op of the text is a module, it becomes the module. */
static void promote(ten_module *module) {
  ten_op *only = ten_module_body(module)->first;
  if (!only || only->next || only->code != TEN_OP_MODULE) return;
  ten_op_unlink(only);
  module->op = only;
}

static ten_status *parse_text(void *parser) {
  ten_parser *p = parser;
  const size_t errors = p->diagnostics->items.count;
  p->module = ten_module_create();
  p->kept_path = (ten_str){ten_arena_strdup(&p->module->arena, p->path, strlen(p->path)), strlen(p->path)};
  p->stop = errors >= TEN_TEXT_MAX_ERRORS;
  ten_advance(p);
  top_level(p);
  if (p->diagnostics->items.count == errors) (void)ten_aliases_check(p);
  if (p->diagnostics->items.count == errors) promote(p->module);
  return NULL;
}

/* Appends errors to `diagnostics`; returns a module in any case. */
static ten_status *parse_one(const char *text, size_t size, uint32_t line, const char *path,
                             ten_diagnostics *diagnostics, ten_module **out_module) {
  if (!text) text = ""; /* nothing at all */
  ten_parser p = {
      .text = text, .text_end = text + size, .path = path, .diagnostics = diagnostics, .dialect = TEN_STR("builtin")};
  ten_lexer_init(&p.lexer, text, size, line);
  ten_status *status = ten_recover("parsing the program", parse_text, &p);
  ten_names_free(&p.names);
  ten_vec_free(&p.aliases);
  free(p.alias_slots);
  ten_vec_free(&p.resources);
  ten_buf_free(&p.scratch);
  for (ten_op_state *state = p.spare, *next; state; state = next) {
    next = state->next_spare;
    ten_vec_free(&state->operands);
    ten_vec_free(&state->operand_types);
    ten_vec_free(&state->result_types);
    ten_vec_free(&state->attrs);
    ten_vec_free(&state->regions);
    ten_vec_free(&state->values);
    free(state);
  }
  if (status) ten_module_destroy(p.module);
  *out_module = status ? NULL : p.module;
  return status;
}

ten_status *ten_text_parse(const char *text, size_t size, const char *path, ten_module **out_module) {
  *out_module = NULL;
  ten_diagnostics diagnostics = {.path = path};
  ten_module *module = NULL;
  ten_status *status = parse_one(text, size, 1, path, &diagnostics, &module);
  status = ten_first_error(status, ten_diagnostics_take(&diagnostics));
  if (status)
    ten_module_destroy(module);
  else
    *out_module = module;
  return status;
}

void ten_module_list_free(ten_module_list *list) {
  for (size_t i = 0; i < list->count; i++) ten_module_destroy(list->items[i]);
  free(list->items);
  *list = (ten_module_list){0};
}

/* The next line that says `// -----`, or `end`. */
static const char *find_split(const char *at, const char *end) {
  for (; at < end; at++) {
    if (end - at >= 8 && !memcmp(at, "// -----", 8)) return at;
    at = memchr(at, '\n', (size_t)(end - at));
    if (!at) break;
  }
  return end;
}

ten_status *ten_text_parse_all(const char *text, size_t size, const char *path, ten_module_list *out_list) {
  *out_list = (ten_module_list){0};
  TEN_RECOVER("parsing the program");
  ten_diagnostics diagnostics = {.path = path};
  TEN_VEC(ten_module *) modules = {0};
  const char *at = text, *end = text + size;
  uint32_t line = 1;
  ten_status *status = NULL;
  for (;;) {
    const char *split = find_split(at, end);
    ten_module *module = NULL;
    status = parse_one(at, (size_t)(split - at), line, path, &diagnostics, &module);
    if (status) break;
    const bool empty = !ten_module_body(module)->first && !module->op->attr_count;
    if (empty && (modules.count || split < end))
      ten_module_destroy(module); /* comments only */
    else
      ten_vec_push(&modules, module);
    if (split == end) break;
    for (; at < split; at++) line += *at == '\n';
    at = memchr(split, '\n', (size_t)(end - split));
    if (!at) at = end;
  }
  *out_list = (ten_module_list){modules.data, modules.count};
  status = ten_first_error(status, ten_diagnostics_take(&diagnostics));
  if (status) ten_module_list_free(out_list);
  return status;
}
