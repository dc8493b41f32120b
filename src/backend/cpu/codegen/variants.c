/* variants.c: shares machine code between the sizes of a program. For each size the functions are emitted as LLVM IR,
 * which is cheap, and spelt (spell.h) with every number a slot. A function whose spelling is known needs no code if a
 * variant of it fits: one whose constants match this size, and that reads the rest from the step's table.
 *
 * Which slots a variant reads is learnt: those that differed between the sizes seen. Slots with equal values in all of
 * them share a load, so that LLVM sees that a stride is also a trip count; a size that breaks this does not fit the
 * variant, and gets a new one. A function first seen after other sizes assumes that the numbers that differ in other
 * functions will differ in it; a slot that always equals one of the program's open sizes (ten_settings.open_sizes) is
 * assumed to follow it. A wrong guess costs code, never a result: a variant is used only if all its constants match.
 *
 * Needs: inner functions before any pass, whose callers pass args[-1] as their last argument (cg->open). */
#include "backend/cpu/codegen/variants_state.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/numbers.h"
#include "backend/cpu/kernels/pool.h"

typedef LLVMValueRef V;

/* A function of the current size. */
typedef struct member {
  V outer, inner; /* inner NULL: without a table, such as a comparator */
  cg_spelling spelling;
  cpu_variants_entry *of; /* NULL: it has no spelling */
  uint32_t ordinal;       /* among those of its spelling */
  uint64_t *values;       /* owned, by slot */
  cpu_variant *fits;
  bool is_new; /* its code is being generated, as `fits` */
} member;

typedef struct linking {
  cpu_variants *all;
  ten_cg *cg;
  member *members; /* owned, by symbol */
  uint32_t count;
  TEN_VEC(uint64_t) open; /* numbers that differ between sizes */
} linking;

void cpu_variant_free(cpu_variant *v) {
  free(v->values);
  free(v->load_of);
  ten_vec_free(&v->loads);
  free(v);
}

void cpu_variants_clear(cpu_variants *all) {
  for (size_t i = 0; i < all->entries.count; i++) {
    cpu_variants_entry *e = all->entries.data[i];
    for (size_t k = 0; k < e->variants.count; k++) cpu_variant_free(e->variants.data[k]);
    for (size_t k = 0; k < e->histories.count; k++) {
      for (size_t j = 0; j < e->histories.data[k].sizes.count; j++) free(e->histories.data[k].sizes.data[j]);
      ten_vec_free(&e->histories.data[k].sizes);
      ten_vec_free(&e->histories.data[k].rounds);
    }
    ten_vec_free(&e->variants);
    ten_vec_free(&e->histories);
    free(e);
  }
  for (size_t i = 0; i < all->open.count; i++) free(all->open.data[i]);
  ten_vec_free(&all->open);
  for (size_t i = 0; i < all->codes.count; i++) {
    ten_loaded_destroy(all->codes.data[i].loaded);
    free(all->codes.data[i].addresses);
    ten_buf_free(&all->codes.data[i].object);
  }
  ten_vec_free(&all->entries);
  ten_vec_free(&all->codes);
  all->begun = false;
}

void cpu_variants_free(void *code) {
  cpu_variants *all = code;
  cpu_variants_clear(all);
  ten_vec_free(&all->constants);
  ten_cpu_target_free(&all->target);
  free(all->wanted);
  ten_pool_destroy(all->pool);
  exec_arenas_destroy(all->arenas);
  free(all);
}

cpu_variants *cpu_variants_of(ten_shared *shared) {
  if (!shared->code) {
    cpu_variants *all = ten_alloc(sizeof *all);
    *all = (cpu_variants){0};
    shared->code = all;
    shared->destroy = cpu_variants_free;
  }
  return shared->code;
}

bool cpu_variants_begun(const cpu_variants *variants) { return variants->begun; }

ten_status *cpu_variants_target(cpu_variants *variants, ten_cpu_target *out_target) {
  const char *wanted = ten_cpu_target_wanted();
  const bool same = wanted && variants->wanted ? !strcmp(wanted, variants->wanted) : !wanted && !variants->wanted;
  if (!variants->target.triple || !same) {
    ten_cpu_target_free(&variants->target);
    TEN_TRY(ten_cpu_target_host(&variants->target));
    free(variants->wanted);
    variants->wanted = wanted ? ten_strdup(wanted) : NULL;
  }
  *out_target = variants->target;
  out_target->triple = ten_strdup(out_target->triple);
  out_target->cpu = ten_strdup(out_target->cpu);
  out_target->features = ten_strdup(out_target->features);
  return NULL;
}

exec_arenas *cpu_variants_arenas(cpu_variants *variants) {
  if (!variants->arenas) variants->arenas = exec_arenas_create();
  return variants->arenas;
}

ten_pool *cpu_variants_pool(cpu_variants *variants, unsigned threads) {
  if (!variants->pool) {
    variants->pool = ten_pool_create(threads);
    variants->threads = threads;
  }
  return variants->threads == threads ? variants->pool : NULL;
}

const char *cpu_variants_constant(const cpu_variants *variants, ten_hash128 key, cpu_constants **out_in) {
  for (size_t i = 0; i < variants->constants.count; i++) {
    const cpu_known_constant *known = &variants->constants.data[i];
    if (!ten_hash128_eq(known->key, key)) continue;
    *out_in = known->in;
    return known->data;
  }
  return NULL;
}

cpu_constants *cpu_variants_keep(char *memory) {
  cpu_constants *made = ten_alloc(sizeof *made);
  *made = (cpu_constants){memory, 1};
  return made;
}

void cpu_variants_add(cpu_variants *variants, ten_hash128 key, const char *data, cpu_constants *in) {
  cpu_constants *other;
  if (!cpu_variants_constant(variants, key, &other))
    ten_vec_push(&variants->constants, ((cpu_known_constant){key, data, in}));
}

void cpu_variants_use(cpu_constants *constants) { constants->users++; }

void cpu_variants_return(cpu_variants *variants, cpu_constants *constants) {
  if (--constants->users) return;
  size_t kept = 0;
  for (size_t i = 0; i < variants->constants.count; i++)
    if (variants->constants.data[i].in != constants) variants->constants.data[kept++] = variants->constants.data[i];
  variants->constants.count = kept;
  free(constants->memory);
  free(constants);
}

/* Excludes operands that must be constants. */
static bool is_argument(V call, V value) {
  size_t size = 0;
  V called = LLVMGetCalledValue(call);
  const char *name = called && LLVMIsAGlobalValue(called) ? LLVMGetValueName2(called, &size) : "";
  static const char *const free_ints[] = {"llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"};
  if (strncmp(name, "llvm.", 5) || LLVMIsAConstantFP(value)) return true;
  for (size_t i = 0; i < sizeof free_ints / sizeof *free_ints; i++)
    if (!strncmp(name, free_ints[i], strlen(free_ints[i]))) return true;
  return false;
}

static bool is_free(const ten_cg *cg, V instruction, V value, unsigned operand) {
  (void)operand;
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMIsAConstantFP(value) ? type != cg->f32 && type != cg->f64
                               : LLVMGetIntTypeWidth(type) < 8 || LLVMGetIntTypeWidth(type) > 64)
    return false;
  const LLVMOpcode code = LLVMGetInstructionOpcode(instruction);
  return code != LLVMAlloca && (code != LLVMCall || is_argument(instruction, value));
}

static cpu_variants_entry *entry_of(cpu_variants *all, ten_hash128 key, size_t slot_count) {
  for (size_t i = 0; i < all->entries.count; i++)
    if (ten_hash128_eq(all->entries.data[i]->key, key) && all->entries.data[i]->slot_count == slot_count)
      return all->entries.data[i];
  cpu_variants_entry *made = ten_alloc(sizeof *made);
  *made = (cpu_variants_entry){.key = key, .slot_count = slot_count};
  ten_vec_push(&all->entries, made);
  return made;
}

/* What machine code depends on besides the function itself. */
static void spell_target(const ten_cg *cg, cg_spelling *out) {
  ten_buf_printf(&out->key, "%s %s %d ", cg->target->cpu, cg->target->features, cg->huge);
}

static void members_spell(linking *l) {
  cg_speller speller = {.cg = l->cg};
  for (uint32_t i = 0; i < l->count; i++) {
    member *m = &l->members[i];
    char name[TEN_KERNEL_NAME];
    ten_kernel_name(name, i);
    m->outer = LLVMGetNamedFunction(l->cg->module, name);
    snprintf(name, sizeof name, CG_INNER_PREFIX "%u", i);
    m->inner = LLVMGetNamedFunction(l->cg->module, name);
    spell_target(l->cg, &m->spelling);
    if (!cg_spell(&speller, m->outer, NULL, &m->spelling)) continue;
    if (m->inner && !cg_spell(&speller, m->inner, is_free, &m->spelling)) continue;
    m->of = entry_of(l->all, ten_hash128_of(m->spelling.key.data, m->spelling.key.size, 0), m->spelling.slots.count);
    for (uint32_t k = 0; k < i; k++) m->ordinal += l->members[k].of == m->of;
    m->values = ten_alloc((m->spelling.slots.count + 1) * sizeof *m->values);
    for (size_t k = 0; k < m->spelling.slots.count; k++)
      m->values[k] = cg_number_bits(l->cg, m->spelling.slots.data[k].value);
  }
  cg_speller_free(&speller);
}

/* Records the open sizes of the current compilation, which histories refer to. */
static void note_open(cpu_variants *all, const ten_settings *settings) {
  if (!all->open.count) all->open_count = settings->open_count;
  int64_t *sizes = ten_alloc((all->open_count + 1) * sizeof *sizes);
  for (size_t i = 0; i < all->open_count; i++)
    sizes[i] = settings->open_count == all->open_count ? settings->open_sizes[i] : 0;
  ten_vec_push(&all->open, sizes);
}

static void linking_begin(linking *l, cpu_variants *all, ten_cg *cg, uint32_t count) {
  *l = (linking){.all = all, .cg = cg, .count = count};
  l->members = ten_alloc((count + 1) * sizeof *l->members);
  memset(l->members, 0, (count + 1) * sizeof *l->members);
  members_spell(l);
}

static void linking_end(linking *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    cg_spelling_free(&l->members[i].spelling);
    free(l->members[i].values);
    if (l->members[i].fits && !l->members[i].of) cpu_variant_free(l->members[i].fits);
  }
  free(l->members);
  ten_vec_free(&l->open);
}

/* Adds the values as one more size to the function's history. */
static const cpu_history *remember(const cpu_variants *all, const member *m) {
  cpu_variants_entry *e = m->of;
  while (e->histories.count <= m->ordinal) ten_vec_push(&e->histories, (cpu_history){0});
  cpu_history *h = &e->histories.data[m->ordinal];
  const size_t bytes = (e->slot_count + 1) * sizeof *m->values;
  uint64_t *copy = ten_alloc(bytes);
  memcpy(copy, m->values, bytes);
  ten_vec_push(&h->sizes, copy);
  ten_vec_push(&h->rounds, all->open.count - 1);
  return h;
}

void cpu_variants_note(cpu_variants *variants, ten_cg *cg, const ten_settings *settings, uint32_t symbol_count) {
  linking l;
  note_open(variants, settings);
  linking_begin(&l, variants, cg, symbol_count);
  for (uint32_t i = 0; i < symbol_count; i++)
    if (l.members[i].of) remember(variants, &l.members[i]);
  linking_end(&l);
  variants->begun = true;
}

static bool fits(const cpu_variant *v, const uint64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t wanted = v->load_of[i] == CPU_SLOT_FIXED ? v->values[i] : values[v->loads.data[v->load_of[i]].slot];
    if (values[i] != wanted) return false;
  }
  for (size_t i = 0; i < v->loads.count; i++) {
    const uint64_t number = values[v->loads.data[i].slot];
    if (v->loads.data[i].reciprocal && (!number || number > INT32_MAX)) return false;
  }
  return true;
}

static cpu_variant *find_fitting(const cpu_variants_entry *e, const uint64_t *values) {
  for (size_t i = 0; i < e->variants.count; i++)
    if (fits(e->variants.data[i], values, e->slot_count)) return e->variants.data[i];
  return NULL;
}

static bool is_open(const linking *l, uint64_t number) {
  for (size_t i = 0; i < l->open.count; i++)
    if (l->open.data[i] == number) return true;
  return false;
}

/* The number, or the size whose last index it is. */
static bool is_bound(const linking *l, uint64_t number) {
  return is_open(l, number) || (number > 1 && is_open(l, number + 1));
}

static bool differs(const cpu_history *h, size_t slot) {
  for (size_t i = 1; i < h->sizes.count; i++)
    if (h->sizes.data[i][slot] != h->sizes.data[0][slot]) return true;
  return false;
}

static bool differs_from(const cpu_history *h, size_t slot, uint64_t number) {
  for (size_t i = 0; i < h->sizes.count; i++)
    if (h->sizes.data[i][slot] != number) return true;
  return false;
}

/* Whether the slot equalled one of the open sizes each time. */
static bool follows(const cpu_variants *all, const cpu_history *h, size_t slot) {
  for (size_t k = 0; k < all->open_count; k++) {
    size_t i = 0;
    while (i < h->sizes.count && h->sizes.data[i][slot] > 1 &&
           h->sizes.data[i][slot] == (uint64_t)all->open.data[h->rounds.data[i]][k])
      i++;
    if (i == h->sizes.count) return true;
  }
  return false;
}

static bool same_always(const cpu_history *h, size_t a, size_t b) {
  for (size_t i = 0; i < h->sizes.count; i++)
    if (h->sizes.data[i][a] != h->sizes.data[i][b]) return false;
  return true;
}

/* What differs in functions with a known history. */
static void find_open(linking *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    const member *m = &l->members[i];
    if (!m->of) continue;
    const cpu_history *h = m->ordinal < m->of->histories.count ? &m->of->histories.data[m->ordinal] : NULL;
    for (size_t k = 0; k < m->of->slot_count; k++) {
      const bool open = m->fits ? m->fits->load_of[k] != CPU_SLOT_FIXED : h && differs_from(h, k, m->values[k]);
      if (open && m->values[k] > 1 && LLVMIsAConstantInt(m->spelling.slots.data[k].value) && !is_open(l, m->values[k]))
        ten_vec_push(&l->open, m->values[k]);
    }
  }
}

static int32_t load_find(cpu_variant *v, const member *m, const cpu_history *h, size_t slot, bool reciprocal) {
  LLVMTypeRef type = LLVMTypeOf(m->spelling.slots.data[slot].value);
  size_t k = 0;
  for (; k < v->loads.count; k++) {
    const cpu_load *known = &v->loads.data[k];
    if (known->reciprocal == reciprocal && same_always(h, known->slot, slot) &&
        LLVMTypeOf(m->spelling.slots.data[known->slot].value) == type)
      break;
  }
  if (k == v->loads.count) ten_vec_push(&v->loads, (cpu_load){slot, reciprocal});
  return (int32_t)k;
}

static bool is_divisor(const ten_cg *cg, const cg_slot *slot, uint64_t number) {
  const LLVMOpcode code = LLVMGetInstructionOpcode(slot->instruction);
  return (cg_is_quotient(code) || cg_is_remainder(code)) && slot->operand == 1 && LLVMTypeOf(slot->value) == cg->i64 &&
         number && number <= INT32_MAX && !cg->huge &&
         cg_is_position(LLVMGetOperand(slot->instruction, 0), CG_POSITION_DEPTH);
}

static cpu_variant *variant_new(const linking *l, const member *m, const cpu_history *h) {
  const size_t count = m->spelling.slots.count;
  cpu_variant *v = ten_alloc(sizeof *v);
  *v = (cpu_variant){0};
  v->values = ten_alloc((count + 1) * sizeof *v->values);
  v->load_of = ten_alloc((count + 1) * sizeof *v->load_of);
  memcpy(v->values, m->values, count * sizeof *v->values);
  for (size_t i = 0; i < count; i++) {
    const cg_slot *slot = &m->spelling.slots.data[i];
    const bool guessed = h && LLVMIsAConstantInt(slot->value) &&
                         ((h->sizes.count == 1 && is_bound(l, m->values[i])) || follows(l->all, h, i));
    v->load_of[i] = CPU_SLOT_FIXED;
    if (!h || !(guessed || differs(h, i))) continue;
    v->load_of[i] = load_find(v, m, h, i, false);
    if (is_divisor(l->cg, slot, m->values[i])) load_find(v, m, h, i, true);
  }
  return v;
}

/* Makes the function load the variant's unknown values in its first block. */
static void read_numbers(ten_cg *cg, const member *m) {
  const cpu_variant *v = m->fits;
  V parameter = LLVMGetParam(m->inner, LLVMCountParams(m->inner) - 1);
  LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->inner)));
  V *loaded = ten_alloc((v->loads.count + 1) * sizeof(V));
  for (size_t i = 0; i < v->loads.count; i++) {
    V at = cg_const(cg, (int64_t)i), place = LLVMBuildInBoundsGEP2(cg->b, cg->i64, parameter, &at, 1, "");
    loaded[i] = LLVMBuildLoad2(cg->b, LLVMTypeOf(m->spelling.slots.data[v->loads.data[i].slot].value), place, "");
  }
  TEN_VEC(size_t) divisions = {0}; /* found before their operands are rewritten */
  for (size_t i = 0; i < m->spelling.slots.count; i++)
    if (v->load_of[i] != CPU_SLOT_FIXED && is_divisor(cg, &m->spelling.slots.data[i], m->values[i]))
      ten_vec_push(&divisions, i);
  for (size_t i = 0, next = 0; i < m->spelling.slots.count; i++) {
    const cg_slot *slot = &m->spelling.slots.data[i];
    if (next < divisions.count && divisions.data[next] == i) {
      next++;
      continue;
    }
    if (v->load_of[i] == CPU_SLOT_FIXED) continue;
    LLVMSetOperand(slot->instruction, slot->operand, loaded[v->load_of[i]]);
    if (LLVMGetInstructionOpcode(slot->instruction) == LLVMICmp) cg_hint_open_loop(cg, slot->instruction);
  }
  for (size_t i = 0; i < divisions.count; i++) { /* these are erased */
    const cg_slot *slot = &m->spelling.slots.data[divisions.data[i]];
    V number = loaded[v->load_of[divisions.data[i]]], reciprocal = NULL;
    for (size_t k = 0; k < v->loads.count && !reciprocal; k++)
      if (v->loads.data[k].reciprocal && v->load_of[v->loads.data[k].slot] == v->load_of[divisions.data[i]])
        reciprocal = loaded[k];
    cg_divide(cg, slot->instruction, cg_is_remainder(LLVMGetInstructionOpcode(slot->instruction)) ? number : NULL,
              reciprocal);
  }
  ten_vec_free(&divisions);
  free(loaded);
}

/* Assigns each member a variant: an existing one, or a new one. */
static bool choose_variants(linking *l, const ten_settings *settings) {
  bool any = false, noted = false;
  for (uint32_t i = 0; i < l->count; i++)
    if (l->members[i].of) l->members[i].fits = find_fitting(l->members[i].of, l->members[i].values);
  find_open(l);
  for (uint32_t i = 0; i < l->count; i++) {
    member *m = &l->members[i];
    if (m->of && !m->fits) m->fits = find_fitting(m->of, m->values); /* possibly one of this very program */
    if (m->fits) continue;
    if (!noted) note_open(l->all, settings);
    noted = true;
    const cpu_history *h = m->of ? remember(l->all, m) : NULL;
    m->fits = variant_new(l, m, h);
    m->is_new = any = true;
    if (m->of) ten_vec_push(&m->of->variants, m->fits);
  }
  return any;
}

/* Removes variants without code, so that the next size does not find them. */
static void discard_new(linking *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    const member *m = &l->members[i];
    if (!m->is_new || !m->of) continue;
    m->of->variants.count--; /* the newest are the last of each cpu_variants_entry */
    cpu_variant_free(m->fits);
  }
}

/* `keep`: the object code is retained, to be written to a file. */
static ten_status *generate_new(linking *l, bool keep) {
  for (uint32_t i = 0; i < l->count; i++) {
    const member *m = &l->members[i];
    if (m->is_new) {
      if (m->inner) read_numbers(l->cg, m);
      continue;
    }
    LLVMDeleteFunction(m->outer);
    if (m->inner) LLVMDeleteFunction(m->inner);
  }
  ten_buf object = {0};
  void **addresses = ten_alloc((l->count + 1) * sizeof *addresses);
  cpu_variants_code code = {.functions = l->count};
  ten_status *status = ten_jit_optimise(l->cg->module, l->cg->target);
  if (!status) status = ten_jit_compile(l->cg->module, l->cg->target, false, &object);
  if (!status) status = ten_loaded_create_some(object.data, object.size, l->count, addresses, &code.loaded);
  if (!status && keep) code.object = object, object = (ten_buf){0};
  if (!status) ten_vec_push(&l->all->codes, code);
  for (uint32_t i = 0; i < l->count && !status; i++) {
    if (!l->members[i].is_new) continue;
    l->members[i].fits->address = addresses[i];
    l->members[i].fits->code = (uint32_t)(l->all->codes.count - 1);
    l->members[i].fits->function = i;
    if (!addresses[i]) status = ten_error(TEN_INTERNAL, "object code: function %u is missing", i);
  }
  free(addresses);
  ten_buf_free(&object);
  return status;
}

static const uint64_t *numbers_of(ten_arena *arena, const member *m) {
  const cpu_variant *v = m->fits;
  uint64_t *numbers = ten_arena_new_array(arena, uint64_t, v->loads.count + 1);
  for (size_t i = 0; i < v->loads.count; i++) {
    const uint64_t number = m->values[v->loads.data[i].slot];
    numbers[i] = v->loads.data[i].reciprocal ? cg_number_reciprocal(number) : number;
  }
  return numbers;
}

ten_status *cpu_variants_link(cpu_variants *variants, ten_cg *cg, const ten_settings *settings, uint32_t symbol_count,
                              ten_arena *arena, cpu_linked *out_linked, bool *out_compiled) {
  linking l;
  linking_begin(&l, variants, cg, symbol_count);
  *out_compiled = choose_variants(&l, settings);
  variants->begun = true;
  ten_status *status = *out_compiled ? generate_new(&l, settings->shared->keep_code) : NULL;
  if (status) discard_new(&l);
  variants->clock++;
  for (uint32_t i = 0; i < symbol_count && !status; i++)
    variants->codes.data[l.members[i].fits->code].used = variants->clock;
  for (uint32_t i = 0; i < symbol_count && !status; i++)
    out_linked[i] =
        (cpu_linked){l.members[i].fits->address, numbers_of(arena, &l.members[i]), l.members[i].fits->loads.count};
  linking_end(&l);
  return status;
}
