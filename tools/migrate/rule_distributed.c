/* rule_distributed.c: process groups, launchers, DDP, ranks. A process has one device; torch_xla.launch starts one
 * process per device. */
#include <stdlib.h>

#include "migrate/rule_xla.h"

/* RPC processes have roles by rank: they are not one program on many devices. */
static bool uses_rpc(const ten_rewrite *rw) {
  const ten_str text = rw->file->tree.text;
  return memmem(text.data, text.size, "torch.distributed.rpc", 21) != NULL;
}

static void process_group(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  if (!ten_dotted_is(rw->file, ten_py_field_of(call, PY_F_FUNCTION), "torch.distributed.init_process_group") ||
      uses_rpc(rw)) /* which searches the whole text */
    return;
  ten_py_node *backend = ten_call_argument(rw->file, call, 0, "backend"),
              *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  ten_str text;
  const bool literal = backend && ten_py_literal(&rw->file->tree, backend, &text);
  if (literal && (ten_str_is(text, rw->xla ? "xla" : "tpu_dist") || ten_str_is(text, "tpu_dist"))) return;
  if (!rw->xla) {
    if (literal && ten_str_is(text, "xla")) ten_xla_join(rw, rule, call);
    if (backend)
      ten_coverage(rw, ten_rewrite_node(rw, rule, backend, "%s", ten_quoted(rw, backend, "tpu_dist")));
    else
      ten_coverage(rw, ten_add_argument(rw, rule, call, "backend=\"tpu_dist\""));
    ten_use(rw, MOD_TPU);
    return;
  }
  ten_buf kept = {0};
  ten_py_node *timeout = ten_call_keyword(rw->file, call, "timeout");
  if (timeout) ten_buf_printf(&kept, ", %.*s", TEN_FMT(rw_text(rw, timeout)));
  const unsigned change = ten_change_begin(rw, rule, call);
  const bool ok = ten_change_edit(rw, change, arguments->start, arguments->end, "(\"xla\", init_method=\"xla://\"%s)",
                                  kept.data ? kept.data : "");
  arguments->claimed = ok;
  ten_buf_free(&kept);
  ten_use(rw, MOD_XLA_BACKEND);
  ten_coverage(rw, ok);
}

static ten_str parameter_name(const ten_rewrite *rw, const ten_py_file *file, ten_py_node *p) {
  (void)rw;
  ten_py_node *name = ten_py_field_of(p, PY_F_NAME);
  if (!name) name = p->kind == PY_TYPED_PARAM ? ten_py_named(p, 0) : p;
  return ten_py_text(&file->tree, name);
}

/* In the launched function, the world size comes from the runtime, whatever the parent passed. */
static void world_size_inside(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *callee) {
  static const char *const names[] = {"world_size", "n_gpus", "ngpus", "num_gpus", "ngpus_per_node", "nprocs", NULL};
  ten_py_file *file = rw->file;
  ten_py_node *function = ten_definition_of(rw->file, callee, &file);
  if (!function || function->kind != PY_FUNCTION || file != rw->file) return;
  ten_py_node *parameters = ten_py_field_of(function, PY_F_PARAMETERS), *body = ten_py_field_of(function, PY_F_BODY);
  for (ten_py_node *p = parameters ? parameters->child : NULL; p; p = p->next) {
    const ten_str name = parameter_name(rw, file, p);
    for (int i = 0; names[i]; i++) {
      if (!ten_str_is(name, names[i]) || p->claimed) continue; /* once, however many launches there are */
      ten_py_node *first = ten_py_named(body, 0);
      ten_py_node *value = first && first->kind == PY_EXPR_STMT ? ten_py_named(first, 0) : NULL;
      if (value && value->kind == PY_STRING && first->next) first = first->next;
      if (first)
        p->claimed = ten_insert_before(rw, rule, first, "%.*s = %s.world_size()", TEN_FMT(name), ten_use(rw, MOD_XR));
    }
  }
}

static void spawn(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!ten_dotted(rw->file, callee, dotted) ||
      (strcmp(dotted, "torch.multiprocessing.spawn") && strcmp(dotted, "torch.multiprocessing.spawn.spawn")) ||
      uses_rpc(rw))
    return;
  ten_py_node *function = ten_call_argument(rw->file, call, 0, "fn"),
              *args = ten_call_argument(rw->file, call, 1, "args");
  if (!function) return;
  ten_buf text = {0};
  ten_buf_printf(&text, "%s.launch(%.*s", ten_use(rw, MOD_XLA), TEN_FMT(rw_text(rw, function)));
  if (args) ten_buf_printf(&text, ", args=%.*s", TEN_FMT(rw_text(rw, args)));
  ten_buf_addc(&text, ')');
  if (ten_rewrite_node(rw, rule, call, "%s", text.data)) world_size_inside(rw, rule, function);
  ten_buf_free(&text);
  ten_coverage(rw, true);
}

static void ddp(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted)) return;
  if (strcmp(dotted, "torch.nn.parallel.DistributedDataParallel") &&
      strcmp(dotted, "torch.nn.parallel.distributed.DistributedDataParallel"))
    return;
  ten_py_node *ids = ten_call_argument(rw->file, call, 1, "device_ids"),
              *output = ten_call_argument(rw->file, call, 2, "output_device");
  ten_py_node *const drop[] = {ids, output};
  for (int i = 0; i < 2; i++)
    if (drop[i])
      ten_coverage(rw, ten_delete_argument(rw, rule, drop[i]->parent->kind == PY_KEYWORD ? drop[i]->parent : drop[i]));
  if (rw->xla && !ten_call_keyword(rw->file, call, "gradient_as_bucket_view")) {
    ten_py_node *model = ten_call_argument(rw->file, call, 0, "module");
    if (model) ten_rewrite_span(rw, rule, call, model->end, model->end, ", gradient_as_bucket_view=True");
  }
}

/* ddp_model(torch.randn(20, 10)): with device_ids, DDP moved its inputs itself. */
static void ddp_input(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee || (callee->kind != PY_IDENTIFIER && callee->kind != PY_ATTRIBUTE)) return;
  ten_py_name *name = callee->kind == PY_IDENTIFIER ? ten_name_lookup(rw->file, callee, rw_text(rw, callee))
                                                    : ten_self_attribute(rw->file, callee);
  bool wrapped = false;
  for (const ten_py_binding *b = name ? name->first : NULL; b && !wrapped; b = b->next) {
    char dotted[TEN_DOTTED_MAX];
    wrapped = b->how == BIND_ASSIGN && b->value && b->value->kind == PY_CALL &&
              ten_dotted(b->file, ten_py_field_of(b->value, PY_F_FUNCTION), dotted) &&
              strstr(dotted, "DistributedDataParallel") && ten_call_argument(b->file, b->value, 1, "device_ids");
  }
  ten_py_node *arguments = wrapped ? ten_py_field_of(call, PY_F_ARGUMENTS) : NULL;
  for (ten_py_node *a = arguments ? arguments->child : NULL; a; a = a->next) {
    char dotted[TEN_DOTTED_MAX];
    if (a->kind != PY_CALL || ten_call_keyword(rw->file, a, "device") ||
        !ten_dotted(rw->file, ten_py_field_of(a, PY_F_FUNCTION), dotted))
      continue;
    if (!strncmp(dotted, "torch.", 6) && ten_py_value_of(rw->file, a) & V_TENSOR)
      ten_coverage(rw, ten_rewrite_span(rw, rule, a, a->end, a->end, ".to(%s)", ten_device_expression(rw, call)));
  }
}

/* int(os.environ["LOCAL_RANK"]) → xr.local_ordinal() */
static void rank_from_environment(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const struct {
    const char *name, *function;
  } ranks[] = {{"LOCAL_RANK", "local_ordinal"}, {"RANK", "global_ordinal"}, {"WORLD_SIZE", "world_size"}};
  if (!rw_is(rw, ten_py_field_of(call, PY_F_FUNCTION), "int") || ten_before_launch(rw, call) || uses_rpc(rw)) return;
  ten_py_node *argument = ten_call_argument(rw->file, call, 0, NULL);
  ten_str name = {"", 0};
  if (argument && argument->kind == PY_SUBSCRIPT &&
      ten_dotted_is(rw->file, ten_py_field_of(argument, PY_F_VALUE), "os.environ"))
    ten_py_literal(&rw->file->tree, ten_py_field_of(argument, PY_F_SUBSCRIPT), &name);
  else if (argument && argument->kind == PY_CALL && !ten_call_argument(rw->file, argument, 1, "default") &&
           (ten_dotted_is(rw->file, ten_py_field_of(argument, PY_F_FUNCTION), "os.getenv") ||
            ten_dotted_is(rw->file, ten_py_field_of(argument, PY_F_FUNCTION), "os.environ.get")))
    ten_py_literal(&rw->file->tree, ten_call_argument(rw->file, argument, 0, NULL), &name);
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    if (ten_str_is(name, ranks[i].name))
      ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s.%s()", ten_use(rw, MOD_XR), ranks[i].function));
}

/* nn.parallel.data_parallel(module, x, range(count)) cannot split over devices, and fails: module(x) */
static void parallel_call(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *module = ten_call_argument(rw->file, call, 0, "module");
  ten_py_node *inputs = ten_call_argument(rw->file, call, 1, "inputs");
  if (!module || !inputs || ten_call_keyword(rw->file, call, "module_kwargs")) return;
  const bool name = module->kind == PY_IDENTIFIER || module->kind == PY_ATTRIBUTE || module->kind == PY_CALL ||
                    module->kind == PY_SUBSCRIPT;
  const ten_str text = rw_text(rw, module), passed = rw_text(rw, inputs);
  ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s%.*s%s(%s%.*s)", name ? "" : "(", TEN_FMT(text), name ? "" : ")",
                                    inputs->kind == PY_TUPLE ? "*" : "", TEN_FMT(passed)));
}

static void data_parallel(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted)) return;
  if (!strcmp(dotted, "torch.nn.parallel.data_parallel")) parallel_call(rw, rule, call);
  if (strcmp(dotted, "torch.nn.DataParallel") && strcmp(dotted, "torch.nn.parallel.DataParallel")) return;
  ten_py_node *ids = ten_call_argument(rw->file, call, 1, "device_ids");
  if (ids) ten_coverage(rw, ten_delete_argument(rw, rule, ids->parent->kind == PY_KEYWORD ? ids->parent : ids));
  ten_note_add(
      rw, rule, TEN_NOTE_INFO, call,
      "DataParallel splits over CUDA devices only and passes everything through here; torch_xla.launch with one process a device is the way to use more of them");
}

/* model.share_memory(): Hogwild */
static void shared_memory(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!rw->places || !callee || callee->kind != PY_ATTRIBUTE ||
      !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "share_memory") ||
      !(ten_py_value_of(rw->file, ten_py_field_of(callee, PY_F_OBJECT)) & V_MODULE))
    return;
  ten_note_add(
      rw, rule, TEN_NOTE_HUMAN, call,
      "processes cannot share a device's memory: keep this model on the CPU, or give each process one and reduce "
      "the gradients");
}

static void needs_rewriting(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const struct {
    const char *module, *advice;
  } libraries[] = {
      {"torch.distributed.fsdp",
       "use torch_xla.distributed.fsdp.XlaFullyShardedDataParallel, or SPMD with torch_xla.experimental.spmd_fully_sharded_data_parallel"},
      {"torch.distributed._composable.fsdp", "use SPMD with torch_xla.experimental.spmd_fully_sharded_data_parallel"},
      {"torch.distributed.rpc",
       "there is no RPC between TPU processes; restructure with collectives (xm.all_reduce, xm.all_gather)"},
      {"torch.distributed.pipeline", "pipeline stages need SPMD sharding here (torch_xla.distributed.spmd)"},
      {"torch.distributed.pipelining", "pipeline stages need SPMD sharding here (torch_xla.distributed.spmd)"},
      {"torch.distributed.tensor", "mark shardings with torch_xla.distributed.spmd.mark_sharding instead of DTensor"},
      {"torch.distributed._tensor", "mark shardings with torch_xla.distributed.spmd.mark_sharding instead of DTensor"},
      {"torch.distributed.device_mesh", "build a torch_xla.distributed.spmd.Mesh instead"},
      {"deepspeed", "DeepSpeed drives CUDA; torch_xla's FSDP covers sharded training"},
      {"horovod", "Horovod drives CUDA and NCCL; use torch_xla.launch with xm.optimizer_step"},
      {"apex", "apex is a CUDA extension; torch.autocast and torch.nn.parallel replace what is used of it"},
      {"nvidia", "a CUDA library without counterpart on a TPU"},
      {"cupy", "CuPy runs on CUDA only"},
      {"pycuda", "PyCUDA runs on CUDA only"},
      {"triton",
       "Triton kernels are for GPUs; write them in Pallas (torch_xla.experimental.custom_kernel) or as plain torch ops"},
      {"flash_attn",
       "a CUDA extension; torch_xla.experimental.custom_kernel.flash_attention is the TPU's, or use scaled_dot_product_attention"},
      {"xformers", "a CUDA extension; scaled_dot_product_attention computes the same"},
      {"bitsandbytes", "a CUDA extension; keep the weights in bfloat16 or use torch_xla's int8 linear"},
      {"numba.cuda", "a CUDA kernel; write it in Pallas (torch_xla.experimental.custom_kernel) or as plain torch ops"},
      {"pynvml", "reads NVIDIA's driver"},
      {"torch.utils.cpp_extension",
       "a compiled CUDA extension does not run on a TPU: give it a version in plain torch ops or Pallas"},
  };
  ten_str name = {"", 0};
  ten_py_node *about = node;
  if (node->kind == PY_IMPORT_FROM)
    name = rw_text(rw, ten_py_field_of(node, PY_F_MODULE_NAME));
  else {
    about = ten_py_named(node, 0);
    name = rw_text(rw, about && about->kind == PY_ALIASED_IMPORT ? ten_py_field_of(about, PY_F_NAME) : about);
  }
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    const size_t size = strlen(libraries[i].module);
    bool match = ten_str_starts(name, libraries[i].module) && (name.size == size || name.data[size] == '.');
    if (!match && node->kind == PY_IMPORT_FROM) { /* from torch.utils import cpp_extension */
      for (const ten_py_node *item = node->child; item && !match; item = item->next) {
        if (item->field != PY_F_NAME) continue;
        ten_buf whole = {0};
        ten_buf_printf(&whole, "%.*s.%.*s", TEN_FMT(name), TEN_FMT(rw_text(rw, item)));
        match = !strcmp(whole.data, libraries[i].module);
        ten_buf_free(&whole);
      }
    }
    if (!match) continue;
    ten_coverage(rw, false);
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, node, "%s: %s", libraries[i].module, libraries[i].advice);
    return;
  }
}

const ten_rewrite_rule ten_rules_distributed[] = {
    {501,
     "process-group",
     "NCCL and gloo do not reach the device; the target has a backend of its own",
     FOR_BOTH,
     {PY_CALL},
     process_group},
    {502,
     "launch",
     "torch_xla.launch starts one process for each device and passes its ordinal first, as mp.spawn does",
     FOR_XLA,
     {PY_CALL},
     spawn},
    {503,
     "ddp",
     "device_ids are CUDA's; with bucket views gradients keep their place in the compiled step",
     FOR_BOTH,
     {PY_CALL},
     ddp},
    {504,
     "rank-environment",
     "the runtime knows rank and world size, whoever launched the process",
     FOR_XLA,
     {PY_CALL},
     rank_from_environment},
    {507, "ddp-input", "DDP moved its inputs to device_ids; now the program does", FOR_BOTH, {PY_CALL}, ddp_input},
    {505, "data-parallel", "DataParallel is CUDA's", FOR_BOTH, {PY_CALL}, data_parallel},
    {506,
     "no-counterpart",
     "this library has no counterpart that keeps the program as it is",
     FOR_BOTH,
     {PY_IMPORT, PY_IMPORT_FROM},
     needs_rewriting},
    {508, "shared-memory", "processes share the CPU's memory only", FOR_BOTH, {PY_CALL}, shared_memory},
    {0},
};
