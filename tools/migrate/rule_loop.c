/* rule_loop.c: the end of a training step, and host synchronization inside one. */
#include "migrate/rule.h"

/* An object with zero_grad() and step() calls is an optimizer, whatever its name: opt, sgd, self.adam. */
static bool clears_gradients(ten_rewrite *rw, ten_py_node *step, ten_str object) {
  ten_py_node *scope = ten_py_up(step, PY_FUNCTION);
  if (!scope) scope = rw->file->tree.root;
  for (ten_py_node *node = scope; node; node = ten_py_walk(node, scope, false)) {
    const ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    if (callee && callee->kind == PY_ATTRIBUTE && rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "zero_grad") &&
        ten_str_eq(rw_text(rw, ten_py_field_of(callee, PY_F_OBJECT)), object))
      return true;
  }
  return false;
}

static bool is_step_call(ten_rewrite *rw, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "step"))
    return false;
  char dotted[TEN_DOTTED_MAX];
  if (ten_dotted(rw->file, callee, dotted)) return false;
  ten_py_node *object = ten_py_field_of(callee, PY_F_OBJECT);
  const uint32_t kind = ten_py_value_of(rw->file, object);
  if (kind & V_SCALER) return true;
  if (kind & (V_SCHEDULER | V_EVENT)) return false;
  if (kind & V_OPTIMIZER) return true;
  const ten_str text = rw_text(rw, object);
  if (memmem(text.data, text.size, "sched", 5)) return false;
  return memmem(text.data, text.size, "optim", 5) || clears_gradients(rw, call, text);
}

static ten_py_node *loop_around(ten_py_node *node) {
  for (ten_py_node *up = node->parent; up; up = up->parent) {
    if (up->kind == PY_FOR || up->kind == PY_WHILE) {
      if (ten_py_inside(node, ten_py_field_of(up, PY_F_BODY))) return up;
    } else if (up->kind == PY_FUNCTION || up->kind == PY_LAMBDA || up->kind == PY_CLASS) {
      return NULL;
    }
  }
  return NULL;
}

/* A statement of `block` that contains `node`, or NULL. */
static ten_py_node *statement_in(ten_py_node *node, const ten_py_node *block) {
  for (; node && node->parent; node = node->parent)
    if (node->parent == block) return node;
  return NULL;
}

static bool has_sync(ten_rewrite *rw, ten_py_node *block) {
  for (ten_py_node *node = block; node; node = ten_py_walk(node, block, false)) {
    char dotted[TEN_DOTTED_MAX];
    if (node->kind != PY_CALL || !ten_dotted(rw->file, ten_py_field_of(node, PY_F_FUNCTION), dotted)) continue;
    if (!strcmp(dotted, "torch_xla.sync") || !strcmp(dotted, "torch_xla.core.xla_model.mark_step") ||
        !strcmp(dotted, "torch_xla.core.xla_model.optimizer_step"))
      return true;
  }
  return false;
}

/* for p in group: a loop over a few optimizers or parameters is part of one step, not several steps */
static bool is_inner_loop(ten_rewrite *rw, ten_py_node *loop) {
  if (loop->kind != PY_FOR) return false;
  const uint32_t element = ten_py_value_of(rw->file, ten_py_field_of(loop, PY_F_LEFT));
  ten_py_node *iterable = ten_py_unparen(ten_py_field_of(loop, PY_F_RIGHT));
  return element & V_OPTIMIZER || (iterable && (iterable->kind == PY_LIST || iterable->kind == PY_TUPLE)) ||
         memmem(rw_text(rw, iterable).data, rw_text(rw, iterable).size, "optimizers", 10);
}

static bool leaves(ten_py_node *statement) {
  for (ten_py_node *node = statement; node;
       node = ten_py_walk(node, statement, node->kind == PY_FOR || node->kind == PY_WHILE || node->kind == PY_FUNCTION))
    if (node->kind == PY_CONTINUE || node->kind == PY_BREAK || node->kind == PY_RETURN) return true;
  return false;
}

/* if warm: …step(); continue: the branch skips the rest of `block`, so it is treated as a separate block. */
static ten_py_node *branch_that_leaves(ten_py_node *call, ten_py_node *block) {
  for (ten_py_node *up = call->parent; up && up != block; up = up->parent) {
    if (up->kind != PY_BLOCK) continue;
    const ten_py_node *statement = statement_in(call, up);
    for (ten_py_node *next = statement ? statement->next : NULL; next; next = next->next)
      if (leaves(next)) return up;
  }
  return block;
}

/* The block of module-level statements that contains `node`: code for scripts only is not for importers. */
static ten_py_node *module_block(ten_rewrite *rw, ten_py_node *node) {
  ten_py_node *root = rw->file->tree.root, *statement = statement_in(node, root);
  ten_py_node *body = statement ? ten_py_field_of(statement, PY_F_CONSEQUENCE) : NULL;
  const ten_str condition = body ? rw_text(rw, ten_py_field_of(statement, PY_F_CONDITION)) : TEN_STR("");
  return memmem(condition.data, condition.size, "__name__", 8) && ten_py_inside(node, body) ? body : root;
}

static bool over_loader(ten_rewrite *rw, ten_py_node *loop) {
  if (loop->kind != PY_FOR) return false;
  ten_py_node *iterable = ten_py_unparen(ten_py_field_of(loop, PY_F_RIGHT));
  if (iterable && iterable->kind == PY_CALL) {
    ten_py_node *inner = ten_call_argument(rw->file, iterable, 0, NULL);
    if (inner && ten_py_value_of(rw->file, inner) & V_LOADER) return true;
  }
  return ten_py_value_of(rw->file, iterable) & V_LOADER;
}

static bool has_step(ten_rewrite *rw, ten_py_node *block) {
  for (ten_py_node *node = block; node; node = ten_py_walk(node, block, false))
    if (node->kind == PY_CALL && is_step_call(rw, node)) return true;
  return false;
}

static void end_body(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *loop) {
  ten_py_node *body = ten_py_field_of(loop, PY_F_BODY), *last = body ? ten_py_last(body) : NULL;
  while (last && last->kind == PY_COMMENT) last = ten_py_prev(last);
  if (!last || last->kind == PY_CONTINUE || last->kind == PY_BREAK || last->kind == PY_RETURN || has_sync(rw, body))
    return;
  ten_insert_after(rw, rule, last, "%s.sync()", ten_use(rw, MOD_XLA));
}

/* loss.backward() and w -= lr * w.grad: a step without an optimizer */
static void own_step_end(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *loop = loop_around(call);
  if (!loop || !callee || callee->kind != PY_ATTRIBUTE ||
      !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "backward"))
    return;
  ten_py_node *function = ten_py_up(call, PY_FUNCTION), *body = ten_py_field_of(loop, PY_F_BODY);
  const ten_str text = rw_text(rw, body);
  if (!memmem(text.data, text.size, ".grad", 5) || has_step(rw, function ? function : rw->file->tree.root)) return;
  for (ten_py_node *node = call; (node = ten_py_walk(node, body, false));) { /* the last one of the body */
    ten_py_node *other = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    if (other && other->kind == PY_ATTRIBUTE && rw_is(rw, ten_py_field_of(other, PY_F_ATTRIBUTE), "backward")) return;
  }
  end_body(rw, rule, loop);
}

static bool sums_on_device(ten_rewrite *rw, ten_py_node *node) {
  static const char *const reads[] = {".item(", ".cpu(", ".numpy(", ".tolist(", NULL};
  if (node->kind != PY_AUG_ASSIGN) return false;
  ten_py_node *right = ten_py_field_of(node, PY_F_RIGHT);
  const uint32_t kind = ten_py_value_of(rw->file, right);
  const ten_str text = rw_text(rw, right);
  for (int i = 0; reads[i]; i++)
    if (memmem(text.data, text.size, reads[i], strlen(reads[i]))) return false;
  return kind & V_TENSOR && !(kind & (V_NUMBER | V_HOST));
}

/* The name `item` in total += loss.item(), or NULL. */
static ten_py_node *item_read(ten_rewrite *rw, ten_py_node *sum) {
  if (sum->kind != PY_AUG_ASSIGN || !rw_is(rw, ten_py_field_of(sum, PY_F_OPERATOR), "+=")) return NULL;
  ten_py_node *right = ten_py_unparen(ten_py_field_of(sum, PY_F_RIGHT));
  ten_py_node *callee = right && right->kind == PY_CALL ? ten_py_field_of(right, PY_F_FUNCTION) : NULL;
  ten_py_node *method = callee && callee->kind == PY_ATTRIBUTE ? ten_py_field_of(callee, PY_F_ATTRIBUTE) : NULL;
  return rw_is(rw, method, "item") && !ten_py_named_count(ten_py_field_of(right, PY_F_ARGUMENTS)) ? method : NULL;
}

/* for x, y in loader: total += loss(model(x), y): all batches would be in one graph until the sum is read */
static void sum_end(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *sum, bool deferred) {
  ten_py_node *loop = loop_around(sum), *body = loop ? ten_py_field_of(loop, PY_F_BODY) : NULL;
  if (!body || !over_loader(rw, loop) || (!deferred && !sums_on_device(rw, sum)) || has_step(rw, body)) return;
  bool runs = false;
  for (ten_py_node *node = body; node; node = ten_py_walk(node, body, false)) {
    const bool earlier = node != sum && node->start < sum->start;
    if (earlier && (sums_on_device(rw, node) || (deferred && item_read(rw, node)))) return; /* the first one ends it */
    const ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    runs |= callee && ten_py_value_of(rw->file, (ten_py_node *)callee) & V_MODULE;
    if (callee && callee->kind == PY_ATTRIBUTE && rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "backward"))
      return;
  }
  if (runs) end_body(rw, rule, loop);
}

/* opt.step() after a backward(), where the type of opt is unknown */
static void unknown_step(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const others[] = {"sched", "lr", "warm", "prof", "env", NULL};
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "step")) return;
  ten_py_node *object = ten_py_field_of(callee, PY_F_OBJECT), *function = ten_py_up(call, PY_FUNCTION);
  const ten_str name = rw_text(rw, object);
  if (ten_py_named_count(ten_py_field_of(call, PY_F_ARGUMENTS)) || ten_py_value_of(rw->file, object)) return;
  for (int i = 0; others[i]; i++)
    if (memmem(name.data, name.size, others[i], strlen(others[i]))) return;
  const ten_str body = rw_text(rw, function ? function : rw->file->tree.root);
  ten_py_node *block = function ? ten_py_field_of(function, PY_F_BODY) : rw->file->tree.root;
  if (!memmem(body.data, body.size, ".backward(", 10) || has_sync(rw, block)) return;
  ten_note_add(rw, rule, TEN_NOTE_HUMAN, call,
               "if %.*s is an optimizer, the training step ends here: call torch_xla.sync() after it", TEN_FMT(name));
}

static void step_end(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  if (!rw->places) return;
  if (call->kind == PY_AUG_ASSIGN) {
    sum_end(rw, rule, call, false);
    return;
  }
  if (!is_step_call(rw, call)) {
    own_step_end(rw, rule, call);
    unknown_step(rw, rule, call);
    return;
  }
  ten_py_node *loop = loop_around(call);
  while (loop && is_inner_loop(rw, loop)) loop = loop_around(loop);
  ten_py_node *block = NULL;
  if (loop) {
    block = ten_py_field_of(loop, PY_F_BODY);
  } else {
    ten_py_node *function = ten_py_up(call, PY_FUNCTION);
    block = function ? ten_py_field_of(function, PY_F_BODY) : module_block(rw, call);
  }
  if (block) block = branch_that_leaves(call, block);
  ten_py_node *statement = block ? statement_in(call, block) : NULL;
  if (!statement || statement->kind == PY_FUNCTION || statement->kind == PY_CLASS || statement->kind == PY_DECORATED)
    return;
  /* Only the last step of the block ends it: a GAN's two updates are one program. */
  for (ten_py_node *node = call; (node = ten_py_walk(node, block, false));)
    if (node->kind == PY_CALL && node != call && is_step_call(rw, node)) {
      ten_py_node *other = loop_around(node);
      while (other && other != loop && is_inner_loop(rw, other)) other = loop_around(other);
      if (other == loop) return;
    }
  if (has_sync(rw, block)) return;
  if (statement->kind == PY_RETURN) { /* return optimizer.step(closure) */
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, call,
                 "the step ends inside a return; call torch_xla.sync() where this function is used");
    return;
  }
  if (rw->options->late_sync && loop) { /* unless a `continue` would skip it */
    bool jumps = false;
    for (ten_py_node *node = block; node;
         node = ten_py_walk(node, block, node->kind == PY_FOR || node->kind == PY_WHILE))
      jumps |= node->kind == PY_CONTINUE;
    if (!jumps) statement = ten_py_last(block);
    while (statement && statement->kind == PY_COMMENT) statement = ten_py_prev(statement);
    if (!statement) return;
  }
  /* A step nested in an early-returning function body may be followed by code on the same level: keep it close. */
  ten_insert_after(rw, rule, statement, "%s.sync()", ten_use(rw, MOD_XLA));
}

static bool in_training_loop(ten_rewrite *rw, ten_py_node *node) {
  ten_py_node *loop = loop_around(node);
  if (!loop) return false;
  if (over_loader(rw, loop)) return true;
  ten_py_node *body = ten_py_field_of(loop, PY_F_BODY);
  for (ten_py_node *n = body; n; n = ten_py_walk(n, body, false))
    if (n->kind == PY_CALL && is_step_call(rw, n)) return true;
  return false;
}

static bool guarded(ten_rewrite *rw, const ten_py_node *node) { /* if step % log_every == 0: */
  for (const ten_py_node *up = node->parent; up && up->kind != PY_FOR && up->kind != PY_WHILE; up = up->parent) {
    const ten_py_node *condition =
        up->kind == PY_IF || up->kind == PY_ELIF ? ten_py_field_of(up, PY_F_CONDITION) : NULL;
    if (condition && memchr(rw_text(rw, condition).data, '%', rw_text(rw, condition).size)) return true;
  }
  return false;
}

static void host_read(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const char *const readers[] = {"item", "tolist", "numpy", "cpu", NULL};
  ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
  if (!callee) return;
  const char *what = NULL;
  if (callee->kind == PY_ATTRIBUTE) {
    for (int i = 0; readers[i] && !what; i++)
      if (rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), readers[i])) what = readers[i];
    if (what && ten_py_value_of(rw->file, ten_py_field_of(callee, PY_F_OBJECT)) & (V_HOST | V_NUMBER)) return;
  } else if (rw_is(rw, callee, "print") || rw_is(rw, callee, "float") || rw_is(rw, callee, "int")) {
    ten_py_node *arguments = ten_py_field_of(node, PY_F_ARGUMENTS);
    for (ten_py_node *a = arguments ? arguments->child : NULL; a && !what; a = a->next)
      if (a->named && ten_py_value_of(rw->file, a) & V_TENSOR) what = rw_is(rw, callee, "print") ? "print" : "float";
  }
  if (!what || !in_training_loop(rw, node)) return;
  if (guarded(rw, node))
    ten_note_add(rw, rule, TEN_NOTE_HOST_SYNC, node,
                 "%s waits for the device, every time the condition around it holds", what);
  else
    ten_note_add(
        rw, rule, TEN_NOTE_HOST_SYNC, node,
        "%s waits for the device in every iteration; sum on the device (total += loss.detach()) and read once after the loop",
        what);
}

/* Uses of `name` in the loop other than the sum itself. */
static bool read_in_loop(ten_rewrite *rw, ten_py_node *loop, ten_py_node *sum, ten_str name) {
  for (ten_py_node *node = loop; node; node = ten_py_walk(node, loop, node == sum))
    if (node->kind == PY_IDENTIFIER && ten_str_eq(rw_text(rw, node), name) && node->field != PY_F_ATTRIBUTE &&
        node->field != PY_F_NAME)
      return true;
  return false;
}

/* total += loss.item() → total += loss.detach(), with total = float(total) after the loop */
static void deferred_read(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  if (!rw->options->defer_reads) return;
  ten_py_node *left = ten_py_field_of(node, PY_F_LEFT), *method = item_read(rw, node), *loop = loop_around(node);
  if (!loop || loop->kind != PY_FOR || left->kind != PY_IDENTIFIER || !method || !in_training_loop(rw, node) ||
      read_in_loop(rw, loop, node, rw_text(rw, left)))
    return;
  const unsigned change = ten_change_begin(rw, rule, node);
  if (!ten_change_edit(rw, change, method->start, method->end, "detach")) return;
  ten_insert_after(rw, rule, loop, "%.*s = float(%.*s)", TEN_FMT(rw_text(rw, left)), TEN_FMT(rw_text(rw, left)));
  if (rw->xla && rw->places) sum_end(rw, rule, node, true); /* nothing in the loop synchronizes any more */
}

/* if loss > best: / while not done: a branch on a device value needs the value now */
static void host_branch(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *condition = ten_py_unparen(ten_py_field_of(node, PY_F_CONDITION));
  if (!condition || !in_training_loop(rw, node)) return;
  ten_py_node *left = condition->kind == PY_COMPARE ? ten_py_named(condition, 0) : condition;
  const uint32_t kind = ten_py_value_of(rw->file, left);
  if (left->kind == PY_CALL || !(kind & V_TENSOR) || kind & (V_NUMBER | V_HOST | V_LOADER)) return;
  ten_note_add(rw, rule, TEN_NOTE_HOST_SYNC, node,
               "the branch is taken on a device value: the host waits for it, and the two ways are two programs");
}

/* torch.optim.AdamW(…, fused=True), dict(fused=True), {"fused": True}: torch refuses a fused kernel on this device */
static void fused_kernel(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *value = ten_py_field_of(node, PY_F_VALUE);
  if (!rw->places || !value || rw_is(rw, value, "False") || rw_is(rw, value, "None")) return;
  if (node->kind == PY_PAIR) {
    ten_str key;
    if (!ten_py_literal(&rw->file->tree, ten_py_field_of(node, PY_F_KEY), &key) || !ten_str_is(key, "fused")) return;
  } else if (!rw_is(rw, ten_py_field_of(node, PY_F_NAME), "fused")) {
    return;
  }
  char dotted[TEN_DOTTED_MAX];
  const ten_py_node *call = node->kind == PY_KEYWORD ? node->parent->parent : NULL;
  ten_py_node *callee = call ? ten_py_field_of(call, PY_F_FUNCTION) : NULL;
  const bool optimizer = ten_dotted(rw->file, callee, dotted) && !strncmp(dotted, "torch.optim.", 12);
  if (!optimizer) { /* options passed on to one: only explicit ones */
    const ten_str source = rw->file->tree.text;
    if ((call && !rw_is(rw, callee, "dict")) || !rw_is(rw, value, "True") ||
        !memmem(source.data, source.size, "optim", 5))
      return;
  }
  ten_coverage(rw, ten_rewrite_node(rw, rule, value, "False"));
}

const ten_rewrite_rule ten_rules_loop[] = {
    {201,
     "step-end",
     "the device runs what was recorded when the step ends; without it the graph grows from step to step",
     FOR_XLA,
     {PY_CALL, PY_AUG_ASSIGN},
     step_end},
    {202, "host-read", "reading a device value on the host stops the pipeline", FOR_BOTH, {PY_CALL}, host_read},
    {204,
     "deferred-read",
     "one read after the loop instead of one in every iteration",
     FOR_BOTH,
     {PY_AUG_ASSIGN},
     deferred_read},
    {203,
     "host-branch",
     "a branch on a device value stops the pipeline and splits the program",
     FOR_BOTH,
     {PY_IF, PY_WHILE},
     host_branch},
    {205,
     "fused-kernel",
     "optimizers have fused kernels for CUDA and the CPU only, and refuse other devices",
     FOR_XLA,
     {PY_KEYWORD, PY_PAIR},
     fused_kernel},
    {0},
};
