/* ops.c: the tables of ops, enums and structs, generated from their .def files, and lookup by name. */
#include "ir/module.h"

#define A(attr_name, attr_kind, attr_subject, presence) \
  {attr_name, TEN_SPEC_##attr_kind, (int)SUBJECT_##attr_subject, PRESENCE_##presence}
#define NO_ATTRS {NULL, TEN_SPEC_END, 0, false}

enum { PRESENCE_OPTIONAL = 0, PRESENCE_REQUIRED = 1 };
enum {
  PURE = TEN_TRAIT_PURE,
  ELEMENTWISE = TEN_TRAIT_ELEMENTWISE,
  COMMUTATIVE = TEN_TRAIT_COMMUTATIVE,
  BROADCASTS_SCALARS = TEN_TRAIT_BROADCASTS_SCALARS,
  REGION_PURE = TEN_TRAIT_REGION_PURE,
  COLLECTIVE = TEN_TRAIT_COLLECTIVE,
  CONSTANT = TEN_TRAIT_CONSTANT,
  TERMINATOR = TEN_TRAIT_TERMINATOR,
  SIDE_EFFECT = TEN_TRAIT_SIDE_EFFECT,
  SYMBOL = TEN_TRAIT_SYMBOL,
  ISOLATED = TEN_TRAIT_ISOLATED,
  ANY = TEN_ANY_COUNT
};

/* One name space for the subject of an attribute: no enum and no struct share a name. */
enum {
  SUBJECT_NONE = 0,
#define ENUM(id, ...) SUBJECT_##id = TEN_ENUM_##id,
#include "ir/enums.def"
#undef ENUM
#define STRUCT(id, ...) SUBJECT_##id = TEN_STRUCT_##id,
#include "ir/structs.def"
#undef STRUCT
};

const ten_op_info ten_op_infos[TEN_OP_COUNT] = {
    [TEN_OP_UNKNOWN] = {"", 0, ANY, 0, ANY, 0, ANY, 0, (const ten_attr_spec[]){NO_ATTRS}, TEN_COST_OUTSIDE},
#define OP(code, name, o0, o1, r0, r1, g0, g1, traits, cost, wire, text, rule, ...)                               \
  [TEN_OP_##code] = {                                                                                             \
      name,           o0, o1, r0, r1, g0, g1, (uint32_t)(traits), (const ten_attr_spec[]){__VA_ARGS__, NO_ATTRS}, \
      TEN_COST_##cost},
#include "ir/ops.def"
#undef OP
};

ten_opcode ten_op_broadcasts(ten_opcode code) {
  static const uint16_t of[TEN_OP_COUNT] = {
#define OP(...)
#define BROADCASTS(op, code) [TEN_OP_##code] = TEN_OP_##op,
#include "ir/ops.def"
#undef OP
  };
  return (ten_opcode)of[code];
}

#define CASE(case_name, case_value) {case_name, case_value}
const ten_enum_info ten_enum_infos[TEN_ENUM_COUNT] = {
#define ENUM(id, dialect, mnemonic, ...) \
  [TEN_ENUM_##id] = {dialect, mnemonic, (const ten_enum_case[]){__VA_ARGS__, {NULL, 0}}},
#include "ir/enums.def"
#undef ENUM
};

#define F(field_name, field_kind, field_subject) {field_name, TEN_SPEC_##field_kind, (int)SUBJECT_##field_subject, true}
#define O(field_name, field_kind, field_subject) \
  {field_name, TEN_SPEC_##field_kind, (int)SUBJECT_##field_subject, false}
const ten_struct_info ten_struct_infos[TEN_STRUCT_COUNT] = {
#define STRUCT(id, dialect, mnemonic, ...)                                                \
  [TEN_STRUCT_##id] = {dialect, mnemonic, (const ten_attr_spec[]){__VA_ARGS__, NO_ATTRS}, \
                       sizeof((const ten_attr_spec[]){__VA_ARGS__}) / sizeof(ten_attr_spec)},
#include "ir/structs.def"
#undef STRUCT
};

/* Binary search over an index sorted by name, which is sorted once on first use: eight comparisons for some 230 names.
 * A perfect hash built at compile time would need generated code. */
static const uint16_t *opcode_index(void) {
  static uint16_t index[TEN_OP_COUNT];
  static int ready; /* 0 not yet, 2 done; sorting is idempotent, so a race only repeats it */
  if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 2) return index;
  uint16_t sorted[TEN_OP_COUNT];
  for (uint16_t i = 0; i < TEN_OP_COUNT; i++) {
    uint16_t at = i;
    while (at > 0 && strcmp(ten_op_infos[sorted[at - 1]].name, ten_op_infos[i].name) > 0) {
      sorted[at] = sorted[at - 1];
      at--;
    }
    sorted[at] = i;
  }
  for (uint16_t i = 0; i < TEN_OP_COUNT; i++) __atomic_store_n(&index[i], sorted[i], __ATOMIC_RELAXED);
  __atomic_store_n(&ready, 2, __ATOMIC_RELEASE);
  return index;
}

ten_opcode ten_opcode_find(ten_str name) {
  const uint16_t *index = opcode_index();
  size_t low = 0, high = TEN_OP_COUNT;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = ten_str_compare(ten_str_of(ten_op_infos[index[middle]].name), name);
    if (order == 0) return (ten_opcode)index[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return TEN_OP_UNKNOWN;
}

const ten_attr_spec *ten_op_spec(ten_opcode code, ten_str attr_name) {
  for (const ten_attr_spec *spec = ten_op_infos[code].attrs; spec->kind != TEN_SPEC_END; spec++)
    if (ten_str_is(attr_name, spec->name)) return spec;
  return NULL;
}

const char *ten_enum_name(ten_enum_id id, int value) {
  for (const ten_enum_case *item = ten_enum_infos[id].cases; item->name; item++)
    if (item->value == value) return item->name;
  return NULL;
}

int ten_enum_value(ten_enum_id id, ten_str name) {
  for (const ten_enum_case *item = ten_enum_infos[id].cases; item->name; item++)
    if (ten_str_is(name, item->name)) return item->value;
  return -1;
}
