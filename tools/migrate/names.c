/* names.c: builds scopes and bindings in one walk over the tree, then resolves names. See names.h for the
 * data. */
#include "migrate/names.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t text_hash(ten_str text) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < text.size; i++) hash = (hash ^ (unsigned char)text.data[i]) * 16777619u;
  return hash;
}

ten_py_name *ten_py_names_find(const ten_py_names *names, ten_str text) {
  if (!names->bucket_count) return NULL;
  for (ten_py_name *name = names->buckets[text_hash(text) & (names->bucket_count - 1)]; name; name = name->next)
    if (ten_str_eq(name->text, text)) return name;
  return NULL;
}

ten_py_name *ten_py_names_get(ten_arena *arena, ten_py_names *names, ten_str text) {
  ten_py_name *name = ten_py_names_find(names, text);
  if (name) return name;
  if (names->count >= names->bucket_count) { /* old bucket arrays stay in the arena: they are small */
    const uint32_t wanted = names->bucket_count ? names->bucket_count * 4 : 8;
    ten_py_name **grown = ten_arena_new_array(arena, ten_py_name *, wanted);
    for (uint32_t b = 0; b < names->bucket_count; b++)
      for (ten_py_name *old = names->buckets[b], *next; old; old = next) {
        next = old->next;
        ten_py_name **slot = &grown[text_hash(old->text) & (wanted - 1)];
        old->next = *slot;
        *slot = old;
      }
    names->buckets = grown;
    names->bucket_count = wanted;
  }
  name = ten_arena_new(arena, ten_py_name);
  name->text = text;
  ten_py_name **slot = &names->buckets[text_hash(text) & (names->bucket_count - 1)];
  name->next = *slot;
  *slot = name;
  names->count++;
  return name;
}

void ten_name_bind(ten_py_file *file, ten_py_name *name, ten_bind_how how, ten_py_node *site, ten_py_node *value,
                   int index) {
  ten_py_binding *binding = ten_arena_new(file->arena, ten_py_binding);
  *binding = (ten_py_binding){.value = value, .file = file, .site = site, .how = how, .index = index};
  if (name->last)
    name->last->next = binding;
  else
    name->first = binding;
  name->last = binding;
}

static ten_py_scope *scope_create(ten_py_file *file, ten_py_scope *parent, ten_py_node *node) {
  ten_py_scope *scope = ten_arena_new(file->arena, ten_py_scope);
  scope->parent = parent;
  scope->file = file;
  scope->node = node;
  node->scope = scope;
  return scope;
}

ten_py_scope *ten_scope_at(const ten_py_file *file, const ten_py_node *node) {
  for (; node; node = node->parent)
    if (node->scope) return node->scope;
  return file->scope;
}

static ten_str file_text(const ten_py_file *file, const ten_py_node *node) { return ten_py_text(&file->tree, node); }

ten_py_node *ten_class_around(const ten_py_node *node) {
  for (node = node ? node->parent : NULL; node; node = node->parent)
    if (node->kind == PY_CLASS) return (ten_py_node *)node;
  return NULL;
}

/* The class whose method contains `node`, when `self_name` is that method's first parameter. */
static ten_py_node *class_of_self(const ten_py_file *file, const ten_py_node *node, ten_str self_name) {
  for (const ten_py_node *up = node->parent; up; up = up->parent) {
    if (up->kind != PY_FUNCTION) continue;
    const ten_py_node *holder = up->parent->kind == PY_DECORATED ? up->parent->parent : up->parent;
    if (holder->kind != PY_BLOCK || !holder->parent || holder->parent->kind != PY_CLASS) continue;
    ten_py_node *first = ten_py_named(ten_py_field_of(up, PY_F_PARAMETERS), 0);
    if (first && first->kind == PY_IDENTIFIER && ten_str_eq(file_text(file, first), self_name)) return holder->parent;
  }
  return NULL;
}

static void bind_target(ten_py_file *file, ten_py_node *target, ten_bind_how how, ten_py_node *value, int index) {
  switch (target->kind) {
    case PY_IDENTIFIER: {
      ten_py_scope *scope = ten_scope_at(file, target);
      const ten_str text = file_text(file, target);
      ten_py_name *name = ten_py_names_get(file->arena, &scope->names, text);
      if (name->is_global) name = ten_py_names_get(file->arena, &file->scope->names, text);
      ten_name_bind(file, name, how, target, value, index);
      if (scope->node->kind == PY_CLASS)
        ten_name_bind(file, ten_py_names_get(file->arena, &scope->attributes, text), how, target, value, index);
      break;
    }
    case PY_ATTRIBUTE: {
      ten_py_node *object = ten_py_field_of(target, PY_F_OBJECT), *attribute = ten_py_field_of(target, PY_F_ATTRIBUTE);
      if (!object || !attribute) break;
      const ten_str text = file_text(file, attribute);
      ten_py_node *owner = object->kind == PY_IDENTIFIER ? class_of_self(file, target, file_text(file, object)) : NULL;
      ten_py_names *table = owner && owner->scope ? &owner->scope->attributes : &file->project->attributes;
      ten_name_bind(file, ten_py_names_get(owner ? file->arena : file->project->arena, table, text), how, target, value,
                    index);
      break;
    }
    case PY_PATTERN_LIST:
    case PY_TUPLE_PATTERN:
    case PY_LIST_PATTERN:
    case PY_TUPLE:
    case PY_LIST:
    case PY_EXPR_LIST: {
      ten_py_node *source = ten_py_unparen(value);
      const bool literal = how == BIND_ASSIGN && source &&
                           (source->kind == PY_TUPLE || source->kind == PY_EXPR_LIST || source->kind == PY_LIST) &&
                           ten_py_named_count(source) == ten_py_named_count(target);
      int i = 0;
      for (ten_py_node *part = target->child; part; part = part->next) {
        if (!part->named || part->kind == PY_COMMENT) continue;
        if (literal)
          bind_target(file, part, BIND_ASSIGN, ten_py_named(source, (unsigned)i), -1);
        else
          bind_target(file, part, how == BIND_ASSIGN ? BIND_UNPACK : how, value, index > 0 ? index : i);
        i++;
      }
      break;
    }
    case PY_LIST_SPLAT_PATTERN:
    case PY_PAREN:
    case PY_AS_TARGET:
      if (ten_py_named(target, 0)) bind_target(file, ten_py_named(target, 0), how, value, index);
      break;
    default: break;
  }
}

static void bind_import(ten_py_file *file, ten_py_node *where, ten_str text, ten_bind_how how, ten_str dotted) {
  ten_py_name *name = ten_py_names_get(file->arena, &ten_scope_at(file, where)->names, text);
  ten_name_bind(file, name, how, where, NULL, -1);
  name->last->dotted = dotted;
}

static void bind_imports(ten_py_file *file, ten_py_node *statement) {
  if (statement->kind == PY_IMPORT) {
    for (ten_py_node *item = statement->child; item; item = item->next) {
      if (item->kind == PY_DOTTED_NAME) {
        const ten_py_node *head = ten_py_named(item, 0);
        bind_import(file, item, file_text(file, head), BIND_IMPORT, file_text(file, head));
      } else if (item->kind == PY_ALIASED_IMPORT) {
        bind_import(file, item, file_text(file, ten_py_field_of(item, PY_F_ALIAS)), BIND_IMPORT,
                    file_text(file, ten_py_field_of(item, PY_F_NAME)));
      }
    }
    return;
  }
  const ten_py_node *module = ten_py_field_of(statement, PY_F_MODULE_NAME);
  const ten_str base = file_text(file, module);
  for (ten_py_node *item = statement->child; item; item = item->next) {
    if (item->field != PY_F_NAME) continue;
    const bool aliased = item->kind == PY_ALIASED_IMPORT;
    const ten_str name = file_text(file, aliased ? ten_py_field_of(item, PY_F_NAME) : item);
    const ten_str local = file_text(file, aliased ? ten_py_field_of(item, PY_F_ALIAS) : item);
    const bool dots_only = base.size && base.data[base.size - 1] == '.';
    char *dotted = ten_arena_alloc(file->arena, base.size + name.size + 2);
    const int size =
        snprintf(dotted, base.size + name.size + 2, "%.*s%s%.*s", TEN_FMT(base), dots_only ? "" : ".", TEN_FMT(name));
    bind_import(file, item, local, BIND_FROM, (ten_str){dotted, (size_t)size});
  }
}

static void bind_parameters(ten_py_file *file, ten_py_node *parameters) {
  for (ten_py_node *p = parameters ? parameters->child : NULL; p; p = p->next) {
    ten_py_node *name = p;
    if (p->kind == PY_DEFAULT_PARAM || p->kind == PY_TYPED_DEFAULT_PARAM)
      name = ten_py_field_of(p, PY_F_NAME);
    else if (p->kind == PY_TYPED_PARAM || p->kind == PY_LIST_SPLAT_PATTERN || p->kind == PY_DICT_SPLAT_PATTERN)
      name = ten_py_named(p, 0);
    if (!name || name->kind != PY_IDENTIFIER) continue;
    ten_py_name *entry = ten_py_names_get(file->arena, &ten_scope_at(file, p)->names, file_text(file, name));
    ten_name_bind(file, entry, BIND_PARAM, p, ten_py_field_of(p, PY_F_VALUE), -1);
  }
}

static void bind_node(ten_py_file *file, ten_py_node *node) {
  switch (node->kind) {
    case PY_IMPORT:
    case PY_IMPORT_FROM: bind_imports(file, node); break;
    case PY_ASSIGN: {
      ten_py_node *right = ten_py_field_of(node, PY_F_RIGHT), *left = ten_py_field_of(node, PY_F_LEFT);
      while (right && right->kind == PY_ASSIGN) right = ten_py_field_of(right, PY_F_RIGHT); /* a = b = value */
      if (left) bind_target(file, left, right ? BIND_ASSIGN : BIND_OTHER, right, -1);
      break;
    }
    case PY_AUG_ASSIGN:
      bind_target(file, ten_py_field_of(node, PY_F_LEFT), BIND_AUG, ten_py_field_of(node, PY_F_RIGHT), -1);
      break;
    case PY_NAMED_EXPR:
      bind_target(file, ten_py_field_of(node, PY_F_NAME), BIND_ASSIGN, ten_py_field_of(node, PY_F_VALUE), -1);
      break;
    case PY_FOR:
    case PY_FOR_IN:
      bind_target(file, ten_py_field_of(node, PY_F_LEFT), BIND_FOR, ten_py_field_of(node, PY_F_RIGHT), -1);
      break;
    case PY_AS_PATTERN: {
      ten_py_node *value = ten_py_named(node, 0), *alias = ten_py_field_of(node, PY_F_ALIAS);
      if (alias) bind_target(file, alias, BIND_WITH, value, -1);
      break;
    }
    case PY_GLOBAL:
      for (ten_py_node *item = node->child; item; item = item->next)
        if (item->kind == PY_IDENTIFIER)
          ten_py_names_get(file->arena, &ten_scope_at(file, node)->names, file_text(file, item))->is_global = true;
      break;
    default: break;
  }
}

void ten_file_bind(ten_py_file *file) {
  ten_py_node *root = file->tree.root;
  file->scope = scope_create(file, NULL, root);
  for (ten_py_node *node = root; node; node = ten_py_walk(node, root, false)) {
    if (node->kind == PY_FUNCTION || node->kind == PY_CLASS) {
      ten_py_scope *outer = ten_scope_at(file, node->parent);
      ten_py_node *name = ten_py_field_of(node, PY_F_NAME);
      const ten_bind_how how = node->kind == PY_CLASS ? BIND_CLASS : BIND_DEF;
      if (name) {
        ten_name_bind(file, ten_py_names_get(file->arena, &outer->names, file_text(file, name)), how, name, node, -1);
        if (outer->node->kind == PY_CLASS)
          ten_name_bind(file, ten_py_names_get(file->arena, &outer->attributes, file_text(file, name)), how, name, node,
                        -1);
      }
      scope_create(file, outer, node);
      if (node->kind == PY_FUNCTION) bind_parameters(file, ten_py_field_of(node, PY_F_PARAMETERS));
    } else if (node->kind == PY_LAMBDA) {
      scope_create(file, ten_scope_at(file, node->parent), node);
      bind_parameters(file, ten_py_field_of(node, PY_F_PARAMETERS));
    } else {
      bind_node(file, node);
    }
  }
}

ten_py_name *ten_name_lookup(const ten_py_file *file, const ten_py_node *node, ten_str text) {
  bool first = true;
  for (ten_py_scope *scope = ten_scope_at(file, node); scope; scope = scope->parent, first = false) {
    if (scope->node->kind == PY_CLASS && !first) continue; /* methods do not see the class body's names */
    ten_py_name *name = ten_py_names_find(&scope->names, text);
    if (name && !name->is_global && name->first) return name;
    if (name && name->is_global) return ten_py_names_find(&file->scope->names, text);
  }
  return NULL;
}

bool ten_is_unbound_torch(const ten_py_file *file, const ten_py_node *node) {
  return node->kind == PY_IDENTIFIER && node->field == PY_F_OBJECT && ten_str_is(file_text(file, node), "torch") &&
         !ten_name_lookup(file, node, TEN_STR("torch"));
}

bool ten_scope_binds(const ten_py_file *file, ten_str text) {
  for (ten_py_node *node = file->tree.root; node; node = ten_py_walk(node, file->tree.root, false))
    if (node->scope && ten_py_names_find(&node->scope->names, text)) return true;
  return false;
}

static bool dotted_append(char out[TEN_DOTTED_MAX], size_t *size, ten_str text) {
  if (*size + text.size + 2 > TEN_DOTTED_MAX) return false;
  if (*size) out[(*size)++] = '.';
  memcpy(out + *size, text.data, text.size);
  *size += text.size;
  out[*size] = 0;
  return true;
}

/* import model; model = model.Net(): a rebound name is the module only for attributes that the module has. */
static bool is_rebound(const ten_py_file *file, const ten_py_name *name, const ten_py_node *attribute,
                       const ten_py_binding *import) {
  bool again = false;
  for (const ten_py_binding *b = name->first; b; b = b->next)
    again |= (b->how == BIND_ASSIGN || b->how == BIND_UNPACK || b->how == BIND_FOR) && b->value &&
             !ten_str_is(file_text(b->file, b->value), "None");
  const ten_str dotted = import->dotted;
  if (!again || !attribute || import->how != BIND_IMPORT || ten_str_starts(dotted, "torch")) return false;
  char member[TEN_DOTTED_MAX];
  const int size = snprintf(member, sizeof member, "%.*s.%.*s", TEN_FMT(dotted), TEN_FMT(file_text(file, attribute)));
  if (size <= 0 || (size_t)size >= sizeof member) return false;
  return !ten_import_target(file, (ten_str){member, (size_t)size}, NULL);
}

bool ten_dotted(const ten_py_file *file, const ten_py_node *node, char out[TEN_DOTTED_MAX]) {
  const ten_py_node *parts[16];
  unsigned count = 0;
  while (node && node->kind == PY_ATTRIBUTE) {
    if (count == 16) return false;
    parts[count++] = ten_py_field_of(node, PY_F_ATTRIBUTE);
    node = ten_py_field_of(node, PY_F_OBJECT);
  }
  if (!node || node->kind != PY_IDENTIFIER) return false;
  const ten_py_name *name = ten_name_lookup(file, node, file_text(file, node));
  const ten_py_binding *import = NULL;
  for (const ten_py_binding *b = name ? name->first : NULL; b; b = b->next)
    if (b->how == BIND_IMPORT || b->how == BIND_FROM) import = b;
  if (!import && !ten_is_unbound_torch(file, node)) return false;
  if (import && is_rebound(file, name, count ? parts[count - 1] : NULL, import)) return false;
  size_t size = 0;
  if (!dotted_append(out, &size, import ? import->dotted : TEN_STR("torch"))) return false;
  while (count) {
    if (!parts[--count] || !dotted_append(out, &size, file_text(file, parts[count]))) return false;
  }
  return true;
}

bool ten_dotted_is(const ten_py_file *file, const ten_py_node *node, const char *dotted) {
  char name[TEN_DOTTED_MAX];
  return ten_dotted(file, node, name) && !strcmp(name, dotted);
}

ten_py_node *ten_call_keyword(const ten_py_file *file, const ten_py_node *call, const char *keyword) {
  const ten_py_node *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  for (ten_py_node *a = arguments ? arguments->child : NULL; a; a = a->next)
    if (a->kind == PY_KEYWORD && ten_str_is(file_text(file, ten_py_field_of(a, PY_F_NAME)), keyword)) return a;
  return NULL;
}

ten_py_node *ten_call_argument(const ten_py_file *file, const ten_py_node *call, int index, const char *keyword) {
  const ten_py_node *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  if (!arguments || arguments->kind != PY_ARGUMENTS) return NULL;
  int at = 0;
  for (ten_py_node *a = arguments->child; a && index >= 0; a = a->next) {
    if (!a->named || a->kind == PY_COMMENT) continue;
    if (a->kind == PY_KEYWORD || a->kind == PY_LIST_SPLAT || a->kind == PY_DICT_SPLAT) break;
    if (at++ == index) return a;
  }
  return keyword ? ten_py_field_of(ten_call_keyword(file, call, keyword), PY_F_VALUE) : NULL;
}
