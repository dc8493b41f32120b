/* parse_loc.c: loc(…) of every kind, and aliases. A location alias may be used before it is defined: its ten_loc is
 * created on first use and filled in by the definition. An unknown location is NULL, or, behind an alias, a fused one
 * of no parts. */
#include "base/hash.h"
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

static uint32_t *alias_place(const ten_parser *p, ten_str name) {
  size_t at = ten_hash64(name.data, name.size, 0) & (p->alias_capacity - 1);
  while (p->alias_slots[at] && !ten_str_eq(p->aliases.data[p->alias_slots[at] - 1].name, name))
    at = (at + 1) & (p->alias_capacity - 1);
  return &p->alias_slots[at];
}

static ten_alias *alias_slot(ten_parser *p, ten_str name) {
  if (!p->alias_capacity) return NULL;
  const uint32_t index = *alias_place(p, name);
  return index ? &p->aliases.data[index - 1] : NULL;
}

static void alias_add(ten_parser *p, const ten_alias *alias) {
  ten_vec_push(&p->aliases, *alias);
  if (p->aliases.count * 2 <= p->alias_capacity) {
    *alias_place(p, alias->name) = (uint32_t)p->aliases.count;
    return;
  }
  const size_t capacity = p->alias_capacity ? p->alias_capacity * 2 : 64;
  p->alias_slots = ten_renew(p->alias_slots, capacity * sizeof *p->alias_slots);
  p->alias_capacity = capacity;
  for (size_t i = 0; i < p->aliases.count; i++) *alias_place(p, p->aliases.data[i].name) = (uint32_t)i + 1;
}

const ten_alias *ten_alias_find(ten_parser *p, ten_str name) { return alias_slot(p, name); }

static const ten_loc *loc_alias(ten_parser *p, const ten_token *token) {
  const ten_alias *known = alias_slot(p, token->text);
  if (known && known->kind == ALIAS_LOC) return known->loc;
  const ten_alias alias = {.name = token->text, .kind = ALIAS_LOC, .loc = loc_new(p, TEN_LOC_FUSED), .use = *token};
  alias_add(p, &alias);
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
    return ten_expect(p, '(', "'('") && loc_body(p, &loc->first) && ten_expect_word(p, "at") &&
           loc_body(p, &loc->second) && ten_expect(p, ')', "')'");
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

bool ten_parse_optional_loc(ten_parser *p, const ten_loc **out) {
  return !ten_accept_word(p, "loc") || ten_parse_loc(p, out);
}

static bool is_blank(const ten_loc *loc) { return loc->kind == TEN_LOC_FUSED && !loc->part_count && !loc->metadata; }

/* Aliases of aliases can grow exponentially, which later stages do not expect. */
enum { ALIAS_MAX = 1 << 16, ALIAS_TOTAL_MAX = 1 << 26 };

bool ten_alias_use(ten_parser *p, const ten_token *token, const ten_alias *alias) {
  p->expanded += alias->expanded;
  if (alias->expanded <= ALIAS_MAX && p->expanded <= ALIAS_TOTAL_MAX) return true;
  return ten_fail_code(p, TEN_LIMIT, token, "alias '%.*s' expands to too much: it is made of aliases of aliases",
                       TEN_FMT(token->text));
}

/* #name = attribute or loc(…); !name = type */
bool ten_parse_alias_definition(ten_parser *p) {
  const ten_token token = p->token;
  if (memchr(token.text.data, '.', token.text.size))
    return ten_fail(p, &token, "the name of an alias may not have a '.'");
  ten_advance(p);
  if (!ten_expect(p, '=', "'='")) return false;
  ten_alias *known = alias_slot(p, token.text);
  if (known && known->defined) return ten_fail(p, &token, "redefinition of alias '%.*s'", TEN_FMT(token.text));
  ten_alias alias = {.name = token.text, .defined = true, .use = token};
  const uint64_t expanded = p->expanded;
  if (token.kind == TOK_BANG) {
    alias.kind = ALIAS_TYPE;
    if (!ten_parse_type(p, &alias.type)) return false;
  } else if (ten_accept_word(p, "loc")) {
    const ten_loc *body = NULL;
    if (!ten_parse_loc(p, &body)) return false;
    known = alias_slot(p, token.text); /* the table may have grown */
    alias.kind = ALIAS_LOC;
    alias.loc = known ? known->loc : loc_new(p, TEN_LOC_FUSED);
    if (body) { /* the target of the alias may not be known yet: fusing it alone is equivalent */
      alias.loc->parts = ten_arena_copy(&p->module->arena, &body, sizeof body);
      alias.loc->part_count = 1;
      if (!is_blank(body)) *alias.loc = *body;
    }
  } else {
    alias.kind = ALIAS_ATTR;
    if (!ten_parse_attr(p, &alias.attr)) return false;
    known = alias_slot(p, token.text);
    if (known) return ten_fail(p, &token, "alias '%.*s' was used as a location before", TEN_FMT(token.text));
  }
  alias.expanded = p->expanded - expanded;
  if (known)
    known->defined = true;
  else
    alias_add(p, &alias);
  return true;
}

/* Through aliases, a few lines of text can describe an infinite location, or one of billions of parts. */
enum { LOC_DEPTH_MAX = 1000, LOC_PARTS_MAX = 1 << 16 };

typedef struct loc_extent {
  const ten_loc *loc;    /* of an alias; the list is sorted by it */
  uint32_t depth, parts; /* depth UINT32_MAX: being measured */
} loc_extent;

typedef struct loc_extents {
  loc_extent *data;
  size_t count;
} loc_extents;

static int by_loc(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t)((const loc_extent *)a)->loc, y = (uintptr_t)((const loc_extent *)b)->loc;
  return x < y ? -1 : x > y;
}

/* Depth and size; false when they are too large or infinite. */
static bool loc_measure(loc_extents *all, const ten_loc *loc, uint32_t level, uint32_t *depth, uint32_t *parts) {
  *depth = 0, *parts = 1;
  if (!loc) return true;
  if (level > LOC_DEPTH_MAX) return false;
  const loc_extent key = {.loc = loc};
  loc_extent *known = bsearch(&key, all->data, all->count, sizeof key, by_loc);
  if (known && known->depth == UINT32_MAX) return false;
  if (known && known->parts) return *depth = known->depth, *parts = known->parts, true;
  if (known) known->depth = UINT32_MAX;
  for (size_t i = 0; i < 2 + loc->part_count; i++) {
    uint32_t inner_depth, inner_parts;
    const ten_loc *part = i == 0 ? loc->first : i == 1 ? loc->second : loc->parts[i - 2];
    if (!loc_measure(all, part, level + 1, &inner_depth, &inner_parts)) return false;
    if (inner_depth + 1 > *depth) *depth = inner_depth + 1;
    *parts += inner_parts;
    if (*depth > LOC_DEPTH_MAX || *parts > LOC_PARTS_MAX) return false;
  }
  if (known) known->depth = *depth, known->parts = *parts;
  return true;
}

static bool locs_check(ten_parser *p) {
  loc_extents all = {.data = ten_alloc(p->aliases.count * sizeof(loc_extent))};
  for (size_t i = 0; i < p->aliases.count; i++)
    if (p->aliases.data[i].kind == ALIAS_LOC) all.data[all.count++] = (loc_extent){.loc = p->aliases.data[i].loc};
  if (all.count) qsort(all.data, all.count, sizeof *all.data, by_loc);
  bool ok = true;
  for (size_t i = 0; ok && i < p->aliases.count; i++) {
    uint32_t depth, parts;
    const ten_alias *alias = &p->aliases.data[i];
    if (alias->kind == ALIAS_LOC && !loc_measure(&all, alias->loc, 0, &depth, &parts))
      ok = ten_fail_code(p, TEN_LIMIT, &alias->use, "location alias '%.*s' is part of itself, or too large",
                         TEN_FMT(alias->name));
  }
  free(all.data);
  return ok;
}

bool ten_aliases_check(ten_parser *p) {
  bool ok = true;
  for (size_t i = 0; i < p->aliases.count; i++)
    if (!p->aliases.data[i].defined)
      ok = ten_fail(p, &p->aliases.data[i].use, "location alias '%.*s' is never defined",
                    TEN_FMT(p->aliases.data[i].name));
  return ok && (!p->aliases.count || locs_check(p));
}
