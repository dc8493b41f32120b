/* rule_place.c: programs that never choose a device. If it is unambiguous, they get one: the model is moved where it is
 * created, batches where they arrive. A simple data-flow analysis follows values: outputs of a model are on the device
 * ("there"), so whatever is combined with them must be too. Anything ambiguous leaves the program on the CPU, and the
 * note names it. */
#include <ctype.h>
#include <stdlib.h>

#include "migrate/rule.h"

typedef struct place_name {
  ten_py_name *name;
  ten_py_node *first; /* where it is first combined with a value on the device */
  bool there;         /* an output of the model */
  bool meets;         /* combined with a value on the device */
} place_name;

typedef struct place_move {
  ten_py_name *name;
  ten_py_node *place; /* moved before this statement, or at the start of this loop when `loop` */
  bool loop, done;
} place_move;

typedef struct place_plan {
  ten_rewrite *rw;
  TEN_VEC(place_name) names;
  TEN_VEC(place_move) moves;
  TEN_VEC(ten_py_node *) models; /* calls that create them */
  TEN_VEC(ten_py_node *) inline_tensors, numpy;
  TEN_VEC(ten_py_node *) in_modules; /* calls that create tensors in methods of modules */
  const char *why;                   /* if set: the ambiguity */
  ten_py_node *at;                   /* where */
} place_plan;

static void refuse(place_plan *plan, ten_py_node *at, const char *why) {
  if (plan->why) return;
  plan->why = why;
  plan->at = at;
}

static place_name *entry_of(place_plan *plan, ten_py_name *name) {
  for (size_t i = 0; i < plan->names.count; i++)
    if (plan->names.data[i].name == name) return &plan->names.data[i];
  ten_vec_push(&plan->names, (place_name){.name = name});
  return &plan->names.data[plan->names.count - 1];
}

static bool makes_tensor(const ten_py_file *file, const ten_py_node *node) {
  static const char *const makers[] = {
      "tensor",     "as_tensor",  "from_numpy",  "zeros",        "ones",   "empty",        "full",
      "rand",       "randn",      "randint",     "randperm",     "arange", "linspace",     "logspace",
      "eye",        "normal",     "FloatTensor", "LongTensor",   "Tensor", "DoubleTensor", "IntTensor",
      "ByteTensor", "BoolTensor", "bernoulli",   "tril_indices", NULL};
  char dotted[TEN_DOTTED_MAX];
  if (node->kind != PY_CALL || !ten_dotted(file, ten_py_field_of(node, PY_F_FUNCTION), dotted)) return false;
  if (strncmp(dotted, "torch.", 6)) return false;
  for (int i = 0; makers[i]; i++)
    if (!strcmp(dotted + 6, makers[i])) return !ten_call_keyword(file, node, "device");
  return false;
}

static bool in_module_class(ten_py_file *file, const ten_py_node *node) {
  for (ten_py_node *class = ten_class_around(node); class; class = ten_class_around(class->parent))
    if (ten_is_module_class(file, class, 0)) return true;
  return false;
}

/* A loss has no state to move. */
static bool is_loss(ten_py_file *file, const ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  return ten_dotted(file, ten_py_field_of(call, PY_F_FUNCTION), dotted) && ten_str_ends(ten_str_of(dotted), "Loss") &&
         !ten_call_keyword(file, call, "weight") && !ten_call_keyword(file, call, "pos_weight");
}

/* model(x), criterion(a, b), F.relu(x) */
static bool is_device_call(ten_py_file *file, ten_py_node *node) {
  ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
  if (!callee) return false;
  char dotted[TEN_DOTTED_MAX];
  if (ten_dotted(file, callee, dotted)) return !strncmp(dotted, "torch.nn.functional.", 20);
  if (callee->kind != PY_IDENTIFIER && callee->kind != PY_ATTRIBUTE) return false;
  ten_py_file *other = file;
  if (ten_definition_of(file, callee, &other)) return false;
  return ten_py_value_of(file, callee) & V_MODULE;
}

/* Reads of a value on the host: their operands do not place the rest on the device. */
static bool is_read(const ten_py_file *file, const ten_py_node *node) {
  static const char *const reads[] = {"item", "numpy", "tolist", "cpu", "size", "dim", NULL};
  const ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
  if (!callee) return false;
  if (callee->kind == PY_IDENTIFIER) return ten_str_is(ten_py_text(&file->tree, callee), "len");
  if (callee->kind != PY_ATTRIBUTE) return false;
  const ten_str name = ten_py_text(&file->tree, ten_py_field_of(callee, PY_F_ATTRIBUTE));
  for (int i = 0; reads[i]; i++)
    if (ten_str_is(name, reads[i])) return true;
  return false;
}

/* The expression of a statement: of a compound one, its condition or iterable. */
static ten_py_node *head_of(ten_py_node *statement) {
  switch (statement->kind) {
    case PY_IF:
    case PY_WHILE: return ten_py_field_of(statement, PY_F_CONDITION);
    case PY_FOR: return ten_py_field_of(statement, PY_F_RIGHT);
    case PY_FUNCTION:
    case PY_CLASS:
    case PY_DECORATED:
    case PY_TRY:
    case PY_WITH:
    case PY_IMPORT:
    case PY_IMPORT_FROM: return NULL;
    default: return statement;
  }
}

static bool is_use(const ten_py_node *node) {
  return node->kind == PY_IDENTIFIER && node->field != PY_F_ATTRIBUTE &&
         !(node->field == PY_F_NAME && node->parent->kind == PY_KEYWORD) &&
         !(node->parent->kind == PY_CALL && node->field == PY_F_FUNCTION);
}

static bool expression_there(place_plan *plan, ten_py_node *top) {
  ten_py_file *file = plan->rw->file;
  for (ten_py_node *node = top; node; node = ten_py_walk(node, top, is_read(file, node))) {
    if (is_device_call(file, node)) return true;
    if (!is_use(node) || node->field == PY_F_LEFT) continue;
    ten_py_name *name = ten_name_lookup(file, node, rw_text(plan->rw, node));
    if (name && entry_of(plan, name)->there) return true;
  }
  return false;
}

/* Assignments from values on the device put their names there; repeats until nothing changes. */
static void spread(place_plan *plan) {
  ten_py_file *file = plan->rw->file;
  for (bool more = true; more;) {
    more = false;
    for (ten_py_node *node = file->tree.root; node; node = ten_py_walk(node, file->tree.root, false)) {
      if (node->kind != PY_ASSIGN || in_module_class(file, node)) continue;
      ten_py_node *left = ten_py_field_of(node, PY_F_LEFT), *right = ten_py_field_of(node, PY_F_RIGHT);
      if (!right || is_read(file, right) || !expression_there(plan, right)) continue;
      if (ten_py_value_of(file, right) & (V_NUMBER | V_HOST)) continue;
      for (ten_py_node *target = left; target; target = ten_py_walk(target, left, false)) {
        if (target->kind != PY_IDENTIFIER) continue;
        ten_py_name *name = ten_name_lookup(file, target, rw_text(plan->rw, target));
        place_name *entry = name ? entry_of(plan, name) : NULL;
        if (!entry || entry->there) continue;
        entry->there = more = true;
      }
    }
  }
}

/* If one operand is on the device, every other tensor must be. */
static void meet(place_plan *plan, ten_py_node *head, int depth) {
  ten_py_file *file = plan->rw->file;
  const bool there = expression_there(plan, head);
  if (!head || depth > 16) return;
  for (ten_py_node *node = head; node && !plan->why;) {
    const bool read = is_read(file, node);
    const ten_py_node *callee = read ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    if (read && callee->kind == PY_ATTRIBUTE) meet(plan, ten_py_field_of(callee, PY_F_OBJECT), depth + 1);
    if (there && makes_tensor(file, node)) {
      ten_vec_push(&plan->inline_tensors, node);
      node = ten_py_walk(node, head, true);
      continue;
    }
    if (there && is_use(node) && node->field != PY_F_LEFT) {
      ten_py_name *name = ten_name_lookup(file, node, rw_text(plan->rw, node));
      const uint32_t kind = name ? ten_py_value_of_name(file, name) : 0;
      const ten_py_node *arguments = ten_py_up(node, PY_ARGUMENTS);
      if (kind & V_TENSOR) {
        place_name *entry = entry_of(plan, name);
        entry->meets = true;
        if (!entry->first || node->start < entry->first->start) entry->first = node;
      } else if (name && !kind && !entry_of(plan, name)->there && arguments && is_device_call(file, arguments->parent))
        refuse(plan, node, "it is not plain what the model is given");
    }
    node = ten_py_walk(node, head, read);
  }
}

/* Whether the parameter is a tensor, judged by its uses in the function. */
static bool used_as_tensor(ten_py_file *file, ten_py_node *body, ten_str name) {
  static const char *const of_tensors[] = {"shape",   "size",      "device", "dtype",     "view",
                                           "reshape", "dim",       "ndim",   "flatten",   "permute",
                                           "float",   "unsqueeze", "mean",   "new_zeros", NULL};
  for (ten_py_node *node = body; node; node = ten_py_walk(node, body, false)) {
    if (node->kind != PY_IDENTIFIER || !ten_str_eq(ten_py_text(&file->tree, node), name)) continue;
    const ten_py_node *up = node->parent;
    if (up->kind == PY_ATTRIBUTE && node->field == PY_F_OBJECT) {
      const ten_str attribute = ten_py_text(&file->tree, ten_py_field_of(up, PY_F_ATTRIBUTE));
      for (int i = 0; of_tensors[i]; i++)
        if (ten_str_is(attribute, of_tensors[i])) return true;
    }
    if (up->kind == PY_ARGUMENTS && up->parent->kind == PY_CALL) { /* self.layer(x) */
      ten_py_node *callee = ten_py_field_of(up->parent, PY_F_FUNCTION);
      if (callee && callee->kind == PY_ATTRIBUTE && ten_py_value_of(file, callee) & V_MODULE) return true;
    }
  }
  return false;
}

/* torch.arange(t) in forward(self, x): the tensor belongs on x's device. The name of x, or an empty one. */
static ten_str companion_of(ten_py_file *file, ten_py_node *factory) {
  const ten_str none = {"", 0};
  ten_py_node *function = ten_py_up(factory, PY_FUNCTION);
  ten_py_node *parameters = function ? ten_py_field_of(function, PY_F_PARAMETERS) : NULL;
  if (!parameters || ten_str_is(ten_py_text(&file->tree, ten_py_field_of(function, PY_F_NAME)), "__init__"))
    return none;
  ten_py_node *first = parameters->child ? parameters->child->next : NULL; /* after self */
  while (first && !first->named) first = first->next;
  if (!first || (first->kind != PY_IDENTIFIER && first->kind != PY_TYPED_PARAM)) return none;
  const ten_str name = ten_py_text(&file->tree, first->kind == PY_IDENTIFIER ? first : ten_py_named(first, 0));
  return used_as_tensor(file, ten_py_field_of(function, PY_F_BODY), name) ? name : none;
}

/* torch.arange(t).to(x.device), torch.arange(t).tolist() */
static bool leaves_at_once(ten_py_file *file, const ten_py_node *factory) {
  static const char *const leaves[] = {"to", "type_as", "tolist", "item", "numpy", NULL};
  const ten_py_node *up = factory->parent;
  const ten_str name =
      up->kind == PY_ATTRIBUTE ? ten_py_text(&file->tree, ten_py_field_of(up, PY_F_ATTRIBUTE)) : (ten_str){0};
  for (int i = 0; leaves[i]; i++)
    if (ten_str_is(name, leaves[i])) return true;
  return false;
}

static void look_at_modules(place_plan *plan, ten_py_file *file) {
  ten_py_node *root = file->tree.root;
  for (ten_py_node *node = root; node && !plan->why; node = ten_py_walk(node, root, false)) {
    if (!makes_tensor(file, node) || !in_module_class(file, node)) continue;
    const ten_py_node *up = node->parent;
    bool kept = false; /* nn.Parameter(torch.zeros(3)), self.register_buffer("x", torch.zeros(3)) */
    for (; up && up->kind != PY_FUNCTION && !kept; up = up->parent) {
      const ten_str text =
          up->kind == PY_CALL ? ten_py_text(&file->tree, ten_py_field_of(up, PY_F_FUNCTION)) : (ten_str){0};
      kept = ten_str_ends(text, "Parameter") || ten_str_ends(text, "register_buffer");
    }
    if (kept || leaves_at_once(file, node)) continue;
    char dotted[TEN_DOTTED_MAX]; /* not all of them take a device */
    const bool takes = ten_dotted(file, ten_py_field_of(node, PY_F_FUNCTION), dotted) &&
                       islower((unsigned char)dotted[6]) && strcmp(dotted, "torch.from_numpy") &&
                       strcmp(dotted, "torch.bernoulli");
    if (file == plan->rw->file && takes && companion_of(file, node).size)
      ten_vec_push(&plan->in_modules, node);
    else
      refuse(plan, file == plan->rw->file ? node : NULL, "a module makes a tensor of its own, on the CPU");
  }
}

static void find_models(place_plan *plan) {
  ten_py_file *file = plan->rw->file;
  for (ten_py_node *node = file->tree.root; node; node = ten_py_walk(node, file->tree.root, false)) {
    if (node->kind != PY_CALL || !(ten_py_value_of(file, node) & V_MODULE) || in_module_class(file, node)) continue;
    if (is_device_call(file, node) || is_loss(file, node)) continue;
    ten_py_node *assign = node->parent;
    if (assign->kind != PY_ASSIGN || ten_py_field_of(assign, PY_F_RIGHT) != node) continue;
    char dotted[TEN_DOTTED_MAX];
    ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
    ten_py_file *other = file;
    ten_py_node *definition = ten_definition_of(file, callee, &other);
    if ((ten_dotted(file, callee, dotted) && strncmp(dotted, "torch.jit", 9) && strcmp(dotted, "torch.compile")) ||
        (definition && definition->kind == PY_CLASS))
      ten_vec_push(&plan->models, node);
  }
}

static bool holds_device_call(ten_py_file *file, ten_py_node *top) {
  for (ten_py_node *node = top; node; node = ten_py_walk(node, top, false))
    if (is_device_call(file, node)) return true;
  return false;
}

/* The statement, in the block where the name is bound, that first moves it to the device; before that it is used on the
 * CPU. */
static ten_py_node *statement_before(place_plan *plan, const ten_py_node *bound, const place_name *entry) {
  ten_py_file *file = plan->rw->file;
  ten_py_node *statement = entry->first;
  while (statement && statement->parent != bound->parent) statement = statement->parent;
  if (!statement || statement->start <= bound->start || statement->kind == PY_FUNCTION || statement->kind == PY_CLASS ||
      statement->kind == PY_DECORATED) {
    refuse(plan, entry->first, "it is not plain where the model's input comes from");
    return NULL;
  }
  for (ten_py_node *later = statement; later && !plan->why; later = ten_py_walk(later, file->tree.root, false)) {
    ten_py_node *head =
        later->parent && (later->parent->kind == PY_BLOCK || later->parent->kind == PY_MODULE) ? head_of(later) : NULL;
    if (!head || expression_there(plan, head)) continue;
    bool uses = false, makes = false;
    for (ten_py_node *node = head; node; node = ten_py_walk(node, head, is_read(file, node))) {
      uses |= is_use(node) && ten_name_lookup(file, node, rw_text(plan->rw, node)) == entry->name;
      makes |= makes_tensor(file, node);
    }
    if (uses && makes) refuse(plan, later, "the model's input meets a tensor on the CPU afterwards");
  }
  return statement;
}

/* Where a name that is combined with the device is bound, and hence moved. */
static void find_place(place_plan *plan, const place_name *entry) {
  ten_py_file *file = plan->rw->file;
  bool looped = false, assigned = false;
  for (const ten_py_binding *b = entry->name->first; b && !plan->why; b = b->next) {
    ten_py_node *statement = b->site ? ten_py_statement(b->site) : NULL;
    switch (b->how) {
      case BIND_FOR: {
        ten_py_node *loop = ten_py_up(b->site, PY_FOR);
        const ten_py_node *left = loop ? ten_py_field_of(loop, PY_F_LEFT) : NULL;
        ten_py_node *iterable = loop ? ten_py_unparen(ten_py_field_of(loop, PY_F_RIGHT)) : NULL;
        const bool counted = iterable && iterable->kind == PY_CALL &&
                             rw_is(plan->rw, ten_py_field_of(iterable, PY_F_FUNCTION), "enumerate");
        if (left && (b->site == left || (counted && b->site->parent == left)))
          refuse(plan, b->site, "a batch is one value, and what it holds is not plain");
        else if (!loop || !ten_py_inside(b->site, ten_py_field_of(loop, PY_F_LEFT)))
          refuse(plan, b->site, "a comprehension gives the model its input");
        else if (assigned)
          refuse(plan, b->site, "one name gets its tensors in two ways");
        else if (holds_device_call(file, ten_py_field_of(loop, PY_F_BODY)))
          ten_vec_push(&plan->moves, (place_move){entry->name, loop, true, false});
        looped = true;
        break;
      }
      case BIND_ASSIGN:
      case BIND_UNPACK: {
        if (!b->value || b->file != file || b->value->kind == PY_NONE) break;
        if (expression_there(plan, b->value)) break; /* already there */
        bool itself = false;                         /* x = x.view(-1) */
        for (ten_py_node *node = b->value; node; node = ten_py_walk(node, b->value, false))
          itself |= is_use(node) && ten_str_eq(rw_text(plan->rw, node), entry->name->text);
        if (itself) break;
        const ten_str text = rw_text(plan->rw, b->value);
        if (memmem(text.data, text.size, "requires_grad", 13) || memmem(text.data, text.size, "Variable", 8) ||
            memmem(text.data, text.size, "Parameter", 9))
          refuse(plan, b->site, "a tensor outside the model is trained");
        else if (assigned || looped || !statement)
          refuse(plan, b->site, "one name gets its tensors in two ways");
        else
          ten_vec_push(&plan->moves, (place_move){entry->name, statement_before(plan, statement, entry), false, false});
        assigned = true;
        break;
      }
      case BIND_AUG: break;
      default: refuse(plan, b->site, "a function is given tensors, and it is not plain where they come from");
    }
  }
  if (!plan->why && !looped && !assigned && !entry->there)
    refuse(plan, NULL, "it is not plain where the model's input comes from");
}

/* Whether it contains a moved name: x.data.numpy() */
static bool expression_moved(place_plan *plan, ten_py_node *top) {
  for (ten_py_node *node = top; node; node = ten_py_walk(node, top, false)) {
    ten_py_name *name = is_use(node) ? ten_name_lookup(plan->rw->file, node, rw_text(plan->rw, node)) : NULL;
    if (name && entry_of(plan, name)->meets) return true;
  }
  return false;
}

/* Tensors passed to other libraries, as in plt.plot(x), must be on the CPU. */
static void look_at_uses(place_plan *plan) {
  ten_py_file *file = plan->rw->file;
  static const char *const fine[] = {"print", "len", "zip",        "enumerate", "range",
                                     "float", "int", "isinstance", "type",      NULL};
  for (ten_py_node *node = file->tree.root; node && !plan->why; node = ten_py_walk(node, file->tree.root, false)) {
    ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    if (!callee || in_module_class(file, node)) continue;
    ten_py_node *object = callee->kind == PY_ATTRIBUTE ? ten_py_field_of(callee, PY_F_OBJECT) : NULL;
    if (object && rw_is(plan->rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "numpy") &&
        (expression_there(plan, object) || expression_moved(plan, object)) &&
        !ten_str_ends(rw_text(plan->rw, object), ".cpu()"))
      ten_vec_push(&plan->numpy, node);
    char dotted[TEN_DOTTED_MAX];
    bool ours = ten_dotted(file, callee, dotted) && !strncmp(dotted, "torch", 5);
    for (int i = 0; fine[i]; i++) ours |= rw_is(plan->rw, callee, fine[i]);
    if (ours || is_device_call(file, node) || !ten_dotted(file, callee, dotted)) continue;
    ten_py_node *arguments = ten_py_field_of(node, PY_F_ARGUMENTS);
    for (ten_py_node *a = arguments ? arguments->child : NULL; a; a = a->next) {
      ten_py_name *name = a->kind == PY_IDENTIFIER ? ten_name_lookup(file, a, rw_text(plan->rw, a)) : NULL;
      if (name && (entry_of(plan, name)->there || entry_of(plan, name)->meets))
        refuse(plan, a, "a tensor is handed to another library");
    }
  }
}

static ten_py_node *first_step(ten_rewrite *rw) {
  for (ten_py_node *node = rw->file->tree.root; node; node = ten_py_walk(node, rw->file->tree.root, false)) {
    ten_py_node *callee = node->kind == PY_CALL ? ten_py_field_of(node, PY_F_FUNCTION) : NULL;
    if (callee && callee->kind == PY_ATTRIBUTE && rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "step") &&
        ten_py_value_of(rw->file, ten_py_field_of(callee, PY_F_OBJECT)) & V_OPTIMIZER)
      return node;
  }
  return NULL;
}

/* One statement moves all names that are moved at one position. */
static void move_names(place_plan *plan, const ten_rewrite_rule *rule) {
  ten_rewrite *rw = plan->rw;
  for (size_t i = 0; i < plan->moves.count; i++) {
    const place_move *first = &plan->moves.data[i];
    if (first->done) continue;
    ten_buf left = {0}, right = {0};
    for (size_t j = i; j < plan->moves.count; j++) {
      place_move *other = &plan->moves.data[j];
      if (other->done || other->place != first->place || other->loop != first->loop) continue;
      ten_buf_printf(&left, "%s%.*s", left.size ? ", " : "", TEN_FMT(other->name->text));
      ten_buf_printf(&right, "%s%.*s.to(device)", right.size ? ", " : "", TEN_FMT(other->name->text));
      other->done = true;
    }
    ten_py_node *body = first->loop ? ten_py_field_of(first->place, PY_F_BODY) : NULL;
    ten_py_node *before = body ? ten_py_named(body, 0) : first->place;
    if (before && ten_insert_before(rw, rule, before, "%s = %s", left.data, right.data) && first->loop)
      ten_vec_push(&rw->moved_loops, first->place);
    ten_buf_free(&left);
    ten_buf_free(&right);
  }
}

/* Whether the file has a main program, and something to compute: the node, or NULL. */
static ten_py_node *computation_of(ten_rewrite *rw) {
  ten_py_node *root = rw->file->tree.root;
  bool runs = false;
  for (const ten_py_node *statement = root->child; statement && !runs; statement = statement->next) {
    const ten_py_node *value = statement->kind == PY_EXPR_STMT ? ten_py_named(statement, 0) : NULL;
    runs = statement->kind == PY_FOR || statement->kind == PY_WHILE || statement->kind == PY_WITH ||
           statement->kind == PY_IF || (value && value->kind == PY_CALL);
  }
  for (ten_py_node *node = root; node && runs; node = ten_py_walk(node, root, false))
    if (is_device_call(rw->file, node) || (makes_tensor(rw->file, node) && !in_module_class(rw->file, node)))
      return node;
  return NULL;
}

static void place(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *root) {
  if (rw->places) return;
  ten_py_node *step = first_step(rw);
  if (!step) step = computation_of(rw);
  if (!step) return;
  place_plan plan = {.rw = rw};
  find_models(&plan);
  if (!plan.models.count) refuse(&plan, NULL, "no model is made in this file by name");
  for (size_t f = 0; f < rw->file->project->files.count && !plan.why; f++)
    if (ten_same_program(rw->file->project->files.data[f], rw->file))
      look_at_modules(&plan, rw->file->project->files.data[f]);
  if (!plan.why) spread(&plan);
  for (ten_py_node *node = root; node && !plan.why; node = ten_py_walk(node, root, false))
    if (node->parent && (node->parent->kind == PY_BLOCK || node->parent->kind == PY_MODULE) && head_of(node) &&
        !in_module_class(rw->file, node))
      meet(&plan, head_of(node), 0);
  for (size_t i = 0; i < plan.names.count && !plan.why; i++)
    if (plan.names.data[i].meets) {
      const place_name entry = plan.names.data[i]; /* the list may be reallocated */
      find_place(&plan, &entry);
    }
  if (!plan.why) look_at_uses(&plan);
  if (plan.why) {
    ten_coverage(rw, false);
    ten_note_add(
        rw, rule, TEN_NOTE_HUMAN, plan.at ? plan.at : step,
        "the program never chooses a device and stays on the CPU, as %s; move the model and what meets it with .to(%s)",
        plan.why, rw->xla ? "torch_xla.device()" : "\"tpu\"");
  } else {
    rw->device_rule = rule;
    rw->places = true;
    for (size_t i = 0; i < plan.models.count; i++)
      ten_rewrite_span(rw, rule, plan.models.data[i], plan.models.data[i]->end, plan.models.data[i]->end,
                       ".to(device)");
    for (size_t i = 0; i < plan.inline_tensors.count; i++)
      ten_rewrite_span(rw, rule, plan.inline_tensors.data[i], plan.inline_tensors.data[i]->end,
                       plan.inline_tensors.data[i]->end, ".to(device)");
    for (size_t i = 0; i < plan.in_modules.count; i++)
      ten_add_argument(rw, rule, plan.in_modules.data[i], "device=%.*s.device",
                       TEN_FMT(companion_of(rw->file, plan.in_modules.data[i])));
    for (size_t i = 0; i < plan.numpy.count; i++) {
      ten_py_node *object = ten_py_field_of(ten_py_field_of(plan.numpy.data[i], PY_F_FUNCTION), PY_F_OBJECT);
      ten_rewrite_span(rw, rule, plan.numpy.data[i], object->end, object->end, ".cpu()");
    }
    move_names(&plan, rule);
    ten_use(rw, rw->xla ? MOD_XLA : MOD_TPU);
    if (!rw->xla) ten_use(rw, MOD_TORCH);
  }
  ten_vec_free(&plan.names);
  ten_vec_free(&plan.moves);
  ten_vec_free(&plan.models);
  ten_vec_free(&plan.inline_tensors);
  ten_vec_free(&plan.in_modules);
  ten_vec_free(&plan.numpy);
}

const ten_rewrite_rule ten_rules_place[] = {
    {108,
     "no-device",
     "the program never chose a device: model and batches go to the target's",
     FOR_BOTH,
     {PY_MODULE},
     place},
    {0},
};
