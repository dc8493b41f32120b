/* rule_rng.c: seeds. The XLA device has a separate generator. */
#include "migrate/rule.h"

/* A statement of `block`, or of an `if torch.cuda.is_available():` in it, seeds the device. */
static bool seeds_device(ten_rewrite *rw, ten_py_node *block) {
  for (ten_py_node *statement = block->child; statement; statement = statement->next) {
    ten_py_node *node = statement->kind == PY_EXPR_STMT ? ten_py_named(statement, 0) : NULL;
    char dotted[TEN_DOTTED_MAX];
    if (statement->kind == PY_IF &&
        ten_py_value_of(rw->file, ten_py_field_of(statement, PY_F_CONDITION)) & V_AVAILABLE &&
        seeds_device(rw, ten_py_field_of(statement, PY_F_CONSEQUENCE)))
      return true;
    if (!node || node->kind != PY_CALL || !ten_dotted(rw->file, ten_py_field_of(node, PY_F_FUNCTION), dotted)) continue;
    if (!strcmp(dotted, "torch_xla.manual_seed") || !strcmp(dotted, "torch_xla.core.xla_model.set_rng_state") ||
        !strcmp(dotted, "torch.cuda.manual_seed") || !strcmp(dotted, "torch.cuda.manual_seed_all"))
      return true;
  }
  return false;
}

/* An earlier statement already seeds the device: manual_seed(s), then manual_seed_all(s). */
static bool seeded_before(ten_rewrite *rw, ten_py_node *call) {
  const ten_py_node *own = ten_py_statement(call);
  const ten_str arguments = rw_text(rw, ten_py_field_of(call, PY_F_ARGUMENTS));
  bool seeded = false;
  for (ten_py_node *statement = own && call->parent == own ? own->parent->child : NULL; statement && statement != own;
       statement = statement->next) {
    ten_py_node *node = statement->kind == PY_EXPR_STMT ? ten_py_named(statement, 0) : NULL;
    char dotted[TEN_DOTTED_MAX];
    if (!node || node->kind != PY_CALL || !ten_dotted(rw->file, ten_py_field_of(node, PY_F_FUNCTION), dotted)) continue;
    const bool cuda = !strcmp(dotted, "torch.cuda.manual_seed") || !strcmp(dotted, "torch.cuda.manual_seed_all");
    if (cuda || !strcmp(dotted, "torch_xla.manual_seed"))
      seeded = ten_str_eq(rw_text(rw, ten_py_field_of(node, PY_F_ARGUMENTS)), arguments);
  }
  return seeded;
}

static void seed(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!ten_dotted(rw->file, callee, dotted)) return;
  if (!strcmp(dotted, "torch.cuda.manual_seed") || !strcmp(dotted, "torch.cuda.manual_seed_all")) {
    ten_py_node *whole = ten_py_statement(call);
    if (rw->xla && call->parent == whole && (ten_before_launch(rw, call) || seeded_before(rw, call)))
      ten_coverage(rw, ten_delete_statement(rw, rule, whole));
    else if (rw->xla)
      ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s.manual_seed", ten_use(rw, MOD_XLA)));
    else
      ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s.tpu.%s", ten_use(rw, MOD_TORCH), dotted + 11)),
          ten_use(rw, MOD_TPU);
    return;
  }
  if (!rw->xla || strcmp(dotted, "torch.manual_seed")) return;
  ten_py_node *statement = ten_py_statement(call), *argument = ten_call_argument(rw->file, call, 0, "seed");
  if (!statement || call->parent != statement || !argument || !rw->places || ten_before_launch(rw, call)) return;
  if (argument->kind == PY_CALL || seeds_device(rw, statement->parent))
    return; /* evaluating a call twice could change it */
  ten_insert_after(rw, rule, statement, "%s.manual_seed(%.*s)", ten_use(rw, MOD_XLA), TEN_FMT(rw_text(rw, argument)));
}

static void generator(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  if (!ten_dotted_is(rw->file, ten_py_field_of(call, PY_F_FUNCTION), "torch.Generator")) return;
  ten_py_node *device = ten_call_argument(rw->file, call, 0, "device");
  if (!device || !rw->xla || rw_is(rw, device, "'cpu'") || rw_is(rw, device, "\"cpu\"")) return;
  ten_coverage(
      rw, ten_rewrite_node(rw, rule,
                           device->parent->kind == PY_KEYWORD ? ten_py_field_of(device->parent, PY_F_VALUE) : device,
                           "\"cpu\""));
  ten_note_add(rw, rule, TEN_NOTE_HUMAN, call,
               "generators exist on the host only: draw with this one on the CPU and move the result to the device");
}

/* torch.tpu reserves get_rng_state for torch itself; its generators are public. */
static void tpu_state(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *name) {
  const char *torch = ten_use(rw, MOD_TORCH);
  ten_use(rw, MOD_TPU);
  if (!strcmp(name, "get_rng_state")) {
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s.tpu.default_generators[0].get_state()", torch));
  } else if (!strcmp(name, "get_rng_state_all")) {
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "[g.get_state() for g in %s.tpu.default_generators]", torch));
  } else if (!strcmp(name, "set_rng_state")) {
    ten_coverage(rw, ten_rewrite_node(rw, rule, ten_py_field_of(call, PY_F_FUNCTION), "%s.tpu.set_rng_state", torch));
  } else {
    ten_coverage(rw, false);
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, call,
                 "a process has one TPU: set its state with torch.tpu.set_rng_state(states[0])");
  }
}

static void rng_state(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!ten_dotted(rw->file, callee, dotted)) return;
  if (strcmp(dotted, "torch.cuda.get_rng_state") && strcmp(dotted, "torch.cuda.set_rng_state") &&
      strcmp(dotted, "torch.cuda.get_rng_state_all") && strcmp(dotted, "torch.cuda.set_rng_state_all"))
    return;
  if (rw->xla && strlen(dotted) == strlen("torch.cuda.get_rng_state"))
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s.%s", ten_use(rw, MOD_XM), dotted + 11));
  else if (rw->xla)
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s.%.13s", ten_use(rw, MOD_XM), dotted + 11));
  else
    tpu_state(rw, rule, call, dotted + 11);
}

const ten_rewrite_rule ten_rules_rng[] = {
    {701, "seed", "the device draws from a generator of its own", FOR_BOTH, {PY_CALL}, seed},
    {702, "generator", "torch.Generator exists on the host only", FOR_XLA, {PY_CALL}, generator},
    {703,
     "rng-state",
     "the device's generator state is read and set through the target",
     FOR_BOTH,
     {PY_CALL},
     rng_state},
    {0},
};
