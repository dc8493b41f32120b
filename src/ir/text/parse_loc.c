/* parse_loc.c: loc(…) of every kind, and aliases. A location alias may be used before it is defined: its ten_loc is made on first sight
 * and filled when the definition comes. An unknown location is NULL, or, behind an alias, a fused one of no parts. */
#include "ir/text/parser.h"

static ten_loc *loc_new(ten_parser *p, ten_loc_kind kind) {
  ten_loc *loc = ten_arena_new(&p->module->arena, ten_loc);
  loc->kind = kind;
  return loc;
}

const ten_loc *ten_implicit_loc(ten_parser *p, const ten_token *token) {
  ten_loc *loc = loc_new(p, TEN_LOC_FILE);
  loc->name = p->kept_path;
  loc->line = token->line;
  loc->column = ten_token_column(token);
  return loc;
}

static ten_alias *alias_slot(ten_parser *p, ten_str name) {
  for (size_t i = p->aliases.count; i-- > 0;)
    if (ten_str_eq(p->aliases.data[i].name, name)) return &p->aliases.data[i];
  return NULL;
}

const ten_alias *ten_alias_find(ten_parser *p, ten_str name) { return alias_slot(p, name); }

static const ten_loc *loc_alias(ten_parser *p, const ten_token *token) {
  const ten_alias *known = alias_slot(p, token->text);
  if (known && known->kind == ALIAS_LOC) return known->loc;
  const ten_alias alias = {.name = token->text, .kind = ALIAS_LOC, .loc = loc_new(p, TEN_LOC_FUSED), .use = *token};
  ten_vec_push(&p->aliases, alias);
  return alias.loc;
}

static bool loc_uint(ten_parser *p, uint32_t *out) {
  int64_t value;
  const ten_token place = p->token;
  if (!ten_parse_int(p, &value)) return false;
  if (value < 0 || value > UINT32_MAX) return ten_fail(p, &place, "the line or column is out of range");
  *out = (uint32_t)value;
  return true;
}

static bool loc_body(ten_parser *p, const ten_loc **out);

/* "file":line:column [to [line]:column], or "name", or "name"(loc) */
static bool loc_string(ten_parser *p, const ten_loc **out) {
  ten_loc *loc = loc_new(p, TEN_LOC_NAME);
  *out = loc;
  if (!ten_parse_string(p, &loc->name)) return false;
  if (ten_accept(p, '(')) return loc_body(p, &loc->first) && ten_expect(p, ')', "')'");
  if (!ten_accept(p, ':')) return true;
  loc->kind = TEN_LOC_FILE;
  if (!loc_uint(p, &loc->line) || !ten_expect(p, ':', "':'") || !loc_uint(p, &loc->column)) return false;
  if (!ten_accept_word(p, "to")) return true;
  loc->end_line = loc->line;
  if (!ten_at(p, ':') && !loc_uint(p, &loc->end_line)) return false;
  return ten_expect(p, ':', "':'") && loc_uint(p, &loc->end_column);
}

static bool loc_fused(ten_parser *p, const ten_loc **out) {
  ten_loc *loc = loc_new(p, TEN_LOC_FUSED);
  *out = loc;
  if (ten_accept(p, '<') && (!ten_parse_attr(p, &loc->metadata) || !ten_expect(p, '>', "'>'"))) return false;
  TEN_VEC(const ten_loc *) parts = {0};
  bool ok = ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    const ten_loc *part = NULL;
    ok = loc_body(p, &part);
    if (ok) ten_vec_push(&parts, part);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) {
    loc->parts = ten_arena_copy(&p->module->arena, parts.data, parts.count * sizeof *parts.data);
    loc->part_count = parts.count;
  }
  ten_vec_free(&parts);
  return ok;
}

static bool loc_kind(ten_parser *p, const ten_loc **out) {
  if (ten_at(p, TOK_STRING)) return loc_string(p, out);
  if (ten_accept_word(p, "unknown") || ten_accept_word(p, "?")) return *out = NULL, true;
  if (ten_accept_word(p, "fused")) return loc_fused(p, out);
  if (ten_accept_word(p, "callsite")) {
    ten_loc *loc = loc_new(p, TEN_LOC_CALL);
    *out = loc;
    return ten_expect(p, '(', "'('") && loc_body(p, &loc->first) && ten_expect_word(p, "at") && loc_body(p, &loc->second) &&
           ten_expect(p, ')', "')'");
  }
  if (ten_at(p, TOK_HASH)) {
    const ten_token token = p->token;
    ten_advance(p);
    if (memchr(token.text.data, '.', token.text.size)) {
      const ten_attr *attr = NULL;
      if (!ten_parse_dialect_attr(p, token, &attr)) return false;
      ten_loc *loc = loc_new(p, TEN_LOC_OPAQUE);
      loc->name = ten_attr_as_string(attr);
      return *out = loc, true;
    }
    return *out = loc_alias(p, &token), true;
  }
  return ten_expected(p, "a location");
}

static bool loc_body(ten_parser *p, const ten_loc **out) {
  const bool ok = ten_enter(p) && loc_kind(p, out);
  ten_leave(p);
  return ok;
}

bool ten_parse_loc(ten_parser *p, const ten_loc **out) {
  return ten_expect(p, '(', "'('") && loc_body(p, out) && ten_expect(p, ')', "')'");
}

bool ten_parse_optional_loc(ten_parser *p, const ten_loc **out) { return !ten_accept_word(p, "loc") || ten_parse_loc(p, out); }

/* #name = attribute or loc(…); !name = type */
bool ten_parse_alias_definition(ten_parser *p) {
  const ten_token token = p->token;
  if (memchr(token.text.data, '.', token.text.size)) return ten_fail(p, &token, "the name of an alias may not have a '.'");
  ten_advance(p);
  if (!ten_expect(p, '=', "'='")) return false;
  ten_alias *known = alias_slot(p, token.text);
  if (known && known->defined) return ten_fail(p, &token, "redefinition of alias '%.*s'", TEN_FMT(token.text));
  ten_alias alias = {.name = token.text, .defined = true};
  if (token.kind == TOK_BANG) {
    alias.kind = ALIAS_TYPE;
    if (!ten_parse_type(p, &alias.type)) return false;
  } else if (ten_accept_word(p, "loc")) {
    const ten_loc *body = NULL;
    if (!ten_parse_loc(p, &body)) return false;
    known = alias_slot(p, token.text); /* the table may have grown */
    alias.kind = ALIAS_LOC;
    alias.loc = known ? known->loc : loc_new(p, TEN_LOC_FUSED);
    if (body == alias.loc) return ten_fail(p, &token, "location alias '%.*s' stands for itself", TEN_FMT(token.text));
    if (body) *alias.loc = *body;
  } else {
    alias.kind = ALIAS_ATTR;
    if (!ten_parse_attr(p, &alias.attr)) return false;
    known = alias_slot(p, token.text);
    if (known) return ten_fail(p, &token, "alias '%.*s' was used as a location before", TEN_FMT(token.text));
  }
  if (known) known->defined = true;
  else ten_vec_push(&p->aliases, alias);
  return true;
}

bool ten_aliases_check(ten_parser *p) {
  bool ok = true;
  for (size_t i = 0; i < p->aliases.count; i++)
    if (!p->aliases.data[i].defined)
      ok = ten_fail(p, &p->aliases.data[i].use, "location alias '%.*s' is never defined", TEN_FMT(p->aliases.data[i].name));
  return ok;
}
