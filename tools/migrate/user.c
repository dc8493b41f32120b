/* user.c: user rules in YAML: a pattern with holes, its replacement, the target, and the reason.
 *
 *   rules:
 *     - id: 9001
 *       name: our-device
 *       pattern: our_lib.pick_device($N)
 *       replacement: torch_xla.device()
 *       imports: [torch_xla]          # optional
 *       target: torch_xla             # optional: both when left out
 *       why: our helper knows only CUDA
 *
 * $N matches any expression, the same one at each occurrence; $*REST for the remaining arguments of a call. Names
 * in the pattern match through imports and aliases. */
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "migrate/rule.h"

typedef struct user_rule {
  ten_rewrite_rule rule; /* texts in the arena */
  const char *pattern, *replacement;
  const char *imports; /* module names with commas, or NULL */
  ten_py_tree tree;
  ten_py_node *expression;
} user_rule;

struct ten_user_rules {
  ten_arena arena;
  TEN_VEC(user_rule) list;
};

enum { HOLES_MAX = 16 };
static const char hole_prefix[] = "ten_hole_", rest_prefix[] = "ten_rest_";

typedef struct hole {
  ten_str name;
  ten_str text; /* what it matched */
} hole;

typedef struct match {
  ten_rewrite *rw;
  const ten_py_tree *pattern;
  hole holes[HOLES_MAX];
  unsigned count;
} match;

static bool bind_hole(match *m, ten_str name, ten_str text) {
  for (unsigned i = 0; i < m->count; i++)
    if (ten_str_eq(m->holes[i].name, name)) return ten_str_eq(m->holes[i].text, text);
  if (m->count == HOLES_MAX) return false;
  m->holes[m->count++] = (hole){name, text};
  return true;
}

/* The pattern's dotted text without spaces, if it consists of names and dots. */
static bool pattern_dotted(const match *m, const ten_py_node *node, char out[TEN_DOTTED_MAX]) {
  if (node->kind != PY_IDENTIFIER && node->kind != PY_ATTRIBUTE) return false;
  const ten_str text = ten_py_text(m->pattern, node);
  if (text.size >= TEN_DOTTED_MAX || memmem(text.data, text.size, "ten_", 4) || memchr(text.data, '(', text.size))
    return false;
  memcpy(out, text.data, text.size);
  out[text.size] = 0;
  return true;
}

static bool node_matches(match *m, const ten_py_node *pattern, ten_py_node *node, int depth) {
  if (!pattern || !node || depth > 64) return pattern == NULL && node == NULL;
  const ten_str text = ten_py_text(m->pattern, pattern);
  if (pattern->kind == PY_IDENTIFIER && ten_str_starts(text, hole_prefix))
    return bind_hole(m, (ten_str){text.data + sizeof hole_prefix - 1, text.size - (sizeof hole_prefix - 1)},
                     rw_text(m->rw, node));
  char wanted[TEN_DOTTED_MAX], found[TEN_DOTTED_MAX];
  if (pattern_dotted(m, pattern, wanted) && ten_dotted(m->rw->file, node, found)) return !strcmp(wanted, found);
  if (pattern->kind != node->kind) return false;
  if (!pattern->child && !node->child) return ten_str_eq(text, rw_text(m->rw, node));
  const ten_py_node *a = pattern->child;
  ten_py_node *b = node->child;
  for (; a; a = a->next, b = b ? b->next : NULL) {
    while (b && b->kind == PY_COMMENT) b = b->next;
    const ten_str part = ten_py_text(m->pattern, a);
    if (a->kind == PY_IDENTIFIER && ten_str_starts(part, rest_prefix)) {
      const uint32_t start = b ? b->start : node->end - 1, end = b ? ten_py_last(node)->end : node->end - 1;
      return bind_hole(m, (ten_str){part.data + sizeof rest_prefix - 1, part.size - (sizeof rest_prefix - 1)},
                       (ten_str){m->rw->file->tree.text.data + start, end - start});
    }
    if (!b || !node_matches(m, a, b, depth + 1)) return false;
  }
  while (b && b->kind == PY_COMMENT) b = b->next;
  return b == NULL;
}

/* $NAME and $*NAME become names that parse (in a pattern) or the matched text (in a replacement). */
static void substitute(const char *text, const match *m, ten_buf *out) {
  while (*text) {
    if (*text != '$') {
      ten_buf_addc(out, *text++);
      continue;
    }
    const bool rest = text[1] == '*';
    const char *name = text + 1 + rest;
    const size_t size = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    text = name + size;
    if (!m) {
      ten_buf_printf(out, "%s%.*s", rest ? rest_prefix : hole_prefix, (int)size, name);
      continue;
    }
    for (unsigned i = 0; i < m->count; i++)
      if (ten_str_eq(m->holes[i].name, (ten_str){name, size})) ten_buf_addstr(out, m->holes[i].text);
  }
}

static void user_import(ten_rewrite *rw, const ten_rewrite_rule *rule, const char *imports) {
  static const struct {
    const char *name;
    ten_py_module module;
  } known[] = {{"torch", MOD_TORCH}, {"torch_xla", MOD_XLA}, {"xm", MOD_XM},
               {"xr", MOD_XR},       {"pl", MOD_PL},         {"torch_tpu", MOD_TPU}};
  (void)rule;
  for (size_t i = 0; imports && i < sizeof known / sizeof *known; i++) {
    const char *at = strstr(imports, known[i].name);
    const size_t size = strlen(known[i].name);
    if (at && (at == imports || at[-1] == ',') && (at[size] == 0 || at[size] == ',')) ten_use(rw, known[i].module);
  }
}

void ten_user_rules_run(const struct ten_user_rules *rules, ten_rewrite *rw) {
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *node = root; node; node = ten_py_walk(node, root, node->claimed)) {
    for (size_t i = 0; i < rules->list.count && !node->claimed; i++) {
      const user_rule *user = &rules->list.data[i];
      if (user->expression->kind != node->kind || !ten_rule_enabled(rw, &user->rule)) continue;
      match m = {.rw = rw, .pattern = &user->tree};
      if (!node_matches(&m, user->expression, node, 0)) continue;
      ten_buf text = {0};
      substitute(user->replacement, &m, &text);
      if (!text.data) ten_buf_adds(&text, "");
      ten_coverage(rw, ten_rewrite_node(rw, &user->rule, node, "%s", text.data));
      user_import(rw, &user->rule, user->imports);
      ten_buf_free(&text);
    }
  }
}

static ten_status *rule_finish(struct ten_user_rules *rules, user_rule *rule, const char *path, unsigned line) {
  ten_status *status = NULL;
  if (!rule->pattern || !rule->replacement)
    return ten_error_at(ten_error(TEN_INVALID, "a rule needs a pattern and a replacement"), path, line, 0);
  if (!rule->rule.reason) rule->rule.reason = "a rule of the user's";
  if (!rule->rule.name) rule->rule.name = "user";
  if (!rule->rule.number) rule->rule.number = 9000 + (unsigned)rules->list.count;
  if (!rule->rule.targets) rule->rule.targets = FOR_BOTH;
  ten_buf text = {0};
  substitute(rule->pattern, NULL, &text);
  const char *kept = ten_arena_strdup(&rules->arena, text.data ? text.data : "", text.size);
  ten_buf_free(&text);
  status = ten_py_parse(&rules->arena, ten_str_of(kept), &rule->tree);
  if (status) return status;
  ten_py_tree_release(rule->tree.parsed);
  rule->tree.parsed = NULL;
  ten_py_node *statement = ten_py_named(rule->tree.root, 0);
  rule->expression = statement && statement->kind == PY_EXPR_STMT ? ten_py_named(statement, 0) : NULL;
  if (rule->tree.has_error || !rule->expression || ten_py_named_count(rule->tree.root) != 1)
    return ten_error_at(ten_error(TEN_INVALID, "the pattern is not a Python expression: %s", rule->pattern), path, line,
                        0);
  ten_vec_push(&rules->list, *rule);
  return NULL;
}

static ten_status *rule_set(struct ten_user_rules *rules, user_rule *rule, const char *key, ten_str value,
                            const char *path, unsigned line) {
  const char *text = ten_arena_strdup(&rules->arena, value.data, value.size);
  if (!strcmp(key, "id"))
    rule->rule.number = (unsigned)strtoul(text, NULL, 10);
  else if (!strcmp(key, "name"))
    rule->rule.name = text;
  else if (!strcmp(key, "why"))
    rule->rule.reason = text;
  else if (!strcmp(key, "pattern"))
    rule->pattern = text;
  else if (!strcmp(key, "replacement"))
    rule->replacement = text;
  else if (!strcmp(key, "target") && !strcmp(text, "torch_xla"))
    rule->rule.targets = FOR_XLA;
  else if (!strcmp(key, "target") && !strcmp(text, "torch_tpu"))
    rule->rule.targets = FOR_TPU;
  else if (!strcmp(key, "imports") && !rule->imports)
    rule->imports = text;
  else if (!strcmp(key, "imports")) {
    ten_buf joined = {0};
    ten_buf_printf(&joined, "%s,%s", rule->imports, text);
    rule->imports = ten_arena_strdup(&rules->arena, joined.data, joined.size);
    ten_buf_free(&joined);
  } else {
    return ten_error_at(
        ten_error(TEN_INVALID, "a rule has no '%s: %s' (id, name, pattern, replacement, imports, target, why)", key,
                  text),
        path, line, 0);
  }
  return NULL;
}

enum { NESTING_MAX = 4 }; /* a mapping, its sequence, a rule, its imports */

/* rules: a sequence of mappings of scalars (and one sequence, imports). Deeper nesting is invalid, and is refused
 * before the parser continues: its time is quadratic in the depth. */
static ten_status *read_events(yaml_parser_t *parser, struct ten_user_rules *rules, const char *path) {
  user_rule rule = {{0}};
  char key[64] = "";
  int maps = 0, sequences = 0;
  bool done = false;
  ten_status *status = NULL;
  while (!done && !status) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event))
      return ten_error_at(ten_error(TEN_INVALID, "is not YAML: %s", parser->problem ? parser->problem : "unreadable"),
                          path, (unsigned)parser->problem_mark.line + 1, 0);
    const unsigned line = (unsigned)event.start_mark.line + 1;
    const bool opens = event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT;
    if (opens && maps + sequences == NESTING_MAX) {
      yaml_event_delete(&event);
      return ten_error_at(ten_error(TEN_INVALID,
                                    "lists and mappings are nested deeper than %d; a rule is a mapping of "
                                    "texts in the list 'rules'",
                                    NESTING_MAX),
                          path, line, 0);
    }
    switch (event.type) {
      case YAML_MAPPING_START_EVENT:
        if (++maps == 2) memset(&rule, 0, sizeof rule), key[0] = 0;
        break;
      case YAML_MAPPING_END_EVENT:
        if (maps-- == 2) status = rule_finish(rules, &rule, path, line);
        break;
      case YAML_SEQUENCE_START_EVENT: sequences++; break;
      case YAML_SEQUENCE_END_EVENT:
        if (sequences-- == 2) key[0] = 0;
        break;
      case YAML_SCALAR_EVENT: {
        const ten_str value = {(const char *)event.data.scalar.value, event.data.scalar.length};
        if (maps == 1) {
          if (!ten_str_is(value, "rules"))
            status =
                ten_error_at(ten_error(TEN_INVALID, "expected 'rules:', found '%.*s'", TEN_FMT(value)), path, line, 0);
        } else if (maps == 2 && !key[0]) {
          snprintf(key, sizeof key, "%.*s", TEN_FMT(value));
        } else if (maps == 2) {
          status = rule_set(rules, &rule, key, value, path, line);
          if (sequences < 2) key[0] = 0;
        }
        break;
      }
      case YAML_STREAM_END_EVENT: done = true; break;
      default: break;
    }
    yaml_event_delete(&event);
  }
  return status;
}

ten_status *ten_user_rules_load(const char *path, struct ten_user_rules **out_rules) {
  *out_rules = NULL;
  FILE *stream = fopen(path, "rb");
  if (!stream) return ten_error(TEN_NOT_FOUND, "no rules at %s", path);
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    fclose(stream);
    return ten_error(TEN_LIMIT, "out of memory: %s cannot be read", path);
  }
  yaml_parser_set_input_file(&parser, stream);
  struct ten_user_rules *rules = ten_alloc(sizeof *rules);
  memset(rules, 0, sizeof *rules);
  ten_arena_init(&rules->arena);
  ten_status *status = read_events(&parser, rules, path);
  yaml_parser_delete(&parser);
  fclose(stream);
  if (status) {
    ten_user_rules_free(rules);
    return status;
  }
  *out_rules = rules;
  return NULL;
}

void ten_user_rules_free(struct ten_user_rules *rules) {
  if (!rules) return;
  ten_vec_free(&rules->list);
  ten_arena_destroy(&rules->arena);
  free(rules);
}
