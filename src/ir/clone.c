/* clone.c: copies of ops and modules, and the map from old values to new ones. */
#include <stdlib.h>

#include "ir/module.h"

static size_t slot_of(const ten_value_map *map, const ten_value *key) {
  size_t at = (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20) & (map->capacity - 1);
  while (map->keys[at] && map->keys[at] != key) at = (at + 1) & (map->capacity - 1);
  return at;
}

void ten_value_map_set(ten_value_map *map, const ten_value *key, ten_value *value) {
  if (map->count * 2 >= map->capacity) {
    ten_value_map grown = {.capacity = map->capacity ? map->capacity * 2 : 32};
    grown.keys = ten_alloc(grown.capacity * sizeof *grown.keys);
    grown.values = ten_alloc(grown.capacity * sizeof *grown.values);
    for (size_t i = 0; i < map->capacity; i++)
      if (map->keys[i]) ten_value_map_set(&grown, map->keys[i], map->values[i]);
    ten_value_map_free(map);
    *map = grown;
  }
  const size_t at = slot_of(map, key);
  if (!map->keys[at]) map->count++;
  map->keys[at] = (ten_value *)key;
  map->values[at] = value;
}

ten_value *ten_value_map_get(const ten_value_map *map, const ten_value *key) {
  if (!map->capacity) return NULL;
  const size_t at = slot_of(map, key);
  return map->keys[at] ? map->values[at] : NULL;
}

void ten_value_map_free(ten_value_map *map) {
  free(map->keys);
  free(map->values);
  *map = (ten_value_map){0};
}

static bool owns(const ten_module *module, const ten_op *op) {
  const ten_op *top = op;
  for (const ten_op *parent; (parent = ten_op_parent(top));) top = parent;
  return top == module->op;
}

/* An operand used before its definition was copied: resolved at the end. */
typedef struct late_operand {
  ten_op *op;
  uint32_t index;
  const ten_value *value; /* of the original */
} late_operand;
typedef TEN_VEC(late_operand) late_operands;

static void set_late(const late_operands *late, const ten_value_map *map) {
  for (size_t i = 0; i < late->count; i++) {
    ten_value *mapped = ten_value_map_get(map, late->data[i].value);
    if (mapped) ten_op_set_operand(late->data[i].op, late->data[i].index, mapped);
  }
}

/* `foreign`: op belongs to another module; `share`: its constants' data is not copied. */
static ten_op *clone(ten_module *module, const ten_op *op, ten_value_map *map, bool foreign, bool share,
                     late_operands *late) {
  ten_value **operands = ten_alloc((op->operand_count + 1) * sizeof *operands);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *mapped = ten_value_map_get(map, op->operands[i].value);
    operands[i] = mapped ? mapped : foreign ? NULL : op->operands[i].value;
  }
  const ten_type **types = ten_alloc((op->result_count + 1) * sizeof *types);
  for (uint32_t i = 0; i < op->result_count; i++)
    types[i] = foreign ? ten_type_import(module, op->results[i].type) : op->results[i].type;
  ten_named_attr *attrs = ten_alloc((op->attr_count + 1) * sizeof *attrs);
  for (uint32_t i = 0; i < op->attr_count; i++) {
    attrs[i] = op->attrs[i];
    if (foreign) attrs[i].value = ten_attr_import(module, attrs[i].value, share);
  }
  const ten_loc *loc = foreign ? ten_loc_import(module, op->loc) : op->loc;
  ten_op *copy = ten_op_create(module, op->code, op->name, loc, op->operand_count, operands, op->result_count, types,
                               op->attr_count, attrs, op->region_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!operands[i] || operands[i] == op->operands[i].value)
      ten_vec_push(late, ((late_operand){copy, i, op->operands[i].value}));
  free(operands);
  free(types);
  free(attrs);
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_value_map_set(map, &op->results[i], &copy->results[i]);
    copy->results[i].name = foreign ? (ten_str){0} : op->results[i].name;
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next) {
      ten_block *new_block = ten_block_create(module, &copy->regions[r]);
      for (uint32_t i = 0; i < block->arg_count; i++) {
        const ten_value *arg = block->args[i];
        const ten_type *type = foreign ? ten_type_import(module, arg->type) : arg->type;
        ten_value *made =
            ten_block_add_arg(module, new_block, type, foreign ? ten_loc_import(module, arg->loc) : arg->loc);
        if (arg->name.size)
          made->name = (ten_str){ten_arena_strdup(&module->arena, arg->name.data, arg->name.size), arg->name.size};
        ten_value_map_set(map, arg, made);
      }
      for (const ten_op *inner = block->first; inner; inner = inner->next)
        ten_op_append(new_block, clone(module, inner, map, foreign, share, late));
    }
  return copy;
}

ten_op *ten_op_clone(ten_module *module, const ten_op *op, ten_value_map *map) {
  late_operands late = {0};
  ten_op *copy = clone(module, op, map, !owns(module, op), false, &late);
  set_late(&late, map);
  ten_vec_free(&late);
  return copy;
}

static ten_module *clone_module(const ten_module *module, bool share) {
  ten_module *copy = ten_module_create();
  copy->from_torch = module->from_torch;
  copy->sizes_vary = module->sizes_vary;
  ten_value_map map = {0};
  late_operands late = {0};
  copy->op = clone(copy, module->op, &map, true, share, &late);
  set_late(&late, &map);
  ten_vec_free(&late);
  ten_value_map_free(&map);
  return copy;
}

ten_module *ten_module_clone(const ten_module *module) { return clone_module(module, false); }
ten_module *ten_module_clone_view(const ten_module *module) { return clone_module(module, true); }
