/* rule_cuda.c: calls into torch.cuda and torch.accelerator by table, tensor types of torch.cuda, cuDNN and TF32
 * switches. */
#include <stdio.h>

#include "migrate/rule.h"

typedef enum action { DELETE_IT, EXPRESSION, DEVICE, KEEP_NOTE, HUMAN } action;

typedef struct cuda_call {
  const char *name; /* below torch.cuda or torch.accelerator */
  action xla;
  const char *xla_text; /* EXPRESSION: %x torch_xla, %t torch, %m xm, %r xr, %c contextlib, %d device; others: a note */
  const char *tpu;      /* torch's name for the TPU, below torch; "": none, delete the call; NULL: as for xla */
} cuda_call;

static const cuda_call cuda_calls[] = {
    {"set_device", DELETE_IT, NULL, "accelerator.set_device_index"},
    {"set_device_index", DELETE_IT, NULL, "accelerator.set_device_index"},
    {"empty_cache", DELETE_IT, NULL, "accelerator.empty_cache"},
    {"ipc_collect", DELETE_IT, NULL, NULL},
    {"init", DELETE_IT, NULL, ""},
    {"reset_peak_memory_stats", DELETE_IT, NULL, "accelerator.reset_peak_memory_stats"},
    {"reset_max_memory_allocated", DELETE_IT, NULL, "accelerator.reset_peak_memory_stats"},
    {"set_per_process_memory_fraction", DELETE_IT, NULL, NULL},
    {"synchronize", EXPRESSION, "%x.sync(wait=True)", "accelerator.synchronize"},
    {"device_count", EXPRESSION, "%x.device_count()", "accelerator.device_count"},
    {"current_device", DEVICE, NULL, "accelerator.current_device_index"},
    {"current_device_index", DEVICE, NULL, "accelerator.current_device_index"},
    {"current_accelerator", EXPRESSION, "%t.device(\"xla\")", NULL}, /* prints as "xla", which programs add ":0" to */
    {"device_index", DELETE_IT, NULL, NULL},
    {"get_device_name", EXPRESSION, "%m.xla_device_hw(%d)", "tpu.get_device_name"},
    {"is_bf16_supported", EXPRESSION, "%r.is_bf16_supported()", NULL},
    {"memory_allocated", KEEP_NOTE, "xm.get_memory_info(torch_xla.device())[\"bytes_used\"] is the figure on a TPU",
     "accelerator.memory_allocated"},
    {"max_memory_allocated", KEEP_NOTE,
     "xm.get_memory_info(torch_xla.device())[\"peak_bytes_used\"] is the figure on a TPU",
     "accelerator.max_memory_allocated"},
    {"memory_reserved", KEEP_NOTE, "xm.get_memory_info(torch_xla.device()) has the TPU's figures",
     "accelerator.memory_reserved"},
    {"max_memory_reserved", KEEP_NOTE, "xm.get_memory_info(torch_xla.device()) has the TPU's figures",
     "accelerator.max_memory_reserved"},
    {"memory_cached", KEEP_NOTE, "xm.get_memory_info(torch_xla.device()) has the TPU's figures",
     "accelerator.memory_reserved"},
    {"memory_summary", KEEP_NOTE, "torch_xla.debug.metrics.metrics_report() is the nearest thing", NULL},
    {"get_device_properties", HUMAN,
     "a TPU has no CUDA properties; xm.get_memory_info and torch_xla.runtime hold what is known",
     "tpu.get_device_properties"},
    {"get_device_capability", HUMAN, "compute capability is a CUDA notion; bf16 is always there on a TPU", NULL},
    {"Event", HUMAN,
     "time with time.perf_counter() around torch_xla.sync(wait=True), or use the profiler (torch_xla.debug.profiler)",
     "tpu.Event"},
    {"Stream", HUMAN, "TPUs have no streams: the graph is scheduled by the compiler; drop the stream code",
     "tpu.Stream"},
    {"stream", HUMAN, "TPUs have no streams: the graph is scheduled by the compiler; drop the stream code",
     "tpu.stream"},
    {"current_stream", HUMAN, "TPUs have no streams: the graph is scheduled by the compiler; drop the stream code",
     "accelerator.current_stream"},
    {"default_stream", HUMAN, "TPUs have no streams: the graph is scheduled by the compiler; drop the stream code",
     "tpu.default_stream"},
    {"device", EXPRESSION, "%c.nullcontext()",
     "accelerator.device_index"}, /* each process has one device, the current one */
    {"device_of", EXPRESSION, "%c.nullcontext()", NULL},
    {"CUDAGraph", HUMAN, "torch_xla.compile is what captures a graph here", NULL},
    {"graph", HUMAN, "torch_xla.compile is what captures a graph here", NULL},
    {"make_graphed_callables", HUMAN, "torch_xla.compile is what captures a graph here", NULL},
};

static const char *expand(ten_rewrite *rw, const char *pattern, const ten_py_node *node) {
  char *out = ten_scratch(rw);
  size_t size = 0;
  for (const char *p = pattern; *p && size < 500; p++) {
    const char *piece = NULL;
    if (*p == '%') {
      p++;
      piece = *p == 'x'   ? ten_use(rw, MOD_XLA)
              : *p == 't' ? (ten_use(rw, MOD_XLA), ten_use(rw, MOD_TORCH))
              : *p == 'm' ? ten_use(rw, MOD_XM)
              : *p == 'r' ? ten_use(rw, MOD_XR)
              : *p == 'c' ? ten_use(rw, MOD_CONTEXTLIB)
                          : ten_device_expression(rw, node);
      size += (size_t)snprintf(out + size, 512 - size, "%s", piece);
    } else {
      out[size++] = *p;
    }
  }
  out[size] = 0;
  return out;
}

/* Is the value of `node` used as a number: compared, computed with, printed, an index? */
static bool is_number_here(ten_rewrite *rw, ten_py_node *node) {
  const ten_py_node *parent = node->parent;
  if (parent->kind == PY_COMPARE || parent->kind == PY_BINARY_OP || parent->kind == PY_INTERPOLATION) return true;
  if (parent->kind == PY_SUBSCRIPT) return node->field == PY_F_SUBSCRIPT;
  const ten_py_node *call = parent->kind == PY_ARGUMENTS ? parent->parent : NULL;
  const ten_py_node *callee = call && call->kind == PY_CALL ? ten_py_field_of(call, PY_F_FUNCTION) : NULL;
  return rw_is(rw, callee, "int") || rw_is(rw, callee, "str") || rw_is(rw, callee, "print") ||
         rw_is(rw, callee, "range");
}

/* torch.cuda.current_device() is an integer, which most programs use as a device; these use it as an integer. */
static bool used_as_number(ten_rewrite *rw, ten_py_node *call) {
  if (is_number_here(rw, call)) return true;
  ten_py_node *left = call->parent->kind == PY_ASSIGN ? ten_py_field_of(call->parent, PY_F_LEFT) : NULL;
  if (!left || left->kind != PY_IDENTIFIER) return false;
  ten_py_name *name = ten_name_lookup(rw->file, left, rw_text(rw, left));
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *node = name ? root : NULL; node; node = ten_py_walk(node, root, false))
    if (node->kind == PY_IDENTIFIER && node != left && ten_str_eq(rw_text(rw, node), name->text) &&
        is_number_here(rw, node) && ten_name_lookup(rw->file, node, name->text) == name)
      return true;
  return false;
}

static void delete_or_none(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *statement = ten_py_statement(call);
  const bool alone = statement && statement->kind == PY_EXPR_STMT && call->parent == statement;
  ten_coverage(rw, alone ? ten_delete_statement(rw, rule, statement) : ten_rewrite_node(rw, rule, call, "None"));
}

static bool claimed_above(const ten_py_node *node) {
  for (; node; node = node->parent)
    if (node->claimed) return true;
  return false;
}

static bool holds_launch(ten_rewrite *rw, ten_py_node *top) {
  for (ten_py_node *node = top; node; node = ten_py_walk(node, top, false))
    if (ten_is_launch(rw, node)) return true;
  return false;
}

/* Whether it leaves the function or the program: return, raise, exit(). */
static bool gives_up(ten_rewrite *rw, ten_py_node *block) {
  const ten_py_node *last = block ? ten_py_last(block) : NULL;
  if (!last || last->kind == PY_RETURN) return last != NULL;
  const ten_str text = rw_text(rw, last);
  return ten_str_starts(text, "raise") || ten_str_starts(text, "sys.exit(") || ten_str_starts(text, "exit(") ||
         ten_str_starts(text, "quit(");
}

/* if torch.cuda.device_count() > 1: mp.spawn(…): the parent cannot count the devices, and torch_xla.launch starts one
 * process per device, even for one. The condition becomes the constant that launches. */
static void launch_guard(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *compare) {
  ten_py_node *left = ten_py_named(compare, 0), *right = ten_py_named(compare, 1), *above = compare->parent;
  if (!left || !right || right->kind != PY_INTEGER || rw_is(rw, right, "0") ||
      !(ten_py_value_of(rw->file, left) & V_COUNT_OF_DEVICES) || !ten_before_launch(rw, compare))
    return;
  const char *answer = NULL;
  if (above->kind == PY_ASSERT) {
    ten_coverage(rw, ten_delete_statement(rw, rule, above));
    return;
  }
  if (above->kind == PY_IF && ten_py_field_of(above, PY_F_CONDITION) == compare) {
    ten_py_node *then = ten_py_field_of(above, PY_F_CONSEQUENCE);
    if (holds_launch(rw, then))
      answer = "True";
    else if (holds_launch(rw, above) || gives_up(rw, then))
      answer = "False";
  }
  if (!answer || !ten_rewrite_node(rw, rule, compare, "%s", answer)) return;
  ten_coverage(rw, true);
  ten_note_add(
      rw, rule, TEN_NOTE_INFO, compare,
      "torch_xla.launch starts one process for each device, also where there is one: it needs no count before");
}

/* torch.tpu reserves most device functions for torch itself: programs call torch.accelerator. */
static void tpu_function(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const cuda_call *row) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  ten_use(rw, MOD_TPU);
  if (!row->tpu[0]) {
    delete_or_none(rw, rule, call);
    return;
  }
  const bool written = ten_rewrite_node(rw, rule, callee, "%s.%s", ten_use(rw, MOD_TORCH), row->tpu);
  if (written) callee->claimed = true;
  ten_coverage(rw, written);
}

static void cuda_function(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!ten_dotted(rw->file, callee, dotted)) return;
  const char *name = !strncmp(dotted, "torch.cuda.", 11)          ? dotted + 11
                     : !strncmp(dotted, "torch.accelerator.", 18) ? dotted + 18
                                                                  : NULL;
  if (!name) return;
  if (!strncmp(name, "nvtx.", 5)) {
    if (!strcmp(name, "nvtx.range_push") || !strcmp(name, "nvtx.range_pop") || !strcmp(name, "nvtx.mark")) {
      delete_or_none(rw, rule, call);
      ten_note_add(rw, rule, TEN_NOTE_INFO, call,
                   "torch_xla.debug.profiler.Trace names a region for the TPU's profiler");
    }
    return;
  }
  for (size_t i = 0; i < sizeof cuda_calls / sizeof *cuda_calls; i++) {
    const cuda_call *row = &cuda_calls[i];
    if (strcmp(row->name, name)) continue;
    if (!rw->xla && !strncmp(dotted, "torch.accelerator.", 18)) return; /* it supports the TPU already */
    if (!rw->xla && row->tpu) {
      tpu_function(rw, rule, call, row);
      return;
    }
    switch (row->xla) {
      case DELETE_IT: delete_or_none(rw, rule, call); return;
      case DEVICE:
        if (used_as_number(rw, call)) {
          ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s.local_ordinal()", ten_use(rw, MOD_XR)));
          return;
        }
        ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s", ten_device_call(rw)));
        return;
      case EXPRESSION:
        if (!rw->xla && !strcmp(name, "is_bf16_supported")) {
          ten_coverage(rw, ten_rewrite_node(rw, rule, call, "True")); /* on every TPU */
          return;
        }
        if (!rw->xla && row->xla_text[1] != 'c') return;
        if (rw->xla && !strcmp(name, "device_count") &&
            ten_before_launch(rw, call)) { /* the query would start the runtime, after which launch() fails */
          if (claimed_above(call)) return;
          ten_coverage(rw, ten_rewrite_node(rw, rule, call, "1"));
          ten_note_add(rw, rule, TEN_NOTE_INFO, call,
                       "the devices are counted by torch_xla.launch, not before it: workers ask xr.world_size()");
          return;
        }
        ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s", expand(rw, row->xla_text, call)));
        return;
      case KEEP_NOTE:
        ten_coverage(rw, false);
        ten_note_add(rw, rule, TEN_NOTE_INFO, call, "torch.cuda.%s says 0 here; %s", name, row->xla_text);
        return;
      case HUMAN:
        ten_coverage(rw, false);
        ten_note_add(rw, rule, TEN_NOTE_HUMAN, call, "torch.cuda.%s: %s", name, row->xla_text);
        return;
    }
  }
}

/* torch.set_default_tensor_type("torch.cuda.FloatTensor") puts every new tensor on the device */
static void default_tensor_type(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *type = ten_call_argument(rw->file, call, 0, "t");
  ten_str text;
  const bool named = type && ten_py_literal(&rw->file->tree, type, &text) && ten_str_starts(text, "torch.cuda.");
  if (!type || (!named && !(ten_py_value_of(rw->file, type) & V_TENSOR_TYPE))) return;
  ten_coverage(
      rw, ten_rewrite_node(rw, rule, call, "%s.set_default_device(%s)", ten_use(rw, MOD_TORCH), ten_device_call(rw)));
  ten_note_add(
      rw, rule, TEN_NOTE_HUMAN, call,
      "every tensor without a device is now made on the target's; loaders that shuffle draw on the host and need generator=torch.Generator()");
}

/* isinstance(x, torch.cuda.FloatTensor): tensors on the device have no named type */
static bool type_test(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!rw_is(rw, ten_py_field_of(call, PY_F_FUNCTION), "isinstance")) return false;
  ten_py_node *value = ten_call_argument(rw->file, call, 0, NULL), *type = ten_call_argument(rw->file, call, 1, NULL);
  if (!value || !type || !ten_dotted(rw->file, type, dotted)) return false;
  const char *dtype = ten_cuda_tensor_dtype(dotted);
  if (!dtype || (value->kind != PY_IDENTIFIER && value->kind != PY_ATTRIBUTE)) return false;
  const ten_str text = rw_text(rw, value);
  const char *torch = ten_use(rw, MOD_TORCH);
  const bool loose = call->parent->kind == PY_IF || call->parent->kind == PY_ASSIGN || call->parent->kind == PY_RETURN;
  ten_coverage(
      rw, ten_rewrite_node(rw, rule, call,
                           "%sisinstance(%.*s, %s.Tensor) and %.*s.device.type == \"%s\" and %.*s.dtype == %s.%s%s",
                           loose ? "" : "(", TEN_FMT(text), torch, TEN_FMT(text), ten_device_name(rw), TEN_FMT(text),
                           torch, dtype, loose ? "" : ")"));
  type->claimed = true;
  return true;
}

/* x.type() == "torch.cuda.HalfTensor" */
static void type_text(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *compare) {
  for (ten_py_node *side = compare->child; side; side = side->next) {
    ten_str text;
    if (side->kind != PY_STRING || !ten_py_literal(&rw->file->tree, side, &text)) continue;
    if (!ten_str_starts(text, "torch.cuda.") || !ten_str_ends(text, "Tensor")) continue;
    const uint32_t place = (uint32_t)(text.data - rw->file->tree.text.data) + 6; /* of "cuda" */
    ten_coverage(rw, ten_rewrite_span(rw, rule, side, place, place + 4, "%s", ten_device_name(rw)));
  }
}

/* torch.cuda.FloatTensor(…) → torch.FloatTensor(…).to(device); Tensor(…) where Tensor is such a type; x.type(Tensor) */
static void tensor_type(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  if (node->kind == PY_COMPARE) {
    type_text(rw, rule, node);
    return;
  }
  if (node->kind == PY_CALL) {
    ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
    if (!callee || type_test(rw, rule, node)) return;
    if (ten_dotted_is(rw->file, callee, "torch.set_default_tensor_type")) {
      default_tensor_type(rw, rule, node);
      return;
    }
    bool ends_on_cpu = callee->kind != PY_ATTRIBUTE || ten_dotted(rw->file, callee, dotted);
    ends_on_cpu = ends_on_cpu && ten_py_value_of(rw->file, callee) & V_TENSOR_TYPE;
    if (!ends_on_cpu && callee->kind == PY_ATTRIBUTE && rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "type")) {
      ten_py_node *argument = ten_call_argument(rw->file, node, 0, NULL);
      ten_str text;
      if (ten_py_literal(&rw->file->tree, argument, &text) && ten_str_starts(text, "torch.cuda.")) {
        const unsigned change = ten_change_begin(rw, rule, node);
        ten_change_edit(rw, change, argument->start + 1, argument->start + 1 + 11, "torch.");
        ten_change_edit(rw, change, node->end, node->end, ".to(%s)", ten_device_expression(rw, node));
        argument->claimed = true;
        ten_coverage(rw, true);
        return;
      }
      ends_on_cpu = argument && ten_py_value_of(rw->file, argument) & V_TENSOR_TYPE;
    }
    if (ends_on_cpu) ten_rewrite_span(rw, rule, node, node->end, node->end, ".to(%s)", ten_device_expression(rw, node));
    return;
  }
  /* The name of the type itself, anywhere. */
  if (!ten_dotted(rw->file, node, dotted)) return;
  if (!strncmp(dotted, "torch.cuda.sparse.", 18)) {
    ten_coverage(rw, false);
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, node,
                 "%s: sparse tensors do not exist on an XLA device; use the dense tensor, or gather and scatter_add",
                 dotted);
    return;
  }
  if (!ten_cuda_tensor_dtype(dotted)) return;
  ten_py_node *conditional = node->parent->kind == PY_CONDITIONAL ? node->parent : NULL;
  const char *torch = ten_use(rw, MOD_TORCH);
  if (conditional)
    ten_coverage(rw, ten_rewrite_node(rw, rule, conditional, "%s.%s", torch, dotted + 11));
  else
    ten_coverage(rw, ten_rewrite_node(rw, rule, node, "%s.%s", torch, dotted + 11));
}

/* torch.backends.cudnn.benchmark = True, torch.backends.cuda.matmul.allow_tf32 = True */
static void backend_switch(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *left = ten_py_field_of(node, PY_F_LEFT), *statement = ten_py_statement(node);
  if (!left || node->parent != statement || !ten_dotted(rw->file, left, dotted)) return;
  if (strncmp(dotted, "torch.backends.cudnn.", 21) && strncmp(dotted, "torch.backends.cuda.", 20)) return;
  ten_py_node *right = ten_py_field_of(node, PY_F_RIGHT);
  if (right && right->kind == PY_ASSIGN) return;
  ten_coverage(rw, ten_delete_statement(rw, rule, statement));
}

const ten_rewrite_rule ten_rules_cuda[] = {
    {110,
     "cuda-call",
     "torch.cuda's functions have their own counterparts, or none that is needed",
     FOR_BOTH,
     {PY_CALL},
     cuda_function},
    {114,
     "launch-guard",
     "the devices are counted by torch_xla.launch, not before it",
     FOR_XLA,
     {PY_COMPARE},
     launch_guard},
    {111,
     "cuda-tensor-type",
     "torch.cuda tensor types exist on CUDA only; type and place are said separately",
     FOR_BOTH,
     {PY_CALL, PY_ATTRIBUTE, PY_COMPARE},
     tensor_type},
    {112, "cudnn-switch", "cuDNN and TF32 switches mean nothing to XLA", FOR_BOTH, {PY_ASSIGN}, backend_switch},
    {0},
};
