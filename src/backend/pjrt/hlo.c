/* hlo.c: reads HloModuleProto. Field numbers are those of xla/service/hlo.proto and xla/xla_data.proto. */
#include "backend/pjrt/hlo.h"

#include <stdlib.h>

#include "base/proto.h"
#include "base/size.h"

enum { PRIMITIVES = 37, RANK_MOST = 16 };
static const struct {
  const char *name;
  unsigned bits;
} primitives[PRIMITIVES] = {
    [1] = {"pred", 8},
    [2] = {"s8", 8},
    [3] = {"s16", 16},
    [4] = {"s32", 32},
    [5] = {"s64", 64},
    [6] = {"u8", 8},
    [7] = {"u16", 16},
    [8] = {"u32", 32},
    [9] = {"u64", 64},
    [10] = {"f16", 16},
    [11] = {"f32", 32},
    [12] = {"f64", 64},
    [13] = {"tuple", 0},
    [14] = {"opaque", 0},
    [15] = {"c64", 64},
    [16] = {"bf16", 16},
    [17] = {"token", 0},
    [18] = {"c128", 128},
    [19] = {"f8e5m2", 8},
    [20] = {"f8e4m3fn", 8},
    [21] = {"s4", 4},
    [22] = {"u4", 4},
    [23] = {"f8e4m3b11fnuz", 8},
    [24] = {"f8e5m2fnuz", 8},
    [25] = {"f8e4m3fnuz", 8},
    [26] = {"s2", 2},
    [27] = {"u2", 2},
    [28] = {"f8e4m3", 8},
    [29] = {"f8e3m4", 8},
    [30] = {"s1", 1},
    [31] = {"u1", 1},
    [32] = {"f4e2m1fn", 4},
    [33] = {"f8e8m0fnu", 8},
    [34] = {"buffer", 0},
    [35] = {"f6e3m2fn", 6},
    [36] = {"f6e2m3fn", 6},
};

/* A repeated integer field, packed or not; returns the count, stores up to `room`. */
static size_t ints(ten_str message, uint32_t number, int64_t *out, size_t room) {
  size_t count = 0;
  ten_proto_field field;
  while (ten_proto_next(&message, &field)) {
    if (field.number != number) continue;
    if (field.wire == 0) {
      if (count < room) out[count] = (int64_t)field.value;
      count++;
    } else if (field.wire == 2) {
      for (ten_str rest = field.bytes; rest.size;) {
        uint64_t value = 0;
        unsigned shift = 0;
        unsigned char byte;
        do {
          byte = (unsigned char)*rest.data;
          if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
          shift += 7;
          rest.data++;
          rest.size--;
        } while (byte & 0x80 && rest.size);
        if (count < room) out[count] = (int64_t)value;
        count++;
      }
    }
  }
  return count < room ? count : room;
}

static bool get_ints_into(ten_buf *out, ten_str message, uint32_t number) {
  int64_t values[256];
  const size_t count = ints(message, number, values, 256);
  for (size_t i = 0; i < count; i++) ten_buf_printf(out, "%s%lld", i ? "," : "", (long long)values[i]);
  return count > 0;
}

/* Bytes of an array, with partial tiles padded; the sum for tuples. Other memory spaces than main memory (0) count if
 * `everywhere` is set. */
static uint64_t shape_bytes(ten_str shape, bool everywhere, unsigned depth) {
  const uint64_t type = ten_proto_varint(shape, 2, 0);
  if (type == 13) {
    uint64_t sum = 0;
    ten_proto_field field;
    while (depth < 8 && ten_proto_next(&shape, &field))
      if (field.number == 4 && field.wire == 2) sum += shape_bytes(field.bytes, everywhere, depth + 1);
    return sum;
  }
  if (type >= PRIMITIVES || !primitives[type].bits) return 0;
  int64_t dims[RANK_MOST], order[RANK_MOST], tile[RANK_MOST];
  const size_t rank = ints(shape, 3, dims, RANK_MOST);
  const ten_str layout = ten_proto_bytes(shape, 5);
  if (!everywhere && ten_proto_varint(layout, 8, 0)) return 0;
  const size_t ordered = ints(layout, 1, order, RANK_MOST);
  ten_str rest = layout;
  ten_proto_field field;
  while (ordered == rank && ten_proto_next(&rest, &field)) {
    if (field.number != 6 || field.wire != 2) continue;
    const size_t sides = ints(field.bytes, 1, tile, RANK_MOST);
    for (size_t i = 0; i < sides && i < rank; i++) { /* the last side of a tile is along the minor-most dimension */
      const int64_t side = tile[sides - 1 - i];
      int64_t *dim = order[i] >= 0 && (size_t)order[i] < rank ? &dims[order[i]] : NULL;
      int64_t padded;
      if (dim && side > 0 && *dim > 0 && ten_add_i64(*dim, side - 1, &padded)) *dim = padded / side * side;
    }
    break; /* the first tiling decides the padding */
  }
  uint64_t bits = primitives[type].bits;
  for (size_t i = 0; i < rank; i++) bits *= dims[i] > 0 ? (uint64_t)dims[i] : 0;
  return (bits + 7) / 8;
}

/* Tables looked up by number or id, read once: a module has as many entries as ops. */
typedef struct location {
  uint64_t file;
  uint32_t line;
} location;
typedef struct sequence {
  int64_t id;  /* of the computation */
  ten_str ids; /* of its ops, in order */
  bool used;
} sequence;
typedef struct tables {
  TEN_VEC(uint64_t) frames; /* indices of locations, from 1 */
  TEN_VEC(location) locations;
  TEN_VEC(ten_str) files;
  TEN_VEC(sequence) schedule; /* by id */
} tables;

static int by_sequence_id(const void *a, const void *b) {
  const int64_t x = ((const sequence *)a)->id, y = ((const sequence *)b)->id;
  return (x > y) - (x < y);
}

static void tables_read(tables *t, ten_str module) {
  ten_str frames = ten_proto_bytes(module, 17), schedule = ten_proto_bytes(module, 7);
  ten_proto_field field;
  while (ten_proto_next(&frames, &field)) {
    const ten_str entry = field.bytes;
    if (field.number == 1) ten_vec_push(&t->files, entry);
    if (field.number == 3)
      ten_vec_push(&t->locations, ((location){ten_proto_varint(entry, 1, 0), (uint32_t)ten_proto_varint(entry, 3, 0)}));
    if (field.number == 4) ten_vec_push(&t->frames, ten_proto_varint(entry, 1, 0));
  }
  /* HloScheduleProto: 1 is a map from the computation's id (1) to a sequence (2: 1 the ids). */
  while (ten_proto_next(&schedule, &field))
    if (field.number == 1)
      ten_vec_push(&t->schedule, ((sequence){.id = (int64_t)ten_proto_varint(field.bytes, 1, 0),
                                             .ids = ten_proto_bytes(field.bytes, 2)}));
  if (t->schedule.count) qsort(t->schedule.data, t->schedule.count, sizeof *t->schedule.data, by_sequence_id);
}

static void tables_free(tables *t) {
  ten_vec_free(&t->frames);
  ten_vec_free(&t->locations);
  ten_vec_free(&t->files);
  ten_vec_free(&t->schedule);
}

/* The user's line: in the metadata itself, or via the module's table of stack frames. */
static void read_place(const tables *t, ten_str metadata, ten_hlo_op *op) {
  op->file = ten_proto_bytes(metadata, 3);
  op->line = (uint32_t)ten_proto_varint(metadata, 4, 0);
  const uint64_t frame = ten_proto_varint(metadata, 15, 0);
  if (op->file.size || !frame || frame > t->frames.count) return;
  const uint64_t place = t->frames.data[frame - 1];
  if (!place || place > t->locations.count) return;
  const location *found = &t->locations.data[place - 1];
  op->line = found->line;
  if (found->file && found->file <= t->files.count) op->file = t->files.data[found->file - 1];
}

static ten_hlo_op read_op(const tables *t, ten_str proto) {
  ten_hlo_op op = {.proto = proto, .parameter = -1};
  ten_str rest = proto, metadata = {0};
  ten_proto_field field;
  int64_t parameter = 0;
  while (ten_proto_next(&rest, &field)) switch (field.number) {
      case 1: op.name = field.bytes; break;
      case 2: op.opcode = field.bytes; break;
      case 3: op.shape = field.bytes; break;
      case 7: metadata = field.bytes; break;
      case 9: parameter = (int64_t)field.value; break;
      case 35: op.id = (int64_t)field.value; break;
      default: break;
    }
  op.bytes = shape_bytes(op.shape, false, 0);
  if (ten_str_is(op.opcode, "parameter")) op.parameter = parameter;
  read_place(t, metadata, &op);
  return op;
}

static int by_id(const void *a, const void *b) {
  const int64_t x = ((const ten_hlo_op *)a)->id, y = ((const ten_hlo_op *)b)->id;
  return (x > y) - (x < y);
}

static void put_in_order(const tables *t, ten_hlo_computation *c) {
  if (!c->count || !t->schedule.count) return;
  sequence *said = bsearch(&(sequence){.id = c->id}, t->schedule.data, t->schedule.count, sizeof *said, by_sequence_id);
  if (!said || said->used) return;
  said->used = true; /* by one computation: ids are unique in a module */
  int64_t *order = ten_alloc((c->count + 1) * sizeof *order);
  const size_t count = ints(said->ids, 1, order, c->count);
  if (count == c->count) {
    ten_hlo_op *sorted = ten_alloc((c->count + 1) * sizeof *sorted);
    qsort(c->ops, c->count, sizeof *c->ops, by_id);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
      const ten_hlo_op *found = bsearch(&(ten_hlo_op){.id = order[i]}, c->ops, c->count, sizeof *c->ops, by_id);
      known &= found != NULL;
      if (found) sorted[i] = *found;
    }
    if (known) memcpy(c->ops, sorted, c->count * sizeof *sorted);
    free(sorted);
  }
  free(order);
}

static ten_hlo_computation read_computation(const tables *t, ten_str proto) {
  ten_hlo_computation c = {.name = ten_proto_bytes(proto, 1),
                           .id = (int64_t)ten_proto_varint(proto, 5, 0),
                           .root = (int64_t)ten_proto_varint(proto, 6, 0),
                           .fused = ten_proto_varint(proto, 7, 0) != 0};
  TEN_VEC(ten_hlo_op) ops = {0};
  ten_proto_field field;
  while (ten_proto_next(&proto, &field))
    if (field.number == 2 && field.wire == 2) ten_vec_push(&ops, read_op(t, field.bytes));
  c.ops = ops.data;
  c.count = ops.count;
  put_in_order(t, &c);
  return c;
}

/* List indices sorted by a key; equal keys keep their order. */
typedef struct key {
  int64_t number;
  size_t place;
} key;
typedef TEN_VEC(key) keys;

static int by_number(const void *a, const void *b) {
  const key *x = a, *y = b;
  if (x->number != y->number) return x->number > y->number ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

static void keys_sort(keys *k) {
  if (k->count) qsort(k->data, k->count, sizeof *k->data, by_number);
}

/* The first entry with the key, or the end. */
static size_t keys_find(const keys *k, int64_t number) {
  size_t low = 0, high = k->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (k->data[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < k->count && k->data[low].number == number ? low : k->count;
}

static keys computation_keys(const ten_hlo *hlo) {
  keys made = {0};
  for (size_t i = 0; i < hlo->count; i++) ten_vec_push(&made, ((key){hlo->computations[i].id, i}));
  keys_sort(&made);
  return made;
}

/* Computations that a fusion calls are part of one op, whether or not they are marked so. */
static void mark_fused(ten_hlo *hlo) {
  keys named = computation_keys(hlo);
  bool *done = ten_alloc(named.count + 1); /* by the first entry with each id */
  memset(done, 0, named.count + 1);
  for (size_t i = 0; i < hlo->count; i++)
    for (size_t k = 0; k < hlo->computations[i].count; k++) {
      const ten_hlo_op *op = &hlo->computations[i].ops[k];
      static const char *const loops[] = {"while", "conditional", "call", "async-start"};
      bool runs = false;
      for (size_t n = 0; n < sizeof loops / sizeof *loops; n++) runs |= ten_str_is(op->opcode, loops[n]);
      if (runs) continue;
      int64_t called[64];
      const size_t count = ints(op->proto, 38, called, 64);
      for (size_t n = 0; n < count; n++) {
        const size_t first = keys_find(&named, called[n]);
        for (size_t j = first; j < named.count && named.data[j].number == called[n] && !done[first]; j++)
          hlo->computations[named.data[j].place].fused = true;
        done[first] = true;
      }
    }
  free(done);
  ten_vec_free(&named);
}

ten_status *ten_hlo_read(ten_str bytes, ten_str format, ten_hlo *out_hlo) {
  *out_hlo = (ten_hlo){0};
  if (!ten_str_is(format, "hlo") && !ten_str_is(format, "hlo_with_config"))
    return ten_error(TEN_UNSUPPORTED, "programs of format '%.*s' are not HLO", TEN_FMT(format));
  const ten_str module = ten_str_is(format, "hlo") ? bytes : ten_proto_bytes(bytes, 1);
  out_hlo->name = ten_proto_bytes(module, 1);
  out_hlo->scheduled = ten_proto_bytes(module, 7).size > 0;
  const int64_t entry = (int64_t)ten_proto_varint(module, 6, 0);
  TEN_VEC(ten_hlo_computation) all = {0};
  tables found = {0};
  tables_read(&found, module);
  ten_str rest = module;
  ten_proto_field field;
  while (ten_proto_next(&rest, &field))
    if (field.number == 3 && field.wire == 2) ten_vec_push(&all, read_computation(&found, field.bytes));
  tables_free(&found);
  out_hlo->computations = all.data;
  out_hlo->count = all.count;
  for (size_t i = 0; i + 1 < all.count; i++)
    if (all.data[i].id == entry) {
      const ten_hlo_computation swap = all.data[i];
      memmove(&all.data[i], &all.data[i + 1], (all.count - i - 1) * sizeof *all.data);
      all.data[all.count - 1] = swap;
      break;
    }
  if (rest.size || !all.count) {
    ten_hlo_free(out_hlo);
    return ten_error(TEN_INVALID, "what the plugin gives as HLO is not an HloModuleProto");
  }
  mark_fused(out_hlo);
  return NULL;
}

void ten_hlo_free(ten_hlo *hlo) {
  for (size_t i = 0; i < hlo->count; i++) free(hlo->computations[i].ops);
  free(hlo->computations);
  *hlo = (ten_hlo){0};
}

static void print_layout(ten_buf *out, ten_str layout) {
  ten_buf_addc(out, '{');
  get_ints_into(out, layout, 1);
  ten_str rest = layout;
  ten_proto_field field;
  bool tiled = false;
  while (ten_proto_next(&rest, &field)) {
    if (field.number != 6 || field.wire != 2) continue;
    ten_buf_adds(out, tiled ? "(" : ":T(");
    get_ints_into(out, field.bytes, 1);
    ten_buf_addc(out, ')');
    tiled = true;
  }
  const uint64_t space = ten_proto_varint(layout, 8, 0);
  if (space) ten_buf_printf(out, "%sS(%llu)", tiled ? "" : ":", (unsigned long long)space);
  ten_buf_addc(out, '}');
}

static void print_shape(ten_buf *out, ten_str shape, bool layout, unsigned depth) {
  const uint64_t type = ten_proto_varint(shape, 2, 0);
  if (type == 13 && depth < 8) {
    ten_buf_addc(out, '(');
    ten_proto_field field;
    bool first = true;
    while (ten_proto_next(&shape, &field)) {
      if (field.number != 4 || field.wire != 2) continue;
      if (!first) ten_buf_adds(out, ", ");
      first = false;
      print_shape(out, field.bytes, layout, depth + 1);
    }
    ten_buf_addc(out, ')');
    return;
  }
  ten_buf_printf(out, "%s[", type < PRIMITIVES && primitives[type].name ? primitives[type].name : "?");
  const bool shaped = get_ints_into(out, shape, 3);
  ten_buf_addc(out, ']');
  const ten_str how = ten_proto_bytes(shape, 5);
  if (layout && (shaped || how.size)) print_layout(out, how);
}

void ten_hlo_print_shape(ten_buf *out, ten_str shape, bool layout) { print_shape(out, shape, layout, 0); }

/* Name lookup tables for print_op. */
typedef struct lookup {
  const ten_hlo *hlo;
  const ten_hlo_computation *c;
  keys computations, ops; /* ops: by their ids, and by the lower half of those */
} lookup;

static void op_keys(lookup *n) {
  n->ops.count = 0;
  for (size_t i = 0; i < n->c->count; i++) {
    const int64_t id = n->c->ops[i].id;
    ten_vec_push(&n->ops, ((key){id, i}));
    if (id & ~INT64_C(0xffffffff)) ten_vec_push(&n->ops, ((key){id & INT64_C(0xffffffff), i}));
  }
  keys_sort(&n->ops);
}

/* Truncates repeated names that are too long to read. */
static ten_str short_name(ten_str name) {
  enum { MOST = 1024 };
  return name.size > MOST ? (ten_str){name.data, MOST} : name;
}

static void print_window(ten_buf *out, ten_str window) {
  ten_proto_field field;
  ten_buf_adds(out, ", window={");
  bool first = true;
  while (ten_proto_next(&window, &field)) {
    if (field.number != 1 || field.wire != 2) continue;
    const ten_str d = field.bytes;
    ten_buf_printf(out, "%ssize=%lld stride=%lld pad=%lld_%lld", first ? "" : "; ",
                   (long long)ten_proto_varint(d, 1, 0), (long long)ten_proto_varint(d, 2, 1),
                   (long long)ten_proto_varint(d, 3, 0), (long long)ten_proto_varint(d, 4, 0));
    const long long dilate = (long long)ten_proto_varint(d, 5, 1), base = (long long)ten_proto_varint(d, 6, 1);
    if (base > 1) ten_buf_printf(out, " lhs_dilate=%lld", base);
    if (dilate > 1) ten_buf_printf(out, " rhs_dilate=%lld", dilate);
    if (ten_proto_varint(d, 7, 0)) ten_buf_adds(out, " reversed");
    first = false;
  }
  ten_buf_addc(out, '}');
}

static void print_groups(ten_buf *out, const ten_hlo_op *op) {
  const ten_str iota = ten_proto_bytes(op->proto, 92);
  if (iota.size) {
    ten_buf_printf(out, ", replica_groups=[%lld,%lld]", (long long)ten_proto_varint(iota, 1, 0),
                   (long long)ten_proto_varint(iota, 2, 0));
    return;
  }
  const ten_str list = ten_proto_bytes(op->proto, 87);
  ten_str rest = list.size ? list : op->proto;
  const uint32_t number = list.size ? 1 : 49;
  ten_proto_field field;
  bool any = false;
  while (ten_proto_next(&rest, &field)) {
    if (field.number != number || field.wire != 2) continue;
    ten_buf_adds(out, any ? ",{" : ", replica_groups={{");
    get_ints_into(out, field.bytes, 1);
    ten_buf_addc(out, '}');
    any = true;
  }
  if (any) ten_buf_addc(out, '}');
}

static void print_attributes(ten_buf *out, const lookup *names, const ten_hlo_op *op) {
  ten_buf dims = {0};
  if (get_ints_into(&dims, op->proto, 14)) ten_buf_printf(out, ", dimensions={%s}", dims.data);
  ten_buf_free(&dims);
  const ten_str window = ten_proto_bytes(op->proto, 15);
  if (window.size) print_window(out, window);
  const ten_str kind = ten_proto_bytes(op->proto, 11), target = ten_proto_bytes(op->proto, 28);
  if (kind.size) ten_buf_printf(out, ", kind=%.*s", TEN_FMT(kind));
  if (target.size) ten_buf_printf(out, ", custom_call_target=\"%.*s\"", TEN_FMT(target));
  int64_t called[64];
  const size_t count = ints(op->proto, 38, called, 64);
  for (size_t i = 0; i < count; i++) {
    const size_t at = keys_find(&names->computations, called[i]);
    if (at == names->computations.count) continue;
    const ten_str name = short_name(names->hlo->computations[names->computations.data[at].place].name);
    ten_buf_printf(out, "%s%%%.*s", i ? ", " : ", calls=", TEN_FMT(name));
  }
  const uint64_t channel = ten_proto_varint(op->proto, 26, 0);
  if (channel) ten_buf_printf(out, ", channel_id=%llu", (unsigned long long)channel);
  print_groups(out, op);
  if (op->file.size)
    ten_buf_printf(out, ", metadata={source_file=\"%.*s\" source_line=%u}", TEN_FMT(short_name(op->file)), op->line);
}

static void print_op(ten_buf *out, const lookup *names, const ten_hlo_op *op) {
  ten_buf_printf(out, "  %s%%%.*s = ", op->id == names->c->root ? "ROOT " : "", TEN_FMT(op->name));
  print_shape(out, op->shape, true, 0);
  ten_buf_printf(out, " %.*s(", TEN_FMT(op->opcode));
  if (op->parameter >= 0) ten_buf_printf(out, "%lld", (long long)op->parameter);
  if (ten_str_is(op->opcode, "constant")) ten_buf_adds(out, "{...}");
  enum { OPERANDS = 4096 };
  int64_t *operands = ten_alloc(OPERANDS * sizeof *operands);
  const size_t count = ints(op->proto, 36, operands, OPERANDS);
  for (size_t i = 0; i < count; i++) {
    const size_t at = keys_find(&names->ops, operands[i]);
    const bool found = at < names->ops.count;
    const ten_str name = found ? short_name(names->c->ops[names->ops.data[at].place].name) : TEN_STR("?");
    ten_buf_printf(out, "%s%%%.*s", i ? ", " : "", TEN_FMT(name));
  }
  free(operands);
  ten_buf_addc(out, ')');
  print_attributes(out, names, op);
  ten_buf_addc(out, '\n');
}

void ten_hlo_print(ten_buf *out, const ten_hlo *hlo) {
  ten_buf_printf(out, "HloModule %.*s%s\n", TEN_FMT(hlo->name), hlo->scheduled ? ", is_scheduled=true" : "");
  lookup found = {.hlo = hlo, .computations = computation_keys(hlo)};
  for (size_t i = 0; i < hlo->count; i++) {
    const ten_hlo_computation *c = found.c = &hlo->computations[i];
    op_keys(&found);
    ten_buf_printf(out, "\n%s%%%.*s {\n", i + 1 == hlo->count ? "ENTRY " : "", TEN_FMT(c->name));
    for (size_t k = 0; k < c->count; k++) print_op(out, &found, &c->ops[k]);
    ten_buf_adds(out, "}\n");
  }
  ten_vec_free(&found.computations);
  ten_vec_free(&found.ops);
}

size_t ten_hlo_collectives(const ten_hlo *hlo, ten_hlo_collective out[TEN_HLO_COLLECTIVES]) {
  static const char *const kinds[TEN_HLO_COLLECTIVES] = {"all-reduce", "all-gather",         "reduce-scatter",
                                                         "all-to-all", "collective-permute", "collective-broadcast"};
  ten_hlo_collective found[TEN_HLO_COLLECTIVES] = {0};
  for (size_t i = 0; i < hlo->count; i++) {
    for (size_t k = 0; k < hlo->computations[i].count; k++) {
      const ten_hlo_op *op = &hlo->computations[i].ops[k];
      for (size_t n = 0; n < TEN_HLO_COLLECTIVES; n++) {
        /* Of an asynchronous pair only the end has the plain result. */
        const size_t size = strlen(kinds[n]);
        if (!ten_str_starts(op->opcode, kinds[n])) continue;
        const ten_str rest = {op->opcode.data + size, op->opcode.size - size};
        if (rest.size && !ten_str_is(rest, "-done")) continue;
        found[n].kind = kinds[n];
        found[n].count++;
        found[n].bytes += shape_bytes(op->shape, true, 0);
      }
    }
  }
  size_t count = 0;
  for (size_t n = 0; n < TEN_HLO_COLLECTIVES; n++)
    if (found[n].count) out[count++] = found[n];
  return count;
}

size_t ten_hlo_largest(const ten_hlo *hlo, const ten_hlo_op **out, size_t room) {
  static const char *const views[] = {"tuple",
                                      "get-tuple-element",
                                      "bitcast",
                                      "while",
                                      "conditional",
                                      "call",
                                      "copy-done",
                                      "copy-start",
                                      "async-done",
                                      "opt-barrier",
                                      "all-reduce-start",
                                      "all-gather-start",
                                      "collective-permute-start",
                                      "after-all"};
  size_t count = 0;
  for (size_t i = 0; i < hlo->count; i++) {
    const ten_hlo_computation *c = &hlo->computations[i];
    if (c->fused) continue;
    for (size_t k = 0; k < c->count; k++) {
      const ten_hlo_op *op = &c->ops[k];
      bool view = op->parameter >= 0 && i + 1 != hlo->count; /* a loop's parameter is its caller's buffer */
      for (size_t n = 0; n < sizeof views / sizeof *views; n++) view |= ten_str_is(op->opcode, views[n]);
      if (view || !op->bytes) continue;
      size_t at = count < room ? count++ : room;
      if (at == room && (!room || out[room - 1]->bytes >= op->bytes)) continue;
      if (at == room) at--;
      for (; at && out[at - 1]->bytes < op->bytes; at--) out[at] = out[at - 1];
      out[at] = op;
    }
  }
  return count;
}
