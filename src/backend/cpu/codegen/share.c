/* share.c: steps that compute the same on different buffers share one function: the layers of a network are compiled
 * once. A key is a spelling of a step: its shape, the types of its buffers and their aliasing, and the expression with
 * every attribute that matters. */
#include "backend/cpu/codegen/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ir/ten.h"

typedef struct speller {
  const cpu_plan *plan;
  const cpu_step *step;
  ten_buf *key;
  TEN_VEC(const ten_value *) seen; /* in order of first use */
  bool possible;
} speller;

static void put(speller *s, char tag, uint64_t value) {
  ten_buf_addc(s->key, tag);
  ten_buf_add(s->key, &value, sizeof value);
}

static void spell_value(speller *s, const ten_value *value);

/* A value's index in its block: arguments first, then results in order. */
static bool place_in_block(const ten_block *block, const ten_value *value, uint64_t *place) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < block->arg_count; i++, at++)
    if (block->args[i] == value) return *place = at, true;
  for (const ten_op *op = block->first; op; op = op->next)
    for (uint32_t i = 0; i < op->result_count; i++, at++)
      if (&op->results[i] == value) return *place = at, true;
  return false;
}

/* Attributes that define the op; not annotations such as the name of a parameter. */
static void spell_attrs(speller *s, const ten_op *op) {
  for (uint32_t i = 0; i < op->attr_count; i++) {
    const ten_named_attr *attr = &op->attrs[i];
    if (!attr->inherent && !ten_str_starts(attr->name, TEN_NAME_PREFIX)) continue;
    put(s, 'n', attr->name.size);
    ten_buf_add(s->key, attr->name.data, attr->name.size);
    const ten_digest value = ten_attr_digest(attr->value);
    ten_buf_addc(s->key, 'a');
    ten_buf_add(s->key, value.bytes, sizeof value.bytes);
  }
}

/* A region without captures, op by op. */
static void spell_region(speller *s, const ten_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    const ten_block *block = ten_op_body(op, r);
    for (uint32_t i = 0; i < block->arg_count; i++) put(s, 't', (uint64_t)(uintptr_t)block->args[i]->type);
    for (const ten_op *inner = block->first; inner; inner = inner->next) {
      if (inner->region_count) s->possible = false;
      put(s, '[', (uint64_t)inner->code);
      spell_attrs(s, inner);
      for (uint32_t i = 0; i < inner->result_count; i++) put(s, 't', (uint64_t)(uintptr_t)inner->results[i].type);
      for (uint32_t i = 0; i < inner->operand_count; i++) {
        uint64_t place = 0;
        if (!place_in_block(block, ten_op_operand(inner, i), &place)) s->possible = false;
        put(s, 'u', place);
      }
    }
  }
}

static void spell_op(speller *s, const ten_op *op, uint32_t result) {
  put(s, '(', (uint64_t)op->code);
  put(s, 'r', result);
  spell_attrs(s, op);
  if (op->region_count) spell_region(s, op);
  for (uint32_t i = 0; i < op->operand_count; i++) spell_value(s, ten_op_operand(op, i));
  ten_buf_addc(s->key, ')');
}

static void spell_value(speller *s, const ten_value *value) {
  for (size_t i = 0; i < s->step->inputs.count; i++)
    if (s->step->inputs.data[i] == value) {
      put(s, 'i', i);
      return;
    }
  for (size_t i = 0; i < s->seen.count; i++)
    if (s->seen.data[i] == value) {
      put(s, 'v', i);
      return;
    }
  put(s, 't', (uint64_t)(uintptr_t)value->type); /* types are unique within the module */
  ten_vec_push(&s->seen, value);
  if (cpu_has_epilogue(s->step->kind) && value == &s->step->op->results[0]) {
    ten_buf_addc(s->key, 'p');
  } else if (!value->op) {
    s->possible = false;
  } else {
    spell_op(s, value->op, value->index);
  }
}

static bool spell(const cpu_plan *plan, const cpu_step *step, ten_buf *key) {
  if (step->kind != CPU_LOOPS && !cpu_has_epilogue(step->kind)) return false;
  speller s = {.plan = plan, .step = step, .key = key, .possible = true};
  put(&s, 'k',
      (uint64_t)(cpu_has_epilogue(step->kind) ? CPU_GEMM : step->kind) << 8 | (uint64_t)step->line << 2 |
          (uint64_t)step->flat << 1 | step->single);
  if (cpu_has_epilogue(step->kind)) put(&s, 'n', (uint64_t)cpu_matmul_columns(step));
  put(&s, 'g', step->stages.count);
  for (size_t i = 0; i < step->inputs.count; i++) put(&s, 't', (uint64_t)(uintptr_t)step->inputs.data[i]->type);
  const bool tile = step->kind == CPU_GEMM && ((const cpu_gemm *)step->descriptor)->tile;
  put(&s, 'm', tile);
  for (size_t i = 0; i < step->args.count && (step->kind == CPU_LOOPS || tile); i++) { /* which buffers alias */
    size_t first = 0;
    while (cpu_buffer_root(plan, step->args.data[first]) != cpu_buffer_root(plan, step->args.data[i])) first++;
    put(&s, 's', first);
  }
  for (size_t i = 0; i < step->roots.count; i++) {
    const ten_value *root = step->roots.data[i];
    bool is_input = false;
    for (size_t k = 0; k < step->inputs.count; k++) is_input |= step->inputs.data[k] == root;
    put(&s, 'o', (uint64_t)(uintptr_t)root->type);
    const bool is_product = cpu_has_epilogue(step->kind) && root == &step->op->results[0];
    if (is_input || is_product || !root->op)
      spell_value(&s, root);
    else
      spell_op(&s, root->op, root->index);
  }
  put(&s, 'c', step->checks.count);
  for (size_t i = 0; i < step->checks.count; i++) spell_op(&s, step->checks.data[i], 0);
  ten_vec_free(&s.seen);
  return s.possible;
}

bool cpu_share_find(cpu_sharing *sharing, const cpu_plan *plan, const cpu_step *step, uint32_t *out_symbol) {
  ten_buf key = {0};
  if (!spell(plan, step, &key)) {
    ten_buf_free(&key);
    return false;
  }
  const uint64_t hash = ten_hash64(key.data, key.size, 0);
  for (size_t i = 0; i < sharing->known.count; i++) {
    const cpu_shared *known = &sharing->known.data[i];
    if (known->hash != hash || known->key.size != key.size || memcmp(known->key.data, key.data, key.size)) continue;
    *out_symbol = known->symbol;
    ten_buf_free(&key);
    return true;
  }
  ten_vec_push(&sharing->known, (cpu_shared){hash, key, *out_symbol});
  return false;
}

void cpu_sharing_free(cpu_sharing *sharing) {
  for (size_t i = 0; i < sharing->known.count; i++) ten_buf_free(&sharing->known.data[i].key);
  ten_vec_free(&sharing->known);
}
