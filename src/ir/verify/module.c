/* module.c: rules between ops: every operand dominates its use and is in scope, every region has the right terminator,
 * every symbol is defined once and every reference resolves. Collects errors and continues.
 *
 * Ops are walked in execution order. An op counts as seen once its regions were walked, so a value of a seen op, in a
 * block around the user, dominates the use. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/verify/rules.h"

/* A set of pointers. */
typedef struct seen_set {
  const void **slots; /* owned */
  size_t count, capacity;
} seen_set;

static size_t seen_slot(const seen_set *set, const void *key) {
  size_t at = (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20) & (set->capacity - 1);
  while (set->slots[at] && set->slots[at] != key) at = (at + 1) & (set->capacity - 1);
  return at;
}

static void seen_add(seen_set *set, const void *key) {
  if (set->count * 2 >= set->capacity) {
    seen_set grown = {.capacity = set->capacity ? set->capacity * 2 : 256};
    grown.slots = ten_alloc(grown.capacity * sizeof *grown.slots);
    for (size_t i = 0; i < set->capacity; i++)
      if (set->slots[i]) grown.slots[seen_slot(&grown, set->slots[i])] = set->slots[i];
    grown.count = set->count;
    free(set->slots);
    *set = grown;
  }
  const size_t at = seen_slot(set, key);
  if (!set->slots[at]) set->count++;
  set->slots[at] = key;
}

static bool seen_has(const seen_set *set, const void *key) { return set->capacity && set->slots[seen_slot(set, key)]; }

struct ten_symbols {
  const ten_op **slots; /* owned, by the hash of the name */
  size_t capacity;
};

static ten_str symbol_name(const ten_op *op) {
  const ten_attr *name = ten_op_attr(op, "sym_name");
  return name && name->kind == TEN_ATTR_STRING ? name->string : (ten_str){0};
}

static size_t symbol_slot(const ten_symbols *symbols, ten_str name) {
  size_t at = ten_hash64(name.data, name.size, 0) & (symbols->capacity - 1);
  while (symbols->slots[at] && !ten_str_eq(symbol_name(symbols->slots[at]), name))
    at = (at + 1) & (symbols->capacity - 1);
  return at;
}

const ten_op *ten_symbols_find(const ten_symbols *symbols, const ten_attr *symbol) {
  if (!symbols || !symbol || symbol->kind != TEN_ATTR_SYMBOL || !symbol->symbol.count) return NULL;
  const ten_op *op = symbols->slots[symbol_slot(symbols, symbol->symbol.path[0])];
  for (size_t i = 1; op && i < symbol->symbol.count; i++) op = ten_symbol_find(op, symbol->symbol.path[i]);
  return op;
}

typedef struct walk {
  const ten_op *root;
  ten_module *scratch; /* owned; recreated when it grows large */
  seen_set seen;
  const ten_symbols *symbols;                /* of the enclosing module */
  ten_status *errors[TEN_VERIFY_MAX_ERRORS]; /* owned */
  size_t count;
} walk;

static bool full(const walk *w) { return w->count >= TEN_VERIFY_MAX_ERRORS; }

static bool note(walk *w, ten_status *status) {
  if (!status) return true;
  if (full(w))
    ten_status_free(status);
  else
    w->errors[w->count++] = status;
  return false;
}

static ten_module *scratch(walk *w) {
  enum { LARGE = 1 << 22 };
  if (w->scratch && w->scratch->arena.reserved > LARGE) {
    ten_module_destroy(w->scratch);
    w->scratch = NULL;
  }
  if (!w->scratch) w->scratch = ten_module_create();
  return w->scratch;
}

static bool is_isolated(const ten_op *op) {
  return ten_op_has(op, TEN_TRAIT_ISOLATED) || op->code == TEN_OP_ASYNC_START || op->code == TEN_OP_CHLO_SCAN;
}

/* Is `block` the op's block or an enclosing one, with no isolated op in between? */
static bool in_sight(const ten_op *op, const ten_block *block, const ten_op **wall) {
  *wall = NULL;
  for (const ten_op *at = op; at; at = ten_op_parent(at)) {
    if (at->block == block) return true;
    const ten_op *parent = ten_op_parent(at);
    if (parent && is_isolated(parent) && !*wall) *wall = parent;
  }
  return false;
}

static ten_status *check_uses(const walk *w, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *value = op->operands[i].value;
    WANT(value && value->type, "operand %u is missing", i);
    WANT(value->op || value->block, "operand %u is a value that nothing defines", i);
    const ten_block *block = value->op ? value->op->block : value->block;
    const ten_op *wall;
    const bool visible = block && in_sight(op, block, &wall);
    WANT(visible, "operand %u is defined by %.*s elsewhere, out of sight from here", i,
         value->op ? (int)value->op->name.size : 16, value->op ? value->op->name.data : "a block argument");
    WANT(!wall, "operand %u is defined outside of %.*s, whose regions see nothing from outside", i,
         TEN_FMT(wall->name));
    WANT(!value->op || seen_has(&w->seen, value->op), "operand %u is used before %.*s defines it", i,
         TEN_FMT(value->op->name));
  }
  return NULL;
}

/* The required terminator of blocks in this op's regions. */
static ten_status *check_end(const ten_op *op, const ten_block *block) {
  if (op->code == TEN_OP_MODULE || op->code == TEN_OP_UNKNOWN || op->code == TEN_OP_COMPOSITE) return NULL;
  const ten_opcode wanted = ten_op_is_func(op) ? TEN_OP_FUNC_RETURN : TEN_OP_RETURN;
  const ten_op *last = block->last;
  if (last && last->code == wanted) return NULL;
  if (!last) BAD("a block is empty, must end with %s", ten_op_infos[wanted].name);
  BAD("a block ends with %.*s, must end with %s", TEN_FMT(last->name), ten_op_infos[wanted].name);
}

static ten_status *check_place(const ten_op *op) {
  const ten_op *parent = ten_op_parent(op);
  if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) WANT(!op->next, "must be the last op of its block");
  if (op->code == TEN_OP_RETURN) WANT(parent && parent->code != TEN_OP_MODULE, "returns from no region");
  return NULL;
}

static void walk_op(walk *w, const ten_op *op, unsigned depth);

/* A function's argument types come from its type, which is checked with it. */
static void check_args(walk *w, const ten_op *op, const ten_block *block) {
  if (op->code == TEN_OP_UNKNOWN || op->code == TEN_OP_FUNC) return;
  for (uint32_t i = 0; i < block->arg_count; i++) {
    const ten_type *type = block->args[i]->type;
    ten_status *status = NULL;
    const char *problem = type ? ten_type_problem(scratch(w), type) : "it has no type";
    if (problem)
      status = ten_op_error(op, TEN_INVALID, "block argument %u is %s: %s", i,
                            type ? ten_say_type(w->scratch, type) : "nothing", problem);
    note(w, status);
  }
}

static void walk_regions(walk *w, const ten_op *op, unsigned depth) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block && !full(w); block = block->next) {
      check_args(w, op, block);
      for (const ten_op *inner = block->first; inner && !full(w); inner = inner->next) walk_op(w, inner, depth + 1);
      note(w, check_end(op, block));
    }
}

static ten_status *add_symbol(ten_symbols *symbols, const ten_op *op) {
  const ten_str name = symbol_name(op);
  if (!name.size) return NULL;
  const size_t at = symbol_slot(symbols, name);
  if (symbols->slots[at]) {
    const ten_loc *first = ten_loc_first_file(symbols->slots[at]->loc);
    if (first) BAD("@%.*s is defined already, on line %u", TEN_FMT(name), first->line);
    BAD("@%.*s is defined already", TEN_FMT(name));
  }
  symbols->slots[at] = op;
  return NULL;
}

static void walk_module(walk *w, const ten_op *op, unsigned depth) {
  ten_symbols symbols = {.capacity = 16};
  size_t count = 0;
  for (const ten_block *block = op->regions[0].first; block; block = block->next)
    for (const ten_op *inner = block->first; inner; inner = inner->next) count++;
  while (symbols.capacity < count * 2) symbols.capacity *= 2;
  symbols.slots = ten_alloc(symbols.capacity * sizeof *symbols.slots);
  for (const ten_block *block = op->regions[0].first; block; block = block->next)
    for (const ten_op *inner = block->first; inner; inner = inner->next) note(w, add_symbol(&symbols, inner));
  const ten_symbols *outer = w->symbols;
  w->symbols = &symbols;
  walk_regions(w, op, depth);
  w->symbols = outer;
  free(symbols.slots);
}

/* The type of this operand was already reported at its definition. */
static bool takes_refused(walk *w, const ten_op *op) {
  for (uint32_t i = 0; w->count && i < op->operand_count; i++)
    if (ten_type_problem(scratch(w), ten_in(op, i))) return true;
  return false;
}

static void walk_op(walk *w, const ten_op *op, unsigned depth) {
  if (depth > TEN_VERIFY_MAX_DEPTH) {
    note(w, ten_op_error(op, TEN_LIMIT, "regions are nested more than %d deep", TEN_VERIFY_MAX_DEPTH));
    return;
  }
  bool right = note(w, check_place(op));
  right = right && note(w, check_uses(w, op));
  right = right && !takes_refused(w, op) && note(w, ten_rule_check(scratch(w), op));
  if (right) note(w, ten_verify_symbol_uses(scratch(w), op, w->symbols));
  if (op->code == TEN_OP_MODULE && op->region_count == 1)
    walk_module(w, op, depth);
  else
    walk_regions(w, op, depth);
  seen_add(&w->seen, op);
}

static ten_status *walk_all(void *argument) {
  walk *w = argument;
  walk_op(w, w->root, 0);
  return NULL;
}

ten_status *ten_verify(const ten_module *module) {
  walk w = {.root = module->op};
  ten_status *failed = ten_recover("verifying the program", walk_all, &w);
  if (w.scratch) ten_module_destroy(w.scratch);
  free(w.seen.slots);
  for (size_t i = 0; failed && i < w.count; i++) ten_status_free(w.errors[i]);
  if (failed) return failed;
  if (w.count <= 1) return w.count ? w.errors[0] : NULL;
  ten_buf text = {0};
  for (size_t i = 0; i < w.count; i++) {
    ten_buf_printf(&text, "%s%s", i ? "\n" : "", ten_status_text(w.errors[i]));
    ten_status_free(w.errors[i]);
  }
  if (full(&w))
    ten_buf_printf(&text, "\nthere may be more: only the first %d errors are listed", TEN_VERIFY_MAX_ERRORS);
  ten_status *status = ten_error(TEN_INVALID, "%s", text.data);
  ten_buf_free(&text);
  return status;
}
