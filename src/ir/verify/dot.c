/* dot.c: dot, dot_general, einsum. */
#include "ir/verify/rules.h"

ten_status *ten_want_dot_dims(ten_module *m, const ten_op *op, const ten_dot_dims *d) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1);
  WANT(d->lhs_batch.count == d->rhs_batch.count, "lhs has %zu batching dimensions, rhs has %zu", d->lhs_batch.count,
       d->rhs_batch.count);
  WANT(d->lhs_contract.count == d->rhs_contract.count, "lhs has %zu contracting dimensions, rhs has %zu",
       d->lhs_contract.count, d->rhs_contract.count);
  TEN_TRY(ten_want_in_range(m, op, d->lhs_batch, lhs->rank, "lhs_batching_dimensions", "lhs"));
  TEN_TRY(ten_want_in_range(m, op, d->lhs_contract, lhs->rank, "lhs_contracting_dimensions", "lhs"));
  TEN_TRY(ten_want_in_range(m, op, d->rhs_batch, rhs->rank, "rhs_batching_dimensions", "rhs"));
  TEN_TRY(ten_want_in_range(m, op, d->rhs_contract, rhs->rank, "rhs_contracting_dimensions", "rhs"));
  TEN_TRY(
      ten_want_disjoint(m, op, d->lhs_batch, d->lhs_contract, "lhs_batching_dimensions", "lhs_contracting_dimensions"));
  TEN_TRY(
      ten_want_disjoint(m, op, d->rhs_batch, d->rhs_contract, "rhs_batching_dimensions", "rhs_contracting_dimensions"));
  for (size_t i = 0; i < d->lhs_batch.count; i++) {
    const int64_t a = lhs->dims[d->lhs_batch.data[i]], b = rhs->dims[d->rhs_batch.data[i]];
    WANT(ten_dims_agree(a, b), "batching dimension %lld of lhs has size %lld, %lld of rhs has %lld",
         (long long)d->lhs_batch.data[i], (long long)a, (long long)d->rhs_batch.data[i], (long long)b);
  }
  for (size_t i = 0; i < d->lhs_contract.count; i++) {
    const int64_t a = lhs->dims[d->lhs_contract.data[i]], b = rhs->dims[d->rhs_contract.data[i]];
    WANT(ten_dims_agree(a, b), "contracting dimension %lld of lhs has size %lld, %lld of rhs has %lld",
         (long long)d->lhs_contract.data[i], (long long)a, (long long)d->rhs_contract.data[i], (long long)b);
  }
  return NULL;
}

static const ten_type *result_element(const ten_op *op) {
  const ten_type *hint = ten_out(op, 0);
  return hint && ten_is_shaped(hint) ? hint->element : ten_in(op, 0)->element;
}

static void add_free(const ten_type *type, ten_ints batch, ten_ints contract, int64_t *dims, int64_t *bounds,
                     uint32_t *rank) {
  const int64_t *own = ten_bounds_of(type);
  for (uint32_t i = 0; i < type->rank; i++) {
    if (ten_ints_has(batch, i) || ten_ints_has(contract, i)) continue;
    dims[*rank] = type->dims[i];
    bounds[(*rank)++] = own ? own[i] : TEN_DYNAMIC;
  }
}

TEN_INFER(dot_general) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1);
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  TEN_TRY(ten_want_precision(op, TEN_ENUM_PRECISION));
  TEN_TRY(ten_want_dot_dims(m, op, &d));
  const size_t most = (size_t)lhs->rank + rhs->rank;
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, most),
          *bounds = ten_arena_new_array(&m->arena, int64_t, most);
  const int64_t *lhs_bounds = ten_bounds_of(lhs), *rhs_bounds = ten_bounds_of(rhs);
  uint32_t rank = 0;
  for (size_t i = 0; i < d.lhs_batch.count; i++, rank++) {
    const int64_t a = d.lhs_batch.data[i], b = d.rhs_batch.data[i];
    dims[rank] = lhs->dims[a];
    bounds[rank] = lhs_bounds ? lhs_bounds[a] : TEN_DYNAMIC;
    WANT(ten_merge_dim(&dims[rank], &bounds[rank], rhs->dims[b], rhs_bounds ? rhs_bounds[b] : TEN_DYNAMIC),
         "batching dimension %lld of lhs %s contradicts %lld of rhs %s", (long long)a, ten_say_type(m, lhs),
         (long long)b, ten_say_type(m, rhs));
  }
  add_free(lhs, d.lhs_batch, d.lhs_contract, dims, bounds, &rank);
  add_free(rhs, d.rhs_batch, d.rhs_contract, dims, bounds, &rank);
  return out[0] = ten_make_tensor(m, result_element(op), rank, dims, bounds), NULL;
}

static bool is_f8(ten_dtype dtype) {
  return dtype == TEN_F8E3M4 || dtype == TEN_F8E4M3 || dtype == TEN_F8E4M3FN || dtype == TEN_F8E5M2 ||
         dtype == TEN_F8E4M3FNUZ || dtype == TEN_F8E4M3B11FNUZ || dtype == TEN_F8E5M2FNUZ;
}

static ten_dtype precision_type(const ten_attr *attr, const char *field) {
  const ten_attr *type = ten_attr_field(attr, field);
  return type && type->kind == TEN_ATTR_TYPE && type->type->kind == TEN_TYPE_SCALAR ? type->type->dtype
                                                                                    : TEN_DTYPE_NONE;
}

/* The combinations that known hardware supports. */
static bool is_known_algorithm(ten_dtype lhs, ten_dtype rhs, ten_dtype sum, int64_t operations, bool imprecise) {
  if (is_f8(lhs) && is_f8(rhs) && sum == TEN_F32 && operations == 1) return true;
  if (imprecise || lhs != rhs) return false;
  switch (lhs) {
    case TEN_F16: return operations == 1 && (sum == TEN_F16 || sum == TEN_F32);
    case TEN_BF16:
      return sum == TEN_BF16
                 ? operations == 1
                 : sum == TEN_F32 && (operations == 1 || operations == 3 || operations == 6 || operations == 9);
    case TEN_TF32: return sum == TEN_F32 && (operations == 1 || operations == 3);
    case TEN_F32:
    case TEN_F64: return sum == lhs && operations == 1;
    default: return false;
  }
}

static ten_status *want_algorithm(const ten_op *op, const ten_attr *attr) {
  const long long lhs_parts = ten_attr_as_int(ten_attr_field(attr, "lhs_component_count"), 0);
  const long long rhs_parts = ten_attr_as_int(ten_attr_field(attr, "rhs_component_count"), 0);
  const long long operations = ten_attr_as_int(ten_attr_field(attr, "num_primitive_operations"), 0);
  const bool imprecise = ten_attr_as_bool(ten_attr_field(attr, "allow_imprecise_accumulation"));
  const ten_dtype lhs = precision_type(attr, "lhs_precision_type"), rhs = precision_type(attr, "rhs_precision_type");
  const ten_dtype sum = precision_type(attr, "accumulation_type");
  WANT(lhs_parts >= 1 && rhs_parts >= 1 && operations >= 1,
       "algorithm has %lld lhs components, %lld rhs components, %lld primitive operations: each must be at least 1",
       lhs_parts, rhs_parts, operations);
  WANT(lhs_parts == 1 && rhs_parts == 1 && is_known_algorithm(lhs, rhs, sum, operations, imprecise),
       "algorithm (%s x %s summed in %s, %lld and %lld components, %lld operations%s) is not known to any hardware",
       ten_dtype_name(lhs), ten_dtype_name(rhs), ten_dtype_name(sum), lhs_parts, rhs_parts, operations,
       imprecise ? ", imprecise" : "");
  const ten_attr *config = ten_op_attr(op, "precision_config");
  for (size_t i = 0; config && i < config->array.count; i++) {
    const char *name = ten_enum_name(TEN_ENUM_PRECISION, config->array.items[i]->enumeration.value);
    WANT(name && !strcmp(name, "DEFAULT"), "precision_config[%zu] is %s, must be DEFAULT where an algorithm is given",
         i, name ? name : "?");
  }
  return NULL;
}

TEN_VERIFY(dot_general) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1), *result = ten_out(op, 0);
  const ten_attr *algorithm = ten_op_attr(op, "algorithm");
  if (algorithm) TEN_TRY(want_algorithm(op, algorithm));
  if (!lhs->quant && !rhs->quant && !result->quant) return NULL;
  if (rhs->quant)
    for (size_t i = 0; i < rhs->quant->count; i++)
      WANT(rhs->quant->zero_points[i] == 0, "rhs has zero point %lld, must be 0",
           (long long)rhs->quant->zero_points[i]);
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (ten_is_per_axis(rhs))
    WANT(!ten_ints_has(d.rhs_contract, rhs->quant->axes[0]),
         "rhs is quantized along dimension %d, which is contracted (%s)", rhs->quant->axes[0],
         ten_say_list(m, d.rhs_contract));
  return ten_want_contraction_quant(m, op);
}

TEN_INFER(dot) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1);
  TEN_TRY(ten_want_precision(op, TEN_ENUM_PRECISION));
  WANT((lhs->rank == 1 || lhs->rank == 2) && (rhs->rank == 1 || rhs->rank == 2),
       "lhs has rank %u, rhs has %u: each must be 1 or 2", lhs->rank, rhs->rank);
  const int64_t a = lhs->dims[lhs->rank - 1], b = rhs->dims[0];
  WANT(ten_dims_agree(a, b), "last dimension of lhs has size %lld, first of rhs has %lld", (long long)a, (long long)b);
  int64_t dims[2], bounds[2];
  uint32_t rank = 0;
  const int64_t last = lhs->rank - 1, first = 0;
  add_free(lhs, (ten_ints){0}, (ten_ints){&last, 1}, dims, bounds, &rank);
  add_free(rhs, (ten_ints){0}, (ten_ints){&first, 1}, dims, bounds, &rank);
  return out[0] = ten_make_tensor(m, result_element(op), rank, dims, bounds), NULL;
}

/* einsum_config: "ab,bc->ac"; one letter a dimension, `...` for unnamed ones. */
typedef struct einsum_term {
  const char *text;
  size_t size, letters;
  bool rest;
} einsum_term;

static bool read_term(const char **at, const char *end, const char *stop, einsum_term *term) {
  *term = (einsum_term){.text = *at};
  while (*at < end &&
         !(*stop && !strncmp(*at, stop, (size_t)(end - *at) < strlen(stop) ? (size_t)(end - *at) : strlen(stop)))) {
    const char c = **at;
    if (c == '.' && end - *at >= 3 && !strncmp(*at, "...", 3) && !term->rest) {
      term->rest = true;
      *at += 3;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      term->letters++;
      (*at)++;
    } else if (c == ' ') {
      (*at)++;
    } else {
      return false;
    }
  }
  term->size = (size_t)(*at - term->text);
  if (!*stop) return *at == end;
  if (end - *at < (ptrdiff_t)strlen(stop)) return false;
  *at += strlen(stop);
  return true;
}

static ten_status *want_einsum(const ten_op *op, uint32_t operands) {
  const ten_str config = ten_attr_as_string(ten_op_attr(op, "einsum_config"));
  const char *at = config.data, *end = config.data + config.size;
  for (uint32_t i = 0; i <= operands; i++) {
    einsum_term term;
    const char *stop = i == operands ? "" : i + 1 == operands ? "->" : ",";
    WANT(config.size && read_term(&at, end, stop, &term), "einsum_config \"%.*s\" does not read as %s", TEN_FMT(config),
         operands == 2 ? "\"ab,bc->ac\"" : "\"ab->a\"");
    const ten_type *type = i == operands ? ten_out(op, 0) : ten_in(op, i);
    if (!type) continue;
    WANT(term.rest ? term.letters <= type->rank : term.letters == type->rank,
         "einsum_config \"%.*s\" names %zu dimensions of %s %u, which has rank %u", TEN_FMT(config), term.letters,
         i == operands ? "result" : "operand", i == operands ? 0 : i, type->rank);
  }
  return NULL;
}

TEN_VERIFY(einsum) {
  (void)m;
  return want_einsum(op, 2);
}

TEN_VERIFY(unary_einsum) {
  (void)m;
  return want_einsum(op, 1);
}
