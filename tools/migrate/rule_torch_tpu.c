/* rule_torch_tpu.c: what torch has and TorchTPU 0.2 lacks. A batch norm that trains leaves its running mean and
 * variance as they are, and some losses are refused. Programs that compute gradients get classes and functions of the
 * same names (helpers.c), and use them instead. */
#include "migrate/rule.h"

typedef struct tpu_lack {
  const char *name; /* torch's, without the modules in between: torch.nn.modules.batchnorm is torch.nn */
  ten_helper helper;
  const char *keywords; /* of a function: those that the helper has too; NULL: a class, which takes all */
} tpu_lack;

static const tpu_lack norms[] = {{"torch.nn.BatchNorm1d", HELPER_BATCH_NORM_1D, NULL},
                                 {"torch.nn.BatchNorm2d", HELPER_BATCH_NORM_2D, NULL},
                                 {"torch.nn.BatchNorm3d", HELPER_BATCH_NORM_3D, NULL},
                                 {NULL, HELPER_NONE, NULL}};
static const tpu_lack losses[] = {
    {"torch.nn.SmoothL1Loss", HELPER_SMOOTH_L1, NULL},
    {"torch.nn.HuberLoss", HELPER_HUBER, NULL},
    {"torch.nn.functional.smooth_l1_loss", HELPER_SMOOTH_L1_LOSS, "input,target,reduction,beta,"},
    {"torch.nn.functional.huber_loss", HELPER_HUBER_LOSS, "input,target,reduction,delta,"},
    {NULL, HELPER_NONE, NULL}};

/* Not asked of the device: a second run, which finds one in another file, must find the same. */
static bool program_trains(ten_rewrite *rw) {
  static const char *const signs[] = {"backward(", "Trainer", ".fit("};
  if (rw->trains) return rw->trains > 0;
  rw->trains = -1;
  for (size_t f = 0; f < rw->file->project->files.count; f++) {
    ten_py_file *file = rw->file->project->files.data[f];
    if (!file->uses_torch || !ten_same_program(file, rw->file)) continue;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
      if (memmem(file->tree.text.data, file->tree.text.size, signs[i], strlen(signs[i]))) rw->trains = 1;
  }
  return rw->trains > 0;
}

static const tpu_lack *lack_of(ten_rewrite *rw, const ten_py_node *node, const tpu_lack *list) {
  static const char modules[] = "torch.nn.modules.";
  char dotted[TEN_DOTTED_MAX];
  if (!ten_dotted(rw->file, node, dotted)) return NULL;
  const char *last = strrchr(dotted, '.');
  for (; list->name; list++)
    if (!strcmp(dotted, list->name) ||
        (!strncmp(dotted, modules, sizeof modules - 1) && !strcmp(last, strrchr(list->name, '.'))))
      return list;
  return NULL;
}

/* isinstance(m, nn.BatchNorm2d), type(m) == nn.BatchNorm2d, {nn.BatchNorm2d: …}, x: nn.BatchNorm2d: about a class,
 * which models of libraries have too. */
static bool only_compared(ten_rewrite *rw, const ten_py_node *node) {
  for (const ten_py_node *up = node->parent, *below = node; up; below = up, up = up->parent) {
    if (up->kind == PY_COMPARE || up->kind == PY_TYPE) return true;
    if (up->kind == PY_PAIR) return below->field == PY_F_KEY;
    if (up->kind == PY_CALL) {
      const ten_py_node *callee = ten_py_field_of(up, PY_F_FUNCTION);
      return below != callee && (rw_is(rw, callee, "isinstance") || rw_is(rw, callee, "issubclass"));
    }
    if (up->kind != PY_ARGUMENTS && up->kind != PY_TUPLE && up->kind != PY_PAREN) return false;
  }
  return false;
}

/* The helper's name is free in this file, or bound by imports from torch before the helper's definition, which then
 * takes their place. */
static bool name_is_free(ten_rewrite *rw, const char *text) {
  const ten_py_name *name = ten_py_names_find(&rw->file->scope->names, ten_str_of(text));
  const ten_py_node *last = ten_last_import(rw);
  if (!last) return false;
  if (!name) return !ten_scope_binds(rw->file, ten_str_of(text));
  for (const ten_py_binding *b = name->first; b; b = b->next)
    if (b->how != BIND_FROM || !ten_str_starts(b->dotted, "torch.nn.") || b->site->start > last->end) return false;
  return true;
}

static bool helper_takes(ten_rewrite *rw, const ten_py_node *call, const char *keywords) {
  const ten_py_node *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  unsigned positional = 0;
  for (ten_py_node *a = arguments ? arguments->child : NULL; a; a = a->next) {
    if (a->kind == PY_LIST_SPLAT || a->kind == PY_DICT_SPLAT) return false;
    if (a->kind == PY_KEYWORD) {
      const ten_str name = rw_text(rw, ten_py_field_of(a, PY_F_NAME));
      const char *found = memmem(keywords, strlen(keywords), name.data, name.size);
      if (!found || found[name.size] != ',') return false;
    } else if (a->named && a->kind != PY_COMMENT) {
      positional++;
    }
  }
  return positional <= 2; /* the third is the deprecated size_average */
}

static void replace(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node, const tpu_lack *list) {
  if (node->parent->kind == PY_ATTRIBUTE && node->field == PY_F_ATTRIBUTE) return; /* the whole is what has a name */
  if (node->parent->kind == PY_KEYWORD && node->field == PY_F_NAME) return;
  if (ten_py_up(node, PY_IMPORT_FROM) || ten_py_up(node, PY_IMPORT)) return;
  const tpu_lack *lack = lack_of(rw, node, list);
  if (!lack || !program_trains(rw) || only_compared(rw, node)) return;
  const char *name = ten_helper_name(lack->helper);
  const ten_py_node *around = ten_class_around(node);
  if (around && node->parent->field == PY_F_SUPERCLASSES && rw_is(rw, ten_py_field_of(around, PY_F_NAME), name))
    return; /* the helper itself, and another run */
  const bool called = node->parent->kind == PY_CALL && node->field == PY_F_FUNCTION;
  const bool takes = !called || !lack->keywords || helper_takes(rw, node->parent, lack->keywords);
  if (!takes || !name_is_free(rw, name)) {
    ten_coverage(rw, false);
    ten_note_add(
        rw, rule, TEN_NOTE_HUMAN, node, "%s: %s", rule->reason,
        takes ? "the file has this name already, so nothing was put in its place" : "not with these arguments");
    return;
  }
  ten_helper_use(rw, rule, lack->helper);
  ten_coverage(rw, rw_is(rw, node, name) || ten_rewrite_node(rw, rule, node, "%s", name));
}

/* torchvision.models.resnet18(…), torchvision.models.__dict__[name](…) */
static bool makes_library_model(ten_rewrite *rw, const ten_py_node *callee) {
  static const char library[] = "torchvision.models.";
  static const char *const others[] = {
      "alexnet", "vgg11",     "vgg13",      "vgg16",      "vgg19",       "squeezenet",         "vit_",
      "swin_",   "convnext_", "get_weight", "get_model_", "list_models", "feature_extraction", NULL};
  char dotted[TEN_DOTTED_MAX];
  if (callee && callee->kind == PY_SUBSCRIPT)
    return ten_dotted(rw->file, ten_py_field_of(callee, PY_F_VALUE), dotted) &&
           !strcmp(dotted, "torchvision.models.__dict__");
  if (!ten_dotted(rw->file, callee, dotted) || strncmp(dotted, library, sizeof library - 1)) return false;
  const char *name = dotted + sizeof library - 1, *last = strrchr(dotted, '.') + 1;
  if (*last < 'a' || *last > 'z' || strstr(name, "video.")) return false;
  for (int i = 0; others[i]; i++)
    if (!strncmp(name, others[i], strlen(others[i]))) return strstr(name, "_bn") != NULL;
  return true;
}

static void running_statistics(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  static const char *const kept[] = {"torch.nn.SyncBatchNorm",   "torch.nn.LazyBatchNorm1d",
                                     "torch.nn.LazyBatchNorm2d", "torch.nn.LazyBatchNorm3d",
                                     "timm.create_model",        "torch.nn.functional.batch_norm"};
  static const char wrapper[] = "with_running_statistics";
  if (node->kind != PY_CALL) {
    replace(rw, rule, node, norms);
    return;
  }
  char dotted[TEN_DOTTED_MAX];
  const ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
  if (ten_scope_binds(rw->file, TEN_STR("RunningStatistics"))) return; /* another run */
  if (makes_library_model(rw, callee) && program_trains(rw)) {
    const bool is_free = name_is_free(rw, wrapper) && name_is_free(rw, "BatchNorm2d");
    const unsigned change = is_free ? ten_change_begin(rw, rule, node) : 0;
    const bool ok = is_free && ten_change_edit(rw, change, node->start, node->start, "%s(", wrapper) &&
                    ten_change_edit(rw, change, node->end, node->end, ")");
    if (ok) ten_helper_use(rw, rule, HELPER_WITH_STATISTICS);
    ten_coverage(rw, ok);
    if (!ok) ten_note_add(rw, rule, TEN_NOTE_HUMAN, node, "%s: this model's too", rule->reason);
    return;
  }
  if (!ten_dotted(rw->file, callee, dotted)) return;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (!strcmp(dotted, kept[i]) && program_trains(rw) && ten_call_argument(rw->file, node, 0, "num_features"))
      ten_note_add(rw, rule, TEN_NOTE_HUMAN, node, "%s: here too, and nothing was put in its place", rule->reason);
}

static void missing_loss(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  replace(rw, rule, node, losses);
}

const ten_rewrite_rule ten_rules_torch_tpu[] = {
    {906,
     "running-statistics",
     "TorchTPU 0.2 does not update the running statistics of a batch norm that trains",
     FOR_TPU,
     {PY_CALL, PY_ATTRIBUTE, PY_IDENTIFIER},
     running_statistics},
    {907, "missing-loss", "TorchTPU 0.2 refuses this loss", FOR_TPU, {PY_ATTRIBUTE, PY_IDENTIFIER}, missing_loss},
    {0},
};
