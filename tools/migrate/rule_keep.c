/* rule_keep.c: moving a module to an XLA device creates new parameters, where CUDA keeps the old objects. Tied weights
 * become separate, and an optimizer created before trains the old ones. A torch setting keeps the objects; these rules
 * find the programs that need it and have imports.c insert the line. */
#include "migrate/rule.h"

static bool ends_in_parameter(ten_rewrite *rw, const ten_py_node *node) {
  if (!node || node->kind != PY_ATTRIBUTE) return false;
  const ten_py_node *object = ten_py_field_of(node, PY_F_OBJECT), *attribute = ten_py_field_of(node, PY_F_ATTRIBUTE);
  return object && object->kind == PY_ATTRIBUTE && (rw_is(rw, attribute, "weight") || rw_is(rw, attribute, "bias"));
}

/* self.decoder.weight = self.encoder.weight */
static void tied_weights(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  if (!ends_in_parameter(rw, ten_py_field_of(node, PY_F_LEFT)) ||
      !ends_in_parameter(rw, ten_py_field_of(node, PY_F_RIGHT)))
    return;
  if (!rw->places || rw->keep_parameters) return;
  rw->keep_parameters = rule;
  rw->keep_node = node;
}

static bool is_move(const ten_py_file *file, const ten_py_node *node) { /* x.to(…), x.cuda() */
  const ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
  if (!callee || callee->kind != PY_ATTRIBUTE) return false;
  const ten_str name = ten_py_text(&file->tree, ten_py_field_of(callee, PY_F_ATTRIBUTE));
  return ten_str_is(name, "to") || ten_str_is(name, "cuda");
}

static bool holds_move(const ten_py_file *file, ten_py_node *top) {
  for (ten_py_node *node = top; node; node = ten_py_walk(node, top, false))
    if (is_move(file, node)) return true;
  return false;
}

static bool moved_before(ten_py_file *file, ten_py_node *use, int depth);

/* Whether the expression returns a module that is already on the device. Unknown counts as yes. */
static bool value_moved(ten_py_file *file, ten_py_node *value, ten_str name, int depth) {
  if (holds_move(file, value) || !(ten_py_value_of(file, value) & V_MODULE) || depth >= 3) return true;
  if (value->kind == PY_IDENTIFIER)
    return ten_str_eq(ten_py_text(&file->tree, value), name) || moved_before(file, value, depth + 1);
  if (value->kind != PY_CALL) return false;
  ten_py_file *other = file;
  ten_py_node *definition = ten_definition_of(file, ten_py_field_of(value, PY_F_FUNCTION), &other);
  if (definition && definition->kind == PY_FUNCTION) return holds_move(other, definition); /* model = build() */
  ten_py_node *inner = ten_call_argument(file, value, 0, "module");                        /* model = DDP(model) */
  if (inner && inner->kind == PY_IDENTIFIER && ten_py_value_of(file, inner) & V_MODULE)
    return ten_str_eq(ten_py_text(&file->tree, inner), name) || moved_before(file, inner, depth + 1);
  return false;
}

/* Whether the module that `use` names was moved before `use`. Unknown counts as moved: the line is only for programs
 * that need it. */
static bool moved_before(ten_py_file *file, ten_py_node *use, int depth) {
  const ten_str text = ten_py_text(&file->tree, use);
  const ten_py_node *scope = use;
  while (scope && scope->kind != PY_FUNCTION && scope->kind != PY_MODULE) scope = scope->parent;
  for (ten_py_node *node = (ten_py_node *)scope; node && node->start < use->start;
       node = ten_py_walk(node, scope, false)) {
    if (!is_move(file, node)) continue;
    const ten_py_node *object = ten_py_field_of(ten_py_field_of(node, PY_F_FUNCTION), PY_F_OBJECT);
    if (ten_str_eq(ten_py_text(&file->tree, object), text)) return true;
  }
  ten_py_name *name = use->kind == PY_IDENTIFIER ? ten_name_lookup(file, use, text) : ten_self_attribute(file, use);
  if (!name) return true;
  bool moved = true, judged = false;
  for (const ten_py_binding *b = name->first; b; b = b->next) {
    if (b->how == BIND_ASSIGN && b->value) {
      judged = true;
      moved &= value_moved(b->file, b->value, text, depth);
    } else if (b->how == BIND_ARGUMENT && b->value && depth < 3) {
      judged = true;
      moved &= b->value->kind == PY_IDENTIFIER || b->value->kind == PY_ATTRIBUTE
                   ? moved_before(b->file, b->value, depth + 1)
                   : holds_move(b->file, b->value);
    }
  }
  return !judged || moved;
}

/* Whether the program moves a module by name, not where it is created. */
static bool moves_by_name(ten_py_file *mine) {
  for (size_t f = 0; f < mine->project->files.count; f++) {
    ten_py_file *file = mine->project->files.data[f];
    if (!file->uses_torch || !ten_same_program(file, mine)) continue;
    ten_py_node *root = file->tree.root;
    for (ten_py_node *node = root; node; node = ten_py_walk(node, root, false)) {
      if (!is_move(file, node)) continue;
      ten_py_node *object = ten_py_field_of(ten_py_field_of(node, PY_F_FUNCTION), PY_F_OBJECT);
      if (object && (object->kind == PY_IDENTIFIER || object->kind == PY_ATTRIBUTE) &&
          ten_py_value_of(file, object) & V_MODULE)
        return true;
    }
  }
  return false;
}

/* class Layer(nn.Linear): def __init__(self): … self.opt = Adam(self.parameters()): it is moved later. */
static bool own_parameters(ten_rewrite *rw, ten_py_node *model) {
  const ten_py_node *function = ten_py_up(model, PY_FUNCTION);
  ten_py_node *class = ten_class_around(model);
  return rw_is(rw, model, "self") && class && function && rw_is(rw, ten_py_field_of(function, PY_F_NAME), "__init__") &&
         ten_is_module_class(rw->file, class, 0);
}

static void optimizer_first(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  if (rw->keep_parameters || !rw->places || !(ten_py_value_of(rw->file, call) & V_OPTIMIZER)) return;
  /* model.parameters() is in the call, or somewhere before it in the function (parameter groups). */
  ten_py_node *place = ten_py_field_of(call, PY_F_ARGUMENTS);
  const ten_str text = rw_text(rw, place);
  if (!memmem(text.data, text.size, "parameters(", 11)) place = ten_py_up(call, PY_FUNCTION);
  if (!place) return;
  for (ten_py_node *node = place; node; node = ten_py_walk(node, place, false)) {
    ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    if (!callee || callee->kind != PY_ATTRIBUTE || node->start > call->end) continue;
    if (!rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "parameters") &&
        !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "named_parameters"))
      continue;
    ten_py_node *model = ten_py_field_of(callee, PY_F_OBJECT);
    if (model->kind != PY_IDENTIFIER && model->kind != PY_ATTRIBUTE) continue;
    if (!own_parameters(rw, model) && (moved_before(rw->file, model, 0) || !moves_by_name(rw->file))) continue;
    rw->keep_parameters = rule;
    rw->keep_node = call;
    return;
  }
}

const ten_rewrite_rule ten_rules_keep[] = {
    {120,
     "tied-weights",
     "moving to the device would untie them: parameters are kept, not replaced",
     FOR_BOTH,
     {PY_ASSIGN},
     tied_weights},
    {121,
     "optimizer-first",
     "moving to the device would leave this optimizer with the old parameters: they are kept, not replaced",
     FOR_BOTH,
     {PY_CALL},
     optimizer_first},
    {0},
};
