/* fuse.c: decides which values are materialized; all others are computed inside the kernels that read them.
 *
 * Walking a block backwards, it tracks for every value the kernels (roots) that its users end up in. A value is
 * materialized when it is needed whole (by a C kernel, control flow, a return), would be computed in several kernels,
 * is read many times per element (or at many indices), or when its op loops for every element. Data movement and splat
 * constants are never materialized. A reshape that needs memory aliases its operand's memory. A matmul or convolution
 * whose only kernel is elementwise and of the same shape is absorbed: the kernel becomes its epilogue. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/cg.h"
#include "backend/cpu/plan/lower.h"
#include "ir/cost.h"
#include "ir/ten.h"

enum {
  FUSE_MAX = 64,  /* size of one kernel (code_size): larger ones compile too slowly */
  COPIES_MAX = 8, /* indices of a value that one element of the kernel's result may need: each is recomputed */
  SLOW_COPIES_MAX = 2,
  PADDED_COPIES_MAX = 2 /* of what a pad reads, too: each copy is behind comparisons; a reduce loops over them, too */
};

/* Computes an element by an address calculation only. */
static bool is_view(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_IOTA:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_BROADCAST:
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_REVERSE:
    case TEN_OP_REAL:
    case TEN_OP_IMAG:
    case TEN_OP_OPTIMIZATION_BARRIER: return true;
    case TEN_OP_CONSTANT: return cg_can_emit(op);
    default: return false;
  }
}

/* Loops for every element, so it is the root of its own kernel. */
static bool is_loop(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_REDUCE:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION: return true;
    default: return false;
  }
}

/* A table lookup: one element per index. */
static bool is_lookup(const ten_op *op) {
  if (op->code != TEN_OP_GATHER || ten_op_operand(op, 0)->type->rank != 1) return false;
  const ten_gather_dims dims = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  return dims.collapsed_slice_dims.count == 1 && dims.index_vector_dim == (int64_t)op->results[0].type->rank;
}

static bool same_width(const ten_op *op) {
  return ten_dtype_bits(ten_op_operand(op, 0)->type->dtype) == ten_dtype_bits(op->results[0].type->dtype);
}

bool cpu_is_pointwise(const ten_op *op, uint32_t operand) {
  if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) || op->code == TEN_OP_RESHAPE) return true;
  if (op->code == TEN_OP_BITCAST_CONVERT) return same_width(op);
  return operand == 1 && is_lookup(op);
}

/* Reads an operand element several times per result element, or for several result elements. */
static bool rereads(const ten_op *op, uint32_t operand) {
  switch (op->code) {
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_TORCH_INDEX_SELECT: return true;
    case TEN_OP_BITCAST_CONVERT:
    case TEN_OP_GATHER: return !cpu_is_pointwise(op, operand);
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_BROADCAST:
      return ten_type_count(op->results[0].type) > ten_type_count(ten_op_operand(op, operand)->type);
    case TEN_OP_DYNAMIC_SLICE:
    case TEN_OP_DYNAMIC_UPDATE_SLICE:
    case TEN_OP_PAD: return operand > 0 && ten_op_operand(op, operand)->type->rank == 0;
    default: return false;
  }
}

/* A scatter reads each element of its updates once, in order: they are computed as it goes, without memory. */
static bool is_scattered(const cpu_lowering *l, const ten_op *user, uint32_t operand) {
  return user->code == TEN_OP_SCATTER && user->result_count == 1 && operand == 2 && !cpu_chosen_of(l, user);
}

static bool is_scatter(const ten_value *root) { return root && root->op && root->op->code == TEN_OP_SCATTER; }

/* A number, or a few of them (one for each channel, or for each row) spread over all of a value. */
static bool is_spread(const ten_value *value) {
  enum { TIMES = 8 };
  if (ten_value_number(value)) return true;
  if (!value->op || value->op->code != TEN_OP_BROADCAST_IN_DIM) return false;
  return ten_type_count(ten_op_operand(value->op, 0)->type) <= ten_type_count(value->type) / TIMES;
}

/* One instruction from a materialized value and a broadcast: cheap to recompute in every reader. */
static bool is_scaled(const ten_op *op) {
  if (op->code != TEN_OP_MULTIPLY && op->code != TEN_OP_ADD && op->code != TEN_OP_SUBTRACT) return false;
  if (!ten_dtype_is_float(op->results[0].type->dtype)) return false;
  return is_spread(ten_op_operand(op, 0)) != is_spread(ten_op_operand(op, 1));
}

/* Cheaper to recompute than to store and load. */
static bool is_cheap(const ten_op *op) {
  if (is_scaled(op)) return true;
  if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (x->op && !is_view(x->op)) return false;
  }
  switch (op->code) {
    case TEN_OP_CONVERT:
    case TEN_OP_COMPARE:
    case TEN_OP_NEGATE:
    case TEN_OP_NOT:
    case TEN_OP_AND:
    case TEN_OP_OR: return true;
    default: return false;
  }
}

/* The op of `block` that contains the user, which may be nested in a region. */
static const ten_op *user_in(const ten_op *user, const ten_block *block) {
  while (user && user->block != block) user = ten_op_parent(user);
  return user;
}

typedef struct fusing {
  cpu_lowering *l;
  const ten_block *block;
  const ten_value **roots; /* by value number: the only kernel that computes it; several: &several */
  uint32_t *sizes;         /* of the kernel whose root it is, as code_size counts */
  uint32_t *copies;        /* by value number: at how many indices its kernel computes it per element */
  uint32_t *places;        /* by value number: names these indices; 0: that of the kernel's result */
} fusing;

static const ten_value several;

static const ten_value *join_roots(const ten_value *a, const ten_value *b) {
  if (!a) return b;
  return !b || a == b ? a : &several;
}

/* As expensive as many loads. */
static bool is_slow(const ten_op *op) {
  return !ten_op_is_simple(op->code) && op->code != TEN_OP_CONCATENATE && op->code != TEN_OP_PAD;
}

/* Whether the elementwise chain contains a slow op. */
static bool is_slow_chain(const ten_op *op, int depth) {
  if (!op || !depth || !ten_op_has(op, TEN_TRAIT_ELEMENTWISE)) return false;
  if (is_slow(op)) return true;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (is_slow_chain(ten_op_operand(op, i)->op, depth - 1)) return true;
  return false;
}

/* Slow, and read only by a pad: a matmul's epilogue can compute it, whereas a loop that tests for padding is slow. */
static bool is_padded(const ten_value *value) {
  enum { DEPTH = 6 };
  if (!ten_value_used_once(value) || value->uses->owner->code != TEN_OP_PAD || value->uses->index != 0) return false;
  return ten_op_has(value->op, TEN_TRAIT_ELEMENTWISE) && is_slow_chain(value->op, DEPTH);
}

/* At how many indices one element of the kernel's result needs the value: users at the same index share the
 * computation, one at another index recomputes it. `place` names them, so that a value whose users were all moved alike
 * counts once, and one that is read here by this user and there by the other, through any number of ops, twice. */
static uint32_t copies_of(const fusing *f, const ten_value *value, uint32_t *place) {
  enum { MOST = COPIES_MAX * 2 };
  uint32_t places[MOST], counts[MOST], known = 0, total = 0;
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = user_in(use->owner, f->block);
    if (!user || !user->result_count) continue;
    const uint32_t number = user->results[0].number;
    const bool is_root = f->l->in_memory[number] || !f->copies[number];
    const bool moved = user == use->owner && !cpu_is_pointwise(user, use->index);
    const uint32_t there = is_root ? 1 : f->copies[number], at = moved     ? 2 * number + 2
                                                                 : is_root ? 0
                                                                           : f->places[number];
    uint32_t i = 0;
    while (i < known && places[i] != at) i++;
    if (i == MOST) return MOST;
    if (i == known) places[known] = at, counts[known++] = 0;
    if (there > counts[i]) counts[i] = there;
  }
  for (uint32_t i = 0; i < known; i++) total += counts[i];
  *place = known == 1 ? places[0] : 2 * value->number + 1;
  return total < MOST ? total : MOST;
}

static bool is_read_by_pad(const ten_value *value) {
  for (const ten_use *use = value->uses; use; use = use->next)
    if (use->owner->code == TEN_OP_PAD && use->index == 0) return true;
  return false;
}

/* How many copies of a value may be computed. */
static uint32_t copies_most(const ten_op *op, const ten_value *value, const ten_value *root) {
  const uint32_t most = is_slow(op) ? SLOW_COPIES_MAX : COPIES_MAX;
  if (!is_read_by_pad(value)) return most;
  return root && root != &several && root->op && root->op->code == TEN_OP_REDUCE ? 1 : PADDED_COPIES_MAX;
}

/* Code size of an op, in simple ops: polynomials are inlined, and compile time grows superlinearly. Even kernels of few
 * such ops are compute bound, so that memory between them costs nothing. */
static uint32_t code_size(const ten_op *op) {
  if (!op->result_count || op->results[0].type->dtype == TEN_F64) return 1; /* function calls */
  return ten_op_cost(op)->code;
}

typedef struct demand {
  bool whole, often;
  const ten_value *root; /* NULL: not computed */
} demand;

static demand demand_of(const fusing *f, const ten_value *value) {
  demand d = {.whole = f->l->byte_source[value->number]};
  if (f->l->attention[value->number]) return (demand){.root = value};
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = user_in(use->owner, f->block);
    if (user && user == use->owner && use->index < 2 && cpu_byte_source(f->l, user, use->index) != value) continue;
    if (user && user == use->owner && is_scattered(f->l, user, use->index)) {
      d.root = join_roots(d.root, &user->results[0]);
      continue;
    }
    if (user && user == use->owner && user->code == TEN_OP_SCATTER && use->index < user->result_count &&
        !cpu_chosen_of(f->l, user) && ten_value_number(value))
      continue; /* written into the result's place (lower_scatter.c): a copy would have to be read */
    if (!user || ten_op_has(user, TEN_TRAIT_TERMINATOR) || !cg_can_emit(user) || cpu_chosen_of(f->l, user)) {
      d.whole = true;
      continue;
    }
    if (f->l->alias[user->results[0].number] || f->l->viewed[user->results[0].number]) {
      d.whole = true;
      continue;
    }
    if (user == use->owner && rereads(user, use->index)) d.often = true;
    const ten_value *result = &user->results[0];
    if (f->l->in_memory[result->number]) {
      const ten_value *group = f->l->group[result->number];
      d.root = join_roots(d.root, group ? group : result);
    } else {
      d.root = join_roots(d.root, f->roots[result->number]);
    }
  }
  return d;
}

static bool can_absorb(const fusing *f, const ten_op *op, const demand *d) {
  const ten_value *root = d->root;
  if (!root || root == &several || d->whole || d->often || f->l->taken[root->number]) return false;
  return cpu_can_absorb(f->l, op, root);
}

static void decide(fusing *f, const ten_op *op) {
  cpu_lowering *l = f->l;
  for (uint32_t i = 0; i < 2 && cpu_chosen_int8(l, op); i++) l->byte_source[cpu_byte_source(l, op, i)->number] = true;
  if (!cpu_chosen_of(l, op) && cpu_take_view(l, op)) return;
  const bool emits = cg_can_emit(op);
  bool memory = !emits || ten_own_attr(op, TEN_NAME_MATERIALIZE); /* transform/pass/derivative.c */
  memory |= !is_loop(op) && cpu_chosen_of(l, op);                 /* loops, below, may be absorbed */
  const ten_value *root = NULL;
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_value *value = &op->results[i];
    const demand d = demand_of(f, value);
    f->copies[value->number] = copies_of(f, value, &f->places[value->number]);
    root = join_roots(root, d.root);
    memory |= d.whole;
    if (!emits || is_view(op)) continue;
    const bool alone = !d.whole && d.root && d.root != &several && op->result_count == 1;
    if (alone && (d.often || op->code == TEN_OP_REDUCE) && f->sizes[d.root->number] <= FUSE_MAX &&
        cpu_row_fits(l, op, d.root)) {
      if (op->code == TEN_OP_REDUCE) {
        l->row_root[value->number] = d.root;
        l->row_count[d.root->number]++;
      }
      continue;
    }
    memory |= alone && cpu_row_holds_matmul(l, value, d.root);
    memory |= is_padded(value);
    memory |= d.often && !(value->type->rank == 0 && is_cheap(op));
    memory |= d.root == &several && !is_cheap(op);
    memory |= f->copies[value->number] > copies_most(op, value, d.root) && !is_cheap(op);
    memory |= d.root && d.root != &several && f->sizes[d.root->number] > FUSE_MAX;
    memory |= is_scatter(d.root) && is_slow(op) && op->code != TEN_OP_GATHER; /* few threads scatter, if several */
    if (is_loop(op) && !memory && op->result_count == 1 && can_absorb(f, op, &d)) {
      cpu_absorbed *absorbed = ten_arena_new(&l->plan->arena, cpu_absorbed);
      *absorbed = (cpu_absorbed){op, d.root};
      l->absorbed[value->number] = absorbed;
      l->taken[d.root->number] = absorbed;
      return;
    }
    memory |= is_loop(op);
  }
  if (memory && op->code == TEN_OP_RESHAPE) l->alias[op->results[0].number] = true;
  for (uint32_t i = 0; i < op->result_count; i++) {
    l->in_memory[op->results[i].number] = memory; /* all results of an op are decided together */
    f->roots[op->results[i].number] = root;
  }
  if (!memory && root && root != &several) f->sizes[root->number] += code_size(op);
}

/* The scores of attention start as a separate kernel that stores nothing: inside the call, if they absorb a matmul;
 * otherwise (at the end) they are materialized. */
static void begin_attention(fusing *f, const ten_op *op) {
  const ten_value *root = cpu_attention_scores(op);
  if (!root->op || root->op->block != f->block || !ten_value_used_once(root)) return;
  if (root->op->code != TEN_OP_DOT_GENERAL &&
      !ten_op_has(root->op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS))
    return;
  f->l->attention[root->number] = op;
  for (const ten_value *x = ten_op_operand(op, 0); x != root; x = ten_op_operand(x->op, 0))
    f->l->attention[x->number] = op;
}

static void end_attention(fusing *f, const ten_op *op) {
  const ten_value *root = cpu_attention_scores(op);
  if (!f->l->attention[root->number] || f->l->taken[root->number]) return;
  f->l->attention[root->number] = NULL;
  f->l->in_memory[root->number] = true;
  for (const ten_value *x = ten_op_operand(op, 0); x != root; x = ten_op_operand(x->op, 0))
    f->l->in_memory[x->number] = f->l->alias[x->number] = true;
}

void cpu_fuse(cpu_lowering *l, const ten_block *block) {
  fusing f = {.l = l, .block = block};
  f.roots = ten_alloc((l->plan->value_count + 1) * sizeof *f.roots);
  memset(f.roots, 0, (l->plan->value_count + 1) * sizeof *f.roots);
  f.sizes = ten_alloc((l->plan->value_count + 1) * sizeof *f.sizes);
  memset(f.sizes, 0, (l->plan->value_count + 1) * sizeof *f.sizes);
  f.copies = ten_alloc((l->plan->value_count + 1) * sizeof *f.copies);
  memset(f.copies, 0, (l->plan->value_count + 1) * sizeof *f.copies);
  f.places = ten_alloc((l->plan->value_count + 1) * sizeof *f.places);
  memset(f.places, 0, (l->plan->value_count + 1) * sizeof *f.places);
  for (uint32_t i = 0; i < block->arg_count; i++) l->in_memory[block->args[i]->number] = true;
  uint32_t position = 0;
  for (ten_op *op = block->first; op; op = op->next) op->number = position++;
  cpu_group_updates(l, block);
  for (const ten_op *op = block->last; op; op = op->prev) {
    if (cpu_is_attention(op)) begin_attention(&f, op);
    if (!ten_op_has(op, TEN_TRAIT_TERMINATOR)) decide(&f, op);
  }
  for (const ten_op *op = block->first; op; op = op->next)
    if (cpu_is_attention(op)) end_attention(&f, op);
  free(f.roots);
  free(f.sizes);
  free(f.copies);
  free(f.places);
}
