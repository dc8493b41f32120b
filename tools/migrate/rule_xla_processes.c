/* rule_xla_processes.c: PyTorch/XLA programs of several processes for TorchTPU: launching, ranks, collectives, SPMD.
 * TorchTPU's processes are torch.multiprocessing's, one for each chip, in a process group of the backend "tpu_dist"; a
 * program of one process has no group, and its ranks are constants. */
#include "migrate/rule_xla.h"

#include <stdlib.h>

static const char *const launchers[] = {"torch_xla.launch", "torch_xla.distributed.xla_multiprocessing.spawn", NULL};

/* xmp.spawn(f, nprocs=1), torch_xla.launch(f, debug_single_process=True): no other process */
static bool is_single(ten_rewrite *rw, const ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX] = "";
  ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted);
  const bool spawn = !strcmp(dotted, launchers[1]);
  ten_py_node *count = ten_call_argument(rw->file, call, spawn ? 2 : -1, "nprocs");
  ten_py_node *debug = ten_call_argument(rw->file, call, -1, "debug_single_process");
  return (count && rw_is(rw, count, "1")) || (debug && rw_is(rw, debug, "True"));
}

static bool file_launches(ten_rewrite *rw) {
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *n = root; n; n = ten_py_walk(n, root, false)) {
    if (n->kind != PY_CALL) continue;
    ten_py_node *callee = ten_py_field_of(n, PY_F_FUNCTION);
    if (ten_xla_is(rw, callee, launchers) && !is_single(rw, n)) return true;
    if (ten_dotted_is(rw->file, callee, "torch.distributed.init_process_group")) return true;
  }
  return false;
}

bool ten_xla_launches(ten_rewrite *rw) {
  if (rw->xla_launches) return rw->xla_launches > 0;
  static const char *const signs[] = {"torch_xla.launch", "xla_multiprocessing", NULL};
  bool found = file_launches(rw);
  for (size_t f = 0; f < rw->file->project->files.count && !found; f++) { /* of other files, by their words */
    ten_py_file *file = rw->file->project->files.data[f];
    if (file == rw->file || !ten_same_program(file, rw->file)) continue;
    for (int i = 0; signs[i]; i++)
      found |= memmem(file->tree.text.data, file->tree.text.size, signs[i], strlen(signs[i])) != NULL;
  }
  rw->xla_launches = found ? 1 : -1;
  return found;
}

/* Where there is a process group when `node` runs. */
static bool grouped(ten_rewrite *rw, const ten_py_node *node) {
  return ten_xla_launches(rw) && !ten_before_launch(rw, node);
}

void ten_xla_on_first(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement) {
  if (!grouped(rw, statement)) return;
  const char *indent = ten_indent_of(rw, statement), *torch = ten_use(rw, MOD_TORCH);
  const bool crlf = memchr(rw->file->source.data, '\r', rw->file->source.size) != NULL;
  const unsigned change = ten_change_begin(rw, rule, statement);
  if (!ten_alone_on_line(rw, statement)) /* a compound statement may not stand there: if x: xm.master_print(x) */
    ten_change_edit(rw, change, statement->start, statement->start, "%s.distributed.get_rank() == 0 and ", torch);
  else
    ten_change_edit(rw, change, statement->start, statement->start, "if %s.distributed.get_rank() == 0:%s%s%s", torch,
                    crlf ? " " : "\n", crlf ? "" : indent, crlf ? "" : "    ");
}

/* The name of the ordinal in the function that is launched and has `node` in it, or an empty one. */
static ten_str ordinal_of(ten_rewrite *rw, const ten_py_node *function) {
  ten_py_node *parameters = function ? ten_py_field_of(function, PY_F_PARAMETERS) : NULL;
  ten_py_node *first = parameters ? ten_py_named(parameters, 0) : NULL;
  if (!first) return (ten_str){"", 0};
  ten_py_node *name = ten_py_field_of(first, PY_F_NAME);
  return rw_text(rw, name ? name : first->kind == PY_TYPED_PARAM ? ten_py_named(first, 0) : first);
}

static bool is_launched(ten_rewrite *rw, const ten_py_node *function) {
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *n = root; n; n = ten_py_walk(n, root, false)) {
    if (n->kind != PY_CALL || !ten_xla_is(rw, ten_py_field_of(n, PY_F_FUNCTION), launchers)) continue;
    ten_py_node *target = ten_call_argument(rw->file, n, 0, "fn");
    ten_py_file *file = rw->file;
    if (target && ten_definition_of(rw->file, target, &file) == function && file == rw->file) return true;
  }
  return false;
}

#define GROUP_ARGUMENTS "init_method=\"tcp://localhost:29500\", rank=%.*s, world_size=%s.accelerator.device_count()"

void ten_xla_join(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *method = ten_call_keyword(rw->file, call, "init_method");
  ten_py_node *function = ten_py_up(call, PY_FUNCTION);
  const ten_str ordinal = function && is_launched(rw, function) ? ordinal_of(rw, function) : (ten_str){"", 0};
  const char *torch = ten_use(rw, MOD_TORCH);
  if (method && ordinal.size)
    ten_rewrite_node(rw, rule, method, GROUP_ARGUMENTS, TEN_FMT(ordinal), torch);
  else if (method)
    ten_delete_argument(rw, rule, method);
  else if (ordinal.size)
    ten_add_argument(rw, rule, call, GROUP_ARGUMENTS, TEN_FMT(ordinal), torch);
}

static bool joins_group(ten_rewrite *rw, ten_py_node *function) {
  for (ten_py_node *n = function; n; n = ten_py_walk(n, function, false))
    if (n->kind == PY_CALL &&
        ten_dotted_is(rw->file, ten_py_field_of(n, PY_F_FUNCTION), "torch.distributed.init_process_group"))
      return true;
  return false;
}

static void launch(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  if (!ten_xla_is(rw, ten_py_field_of(call, PY_F_FUNCTION), launchers)) return;
  ten_py_node *target = ten_call_argument(rw->file, call, 0, "fn"),
              *args = ten_call_argument(rw->file, call, 1, "args"), *statement = ten_py_statement(call);
  if (!target || !statement) return;
  const ten_str name = rw_text(rw, target), given = args ? rw_text(rw, args) : (ten_str){"", 0};
  ten_use(rw, MOD_TPU);
  if (is_single(rw, call)) { /* in this process */
    const bool plain = given.size < 3 || args->kind != PY_TUPLE;
    const ten_str inside = plain ? given : (ten_str){given.data + 1, given.size - 2};
    const ten_xla_parens parens = ten_xla_operand(rw, target);
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s%.*s%s(0%s%.*s)", parens.open, TEN_FMT(name), parens.close,
                                      !args   ? ""
                                      : plain ? ", *"
                                              : ", ",
                                      TEN_FMT(inside)));
    return;
  }
  const char *torch = ten_use(rw, MOD_TORCH);
  ten_insert_before(rw, rule, statement,
                    "%s.tpu.distributed.set_tpu_launch_env(nproc_per_node=%s.accelerator.device_count())", torch,
                    torch);
  ten_coverage(
      rw, ten_rewrite_node(rw, rule, call, "%s.multiprocessing.spawn(%.*s%s%.*s, nprocs=%s.accelerator.device_count())",
                           torch, TEN_FMT(name), args ? ", args=" : "", TEN_FMT(given), torch));
  ten_py_file *file = rw->file;
  ten_py_node *function = ten_definition_of(rw->file, target, &file);
  const ten_str ordinal = ordinal_of(rw, function && function->kind == PY_FUNCTION ? function : NULL);
  if (!function || file != rw->file || !ordinal.size) {
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, call,
                 "%.*s is not a function of this file: it must first call torch.distributed.init_process_group("
                 "\"tpu_dist\", rank=…, world_size=…)",
                 TEN_FMT(name));
    return;
  }
  if (function->claimed || joins_group(rw, function)) return;
  ten_py_node *first = ten_py_named(ten_py_field_of(function, PY_F_BODY), 0);
  ten_py_node *text = first && first->kind == PY_EXPR_STMT ? ten_py_named(first, 0) : NULL;
  if (text && text->kind == PY_STRING && first->next) first = first->next; /* its docstring */
  if (first)
    ten_insert_before(rw, rule, first, "%s.distributed.init_process_group(\"tpu_dist\", " GROUP_ARGUMENTS ")", torch,
                      TEN_FMT(ordinal), torch);
}

typedef struct rank_call {
  const char *name, *grouped, *alone;
} rank_call;

/* Ranks and sizes: with a process group, and without one. */
static bool rank(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *dotted) {
#define RANK "@.distributed.get_rank()"
  static const rank_call calls[] = {
      {"torch_xla.core.xla_model.get_ordinal", RANK, "0"},
      {"torch_xla.runtime.global_ordinal", RANK, "0"},
      {"torch_xla.core.xla_model.get_local_ordinal", "@.distributed.get_node_local_rank(" RANK ")", "0"},
      {"torch_xla.runtime.local_ordinal", "@.distributed.get_node_local_rank(" RANK ")", "0"},
      {"torch_xla.core.xla_model.xrt_world_size", "@.distributed.get_world_size()", "1"},
      {"torch_xla.runtime.world_size", "@.distributed.get_world_size()", "1"},
      {"torch_xla.core.xla_model.is_master_ordinal", "(" RANK " == 0)", "True"},
      {"torch_xla.runtime.process_index", RANK, "0"},
      {"torch_xla.runtime.process_count", "@.distributed.get_world_size()", "1"},
      {"torch_xla.runtime.global_device_count", "@.distributed.get_world_size()", "@.accelerator.device_count()"},
      {"torch_xla.runtime.global_runtime_device_count", "@.distributed.get_world_size()",
       "@.accelerator.device_count()"},
      {"torch_xla.runtime.local_device_count", "@.accelerator.device_count()", "@.accelerator.device_count()"},
      {"torch_xla.runtime.addressable_device_count", "1", "1"},
      {NULL, NULL, NULL},
  };
  for (const rank_call *c = calls; c->name; c++) {
    if (strcmp(dotted, c->name)) continue;
    const char *text = grouped(rw, call) ? c->grouped : c->alone;
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s", ten_xla_text(rw, text)));
    return true;
  }
  return false;
}

typedef struct collective_call {
  const char *name, *text;
  ten_helper helper;
  int count;        /* of the arguments that stay; they come first */
  int groups;       /* which one names the groups of processes; -1: none */
  const char *drop; /* the first one, which it does not take, or NULL */
} collective_call;

static void collective_arguments(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call,
                                 const collective_call *as) {
  static const char *const dropped[] = {"groups", "pin_layout", "layout", "output", "cctx", NULL};
  const ten_py_node *groups = ten_call_argument(rw->file, call, as->groups, "groups");
  if (groups && groups->kind != PY_NONE)
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, call, "groups of processes need torch.distributed.new_group");
  ten_xla_drop_keywords(rw, rule, call, dropped);
  ten_xla_drop_positional(rw, rule, call, as->count);
  if (!as->drop) return;
  ten_py_node *first = ten_call_argument(rw->file, call, 0, NULL),
              *keyword = ten_call_keyword(rw->file, call, as->drop);
  if (first || keyword) ten_delete_argument(rw, rule, first ? first : keyword);
}

static void collective(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  static const collective_call calls[] = {
      {"torch_xla.core.xla_model.all_reduce", "all_reduce", HELPER_ALL_REDUCE, 3, 3, NULL},
      {"torch_xla.core.xla_model.all_gather", "all_gather", HELPER_ALL_GATHER, 2, 2, NULL},
      {"torch_xla.core.xla_model.mesh_reduce", "mesh_reduce", HELPER_MESH_REDUCE, 3, -1, "tag"},
      {"torch_xla.core.xla_model.reduce_gradients", "reduce_gradients", HELPER_REDUCE_GRADIENTS, 1, 1, NULL},
  };
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *statement = ten_py_statement(call);
  if (!callee || !ten_dotted(rw->file, callee, dotted) || strncmp(dotted, "torch_xla.", 10)) return;
  if (rank(rw, rule, call, dotted)) return;
  const bool own = statement && call->parent == statement;
  if (!strcmp(dotted, "torch_xla.core.xla_model.master_print")) {
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "print"));
    if (own) ten_xla_on_first(rw, rule, statement);
  } else if (!strcmp(dotted, "torch_xla.core.xla_model.rendezvous")) {
    if (grouped(rw, call))
      ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s", ten_xla_text(rw, "@.distributed.barrier()")));
    else if (own)
      ten_coverage(rw, ten_delete_statement(rw, rule, statement));
  }
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (strcmp(dotted, calls[i].name)) continue;
    ten_coverage(rw, ten_rewrite_node(rw, rule, callee, "%s", calls[i].text));
    collective_arguments(rw, rule, call, &calls[i]);
    ten_xla_helper(rw, rule, calls[i].helper);
  }
}

/* xm.REDUCE_SUM → torch.distributed.ReduceOp.SUM */
static void reduction(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const char *const kinds[][2] = {{"SUM", "SUM"}, {"MUL", "PRODUCT"}, {"MIN", "MIN"},
                                         {"MAX", "MAX"}, {"AND", "BAND"},    {"OR", "BOR"}};
  static const char prefix[] = "torch_xla.core.xla_model.REDUCE_";
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, node, dotted) || strncmp(dotted, prefix, sizeof prefix - 1)) return;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(dotted + sizeof prefix - 1, kinds[i][0]))
      ten_coverage(rw,
                   ten_rewrite_node(rw, rule, node, "%s.distributed.ReduceOp.%s", ten_use(rw, MOD_TORCH), kinds[i][1]));
}

/* Whether a name is used in calls of torch_xla's SPMD module only. */
static bool only_shards(ten_rewrite *rw, const ten_py_node *name) {
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *n = root; n; n = ten_py_walk(n, root, false)) {
    if (n == name || n->kind != PY_IDENTIFIER || n->field == PY_F_ATTRIBUTE ||
        !ten_str_eq(rw_text(rw, n), rw_text(rw, name)))
      continue;
    bool shards = false;
    for (ten_py_node *up = n->parent; up && !shards; up = up->parent) {
      char dotted[TEN_DOTTED_MAX];
      shards = up->kind == PY_CALL && ten_dotted(rw->file, ten_py_field_of(up, PY_F_FUNCTION), dotted) &&
               !strncmp(dotted, "torch_xla.", 10);
    }
    if (!shards) return false;
  }
  return true;
}

/* xs.mark_sharding(x, mesh, ("data", None)): where the parts of x lie. Results do not depend on it. */
static void sharding(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted)) return;
  const bool use = !strcmp(dotted, "torch_xla.runtime.use_spmd");
  if (!use && strncmp(dotted, "torch_xla.distributed.spmd.", 27) &&
      strncmp(dotted, "torch_xla.experimental.xla_sharding.", 36))
    return;
  ten_py_node *statement = ten_py_statement(call), *parent = call->parent;
  if (!use)
    ten_note_add(
        rw, rule, TEN_NOTE_HUMAN, call,
        "%s: the program computes the same on one chip without it; TorchTPU shards with DTensor, one process a "
        "chip: torch.distributed.tensor.distribute_tensor(x, mesh, [Shard(0)])",
        dotted);
  ten_py_node *name = parent->kind == PY_ASSIGN ? ten_py_field_of(parent, PY_F_LEFT) : NULL;
  if (statement && parent == statement)
    ten_coverage(rw, ten_delete_statement(rw, rule, statement));
  else if (statement && name && name->kind == PY_IDENTIFIER && parent->parent == statement && only_shards(rw, name))
    ten_coverage(rw, ten_delete_statement(rw, rule, statement));
  else {
    ten_py_node *first = ten_call_argument(rw->file, call, 0, "t"); /* y = xs.mark_sharding(x, …) gives x */
    const bool gives = strstr(dotted, "mark_sharding") && first;
    const ten_xla_parens parens = gives ? ten_xla_operand(rw, first) : (ten_xla_parens){"", ""};
    ten_coverage(rw, ten_rewrite_node(rw, rule, call, "%s%.*s%s", parens.open,
                                      TEN_FMT(gives ? rw_text(rw, first) : TEN_STR("None")), parens.close));
  }
}

static void other(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  if (node->parent->kind == PY_ATTRIBUTE || !ten_dotted(rw->file, node, dotted) || strncmp(dotted, "torch_xla.", 10))
    return;
  for (const ten_py_node *up = node; up; up = up->parent)
    if (up->kind == PY_IMPORT || up->kind == PY_IMPORT_FROM || up->claimed) return;
  ten_coverage(rw, false);
  ten_note_add(rw, rule, TEN_NOTE_HUMAN, node, "%s is torch_xla's, and has no counterpart that is known here", dotted);
}

const ten_rewrite_rule ten_rules_xla_processes[] = {
    {509,
     "xla-launch",
     "torch.multiprocessing starts the processes of TorchTPU, which form a process group",
     FOR_TPU,
     {PY_CALL},
     launch},
    {510,
     "xla-collective",
     "ranks and collectives are torch.distributed's; one process alone needs none",
     FOR_TPU,
     {PY_CALL},
     collective},
    {511, "xla-reduction", "torch.distributed has its own names of reductions", FOR_TPU, {PY_ATTRIBUTE}, reduction},
    {512, "xla-sharding", "one process drives one chip: shardings are DTensor's", FOR_TPU, {PY_CALL}, sharding},
    {513, "xla-other", "torch_xla is not there any more", FOR_TPU, {PY_ATTRIBUTE, PY_IDENTIFIER}, other},
    {0},
};
