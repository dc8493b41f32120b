/* variants_file.c: variants as bytes, in files of programs with open dimensions (driver/open_file.c).
 * Numbers are eight bytes, little-endian; object code is 64-aligned. Everything but the machine code is checked when it
 * is read. A variant is used only for a function with its spelling, which names the CPU it is for: code that was made
 * elsewhere, or by another version, is not used; that for another architecture is not even loaded. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/variants_state.h"

enum { ALIGN = 64, MOST_SLOTS = 1 << 24 };

static void put(ten_buf *out, uint64_t number) { ten_buf_add(out, &number, sizeof number); }

static void put_code(ten_buf *out, const cpu_variants_code *code) {
  static const char zeros[ALIGN];
  put(out, code->functions);
  put(out, code->object.size);
  ten_buf_add(out, zeros, (ALIGN - out->size % ALIGN) % ALIGN);
  ten_buf_add(out, code->object.data, code->object.size);
}

static void put_variant(ten_buf *out, const cpu_variants_entry *e, const cpu_variant *v, uint32_t code) {
  put(out, code);
  put(out, v->function);
  put(out, v->loads.count);
  for (size_t i = 0; i < v->loads.count; i++) put(out, v->loads.data[i].slot << 1 | v->loads.data[i].reciprocal);
  for (size_t i = 0; i < e->slot_count; i++) {
    put(out, v->values[i]);
    put(out, (uint64_t)(int64_t)v->load_of[i]);
  }
}

/* Without the sets of sizes before `first`. */
static void put_history(ten_buf *out, const cpu_variants_entry *e, const cpu_history *h, size_t first) {
  size_t skip = 0;
  while (skip < h->sizes.count && h->rounds.data[skip] < first) skip++;
  put(out, h->sizes.count - skip);
  for (size_t i = skip; i < h->sizes.count; i++) {
    put(out, h->rounds.data[i] - first);
    for (size_t k = 0; k < e->slot_count; k++) put(out, h->sizes.data[i][k]);
  }
}

enum { OMITTED = UINT32_MAX };

/* The order in which code is written, what was used longest ago first: out_places[i] is the new number of codes[i], or
 * OMITTED where too many others were used since, or the object code was not retained. */
static size_t place_codes(const cpu_variants *all, uint32_t *out_places) {
  size_t count = 0;
  for (size_t i = 0; i < all->codes.count; i++) {
    const cpu_variants_code *code = &all->codes.data[i];
    size_t later = 0, earlier = 0;
    for (size_t k = 0; k < all->codes.count; k++) {
      const cpu_variants_code *other = &all->codes.data[k];
      if (k == i || !other->object.size) continue;
      if (other->used != code->used ? other->used > code->used : k > i)
        later++;
      else
        earlier++;
    }
    const size_t whole = later + earlier + 1;
    const size_t dropped = whole > CPU_VARIANTS_CODES_MOST ? whole - CPU_VARIANTS_CODES_MOST : 0;
    const bool kept = code->object.size && later < CPU_VARIANTS_CODES_MOST;
    out_places[i] = kept ? (uint32_t)(earlier - dropped) : OMITTED;
    count += kept;
  }
  return count;
}

static void put_codes(ten_buf *out, const cpu_variants *all, const uint32_t *places, size_t count) {
  put(out, count);
  for (size_t place = 0; place < count; place++)
    for (size_t i = 0; i < all->codes.count; i++)
      if (places[i] == place) put_code(out, &all->codes.data[i]);
}

static void put_entry(ten_buf *out, const cpu_variants_entry *e, const uint32_t *places, size_t first) {
  size_t whole = 0;
  for (size_t k = 0; k < e->variants.count; k++) whole += places[e->variants.data[k]->code] != OMITTED;
  put(out, e->key.low);
  put(out, e->key.high);
  put(out, e->slot_count);
  put(out, whole);
  for (size_t k = 0; k < e->variants.count; k++) {
    const uint32_t place = places[e->variants.data[k]->code];
    if (place != OMITTED) put_variant(out, e, e->variants.data[k], place);
  }
  put(out, e->histories.count);
  for (size_t k = 0; k < e->histories.count; k++) put_history(out, e, &e->histories.data[k], first);
}

void cpu_variants_write(const cpu_variants *all, ten_buf *out) {
  uint32_t *places = ten_alloc((all->codes.count + 1) * sizeof *places);
  const size_t codes = place_codes(all, places), rounds = all->open.count;
  const size_t first = rounds > CPU_VARIANTS_ROUNDS_MOST ? rounds - CPU_VARIANTS_ROUNDS_MOST : 0;
  put(out, all->open_count);
  put(out, rounds - first);
  for (size_t i = first; i < rounds; i++)
    for (size_t k = 0; k < all->open_count; k++) put(out, (uint64_t)all->open.data[i][k]);
  put_codes(out, all, places, codes);
  put(out, all->entries.count);
  for (size_t i = 0; i < all->entries.count; i++) put_entry(out, all->entries.data[i], places, first);
  free(places);
}

typedef struct reader {
  const char *data;
  size_t size, at;
  bool bad;  /* ran past the end, or read an invalid value */
  bool keep; /* object code is retained */
  cpu_variants *all;
} reader;

static uint64_t get(reader *r) {
  uint64_t number = 0;
  if (r->bad || r->size - r->at < sizeof number) {
    r->bad = true;
    return 0;
  }
  memcpy(&number, r->data + r->at, sizeof number);
  r->at += sizeof number;
  return number;
}

/* A count of items that take at least `each` numbers of the remaining data. */
static size_t get_count(reader *r, size_t each) {
  const uint64_t count = get(r);
  if (!r->bad && count > (r->size - r->at) / sizeof(uint64_t) / each) r->bad = true;
  return r->bad ? 0 : (size_t)count;
}

static uint64_t get_below(reader *r, uint64_t limit) {
  const uint64_t number = get(r);
  if (number >= limit) r->bad = true;
  return r->bad ? 0 : number;
}

static ten_status *read_code(reader *r) {
  cpu_variants_code code = {.functions = (uint32_t)get_below(r, 1u << 20)};
  const uint64_t size = get(r);
  const size_t skip = (ALIGN - r->at % ALIGN) % ALIGN;
  if (!r->bad && (skip > r->size - r->at || size > r->size - r->at - skip)) r->bad = true;
  if (r->bad) return NULL;
  const char *object = r->data + r->at + skip;
  r->at += skip + (size_t)size;
  code.foreign = ten_object_is_foreign(object, (size_t)size);
  if (size && !code.foreign) {
    void **addresses = ten_alloc((code.functions + 1) * sizeof *addresses);
    ten_status *status = ten_loaded_create_some(object, (size_t)size, code.functions, addresses, &code.loaded);
    if (status) {
      free(addresses);
      return status;
    }
    code.addresses = addresses;
    if (r->keep) ten_buf_add(&code.object, object, (size_t)size);
  }
  code.used = ++r->all->clock;
  ten_vec_push(&r->all->codes, code);
  return NULL;
}

static void read_variant(reader *r, cpu_variants_entry *e) {
  cpu_variant *v = ten_alloc(sizeof *v);
  *v = (cpu_variant){0};
  ten_vec_push(&e->variants, v);
  v->values = ten_alloc((e->slot_count + 1) * sizeof *v->values);
  v->load_of = ten_alloc((e->slot_count + 1) * sizeof *v->load_of);
  v->code = (uint32_t)get_below(r, r->all->codes.count);
  if (r->bad) return;
  const cpu_variants_code *code = &r->all->codes.data[v->code];
  v->function = (uint32_t)get_below(r, code->functions);
  v->address = !r->bad && code->addresses ? code->addresses[v->function] : NULL;
  if (!v->address && !code->foreign) r->bad = true;
  const size_t loads = get_count(r, 1);
  for (size_t i = 0; i < loads && !r->bad; i++) {
    const uint64_t word = get(r);
    if (word >> 1 >= e->slot_count) r->bad = true;
    ten_vec_push(&v->loads, (cpu_load){(size_t)(word >> 1), word & 1});
  }
  for (size_t i = 0; i < e->slot_count && !r->bad; i++) {
    v->values[i] = get(r);
    const int64_t load = (int64_t)get(r);
    if (load < CPU_SLOT_FIXED || load >= (int64_t)loads) r->bad = true;
    v->load_of[i] = r->bad ? CPU_SLOT_FIXED : (int32_t)load;
  }
}

static void read_history(reader *r, cpu_variants_entry *e) {
  ten_vec_push(&e->histories, (cpu_history){0});
  cpu_history *h = &e->histories.data[e->histories.count - 1];
  const size_t count = get_count(r, 1 + e->slot_count);
  for (size_t i = 0; i < count && !r->bad; i++) {
    const size_t round = (size_t)get_below(r, r->all->open.count);
    uint64_t *values = ten_alloc((e->slot_count + 1) * sizeof *values);
    for (size_t k = 0; k < e->slot_count; k++) values[k] = get(r);
    ten_vec_push(&h->sizes, values);
    ten_vec_push(&h->rounds, round);
  }
}

static void read_entry(reader *r) {
  cpu_variants_entry *e = ten_alloc(sizeof *e);
  *e = (cpu_variants_entry){.key.low = get(r)};
  ten_vec_push(&r->all->entries, e);
  e->key.high = get(r);
  e->slot_count = (size_t)get_below(r, MOST_SLOTS);
  const size_t variants = get_count(r, 3 + 2 * e->slot_count);
  for (size_t i = 0; i < variants && !r->bad; i++) {
    read_variant(r, e);
    if (!r->bad && !e->variants.data[e->variants.count - 1]->address)
      cpu_variant_free(e->variants.data[--e->variants.count]);
  }
  const size_t histories = get_count(r, 1);
  for (size_t i = 0; i < histories && !r->bad; i++) read_history(r, e);
}

static ten_status *read_all(reader *r) {
  cpu_variants *all = r->all;
  all->open_count = (size_t)get_below(r, 1 << 16);
  const size_t rounds = get_count(r, all->open_count ? all->open_count : 1);
  for (size_t i = 0; i < rounds && !r->bad; i++) {
    int64_t *sizes = ten_alloc((all->open_count + 1) * sizeof *sizes);
    for (size_t k = 0; k < all->open_count; k++) sizes[k] = (int64_t)get(r);
    ten_vec_push(&all->open, sizes);
  }
  const size_t codes = get_count(r, 2);
  for (size_t i = 0; i < codes && !r->bad; i++) TEN_TRY(read_code(r));
  const size_t entries = get_count(r, 5);
  for (size_t i = 0; i < entries && !r->bad; i++) read_entry(r);
  if (r->at != r->size) r->bad = true;
  return r->bad ? ten_error(TEN_INVALID, "the machine code of a program with open dimensions is damaged") : NULL;
}

ten_status *cpu_variants_read(const void *data, size_t size, bool keep, cpu_variants *out_variants) {
  reader r = {.data = data, .size = size, .keep = keep, .all = out_variants};
  if ((uintptr_t)data % ALIGN) return ten_error(TEN_INVALID, "machine code is not aligned to %d bytes", ALIGN);
  TEN_TRY(read_all(&r));
  out_variants->begun = out_variants->open.count > 0;
  return NULL;
}
