/* print_loc.c: locations. Each distinct one gets an alias, parts before wholes, listed behind the module. */
#include "base/hash.h"
#include "ir/text/printer.h"

/* An alias, found by content; and pointers already seen, found by address. */
struct ten_loc_slot {
  const ten_loc *loc;
  uint64_t hash;
  uint32_t number;
};
struct ten_loc_seen {
  const ten_loc *loc;
  uint32_t number;
};
enum { NO_LOC = 0 }; /* 1-based: the alias of number n is #loc(n-1) */

static bool is_unknown(const ten_loc *loc) {
  return !loc || (loc->kind == TEN_LOC_FUSED && !loc->part_count && !loc->metadata);
}

/* With a printer, the parts are aliases; without one, they are written out. */
static void print_loc(ten_printer *printer, ten_buf *out, const ten_loc *loc);
static void print_part(ten_printer *printer, ten_buf *out, const ten_loc *loc);

static void print_loc(ten_printer *printer, ten_buf *out, const ten_loc *loc) {
  if (is_unknown(loc)) {
    ten_buf_adds(out, "unknown");
    return;
  }
  switch (loc->kind) {
    case TEN_LOC_FILE:
      ten_print_string(out, loc->name);
      ten_buf_printf(out, ":%u:%u", loc->line, loc->column);
      if (loc->end_line == loc->line && loc->end_line)
        ten_buf_printf(out, " to :%u", loc->end_column);
      else if (loc->end_line)
        ten_buf_printf(out, " to %u:%u", loc->end_line, loc->end_column);
      break;
    case TEN_LOC_NAME:
      ten_print_string(out, loc->name);
      if (is_unknown(loc->first)) break;
      ten_buf_addc(out, '(');
      print_part(printer, out, loc->first);
      ten_buf_addc(out, ')');
      break;
    case TEN_LOC_CALL:
      ten_buf_adds(out, "callsite(");
      print_part(printer, out, loc->first);
      ten_buf_adds(out, " at ");
      print_part(printer, out, loc->second);
      ten_buf_addc(out, ')');
      break;
    case TEN_LOC_FUSED:
      ten_buf_adds(out, "fused");
      if (loc->metadata) {
        ten_buf_addc(out, '<');
        ten_attr_print(out, loc->metadata);
        ten_buf_addc(out, '>');
      }
      ten_buf_addc(out, '[');
      for (size_t i = 0; i < loc->part_count; i++) {
        if (i) ten_buf_adds(out, ", ");
        print_part(printer, out, loc->parts[i]);
      }
      ten_buf_addc(out, ']');
      break;
    case TEN_LOC_OPAQUE: ten_buf_addstr(out, loc->name); break;
  }
}

void ten_loc_print(ten_buf *out, const ten_loc *loc) { print_loc(NULL, out, loc); }

static struct ten_loc_seen *seen_slot(const ten_printer *printer, const ten_loc *loc) {
  size_t at = ten_hash64(&loc, sizeof loc, 0) & (printer->seen_capacity - 1);
  while (printer->seen[at].loc && printer->seen[at].loc != loc) at = (at + 1) & (printer->seen_capacity - 1);
  return &printer->seen[at];
}

/* Prints a collected location. */
static uint32_t number_of(const ten_printer *printer, const ten_loc *loc) {
  return is_unknown(loc) || !printer->seen_capacity ? NO_LOC : seen_slot(printer, loc)->number;
}

static void print_alias(ten_buf *out, uint32_t number) {
  if (number > 1)
    ten_buf_printf(out, "#loc%u", number - 1);
  else
    ten_buf_adds(out, "#loc");
}

static void print_part(ten_printer *printer, ten_buf *out, const ten_loc *loc) {
  const uint32_t number = printer ? number_of(printer, loc) : NO_LOC;
  if (number)
    print_alias(out, number);
  else
    print_loc(printer, out, loc);
}

/* Equal apart from their parts, whose numbers are equal. */
static bool same(const ten_printer *printer, const ten_loc *a, const ten_loc *b) {
  if (a->kind != b->kind || !ten_str_eq(a->name, b->name) || a->line != b->line || a->column != b->column ||
      a->end_line != b->end_line || a->end_column != b->end_column || a->part_count != b->part_count ||
      !a->metadata != !b->metadata)
    return false;
  if (number_of(printer, a->first) != number_of(printer, b->first) ||
      number_of(printer, a->second) != number_of(printer, b->second))
    return false;
  for (size_t i = 0; i < a->part_count; i++)
    if (number_of(printer, a->parts[i]) != number_of(printer, b->parts[i])) return false;
  return !a->metadata || ten_attr_equal(a->metadata, b->metadata);
}

static uint64_t content_hash(const ten_printer *printer, const ten_loc *loc) {
  const uint32_t numbers[] = {(uint32_t)loc->kind,
                              loc->line,
                              loc->column,
                              loc->end_line,
                              loc->end_column,
                              number_of(printer, loc->first),
                              number_of(printer, loc->second),
                              (uint32_t)loc->part_count};
  uint64_t hash =
      ten_hash64(numbers, sizeof numbers, loc->name.size ? ten_hash64(loc->name.data, loc->name.size, 0) : 0);
  for (size_t i = 0; i < loc->part_count; i++) hash = hash * 31 + number_of(printer, loc->parts[i]);
  return hash;
}

static struct ten_loc_slot *content_slot(const ten_printer *printer, const ten_loc *loc, uint64_t hash) {
  size_t at = hash & (printer->loc_capacity - 1);
  while (printer->loc_slots[at].loc &&
         (printer->loc_slots[at].hash != hash || !same(printer, printer->loc_slots[at].loc, loc)))
    at = (at + 1) & (printer->loc_capacity - 1);
  return &printer->loc_slots[at];
}

static void grow_slots(ten_printer *printer) {
  struct ten_loc_slot *old = printer->loc_slots;
  const size_t count = printer->loc_capacity;
  printer->loc_capacity = count ? count * 2 : 64;
  printer->loc_slots = ten_alloc(printer->loc_capacity * sizeof *old);
  for (size_t i = 0; i < count; i++) {
    if (!old[i].loc) continue;
    size_t at = old[i].hash & (printer->loc_capacity - 1);
    while (printer->loc_slots[at].loc) at = (at + 1) & (printer->loc_capacity - 1);
    printer->loc_slots[at] = old[i];
  }
  free(old);
}

static void grow_seen(ten_printer *printer) {
  struct ten_loc_seen *old = printer->seen;
  const size_t count = printer->seen_capacity;
  printer->seen_capacity = count ? count * 2 : 64;
  printer->seen = ten_alloc(printer->seen_capacity * sizeof *old);
  for (size_t i = 0; i < count; i++)
    if (old[i].loc) *seen_slot(printer, old[i].loc) = old[i];
  free(old);
}

static void loc_add(ten_printer *printer, const ten_loc *loc) {
  if (is_unknown(loc)) return;
  if (printer->seen_capacity && seen_slot(printer, loc)->loc) return;
  loc_add(printer, loc->first);
  loc_add(printer, loc->second);
  for (size_t i = 0; i < loc->part_count; i++) loc_add(printer, loc->parts[i]);
  if (printer->locs.count * 2 >= printer->loc_capacity) grow_slots(printer);
  if (printer->seen_count++ * 2 >= printer->seen_capacity) grow_seen(printer);
  const uint64_t hash = content_hash(printer, loc);
  struct ten_loc_slot *slot = content_slot(printer, loc, hash);
  if (!slot->loc) {
    ten_vec_push(&printer->locs, loc);
    *slot = (struct ten_loc_slot){loc, hash, (uint32_t)printer->locs.count};
  }
  *seen_slot(printer, loc) = (struct ten_loc_seen){loc, slot->number};
}

void ten_print_locs_collect(ten_printer *printer, const ten_op *op) {
  loc_add(printer, op->loc);
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next) {
      for (uint32_t i = 0; i < block->arg_count; i++) loc_add(printer, block->args[i]->loc);
      for (const ten_op *inner = block->first; inner; inner = inner->next) ten_print_locs_collect(printer, inner);
    }
}

void ten_print_locs_free(ten_printer *printer) {
  ten_vec_free(&printer->locs);
  free(printer->loc_slots);
  free(printer->seen);
}

void ten_print_trailing_loc(ten_printer *printer, const ten_loc *loc) {
  if (!printer->options.locations) return;
  ten_buf_adds(printer->out, " loc(");
  print_part(printer, printer->out, loc);
  ten_buf_addc(printer->out, ')');
}

void ten_print_loc_aliases(ten_printer *printer) {
  for (size_t i = 0; i < printer->locs.count; i++) {
    print_alias(printer->out, (uint32_t)i + 1);
    ten_buf_adds(printer->out, " = loc(");
    print_loc(printer, printer->out, printer->locs.data[i]);
    ten_buf_adds(printer->out, ")\n");
  }
}
