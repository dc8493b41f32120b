/* syntax.h: a Python file as a lossless tree. Nodes live in the file's arena; a node is a span of the text plus its
 * kind, so unparsing is slicing. Punctuation without a field is omitted: it can be read from the text between
 * nodes. */
#ifndef TEN_MIGRATE_SYNTAX_H
#define TEN_MIGRATE_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "migrate/edit.h"

/* KIND(enum suffix, grammar name) */
// clang-format off: a table
#define TEN_PY_KINDS(KIND)                                                                                           \
  KIND(MODULE, "module") KIND(IMPORT, "import_statement") KIND(FUTURE_IMPORT, "future_import_statement")             \
  KIND(IMPORT_FROM, "import_from_statement") KIND(ALIASED_IMPORT, "aliased_import")                                  \
  KIND(WILDCARD, "wildcard_import") KIND(RELATIVE_IMPORT, "relative_import") KIND(IMPORT_PREFIX, "import_prefix")    \
  KIND(DOTTED_NAME, "dotted_name") KIND(EXPR_STMT, "expression_statement") KIND(ASSIGN, "assignment")                \
  KIND(AUG_ASSIGN, "augmented_assignment") KIND(NAMED_EXPR, "named_expression") KIND(RETURN, "return_statement")     \
  KIND(PASS, "pass_statement") KIND(DEL, "delete_statement") KIND(RAISE, "raise_statement")                          \
  KIND(ASSERT, "assert_statement") KIND(BREAK, "break_statement") KIND(CONTINUE, "continue_statement")               \
  KIND(IF, "if_statement") KIND(ELIF, "elif_clause") KIND(ELSE, "else_clause") KIND(FOR, "for_statement")            \
  KIND(WHILE, "while_statement") KIND(TRY, "try_statement") KIND(EXCEPT, "except_clause")                            \
  KIND(FINALLY, "finally_clause") KIND(WITH, "with_statement") KIND(WITH_CLAUSE, "with_clause")                      \
  KIND(WITH_ITEM, "with_item") KIND(FUNCTION, "function_definition") KIND(CLASS, "class_definition")                 \
  KIND(DECORATED, "decorated_definition") KIND(DECORATOR, "decorator") KIND(PARAMETERS, "parameters")                \
  KIND(DEFAULT_PARAM, "default_parameter") KIND(TYPED_PARAM, "typed_parameter")                                      \
  KIND(TYPED_DEFAULT_PARAM, "typed_default_parameter") KIND(LIST_SPLAT_PATTERN, "list_splat_pattern")                \
  KIND(DICT_SPLAT_PATTERN, "dictionary_splat_pattern") KIND(LAMBDA, "lambda")                                        \
  KIND(LAMBDA_PARAMS, "lambda_parameters") KIND(GLOBAL, "global_statement") KIND(BLOCK, "block")                     \
  KIND(NONLOCAL, "nonlocal_statement") KIND(MATCH, "match_statement") KIND(CASE, "case_clause")                      \
  KIND(PRINT, "print_statement") KIND(CALL, "call") KIND(ARGUMENTS, "argument_list")                                 \
  KIND(KEYWORD, "keyword_argument") KIND(ATTRIBUTE, "attribute") KIND(SUBSCRIPT, "subscript") KIND(SLICE, "slice")   \
  KIND(IDENTIFIER, "identifier") KIND(STRING, "string") KIND(STRING_START, "string_start")                           \
  KIND(STRING_CONTENT, "string_content") KIND(STRING_END, "string_end") KIND(INTERPOLATION, "interpolation")         \
  KIND(FORMAT_SPEC, "format_specifier") KIND(CONCAT_STRING, "concatenated_string") KIND(INTEGER, "integer")          \
  KIND(FLOAT, "float") KIND(TRUE, "true") KIND(FALSE, "false") KIND(NONE, "none") KIND(TUPLE, "tuple")               \
  KIND(LIST, "list") KIND(SET, "set") KIND(DICT, "dictionary") KIND(PAIR, "pair") KIND(PATTERN_LIST, "pattern_list") \
  KIND(TUPLE_PATTERN, "tuple_pattern") KIND(LIST_PATTERN, "list_pattern") KIND(EXPR_LIST, "expression_list")         \
  KIND(PAREN, "parenthesized_expression") KIND(CONDITIONAL, "conditional_expression")                                \
  KIND(BOOL_OP, "boolean_operator") KIND(NOT_OP, "not_operator") KIND(BINARY_OP, "binary_operator")                  \
  KIND(UNARY_OP, "unary_operator") KIND(COMPARE, "comparison_operator") KIND(LIST_COMP, "list_comprehension")        \
  KIND(DICT_COMP, "dictionary_comprehension") KIND(SET_COMP, "set_comprehension")                                    \
  KIND(GENERATOR, "generator_expression") KIND(FOR_IN, "for_in_clause") KIND(IF_CLAUSE, "if_clause")                 \
  KIND(LIST_SPLAT, "list_splat") KIND(DICT_SPLAT, "dictionary_splat") KIND(AWAIT, "await") KIND(YIELD, "yield")      \
  KIND(TYPE, "type") KIND(COMMENT, "comment") KIND(AS_PATTERN, "as_pattern") KIND(AS_TARGET, "as_pattern_target")    \
  KIND(ERROR_NODE, "ERROR")
// clang-format on

typedef enum ten_py_kind {
  PY_OTHER = 0,
#define KIND(suffix, name) PY_##suffix,
  TEN_PY_KINDS(KIND)
#undef KIND
      PY_KIND_COUNT
} ten_py_kind;

/* FIELD(enum suffix, grammar name) */
// clang-format off: a table
#define TEN_PY_FIELDS(FIELD)                                                                                        \
  FIELD(ALIAS, "alias") FIELD(ALTERNATIVE, "alternative") FIELD(ARGUMENT, "argument") FIELD(ARGUMENTS, "arguments") \
  FIELD(ATTRIBUTE, "attribute") FIELD(BODY, "body") FIELD(CONDITION, "condition") FIELD(CONSEQUENCE, "consequence") \
  FIELD(DEFINITION, "definition") FIELD(FUNCTION, "function") FIELD(KEY, "key") FIELD(LEFT, "left")                 \
  FIELD(MODULE_NAME, "module_name") FIELD(NAME, "name") FIELD(OBJECT, "object") FIELD(OPERATOR, "operator")         \
  FIELD(OPERATORS, "operators") FIELD(PARAMETERS, "parameters") FIELD(RETURN_TYPE, "return_type")                   \
  FIELD(RIGHT, "right") FIELD(SUBSCRIPT, "subscript") FIELD(SUPERCLASSES, "superclasses") FIELD(TYPE, "type")       \
  FIELD(VALUE, "value") FIELD(EXPRESSION, "expression")
// clang-format on

typedef enum ten_py_field {
  PY_F_NONE = 0,
#define FIELD(suffix, name) PY_F_##suffix,
  TEN_PY_FIELDS(FIELD)
#undef FIELD
      PY_F_COUNT
} ten_py_field;

typedef struct ten_py_node {
  struct ten_py_node *parent, *child, *next; /* first child, next sibling */
  uint32_t start, end;                       /* bytes */
  uint32_t row;                              /* 0-based */
  struct ten_py_scope *scope;                /* of a module, class, function or lambda; see names.h */
  uint8_t kind, field;
  bool named;
  bool claimed; /* a rule has rewritten this whole span: skip its children */
} ten_py_node;

struct TSTree;

typedef struct ten_py_tree {
  ten_str text;      /* borrowed */
  ten_py_node *root; /* in the arena */
  uint32_t count;    /* nodes */
  bool has_error;
  uint32_t error_row, error_column; /* 0-based, of the first thing that does not parse */
  struct TSTree *parsed;            /* tree-sitter's own, for ten_py_tree_edit; the caller releases it */
} ten_py_tree;

/* Parses `text` (borrowed by the tree). A syntax error is not a failure: has_error says so. */
TEN_MUST_USE ten_status *ten_py_parse(ten_arena *arena, ten_str text, ten_py_tree *out_tree);
/* Sets has_error if statements of a block begin in different columns, which the grammar accepts and Python does not. */
void ten_py_check_indentation(ten_py_tree *tree);
void ten_py_tree_release(struct TSTree *parsed); /* or NULL */
/* Applies the edits to tree-sitter's tree, in their order. `text` is the text of the tree. */
void ten_py_tree_edit(struct TSTree *parsed, ten_str text, const ten_edits *edits);
/* Parses only to check whether `text` is Python. `edited`, if given, is the tree of an earlier text with every edit
 * applied: unchanged parts are not parsed again. `cells`: of a notebook, each of which may be indented. */
TEN_MUST_USE ten_status *ten_py_check(ten_str text, const struct TSTree *edited, bool cells, bool *out_ok,
                                      uint32_t *out_row, uint32_t *out_column);

ten_py_node *ten_py_field_of(const ten_py_node *node, ten_py_field field);
static inline ten_str ten_py_text(const ten_py_tree *tree, const ten_py_node *node) {
  return node ? (ten_str){tree->text.data + node->start, node->end - node->start} : (ten_str){"", 0};
}
ten_py_node *ten_py_named(const ten_py_node *node, unsigned index); /* the index-th named child that is not a comment */
unsigned ten_py_named_count(const ten_py_node *node);
ten_py_node *ten_py_last(const ten_py_node *node);
ten_py_node *ten_py_prev(const ten_py_node *node);
ten_py_node *ten_py_up(const ten_py_node *node, ten_py_kind kind); /* nearest ancestor of that kind, or NULL */
/* The nearest ancestor-or-self that is a statement: a child of a block or of the module. */
ten_py_node *ten_py_statement(const ten_py_node *node);
bool ten_py_inside(const ten_py_node *node, const ten_py_node *ancestor); /* or equal */
ten_py_node *ten_py_unparen(ten_py_node *node);
/* Next node in pre-order within `top`, or NULL; `skip` leaves out the children of `node`. */
ten_py_node *ten_py_walk(ten_py_node *node, const ten_py_node *top, bool skip);

/* A plain string literal's content (no prefix but r or u, no interpolation, no escapes, one piece); false when it is
 * anything else. */
bool ten_py_literal(const ten_py_tree *tree, const ten_py_node *node, ten_str *out_content);

#endif
