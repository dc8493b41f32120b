/* cse.c: merges ops that compute the same from the same operands.
 * Needs: verified IR.  Keeps: order, effects; ops with regions are unchanged.
 * An op replaces later ones in its own block and in nested regions, so a replacement always dominates. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "transform/pass/pass.h"

typedef struct known {
  ten_op *op;
  uint64_t hash;
  struct known *next;
} known;

typedef struct scope {
  const struct scope *outer;
  known **buckets;
  size_t count; /* of buckets: a power of two, as many as the block has ops */
} scope;

/* Of a large constant a few elements, which are the same however its data is stored: `same` compares all of it. Weights
 * would otherwise be read each time that a program is compiled for another size. */
static uint64_t attr_hash(const ten_attr *attr) {
  enum { WHOLE = 256, SAMPLES = 16 };
  const bool large = (attr->kind == TEN_ATTR_DENSE || attr->kind == TEN_ATTR_RESOURCE) && attr->dense.data &&
                     !attr->dense.digest && ten_type_bytes(attr->dense.type) > WHOLE;
  if (!large) return ten_attr_hash(attr);
  const size_t width = ten_dtype_bytes(attr->dense.type->dtype), count = (size_t)ten_type_count(attr->dense.type);
  uint64_t hash = attr->dense.type->hash;
  for (size_t i = 0; i < SAMPLES; i++) {
    const size_t element = attr->dense.splat ? 0 : (count - 1) / (SAMPLES - 1) * i;
    hash = ten_hash64((const char *)attr->dense.data + element * width, width, hash);
  }
  return hash;
}

static uint64_t hash_of(const ten_op *op) {
  uint64_t hash = (uint64_t)op->code * 0x9E3779B97F4A7C15ull;
  for (uint32_t i = 0; i < op->operand_count; i++)
    hash = (hash ^ (uint64_t)(uintptr_t)ten_op_operand(op, i)) * 0xBF58476D1CE4E5B9ull;
  for (uint32_t i = 0; i < op->result_count; i++)
    hash = (hash ^ (uint64_t)(uintptr_t)op->results[i].type) * 0x94D049BB133111EBull;
  for (uint32_t i = 0; i < op->attr_count; i++) hash = hash * 31 + attr_hash(op->attrs[i].value);
  return hash ^ hash >> 29; /* the low bits of a product depend only on those of its factors, and pointers are even */
}

static bool same(const ten_op *a, const ten_op *b) {
  if (a->code != b->code || a->operand_count != b->operand_count || a->result_count != b->result_count ||
      a->attr_count != b->attr_count)
    return false;
  for (uint32_t i = 0; i < a->operand_count; i++)
    if (ten_op_operand(a, i) != ten_op_operand(b, i)) return false;
  for (uint32_t i = 0; i < a->result_count; i++)
    if (a->results[i].type != b->results[i].type) return false;
  for (uint32_t i = 0; i < a->attr_count; i++)
    if (!ten_str_eq(a->attrs[i].name, b->attrs[i].name) || !ten_attr_equal(a->attrs[i].value, b->attrs[i].value))
      return false;
  return true;
}

static bool can_share(const ten_op *op) {
  return op->code != TEN_OP_UNKNOWN && op->result_count && !op->region_count && ten_op_has(op, TEN_TRAIT_PURE) &&
         !ten_op_has(op, TEN_TRAIT_TERMINATOR);
}

static ten_op *find(const scope *s, const ten_op *op, uint64_t hash) {
  for (; s; s = s->outer)
    for (const known *k = s->buckets[hash & (s->count - 1)]; k; k = k->next)
      if (k->hash == hash && same(k->op, op)) return k->op;
  return NULL;
}

static void sweep_block(ten_module *module, ten_block *block, const scope *outer) {
  scope here = {.outer = outer, .count = 16};
  size_t ops = 0;
  for (const ten_op *op = block->first; op; op = op->next) ops++;
  while (here.count < ops) here.count *= 2;
  here.buckets = calloc(here.count, sizeof(known *));
  if (!here.buckets) ten_out_of_memory(here.count * sizeof(known *));
  for (ten_op *op = block->first, *next; op; op = next) {
    next = op->next;
    const bool isolated = ten_op_has(op, TEN_TRAIT_ISOLATED);
    for (uint32_t r = 0; r < op->region_count; r++)
      for (ten_block *inner = op->regions[r].first; inner; inner = inner->next)
        sweep_block(module, inner, isolated ? NULL : &here);
    if (!can_share(op)) continue;
    const uint64_t hash = hash_of(op);
    ten_op *before = find(&here, op, hash);
    if (before) {
      for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], &before->results[i]);
      ten_op_erase(op);
      continue;
    }
    known *entry = ten_arena_new(&module->arena, known);
    known **bucket = &here.buckets[hash & (here.count - 1)];
    *entry = (known){op, hash, *bucket};
    *bucket = entry;
  }
  free(here.buckets);
}

static ten_status *cse_run(ten_module *module) {
  for (ten_block *block = module->op->regions[0].first; block; block = block->next) sweep_block(module, block, NULL);
  return NULL;
}

const ten_pass ten_pass_cse = {.name = "cse", .summary = "compute equal things once", .run = cse_run};
