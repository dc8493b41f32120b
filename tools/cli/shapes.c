/* shapes.c: sizes for open dimensions of a program. A size is given for an input by its name, for a dimension by its
 * symbol, or for the first dimension of every input (`--batch`); dimensions with one symbol have one size. */
#include "cli/shapes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/names.h"
#include "driver/specialise.h"
#include "ir/module.h"

/* "4x5x6" or "4,5,6". */
static bool read_sizes(const char *text, uint32_t *out_rank, int64_t *dims) {
  *out_rank = 0;
  for (const char *at = text;; at++) {
    char *end;
    errno = 0;
    if (*at < '0' || *at > '9' || *out_rank == TEN_RANK_MAX) return false;
    const long long size = strtoll(at, &end, 10);
    if (errno || (*end && *end != 'x' && *end != ',')) return false;
    dims[(*out_rank)++] = size;
    if (!*end) return true;
    at = end;
  }
}

/* A dimension's symbol in an archive; StableHLO has none. */
static ten_str symbol_of(const ten_op *func, uint32_t input, uint32_t dim) {
  const ten_attr *symbols = ten_func_arg_attr(func, input, "aten.symbols");
  if (!symbols || symbols->kind != TEN_ATTR_ARRAY || dim >= symbols->array.count) return (ten_str){0};
  return ten_attr_as_string(symbols->array.items[dim]);
}

static bool is_open(const ten_type *type) { return ten_type_is_tensor(type) && !ten_type_is_static(type); }

/* The sizes decided so far: for each input and dimension a size, or TEN_DYNAMIC. */
typedef struct sizes {
  const ten_op *func;
  const ten_type *type;
  int64_t (*dims)[TEN_RANK_MAX]; /* owned */
} sizes;

static void set_symbol(sizes *s, ten_str symbol, int64_t size) {
  for (uint32_t i = 0; i < s->type->input_count; i++)
    for (uint32_t d = 0; is_open(s->type->inputs[i]) && d < s->type->inputs[i]->rank; d++)
      if (symbol.size && s->dims[i][d] == TEN_DYNAMIC && ten_str_eq(symbol_of(s->func, i, d), symbol))
        s->dims[i][d] = size;
}

static ten_status *set_input(sizes *s, uint32_t i, const char *text, uint32_t rank, const int64_t *dims) {
  const ten_type *type = s->type->inputs[i];
  bool fits = ten_type_is_tensor(type) && type->rank == rank;
  for (uint32_t d = 0; fits && d < rank; d++) fits = type->dims[d] == TEN_DYNAMIC || type->dims[d] == dims[d];
  if (!fits) {
    ten_buf declared = {0};
    cli_shape_print(&declared, type);
    ten_status *status = ten_error(TEN_INVALID, "--shape %s: the input is %s", text, declared.data);
    ten_buf_free(&declared);
    return status;
  }
  for (uint32_t d = 0; d < rank; d++) {
    s->dims[i][d] = dims[d];
    set_symbol(s, symbol_of(s->func, i, d), dims[d]);
  }
  return NULL;
}

/* One `--shape`. */
static ten_status *set_shape(sizes *s, const char *text) {
  const char *equals = strchr(text, '=');
  uint32_t rank;
  int64_t dims[TEN_RANK_MAX];
  if (!equals || !read_sizes(equals + 1, &rank, dims))
    return ten_error(TEN_INVALID, "--shape takes NAME=4x5x6 (an input) or SYMBOL=8 (a dimension), not '%s'", text);
  const ten_str name = {text, (size_t)(equals - text)};
  const uint32_t i = cli_input_find(s->func, name);
  if (i != UINT32_MAX) return set_input(s, i, text, rank, dims);
  bool symbol = false;
  for (uint32_t k = 0; k < s->type->input_count; k++)
    for (uint32_t d = 0; is_open(s->type->inputs[k]) && d < s->type->inputs[k]->rank; d++)
      symbol |= ten_str_eq(symbol_of(s->func, k, d), name);
  if (symbol && rank == 1) {
    set_symbol(s, name, dims[0]);
    return NULL;
  }
  ten_buf names = {0};
  cli_inputs_print(&names, s->func);
  ten_status *status = ten_error(TEN_INVALID, "--shape %s: unknown input or dimension '%.*s'; use one of: %s", text,
                                 TEN_FMT(name), names.data ? names.data : "no inputs");
  ten_buf_free(&names);
  return status;
}

static ten_status *set_batch(sizes *s, int64_t batch) {
  bool found = false;
  for (uint32_t i = 0; i < s->type->input_count; i++) {
    const ten_type *type = s->type->inputs[i];
    if (!is_open(type) || !type->rank || type->dims[0] != TEN_DYNAMIC) continue;
    found = true;
    if (s->dims[i][0] != TEN_DYNAMIC) continue; /* --shape takes precedence */
    s->dims[i][0] = batch;
    set_symbol(s, symbol_of(s->func, i, 0), batch);
  }
  return found ? NULL
               : ten_error(TEN_INVALID, "--batch %lld: no input leaves its first dimension open", (long long)batch);
}

static ten_status *decide(const cli_shapes *shapes, const ten_op *func, sizes *s) {
  const ten_type *type = ten_func_type(func);
  *s = (sizes){func, type, ten_alloc((type->input_count + 1) * sizeof *s->dims)};
  for (uint32_t i = 0; i < type->input_count; i++)
    for (uint32_t d = 0; ten_type_is_tensor(type->inputs[i]) && d < type->inputs[i]->rank; d++)
      s->dims[i][d] = type->inputs[i]->dims[d];
  for (size_t k = 0; k < shapes->shapes.count; k++) TEN_TRY(set_shape(s, shapes->shapes.data[k]));
  return shapes->batch ? set_batch(s, shapes->batch) : NULL;
}

ten_status *cli_shapes_of_archive(const cli_shapes *shapes, ten_module *aten, ten_aten_input *out_inputs) {
  const ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  if (!func) return ten_error(TEN_INVALID, "the archive has no @main");
  sizes s;
  ten_status *status = decide(shapes, func, &s);
  for (uint32_t i = 0; i < s.type->input_count && !status; i++) {
    const ten_type *type = s.type->inputs[i];
    if (!is_open(type)) continue;
    const ten_ints example = ten_attr_as_ints(ten_func_arg_attr(func, i, "aten.example"));
    bool known = true;
    for (uint32_t d = 0; d < type->rank; d++) {
      if (s.dims[i][d] == TEN_DYNAMIC && d < example.count) s.dims[i][d] = example.data[d];
      known &= s.dims[i][d] != TEN_DYNAMIC;
    }
    if (known) out_inputs[i].type = ten_type_with_shape(aten, type, type->rank, s.dims[i]);
  }
  free(s.dims);
  return status;
}

ten_status *cli_shapes_apply(const cli_shapes *shapes, const char *entry, ten_module **module) {
  ten_op *func = ten_module_entry(*module, ten_str_of(entry));
  if (!func || (!shapes->batch && !shapes->shapes.count)) return NULL;
  sizes s;
  ten_status *status = decide(shapes, func, &s);
  ten_tensor **inputs = ten_alloc((s.type->input_count + 1) * sizeof *inputs);
  for (uint32_t i = 0; i < s.type->input_count && !status; i++) { /* only their shapes matter */
    const ten_type *type = s.type->inputs[i];
    if (!is_open(type)) continue;
    for (uint32_t d = 0; d < type->rank && !status; d++)
      if (s.dims[i][d] == TEN_DYNAMIC)
        status = ten_error(TEN_INVALID, "input %u leaves dimension %u open: --shape gives it a size", i, d);
    if (!status) status = ten_tensor_create(type->dtype, type->rank, s.dims[i], &inputs[i]);
  }
  ten_module *made = NULL;
  if (!status) status = ten_specialise(*module, func, inputs, s.type->input_count, &made, &func);
  if (made) {
    ten_module_destroy(*module);
    *module = made;
  }
  ten_tensors_release(inputs, s.type->input_count);
  free(inputs);
  free(s.dims);
  return status;
}

void cli_shapes_describe(const ten_module *aten, const ten_aten_input *inputs, ten_buf *out) {
  const ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  const ten_type *type = func ? ten_func_type(func) : NULL;
  for (uint32_t i = 0; type && i < type->input_count; i++) {
    if (!is_open(type->inputs[i])) continue;
    ten_buf_adds(out, out->size ? ", " : "");
    cli_input_name(func, i, out);
    ten_buf_addc(out, ' ');
    cli_shape_print(out, type->inputs[i]);
    if (!inputs[i].type) continue;
    ten_buf_adds(out, " as ");
    cli_shape_print(out, inputs[i].type);
  }
}

/* As lowering checks it: PyTorch writes 2 where tracing only distinguished 0 and 1. */
static void print_range(const ten_op *func, ten_str symbol, ten_buf *out) {
  const ten_attr *ranges = ten_op_attr(func, "aten.ranges");
  char key[128];
  snprintf(key, sizeof key, "%.*s", TEN_FMT(symbol));
  const ten_ints range = ten_attr_as_ints(ranges ? ten_dict_get(ranges, key) : NULL);
  if (range.count != 2) return;
  const long long least = range.data[0] > 2 ? range.data[0] : 0;
  if (range.data[1] >= INT32_MAX)
    ten_buf_printf(out, ", %lld or more", least);
  else
    ten_buf_printf(out, ", %lld to %lld", least, (long long)range.data[1]);
}

void cli_symbols_describe(const ten_module *aten, const ten_aten_input *inputs, ten_buf *out) {
  const ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  const ten_type *type = func ? ten_func_type(func) : NULL;
  for (uint32_t i = 0; type && i < type->input_count; i++)
    for (uint32_t d = 0; is_open(type->inputs[i]) && d < type->inputs[i]->rank; d++) {
      if (type->inputs[i]->dims[d] != TEN_DYNAMIC) continue;
      const ten_str symbol = symbol_of(func, i, d);
      ten_buf_printf(out, "open: %.*s is size %u of ", TEN_FMT(symbol.size ? symbol : TEN_STR("?")), d);
      cli_input_name(func, i, out);
      if (symbol.size) print_range(func, symbol, out);
      if (inputs[i].type) ten_buf_printf(out, "; %lld here", (long long)inputs[i].type->dims[d]);
      ten_buf_addc(out, '\n');
    }
}
