/* rules.h: shared by the files of this folder. A rule is a row of the table in rules.c; its functions get an op whose
 * counts, attribute kinds and type classes were already checked against that row. Types, texts and temporaries are
 * allocated in `m`: the module itself when types are inferred for it, a scratch module when it is only verified. */
#ifndef TEN_IR_VERIFY_RULES_H
#define TEN_IR_VERIFY_RULES_H

#include "ir/dims.h"
#include "ir/verify/verify.h"

/* What an operand or result may be: element kinds, then other kinds of value, then shape constraints. */
enum {
  IS_FLOAT = 1u << 0,
  IS_PRED = 1u << 1,
  IS_SINT = 1u << 2,
  IS_UINT = 1u << 3,
  IS_COMPLEX = 1u << 4,
  IS_QUANT = 1u << 5,      /* per tensor */
  IS_QUANT_AXIS = 1u << 6, /* per axis */
  IS_INDEX = 1u << 7,
  IS_TOKEN = 1u << 8,
  IS_TUPLE = 1u << 9,
  IS_BUFFER = 1u << 10,
  IS_FUTURE = 1u << 11,
  MAY_BE_UNRANKED = 1u << 12,
  OF_RANK_0 = 1u << 13,
  OF_RANK_1 = 1u << 14,
  OF_RANK_2 = 1u << 15,
  STATIC = 1u << 16,
  STATIC_OR_BOUNDED = 1u << 17, /* static, or one dynamic dimension that has a bound */
  ONLY_F32_F64 = 1u << 18,
  ONLY_I32 = 1u << 19,
  ONLY_UI32 = 1u << 20,
  IS_ANYTHING = 1u << 21,

  INT = IS_SINT | IS_UINT,
  NUMBER = IS_FLOAT | IS_PRED | INT | IS_COMPLEX,
  TENSOR = NUMBER | IS_QUANT,
  TENSOR_AXIS = TENSOR | IS_QUANT_AXIS,
  FLOAT_OR_COMPLEX = IS_FLOAT | IS_COMPLEX,
  FLOAT_QUANT = IS_FLOAT | IS_QUANT,
  FLOAT_COMPLEX_QUANT = IS_FLOAT | IS_COMPLEX | IS_QUANT,
  ARITHMETIC = INT | IS_FLOAT | IS_COMPLEX | IS_QUANT,
  PRED_OR_INT = IS_PRED | INT,
  ANY_TENSOR = TENSOR_AXIS | MAY_BE_UNRANKED,
  DIMENSION_SIZES = INT | IS_INDEX | OF_RANK_1
};

/* What must match between all operands and results. */
enum {
  SAME_SHAPE = 1,        /* shapes agree */
  SAME_ELEMENT = 2,      /* element types are equal */
  AGREE_ELEMENT = 4,     /* element types agree: quantized ones may differ in scale and zero point */
  AGREE_TYPE = 8,        /* types agree */
  AGREE_IN = 16,         /* element types of the operands agree */
  SAME_ELEMENT_01 = 32,  /* operand 0 and result 0 have equal element types */
  PAIRWISE_TYPE = 64,    /* operand i and result i are of one type, and as many */
  PAIRWISE_ELEMENT = 128 /* operand i and result i have one element type, and as many */
};

typedef ten_status *(*ten_rule_verify)(ten_module *m, const ten_op *op);
typedef ten_status *(*ten_rule_infer)(ten_module *m, const ten_op *op, const ten_type **out);

enum { TEN_RULE_OPERANDS = 6, TEN_RULE_RESULTS = 4 };
typedef struct ten_rule {
  uint32_t in[TEN_RULE_OPERANDS], out[TEN_RULE_RESULTS]; /* the last nonzero entry applies to all that follow */
  uint32_t same;
  bool open_element; /* infer returns the shape; the declared element type stands (verify checks it) */
  ten_rule_infer infer;
  ten_rule_verify verify; /* remaining checks; runs after infer, when results agree with what was inferred */
} ten_rule;
extern const ten_rule ten_rules[TEN_OP_COUNT];

/* op.c: the table's checks, the op's own functions, and the comparison of declared and inferred types. */
TEN_MUST_USE ten_status *ten_rule_check(ten_module *m, const ten_op *op);
/* attrs.c: presence and kind of every attribute of the op's table. */
TEN_MUST_USE ten_status *ten_rule_check_attrs(ten_module *m, const ten_op *op);
TEN_MUST_USE ten_status *ten_rule_check_attr(const ten_op *op, const ten_attr_spec *spec, const ten_attr *attr);
/* ten.c: attributes and custom calls of the ten dialect are those of ir/ten.def. */
TEN_MUST_USE ten_status *ten_rule_check_own(ten_module *m, const ten_op *op);
/* types.c: validates a single type: no negative dimensions, bounds that fit, sizes below 2^63, valid quantization; NULL
 * or the reason. */
const char *ten_type_problem(ten_module *m, const ten_type *type);
bool ten_type_has_class(const ten_type *type, uint32_t class);
const char *ten_class_text(ten_module *m, uint32_t class);

#define BAD(...) return ten_op_error(op, TEN_INVALID, __VA_ARGS__)
/* For a function that takes the op and returns a status: fails with the message unless the condition holds. */
#define WANT(condition, ...)            \
  do {                                  \
    if (!(condition)) BAD(__VA_ARGS__); \
  } while (0)

static inline const ten_type *ten_in(const ten_op *op, uint32_t i) { return op->operands[i].value->type; }
/* The declared result type, or NULL when there is none yet. */
static inline const ten_type *ten_out(const ten_op *op, uint32_t i) { return op->results[i].type; }
static inline bool ten_dim_known(int64_t dim) { return dim != TEN_DYNAMIC; }
static inline bool ten_dims_agree(int64_t a, int64_t b) { return !ten_dim_known(a) || !ten_dim_known(b) || a == b; }
static inline bool ten_is_shaped(const ten_type *t) { return t->kind == TEN_TYPE_TENSOR || t->kind == TEN_TYPE_BUFFER; }
static inline bool ten_is_per_axis(const ten_type *t) {
  return t->quant && t->quant->axis_count == 1 && !t->quant->block_sizes;
}
static inline bool ten_is_per_tensor(const ten_type *t) { return t->quant && t->quant->axis_count == 0; }

/* types.c */
bool ten_shapes_agree(const ten_type *a, const ten_type *b);
bool ten_lists_agree(uint32_t rank_a, const int64_t *a, uint32_t rank_b, const int64_t *b);
bool ten_elements_agree(const ten_type *a, const ten_type *b);
/* Equal element types of two tensors (of one module or of two). */
bool ten_elements_equal(const ten_type *a, const ten_type *b);
/* Bounds of a tensor, as many as it has dimensions; NULL when it has none. */
const int64_t *ten_bounds_of(const ten_type *type);
/* A tensor of this element type; bounds may be NULL, TEN_DYNAMIC is "none". */
const ten_type *ten_make_tensor(ten_module *m, const ten_type *element, uint32_t rank, const int64_t *dims,
                                const int64_t *bounds);
const ten_type *ten_make_scalar(ten_module *m, ten_dtype dtype);
/* `like` with this element type: shape and encoding stay. */
const ten_type *ten_with_element(ten_module *m, const ten_type *like, const ten_type *element);
/* One dimension of two types that describe the same value (or, for `least`, of two branches). False when they
 * contradict. */
bool ten_merge_dim(int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound);
bool ten_widen_dim(int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound);
/* The type that holds values of both types; NULL when there is none. */
const ten_type *ten_types_widen(ten_module *m, const ten_type *a, const ten_type *b);

/* Texts for messages, allocated in m. */
const char *ten_say_type(ten_module *m, const ten_type *type);
const char *ten_say_types(ten_module *m, uint32_t count, const ten_type *const *types);
const char *ten_say_element(ten_module *m, const ten_type *type);
const char *ten_say_ints(ten_module *m, size_t count, const int64_t *values); /* [1, ?, 3] */
static inline const char *ten_say_list(ten_module *m, ten_ints list) { return ten_say_ints(m, list.count, list.data); }
const char *ten_say_dim(ten_module *m, int64_t dim);
const char *ten_say_shape(ten_module *m, const ten_type *type);

/* attrs.c: reading attributes that may be hostile. */
/* Whether all bytes of a DENSE attribute are present. */
bool ten_dense_is_whole(const ten_attr *attr);
/* The integers of a constant, in row-major order, converted in m unless stored as i64; false when it is no such
 * constant. */
bool ten_dense_ints(ten_module *m, const ten_attr *attr, ten_ints *out);
/* Those of the stablehlo.constant that defines a value. */
bool ten_value_ints(ten_module *m, const ten_value *value, ten_ints *out);
/* Dimension lists: in [0, rank), and unique. `name` names the list, `of` what has that rank. */
TEN_MUST_USE ten_status *ten_want_in_range(ten_module *m, const ten_op *op, ten_ints dims, uint32_t rank,
                                           const char *name, const char *of);
TEN_MUST_USE ten_status *ten_want_unique(ten_module *m, const ten_op *op, ten_ints dims, const char *name);
TEN_MUST_USE ten_status *ten_want_sorted(ten_module *m, const ten_op *op, ten_ints dims, const char *name);
/* No number in both lists (nor twice in one). */
TEN_MUST_USE ten_status *ten_want_disjoint(ten_module *m, const ten_op *op, ten_ints a, ten_ints b, const char *name_a,
                                           const char *name_b);
/* One dimension attribute in [0, rank). */
TEN_MUST_USE ten_status *ten_want_dim(const ten_op *op, const char *name, uint32_t rank, const char *of, int64_t *out);
/* precision_config: at most two, of the right enum. */
TEN_MUST_USE ten_status *ten_want_precision(const ten_op *op, ten_enum_id id);

/* control.c: the block of a region, which must exist, end in stablehlo.return, and have the required arguments and
 * results. */
TEN_MUST_USE ten_status *ten_want_body(const ten_op *op, uint32_t region, const char *name, const ten_block **body,
                                       const ten_op **end);

/* reduce.c: a reduction region: (accumulators…, elements…) -> accumulators… */
typedef struct ten_reducer {
  uint32_t region, count;
  const char *name;              /* of the region, for messages */
  const ten_type *const *inputs; /* what is reduced: only the element types matter */
  const ten_type *const *inits;  /* scalar tensors */
  uint32_t rank;                 /* of the shape that arguments may have; 0: scalars only */
  const int64_t *dims;
} ten_reducer;
TEN_MUST_USE ten_status *ten_want_reducer(ten_module *m, const ten_op *op, const ten_reducer *reducer);
/* Element type of what a reduction region returns at `index`; `otherwise` when there is no such thing. */
const ten_type *ten_reducer_element(const ten_op *op, uint32_t region, uint32_t index, const ten_type *otherwise);

/* window.c: strides, padding, dilations and reversal of convolutions and windows, with defaults filled in. */
TEN_MUST_USE ten_status *ten_want_window(ten_module *m, const ten_op *op, uint32_t rank, const int64_t *sizes,
                                         const char *base_dilation, const char *dilation, const ten_ints *padding,
                                         ten_window_dim **out);
/* The padding attribute as pairs: {NULL, 0} when absent. */
TEN_MUST_USE ten_status *ten_want_padding(ten_module *m, const ten_op *op, uint32_t rank, ten_ints *out);

/* conv.c: shared with dynamic_conv; padding NULL leaves spatial sizes open. */
TEN_MUST_USE ten_status *ten_infer_conv_shape(ten_module *m, const ten_op *op, const ten_ints *padding,
                                              const ten_type **out);
/* dot.c: shared with ragged_dot. */
TEN_MUST_USE ten_status *ten_want_dot_dims(ten_module *m, const ten_op *op, const ten_dot_dims *d);
/* quant.c */
TEN_MUST_USE ten_status *ten_want_contraction_quant(ten_module *m, const ten_op *op);
TEN_MUST_USE ten_status *ten_want_binary_quant(ten_module *m, const ten_op *op);
TEN_MUST_USE ten_status *ten_want_same_scale(ten_module *m, const ten_op *op);
TEN_MUST_USE ten_status *ten_want_reshape_quant(ten_module *m, const ten_op *op);
TEN_MUST_USE ten_status *ten_want_broadcast_quant(ten_module *m, const ten_op *op, ten_ints dims);
/* shape.c, gather.c: the static ops' shape functions with their lists given, shared with the dynamic ops. */
TEN_MUST_USE ten_status *ten_infer_slice_of(ten_module *m, const ten_op *op, ten_ints start, ten_ints limit,
                                            ten_ints strides, const ten_type **out);
TEN_MUST_USE ten_status *ten_infer_pad_of(ten_module *m, const ten_op *op, ten_ints low, ten_ints high,
                                          ten_ints interior, const ten_type **out);
/* sizes NULL: not known. */
TEN_MUST_USE ten_status *ten_infer_gather_of(ten_module *m, const ten_op *op, const ten_ints *sizes,
                                             const ten_type **out);

#define TEN_INFER(name) TEN_MUST_USE ten_status *ten_infer_##name(ten_module *m, const ten_op *op, const ten_type **out)
#define TEN_VERIFY(name) TEN_MUST_USE ten_status *ten_verify_##name(ten_module *m, const ten_op *op)

/* module.c: the symbols of the nearest module around an op. */
typedef struct ten_symbols ten_symbols;
const ten_op *ten_symbols_find(const ten_symbols *symbols, const ten_attr *symbol);
/* func.c: names that an op uses are defined, and mean what it expects. The op itself was checked. */
TEN_MUST_USE ten_status *ten_verify_symbol_uses(ten_module *m, const ten_op *op, const ten_symbols *symbols);

TEN_INFER(add);
TEN_INFER(all_gather);
TEN_INFER(all_reduce);
TEN_INFER(all_to_all);
TEN_INFER(async_done);
TEN_INFER(async_start);
TEN_INFER(batch_norm_grad);
TEN_INFER(batch_norm_inference);
TEN_INFER(batch_norm_training);
TEN_INFER(bitcast_convert);
TEN_INFER(branches);
TEN_INFER(broadcast);
TEN_INFER(chlo_broadcast);
TEN_INFER(chlo_broadcast_compare);
TEN_INFER(chlo_broadcast_complex);
TEN_INFER(chlo_broadcast_select);
TEN_INFER(chlo_constant_like);
TEN_INFER(chlo_ragged_dot);
TEN_INFER(chlo_scan);
TEN_INFER(chlo_top_k);
TEN_INFER(cholesky);
TEN_INFER(clamp);
TEN_INFER(collective_broadcast);
TEN_INFER(collective_reduce);
TEN_INFER(complex);
TEN_INFER(concatenate);
TEN_INFER(constant);
TEN_INFER(convert);
TEN_INFER(convolution);
TEN_INFER(device_id);
TEN_INFER(dot);
TEN_INFER(dot_general);
TEN_INFER(dynamic_broadcast_in_dim);
TEN_INFER(dynamic_conv);
TEN_INFER(dynamic_gather);
TEN_INFER(dynamic_iota);
TEN_INFER(dynamic_pad);
TEN_INFER(dynamic_reshape);
TEN_INFER(dynamic_slice);
TEN_INFER(dynamic_update_slice);
TEN_INFER(fft);
TEN_INFER(first_operand);
TEN_INFER(gather);
TEN_INFER(get_dimension_size);
TEN_INFER(get_tuple_element);
TEN_INFER(map);
TEN_INFER(operands);
TEN_INFER(pad);
TEN_INFER(part);
TEN_INFER(pred);
TEN_INFER(real_dynamic_slice);
TEN_INFER(reduce);
TEN_INFER(reduce_scatter);
TEN_INFER(reduce_window);
TEN_INFER(reverse);
TEN_INFER(rng);
TEN_INFER(rng_bit_generator);
TEN_INFER(same);
TEN_INFER(scatter);
TEN_INFER(select);
TEN_INFER(select_and_scatter);
TEN_INFER(set_dimension_size);
TEN_INFER(slice);
TEN_INFER(sort);
TEN_INFER(token);
TEN_INFER(transpose);
TEN_INFER(triangular_solve);
TEN_INFER(tuple);
TEN_INFER(uniform_dequantize);
TEN_INFER(uniform_quantize);
TEN_INFER(while);

TEN_VERIFY(accuracy);
TEN_VERIFY(add);
TEN_VERIFY(all_gather);
TEN_VERIFY(all_reduce);
TEN_VERIFY(bitcast_convert);
TEN_VERIFY(broadcast_in_dim);
TEN_VERIFY(check_const);
TEN_VERIFY(check_pair);
TEN_VERIFY(check_ulps);
TEN_VERIFY(collective_broadcast);
TEN_VERIFY(collective_permute);
TEN_VERIFY(collective_reduce);
TEN_VERIFY(compare);
TEN_VERIFY(composite);
TEN_VERIFY(constant);
TEN_VERIFY(convolution);
TEN_VERIFY(cross_replica_sum);
TEN_VERIFY(custom_call);
TEN_VERIFY(dot_general);
TEN_VERIFY(dynamic_broadcast_in_dim);
TEN_VERIFY(dynamic_iota);
TEN_VERIFY(dynamic_reshape);
TEN_VERIFY(einsum);
TEN_VERIFY(func);
TEN_VERIFY(func_return);
TEN_VERIFY(infeed);
TEN_VERIFY(iota);
TEN_VERIFY(outfeed);
TEN_VERIFY(probe);
TEN_VERIFY(recv);
TEN_VERIFY(reduce);
TEN_VERIFY(reduce_precision);
TEN_VERIFY(reduce_scatter);
TEN_VERIFY(reduce_window);
TEN_VERIFY(reshape);
TEN_VERIFY(scatter);
TEN_VERIFY(select_and_scatter);
TEN_VERIFY(send);
TEN_VERIFY(sort);
TEN_VERIFY(torch_index_select);
TEN_VERIFY(transpose);
TEN_VERIFY(unary_einsum);
TEN_VERIFY(uniform_quantize);

#endif
