/* reader.h: shared by the parts of the bytecode reader.
 *
 * 1. The first error stays in the reader and every cursor is at its end afterwards: readers may continue, and the error
 * is checked once at the end.
 * 2. Every count is checked against the remaining bytes before it is used.
 * 3. Attributes and types are decoded on first use, each once; their nesting depth and expanded size are limited, so
 * that a small file cannot expand into an enormous module. */
#ifndef TEN_IR_BYTECODE_READER_H
#define TEN_IR_BYTECODE_READER_H

#include "ir/bytecode/vhlo.h"

enum {
  BC_REGIONS_MAX = 256,   /* nested regions: the limit of the text parser */
  BC_DEPTH_MAX = 1000,    /* nested attributes: a call stack is one */
  BC_WEIGHT_MAX = 1 << 24 /* nodes of one attribute or type, shared ones counted each time */
};

enum bc_section {
  BC_STRINGS,
  BC_DIALECTS,
  BC_ATTRS_TYPES,
  BC_OFFSETS,
  BC_IR,
  BC_RESOURCES,
  BC_RESOURCE_OFFSETS,
  BC_DIALECT_VERSIONS,
  BC_PROPERTIES,
  BC_SECTION_COUNT
};

/* What each version of the container added. */
enum bc_version {
  BC_HAS_DIALECT_VERSIONS = 1,
  BC_HAS_REGION_SECTIONS = 2,
  BC_HAS_USE_ORDERS = 3,
  BC_ELIDES_ARG_LOCS = 4,
  BC_HAS_PROPERTIES = 5,
  BC_HAS_SEGMENT_SIZES = 6,
  BC_NEWEST = 6
};

enum bc_mask {
  BC_OP_ATTRS = 1,
  BC_OP_RESULTS = 2,
  BC_OP_OPERANDS = 4,
  BC_OP_SUCCESSORS = 8,
  BC_OP_REGIONS = 16,
  BC_OP_USE_ORDERS = 32,
  BC_OP_PROPERTIES = 64
};

typedef enum bc_dialect_kind { BC_OTHER, BC_BUILTIN, BC_VHLO, BC_STABLEHLO, BC_CHLO, BC_QUANT, BC_SDY } bc_dialect_kind;

typedef struct bc_reader bc_reader;

/* A cursor. */
typedef struct bc_bytes {
  const uint8_t *at, *end;
  bc_reader *reader;
} bc_bytes;

typedef struct bc_dialect {
  ten_str name;
  bc_dialect_kind kind;
} bc_dialect;

typedef struct bc_op_name {
  bool registered; /* properties were written by the op itself */
  const bc_dialect *dialect;
  ten_str local;       /* without the dialect */
  ten_str name;        /* with it; this and what follows is set on first use */
  const vhlo_op *vhlo; /* of the vhlo dialect */
  ten_opcode code;
} bc_op_name;

typedef struct bc_entry {
  const uint8_t *data;
  size_t size;
  const void *value; /* ten_attr or ten_type once read */
  uint32_t dialect, weight;
  bool custom; /* the dialect's own encoding, else text */
  bool busy;   /* being read: meeting it again is a cycle */
} bc_entry;

typedef struct bc_resource {
  ten_str key;
  const uint8_t *data; /* NULL when it was only declared */
  size_t size;
} bc_resource;

struct bc_reader {
  const uint8_t *data;
  size_t size;
  bool borrow;
  ten_module *module;
  ten_status *error; /* the first, owned */
  ten_arena scratch; /* tables; dies with the reader */
  uint64_t version;
  ten_str producer;
  ten_str sections[BC_SECTION_COUNT];
  bool present[BC_SECTION_COUNT];
  ten_str *strings;
  size_t string_count;
  bc_dialect *dialects;
  size_t dialect_count;
  TEN_VEC(bc_op_name) ops;
  bc_entry *attrs, *types;
  size_t attr_count, type_count;
  TEN_VEC(bc_resource) resources;
  ten_str *properties;
  size_t property_count;
  uint32_t depth;  /* of entries being read */
  uint32_t weight; /* of the one being read, so far */
};

/* bytes.c */
void bc_fail(bc_reader *reader, const char *format, ...) TEN_PRINTF(2, 3);
static inline bool bc_ok(const bc_bytes *bytes) { return !bytes->reader->error; }
bc_bytes bc_open(bc_reader *reader, ten_str range);
static inline size_t bc_left(const bc_bytes *bytes) { return (size_t)(bytes->end - bytes->at); }
uint8_t bc_byte(bc_bytes *bytes);
uint64_t bc_varint(bc_bytes *bytes);
int64_t bc_svarint(bc_bytes *bytes);
uint64_t bc_flagged(bc_bytes *bytes, bool *flag);
/* A count of things that take at least one byte each. */
size_t bc_count(bc_bytes *bytes, const char *what);
ten_str bc_take(bc_bytes *bytes, uint64_t size);
ten_str bc_blob(bc_bytes *bytes);   /* size, then bytes */
ten_str bc_string(bc_bytes *bytes); /* of the string section */
void bc_align(bc_bytes *bytes, uint64_t alignment);
int64_t *bc_ints(bc_bytes *bytes, size_t *count); /* svarint[], in scratch */
const ten_attr *bc_dims(bc_bytes *bytes);         /* the same, as an attribute */
double bc_double(bc_bytes *bytes);
/* An integer of `bits` bits, low bits first; a float's bits come this way too. */
uint64_t bc_bits(bc_bytes *bytes, unsigned bits);
int64_t bc_int_of(ten_dtype dtype, uint64_t bits); /* sign- or zero-extended */
bool bc_section(bc_bytes *bytes, unsigned *id, ten_str *data);

/* sections.c */
void bc_read_sections(bc_reader *reader);
const bc_op_name *bc_op_at(bc_reader *reader, uint64_t index); /* NULL after an error */

/* entries.c */
const ten_attr *bc_attr_at(bc_reader *reader, uint64_t index);
const ten_type *bc_type_at(bc_reader *reader, uint64_t index);
const ten_attr *bc_attr(bc_bytes *bytes);
const ten_attr *bc_optional_attr(bc_bytes *bytes); /* NULL when absent */
const ten_type *bc_type(bc_bytes *bytes);
const ten_type **bc_types(bc_bytes *bytes, uint32_t *count); /* in scratch */
const ten_attr **bc_attrs(bc_bytes *bytes, size_t *count);
const ten_loc *bc_loc(bc_bytes *bytes);
ten_str bc_attr_string(bc_bytes *bytes); /* an attribute that must be a string */

/* dense.c: `raw` in MLIR's layout, in memory or in a file, as our constant; NULL after an error. */
const ten_attr *bc_dense(bc_reader *reader, const ten_type *type, ten_str raw);
const ten_attr *bc_dense_resource(bc_reader *reader, const ten_type *type, const bc_resource *resource);

/* One reader of attributes and one of types for each dialect that has an encoding. */
const ten_attr *bc_builtin_attr(bc_bytes *bytes);
const ten_type *bc_builtin_type(bc_bytes *bytes);
const ten_attr *bc_vhlo_attr(bc_bytes *bytes);
const ten_type *bc_vhlo_type(bc_bytes *bytes);
const ten_attr *bc_stablehlo_attr(bc_bytes *bytes);
const ten_type *bc_stablehlo_type(bc_bytes *bytes);
const ten_attr *bc_chlo_attr(bc_bytes *bytes);
const ten_type *bc_quant_type(bc_bytes *bytes);
const ten_attr *bc_sdy_attr(bc_bytes *bytes);
/* Parts that several of them share. */
const ten_attr *bc_enum(bc_bytes *bytes, const vhlo_enum *rows, size_t count, uint64_t code);
/* A struct attribute with its fields checked against structs.def. */
const ten_attr *bc_record(bc_bytes *bytes, ten_struct_id id, const ten_attr *const *fields);
/* stablehlo.result_accuracy, which both dialects encode alike. */
const ten_attr *bc_accuracy(bc_bytes *bytes);
/* The integer type of that width and signedness: files store the sign of quantized integers separately. */
ten_dtype bc_with_sign(ten_dtype dtype, bool is_signed);
const ten_type *bc_quant(bc_bytes *bytes, bool per_axis);
const ten_type *bc_complex(bc_bytes *bytes);
const ten_type *bc_shaped(bc_bytes *bytes, ten_type_kind kind, const ten_attr *encoding); /* shape, element */

/* upgrade.c: attributes of a VHLO op, or of one in its own form, converted to the StableHLO op's; appended to `out`. */
typedef TEN_VEC(ten_named_attr) bc_attr_list;
/* Converts an attribute value to the kind of our table: VHLO writes lists as tensors. Others are unchanged. */
const ten_attr *bc_own_value(bc_reader *reader, ten_str name, const ten_attr *value);
void bc_upgrade(bc_reader *reader, const vhlo_op *op, const bc_attr_list *in, bc_attr_list *out);

/* properties.c: the inherent attributes of an op, from its entry of the properties section; appended to `out`. */
void bc_read_properties(bc_reader *reader, const bc_op_name *name, uint64_t index, bc_attr_list *out);

/* ops.c: the IR section. */
void bc_read_ir(bc_reader *reader);

#endif
