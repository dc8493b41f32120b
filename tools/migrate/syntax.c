/* syntax.c: runs tree-sitter and copies its tree into plain nodes with parent links and an enum kind, on which the
 * rules switch; tree-sitter's own nodes find a parent by walking down from the root. */
#include "migrate/syntax.h"

#include <stdlib.h>
#include <time.h>

#include "base/thread.h"
#include "migrate/grammar_config.h"

static uint32_t line_start(const ten_py_tree *tree, uint32_t at) {
  while (at && tree->text.data[at - 1] != '\n') at--;
  return at;
}

static void refuse(ten_py_tree *tree, const ten_py_node *node) {
  tree->has_error = true;
  tree->error_row = node->row;
  tree->error_column = node->start - line_start(tree, node->start);
}

#ifdef TEN_HAVE_GRAMMAR
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

enum { SYMBOLS_MAX = 512, FIELDS_MAX = 64 }; /* the grammar has about 275 and 35 */

/* Filled once, before anything is parsed. */
static struct language_maps {
  uint8_t kinds[SYMBOLS_MAX];    /* by grammar symbol */
  uint8_t fields[FIELDS_MAX];    /* by grammar field */
  bool punctuation[SYMBOLS_MAX]; /* by grammar symbol: never a field, and frequent */
} maps;
static ten_once maps_once = TEN_ONCE_INIT;

static void maps_fill(void) {
  const TSLanguage *language = tree_sitter_python();
  static const char *const kind_names[PY_KIND_COUNT] = {
#define KIND(suffix, name) [PY_##suffix] = name,
      TEN_PY_KINDS(KIND)
#undef KIND
  };
  static const char *const field_names[PY_F_COUNT] = {
#define FIELD(suffix, name) [PY_F_##suffix] = name,
      TEN_PY_FIELDS(FIELD)
#undef FIELD
  };
  const uint32_t symbols = ts_language_symbol_count(language), fields = ts_language_field_count(language);
  for (uint32_t s = 0; s < symbols && s < SYMBOLS_MAX; s++) {
    const char *name = ts_language_symbol_name(language, (TSSymbol)s);
    if (ts_language_symbol_type(language, (TSSymbol)s) != TSSymbolTypeRegular) {
      maps.punctuation[s] = name && name[0] && !name[1] && strchr(",.()[]{};:", name[0]);
      continue;
    }
    for (unsigned k = 1; name && k < PY_KIND_COUNT; k++)
      if (!strcmp(name, kind_names[k])) maps.kinds[s] = (uint8_t)k;
  }
  for (uint32_t f = 1; f <= fields && f < FIELDS_MAX; f++)
    for (unsigned k = 1; k < PY_F_COUNT; k++)
      if (!strcmp(ts_language_field_name_for_id(language, (TSFieldId)f), field_names[k])) maps.fields[f] = (uint8_t)k;
}

static void *allocate(size_t size) {
  void *data = malloc(size ? size : 1);
  if (!data) ten_out_of_memory(size);
  return data;
}

void *ten_grammar_calloc(size_t count, size_t size);
void *ten_grammar_calloc(size_t count, size_t size) {
  void *data = calloc(count ? count : 1, size ? size : 1);
  if (!data) ten_out_of_memory(count * size);
  return data;
}

/* The parser would abort the process; it is plain C, holds no lock, and may be left by longjmp. */
static void allocator_set(void) { ts_set_allocator(allocate, ten_grammar_calloc, ten_realloc, free); }

/* Not of the clock on the wall: other work on the machine is no reason to give up. */
static double seconds_computed(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ten_status *tree_parse(ten_str text, const TSTree *edited, TSTree **out_tree) {
  *out_tree = NULL;
  if (text.size > UINT32_MAX / 2) return ten_error(TEN_LIMIT, "a Python file of %zu bytes is too large", text.size);
  static ten_once once = TEN_ONCE_INIT;
  ten_once_run(&once, allocator_set);
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, tree_sitter_python());
  enum { MOST_SECONDS = 60, SLICE_MICROSECONDS = 200 * 1000 };
  const double start = seconds_computed();
  ts_parser_set_timeout_micros(parser, SLICE_MICROSECONDS); /* after which the same call goes on where it was */
  do *out_tree = ts_parser_parse_string(parser, edited, text.data ? text.data : "", (uint32_t)text.size);
  while (!*out_tree && seconds_computed() - start < MOST_SECONDS);
  ts_parser_delete(parser);
  if (!*out_tree) return ten_error(TEN_LIMIT, "parsing took more than a minute");
  return NULL;
}

/* The position of the first error: descends only into subtrees that have one. */
static TSPoint error_place(TSNode node) {
  for (;;) {
    const uint32_t count = ts_node_child_count(node);
    uint32_t i = 0;
    TSNode child = node;
    for (; i < count; i++) {
      child = ts_node_child(node, i);
      if (ts_node_has_error(child) || ts_node_is_missing(child)) break;
    }
    if (i == count || ts_node_symbol(node) == (TSSymbol)-1) return ts_node_start_point(node);
    node = child;
  }
}

static ten_py_node *node_copy(ten_arena *arena, TSNode node, TSFieldId field) {
  ten_py_node *copy = ten_arena_new(arena, ten_py_node);
  const TSSymbol symbol = ts_node_symbol(node);
  copy->start = ts_node_start_byte(node);
  copy->end = ts_node_end_byte(node);
  copy->row = ts_node_start_point(node).row;
  copy->named = ts_node_is_named(node);
  copy->kind = symbol == (TSSymbol)-1                ? PY_ERROR_NODE
               : copy->named && symbol < SYMBOLS_MAX ? maps.kinds[symbol]
                                                     : PY_OTHER;
  copy->field = field < FIELDS_MAX ? maps.fields[field] : PY_F_NONE;
  return copy;
}

/* Rules walk from a node to its ancestors, so their time grows with nodes times depth. CPython compiles at most about
 * 3000 levels. */
enum { DEPTH_MAX = 5000 };

static ten_status *tree_copy(ten_arena *arena, TSNode root, ten_py_tree *out) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  uint32_t depth = 0;
  ten_status *status = NULL;
  ten_py_node *parent = node_copy(arena, root, 0), *last = NULL;
  out->root = parent;
  out->count = 1;
  if (!ts_tree_cursor_goto_first_child(&cursor)) goto done;
  for (;;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const TSSymbol symbol = ts_node_symbol(node);
    const bool skipped = symbol < SYMBOLS_MAX && maps.punctuation[symbol];
    const TSFieldId field = skipped ? 0 : ts_tree_cursor_current_field_id(&cursor);
    if (field || ts_node_is_named(node)) {
      ten_py_node *copy = node_copy(arena, node, field);
      copy->parent = parent;
      if (last)
        last->next = copy;
      else
        parent->child = copy;
      last = copy;
      out->count++;
      if (ts_tree_cursor_goto_first_child(&cursor)) {
        if (++depth > DEPTH_MAX) {
          status = ten_error(TEN_LIMIT, "line %u: expressions and blocks are nested deeper than %d levels",
                             copy->row + 1, DEPTH_MAX);
          goto done;
        }
        parent = copy;
        last = NULL;
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) goto done;
      last = parent;
      parent = parent->parent;
      depth--;
      if (!parent) goto done;
    }
  }
done:
  ts_tree_cursor_delete(&cursor);
  return status;
}

/* f(a=1, a=2), which the grammar accepts and Python does not: the second one, or NULL. */
static const ten_py_node *repeated_keyword(const ten_py_tree *tree, const ten_py_node *arguments) {
  int most = 1000; /* each is compared with all before it */
  for (const ten_py_node *a = arguments->child; a && most; a = a->next) {
    if (a->kind != PY_KEYWORD) continue;
    most--;
    const ten_str name = ten_py_text(tree, ten_py_field_of(a, PY_F_NAME));
    for (const ten_py_node *b = arguments->child; b != a; b = b->next)
      if (b->kind == PY_KEYWORD && ten_str_eq(name, ten_py_text(tree, ten_py_field_of(b, PY_F_NAME)))) return a;
  }
  return NULL;
}

static void find_repeated_keyword(ten_py_tree *tree) {
  for (ten_py_node *node = tree->root; node && !tree->has_error; node = ten_py_walk(node, tree->root, false)) {
    const ten_py_node *again = node->kind == PY_ARGUMENTS ? repeated_keyword(tree, node) : NULL;
    if (again) refuse(tree, again);
  }
}

ten_status *ten_py_parse(ten_arena *arena, ten_str text, ten_py_tree *out_tree) {
  memset(out_tree, 0, sizeof *out_tree);
  out_tree->text = text;
  TSTree *tree = NULL;
  TEN_TRY(tree_parse(text, NULL, &tree));
  const TSNode root = ts_tree_root_node(tree);
  out_tree->has_error = ts_node_has_error(root);
  if (out_tree->has_error) {
    const TSPoint place = error_place(root);
    out_tree->error_row = place.row;
    out_tree->error_column = place.column;
  }
  ten_once_run(&maps_once, maps_fill);
  ten_status *status = tree_copy(arena, root, out_tree);
  if (status)
    ts_tree_delete(tree);
  else
    out_tree->parsed = tree;
  if (!status) find_repeated_keyword(out_tree);
  return status;
}

void ten_py_tree_release(TSTree *parsed) {
  TEN_RECOVER_AS("releasing a parse", ); /* it allocates a list of objects to free */
  if (parsed) ts_tree_delete(parsed);
}

/* The position `at` bytes after `from`. */
static TSPoint point_after(TSPoint from, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    const bool line = text[i] == '\n';
    from = (TSPoint){from.row + line, line ? 0 : from.column + 1};
  }
  return from;
}

void ten_py_tree_edit(TSTree *parsed, ten_str text, const ten_edits *edits) {
  TEN_VEC(TSInputEdit) told = {0};
  TSPoint point = {0, 0};
  uint32_t at = 0;
  for (size_t i = 0; i < edits->list.count; i++) {
    const ten_text_edit *edit = &edits->list.data[i];
    point = point_after(point, text.data + at, edit->start - at);
    const TSPoint end = point_after(point, text.data + edit->start, edit->end - edit->start);
    const TSInputEdit one = {edit->start, edit->end, edit->start + (uint32_t)edit->text.size,
                             point,       end,       point_after(point, edit->text.data, edit->text.size)};
    ten_vec_push(&told, one);
    point = end;
    at = edit->end;
  }
  while (told.count) ts_tree_edit(parsed, &told.data[--told.count]); /* from the end: earlier positions stay valid */
  ten_vec_free(&told);
}

/* Errors that the grammar accepts and Python does not. */
static ten_status *check_more(ten_str text, TSNode root, bool cells, TSPoint *out_place, bool *out_ok) {
  ten_arena arena;
  ten_arena_init(&arena);
  ten_py_tree copy = {.text = text};
  ten_once_run(&maps_once, maps_fill);
  ten_status *status = tree_copy(&arena, root, &copy);
  if (!status) {
    find_repeated_keyword(&copy);
    if (!cells) ten_py_check_indentation(&copy); /* cells may be indented */
    *out_ok = !copy.has_error;
    *out_place = (TSPoint){copy.error_row, copy.error_column};
  }
  ten_arena_destroy(&arena);
  return status;
}

ten_status *ten_py_check(ten_str text, const TSTree *edited, bool cells, bool *out_ok, uint32_t *out_row,
                         uint32_t *out_column) {
  *out_ok = false;
  TSTree *tree = NULL;
  TEN_TRY(tree_parse(text, edited, &tree));
  if (edited && ts_node_has_error(ts_tree_root_node(tree))) { /* the answer needs a parse of the whole */
    ts_tree_delete(tree);
    TEN_TRY(tree_parse(text, NULL, &tree));
  }
  const TSNode root = ts_tree_root_node(tree);
  *out_ok = !ts_node_has_error(root);
  TSPoint place = *out_ok ? (TSPoint){0, 0} : error_place(root);
  ten_status *status = *out_ok ? check_more(text, root, cells, &place, out_ok) : NULL;
  if (out_row) *out_row = place.row;
  if (out_column) *out_column = place.column;
  ts_tree_delete(tree);
  return status;
}

#else

static ten_status *grammar_missing(void) {
  return ten_error(
      TEN_UNSUPPORTED,
      "this build has no Python grammar: run scripts/fetch-grammar, then configure the build again (meson setup --reconfigure build)");
}

ten_status *ten_py_parse(ten_arena *arena, ten_str text, ten_py_tree *out_tree) {
  (void)arena;
  memset(out_tree, 0, sizeof *out_tree);
  out_tree->text = text;
  return grammar_missing();
}
void ten_py_tree_release(struct TSTree *parsed) { (void)parsed; }
void ten_py_tree_edit(struct TSTree *parsed, ten_str text, const ten_edits *edits) {
  (void)parsed, (void)text, (void)edits;
}
ten_status *ten_py_check(ten_str text, const struct TSTree *edited, bool cells, bool *out_ok, uint32_t *out_row,
                         uint32_t *out_column) {
  (void)text, (void)edited, (void)cells, (void)out_row, (void)out_column;
  *out_ok = false;
  return grammar_missing();
}

#endif

/* The indent of a statement that begins a line; -1 where it does not, or in a continued line. */
static int64_t indentation(const ten_py_tree *tree, const ten_py_node *node) {
  const uint32_t line = line_start(tree, node->start);
  for (uint32_t i = line; i < node->start; i++)
    if (tree->text.data[i] != ' ' && tree->text.data[i] != '\t') return -1;
  const bool goes_on =
      line > 1 && (tree->text.data[line - 2] == '\\' ||
                   (line > 2 && tree->text.data[line - 2] == '\r' && tree->text.data[line - 3] == '\\'));
  return goes_on ? -1 : (int64_t)(node->start - line);
}

void ten_py_check_indentation(ten_py_tree *tree) {
  for (ten_py_node *node = tree->root; node && !tree->has_error; node = ten_py_walk(node, tree->root, false)) {
    if (node->kind != PY_BLOCK && node != tree->root) continue;
    int64_t first = node == tree->root ? 0 : -1;
    for (const ten_py_node *a = node->child; a && !tree->has_error; a = a->next) {
      const int64_t own = a->named && a->kind != PY_COMMENT ? indentation(tree, a) : -1;
      if (own < 0) continue;
      if (first < 0) first = own;
      if (own != first) refuse(tree, a);
    }
  }
}

ten_py_node *ten_py_field_of(const ten_py_node *node, ten_py_field field) {
  if (!node) return NULL;
  for (ten_py_node *child = node->child; child; child = child->next)
    if (child->field == field) return child;
  return NULL;
}

ten_py_node *ten_py_named(const ten_py_node *node, unsigned index) {
  if (!node) return NULL;
  for (ten_py_node *child = node->child; child; child = child->next)
    if (child->named && child->kind != PY_COMMENT && !index--) return child;
  return NULL;
}

unsigned ten_py_named_count(const ten_py_node *node) {
  unsigned count = 0;
  for (ten_py_node *child = node ? node->child : NULL; child; child = child->next)
    count += child->named && child->kind != PY_COMMENT;
  return count;
}

ten_py_node *ten_py_last(const ten_py_node *node) {
  ten_py_node *last = NULL;
  for (ten_py_node *child = node->child; child; child = child->next)
    if (child->named && child->kind != PY_COMMENT) last = child;
  return last;
}

ten_py_node *ten_py_prev(const ten_py_node *node) {
  ten_py_node *last = NULL;
  for (ten_py_node *child = node->parent ? node->parent->child : NULL; child && child != node; child = child->next)
    if (child->named && child->kind != PY_COMMENT) last = child;
  return last;
}

ten_py_node *ten_py_up(const ten_py_node *node, ten_py_kind kind) {
  for (ten_py_node *up = node ? node->parent : NULL; up; up = up->parent)
    if (up->kind == kind) return up;
  return NULL;
}

ten_py_node *ten_py_statement(const ten_py_node *node) {
  for (; node && node->parent; node = node->parent)
    if (node->parent->kind == PY_BLOCK || node->parent->kind == PY_MODULE) return (ten_py_node *)node;
  return NULL;
}

bool ten_py_inside(const ten_py_node *node, const ten_py_node *ancestor) {
  for (; node; node = node->parent)
    if (node == ancestor) return true;
  return false;
}

ten_py_node *ten_py_unparen(ten_py_node *node) {
  while (node && node->kind == PY_PAREN && ten_py_named_count(node) == 1) node = ten_py_named(node, 0);
  return node;
}

ten_py_node *ten_py_walk(ten_py_node *node, const ten_py_node *top, bool skip) {
  if (!skip && node->child) return node->child;
  while (node != top) {
    if (node->next) return node->next;
    node = node->parent;
  }
  return NULL;
}

bool ten_py_literal(const ten_py_tree *tree, const ten_py_node *node, ten_str *out_content) {
  *out_content = (ten_str){"", 0};
  if (!node || node->kind != PY_STRING) return false;
  for (const ten_py_node *part = node->child; part; part = part->next) {
    if (part->kind == PY_STRING_START) {
      const ten_str start = ten_py_text(tree, part);
      for (size_t i = 0; i < start.size; i++)
        if (strchr("fFbB", start.data[i])) return false;
    } else if (part->kind == PY_STRING_CONTENT) {
      if (part->child) return false; /* escapes */
      *out_content = ten_py_text(tree, part);
    } else if (part->kind != PY_STRING_END) {
      return false;
    }
  }
  return true;
}
