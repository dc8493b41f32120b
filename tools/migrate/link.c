/* link.c: analysis across files: resolves imports to files and callees to definitions, binds call arguments to
 * parameters, and finds the files that use PyTorch. Needs every file of the project bound (names.c). */
#include <stdio.h>
#include <stdlib.h>

#include "migrate/names.h"

static ten_str file_text(const ten_py_file *file, const ten_py_node *node) { return ten_py_text(&file->tree, node); }

void ten_project_add(ten_project *project, ten_py_file *file) {
  file->project = project;
  ten_file_bind(file);
  ten_vec_push(&project->files, file);
  ten_str stem = ten_str_of(file->path);
  if (ten_str_ends(stem, ".py")) stem.size -= 3;
  if (ten_str_ends(stem, "/__init__")) stem.size -= 9;
  ten_py_name *entry = ten_py_names_get(project->arena, &project->by_path, stem);
  ten_name_bind(file, entry, BIND_OTHER, file->tree.root, NULL, -1);
}

void ten_project_free(ten_project *project) { ten_vec_free(&project->files); }

static ten_py_file *file_by_stem(const ten_project *project, const char *stem) {
  const ten_py_name *entry = ten_py_names_find(&project->by_path, ten_str_of(stem));
  return entry && entry->first ? entry->first->file : NULL;
}

/* The project's file that `module` ("pkg.sub", ".sub", "..") names when imported by `from`; NULL when it is
 * external. Tries the importing file's folder and its parents, nearest first, as sys.path would find scripts and
 * packages. */
static ten_py_file *module_file(const ten_py_file *from, ten_str module) {
  char stem[4096], tail[512];
  size_t dots = 0;
  while (dots < module.size && module.data[dots] == '.') dots++;
  if (module.size - dots >= sizeof tail) return NULL;
  size_t tail_size = 0;
  for (size_t i = dots; i < module.size; i++) tail[tail_size++] = module.data[i] == '.' ? '/' : module.data[i];
  tail[tail_size] = 0;
  ten_str folder = ten_str_of(from->path);
  if (dots > 64) return NULL;
  for (size_t level = 0; level < 16; level++) {
    while (folder.size && folder.data[folder.size - 1] != '/') folder.size--;
    const bool here = !dots || level + 1 == dots;
    if (here) {
      const int size = snprintf(stem, sizeof stem, "%.*s%s", TEN_FMT(folder), tail);
      if (size <= 0 || (size_t)size >= sizeof stem) return NULL;
      if (!tail_size && size > 1 && stem[size - 1] == '/') stem[size - 1] = 0;
      ten_py_file *found = file_by_stem(from->project, stem);
      if (found || dots) return found == from ? NULL : found;
    }
    if (!folder.size) break;
    folder.size--;
  }
  return NULL;
}

/* The project's binding behind an imported dotted name: the module-level name in the file that defines it. */
static ten_py_name *imported_name(const ten_py_file *from, ten_str dotted, ten_py_file **out_file) {
  for (size_t cut = dotted.size; cut > 0; cut--) {
    if (dotted.data[cut - 1] != '.') continue;
    const ten_str rest = {dotted.data + cut, dotted.size - cut};
    ten_str module = {dotted.data, cut - 1};
    if (!module.size || module.data[module.size - 1] == '.') module.size = cut;
    ten_py_file *file = module_file(from, module);
    if (!file) continue;
    ten_py_name *name = ten_py_names_find(&file->scope->names, rest);
    if (name) return *out_file = file, name;
  }
  return NULL;
}

ten_py_name *ten_import_target(const ten_py_file *from, ten_str dotted, ten_py_file **out_file) {
  ten_py_file *file = NULL;
  ten_py_name *name = imported_name(from, dotted, &file);
  for (int hops = 0; name && hops < 8; hops++) { /* re-exports: from .model import Net in an __init__ */
    if (!name->first || (name->first->how != BIND_FROM && name->first->how != BIND_IMPORT)) break;
    ten_py_file *next_file = NULL;
    ten_py_name *next = imported_name(file, name->first->dotted, &next_file);
    if (!next || next == name) break;
    name = next;
    file = next_file;
  }
  if (out_file) *out_file = file;
  return name;
}

static ten_py_node *definition_in(const ten_py_name *name) {
  for (const ten_py_binding *b = name ? name->first : NULL; b; b = b->next)
    if (b->how == BIND_DEF || b->how == BIND_CLASS) return b->value;
  return NULL;
}

ten_py_node *ten_definition_of(ten_py_file *file, ten_py_node *node, ten_py_file **out_file) {
  *out_file = file;
  char dotted[TEN_DOTTED_MAX];
  if (!node) return NULL;
  if (ten_dotted(file, node, dotted)) {
    ten_py_file *other = NULL;
    ten_py_name *name = ten_import_target(file, ten_str_of(dotted), &other);
    if (name) *out_file = other;
    return definition_in(name);
  }
  if (node->kind == PY_IDENTIFIER) return definition_in(ten_name_lookup(file, node, file_text(file, node)));
  if (node->kind == PY_ATTRIBUTE) return definition_in(ten_self_attribute(file, node));
  return NULL;
}

ten_py_name *ten_self_attribute(ten_py_file *file, ten_py_node *node) {
  ten_py_node *object = ten_py_field_of(node, PY_F_OBJECT), *attribute = ten_py_field_of(node, PY_F_ATTRIBUTE);
  if (!object || object->kind != PY_IDENTIFIER || !attribute) return NULL;
  const ten_str self = file_text(file, object), text = file_text(file, attribute);
  for (ten_py_node *up = node->parent; up; up = up->parent) {
    if (up->kind != PY_FUNCTION) continue;
    ten_py_node *first = ten_py_named(ten_py_field_of(up, PY_F_PARAMETERS), 0);
    ten_py_node *owner = ten_class_around(up);
    if (!owner || !first || first->kind != PY_IDENTIFIER || !ten_str_eq(file_text(file, first), self)) continue;
    for (int depth = 0; owner && depth < 8; depth++) { /* the class, then its first base in the project, and so on */
      ten_py_name *name = ten_py_names_find(&owner->scope->attributes, text);
      if (name) return name;
      ten_py_node *bases = ten_py_field_of(owner, PY_F_SUPERCLASSES);
      ten_py_file *base_file = owner->scope->file;
      ten_py_node *base = bases ? ten_definition_of(base_file, ten_py_named(bases, 0), &base_file) : NULL;
      owner = base && base->kind == PY_CLASS && base != owner ? base : NULL;
    }
    return NULL;
  }
  return NULL;
}

static bool is_method(const ten_py_node *function) {
  const ten_py_node *holder = function->parent->kind == PY_DECORATED ? function->parent->parent : function->parent;
  return holder->kind == PY_BLOCK && holder->parent && holder->parent->kind == PY_CLASS;
}

static bool is_static(const ten_py_file *file, const ten_py_node *function) {
  if (function->parent->kind != PY_DECORATED) return false;
  for (const ten_py_node *d = function->parent->child; d; d = d->next)
    if (d->kind == PY_DECORATOR && ten_str_is(file_text(file, ten_py_named(d, 0)), "staticmethod")) return true;
  return false;
}

static void bind_argument(ten_py_file *caller, ten_py_file *owner, ten_py_node *parameter, ten_py_node *value) {
  ten_py_node *name = parameter;
  if (parameter->kind == PY_DEFAULT_PARAM || parameter->kind == PY_TYPED_DEFAULT_PARAM)
    name = ten_py_field_of(parameter, PY_F_NAME);
  else if (parameter->kind == PY_TYPED_PARAM)
    name = ten_py_named(parameter, 0);
  if (!name || name->kind != PY_IDENTIFIER) return;
  ten_py_name *entry = ten_py_names_find(&ten_scope_at(owner, parameter)->names, file_text(owner, name));
  if (entry) ten_name_bind(caller, entry, BIND_ARGUMENT, parameter, value, -1);
}

static void bind_call(ten_py_file *file, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  if (!callee || !arguments || arguments->kind != PY_ARGUMENTS) return;
  if (callee->kind != PY_IDENTIFIER && callee->kind != PY_ATTRIBUTE) return;
  ten_py_file *owner = file;
  ten_py_node *definition = ten_definition_of(file, callee, &owner);
  bool bound = callee->kind == PY_ATTRIBUTE && definition && is_method(definition);
  if (definition && definition->kind == PY_CLASS) {
    const ten_py_name *init = ten_py_names_find(&definition->scope->attributes, TEN_STR("__init__"));
    definition = definition_in(init);
    bound = true;
  }
  if (!definition || definition->kind != PY_FUNCTION) return;
  if (is_static(owner, definition)) bound = false;
  ten_py_node *parameters = ten_py_field_of(definition, PY_F_PARAMETERS);
  int at = bound ? 1 : 0;
  for (ten_py_node *a = arguments->child; a; a = a->next) {
    if (!a->named || a->kind == PY_COMMENT) continue;
    if (a->kind == PY_LIST_SPLAT) return;
    if (a->kind == PY_DICT_SPLAT) continue;
    if (a->kind == PY_KEYWORD) {
      const ten_str wanted = file_text(file, ten_py_field_of(a, PY_F_NAME));
      for (ten_py_node *p = parameters ? parameters->child : NULL; p; p = p->next) {
        ten_py_node *name = ten_py_field_of(p, PY_F_NAME);
        if (!name) name = p->kind == PY_TYPED_PARAM ? ten_py_named(p, 0) : p;
        if (ten_str_eq(file_text(owner, name), wanted)) bind_argument(file, owner, p, ten_py_field_of(a, PY_F_VALUE));
      }
      continue;
    }
    ten_py_node *parameter = ten_py_named(parameters, (unsigned)at++);
    if (!parameter || parameter->kind == PY_LIST_SPLAT_PATTERN) return;
    bind_argument(file, owner, parameter, a);
  }
}

static bool torch_root(ten_str dotted) {
  static const char *const roots[] = {
      "torch",     "torchvision",  "torchtext", "torchaudio", "torch_xla", "torch_tpu",       "pytorch_lightning",
      "lightning", "transformers", "timm",      "accelerate", "apex",      "torch_geometric", "ignite",
      NULL};
  size_t size = 0;
  while (size < dotted.size && dotted.data[size] != '.') size++;
  for (int i = 0; roots[i]; i++)
    if (ten_str_is((ten_str){dotted.data, size}, roots[i])) return true;
  return false;
}

static bool imports_torch(const ten_py_file *file) {
  for (ten_py_node *node = file->tree.root; node; node = ten_py_walk(node, file->tree.root, false)) {
    if (node->kind == PY_IMPORT_FROM && torch_root(file_text(file, ten_py_field_of(node, PY_F_MODULE_NAME))))
      return true;
    if (ten_is_unbound_torch(file, node)) return true;
    if (node->kind != PY_IMPORT) continue;
    for (const ten_py_node *item = node->child; item; item = item->next)
      if (torch_root(file_text(file, item))) return true;
  }
  return false;
}

static ten_py_file *program_of(ten_py_file *file) {
  while (file->program && file->program != file) file = file->program;
  return file;
}

bool ten_same_program(ten_py_file *a, ten_py_file *b) { return program_of(a) == program_of(b); }

typedef struct import_edge {
  ten_py_file *from, *to;
} import_edge;
typedef TEN_VEC(import_edge) import_edges;

static void note_import(import_edges *edges, ten_py_file *file, ten_py_file *other) {
  if (!other) return;
  ten_vec_push(edges, ((import_edge){file, other}));
  program_of(other)->program = program_of(file);
}

static void collect_imports(import_edges *edges, ten_py_file *file) {
  for (ten_py_node *node = file->tree.root; node; node = ten_py_walk(node, file->tree.root, false)) {
    if (node->kind == PY_IMPORT_FROM) {
      const ten_str base = file_text(file, ten_py_field_of(node, PY_F_MODULE_NAME));
      ten_py_file *other = module_file(file, base);
      note_import(edges, file, other);
      for (const ten_py_node *item = node->child; item; item = item->next) {
        if (item->field != PY_F_NAME) continue;
        const ten_str name = file_text(file, item->kind == PY_ALIASED_IMPORT ? ten_py_field_of(item, PY_F_NAME) : item);
        char dotted[TEN_DOTTED_MAX];
        const bool dots_only = base.size && base.data[base.size - 1] == '.';
        const int size =
            snprintf(dotted, sizeof dotted, "%.*s%s%.*s", TEN_FMT(base), dots_only ? "" : ".", TEN_FMT(name));
        if (size > 0 && (size_t)size < sizeof dotted)
          note_import(edges, file, module_file(file, (ten_str){dotted, (size_t)size}));
      }
    } else if (node->kind == PY_IMPORT) {
      for (const ten_py_node *item = node->child; item; item = item->next) {
        const ten_py_node *name = item->kind == PY_ALIASED_IMPORT ? ten_py_field_of(item, PY_F_NAME) : item;
        note_import(edges, file, name->kind == PY_DOTTED_NAME ? module_file(file, file_text(file, name)) : NULL);
      }
    }
  }
}

/* A file without torch counts as PyTorch's when a PyTorch file imports it (a config module), or when it imports one,
 * even indirectly (a main.py that imports its model and trainer). */
static void spread_torch(const import_edges *edges) {
  for (size_t i = 0; i < edges->count; i++)
    if (edges->data[i].from->uses_torch) edges->data[i].to->marked = true;
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = edges->count; i-- > 0;) {
      const import_edge *edge = &edges->data[i];
      if (edge->to->uses_torch && !edge->from->uses_torch) edge->from->uses_torch = more = true;
    }
  }
}

static bool is_exported(const ten_py_file *file, ten_str name) {
  const ten_py_name *all = ten_py_names_find(&file->scope->names, TEN_STR("__all__"));
  if (!all) return name.size && name.data[0] != '_';
  for (const ten_py_binding *b = all->first; b; b = b->next)
    for (ten_py_node *node = b->value; node; node = ten_py_walk(node, b->value, false)) {
      ten_str text;
      if (node->kind == PY_STRING && ten_py_literal(&file->tree, node, &text) && ten_str_eq(text, name)) return true;
    }
  return false;
}

static void bind_starred(ten_py_file *file, ten_py_node *statement, ten_py_file *other);

/* from x import *: binds the names of the project's file x here, including those that x imports. */
static void bind_stars(ten_py_file *file) {
  if (file->starred) return;
  file->starred = true;
  ten_py_node *root = file->tree.root;
  if (!memmem(file->tree.text.data, file->tree.text.size, "import *", 8)) return;
  for (ten_py_node *node = root; node; node = ten_py_walk(node, root, false)) {
    if (node->kind != PY_IMPORT_FROM) continue;
    bool star = false;
    for (const ten_py_node *item = node->child; item; item = item->next) star |= item->kind == PY_WILDCARD;
    ten_py_file *other = star ? module_file(file, file_text(file, ten_py_field_of(node, PY_F_MODULE_NAME))) : NULL;
    if (!other) continue;
    bind_stars(other);
    bind_starred(file, node, other);
  }
}

static void bind_starred(ten_py_file *file, ten_py_node *statement, ten_py_file *other) {
  const ten_str base = file_text(file, ten_py_field_of(statement, PY_F_MODULE_NAME));
  const char *dot = base.size && base.data[base.size - 1] == '.' ? "" : ".";
  const ten_py_names *names = &other->scope->names;
  for (uint32_t b = 0; b < names->bucket_count; b++)
    for (const ten_py_name *name = names->buckets[b]; name; name = name->next) {
      if (!name->first || !is_exported(other, name->text)) continue;
      ten_py_name *entry = ten_py_names_get(file->arena, &file->scope->names, name->text);
      if (entry->first) continue;           /* defined there */
      ten_str dotted = name->first->dotted; /* imported from a library; the project's own names are found in `other` */
      ten_py_file *ignored = NULL;
      if (!dotted.size || dotted.data[0] == '.' || module_file(other, dotted) ||
          imported_name(other, dotted, &ignored)) {
        char *text = ten_arena_alloc(file->arena, base.size + name->text.size + 2);
        const int size =
            snprintf(text, base.size + name->text.size + 2, "%.*s%s%.*s", TEN_FMT(base), dot, TEN_FMT(name->text));
        dotted = (ten_str){text, (size_t)size};
      }
      ten_name_bind(file, entry, BIND_FROM, statement, NULL, -1);
      entry->last->dotted = dotted;
    }
}

void ten_project_link(ten_project *project) {
  import_edges edges = {0};
  for (size_t i = 0; i < project->files.count; i++) {
    ten_py_file *file = project->files.data[i];
    file->uses_torch = imports_torch(file);
    collect_imports(&edges, file);
    bind_stars(file);
  }
  spread_torch(&edges);
  ten_vec_free(&edges);
  for (size_t i = 0; i < project->files.count; i++) {
    ten_py_file *file = project->files.data[i];
    if (file->marked) file->uses_torch = true;
    if (!file->uses_torch) continue;
    for (ten_py_node *node = file->tree.root; node; node = ten_py_walk(node, file->tree.root, false))
      if (node->kind == PY_CALL) bind_call(file, node);
  }
}
