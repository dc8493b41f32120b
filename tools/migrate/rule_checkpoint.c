/* rule_checkpoint.c: saves host tensors, so that any machine can load them. */
#include "migrate/rule.h"

/* Whether the expression depends on the process: f"shard-{rank}.pt", or a name derived from such a value. */
static bool names_rank(ten_rewrite *rw, ten_py_node *top, int depth) {
  static const char *const words[] = {"rank", "ordinal", "process_index", NULL};
  for (ten_py_node *node = top; node; node = ten_py_walk(node, top, false)) {
    if (node->kind != PY_IDENTIFIER) continue;
    const ten_str text = rw_text(rw, node);
    for (int i = 0; words[i]; i++)
      if (memmem(text.data, text.size, words[i], strlen(words[i]))) return true;
    ten_py_name *name = depth < 4 && node->field != PY_F_ATTRIBUTE ? ten_name_lookup(rw->file, node, text) : NULL;
    if (!name) continue;
    if (ten_py_value_of_name(rw->file, name) & V_RANK) return true;
    for (const ten_py_binding *b = name->first; b; b = b->next)
      if (b->how == BIND_ASSIGN && b->value && b->file == rw->file && !ten_py_inside(top, b->value) &&
          names_rank(rw, b->value, depth + 1))
        return true;
  }
  return false;
}

static void save(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!rw->places || !ten_dotted_is(rw->file, callee, "torch.save")) return;
  ten_py_node *what = ten_call_argument(rw->file, call, 0, "obj");
  const ten_py_node *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  for (const ten_py_node *a = arguments->child; a; a = a->next)
    if (a->kind == PY_KEYWORD || a->kind == PY_LIST_SPLAT || a->kind == PY_DICT_SPLAT) return;
  if (!what || ten_py_named_count(arguments) != 2) return;
  const uint32_t kind = ten_py_value_of(rw->file, what);
  if (kind & V_MODULE) {
    ten_note_add(rw, rule, TEN_NOTE_INFO, call,
                 "a whole module is saved with its device; save model.state_dict() to load it anywhere");
    return;
  }
  if (kind & V_HOST) return;
  const bool dict = ten_py_unparen(what)->kind == PY_DICT || ten_py_unparen(what)->kind == PY_IDENTIFIER;
  if (!(kind & (V_STATE | V_TENSOR)) && !dict) return;
  if (!ten_rewrite_node(rw, rule, callee, "%s.save", ten_use(rw, MOD_XM))) {
    ten_coverage(rw, false);
    return;
  }
  ten_coverage(rw, true);
  ten_py_node *where = ten_call_argument(rw->file, call, 1, "f");
  if (where && names_rank(rw, where, 0)) ten_add_argument(rw, rule, call, "master_only=False"); /* a file a process */
}

static void load(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  const bool known = ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted) &&
                     (!strcmp(dotted, "torch.load") || !strcmp(dotted, "torch.hub.load_state_dict_from_url") ||
                      !strcmp(dotted, "torch.utils.model_zoo.load_url"));
  /* Other functions with a map_location pass it to torch.load. */
  ten_py_node *place = ten_call_argument(rw->file, call, known ? 1 : -1, "map_location");
  if (!place) return;
  ten_py_node *value = ten_py_unparen(place);
  const uint32_t kind = ten_py_value_of(rw->file, value);
  /* lambda storage, loc: storage.cuda(0) */
  const ten_py_node *body = value->kind == PY_LAMBDA ? ten_py_field_of(value, PY_F_BODY) : NULL;
  const ten_py_node *moved = body && body->kind == PY_CALL ? ten_py_field_of(body, PY_F_FUNCTION) : NULL;
  const bool moves = moved && moved->kind == PY_ATTRIBUTE && rw_is(rw, ten_py_field_of(moved, PY_F_ATTRIBUTE), "cuda");
  if ((value->kind == PY_LAMBDA && !moves) || rw_is(rw, value, "None")) return;
  const bool asked = value->kind == PY_CALL && rw->places && /* a function that returns the location */
                     !ten_dotted_is(rw->file, ten_py_field_of(value, PY_F_FUNCTION), "torch.device");
  if (value->kind != PY_DICT && !moves && !asked && !(kind & (V_DEVICE | V_RANK)) &&
      !ten_is_device_string(rw->file, value))
    return;
  if (!rw->xla) {
    if (value->kind == PY_DICT || moves) ten_coverage(rw, ten_rewrite_node(rw, rule, place, "\"tpu\""));
    return; /* the text rules do the rest: torch_tpu registers its device with torch.load */
  }
  ten_coverage(rw, ten_rewrite_node(rw, rule, place, "\"cpu\""));
  const ten_py_node *parent = call->parent;
  if (parent->kind == PY_ASSIGN && !(ten_py_field_of(parent, PY_F_LEFT)->kind == PY_IDENTIFIER ||
                                     ten_py_field_of(parent, PY_F_LEFT)->kind == PY_ATTRIBUTE))
    return;
  ten_note_add(rw, rule, TEN_NOTE_INFO, call,
               "loaded to the host; load_state_dict and .to(device) bring it to the device");
}

/* model.cpu(); torch.save(model.state_dict(), …): moving the model would create new parameters that the optimizer does
 * not have. */
static void cpu_before_save(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *statement = ten_py_statement(call);
  if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "cpu") ||
      !statement || call->parent != statement)
    return;
  ten_py_node *object = ten_py_field_of(callee, PY_F_OBJECT), *base = object;
  if (!(ten_py_value_of(rw->file, object) & V_MODULE)) return;
  while (base->kind == PY_CALL || base->kind == PY_ATTRIBUTE) base = base->child; /* transformer.eval().cpu() */
  const ten_str name = rw_text(rw, base);
  ten_py_node *next = statement->next;
  for (int i = 0; i < 8 && next; i++, next = next->next) {
    const ten_str text = rw_text(rw, next);
    if (!memmem(text.data, text.size, "torch.save", 10) || !memmem(text.data, text.size, name.data, name.size))
      continue;
    if (object->kind == PY_CALL)
      ten_coverage(rw, ten_rewrite_span(rw, rule, call, object->end, call->end, "%s", ""));
    else
      ten_coverage(rw, ten_delete_statement(rw, rule, statement));
    return;
  }
}

const ten_rewrite_rule ten_rules_checkpoint[] = {
    {601, "save", "xm.save writes host tensors, from one process only", FOR_XLA, {PY_CALL}, save},
    {602,
     "map-location",
     "torch.load cannot place storage on an XLA device; it loads to the host",
     FOR_BOTH,
     {PY_CALL},
     load},
    {603,
     "cpu-before-save",
     "xm.save copies to the host by itself; moving the model there would part it from its optimizer",
     FOR_XLA,
     {PY_CALL},
     cpu_before_save},
    {0},
};
