/* rule_compile.c: torch.compile, profilers, memory formats. */
#include "migrate/rule.h"

static void compile(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  const char *backend = rw->xla ? "openxla" : "tpu";
  if (node->kind == PY_DECORATOR) { /* @torch.compile without a call */
    ten_py_node *target = ten_py_named(node, 0);
    if (!target || target->kind == PY_CALL || !ten_dotted_is(rw->file, target, "torch.compile")) return;
    ten_coverage(rw, ten_rewrite_span(rw, rule, node, target->end, target->end, "(backend=\"%s\")", backend));
  } else {
    if (!ten_dotted_is(rw->file, ten_py_field_of(node, PY_F_FUNCTION), "torch.compile")) return;
    ten_py_node *given = ten_call_keyword(rw->file, node, "backend"), *mode = ten_call_keyword(rw->file, node, "mode");
    if (mode) ten_delete_argument(rw, rule, mode); /* modes are specific to Inductor */
    ten_py_node *value = ten_py_field_of(given, PY_F_VALUE);
    ten_str text;
    if (!given)
      ten_coverage(rw, ten_add_argument(rw, rule, node, "backend=\"%s\"", backend));
    else if (ten_py_literal(&rw->file->tree, value, &text) &&
             (ten_str_is(text, "inductor") || ten_str_is(text, "cudagraphs") ||
              (!rw->xla && ten_str_is(text, "openxla"))))
      ten_coverage(rw, ten_rewrite_node(rw, rule, value, "%s", ten_quoted(rw, value, backend)));
  }
  ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
}

static void profiler(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  if (node->kind == PY_ATTRIBUTE) { /* ProfilerActivity.CUDA in a list */
    if (!ten_dotted(rw->file, node, dotted) || strcmp(dotted, "torch.profiler.ProfilerActivity.CUDA")) return;
    if (node->parent->kind == PY_LIST && ten_py_named_count(node->parent) > 1)
      ten_coverage(rw, ten_delete_argument(rw, rule, node));
    else
      ten_note_add(rw, rule, TEN_NOTE_HUMAN, node,
                   "there is no CUDA activity to record; torch_xla.debug.profiler records the device");
    return;
  }
  if (node->kind == PY_KEYWORD) {
    ten_py_node *name = ten_py_field_of(node, PY_F_NAME), *value = ten_py_field_of(node, PY_F_VALUE);
    ten_str text;
    if (rw_is(rw, name, "use_cuda")) {
      ten_py_node *call = node->parent->parent;
      if (ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted) && strstr(dotted, "profile"))
        ten_coverage(rw, ten_delete_argument(rw, rule, node));
    } else if (rw_is(rw, name, "sort_by") && ten_py_literal(&rw->file->tree, value, &text) &&
               memmem(text.data, text.size, "cuda_", 5)) {
      const char *at = memmem(text.data, text.size, "cuda_", 5);
      const uint32_t start = (uint32_t)(at - rw->file->source.data);
      ten_coverage(rw, ten_rewrite_span(rw, rule, node, start, start + 4, "cpu"));
    }
  }
}

static void channels_last(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *value = ten_py_field_of(node, PY_F_VALUE);
  char dotted[TEN_DOTTED_MAX];
  if (!rw_is(rw, ten_py_field_of(node, PY_F_NAME), "memory_format") || !ten_dotted(rw->file, value, dotted)) return;
  if (strcmp(dotted, "torch.channels_last") && strcmp(dotted, "torch.channels_last_3d")) return;
  ten_py_node *arguments = node->parent, *call = arguments->parent, *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee || callee->kind != PY_ATTRIBUTE) return;
  const bool only = ten_py_named_count(arguments) == 1;
  if (only && rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "to")) {
    ten_py_node *object = ten_py_field_of(callee, PY_F_OBJECT), *statement = ten_py_statement(call);
    ten_py_node *assigned = call->parent->kind == PY_ASSIGN ? ten_py_field_of(call->parent, PY_F_LEFT) : NULL;
    const bool to_itself =
        assigned && ten_str_eq(rw_text(rw, assigned), rw_text(rw, object)) && call->parent->parent == statement;
    if (statement && (call->parent == statement || to_itself))
      ten_coverage(rw, ten_delete_statement(rw, rule, statement));
    else
      ten_coverage(rw, ten_rewrite_span(rw, rule, call, object->end, call->end, "%s", ""));
  } else {
    ten_coverage(rw, ten_delete_argument(rw, rule, node));
  }
}

static void script(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, ten_py_field_of(node, PY_F_FUNCTION), dotted)) return;
  if (strcmp(dotted, "torch.jit.script") && strcmp(dotted, "torch.jit.trace")) return;
  ten_note_add(rw, rule, TEN_NOTE_INFO, node,
               "%s still works, but the device compiles the graph by itself: the plain module is as fast", dotted);
}

/* torch.inference_mode() → torch.no_grad(): tensors without a version counter cannot be wrapped for the device.
 * torch.inference_mode(flag) → torch.set_grad_enabled(not flag) */
static void inference_mode(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  if (!rw->places || ten_py_up(node, PY_IMPORT_FROM)) return;
  if (node->kind == PY_CALL) {
    ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
    if (!ten_dotted_is(rw->file, callee, "torch.inference_mode")) return;
    ten_py_node *mode = ten_call_argument(rw->file, node, 0, "mode");
    if (!mode) return; /* only the callee is rewritten, below */
    const bool atom = mode->kind == PY_IDENTIFIER || mode->kind == PY_ATTRIBUTE || mode->kind == PY_CALL;
    const ten_str text = rw_text(rw, mode);
    const char *torch = ten_use(rw, MOD_TORCH);
    if (ten_str_is(text, "True"))
      ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s.no_grad()", torch));
    else if (ten_str_is(text, "False"))
      ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s.enable_grad()", torch));
    else
      ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s.set_grad_enabled(not %s%.*s%s)", torch, atom ? "" : "(",
                                        TEN_FMT(text), atom ? "" : ")"));
    return;
  }
  if (node->parent->kind == PY_ATTRIBUTE && node->field == PY_F_ATTRIBUTE) return; /* the whole is what has a name */
  if (ten_dotted_is(rw->file, node, "torch.inference_mode"))
    ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s.no_grad", ten_use(rw, MOD_TORCH)));
}

/* TorchTPU 0.2 compiles these layers as aten::lstm and aten::gru, for which it has no derivative, and says nothing. */
static void recurrent(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  const ten_str text = rw->file->tree.text;
  if (!ten_dotted(rw->file, ten_py_field_of(node, PY_F_FUNCTION), dotted)) return;
  if (strcmp(dotted, "torch.nn.LSTM") && strcmp(dotted, "torch.nn.GRU")) return;
  if (!memmem(text.data, text.size, "compile", 7) || memmem(text.data, text.size, "allow_rnn", 9)) return;
  ten_note_add(rw, rule, TEN_NOTE_HUMAN, node,
               "inside torch.compile this layer, and what comes before it, gets no gradients from TorchTPU 0.2: set "
               "torch._dynamo.config.allow_rnn = False after `import torch_tpu`");
}

const ten_rewrite_rule ten_rules_compile[] = {
    {801,
     "compile",
     "torch.compile needs the target's backend; modes belong to Inductor",
     FOR_BOTH,
     {PY_CALL, PY_DECORATOR},
     compile},
    {802, "jit", "TorchScript is not needed on a compiling device", FOR_BOTH, {PY_CALL}, script},
    {803,
     "profiler",
     "there is no CUDA timeline to record or to sort by",
     FOR_BOTH,
     {PY_KEYWORD, PY_ATTRIBUTE},
     profiler},
    {804,
     "channels-last",
     "the compiler chooses the layout; memory formats are not kept on the device",
     FOR_BOTH,
     {PY_KEYWORD},
     channels_last},
    {805,
     "inference-mode",
     "torch_xla cannot wrap inference tensors and fails; without gradients it computes the same",
     FOR_XLA,
     {PY_CALL, PY_ATTRIBUTE, PY_IDENTIFIER},
     inference_mode},
    {808,
     "recurrent-gradients",
     "a compiled LSTM or GRU has no gradients on TorchTPU 0.2, unless PyTorch breaks the graph there",
     FOR_TPU,
     {PY_CALL},
     recurrent},
    {0},
};
