/* module.c: creates, links and unlinks ops, blocks and values. */
#include "ir/module.h"

#include <stdlib.h>

struct ten_module_cleanup {
  struct ten_module_cleanup *next;
  void (*run)(void *);
  void *data;
};

ten_module *ten_module_create(void) {
  ten_module *module = ten_alloc(sizeof *module);
  ten_arena_init(&module->arena);
  module->op = ten_op_create(module, TEN_OP_MODULE, (ten_str){0}, NULL, 0, NULL, 0, NULL, 0, NULL, 1);
  ten_block_create(module, &module->op->regions[0]);
  return module;
}

void ten_module_destroy(ten_module *module) {
  if (!module) return;
  for (struct ten_module_cleanup *item = module->cleanups; item; item = item->next) item->run(item->data);
  free(module->types);
  ten_arena_destroy(&module->arena);
  free(module);
}

void ten_module_on_destroy(ten_module *module, void (*run)(void *), void *data) {
  struct ten_module_cleanup *item = ten_arena_alloc(&module->arena, sizeof *item);
  *item = (struct ten_module_cleanup){module->cleanups, run, data};
  module->cleanups = item;
}

static void use_link(ten_use *use, ten_value *value) {
  use->value = value;
  if (!value) return;
  use->next = value->uses;
  use->link = &value->uses;
  if (value->uses) value->uses->link = &use->next;
  value->uses = use;
}

static void use_unlink(ten_use *use) {
  if (!use->value) return;
  *use->link = use->next;
  if (use->next) use->next->link = use->link;
  *use = (ten_use){.owner = use->owner, .index = use->index};
}

ten_op *ten_op_create(ten_module *module, ten_opcode code, ten_str name, const ten_loc *loc, uint32_t operand_count,
                      ten_value *const *operands, uint32_t result_count, const ten_type *const *result_types,
                      uint32_t attr_count, const ten_named_attr *attrs, uint32_t region_count) {
  ten_arena *arena = &module->arena;
  ten_op *op = ten_arena_new(arena, ten_op);
  op->code = code;
  op->name = code != TEN_OP_UNKNOWN ? ten_str_of(ten_op_infos[code].name)
                                    : (ten_str){ten_arena_strdup(arena, name.data, name.size), name.size};
  op->loc = loc;
  ten_op_set_operands(module, op, operand_count, operands);
  op->result_count = result_count;
  if (result_count) op->results = ten_arena_new_array(arena, ten_value, result_count);
  for (uint32_t i = 0; i < result_count; i++)
    op->results[i] = (ten_value){.type = result_types[i], .op = op, .index = i};
  op->region_count = region_count;
  if (region_count) op->regions = ten_arena_new_array(arena, ten_region, region_count);
  for (uint32_t i = 0; i < region_count; i++) op->regions[i].op = op;
  if (attr_count) {
    op->attrs = ten_arena_new_array(arena, ten_named_attr, attr_count);
    op->attr_capacity = attr_count;
    for (uint32_t i = 0; i < attr_count; i++) {
      ten_op_set_attr(module, op, attrs[i].name, attrs[i].value);
      if (code != TEN_OP_UNKNOWN || !attrs[i].inherent) continue;
      for (uint32_t at = op->attr_count; at-- > 0;) /* from the end: callers mostly append in order */
        if (ten_str_eq(op->attrs[at].name, attrs[i].name)) {
          op->attrs[at].inherent = true;
          break;
        }
    }
  }
  return op;
}

void ten_op_set_operand(ten_op *op, uint32_t index, ten_value *value) {
  use_unlink(&op->operands[index]);
  use_link(&op->operands[index], value);
}

void ten_op_set_operands(ten_module *module, ten_op *op, uint32_t count, ten_value *const *values) {
  for (uint32_t i = 0; i < op->operand_count; i++) use_unlink(&op->operands[i]);
  if (count > op->operand_count) op->operands = ten_arena_new_array(&module->arena, ten_use, count);
  op->operand_count = count;
  for (uint32_t i = 0; i < count; i++) {
    op->operands[i] = (ten_use){.owner = op, .index = i};
    use_link(&op->operands[i], values[i]);
  }
}

void ten_op_erase_operand(ten_op *op, uint32_t index) {
  use_unlink(&op->operands[index]);
  for (uint32_t i = index; i + 1 < op->operand_count; i++) {
    ten_value *value = op->operands[i + 1].value;
    use_unlink(&op->operands[i + 1]);
    use_link(&op->operands[i], value);
  }
  op->operand_count--;
}

const ten_attr *ten_op_attr(const ten_op *op, const char *name) {
  for (uint32_t i = 0; i < op->attr_count; i++)
    if (ten_str_is(op->attrs[i].name, name)) return op->attrs[i].value;
  return NULL;
}

void ten_op_set_attr(ten_module *module, ten_op *op, ten_str name, const ten_attr *value) {
  uint32_t at = 0, high = op->attr_count;
  while (at < high) { /* sorted: its index, or its insertion point */
    const uint32_t middle = at + (high - at) / 2;
    const int order = ten_str_compare(op->attrs[middle].name, name);
    if (order == 0) {
      op->attrs[middle].value = value;
      return;
    }
    if (order < 0)
      at = middle + 1;
    else
      high = middle;
  }
  if (op->attr_count == op->attr_capacity) {
    const uint32_t capacity = op->attr_capacity ? op->attr_capacity * 2 : 4;
    ten_named_attr *grown = ten_arena_new_array(&module->arena, ten_named_attr, capacity);
    if (op->attr_count) memcpy(grown, op->attrs, op->attr_count * sizeof *grown);
    op->attrs = grown;
    op->attr_capacity = capacity;
  }
  memmove(op->attrs + at + 1, op->attrs + at, (op->attr_count - at) * sizeof *op->attrs);
  const ten_attr_spec *spec = ten_op_spec(op->code, name);
  const ten_str kept =
      spec ? ten_str_of(spec->name) : (ten_str){ten_arena_strdup(&module->arena, name.data, name.size), name.size};
  op->attrs[at] = (ten_named_attr){kept, value, spec != NULL};
  op->attr_count++;
}

void ten_op_remove_attr(ten_op *op, const char *name) {
  for (uint32_t i = 0; i < op->attr_count; i++) {
    if (!ten_str_is(op->attrs[i].name, name)) continue;
    memmove(op->attrs + i, op->attrs + i + 1, (op->attr_count - i - 1) * sizeof *op->attrs);
    op->attr_count--;
    return;
  }
}

void ten_op_append(ten_block *block, ten_op *op) {
  op->block = block;
  op->prev = block->last;
  op->next = NULL;
  if (block->last)
    block->last->next = op;
  else
    block->first = op;
  block->last = op;
}

void ten_op_insert_before(ten_op *place, ten_op *op) {
  op->block = place->block;
  op->prev = place->prev;
  op->next = place;
  if (place->prev)
    place->prev->next = op;
  else
    place->block->first = op;
  place->prev = op;
}

void ten_op_insert_after(ten_op *place, ten_op *op) {
  if (place->next)
    ten_op_insert_before(place->next, op);
  else
    ten_op_append(place->block, op);
}

void ten_op_unlink(ten_op *op) {
  if (!op->block) return;
  if (op->prev)
    op->prev->next = op->next;
  else
    op->block->first = op->next;
  if (op->next)
    op->next->prev = op->prev;
  else
    op->block->last = op->prev;
  op->block = NULL;
  op->prev = op->next = NULL;
}

static void drop_uses(ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) use_unlink(&op->operands[i]);
  for (uint32_t i = 0; i < op->region_count; i++)
    for (ten_block *block = op->regions[i].first; block; block = block->next)
      for (ten_op *inner = block->first; inner; inner = inner->next) drop_uses(inner);
}

void ten_op_erase(ten_op *op) {
  drop_uses(op);
  ten_op_unlink(op);
}

ten_op *ten_op_parent(const ten_op *op) { return op->block ? op->block->region->op : NULL; }

static bool region_is_pure(const ten_region *region) {
  for (const ten_block *block = region->first; block; block = block->next)
    for (const ten_op *op = block->first; op; op = op->next)
      if (!ten_op_has(op, TEN_TRAIT_TERMINATOR) && !ten_op_is_pure(op)) return false;
  return true;
}

bool ten_op_is_pure(const ten_op *op) {
  const uint32_t traits = ten_op_traits(op);
  if (traits & TEN_TRAIT_PURE) return true;
  if (!(traits & TEN_TRAIT_REGION_PURE)) return false;
  for (uint32_t i = 0; i < op->region_count; i++)
    if (!region_is_pure(&op->regions[i])) return false;
  return true;
}

ten_block *ten_block_create(ten_module *module, ten_region *region) {
  ten_block *block = ten_arena_new(&module->arena, ten_block);
  block->region = region;
  if (region->last)
    region->last->next = block;
  else
    region->first = block;
  region->last = block;
  return block;
}

ten_value *ten_block_add_arg(ten_module *module, ten_block *block, const ten_type *type, const ten_loc *loc) {
  if (block->arg_count == block->arg_capacity) {
    const uint32_t capacity = block->arg_capacity ? block->arg_capacity * 2 : 4;
    ten_value **grown = ten_arena_new_array(&module->arena, ten_value *, capacity);
    if (block->arg_count) memcpy(grown, block->args, block->arg_count * sizeof *grown);
    block->args = grown;
    block->arg_capacity = capacity;
  }
  ten_value *value = ten_arena_new(&module->arena, ten_value);
  *value = (ten_value){.type = type, .block = block, .index = block->arg_count, .loc = loc};
  return block->args[block->arg_count++] = value;
}

void ten_block_erase_arg(ten_block *block, uint32_t index) {
  for (uint32_t i = index; i + 1 < block->arg_count; i++) {
    block->args[i] = block->args[i + 1];
    block->args[i]->index = i;
  }
  block->arg_count--;
}

void ten_value_replace(ten_value *value, ten_value *by) {
  if (value == by) return;
  while (value->uses) ten_op_set_operand(value->uses->owner, value->uses->index, by);
}

const ten_attr *ten_value_constant(const ten_value *value) {
  if (!value->op || value->op->code != TEN_OP_CONSTANT) return NULL;
  const ten_attr *attr = ten_op_attr(value->op, "value");
  return attr && attr->kind == TEN_ATTR_DENSE ? attr : NULL;
}

const ten_attr *ten_value_number(const ten_value *value) {
  while (value->op && (value->op->code == TEN_OP_BROADCAST_IN_DIM || value->op->code == TEN_OP_RESHAPE))
    value = ten_op_operand(value->op, 0);
  const ten_attr *constant = ten_value_constant(value);
  return constant && (constant->dense.splat || ten_type_count(value->type) == 1) ? constant : NULL;
}

ten_status *ten_op_walk(ten_op *op, ten_visit visit, void *context) {
  for (uint32_t i = 0; i < op->region_count; i++)
    for (ten_block *block = op->regions[i].first; block; block = block->next)
      for (ten_op *inner = block->first, *next; inner; inner = next) {
        next = inner->next;
        TEN_TRY(ten_op_walk(inner, visit, context));
      }
  return visit(op, context);
}
