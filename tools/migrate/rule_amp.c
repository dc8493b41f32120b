/* rule_amp.c: mixed precision. TPUs compute in bfloat16, which has float32's range: autocast changes its device and
 * type, and loss scaling is disabled rather than removed, so that scaler.step(), update() and state_dict() still work
 * unchanged. */
#include "migrate/rule.h"

static bool is_half(ten_rewrite *rw, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  return node && ten_dotted(rw->file, node, dotted) &&
         (!strcmp(dotted, "torch.float16") || !strcmp(dotted, "torch.half"));
}

static void autocast(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  if (!arguments || !ten_dotted(rw->file, callee, dotted)) return;
  const bool old =
      !strcmp(dotted, "torch.cuda.amp.autocast") || !strcmp(dotted, "torch.cuda.amp.autocast_mode.autocast");
  if (!old && strcmp(dotted, "torch.autocast") && strcmp(dotted, "torch.amp.autocast") &&
      strcmp(dotted, "torch.amp.autocast_mode.autocast"))
    return;
  ten_py_node *dtype = ten_call_argument(rw->file, call, 1, "dtype");
  if (old) {
    ten_buf text = {0};
    const char *torch = ten_use(rw, MOD_TORCH);
    ten_buf_printf(&text, "%s.autocast(\"%s\"", torch, ten_device_name(rw));
    if (dtype && !is_half(rw, dtype))
      ten_buf_printf(&text, ", dtype=%.*s", TEN_FMT(rw_text(rw, dtype)));
    else
      ten_buf_printf(&text, ", dtype=%s.bfloat16", torch);
    const char *const kept[] = {"enabled", "cache_enabled"};
    for (int k = 0; k < 2; k++) {
      ten_py_node *value = ten_call_argument(rw->file, call, k == 0 ? 0 : 2, kept[k]);
      if (value) ten_buf_printf(&text, ", %s=%.*s", kept[k], TEN_FMT(rw_text(rw, value)));
    }
    ten_buf_addc(&text, ')');
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s", text.data));
    ten_buf_free(&text);
    ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
    return;
  }
  ten_py_node *type = ten_call_argument(rw->file, call, 0, "device_type");
  const bool cuda = ten_is_device_string(rw->file, type);
  ten_py_node *choice = ten_py_unparen(type);
  const bool chosen = choice && choice->kind == PY_CONDITIONAL && ten_py_value_of(rw->file, choice) & V_DEVICE;
  if (!cuda && !chosen && !(type && ten_py_value_of(rw->file, type) & V_DEVICE)) return;
  if (cuda) ten_coverage(rw, ten_rewrite_node(rw, rule, type, "%s", ten_quoted(rw, type, ten_device_name(rw))));
  if (is_half(rw, dtype))
    ten_rewrite_node(rw, rule, dtype, "%s.bfloat16", ten_use(rw, MOD_TORCH));
  else if (!dtype && cuda)
    ten_add_argument(rw, rule, call, "dtype=%s.bfloat16", ten_use(rw, MOD_TORCH));
  ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
}

static void grad_scaler(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!ten_dotted(rw->file, callee, dotted)) return;
  if (strcmp(dotted, "torch.cuda.amp.GradScaler") && strcmp(dotted, "torch.cuda.amp.grad_scaler.GradScaler") &&
      strcmp(dotted, "torch.amp.GradScaler") && strcmp(dotted, "torch.GradScaler") &&
      (rw->xla || strcmp(dotted, "torch_xla.amp.GradScaler")))
    return;
  ten_py_node *enabled = ten_call_keyword(rw->file, call, "enabled");
  if (enabled && rw_is(rw, ten_py_field_of(enabled, PY_F_VALUE), "False") && strncmp(dotted, "torch.cuda", 10)) return;
  ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s.amp.GradScaler(\"%s\", enabled=False)", ten_use(rw, MOD_TORCH),
                                    ten_device_name(rw)));
}

static void custom_autocast(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *target = ten_py_named(node, 0);
  ten_py_node *callee = target && target->kind == PY_CALL ? ten_py_field_of(target, PY_F_FUNCTION) : target;
  if (!callee || !ten_dotted(rw->file, callee, dotted)) return;
  if (strcmp(dotted, "torch.cuda.amp.custom_fwd") && strcmp(dotted, "torch.cuda.amp.custom_bwd")) return;
  const bool bare = target == callee;
  const char *torch = ten_use(rw, MOD_TORCH);
  const ten_py_node *arguments = bare ? NULL : ten_py_field_of(target, PY_F_ARGUMENTS);
  const unsigned change = ten_change_begin(rw, rule, node);
  bool ok = ten_change_edit(rw, change, callee->start, callee->end, "%s.amp.%s%s", torch, dotted + 15, "");
  if (bare)
    ok = ok && ten_change_edit(rw, change, callee->end, callee->end, "(device_type=\"%s\")", ten_device_name(rw));
  else
    ok = ok && ten_change_edit(rw, change, arguments->start + 1, arguments->start + 1, "device_type=\"%s\"%s",
                               ten_device_name(rw), ten_py_named_count(arguments) ? ", " : "");
  callee->claimed = true;
  ten_coverage(rw, ok);
}

static void half_precision(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  if (node->kind == PY_CALL) {
    ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
    if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "half")) return;
    if (!(ten_py_value_of(rw->file, ten_py_field_of(callee, PY_F_OBJECT)) & (V_MODULE | V_TENSOR))) return;
  } else if (!is_half(rw, node) || node->parent->kind == PY_ATTRIBUTE) {
    return;
  }
  ten_note_add(rw, rule, TEN_NOTE_INFO, node,
               "float16 is not a TPU's native type; bfloat16 is, and needs no loss scaling");
}

const ten_rewrite_rule ten_rules_amp[] = {
    {301, "autocast", "autocast names its device; TPUs compute in bfloat16", FOR_BOTH, {PY_CALL}, autocast},
    {302,
     "grad-scaler",
     "bfloat16 has float32's range, so gradients need no scaling",
     FOR_BOTH,
     {PY_CALL},
     grad_scaler},
    {303, "custom-autocast", "the decorators of torch.amp take any device", FOR_BOTH, {PY_DECORATOR}, custom_autocast},
    {304, "half", "float16 is not native to a TPU", FOR_BOTH, {PY_CALL, PY_ATTRIBUTE}, half_precision},
    {0},
};
