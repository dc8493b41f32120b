/* vhlo.h: the tables of the portable format: versioned ops, the codes of its types and attributes, and the first
 * release of each. */
#ifndef TEN_IR_BYTECODE_VHLO_H
#define TEN_IR_BYTECODE_VHLO_H

#include "ir/bytecode/bytecode.h"

/* A release as one comparable number. */
#define VHLO_VERSION(major, minor) ((major) * 256 + (minor))
enum { VHLO_LATEST = 0xffff };

/* The default that VHLO writes where StableHLO omits the attribute. */
typedef enum vhlo_default {
  VHLO_DEFAULT_REQUIRED, /* no default: the attribute is required */
  VHLO_DEFAULT_FALSE,
  VHLO_DEFAULT_ZERO,
  VHLO_DEFAULT_MINUS_ONE,
  VHLO_DEFAULT_NO_TEXT,
  VHLO_DEFAULT_NO_ARRAY,
  VHLO_DEFAULT_NO_LAYOUTS, /* an empty array, omitted only when operands and results both have none */
  VHLO_DEFAULT_NO_DICT,
  VHLO_DEFAULT_NO_CONFIG, /* an empty string, or an empty dictionary for the typed interface */
  VHLO_DEFAULT_NO_DIMS,   /* tensor<0xi64> */
  VHLO_DEFAULT_ONES,      /* one for each window dimension */
  VHLO_DEFAULT_FALSES,
  VHLO_DEFAULT_PADDING,   /* zeros, two for each window dimension */
  VHLO_DEFAULT_PRECISION, /* DEFAULT, twice */
  VHLO_DEFAULT_NOTYPE,
  VHLO_DEFAULT_API_ORIGINAL,
  VHLO_DEFAULT_ACCURACY,
  VHLO_DEFAULT_NONE_TYPE
} vhlo_default;

typedef struct vhlo_attr_row {
  const char *name; /* NULL ends the list */
  vhlo_default absent;
} vhlo_attr_row;

enum { VHLO_LIMIT_ONE = 1, VHLO_LIMIT_REGIONS = 2, VHLO_LIMIT_ELEMENT = 4, VHLO_LIMIT_CUSTOM_CALL = 8 };

typedef struct vhlo_op {
  const char *name; /* without the dialect */
  ten_opcode code;
  uint16_t since, until;
  uint16_t limits;
  const vhlo_attr_row *attrs; /* by name */
} vhlo_op;

extern const vhlo_op vhlo_ops[];
extern const size_t vhlo_op_count;
const vhlo_op *vhlo_op_find(ten_str name); /* NULL when unknown */
/* The form of an op in a release; NULL when that release has none. `newest`: its form today, NULL for ops that VHLO
 * never had. */
const vhlo_op *vhlo_op_at(ten_opcode code, uint16_t version);
const vhlo_op *vhlo_op_newest(ten_opcode code);
const vhlo_op *vhlo_op_oldest(ten_opcode code);
const vhlo_attr_row *vhlo_op_attr(const vhlo_op *op, ten_str name);
/* Whether VHLO's value is the default that StableHLO omits (upgrade.c). */
bool vhlo_is_default(const ten_attr *attr, vhlo_default absent);

/* Codes of types without parameters. */
typedef struct vhlo_scalar {
  uint8_t code;
  ten_dtype dtype;
  uint16_t since;
} vhlo_scalar;
extern const vhlo_scalar vhlo_scalars[];
extern const size_t vhlo_scalar_count;

enum vhlo_type_code {
  VHLO_TYPE_COMPLEX = 1,
  VHLO_TYPE_FUNCTION = 8,
  VHLO_TYPE_TENSOR = 20,
  VHLO_TYPE_TENSOR_ENCODED = 21,
  VHLO_TYPE_TOKEN = 22,
  VHLO_TYPE_TUPLE = 23,
  VHLO_TYPE_QUANT = 24,
  VHLO_TYPE_UNRANKED = 25,
  VHLO_TYPE_WITNESS = 26,
  VHLO_TYPE_QUANT_AXIS = 30,
  VHLO_TYPE_NONE = 33,
  VHLO_TYPE_BUFFER = 41,
  VHLO_TYPE_FUTURE = 42
};

enum vhlo_attr_code {
  VHLO_ATTR_ARRAY = 1,
  VHLO_ATTR_BOOL = 2,
  VHLO_ATTR_DICT = 6,
  VHLO_ATTR_FLOAT = 8,
  VHLO_ATTR_INT = 9,
  VHLO_ATTR_ALIAS = 10,
  VHLO_ATTR_STRING = 14,
  VHLO_ATTR_TENSOR = 15,
  VHLO_ATTR_TYPE = 17,
  VHLO_ATTR_BOUNDS = 18,
  VHLO_ATTR_ACCURACY = 20,
  VHLO_ATTR_SUB_AXIS = 21,
  VHLO_ATTR_AXIS_REF = 22,
  VHLO_ATTR_GROUP_AXES = 23,
  VHLO_ATTR_MESH_AXIS = 24,
  VHLO_ATTR_MESH = 25
};

/* Enumerations: the number on the wire is that of enums.def. */
typedef struct vhlo_enum {
  uint8_t code;
  ten_enum_id id;
  uint16_t since;
} vhlo_enum;
extern const vhlo_enum vhlo_enums[];
extern const size_t vhlo_enum_count;

/* Codes of builtin types without parameters, and of StableHLO's own enumerations. */
extern const vhlo_scalar builtin_scalars[];
extern const size_t builtin_scalar_count;
extern const vhlo_enum stablehlo_enums[], chlo_enums[];
extern const size_t stablehlo_enum_count, chlo_enum_count;

#endif
