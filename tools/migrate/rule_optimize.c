/* rule_optimize.c: optional rewrites for speed, off by default: `--optimize` measures each and keeps those that
 * help. (The device loader is in rule_data.c, deferred reads and the position of the step's end in
 * rule_loop.c.) */
#include <stdio.h>

#include "migrate/rule.h"

/* @torch.autocast("xla", dtype=torch.bfloat16) on forward, as PyTorch's own documentation writes it */
static void bf16_forward(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *function) {
  if (!rw->options->bf16 || !rw->places || !rw_is(rw, ten_py_field_of(function, PY_F_NAME), "forward")) return;
  ten_py_node *class = ten_class_around(function);
  if (!class || function->parent->kind == PY_DECORATED || !ten_is_module_class(rw->file, class, 0)) return;
  const ten_str name = rw_text(rw, ten_py_field_of(class, PY_F_NAME)), source = rw->file->tree.text;
  if (ten_is_helper(name)) return;                             /* as in the first run, which writes them */
  if (memmem(source.data, source.size, "autocast", 8)) return; /* the program chooses itself */
  for (ten_py_node *node = rw->file->tree.root; node; node = ten_py_walk(node, rw->file->tree.root, false)) {
    /* Only the outermost modules, which no other module's __init__ creates: they contain the others. */
    const ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    ten_py_node *around = callee && callee->kind == PY_IDENTIFIER && ten_str_eq(rw_text(rw, callee), name)
                              ? ten_class_around(node)
                              : NULL;
    if (around && around != class && ten_is_module_class(rw->file, around, 0)) return;
  }
  const char *torch = ten_use(rw, MOD_TORCH);
  ten_insert_before(rw, rule, function, "@%s.autocast(\"%s\", dtype=%s.bfloat16)", torch, ten_device_name(rw), torch);
  ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
}

/* torch.optim.Adam(…) → syncfree.Adam(…), or foreach=True where the target is a native torch device; there syncfree's
 * become torch.optim's (rule 306) */
static void fused_optimizer(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const known[] = {"SGD", "Adam", "AdamW", NULL};
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!rw->options->fused_optimizer || !rw->places || !ten_dotted(rw->file, callee, dotted)) return;
  if (strncmp(dotted, "torch.optim.", 12) && (rw->xla || strncmp(dotted, "torch_xla.amp.syncfree.", 23))) return;
  const char *name = NULL;
  for (int i = 0; known[i]; i++)
    if (!strcmp(strrchr(dotted, '.') + 1, known[i])) name = known[i];
  if (!name || ten_call_keyword(rw->file, call, "foreach") || ten_call_keyword(rw->file, call, "fused")) return;
  if (rw->xla)
    ten_rewrite_node(rw, rule, callee, "%s.%s", ten_use(rw, MOD_SYNCFREE), name);
  else
    ten_add_argument(rw, rule, call, "foreach=True");
}

/* for layer in self.layers: x = layer(x) → x = scan_layers(self.layers, x) */
static void scan_layers(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *loop) {
  if (!rw->options->scan_layers || !rw->places) return;
  ten_py_node *layer = ten_py_field_of(loop, PY_F_LEFT), *layers = ten_py_field_of(loop, PY_F_RIGHT),
              *body = ten_py_field_of(loop, PY_F_BODY);
  if (!layer || layer->kind != PY_IDENTIFIER || !layers || layers->kind != PY_ATTRIBUTE || !body ||
      ten_py_named_count(body) != 1 || ten_py_field_of(loop, PY_F_ALTERNATIVE) ||
      !(ten_py_value_of(rw->file, layers) & V_MODULE))
    return;
  ten_py_node *statement = ten_py_named(body, 0);
  ten_py_node *assign = statement->kind == PY_EXPR_STMT ? ten_py_named(statement, 0) : NULL;
  if (!assign || assign->kind != PY_ASSIGN) return;
  ten_py_node *left = ten_py_field_of(assign, PY_F_LEFT), *right = ten_py_field_of(assign, PY_F_RIGHT);
  if (!right || right->kind != PY_CALL || left->kind != PY_IDENTIFIER) return;
  ten_py_node *callee = ten_py_field_of(right, PY_F_FUNCTION), *arguments = ten_py_field_of(right, PY_F_ARGUMENTS);
  ten_py_node *only = arguments && ten_py_named_count(arguments) == 1 ? ten_py_named(arguments, 0) : NULL;
  if (!only || !ten_str_eq(rw_text(rw, callee), rw_text(rw, layer)) ||
      !ten_str_eq(rw_text(rw, only), rw_text(rw, left)))
    return;
  ten_rewrite_node(rw, rule, loop, "%.*s = %s.scan_layers(%.*s, %.*s)", TEN_FMT(rw_text(rw, left)),
                   ten_use(rw, MOD_SCAN), TEN_FMT(rw_text(rw, layers)), TEN_FMT(rw_text(rw, left)));
}

/* pad_sequence(batch, batch_first=True) → pad_to_bucket(pad_sequence(batch, batch_first=True), 1) */
static void length_buckets(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!rw->options->length_buckets || !rw->places ||
      !ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted) ||
      strcmp(dotted, "torch.nn.utils.rnn.pad_sequence"))
    return;
  const ten_str source = rw->file->tree.text;
  if (memmem(source.data, source.size, "pad_to_bucket", 13)) return;
  ten_py_node *first = ten_call_argument(rw->file, call, 1, "batch_first"),
              *value = ten_call_argument(rw->file, call, 2, "padding_value");
  const ten_str padding = value ? rw_text(rw, value) : ten_str_of("0");
  const unsigned change = ten_change_begin(rw, rule, call);
  ten_change_edit(rw, change, call->start, call->start, "pad_to_bucket(");
  ten_change_edit(rw, change, call->end, call->end, ", %d, %.*s)", rw_is(rw, first, "True") ? 1 : 0, TEN_FMT(padding));
  rw->bucket_rule = rule;
  ten_use(rw, MOD_TORCH);
}

const ten_rewrite_rule ten_rules_optimize[] = {
    {305,
     "bf16-forward",
     "bfloat16 is what the device multiplies fastest; tried by --optimize or with --bf16",
     FOR_BOTH,
     {PY_FUNCTION},
     bf16_forward},
    {206,
     "fused-optimizer",
     "one update for all parameters; tried by --optimize or with --fused-optimizer",
     FOR_BOTH,
     {PY_CALL},
     fused_optimizer},
    {207,
     "scan-layers",
     "equal layers are compiled once and run in a loop; tried by --optimize or with --scan-layers",
     FOR_XLA,
     {PY_FOR},
     scan_layers},
    {404,
     "length-buckets",
     "lengths that are rounded up repeat, and need no new program; tried by --optimize or with --length-buckets",
     FOR_BOTH,
     {PY_CALL},
     length_buckets},
    {0},
};
