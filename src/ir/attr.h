/* attr.h: attributes are immutable values in the module's arena (large constants may be views of a mapped file that
 * outlives it). */
#ifndef TEN_IR_ATTR_H
#define TEN_IR_ATTR_H

#include "ir/type.h"

typedef struct ten_loc ten_loc;
typedef struct ten_named_attr ten_named_attr;
typedef struct ten_source ten_source; /* base/source.h */

typedef enum ten_attr_kind {
  TEN_ATTR_UNIT,
  TEN_ATTR_INT,   /* 3 : i64, true (type i1), 1 : index */
  TEN_ATTR_FLOAT, /* 1.0 : f32 */
  TEN_ATTR_STRING,
  TEN_ATTR_TYPE,
  TEN_ATTR_SYMBOL,   /* @a::@b */
  TEN_ATTR_ARRAY,    /* […] */
  TEN_ATTR_DICT,     /* {…} */
  TEN_ATTR_DENSE,    /* dense<…> : tensor<…> */
  TEN_ATTR_RESOURCE, /* dense_resource<key> : tensor<…> */
  TEN_ATTR_LIST,     /* array<i64: 1, 2> */
  TEN_ATTR_ENUM,     /* #stablehlo<comparison_direction LT> */
  TEN_ATTR_STRUCT,   /* #stablehlo.gather<…> and other records: fields in the order of structs.def */
  TEN_ATTR_LOC,
  TEN_ATTR_OPAQUE /* of a dialect that is not interpreted; text as written, with the leading # (or affine_map<…>) */
} ten_attr_kind;

/* enums.def: ENUM(ID, "dialect", "mnemonic", CASE("NAME", value)…) */
typedef enum ten_enum_id {
  TEN_ENUM_NONE,
#define ENUM(id, dialect, mnemonic, ...) TEN_ENUM_##id,
#include "ir/enums.def"
#undef ENUM
  TEN_ENUM_COUNT
} ten_enum_id;

/* structs.def: STRUCT(ID, "dialect", "mnemonic", FIELD("name", kind, subject)…) */
typedef enum ten_struct_id {
  TEN_STRUCT_NONE,
#define STRUCT(id, dialect, mnemonic, ...) TEN_STRUCT_##id,
#include "ir/structs.def"
#undef STRUCT
  TEN_STRUCT_COUNT
} ten_struct_id;

/* The required kind of an inherent attribute or of a field of a struct. */
typedef enum ten_attr_spec_kind {
  TEN_SPEC_END,
  TEN_SPEC_ANY,
  TEN_SPEC_UNIT,
  TEN_SPEC_BOOL,
  TEN_SPEC_I32,
  TEN_SPEC_I64,
  TEN_SPEC_UI32,
  TEN_SPEC_UI64,
  TEN_SPEC_F32,
  TEN_SPEC_F64,
  TEN_SPEC_STRING,
  TEN_SPEC_TYPE,
  TEN_SPEC_SYMBOL,
  TEN_SPEC_ARRAY,
  TEN_SPEC_DICT,
  TEN_SPEC_ELEMENTS, /* DENSE or RESOURCE */
  TEN_SPEC_DIMS,     /* LIST of i64 */
  TEN_SPEC_BOOLS,    /* LIST of i1 */
  TEN_SPEC_ENUM,     /* subject: ten_enum_id */
  TEN_SPEC_STRUCT    /* subject: ten_struct_id */
} ten_attr_spec_kind;

typedef struct ten_attr_spec {
  const char *name;
  ten_attr_spec_kind kind;
  int subject;
  bool required;
} ten_attr_spec;

typedef struct ten_enum_case {
  const char *name;
  int value;
} ten_enum_case;

typedef struct ten_enum_info {
  const char *dialect, *mnemonic;
  const ten_enum_case *cases; /* ends with a NULL name */
} ten_enum_info;

enum { TEN_STRUCT_FIELDS_MAX = 16 };
typedef struct ten_struct_info {
  const char *dialect, *mnemonic;
  const ten_attr_spec *fields; /* ends with TEN_SPEC_END; `required` fields are always printed */
  uint32_t field_count;
} ten_struct_info;

extern const ten_enum_info ten_enum_infos[TEN_ENUM_COUNT];
extern const ten_struct_info ten_struct_infos[TEN_STRUCT_COUNT];

/* The name of a case, or NULL; and the reverse, -1 when there is none. */
const char *ten_enum_name(ten_enum_id id, int value);
int ten_enum_value(ten_enum_id id, ten_str name);

struct ten_attr {
  ten_attr_kind kind;
  union {
    struct {
      int64_t value; /* unsigned types: the bits */
      const ten_type *type;
    } integer;
    struct {
      double value;
      const ten_type *type;
    } real;
    ten_str string; /* STRING, OPAQUE */
    const ten_type *type;
    struct {
      const ten_str *path; /* without the @ */
      size_t count;
    } symbol;
    struct {
      const ten_attr *const *items;
      size_t count;
    } array;
    struct {
      const ten_named_attr *items; /* sorted by name */
      size_t count;
    } dict;
    struct {
      const ten_type *type; /* static tensor */
      const void *data;     /* one element when splat, else all, row-major, in the layout of dtype.h */
      size_t size;          /* bytes at data */
      bool splat;
      ten_str resource;   /* RESOURCE: the key; data is NULL when the blob was not given */
      uint64_t digest;    /* of the data: given by its source (even), or a hash of all of it (odd); 0: unknown.
                             For tables only: an adversary may have chosen it. */
      ten_source *source; /* borrowed: the file that data points into, or NULL */
    } dense;
    struct {
      ten_dtype dtype;
      const void *data; /* i1: one byte each */
      size_t count;
    } list;
    struct {
      ten_enum_id id;
      int value;
    } enumeration;
    struct {
      ten_struct_id id;
      const ten_attr *const *fields; /* field_count of them; NULL where absent */
    } record;
    const ten_loc *loc;
  };
};

struct ten_named_attr {
  ten_str name;
  const ten_attr *value;
  bool inherent; /* in the op's table (or, for unknown ops, written inside <{…}>) */
};

/* A borrowed array of integers. */
typedef struct ten_ints {
  const int64_t *data;
  size_t count;
} ten_ints;

const ten_attr *ten_attr_unit(ten_module *module);
const ten_attr *ten_attr_int(ten_module *module, int64_t value, const ten_type *type);
const ten_attr *ten_attr_i64(ten_module *module, int64_t value);
const ten_attr *ten_attr_i32(ten_module *module, int32_t value);
const ten_attr *ten_attr_bool(ten_module *module, bool value);
const ten_attr *ten_attr_float(ten_module *module, double value, const ten_type *type);
const ten_attr *ten_attr_f32(ten_module *module, float value);
const ten_attr *ten_attr_string(ten_module *module, ten_str text);
const ten_attr *ten_attr_type(ten_module *module, const ten_type *type);
const ten_attr *ten_attr_symbol(ten_module *module, ten_str name);
const ten_attr *ten_attr_symbol_path(ten_module *module, size_t count, const ten_str *path);
const ten_attr *ten_attr_array(ten_module *module, size_t count, const ten_attr *const *items);
/* Copies and sorts the items. */
const ten_attr *ten_attr_dict(ten_module *module, size_t count, const ten_named_attr *items);
const ten_attr *ten_attr_list(ten_module *module, ten_dtype dtype, size_t count, const void *data);
const ten_attr *ten_attr_dims(ten_module *module, size_t count, const int64_t *values);
const ten_attr *ten_attr_enum(ten_module *module, ten_enum_id id, int value);
const ten_attr *ten_attr_struct(ten_module *module, ten_struct_id id, const ten_attr *const *fields);
const ten_attr *ten_attr_loc(ten_module *module, const ten_loc *loc);
const ten_attr *ten_attr_opaque(ten_module *module, ten_str text);
/* Copies the data into the arena. `size` must be that of one element or of the whole; one element of several is a
 * splat. */
const ten_attr *ten_attr_dense(ten_module *module, const ten_type *type, const void *data, size_t size);
/* Borrows the data, which must outlive the module (a mapped file, for instance). */
const ten_attr *ten_attr_dense_view(ten_module *module, const ten_type *type, const void *data, size_t size,
                                    bool splat);
/* The same, with a digest of the data, so that hashing the attribute need not read it again; `source` is the file that
 * data points into, which lives as long as the data, or NULL. */
const ten_attr *ten_attr_dense_known(ten_module *module, const ten_type *type, const void *data, size_t size,
                                     uint64_t digest, ten_source *source);
const ten_attr *ten_attr_resource(ten_module *module, const ten_type *type, ten_str key, const void *data, size_t size);
/* dense<…> of i64 with the given shape. */
const ten_attr *ten_attr_dense_i64(ten_module *module, uint32_t rank, const int64_t *dims, const int64_t *values);
/* The same attribute, owned by `module`; constant data is shared if `share`, else copied. */
const ten_attr *ten_attr_import(ten_module *module, const ten_attr *attr, bool share);

bool ten_attr_equal(const ten_attr *a, const ten_attr *b);
uint64_t ten_attr_hash(const ten_attr *attr);

/* Accessors; each accepts NULL and then returns `otherwise` or an empty result. */
int64_t ten_attr_as_int(const ten_attr *attr, int64_t otherwise);
bool ten_attr_as_bool(const ten_attr *attr); /* true, unit */
double ten_attr_as_float(const ten_attr *attr, double otherwise);
ten_str ten_attr_as_string(const ten_attr *attr); /* STRING, or the last name of a SYMBOL */
ten_ints ten_attr_as_ints(const ten_attr *attr);  /* LIST of i64; DENSE i64 unless splat */
const ten_attr *ten_attr_field(const ten_attr *record, const char *name);
const ten_attr *ten_dict_get(const ten_attr *dict, const char *name);
/* Element i of a DENSE attribute, splat or not: a pointer to its bytes. */
const void *ten_dense_at(const ten_attr *attr, size_t i);
int64_t ten_dense_int(const ten_attr *attr, size_t i); /* integer elements, sign- or zero-extended */

#endif
