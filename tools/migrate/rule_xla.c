/* rule_xla.c: PyTorch/XLA programs for TorchTPU: devices, the ends of steps, mixed precision, loaders, checkpoints,
 * seeds, compilers and profilers. TorchTPU runs what it is given by itself, so steps need no end. What runs in several
 * processes is in rule_xla_processes.c. */
#include "migrate/rule_xla.h"

#include <stdio.h>
#include <stdlib.h>

bool ten_xla_is(ten_rewrite *rw, const ten_py_node *callee, const char *const *names) {
  char dotted[TEN_DOTTED_MAX];
  if (!callee || !ten_dotted(rw->file, callee, dotted)) return false;
  for (int i = 0; names[i]; i++)
    if (!strcmp(dotted, names[i])) return true;
  return false;
}

ten_xla_parens ten_xla_operand(ten_rewrite *rw, const ten_py_node *node) {
  static const ten_py_kind kinds[] = {PY_IDENTIFIER, PY_ATTRIBUTE, PY_SUBSCRIPT, PY_CALL, PY_PAREN};
  const ten_str text = rw_text(rw, node);
  bool alone = node->kind == PY_PAREN || !memchr(text.data, '\n', text.size);
  bool known = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) known |= node->kind == kinds[i];
  return alone && known ? (ten_xla_parens){"", ""} : (ten_xla_parens){"(", ")"};
}

const char *ten_xla_text(ten_rewrite *rw, const char *text) {
  char *out = ten_scratch(rw);
  size_t size = 0;
  const char *torch = ten_use(rw, MOD_TORCH);
  ten_use(rw, MOD_TPU);
  for (; *text && size + 1 < sizeof rw->scratch[0]; text++)
    if (*text != '@')
      out[size++] = *text;
    else
      size += (size_t)snprintf(out + size, sizeof rw->scratch[0] - size, "%s", torch);
  out[size < sizeof rw->scratch[0] ? size : sizeof rw->scratch[0] - 1] = 0;
  return out;
}

void ten_xla_drop_keywords(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *const *names) {
  for (int i = 0; names[i]; i++) {
    ten_py_node *keyword = ten_call_keyword(rw->file, call, names[i]);
    if (keyword) ten_delete_argument(rw, rule, keyword);
  }
}

void ten_xla_drop_positional(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, int first) {
  ten_py_node *argument;
  for (int i = first; (argument = ten_call_argument(rw->file, call, i, NULL)); i++)
    ten_delete_argument(rw, rule, argument);
}

static void rename_keyword(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *name,
                           const char *as) {
  ten_py_node *keyword = ten_call_keyword(rw->file, call, name);
  if (keyword) ten_rewrite_node(rw, rule, ten_py_field_of(keyword, PY_F_NAME), "%s", as);
}

/* Calls that become an expression without arguments, or one that keeps them (`keep`). */
typedef struct replacement {
  const char *name, *text;
  bool keep;
} replacement;

static bool replace(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const replacement *table) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  char dotted[TEN_DOTTED_MAX];
  if (!callee || !ten_dotted(rw->file, callee, dotted)) return false;
  for (; table->name; table++) {
    if (strcmp(dotted, table->name)) continue;
    ten_coverage(rw, ten_rewrite_node(rw, rule, table->keep ? callee : call, "%s", ten_xla_text(rw, table->text)));
    return true;
  }
  return false;
}

/* "xla", "xla:0" */
static bool is_xla_text(const ten_py_file *file, const ten_py_node *node) {
  ten_str text;
  return node->kind == PY_STRING && ten_py_literal(&file->tree, node, &text) &&
         (ten_str_is(text, "xla") || (ten_str_starts(text, "xla:") && text.size > 4 && text.data[4] != '/'));
}

static void device(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const replacement calls[] = {
      {"torch_xla.device", "@.device(\"tpu\")", false},
      {"torch_xla.core.xla_model.xla_device", "@.device(\"tpu\")", false},
      {"torch_xla.devices", "[@.device(\"tpu\")]", false},
      {"torch_xla.real_devices", "[\"TPU:0\"]", false},
      {"torch_xla.device_count", "@.accelerator.device_count()", false},
      {"torch_xla.core.xla_model.get_xla_supported_devices", "[\"tpu\"]", false},
      {"torch_xla.core.xla_model.xla_device_hw", "\"TPU\"", false},
      {"torch_xla.runtime.device_type", "\"TPU\"", false},
      {"torch_xla.runtime.is_bf16_supported", "True", false},
      {NULL, NULL, false},
  };
  static const char *const is_tensor[] = {"torch_xla.core.xla_model.is_xla_tensor", NULL};
  if (node->kind == PY_CALL) {
    if (replace(rw, rule, node, calls)) return;
    ten_py_node *tensor = ten_call_argument(rw->file, node, 0, "tensor");
    if (!tensor || !ten_xla_is(rw, ten_py_field_of(node, PY_F_FUNCTION), is_tensor)) return;
    const ten_xla_parens parens = ten_xla_operand(rw, tensor);
    ten_coverage(rw, ten_rewrite_node(rw, rule, node, "(%s%.*s%s.device.type == \"tpu\")", parens.open,
                                      TEN_FMT(rw_text(rw, tensor)), parens.close));
    return;
  }
  const ten_py_node *parent = node->parent;
  if (!is_xla_text(rw->file, node) || parent->kind == PY_EXPR_STMT || parent->kind == PY_SUBSCRIPT ||
      (parent->kind == PY_PAIR && ten_py_field_of(parent, PY_F_KEY) == node))
    return;
  const ten_py_node *call = parent->kind == PY_ARGUMENTS ? parent->parent : NULL;
  if (call && rw_is(rw, ten_py_field_of(call, PY_F_FUNCTION), "print")) return;
  if (!memmem(rw->file->tree.text.data, rw->file->tree.text.size, "torch_xla", 9)) return;
  ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s", ten_quoted(rw, node, "tpu")));
  ten_use(rw, MOD_TPU);
}

void ten_xla_helper(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_helper helper) {
  const char *name = ten_helper_name(helper);
  if (!rw->helpers[helper] && ten_scope_binds(rw->file, ten_str_of(name)))
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, (ten_py_node *)rw->at,
                 "the file has a %s of its own, and a function of this name is defined after the imports: rename one",
                 name);
  ten_helper_use(rw, rule, helper);
  ten_use(rw, MOD_TPU);
}

/* xm.optimizer_step(optimizer, optimizer_args={…}) → optimizer.step(**{…}) */
static void optimizer_step(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *optimizer = ten_call_argument(rw->file, call, 0, "optimizer"), *statement = ten_py_statement(call);
  ten_py_node *extra = ten_call_argument(rw->file, call, 2, "optimizer_args");
  if (!optimizer) return;
  const ten_xla_parens parens = ten_xla_operand(rw, optimizer);
  ten_buf text = {0};
  ten_buf_printf(&text, "%s%.*s%s.step(", parens.open, TEN_FMT(rw_text(rw, optimizer)), parens.close);
  if (extra) ten_buf_printf(&text, "**%.*s", TEN_FMT(rw_text(rw, extra)));
  ten_buf_addc(&text, ')');
  const bool ok = ten_rewrite_node(rw, rule, call, "%s", text.data);
  ten_buf_free(&text);
  ten_use(rw, MOD_TPU);
  ten_coverage(rw, ok);
  if (ok && statement && ten_xla_launches(rw)) {
    ten_xla_helper(rw, rule, HELPER_REDUCE_GRADIENTS);
    ten_insert_before(rw, rule, statement, "reduce_gradients(%.*s)", TEN_FMT(rw_text(rw, optimizer)));
  }
}

/* xm.add_step_closure(report, args=(step, loss)) → report(step, loss): values are there when they are read */
static void step_closure(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const printers[] = {"torch_xla.core.xla_model.master_print", NULL};
  ten_py_node *closure = ten_call_argument(rw->file, call, 0, "closure"),
              *args = ten_call_argument(rw->file, call, 1, "args"), *statement = ten_py_statement(call);
  if (!closure) return;
  const bool prints = ten_xla_is(rw, closure, printers);
  const bool atom = closure->kind == PY_IDENTIFIER || closure->kind == PY_ATTRIBUTE;
  const bool tuple = args && (args->kind == PY_TUPLE || args->kind == PY_LIST);
  const unsigned change = ten_change_begin(rw, rule, call);
  bool ok = ten_change_edit(rw, change, call->start, closure->start, "%s", atom ? "" : "(");
  if (prints) ok = ok && ten_change_edit(rw, change, closure->start, closure->end, "print");
  if (!args)
    ok = ok && ten_change_edit(rw, change, closure->end, call->end, "%s()", atom ? "" : ")");
  else if (tuple) { /* the arguments themselves stay, and are looked at by other rules */
    ok = ok && ten_change_edit(rw, change, closure->end, args->start + 1, "%s(", atom ? "" : ")");
    ok = ok && ten_change_edit(rw, change, args->end - 1, call->end, ")");
  } else {
    ok = ok && ten_change_edit(rw, change, closure->end, args->start, "%s(*", atom ? "" : ")");
    ok = ok && ten_change_edit(rw, change, args->end, call->end, ")");
  }
  ten_py_field_of(call, PY_F_FUNCTION)->claimed = true;
  if (prints) closure->claimed = true;
  if (prints && statement && call->parent == statement) ten_xla_on_first(rw, rule, statement);
  ten_use(rw, MOD_TPU);
  ten_coverage(rw, ok);
}

static void step_end(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const ends[] = {"torch_xla.sync", "torch_xla.core.xla_model.mark_step", NULL};
  static const char *const waits[] = {"torch_xla.core.xla_model.wait_device_ops", NULL};
  static const char *const steps[] = {"torch_xla.step", NULL};
  static const char *const optimizers[] = {"torch_xla.core.xla_model.optimizer_step", NULL};
  static const char *const closures[] = {"torch_xla.core.xla_model.add_step_closure", NULL};
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *statement = ten_py_statement(call);
  if (ten_xla_is(rw, callee, optimizers)) optimizer_step(rw, rule, call);
  if (ten_xla_is(rw, callee, closures)) step_closure(rw, rule, call);
  if (ten_xla_is(rw, callee, steps))
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s.nullcontext()", ten_use(rw, MOD_CONTEXTLIB)));
  const bool end = ten_xla_is(rw, callee, ends), wait = ten_xla_is(rw, callee, waits);
  if (!end && !wait) return;
  ten_py_node *waiting = end ? ten_call_argument(rw->file, call, 0, "wait") : NULL;
  if (wait || (waiting && !rw_is(rw, waiting, "False")))
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s", ten_xla_text(rw, "@.accelerator.synchronize()")));
  else if (statement && call->parent == statement)
    ten_coverage(rw, ten_delete_statement(rw, rule, statement));
  else
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "None"));
}

/* torch_xla.amp.autocast(device, dtype=…) → torch.autocast("tpu", dtype=…) */
static void mixed_precision(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const casts[] = {"torch_xla.amp.autocast", "torch_xla.amp.autocast_mode.autocast", NULL};
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee || !ten_dotted(rw->file, callee, dotted)) return;
  static const char fused[] = "torch_xla.amp.syncfree.";
  if (!strncmp(dotted, fused, sizeof fused - 1)) {
    const char *torch = ten_use(rw, MOD_TORCH);
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s.optim.%s", torch, dotted + sizeof fused - 1));
    return;
  }
  ten_py_node *place = ten_call_argument(rw->file, call, 0, "device");
  if (!ten_xla_is(rw, callee, casts) || !place) return;
  const bool typed = ten_call_argument(rw->file, call, 2, "dtype");
  bool ok = ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, "@.autocast"));
  const bool named = place->parent->kind == PY_KEYWORD;
  ok = ok && ten_rewrite_node(rw, rule, named ? place->parent : place, "%s\"tpu\"%s", named ? "device_type=" : "",
                              typed ? "" : ten_xla_text(rw, ", dtype=@.bfloat16"));
  ten_coverage(rw, ok);
}

/* pl.ParallelLoader(loader, [device]) → DeviceLoader(loader, device) */
static void parallel_loader(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, ten_py_node *callee) {
  ten_py_node *places = ten_call_argument(rw->file, call, 1, "devices");
  if (!places) return;
  bool ok = ten_rewrite_node(rw, rule, callee, "DeviceLoader");
  if (places->kind == PY_LIST || places->kind == PY_TUPLE) { /* what is inside stays, and is looked at by other rules */
    const unsigned change = ten_change_begin(rw, rule, places);
    ok = ok && ten_change_edit(rw, change, places->start, places->start + 1, "%s", "");
    ok = ok && ten_change_edit(rw, change, places->end - 1, places->end, "%s", "");
  } else {
    ok = ok && ten_rewrite_node(rw, rule, places, "%.*s[0]", TEN_FMT(rw_text(rw, places)));
  }
  rename_keyword(rw, rule, call, "devices", "device");
  ten_xla_helper(rw, rule, HELPER_DEVICE_LOADER);
  ten_coverage(rw, ok);
}

static void loader(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const loaders[] = {"torch_xla.distributed.parallel_loader.MpDeviceLoader", NULL};
  static const char *const parallel[] = {"torch_xla.distributed.parallel_loader.ParallelLoader", NULL};
  static const char *const sends[] = {"torch_xla.core.xla_model.send_cpu_data_to_device", NULL};
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  ten_py_node *place = ten_call_argument(rw->file, call, 1, "device");
  ten_py_node *object = callee && callee->kind == PY_ATTRIBUTE ? ten_py_field_of(callee, PY_F_OBJECT) : NULL;
  if (object && rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "per_device_loader"))
    ten_coverage(rw, ten_rewrite_span(rw, rule, call, object->end, call->end, "%s", ""));
  if (ten_xla_is(rw, callee, parallel)) parallel_loader(rw, rule, call, callee);
  if (ten_xla_is(rw, callee, sends) && place) {
    ten_py_node *data = ten_call_argument(rw->file, call, 0, "datas");
    if (!data) return;
    const char *to = rw_is(rw, place, "device") ? "device" : "\"tpu\"";
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "to_device([%.*s], %s)", TEN_FMT(rw_text(rw, data)), to));
    ten_xla_helper(rw, rule, HELPER_TO_DEVICE);
  }
  if (!ten_xla_is(rw, callee, loaders) || !place) return;
  ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "DeviceLoader"));
  for (ten_py_node *a = arguments->child; a; a = a->next) /* sharding, queues, prefetching */
    if (a->kind == PY_KEYWORD && !rw_is(rw, ten_py_field_of(a, PY_F_NAME), "device") &&
        !rw_is(rw, ten_py_field_of(a, PY_F_NAME), "loader"))
      ten_delete_argument(rw, rule, a);
  ten_xla_helper(rw, rule, HELPER_DEVICE_LOADER);
}

static void save(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const saves[] = {"torch_xla.core.xla_model.save", "torch_xla.utils.serialization.save", NULL};
  static const char *const loads[] = {"torch_xla.utils.serialization.load", NULL};
  static const char *const dropped[] = {"master_only", "global_master", "sync_xla_data", NULL};
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *statement = ten_py_statement(call);
  if (ten_xla_is(rw, callee, loads))
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, "@.load")));
  ten_py_node *data = ten_call_argument(rw->file, call, 0, "data");
  if (!ten_xla_is(rw, callee, saves) || !data) return;
  ten_py_node *master = ten_call_argument(rw->file, call, 2, "master_only");
  bool ok = ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, "@.save"));
  const unsigned change = ten_change_begin(rw, rule, data);
  ok = ok && ten_change_edit(rw, change, data->start, data->start, "to_device(") &&
       ten_change_edit(rw, change, data->end, data->end, ", \"cpu\")");
  ten_xla_drop_keywords(rw, rule, call, dropped);
  ten_xla_drop_positional(rw, rule, call, 2);
  rename_keyword(rw, rule, call, "data", "obj");
  rename_keyword(rw, rule, call, "file_or_path", "f");
  rename_keyword(rw, rule, call, "path", "f");
  ten_xla_helper(rw, rule, HELPER_TO_DEVICE);
  if (statement && call->parent == statement && !(master && rw_is(rw, master, "False")))
    ten_xla_on_first(rw, rule, statement);
  ten_coverage(rw, ok);
}

static void seed(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const replacement calls[] = {
      {"torch_xla.manual_seed", "@.tpu.manual_seed", true},
      {"torch_xla.core.xla_model.get_rng_state", "@.tpu.default_generators[0].get_state()", false},
      {NULL, NULL, false},
  };
  static const char *const sets[] = {"torch_xla.core.xla_model.set_rng_state", NULL};
  static const char *const dropped[] = {"device", NULL};
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (ten_xla_is(rw, callee, sets)) {
    ten_py_node *given = ten_call_argument(rw->file, call, 0, "seed");
    const bool number = given && (given->kind == PY_INTEGER || ten_py_value_of(rw->file, given) & V_NUMBER);
    const char *text = number ? "@.tpu.manual_seed" : "@.tpu.set_rng_state"; /* a number, or what get_rng_state gave */
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, text)));
    if (!number) rename_keyword(rw, rule, call, "seed", "new_state");
    ten_xla_drop_keywords(rw, rule, call, dropped);
  } else if (replace(rw, rule, call, calls)) {
    ten_xla_drop_keywords(rw, rule, call, dropped);
  }
}

/* @torch_xla.compile and torch_xla.compile(step, full_graph=True) */
static void compiled(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const char *const compilers[] = {"torch_xla.compile", "torch_xla.experimental.compile",
                                          "torch_xla.experimental.eager.compile", NULL};
  static const char *const dropped[] = {"full_graph", "name", "max_different_graphs", NULL};
  ten_py_node *callee = node->kind == PY_DECORATOR ? ten_py_named(node, 0) : ten_py_field_of(node, PY_F_FUNCTION);
  if (!callee || callee->kind == PY_CALL || !ten_xla_is(rw, callee, compilers)) return;
  if (node->kind == PY_DECORATOR) {
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, "@.compile(backend=\"tpu\")")));
    return;
  }
  if (node->parent->kind == PY_WITH_ITEM || node->parent->kind == PY_AS_PATTERN) {
    ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s.nullcontext()", ten_use(rw, MOD_CONTEXTLIB)));
    return;
  }
  ten_xla_drop_keywords(rw, rule, node, dropped);
  ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, "@.compile")));
  ten_py_node *function = ten_call_argument(rw->file, node, 0, NULL);
  ten_py_node *arguments = ten_py_field_of(node, PY_F_ARGUMENTS);
  const uint32_t at = function ? function->end : arguments->start + 1;
  ten_rewrite_span(rw, rule, node, at, at, "%sbackend=\"tpu\"", function ? ", " : "");
}

/* Whether a statement is this call alone, or a call that is given nothing else but texts: print("metrics:", …). */
static bool only_shows(const ten_py_node *statement, const ten_py_node *call) {
  if (!statement || statement->kind != PY_EXPR_STMT) return false;
  const ten_py_node *arguments = call->parent;
  if (arguments == statement) return true;
  if (arguments->kind != PY_ARGUMENTS || arguments->parent->parent != statement) return false;
  for (const ten_py_node *a = arguments->child; a; a = a->next)
    if (a->named && a != call && a->kind != PY_STRING && a->kind != PY_COMMENT && a->kind != PY_KEYWORD) return false;
  return true;
}

/* Counters and servers of torch_xla: nothing of the program's results depends on them. */
static void diagnostics(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const char *const traces[] = {"torch_xla.debug.profiler.Trace", "torch_xla.debug.profiler.StepTrace", NULL};
  static const char *const gone[] = {"torch_xla.debug.metrics.",
                                     "torch_xla.debug.profiler.start_server",
                                     "torch_xla.runtime.initialize_cache",
                                     "torch_xla.experimental.eager_mode",
                                     "torch_xla.core.xla_model.get_memory_info",
                                     NULL};
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee || !ten_dotted(rw->file, callee, dotted)) return;
  if (ten_xla_is(rw, callee, traces)) {
    ten_py_node *number = ten_call_keyword(rw->file, call, "step_num");
    if (number) ten_delete_argument(rw, rule, number);
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s", ten_xla_text(rw, "@.profiler.record_function")));
    return;
  }
  bool match = false;
  for (int i = 0; gone[i]; i++) match |= !strncmp(dotted, gone[i], strlen(gone[i]));
  if (!match) return;
  ten_py_node *statement = ten_py_statement(call);
  if (only_shows(statement, call)) {
    ten_coverage(rw, ten_delete_statement(rw, rule, statement));
    ten_note_add(rw, rule, TEN_NOTE_INFO, call, "%s has no counterpart; torch.profiler shows the device", dotted);
  } else {
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "None"));
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, call, "%s has no counterpart, and its value is used", dotted);
  }
}

const ten_rewrite_rule ten_rules_xla[] = {
    {130, "xla-device", "TorchTPU's device is called \"tpu\"", FOR_TPU, {PY_CALL, PY_STRING}, device},
    {208, "xla-step", "TorchTPU runs operations by itself: a step needs no end", FOR_TPU, {PY_CALL}, step_end},
    {306, "xla-amp", "autocast and the optimizers are torch's own", FOR_TPU, {PY_CALL}, mixed_precision},
    {405,
     "xla-loader",
     "TorchTPU has no loader of its own: batches are moved as they come",
     FOR_TPU,
     {PY_CALL},
     loader},
    {604, "xla-save", "checkpoints hold host tensors, and one process writes them", FOR_TPU, {PY_CALL}, save},
    {704, "xla-seed", "the device's generator is seeded by torch.tpu", FOR_TPU, {PY_CALL}, seed},
    {806, "xla-compile", "torch.compile compiles for the TPU", FOR_TPU, {PY_CALL, PY_DECORATOR}, compiled},
    {807, "xla-diagnostics", "torch_xla's counters and servers have no counterpart", FOR_TPU, {PY_CALL}, diagnostics},
    {0},
};
