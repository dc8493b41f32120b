/* rule_xla.h: what the rules for PyTorch/XLA programs share (rule_xla.c, rule_xla_processes.c, xla_helpers.c). */
#ifndef TEN_MIGRATE_RULE_XLA_H
#define TEN_MIGRATE_RULE_XLA_H

#include "migrate/rule.h"

/* Whether the callee is one of the names (full ones, the list ends with NULL). */
bool ten_xla_is(ten_rewrite *rw, const ten_py_node *callee, const char *const *names);
/* What opens and closes the expression's text where it becomes an operand or a callee: parentheses, or nothing. */
typedef struct ten_xla_parens {
  const char *open, *close;
} ten_xla_parens;
ten_xla_parens ten_xla_operand(ten_rewrite *rw, const ten_py_node *node);
/* The text with the file's name of torch for each '@'; imports torch and torch_tpu. */
const char *ten_xla_text(ten_rewrite *rw, const char *text);
void ten_xla_drop_keywords(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *const *names);
/* Deletes positional arguments from number `first` on. */
void ten_xla_drop_positional(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, int first);
/* The program runs in several processes: it starts them, or joins a process group. */
bool ten_xla_launches(ten_rewrite *rw);
/* The arguments of init_process_group("xla", …), whose backend becomes "tpu_dist". */
void ten_xla_join(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call);
/* In a program of several processes, makes the statement one of the first process only. */
void ten_xla_on_first(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement);
/* A function that the new text calls is defined after the imports, once. */
void ten_xla_helper(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_helper helper);

#endif
