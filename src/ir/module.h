/* module.h: module → op → region → block → op → value, all in the module's arena; destroying the module frees
 * everything.
 *
 * 1. Every operand is a ten_use, linked into the list of its value: replacing and counting are linear in its length.
 * 2. An op is in at most one block; a value belongs to the op or block that defines it.
 * 3. Attributes of an op are sorted by name and unique.
 * 4. Nothing is freed before the module: an erased op is only unlinked. */
#ifndef TEN_IR_MODULE_H
#define TEN_IR_MODULE_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/hash.h"
#include "ir/attr.h"

typedef struct ten_op ten_op;
typedef struct ten_value ten_value;
typedef struct ten_block ten_block;
typedef struct ten_region ten_region;
typedef struct ten_use ten_use;

typedef enum ten_opcode {
  TEN_OP_UNKNOWN,
#define OP(code, ...) TEN_OP_##code,
#include "ir/ops.def"
#undef OP
  TEN_OP_COUNT
} ten_opcode;

enum {
  TEN_TRAIT_PURE = 1,        /* no effect but its results */
  TEN_TRAIT_ELEMENTWISE = 2, /* results[i] depends on operands[i] alone */
  TEN_TRAIT_COMMUTATIVE = 4,
  TEN_TRAIT_BROADCASTS_SCALARS = 8, /* elementwise, but some operands may be scalars */
  TEN_TRAIT_REGION_PURE = 16,       /* pure when every op of its regions is */
  TEN_TRAIT_COLLECTIVE = 32,
  TEN_TRAIT_CONSTANT = 64,
  TEN_TRAIT_TERMINATOR = 128,
  TEN_TRAIT_SIDE_EFFECT = 256,
  TEN_TRAIT_SYMBOL = 512,
  TEN_TRAIT_ISOLATED = 1024, /* isolated from above: its regions use no outside value */
  TEN_ANY_COUNT = 0xffff
};

/* The cost class of an op; ir/cost.h maps it to costs. */
typedef enum ten_cost_class {
  TEN_COST_FREE,     /* nothing at run time, or nothing per element: constants, reshapes, broadcasts */
  TEN_COST_MOVE,     /* contiguous copies: slices, concatenations, padding */
  TEN_COST_FAR,      /* strided or indexed reads: transposes, gathers */
  TEN_COST_COPY,     /* one instruction per element, but no arithmetic: convert, select, clamp */
  TEN_COST_SIMPLE,   /* one or a few instructions per element */
  TEN_COST_DIVIDE,   /* one slow instruction: divisions */
  TEN_COST_ROOT,     /* the same: square roots */
  TEN_COST_FUNCTION, /* a polynomial per element: exponentials, logarithms, trigonometric functions */
  TEN_COST_SPECIAL,  /* a long polynomial or a series: powers, special functions */
  TEN_COST_REDUCE,   /* every input element is read and combined, with others near or far */
  TEN_COST_CONTRACT, /* matmuls and convolutions: every element of the result is a sum */
  TEN_COST_SOLVE,    /* factorisations, transforms, normalisations, random numbers */
  TEN_COST_INNER,    /* the cost of its regions or its function */
  TEN_COST_OUTSIDE,  /* unknown here: other devices, custom calls, tests */
  TEN_COST_COUNT
} ten_cost_class;

typedef struct ten_op_info {
  const char *name;
  uint16_t operands_min, operands_max, results_min, results_max, regions_min, regions_max;
  uint32_t traits;
  const ten_attr_spec *attrs; /* ends with TEN_SPEC_END */
  ten_cost_class cost;
} ten_op_info;

extern const ten_op_info ten_op_infos[TEN_OP_COUNT];
ten_opcode ten_opcode_find(ten_str name);                             /* TEN_OP_UNKNOWN when not in the table */
const ten_attr_spec *ten_op_spec(ten_opcode code, ten_str attr_name); /* NULL when not inherent */
/* The op that chlo.broadcast_… applies to its broadcast operands; TEN_OP_UNKNOWN for other ops. */
ten_opcode ten_op_broadcasts(ten_opcode code);

/* The source location of an op. Unknown is NULL. */
typedef enum ten_loc_kind { TEN_LOC_FILE, TEN_LOC_NAME, TEN_LOC_CALL, TEN_LOC_FUSED, TEN_LOC_OPAQUE } ten_loc_kind;
struct ten_loc {
  ten_loc_kind kind;
  ten_str name;                                /* FILE: path; NAME: name; OPAQUE: text */
  uint32_t line, column, end_line, end_column; /* FILE; end_line 0: no range */
  const ten_loc *first, *second;               /* NAME: child; CALL: callee, caller */
  const ten_loc *const *parts;                 /* FUSED; an unknown part is NULL */
  size_t part_count;
  const ten_attr *metadata; /* FUSED, may be NULL */
};
const ten_loc *ten_loc_file(ten_module *module, ten_str path, uint32_t line, uint32_t column);
/* A name, such as that of a layer, and its location; `child` may be NULL. */
const ten_loc *ten_loc_named(ten_module *module, ten_str name, const ten_loc *child);
const ten_loc *ten_loc_import(ten_module *module, const ten_loc *loc);
bool ten_loc_equal(const ten_loc *a, const ten_loc *b);
/* The first file:line inside, outermost call last; NULL when there is none. */
const ten_loc *ten_loc_first_file(const ten_loc *loc);
/* The first name inside: the layer in a program from PyTorch; empty when there is none. */
ten_str ten_loc_name(const ten_loc *loc);

struct ten_use {
  ten_value *value;
  ten_op *owner;
  uint32_t index; /* among the owner's operands */
  ten_use *next, **link;
};

struct ten_value {
  const ten_type *type;
  ten_use *uses;    /* newest first */
  ten_op *op;       /* the op it is a result of, or NULL */
  ten_block *block; /* the block it is an argument of, or NULL */
  uint32_t index;
  uint32_t number;    /* scratch for the current pass; undefined between passes */
  ten_str name;       /* as written, without %, or empty; never compared */
  const ten_loc *loc; /* block arguments */
};

struct ten_op {
  ten_opcode code;
  ten_str name; /* of the op, "stablehlo.add" */
  ten_block *block;
  ten_op *prev, *next;
  const ten_loc *loc;
  ten_use *operands;
  ten_value *results;
  ten_region *regions;
  ten_named_attr *attrs;
  uint32_t operand_count, result_count, region_count, attr_count, attr_capacity;
  uint32_t number; /* scratch, as in ten_value */
  void *data;      /* scratch, as in ten_value */
};

struct ten_block {
  ten_region *region;
  ten_block *next;
  ten_op *first, *last;
  ten_value **args;
  uint32_t arg_count, arg_capacity;
};

struct ten_region {
  ten_op *op;
  ten_block *first, *last;
};

struct ten_module {
  ten_arena arena;
  ten_op *op;             /* builtin.module */
  const ten_type **types; /* open-addressed table, owned */
  size_t type_count, type_capacity;
  struct ten_module_cleanup *cleanups;
  uint32_t mlir_version; /* of the bytecode it was read from, 0 for text */
  bool from_torch;       /* fused ops may round only their final result (transform/pass/round.c); integer
                            inputs may be indices */
  bool sizes_vary;       /* also compiled for other sizes: generated code should not depend on them */
};

TEN_MUST_USE ten_module *ten_module_create(void);
void ten_module_destroy(ten_module *module);
/* Runs when the module is destroyed: to unmap a file that constants point into. */
void ten_module_on_destroy(ten_module *module, void (*run)(void *), void *data);
static inline ten_block *ten_module_body(const ten_module *module) { return module->op->regions[0].first; }
/* A symbol op (func.func, nested module, sdy.mesh…) directly inside `scope`, or NULL. */
ten_op *ten_symbol_find(const ten_op *scope, ten_str name);
static inline ten_op *ten_module_find(const ten_module *module, ten_str name) {
  return ten_symbol_find(module->op, name);
}
/* The function to run: `name`, else @main, else the only public function, else NULL. */
ten_op *ten_module_entry(const ten_module *module, ten_str name);

/* A new op that is in no block yet. Operands, types, attrs are copied. Unlisted names make TEN_OP_UNKNOWN ops. */
ten_op *ten_op_create(ten_module *module, ten_opcode code, ten_str name, const ten_loc *loc, uint32_t operand_count,
                      ten_value *const *operands, uint32_t result_count, const ten_type *const *result_types,
                      uint32_t attr_count, const ten_named_attr *attrs, uint32_t region_count);
void ten_op_set_operand(ten_op *op, uint32_t index, ten_value *value);
void ten_op_set_operands(ten_module *module, ten_op *op, uint32_t count, ten_value *const *values);
void ten_op_erase_operand(ten_op *op, uint32_t index);
static inline ten_value *ten_op_operand(const ten_op *op, uint32_t index) { return op->operands[index].value; }
static inline ten_value *ten_op_result(const ten_op *op, uint32_t index) { return &op->results[index]; }
const ten_attr *ten_op_attr(const ten_op *op, const char *name); /* NULL when absent */
void ten_op_set_attr(ten_module *module, ten_op *op, ten_str name, const ten_attr *value);
void ten_op_remove_attr(ten_op *op, const char *name);
void ten_op_append(ten_block *block, ten_op *op);
void ten_op_insert_before(ten_op *place, ten_op *op);
void ten_op_insert_after(ten_op *place, ten_op *op);
void ten_op_unlink(ten_op *op);
/* Unlinks the op and drops the uses by its operands and those of nested ops. The results must be unused. */
void ten_op_erase(ten_op *op);
ten_op *ten_op_parent(const ten_op *op); /* the op whose region holds it, or NULL */
bool ten_op_is_pure(const ten_op *op);   /* by trait, looking into regions */
static inline uint32_t ten_op_traits(const ten_op *op) { return ten_op_infos[op->code].traits; }
static inline bool ten_op_has(const ten_op *op, uint32_t trait) { return (ten_op_traits(op) & trait) != 0; }

ten_block *ten_block_create(ten_module *module, ten_region *region); /* appended */
ten_value *ten_block_add_arg(ten_module *module, ten_block *block, const ten_type *type, const ten_loc *loc);
void ten_block_erase_arg(ten_block *block, uint32_t index); /* must be unused */
static inline ten_op *ten_block_terminator(const ten_block *block) { return block->last; }
static inline ten_block *ten_op_body(const ten_op *op, uint32_t region) { return op->regions[region].first; }

void ten_value_replace(ten_value *value, ten_value *by); /* every use of it */
static inline bool ten_value_has_uses(const ten_value *value) { return value->uses != NULL; }
static inline bool ten_value_used_once(const ten_value *value) { return value->uses && !value->uses->next; }
/* The constant attribute that defines a value (stablehlo.constant with DENSE data), or NULL. */
const ten_attr *ten_value_constant(const ten_value *value);
/* The constant whose first element fills the value, directly or through broadcasts and reshapes; or NULL. */
const ten_attr *ten_value_number(const ten_value *value);

/* Functions. */
static inline bool ten_op_is_func(const ten_op *op) { return op->code == TEN_OP_FUNC; }
ten_str ten_func_name(const ten_op *func);
const ten_type *ten_func_type(const ten_op *func);
bool ten_func_is_private(const ten_op *func);
/* Makes func.func @name with an entry block; appended to the module. */
ten_op *ten_func_create(ten_module *module, ten_str name, uint32_t input_count, const ten_type *const *inputs,
                        uint32_t result_count, const ten_type *const *results, const ten_loc *loc);
/* Rebuilds function_type from the entry block's arguments and the return's operands. */
void ten_func_update_type(ten_module *module, ten_op *func);
const ten_attr *ten_func_arg_attr(const ten_op *func, uint32_t index, const char *name);
const ten_attr *ten_func_result_attr(const ten_op *func, uint32_t index, const char *name);
/* The name of an input or a result in the source of the program: the signature of an archive, JAX's metadata, the text
 * itself. Empty: none. Borrowed from the function. */
ten_str ten_func_input_name(const ten_op *func, uint32_t index);
ten_str ten_func_result_name(const ten_op *func, uint32_t index);

/* Visits every op under `op` in post-order (itself last); stops when visit returns an error. */
typedef ten_status *(*ten_visit)(ten_op *op, void *context);
TEN_MUST_USE ten_status *ten_op_walk(ten_op *op, ten_visit visit, void *context);

/* An error that names op and location: "file:line:col: stablehlo.add: message", with the Python line if known. */
TEN_MUST_USE ten_status *ten_op_error(const ten_op *op, ten_code code, const char *format, ...) TEN_PRINTF(3, 4);
/* Adds the file and line that the op came from, where there is one. */
TEN_MUST_USE ten_status *ten_op_locate(const ten_op *op, ten_status *status);

/* Clone. Values are mapped through `map`: unmapped outside values of the same module map to themselves. */
typedef struct ten_value_map {
  ten_value **keys, **values; /* owned, open-addressed */
  size_t count, capacity;
} ten_value_map;
void ten_value_map_set(ten_value_map *map, const ten_value *key, ten_value *value);
ten_value *ten_value_map_get(const ten_value_map *map, const ten_value *key); /* NULL when absent */
void ten_value_map_free(ten_value_map *map);
/* A copy of op and its regions in `module`, in no block; adds its results to the map. */
ten_op *ten_op_clone(ten_module *module, const ten_op *op, ten_value_map *map);
TEN_MUST_USE ten_module *ten_module_clone(const ten_module *module);
/* The data of constants is borrowed: `module` must outlive the copy. */
TEN_MUST_USE ten_module *ten_module_clone_view(const ten_module *module);

/* Structural: ignores names of values and locations, compares the order of ops. */
bool ten_op_equal(const ten_op *a, const ten_op *b);
bool ten_module_equal(const ten_module *a, const ten_module *b);
uint64_t ten_op_hash(const ten_op *op);
/* digest.c: adds all that equality compares, so that different programs have different digests, even adversarial ones.
 * `data` may add the number 1 and a shorter stand-in for a constant's data, and return true; NULL: add all data. */
typedef bool (*ten_data_digest)(void *user, const ten_attr *dense, ten_digester *digester);
void ten_op_digest(const ten_op *op, ten_data_digest data, void *user, ten_digester *digester);
/* Of one attribute, with all of its data. */
ten_digest ten_attr_digest(const ten_attr *attr);
/* fingerprint.c: equal for programs that differ in sizes alone: a hash of the ops, what they are applied to, and the
 * types and ranks of tensors. `exact`: inputs whose sizes count, by index, or NULL. Renumbers values. */
ten_hash128 ten_func_fingerprint(const ten_op *func, const bool *exact);
/* Appends the first difference in words, for tests and messages. True when equal. */
bool ten_module_explain(const ten_module *a, const ten_module *b, ten_buf *why);

#endif
