/* rule_device.c: replaces every way of naming the GPU by the target's device, and keeps its type: text stays text
 * ("cuda" → "xla"), torch.device stays torch.device, and a user's choice (args.cuda) stays a choice. */
#include <stdio.h>

#include "migrate/rule.h"

/* A context where a comparison or a conditional needs no parentheses. */
static bool loose_place(const ten_py_node *node) {
  const ten_py_node *parent = node->parent;
  switch (parent->kind) {
    case PY_IF:
    case PY_ELIF:
    case PY_WHILE:
    case PY_ASSIGN:
    case PY_ARGUMENTS:
    case PY_KEYWORD:
    case PY_RETURN:
    case PY_PAREN:
    case PY_ASSERT:
    case PY_PAIR:
    case PY_EXPR_STMT:
    case PY_DEFAULT_PARAM:
    case PY_TYPED_DEFAULT_PARAM:
    case PY_LIST:
    case PY_TUPLE: return true;
    default: return false;
  }
}

/* cond is "available" (1), "not available" (-1), or anything else (0). */
static int availability(ten_rewrite *rw, ten_py_node *condition) {
  condition = ten_py_unparen(condition);
  if (!condition) return 0;
  if (condition->kind == PY_NOT_OP) return -availability(rw, ten_py_field_of(condition, PY_F_ARGUMENT));
  return ten_py_value_of(rw->file, condition) & V_AVAILABLE ? 1 : 0;
}

/* Parts of a conditional that chooses between accelerator and CPU: which branch is the accelerator's. */
static bool device_conditional(ten_rewrite *rw, ten_py_node *node, ten_py_node **out_device, ten_py_node **out_other,
                               int *out_available) {
  if (!node || node->kind != PY_CONDITIONAL) return false;
  ten_py_node *body = ten_py_named(node, 0), *condition = ten_py_named(node, 1), *other = ten_py_named(node, 2);
  const uint32_t body_kind = ten_py_value_of(rw->file, body), other_kind = ten_py_value_of(rw->file, other);
  *out_available = availability(rw, condition);
  const bool number = body_kind & V_RANK && other_kind & V_CPU; /* args.gpu if … else "cpu" */
  if ((body_kind & V_DEVICE || number) && !(body_kind & V_CPU)) return *out_device = body, *out_other = other, true;
  if (other_kind & V_DEVICE && !(other_kind & V_CPU)) {
    *out_device = other;
    *out_other = body;
    *out_available = -*out_available;
    return true;
  }
  return false;
}

/* args.device if torch.cuda.is_available() else "cpu": the user may choose the CPU */
static bool is_users_choice(ten_rewrite *rw, ten_py_node *device) {
  return device->kind == PY_ATTRIBUTE && !(ten_py_value_of(rw->file, device) & (V_TEXT | V_RANK | V_NUMBER));
}

/* f"{accelerator}:{rank}", where the first part is a device */
static bool is_numbered_device(ten_rewrite *rw, const ten_py_node *node) {
  const ten_py_node *part = node->kind == PY_STRING ? node->child : NULL;
  while (part && part->kind != PY_INTERPOLATION && part->kind != PY_STRING_CONTENT) part = part->next;
  if (!part || part->kind != PY_INTERPOLATION || !part->next || part->next->kind != PY_STRING_CONTENT) return false;
  return rw_text(rw, part->next).size && rw_text(rw, part->next).data[0] == ':' &&
         ten_py_value_of(rw->file, ten_py_named(part, 0)) & V_DEVICE;
}

static void choose_in_torch_device(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call,
                                   ten_py_node *argument) {
  ten_py_node *device = NULL, *other = NULL;
  int available = 0;
  if (device_conditional(rw, argument, &device, &other, &available)) {
    if (is_users_choice(rw, device)) return;
    if (available == 1) {
      if (rw->xla)
        ten_rewrite_node(rw, rule, call, "%s", ten_device_call(rw));
      else if (ten_rewrite_node(rw, rule, argument, "%s", ten_quoted(rw, device, "tpu")))
        ten_use(rw, MOD_TPU);
      ten_coverage(rw, true);
      return;
    }
    if (!rw->xla || device != ten_py_named(argument, 0) || device->kind != PY_STRING || other->kind != PY_STRING)
      return; /* by parts */
    /* torch.device("cuda" if C else "cpu") → torch_xla.device() if C else torch.device("cpu") */
    const ten_str callee = rw_text(rw, ten_py_field_of(call, PY_F_FUNCTION));
    const bool loose = loose_place(call);
    const unsigned change = ten_change_begin(rw, rule, call);
    bool ok = ten_change_edit(rw, change, call->start, device->end, "%s%s", loose ? "" : "(", ten_device_call(rw));
    ok = ok && ten_change_edit(rw, change, other->start, call->end, "%.*s(%.*s)%s", TEN_FMT(callee),
                               TEN_FMT(rw_text(rw, other)), loose ? "" : ")");
    if (ok) device->claimed = other->claimed = true;
    ten_coverage(rw, ok);
    return;
  }
  const uint32_t kind = ten_py_value_of(rw->file, argument);
  const bool text = ten_is_device_string(rw->file, argument) || is_numbered_device(rw, argument);
  if (!text && !(kind & V_RANK && !(kind & (V_TEXT | V_DEVICE)))) return;
  if (rw->xla)
    ten_rewrite_node(rw, rule, call, "%s", ten_device_call(rw));
  else if (argument->kind == PY_STRING && ten_py_named_count(ten_py_field_of(call, PY_F_ARGUMENTS)) >= 1) {
    ten_str plain;
    if (ten_py_literal(&rw->file->tree, argument, &plain))
      ten_rewrite_node(rw, rule, argument, "%s", ten_quoted(rw, argument, "tpu"));
    else
      ten_rewrite_node(rw, rule, call, "%s", ten_device_call(rw));
    ten_use(rw, MOD_TPU);
  } else {
    ten_rewrite_node(rw, rule, call, "%s", ten_device_call(rw));
  }
  ten_coverage(rw, true);
}

static void device_choice(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  if (node->kind == PY_CALL) {
    if (!ten_dotted_is(rw->file, ten_py_field_of(node, PY_F_FUNCTION), "torch.device")) return;
    ten_py_node *argument = ten_call_argument(rw->file, node, 0, "type");
    if (!argument) argument = ten_call_argument(rw->file, node, 0, "device");
    if (argument) choose_in_torch_device(rw, rule, node, ten_py_unparen(argument));
    return;
  }
  ten_py_node *device = NULL, *other = NULL;
  int available = 0;
  if (!device_conditional(rw, node, &device, &other, &available) || available != 1 || is_users_choice(rw, device))
    return;
  const uint32_t kind = ten_py_value_of(rw->file, device);
  ten_coverage(rw, true);
  if (kind & V_TEXT) {
    ten_rewrite_node(rw, rule, node, "%s",
                     ten_quoted(rw, device->kind == PY_STRING ? device : node, ten_device_name(rw)));
    ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
  } else {
    ten_rewrite_node(rw, rule, node, "%s", ten_device_call(rw));
  }
}

/* model.cuda(), x.cuda(rank, non_blocking=True) */
static void cuda_method(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  if (!callee || callee->kind != PY_ATTRIBUTE || !arguments || arguments->kind != PY_ARGUMENTS) return;
  ten_py_node *attribute = ten_py_field_of(callee, PY_F_ATTRIBUTE);
  if (!rw_is(rw, attribute, "cuda")) return;
  char dotted[TEN_DOTTED_MAX];
  if (ten_dotted(rw->file, callee, dotted)) return; /* numba.cuda(…) and similar calls */
  ten_py_node *device = ten_call_argument(rw->file, call, 0, "device");
  const char *expression =
      device && ten_py_value_of(rw->file, device) & V_DEVICE && !ten_is_device_string(rw->file, device)
          ? NULL
          : ten_device_expression(rw, call);
  if (!rw->xla && expression && strstr(expression, ".device(\"tpu\")")) expression = "\"tpu\"";
  const unsigned change = ten_change_begin(rw, rule, call);
  bool ok = ten_change_edit(rw, change, attribute->start, attribute->end, "to");
  if (device && expression) {
    ten_py_node *whole = device->parent->kind == PY_KEYWORD ? device->parent : device;
    ok = ok && ten_change_edit(rw, change, whole->start, whole->end, "%s", expression);
    whole->claimed = true;
  } else if (expression) {
    const bool more = ten_py_named_count(arguments) > 0;
    ok = ok &&
         ten_change_edit(rw, change, arguments->start + 1, arguments->start + 1, "%s%s", expression, more ? ", " : "");
  }
  ten_py_node *old = ten_py_field_of(ten_call_keyword(rw->file, call, "async"), PY_F_NAME); /* no word since 3.7 */
  if (old) ok = ok && ten_change_edit(rw, change, old->start, old->end, "non_blocking");
  if (!rw->xla) ten_use(rw, MOD_TPU);
  ten_coverage(rw, ok);
}

/* x.to(rank), x.to(0), f(device=rank) */
ten_py_node *ten_rank_device(ten_py_file *file, ten_py_node *node) {
  ten_py_node *value = NULL;
  if (node->kind == PY_CALL) {
    const ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
    if (!callee || callee->kind != PY_ATTRIBUTE ||
        !ten_str_is(ten_py_text(&file->tree, ten_py_field_of(callee, PY_F_ATTRIBUTE)), "to"))
      return NULL;
    value = ten_call_argument(file, node, 0, NULL);
  } else if (node->kind == PY_KEYWORD &&
             ten_str_is(ten_py_text(&file->tree, ten_py_field_of(node, PY_F_NAME)), "device")) {
    value = ten_py_field_of(node, PY_F_VALUE);
  }
  if (!value || (value->kind != PY_IDENTIFIER && value->kind != PY_ATTRIBUTE && value->kind != PY_INTEGER &&
                 value->kind != PY_SUBSCRIPT))
    return NULL;
  const uint32_t kind = ten_py_value_of(file, value);
  const bool rank = kind & (V_RANK | V_NUMBER) && !(kind & (V_DEVICE | V_CPU | V_TENSOR | V_TEXT));
  return rank || (value->kind == PY_INTEGER && node->kind == PY_CALL) ? value : NULL;
}

static void rank_as_device(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *value = ten_rank_device(rw->file, node);
  if (!value) return;
  const char *expression = ten_device_expression(rw, node);
  if (ten_str_is(rw_text(rw, value), expression)) return;
  ten_coverage(rw, ten_rewrite_node(rw, rule, value, "%s", expression));
}

static bool in_call_to(ten_rewrite *rw, const ten_py_node *node, const char *const *names) {
  const ten_py_node *arguments = node->parent;
  if (!arguments || arguments->kind != PY_ARGUMENTS || arguments->parent->kind != PY_CALL) return false;
  const ten_py_node *callee = ten_py_field_of(arguments->parent, PY_F_FUNCTION);
  if (callee && callee->kind == PY_ATTRIBUTE) callee = ten_py_field_of(callee, PY_F_ATTRIBUTE);
  for (int i = 0; names[i]; i++)
    if (rw_is(rw, callee, names[i])) return true;
  return false;
}

/* "cuda", 'cuda:0', f"cuda:{rank}", "cuda:%d" % i wherever it names a device */
static void device_text(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const char *const by_name[] = {
      "getattr",       "hasattr", "setattr",      "delattr",    "get",        "pop", "setdefault",
      "import_module", "print",   "add_argument", "add_option", "add_module", NULL};
  static const char *const words[] = {"help",  "name",        "dest", "metavar", "title", "label",
                                      "group", "description", "tag",  "project", "desc",  NULL};
  if (!ten_is_device_string(rw->file, node)) return;
  const ten_py_node *parent = node->parent;
  if (parent->kind == PY_EXPR_STMT || parent->kind == PY_SUBSCRIPT || parent->kind == PY_CONCAT_STRING ||
      in_call_to(rw, node, by_name))
    return;
  if (parent->kind == PY_PAIR && ten_py_field_of(parent, PY_F_KEY) == node) return;
  for (int i = 0; parent->kind == PY_KEYWORD && words[i]; i++)
    if (rw_is(rw, ten_py_field_of(parent, PY_F_NAME), words[i])) return;
  if (parent->kind == PY_BINARY_OP || (parent->kind == PY_ATTRIBUTE && parent->parent->kind == PY_CALL)) {
    if (node->kind == PY_STRING) return; /* the whole expression is visited as well */
  }
  ten_str plain;
  if (ten_py_literal(&rw->file->tree, node, &plain) && plain.size > 5 && !ten_str_is(plain, "cuda:0"))
    ten_note_add(
        rw, rule, TEN_NOTE_HUMAN, node,
        "this names one GPU among several (%.*s); all of them became one device, and a model split over GPUs needs a sharding instead",
        TEN_FMT(plain));
  const ten_py_node *like = node;
  if (node->kind == PY_BINARY_OP) like = ten_py_field_of(node, PY_F_LEFT);
  if (node->kind == PY_CALL) like = ten_py_field_of(ten_py_field_of(node, PY_F_FUNCTION), PY_F_OBJECT);
  if (ten_rewrite_node(rw, rule, node, "%s", ten_quoted(rw, like, ten_device_name(rw)))) {
    ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
    ten_coverage(rw, true);
  }
}

static const char *available_text(ten_rewrite *rw) {
  char *text = ten_scratch(rw);
  if (rw->xla)
    snprintf(text, 512, "%s.device_count() > 0", ten_use(rw, MOD_XLA));
  else
    snprintf(text, 512, "%s.accelerator.is_available()", ten_use(rw, MOD_TORCH));
  if (!rw->xla) ten_use(rw, MOD_TPU);
  return text;
}

/* torch.cuda.is_available(), and "A and torch.cuda.is_available()" */
static void available(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted)) return;
  if (strcmp(dotted, "torch.cuda.is_available") && strcmp(dotted, "torch.accelerator.is_available")) return;
  if (!rw->xla && dotted[6] == 'a') return; /* torch.accelerator supports the TPU already */
  ten_py_node *parent = call->parent;
  ten_coverage(rw, true);
  if (rw->xla && parent->kind == PY_BOOL_OP && rw_is(rw, ten_py_field_of(parent, PY_F_OPERATOR), "and")) {
    ten_py_node *left = ten_py_field_of(parent, PY_F_LEFT), *right = ten_py_field_of(parent, PY_F_RIGHT);
    const bool is_left = left == call;
    const uint32_t start = is_left ? call->start : left->end, end = is_left ? right->start : call->end;
    if (ten_rewrite_span(rw, rule, call, start, end, "%s", "")) {
      call->claimed = true;
      return;
    }
  }
  const bool tight = rw->xla && !loose_place(call) && parent->kind != PY_BOOL_OP && parent->kind != PY_NOT_OP &&
                     parent->kind != PY_CONDITIONAL;
  if (tight)
    ten_rewrite_node(rw, rule, call, "(%s)", available_text(rw));
  else
    ten_rewrite_node(rw, rule, call, "%s", available_text(rw));
}

/* x.is_cuda → x.device.type == "xla" */
static void is_cuda(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *attribute = ten_py_field_of(node, PY_F_ATTRIBUTE), *object = ten_py_field_of(node, PY_F_OBJECT);
  if (!rw_is(rw, attribute, "is_cuda") || !object || node->field == PY_F_LEFT) return;
  if (node->parent->kind == PY_CALL && ten_py_field_of(node->parent, PY_F_FUNCTION) == node) return;
  const bool loose = loose_place(node) || node->parent->kind == PY_BOOL_OP || node->parent->kind == PY_NOT_OP ||
                     node->parent->kind == PY_CONDITIONAL;
  const unsigned change = ten_change_begin(rw, rule, node);
  bool ok = ten_change_edit(rw, change, attribute->start, attribute->end, "device.type == \"%s\"%s",
                            ten_device_name(rw), loose ? "" : ")");
  if (!loose) ok = ok && ten_change_edit(rw, change, node->start, node->start, "(");
  ten_coverage(rw, ok);
}

/* Whether the statement sets or removes a CUDA environment variable. */
static void environment(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const char *const ours[] = {"CUDA_VISIBLE_DEVICES",
                                     "CUDA_LAUNCH_BLOCKING",
                                     "CUDA_DEVICE_ORDER",
                                     "PYTORCH_CUDA_ALLOC_CONF",
                                     "NCCL_",
                                     "CUBLAS_WORKSPACE_CONFIG",
                                     "TORCH_NCCL_",
                                     NULL};
  ten_py_node *left = ten_py_field_of(node, PY_F_LEFT);
  if (!left || left->kind != PY_SUBSCRIPT || !ten_dotted_is(rw->file, ten_py_field_of(left, PY_F_VALUE), "os.environ"))
    return;
  ten_str name;
  if (!ten_py_literal(&rw->file->tree, ten_py_field_of(left, PY_F_SUBSCRIPT), &name)) return;
  static const char *const of_xla[] = {"PJRT_DEVICE", "XLA_", "XRT_", "PT_XLA_", NULL}; /* torch_xla's */
  bool match = false;
  for (int i = 0; ours[i]; i++) match |= ten_str_starts(name, ours[i]);
  for (int i = 0; of_xla[i] && !rw->xla; i++) match |= ten_str_starts(name, of_xla[i]);
  ten_py_node *statement = match ? ten_py_statement(node) : NULL;
  if (statement && node->parent == statement) ten_coverage(rw, ten_delete_statement(rw, rule, statement));
}

const ten_rewrite_rule ten_rules_device[] = {
    {101,
     "device-choice",
     "the program runs on the target's device; a choice the user makes stays a choice",
     FOR_BOTH,
     {PY_CALL, PY_CONDITIONAL},
     device_choice},
    {102, "cuda-method", ".cuda() moves to a CUDA device only; .to() moves to any", FOR_BOTH, {PY_CALL}, cuda_method},
    {103,
     "rank-as-device",
     "a bare integer is a CUDA device number; each process has one device of its own",
     FOR_BOTH,
     {PY_CALL, PY_KEYWORD},
     rank_as_device},
    {104, "device-text", "\"cuda\" names a CUDA device", FOR_BOTH, {PY_STRING, PY_BINARY_OP, PY_CALL}, device_text},
    {105, "availability", "asks for the target's device instead of CUDA", FOR_BOTH, {PY_CALL}, available},
    {106, "is-cuda", "is_cuda is false on every other device", FOR_BOTH, {PY_ATTRIBUTE}, is_cuda},
    {107, "environment", "these variables only speak to CUDA", FOR_BOTH, {PY_ASSIGN}, environment},
    {0},
};
