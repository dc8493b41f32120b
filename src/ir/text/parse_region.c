/* parse_region.c: regions and blocks, and error recovery: skips to the next line that starts an op of the same
 * block. */
#include <stdlib.h>

#include "ir/text/parser.h"

static bool add_arg(ten_parser *p, ten_block *block, const ten_token *name, const ten_type *type, const ten_loc *loc) {
  ten_value *value = ten_block_add_arg(p->module, block, type, loc);
  const ten_str text = {name->text.data + 1, name->text.size - 1};
  if (text.data[0] > '9') value->name = (ten_str){ten_arena_strdup(&p->module->arena, text.data, text.size), text.size};
  return ten_names_define(p, name, value, 1);
}

/* ^name(%a: type, …): */
static bool block_label(ten_parser *p, ten_region *region, ten_block **out) {
  *out = ten_block_create(p->module, region);
  ten_advance(p);
  if (ten_accept(p, '(')) {
    while (!ten_at(p, ')')) {
      const ten_token name = p->token;
      const ten_type *type = NULL;
      if (!ten_accept(p, TOK_PERCENT)) return ten_expected(p, "a block argument or ')'");
      const ten_loc *loc = ten_implicit_loc(p, &name);
      if (!ten_expect(p, ':', "':'") || !ten_parse_type(p, &type) || !ten_parse_optional_loc(p, &loc) ||
          !add_arg(p, *out, &name, type, loc))
        return false;
      if (!ten_accept(p, ',')) break;
    }
    if (!ten_expect(p, ')', "',' or ')'")) return false;
  }
  return ten_expect(p, ':', "':'");
}

static bool starts_op(const ten_token *token) {
  static const char *const words[] = {"return", "call", "module", "func"};
  if (token->kind == TOK_PERCENT || token->kind == TOK_CARET) return true;
  if (token->kind != TOK_BARE) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ten_str_is(token->text, words[i])) return true;
  return memchr(token->text.data, '.', token->text.size) != NULL;
}

/* Skips from the failed op, whose first token is `first`, to the next op. Unclosed brackets are ignored as long as no
 * brace is open: a line that starts with `%name` is then a new op. */
static void recover(ten_parser *p, const ten_lexer *start, const ten_token *first) {
  int braces = 0, others = 0;
  uint32_t line = first->line;
  p->lexer = *start;
  for (ten_advance(p); !ten_at(p, TOK_EOF); ten_advance(p)) {
    const bool fresh = p->token.line != line;
    line = p->token.line;
    if (ten_at(p, '}') && --braces < 0) return;
    if (ten_at(p, '{')) braces++;
    if (ten_at(p, '(') || ten_at(p, '[')) others++;
    if ((ten_at(p, ')') || ten_at(p, ']')) && others) others--;
    if (!fresh || braces) continue;
    if (others ? ten_at(p, TOK_PERCENT) || ten_at(p, TOK_CARET) : starts_op(&p->token) || ten_at(p, TOK_STRING)) return;
  }
}

static bool at_end(const ten_parser *p, int stop) {
  if (ten_at(p, stop) || ten_at(p, TOK_EOF) || ten_at(p, TOK_CARET)) return true;
  return stop == TOK_EOF && (ten_at(p, TOK_HASH) || ten_at(p, TOK_BANG) || ten_at(p, TOK_META_BEGIN) || ten_at(p, '}'));
}

bool ten_parse_block_ops(ten_parser *p, ten_block *block, int stop) {
  while (!p->stop && !at_end(p, stop)) {
    const ten_lexer start = p->lexer;
    const ten_token first = p->token;
    if (!ten_parse_op(p, block) && !p->stop) recover(p, &start, &first);
  }
  return !p->stop;
}

static bool region_blocks(ten_parser *p, ten_region *region, size_t arg_count, const ten_region_arg *args) {
  ten_block *block = NULL;
  if (arg_count || (!ten_at(p, '}') && !ten_at(p, TOK_CARET))) {
    block = ten_block_create(p->module, region);
    for (size_t i = 0; i < arg_count; i++)
      if (!add_arg(p, block, &args[i].name, args[i].type, args[i].loc)) return false;
    if (arg_count && ten_at(p, TOK_CARET))
      return ten_fail(p, &p->token, "the entry block's arguments are given by the op");
    if (!ten_parse_block_ops(p, block, '}')) return false;
  }
  while (ten_at(p, TOK_CARET))
    if (!block_label(p, region, &block) || !ten_parse_block_ops(p, block, '}')) return false;
  return true;
}

bool ten_parse_region(ten_parser *p, ten_region *region, bool isolated, ten_str dialect, size_t arg_count,
                      const ten_region_arg *args) {
  *region = (ten_region){0};
  bool ok = ten_enter(p) && ten_expect(p, '{', "'{'");
  if (ok) {
    const ten_str outer_dialect = p->dialect;
    ten_names outer = p->names;
    const size_t mark = isolated ? 0 : outer.log.count;
    if (isolated) p->names = (ten_names){0};
    p->dialect = dialect;
    ok = region_blocks(p, region, arg_count, args);
    p->dialect = outer_dialect;
    if (isolated) {
      ten_names_free(&p->names);
      p->names = outer;
    } else {
      ten_names_pop(&p->names, mark);
    }
    ok = ok && ten_expect(p, '}', "'}'");
  }
  ten_leave(p);
  return ok;
}
