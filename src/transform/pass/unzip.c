/* unzip.c: splits a reduce of several independent values into one reduce each. Later passes and kernels support this
 * simple form, and unread results can be erased. Values that the region combines (an argmax: value and index) stay
 * together.
 * Needs: verified IR.  Keeps: results, bit for bit; order; locations. */
#include <stdlib.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

/* The argument pairs that each result needs, in groups: group[i] is the least member of i's. */
typedef struct unzipper {
  ten_module *module;
  const ten_block *block;
  uint32_t count;
  uint32_t *group;
  bool possible;
} unzipper;

static uint32_t root_of(const unzipper *u, uint32_t i) {
  while (u->group[i] != i) i = u->group[i];
  return i;
}

static void join(unzipper *u, uint32_t i, uint32_t k) {
  const uint32_t a = root_of(u, i), b = root_of(u, k);
  u->group[a > b ? a : b] = a < b ? a : b;
}

/* Joins result i with everything it depends on. Values from outside of the region belong to no group. */
static void follow(unzipper *u, uint32_t i, const ten_value *value) {
  if (value->block == u->block) {
    for (uint32_t k = 0; k < u->block->arg_count; k++)
      if (u->block->args[k] == value) join(u, i, k % u->count);
    return;
  }
  if (!value->op || value->op->block != u->block) return;
  if (value->op->region_count) u->possible = false;
  for (uint32_t k = 0; k < value->op->operand_count; k++) follow(u, i, ten_op_operand(value->op, k));
}

/* Copies into `b` everything the value depends on, once. */
static void copy_needed(const unzipper *u, ten_builder *b, const ten_value *value, ten_value_map *map) {
  if (!value->op || value->op->block != u->block || ten_value_map_get(map, value)) return;
  for (uint32_t k = 0; k < value->op->operand_count; k++) copy_needed(u, b, ten_op_operand(value->op, k), map);
  ten_op *copy = ten_op_clone(u->module, value->op, map);
  ten_op_append(b->block, copy);
}

static void make_group(const unzipper *u, ten_op *reduce, uint32_t group) {
  ten_arena *arena = &u->module->arena;
  uint32_t *members = ten_arena_new_array(arena, uint32_t, u->count);
  uint32_t count = 0;
  for (uint32_t i = 0; i < u->count; i++)
    if (root_of(u, i) == group) members[count++] = i;
  ten_value **operands = ten_arena_new_array(arena, ten_value *, 2 * count),
            **returned = ten_arena_new_array(arena, ten_value *, count);
  const ten_type **types = ten_arena_new_array(arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) {
    operands[i] = ten_op_operand(reduce, members[i]);
    operands[count + i] = ten_op_operand(reduce, u->count + members[i]);
    types[i] = reduce->results[members[i]].type;
  }
  ten_builder b = {.module = u->module, .block = reduce->block, .before = reduce, .loc = reduce->loc};
  ten_op *made =
      ten_build_op(&b, TEN_OP_REDUCE, 2 * count, operands, count, types, reduce->attr_count, reduce->attrs, 1);
  ten_block *block = ten_block_create(u->module, &made->regions[0]);
  ten_value_map map = {0};
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t i = 0; i < count; i++) {
      const ten_value *arg = u->block->args[side * u->count + members[i]];
      ten_value_map_set(&map, arg, ten_block_add_arg(u->module, block, arg->type, reduce->loc));
    }
  ten_builder inside = {.module = u->module, .block = block, .loc = reduce->loc};
  const ten_op *end = ten_block_terminator(u->block);
  for (uint32_t i = 0; i < count; i++) {
    ten_value *value = ten_op_operand(end, members[i]);
    copy_needed(u, &inside, value, &map);
    ten_value *copy = ten_value_map_get(&map, value);
    returned[i] = copy ? copy : value;
  }
  ten_build_op(&inside, TEN_OP_RETURN, count, returned, 0, NULL, 0, NULL, 0);
  ten_value_map_free(&map);
  for (uint32_t i = 0; i < count; i++) ten_value_replace(&reduce->results[members[i]], &made->results[i]);
}

static void unzip(ten_module *module, ten_op *reduce) {
  unzipper u = {.module = module, .block = ten_op_body(reduce, 0), .count = reduce->result_count, .possible = true};
  if (u.count < 2 || u.block->arg_count != 2 * u.count) return;
  u.group = ten_arena_new_array(&module->arena, uint32_t, u.count);
  for (uint32_t i = 0; i < u.count; i++) u.group[i] = i;
  const ten_op *end = ten_block_terminator(u.block);
  for (uint32_t i = 0; i < u.count; i++) follow(&u, i, ten_op_operand(end, i));
  bool several = false;
  for (uint32_t i = 0; i < u.count; i++) several |= root_of(&u, i) != 0;
  if (!several || !u.possible) return;
  for (uint32_t i = 0; i < u.count; i++)
    if (root_of(&u, i) == i) make_group(&u, reduce, i);
  ten_op_erase(reduce);
}

static ten_status *unzip_run(ten_module *module) { return ten_pass_each(module, TEN_OP_REDUCE, unzip); }

const ten_pass ten_pass_unzip = {
    .name = "unzip", .summary = "split reduces of several values that do not look at each other", .run = unzip_run};
