/* rules.c: the table of rule families and the walk that applies them. Order matters within a node: the first rule that
 * rewrites a whole node claims it, and its children are skipped. */
#include <stdio.h>
#include <stdlib.h>

#include "migrate/rule.h"

/* Rules for a specific context come before those for a word anywhere: map_location before "cuda". */
const ten_rewrite_rule *const ten_rule_families[] = {
    ten_rules_place,     ten_rules_xla,  ten_rules_xla_processes, ten_rules_distributed, ten_rules_checkpoint,
    ten_rules_amp,       ten_rules_rng,  ten_rules_data,          ten_rules_compile,     ten_rules_device,
    ten_rules_cuda,      ten_rules_loop, ten_rules_shapes,        ten_rules_keep,        ten_rules_optimize,
    ten_rules_torch_tpu, NULL,
};

bool ten_rule_enabled(const ten_rewrite *rw, const ten_rewrite_rule *rule) {
  if (!(rule->targets & (rw->xla ? FOR_XLA : FOR_TPU))) return false;
  const char *list = rw->options->disabled;
  char number[16];
  const int size = snprintf(number, sizeof number, "%u", rule->number);
  while (list && *list) {
    const size_t item = strcspn(list, ", ");
    if (item == (size_t)size && !strncmp(list, number, item)) return false;
    list += item;
    list += strspn(list, ", ");
  }
  return true;
}

static bool claimed_above(const ten_py_node *node) {
  for (; node; node = node->parent)
    if (node->claimed) return true;
  return false;
}

static unsigned deleted_of(const ten_rewrite *rw, const ten_py_node *block) {
  for (size_t i = 0; i < rw->blocks.count; i++)
    if (rw->blocks.data[i].block == block) return rw->blocks.data[i].deleted;
  return 0;
}

/* Deletes an if torch.cuda.is_available(): whose body is empty. False when there is no such branch. */
static bool delete_empty_branch(ten_rewrite *rw, const ten_py_node *block) {
  ten_py_node *branch = block->parent;
  if (branch->kind != PY_IF || ten_py_field_of(branch, PY_F_ALTERNATIVE) || branch->claimed ||
      deleted_of(rw, block) < ten_py_named_count(block) ||
      !(ten_py_value_of(rw->file, ten_py_field_of(branch, PY_F_CONDITION)) & V_AVAILABLE))
    return false;
  for (ten_py_node *node = branch; node; node = ten_py_walk(node, branch, false))
    if (node->kind == PY_COMMENT) return false; /* nothing would be left to anchor it */
  const ten_rewrite_rule *rule = NULL;
  for (size_t c = 0; c < rw->changes.count; c++) {
    if (!ten_py_inside(rw->changes.data[c].node, branch)) continue;
    if (!rule || ten_py_inside(rw->changes.data[c].node, block)) rule = rw->changes.data[c].rule;
    ten_edits_drop(&rw->edits, (unsigned)c);
  }
  return rule && ten_delete_statement(rw, rule, branch);
}

static void empty_branches(ten_rewrite *rw) {
  bool any = false;
  for (bool more = true; more;) { /* an enclosing one may be empty now */
    more = false;
    for (size_t i = 0; i < rw->blocks.count; i++) more |= delete_empty_branch(rw, rw->blocks.data[i].block);
    any |= more;
  }
  bool writes = false; /* after deletions only, the condition's imports are not needed */
  for (size_t i = 0; i < rw->edits.list.count; i++) writes |= rw->edits.list.data[i].text.size > 0;
  if (any && !writes) memset(rw->needed, 0, sizeof rw->needed);
}

/* Also deletes an imported CUDA name whose every use was rewritten. */
static bool is_dead(ten_rewrite *rw, ten_str local, ten_str dotted) {
  static const char *const ours[] = {"torch.backends.cudnn", "torch.cuda", "torch.multiprocessing", NULL};
  const bool xla = !rw->xla && ten_str_starts(dotted, "torch_xla"); /* TorchTPU programs do without, used or not */
  bool ours_too = xla;
  for (int i = 0; ours[i]; i++) ours_too |= ten_str_starts(dotted, ours[i]);
  if (!ours_too || !local.size) return false;
  unsigned gone = 0;
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *node = root; node;
       node = ten_py_walk(node, root, node->kind == PY_IMPORT || node->kind == PY_IMPORT_FROM)) {
    if (node->kind != PY_IDENTIFIER || !ten_str_eq(rw_text(rw, node), local)) continue;
    if (node->parent->kind == PY_ATTRIBUTE && node->field == PY_F_ATTRIBUTE) continue;
    if (node->parent->kind == PY_KEYWORD && node->field == PY_F_NAME) continue;
    if (!claimed_above(node)) return false;
    gone++;
  }
  return gone > 0 || xla; /* unused before: not our concern */
}

static void clean_from_import(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement) {
  ten_buf dotted = {0}, alive = {0};
  unsigned names = 0, dead = 0;
  ten_py_node *first = NULL, *last = NULL;
  bool comments = false;
  for (ten_py_node *item = statement->child; item; item = item->next) {
    comments |= item->kind == PY_COMMENT;
    if (item->field != PY_F_NAME) continue;
    const bool aliased = item->kind == PY_ALIASED_IMPORT;
    dotted.size = 0;
    ten_buf_printf(&dotted, "%.*s.%.*s", TEN_FMT(rw_text(rw, ten_py_field_of(statement, PY_F_MODULE_NAME))),
                   TEN_FMT(rw_text(rw, aliased ? ten_py_field_of(item, PY_F_NAME) : item)));
    names++;
    first = first ? first : item;
    last = item;
    if (is_dead(rw, rw_text(rw, aliased ? ten_py_field_of(item, PY_F_ALIAS) : item),
                (ten_str){dotted.data, dotted.size}))
      dead++;
    else
      ten_buf_printf(&alive, "%s%.*s", alive.size ? ", " : "", TEN_FMT(rw_text(rw, item)));
  }
  const ten_py_node *holder = statement->parent;
  if (dead && dead == names && (holder->kind == PY_MODULE || holder->kind == PY_BLOCK))
    ten_delete_statement(rw, rule, statement);
  else if (dead && dead < names && !comments)
    ten_rewrite_span(rw, rule, statement, first->start, last->end, "%s", alive.data);
  ten_buf_free(&dotted);
  ten_buf_free(&alive);
}

/* import a, b as c: what one item binds, and the module it is */
static bool is_dead_item(ten_rewrite *rw, ten_py_node *item) {
  if (item->kind == PY_ALIASED_IMPORT)
    return is_dead(rw, rw_text(rw, ten_py_field_of(item, PY_F_ALIAS)), rw_text(rw, ten_py_field_of(item, PY_F_NAME)));
  const ten_str dotted = rw_text(rw, item);
  if (rw->xla || !ten_str_starts(dotted, "torch_xla")) return false; /* a plain import of torch.cuda is one of torch */
  return is_dead(rw, rw_text(rw, ten_py_named(item, 0)), dotted);
}

static void clean_import(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement) {
  ten_buf alive = {0};
  unsigned dead = 0;
  ten_py_node *first = NULL, *last = NULL;
  for (ten_py_node *item = statement->child; item; item = item->next) {
    if (item->kind != PY_ALIASED_IMPORT && item->kind != PY_DOTTED_NAME) continue;
    first = first ? first : item;
    last = item;
    if (is_dead_item(rw, item))
      dead++;
    else
      ten_buf_printf(&alive, "%s%.*s", alive.size ? ", " : "", TEN_FMT(rw_text(rw, item)));
  }
  if (dead && !alive.size)
    ten_delete_statement(rw, rule, statement);
  else if (dead)
    ten_rewrite_span(rw, rule, statement, first->start, last->end, "%s", alive.data);
  ten_buf_free(&alive);
}

static void unused_imports(ten_rewrite *rw) {
  static const ten_rewrite_rule rule = {113, "unused-import", "nothing uses it any more", FOR_BOTH, {PY_OTHER}, NULL};
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *node = root; node; node = ten_py_walk(node, root, false)) {
    if (node->kind == PY_IMPORT_FROM) clean_from_import(rw, &rule, node);
    if (node->kind == PY_IMPORT) clean_import(rw, &rule, node);
  }
}

/* Moves by device number, which no word of the text shows. */
static bool places_by_rank(ten_py_file *file) {
  ten_py_node *root = file->tree.root;
  for (ten_py_node *node = root; node; node = ten_py_walk(node, root, false))
    if ((node->kind == PY_CALL || node->kind == PY_KEYWORD) && ten_rank_device(file, node)) return true;
  return false;
}

/* Whether this file's program chooses a device anywhere. */
static bool program_places(ten_py_file *mine) {
  static const char *const signs[] = {"cuda",      "device", "accelerator", "torch_xla",
                                      "torch_tpu", "nccl",   "LOCAL_RANK",  NULL};
  for (size_t f = 0; f < mine->project->files.count; f++) {
    ten_py_file *file = mine->project->files.data[f];
    if (!file->uses_torch || !ten_same_program(file, mine)) continue;
    for (int i = 0; signs[i]; i++)
      if (memmem(file->tree.text.data, file->tree.text.size, signs[i], strlen(signs[i]))) return true;
    if (places_by_rank(file)) return true;
  }
  return false;
}

void ten_rules_sort(const ten_rewrite *rw, const ten_rewrite_rule *const *families, ten_rules_by_kind *out) {
  for (int f = 0; families[f]; f++)
    for (const ten_rewrite_rule *rule = families[f]; rule->number; rule++) {
      if (!ten_rule_enabled(rw, rule)) continue;
      for (int k = 0; k < 4 && rule->kinds[k] != PY_OTHER; k++) ten_vec_push(&out->of[rule->kinds[k]], rule);
    }
}

void ten_rules_by_kind_free(ten_rules_by_kind *rules) {
  for (int k = 0; k < PY_KIND_COUNT; k++) ten_vec_free(&rules->of[k]);
}

void ten_rules_run(ten_rewrite *rw, const struct ten_user_rules *user) {
  ten_rules_by_kind rules = {0};
  ten_rules_sort(rw, ten_rule_families, &rules);
  rw->places = program_places(rw->file);
  if (user) ten_user_rules_run(user, rw);
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *node = root; node; node = ten_py_walk(node, root, node->claimed))
    for (size_t i = 0; i < rules.of[node->kind].count && !node->claimed; i++) {
      const ten_rewrite_rule *rule = rules.of[node->kind].data[i];
      rw->at = node;
      rule->apply(rw, rule, node);
    }
  ten_rules_by_kind_free(&rules);
  empty_branches(rw);
  unused_imports(rw);
  bool helpers = false;
  for (int h = 0; h < HELPER_COUNT; h++) helpers |= rw->helpers[h] != NULL;
  if (rw->changes.count || rw->keep_parameters || helpers) ten_place_imports(rw);
}

bool ten_migrate_rule(size_t index, unsigned *out_number, const char **out_name, const char **out_reason,
                      unsigned *out_targets) {
  for (int f = 0; ten_rule_families[f]; f++)
    for (const ten_rewrite_rule *rule = ten_rule_families[f]; rule->number; rule++) {
      if (index--) continue;
      if (out_number) *out_number = rule->number;
      if (out_name) *out_name = rule->name;
      if (out_reason) *out_reason = rule->reason;
      if (out_targets) *out_targets = rule->targets;
      return true;
    }
  return false;
}
