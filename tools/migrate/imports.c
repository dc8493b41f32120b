/* imports.c: which modules of the target a file needs, their names, and where their import statements go: after the
 * last import of torch in the file's first block of imports, else after that block, else below docstring and
 * __future__. */
#include <stdio.h>

#include "migrate/rule.h"

typedef struct module_info {
  const char *dotted, *statement, *alias; /* alias NULL: the dotted name itself is used */
} module_info;

static const module_info modules[MOD_COUNT] = {
    [MOD_TORCH] = {"torch", "import torch", NULL},
    [MOD_XLA] = {"torch_xla", "import torch_xla", NULL},
    [MOD_XM] = {"torch_xla.core.xla_model", "import torch_xla.core.xla_model as xm", "xm"},
    [MOD_XR] = {"torch_xla.runtime", "import torch_xla.runtime as xr", "xr"},
    [MOD_PL] = {"torch_xla.distributed.parallel_loader", "import torch_xla.distributed.parallel_loader as pl", "pl"},
    [MOD_TPU] = {"torch_tpu", "import torch_tpu", NULL},
    [MOD_SYNCFREE] = {"torch_xla.amp.syncfree", "import torch_xla.amp.syncfree as syncfree", "syncfree"},
    [MOD_SCAN] = {"torch_xla.experimental.scan_layers", "import torch_xla.experimental.scan_layers as scan", "scan"},
    [MOD_CONTEXTLIB] = {"contextlib", "import contextlib", NULL},
    [MOD_XLA_BACKEND] = {"torch_xla.distributed.xla_backend", "import torch_xla.distributed.xla_backend", NULL},
};

static const ten_py_binding *import_binding(const ten_py_name *name) {
  for (const ten_py_binding *b = name ? name->first : NULL; b; b = b->next)
    if (b->how == BIND_IMPORT || b->how == BIND_FROM) return b;
  return NULL;
}

/* The name of `dotted` in the file's module scope, or NULL. */
static const char *existing_name(ten_rewrite *rw, ten_py_module module) {
  const ten_py_names *names = &rw->file->scope->names;
  const char *dotted = modules[module].dotted;
  for (uint32_t b = 0; b < names->bucket_count; b++)
    for (const ten_py_name *name = names->buckets[b]; name; name = name->next) {
      const ten_py_binding *import = import_binding(name);
      if (!import || !ten_str_is(import->dotted, dotted)) continue;
      /* "import torch_xla.core.xla_model" binds only torch_xla: valid for torch_xla itself. */
      return ten_arena_strdup(rw->file->arena, name->text.data, name->text.size);
    }
  return NULL;
}

static bool imported_by_path(const ten_rewrite *rw, const char *dotted) {
  for (const ten_py_node *statement = rw->file->tree.root->child; statement; statement = statement->next) {
    if (statement->kind != PY_IMPORT) continue;
    for (const ten_py_node *item = statement->child; item; item = item->next)
      if (item->kind == PY_DOTTED_NAME && rw_is(rw, item, dotted)) return true;
  }
  return false;
}

const char *ten_use(ten_rewrite *rw, ten_py_module module) {
  if (rw->module_names[module]) return rw->module_names[module];
  const module_info *info = &modules[module];
  const char *name = existing_name(rw, module);
  if (module == MOD_XLA_BACKEND && imported_by_path(rw, info->dotted)) return rw->module_names[module] = info->dotted;
  if (!name) {
    rw->needed[module] = true;
    name = info->alias && !ten_scope_binds(rw->file, ten_str_of(info->alias)) ? info->alias : info->dotted;
    if (info->alias && name == info->dotted && imported_by_path(rw, info->dotted)) rw->needed[module] = false;
  }
  return rw->module_names[module] = name;
}

static bool is_import(const ten_py_node *node) {
  return node->kind == PY_IMPORT || node->kind == PY_IMPORT_FROM || node->kind == PY_FUTURE_IMPORT;
}

static bool is_docstring(const ten_py_node *node) {
  const ten_py_node *value = node->kind == PY_EXPR_STMT ? ten_py_named(node, 0) : NULL;
  return value && (value->kind == PY_STRING || value->kind == PY_CONCAT_STRING);
}

static bool imports_root(const ten_rewrite *rw, const ten_py_node *statement, const char *root) {
  const ten_py_node *name = statement->kind == PY_IMPORT_FROM ? ten_py_field_of(statement, PY_F_MODULE_NAME) : NULL;
  const size_t size = strlen(root);
  for (const ten_py_node *item = statement->child; item; item = item->next) {
    if (statement->kind == PY_IMPORT_FROM && item != name) continue;
    const ten_str text = rw_text(rw, item);
    if (ten_str_starts(text, root) && (text.size == size || strchr(". \t", text.data[size]))) return true;
  }
  return false;
}

/* The statement after which the imports go; NULL: at the very top. */
static ten_py_node *import_anchor(const ten_rewrite *rw) {
  ten_py_node *torch_import = NULL, *first_run = NULL, *prologue = NULL;
  bool in_run = true;
  for (ten_py_node *node = rw->file->tree.root->child; node; node = node->next) {
    if (node->kind == PY_COMMENT || node->claimed) continue;
    if (is_import(node)) {
      if (node->kind == PY_FUTURE_IMPORT) prologue = node;
      if (in_run) first_run = node;
      /* A later torch import takes precedence: torch_xla comes after torch. */
      if (node->kind != PY_FUTURE_IMPORT &&
          (imports_root(rw, node, "torch") || imports_root(rw, node, "torchvision")) && (in_run || !torch_import))
        torch_import = node;
    } else if (is_docstring(node) && !first_run) {
      prologue = node;
    } else if (first_run) {
      in_run = false;
    }
  }
  return torch_import ? torch_import : first_run ? first_run : prologue;
}

ten_py_node *ten_last_import(const ten_rewrite *rw) {
  ten_py_node *last = NULL;
  for (ten_py_node *node = rw->file->tree.root->child; node; node = node->next) {
    if (node->kind == PY_COMMENT || node->claimed) continue;
    if (is_import(node))
      last = node;
    else if (last)
      break;
  }
  return last;
}

/* After the first block of imports, where settings go. */
static void place_keeping(ten_rewrite *rw) {
  const ten_str source = rw->file->tree.text;
  const bool keep =
      rw->keep_parameters && !memmem(source.data, source.size, "set_swap_module_params_on_conversion", 36);
  bool helpers = false;
  for (int h = 0; h < HELPER_COUNT; h++) helpers |= rw->helpers[h] != NULL;
  if (!keep && !rw->device_rule && !rw->bucket_rule && !helpers) return;
  ten_py_node *last = ten_last_import(rw);
  if (last && keep)
    ten_insert_after(rw, rw->keep_parameters, last, "%s.__future__.set_swap_module_params_on_conversion(True)",
                     ten_use(rw, MOD_TORCH));
  else if (keep)
    ten_note_add(rw, rw->keep_parameters, TEN_NOTE_HUMAN, rw->keep_node,
                 "call torch.__future__.set_swap_module_params_on_conversion(True) before the model is moved");
  if (last && rw->device_rule) {
    ten_insert_after(rw, rw->device_rule, last, "%s", ""); /* a blank line */
    ten_insert_after(rw, rw->device_rule, last, "device = %s", ten_device_call(rw));
  }
  if (last && rw->bucket_rule) {
    static const char *const lines[] = {
        "",
        "",
        "def pad_to_bucket(x, dim, value, step=32):",
        "    \"\"\"Rounds the length of x along dim up to a multiple of step: few lengths, few compilations.\"\"\"",
        "    shape = list(x.shape)",
        "    shape[dim] = -shape[dim] % step"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
      ten_insert_after(rw, rw->bucket_rule, last, "%s", lines[i]);
    ten_insert_after(rw, rw->bucket_rule, last, "    return %s.cat([x, x.new_full(shape, value)], dim)",
                     ten_use(rw, MOD_TORCH));
  }
  if (last && helpers) ten_place_helpers(rw, last);
}

static void place_modules(ten_rewrite *rw);

void ten_place_imports(ten_rewrite *rw) {
  if (rw->keep_parameters) ten_use(rw, MOD_TORCH);
  place_modules(rw);
  place_keeping(rw);
}

static void place_modules(ten_rewrite *rw) {
  static const ten_rewrite_rule rule = {100,      "imports",  "the target's modules are imported where they are used",
                                        FOR_BOTH, {PY_OTHER}, NULL};
  ten_buf text = {0};
  ten_py_node *anchor = import_anchor(rw);
  bool any = false;
  for (int m = 0; m < MOD_COUNT; m++) any |= rw->needed[m];
  if (!any) return;
  if (!anchor) { /* no import, no docstring: after a leading #! or coding line */
    ten_py_node *first = rw->file->tree.root->child;
    while (first && first->kind == PY_COMMENT && first->next) first = first->next;
    if (!first || first->kind == PY_COMMENT) return;
    for (int m = MOD_COUNT - 1; m >= 0; m--)
      if (rw->needed[m]) ten_insert_before(rw, &rule, first, "%s", modules[m].statement);
    return;
  }
  const char *separator = "";
  for (int m = 0; m < MOD_COUNT; m++) {
    if (!rw->needed[m]) continue;
    const bool aliased = modules[m].alias && rw->module_names[m] == modules[m].dotted; /* its usual alias is taken */
    if (aliased)
      ten_buf_printf(&text, "%simport %s", separator, modules[m].dotted);
    else
      ten_buf_printf(&text, "%s%s", separator, modules[m].statement);
    separator = "\n";
  }
  /* One change with one insertion per line, so that line ends and the anchor's comment are handled in one place. */
  char *line = text.data, *save = NULL;
  for (line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
    ten_insert_after(rw, &rule, anchor, "%s", line);
  ten_buf_free(&text);
}
