/* print_loc.c: locations. Those of ops get aliases, one for each that differs, listed behind the module. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/text/printer.h"

typedef struct ten_loc_slot {
  const ten_loc *loc;
  uint64_t hash;
  uint32_t number;
} ten_loc_slot;

void ten_loc_print(ten_buf *out, const ten_loc *loc) {
  if (!loc || (loc->kind == TEN_LOC_FUSED && !loc->part_count && !loc->metadata)) {
    ten_buf_adds(out, "unknown");
    return;
  }
  switch (loc->kind) {
    case TEN_LOC_FILE:
      ten_print_string(out, loc->name);
      ten_buf_printf(out, ":%u:%u", loc->line, loc->column);
      if (loc->end_line == loc->line && loc->end_line) ten_buf_printf(out, " to :%u", loc->end_column);
      else if (loc->end_line) ten_buf_printf(out, " to %u:%u", loc->end_line, loc->end_column);
      break;
    case TEN_LOC_NAME:
      ten_print_string(out, loc->name);
      if (!loc->first) break;
      ten_buf_addc(out, '(');
      ten_loc_print(out, loc->first);
      ten_buf_addc(out, ')');
      break;
    case TEN_LOC_CALL:
      ten_buf_adds(out, "callsite(");
      ten_loc_print(out, loc->first);
      ten_buf_adds(out, " at ");
      ten_loc_print(out, loc->second);
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
        ten_loc_print(out, loc->parts[i]);
      }
      ten_buf_addc(out, ']');
      break;
    case TEN_LOC_OPAQUE: ten_buf_addstr(out, loc->name); break;
  }
}

static uint64_t loc_hash(const ten_loc *loc) {
  if (!loc) return 1;
  const uint32_t numbers[] = {(uint32_t)loc->kind, loc->line, loc->column, loc->end_line, loc->end_column};
  uint64_t hash = ten_hash64(numbers, sizeof numbers, loc->name.size ? ten_hash64(loc->name.data, loc->name.size, 0) : 0);
  const uint64_t inner[] = {hash, loc_hash(loc->first), loc_hash(loc->second), loc->part_count};
  hash = ten_hash64(inner, sizeof inner, 0);
  for (size_t i = 0; i < loc->part_count; i++) hash = hash * 31 + loc_hash(loc->parts[i]);
  return hash;
}

static ten_loc_slot *loc_slot(ten_printer *printer, const ten_loc *loc, uint64_t hash) {
  size_t at = hash & (printer->loc_capacity - 1);
  while (printer->loc_slots[at].loc && (printer->loc_slots[at].hash != hash || !ten_loc_equal(printer->loc_slots[at].loc, loc)))
    at = (at + 1) & (printer->loc_capacity - 1);
  return &printer->loc_slots[at];
}

static void loc_add(ten_printer *printer, const ten_loc *loc) {
  if (!loc) return;
  if (printer->locs.count * 2 >= printer->loc_capacity) {
    ten_loc_slot *old = printer->loc_slots;
    const size_t count = printer->loc_capacity;
    printer->loc_capacity = count ? count * 2 : 64;
    printer->loc_slots = ten_alloc(printer->loc_capacity * sizeof *old);
    for (size_t i = 0; i < count; i++)
      if (old[i].loc) *loc_slot(printer, old[i].loc, old[i].hash) = old[i];
    free(old);
  }
  const uint64_t hash = loc_hash(loc);
  ten_loc_slot *slot = loc_slot(printer, loc, hash);
  if (slot->loc) return;
  *slot = (ten_loc_slot){loc, hash, (uint32_t)printer->locs.count};
  ten_vec_push(&printer->locs, loc);
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
}

static void print_alias(ten_buf *out, uint32_t number) {
  if (number) ten_buf_printf(out, "#loc%u", number);
  else ten_buf_adds(out, "#loc");
}

void ten_print_trailing_loc(ten_printer *printer, const ten_loc *loc) {
  if (!printer->options.locations) return;
  ten_buf_adds(printer->out, " loc(");
  if (loc && printer->loc_capacity) print_alias(printer->out, loc_slot(printer, loc, loc_hash(loc))->number);
  else ten_loc_print(printer->out, loc);
  ten_buf_addc(printer->out, ')');
}

void ten_print_loc_aliases(ten_printer *printer) {
  for (size_t i = 0; i < printer->locs.count; i++) {
    print_alias(printer->out, (uint32_t)i);
    ten_buf_adds(printer->out, " = loc(");
    ten_loc_print(printer->out, printer->locs.data[i]);
    ten_buf_adds(printer->out, ")\n");
  }
}
