/* rule_data.c: data loaders. Pinned memory is specific to CUDA; a last, smaller batch has another shape, hence another
 * program. */
#include "migrate/rule.h"

static bool is_loader_call(ten_rewrite *rw, ten_py_node *call) {
  return call && call->kind == PY_CALL && ten_py_value_of(rw->file, call) & V_LOADER;
}

static void pin_memory(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *value = ten_py_field_of(node, PY_F_VALUE);
  if (node->kind == PY_KEYWORD) {
    const bool pin = rw_is(rw, ten_py_field_of(node, PY_F_NAME), "pin_memory");
    if (!pin && !rw_is(rw, ten_py_field_of(node, PY_F_NAME), "pin_memory_device")) return;
    if (rw_is(rw, value, "False") && pin) return;
    ten_py_node *call = node->parent->parent;
    if (is_loader_call(rw, call) || !pin)
      ten_coverage(rw, ten_delete_argument(rw, rule, node));
    else if (rw_is(rw, value, "True"))
      ten_coverage(rw, ten_rewrite_node(rw, rule, value, "False"));
    return;
  }
  if (node->kind == PY_PAIR) {
    ten_str key;
    if (!ten_py_literal(&rw->file->tree, ten_py_field_of(node, PY_F_KEY), &key) || !ten_str_is(key, "pin_memory") ||
        rw_is(rw, value, "False"))
      return;
    ten_coverage(rw, ten_rewrite_node(rw, rule, value, "False"));
    return;
  }
  ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION); /* x.pin_memory() */
  if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "pin_memory"))
    return;
  ten_py_node *object = ten_py_field_of(callee, PY_F_OBJECT), *statement = ten_py_statement(node);
  const ten_py_node *left = node->parent->kind == PY_ASSIGN ? ten_py_field_of(node->parent, PY_F_LEFT) : NULL;
  if (left && node->parent->parent == statement && ten_str_eq(rw_text(rw, left), rw_text(rw, object)))
    ten_coverage(rw, ten_delete_statement(rw, rule, statement)); /* x = x.pin_memory() */
  else
    ten_coverage(rw, ten_rewrite_span(rw, rule, node, object->end, node->end, "%s", ""));
}

static void drop_last(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted) ||
      strcmp(dotted, "torch.utils.data.DataLoader"))
    return;
  if (ten_call_keyword(rw->file, call, "drop_last") || ten_call_keyword(rw->file, call, "batch_sampler")) return;
  ten_py_node *size = ten_call_argument(rw->file, call, 1, "batch_size");
  const ten_py_node *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  for (const ten_py_node *a = arguments ? arguments->child : NULL; a; a = a->next)
    if (a->kind == PY_DICT_SPLAT) return; /* its contents are unknown */
  if (!size || rw_is(rw, size, "1")) return;
  ten_note_add(
      rw, rule, TEN_NOTE_RECOMPILE, call,
      "the last batch may be smaller: one more program is compiled for it; drop_last=True (training) or padding (evaluation) avoids that");
}

/* for x, y in loader: with x.to(device) inside → for x, y in pl.MpDeviceLoader(loader, device): */
static void device_loader(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *loop) {
  if (!rw->options->device_loader) return;
  ten_py_node *iterable = ten_py_unparen(ten_py_field_of(loop, PY_F_RIGHT));
  while (iterable && iterable->kind == PY_CALL) {
    ten_py_node *inner = ten_call_argument(rw->file, iterable, 0, NULL);
    char dotted[TEN_DOTTED_MAX];
    if (ten_dotted(rw->file, ten_py_field_of(iterable, PY_F_FUNCTION), dotted) && strstr(dotted, "MpDeviceLoader"))
      return;
    if (!inner) return;
    iterable = ten_py_unparen(inner);
  }
  if (!iterable || (iterable->kind != PY_IDENTIFIER && iterable->kind != PY_ATTRIBUTE) ||
      !(ten_py_value_of(rw->file, iterable) & V_LOADER))
    return;
  ten_py_node *body = ten_py_field_of(loop, PY_F_BODY);
  bool placed = false; /* rule 108 moves its batches */
  for (size_t i = 0; i < rw->moved_loops.count; i++) placed |= rw->moved_loops.data[i] == loop;
  bool moves = placed;
  for (ten_py_node *n = body; n && !moves; n = ten_py_walk(n, body, false)) {
    ten_py_node *callee = n->kind == PY_CALL ? ten_py_field_of(n, PY_F_FUNCTION) : NULL;
    if (callee && callee->kind == PY_ATTRIBUTE)
      moves = rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "to") ||
              rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "cuda");
  }
  if (!moves) return;
  const unsigned change = ten_change_begin(rw, rule, iterable);
  ten_change_edit(rw, change, iterable->start, iterable->start, "%s.MpDeviceLoader(", ten_use(rw, MOD_PL));
  ten_change_edit(rw, change, iterable->end, iterable->end, ", %s)",
                  placed ? "device" : ten_device_expression(rw, loop));
}

const ten_rewrite_rule ten_rules_data[] = {
    {401,
     "pin-memory",
     "pinned host memory serves CUDA's copies only",
     FOR_BOTH,
     {PY_KEYWORD, PY_PAIR, PY_CALL},
     pin_memory},
    {402, "last-batch", "every new shape is recompiled", FOR_BOTH, {PY_CALL}, drop_last},
    {403,
     "device-loader",
     "the device loader sends the next batch while this one is computed",
     FOR_XLA,
     {PY_FOR},
     device_loader},
    {0},
};
