/* other_sizes.c: sizes that a program can be called with besides those at hand: each symbol of its inputs gets another
 * value, and sizes that are computed from symbols follow. Expressions are as PyTorch prints them: "s0", "2*s0 + s1",
 * "((s0 + 1)//2)", "Max(1, s0)". */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/size.h"
#include "front/aten/aten.h"

enum { DEPTH_MOST = 64, SYMBOLS_MOST = 32 };

typedef struct symbol {
  ten_str name;
  int64_t here, other;
  uint32_t group;
} symbol;

typedef struct reader {
  const char *at, *end;
  const symbol *symbols;
  size_t count;
  unsigned depth;
  bool other, bad; /* which value symbols have; something that is not understood, or too large */
} reader;

static int64_t sum(reader *r);

static char look(reader *r) {
  while (r->at < r->end && *r->at == ' ') r->at++;
  return r->at < r->end ? *r->at : '\0';
}

static bool take(reader *r, char wanted) {
  if (look(r) != wanted) return false;
  r->at++;
  return true;
}

static int64_t fail(reader *r) {
  r->bad = true;
  return 0;
}

static int64_t apply(reader *r, char op, int64_t a, int64_t b) {
  int64_t made = 0;
  if (op == '+' ? __builtin_add_overflow(a, b, &made) : op == '-' && __builtin_sub_overflow(a, b, &made))
    return fail(r);
  if (op == '*' && __builtin_mul_overflow(a, b, &made)) return fail(r);
  if (op == '/' || op == '%') {
    if (b <= 0) return fail(r); /* PyTorch rounds down; sizes are divided by sizes */
    const int64_t rest = a % b < 0 ? a % b + b : a % b;
    return op == '%' ? rest : (a - rest) / b;
  }
  return made;
}

/* A function of two expressions. */
static int64_t call(reader *r, ten_str name) {
  const int64_t a = sum(r), b = take(r, ',') ? sum(r) : fail(r);
  if (r->bad || !take(r, ')')) return fail(r);
  if (ten_str_eq(name, TEN_STR("Max"))) return a > b ? a : b;
  if (ten_str_eq(name, TEN_STR("Min"))) return a < b ? a : b;
  if (ten_str_eq(name, TEN_STR("FloorDiv")) || ten_str_eq(name, TEN_STR("CleanDiv"))) return apply(r, '/', a, b);
  if (ten_str_eq(name, TEN_STR("Mod")) || ten_str_eq(name, TEN_STR("PythonMod"))) return apply(r, '%', a, b);
  return fail(r);
}

static ten_str name_at(reader *r) {
  const char *start = r->at;
  while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_')) r->at++;
  return (ten_str){start, (size_t)(r->at - start)};
}

static int64_t atom(reader *r) {
  const char first = look(r);
  if (isdigit((unsigned char)first)) {
    int64_t number = 0;
    while (!r->bad && r->at < r->end && isdigit((unsigned char)*r->at))
      number = apply(r, '+', apply(r, '*', number, 10), *r->at++ - '0');
    return number;
  }
  if (take(r, '(')) {
    const int64_t inner = sum(r);
    return take(r, ')') ? inner : fail(r);
  }
  const ten_str name = name_at(r);
  if (!name.size) return fail(r);
  if (take(r, '(')) return call(r, name);
  for (size_t i = 0; i < r->count; i++)
    if (ten_str_eq(r->symbols[i].name, name)) return r->other ? r->symbols[i].other : r->symbols[i].here;
  return fail(r);
}

static int64_t power(reader *r) {
  const int64_t base = atom(r);
  int64_t made = base;
  if (look(r) != '*' || r->end - r->at < 2 || r->at[1] != '*') return made;
  r->at += 2;
  const int64_t exponent = atom(r);
  if (exponent < 1 || exponent > 4) return fail(r);
  for (int64_t i = 1; i < exponent; i++) made = apply(r, '*', made, base);
  return made;
}

static int64_t product(reader *r) {
  int64_t left = power(r);
  while (!r->bad) {
    if (take(r, '*'))
      left = apply(r, '*', left, power(r));
    else if (look(r) == '/' && r->end - r->at > 1 && r->at[1] == '/')
      r->at += 2, left = apply(r, '/', left, power(r));
    else
      break;
  }
  return left;
}

static int64_t sum(reader *r) {
  if (++r->depth > DEPTH_MOST) return fail(r);
  int64_t left = take(r, '-') ? apply(r, '-', 0, product(r)) : product(r);
  for (char op = look(r); !r->bad && (op == '+' || op == '-'); op = look(r)) {
    r->at++;
    left = apply(r, op, left, product(r));
  }
  r->depth--;
  return left;
}

static bool evaluate(ten_str text, const symbol *symbols, size_t count, bool other, int64_t *out) {
  if (!text.size) return false;
  reader r = {text.data, text.data + text.size, symbols, count, 0, other, false};
  *out = sum(&r);
  return !r.bad && look(&r) == '\0' && *out >= 0;
}

/* The expression of a size; of a number it is the first. Empty: it is fixed, or nothing is known of it. */
static ten_str expression_of(const ten_op *func, uint32_t input, uint32_t dim) {
  const ten_attr *found = ten_func_arg_attr(func, input, "aten.sizes");
  if (!found) found = ten_func_arg_attr(func, input, "aten.symbols");
  if (!found || found->kind != TEN_ATTR_ARRAY || dim >= found->array.count) return (ten_str){0};
  return ten_attr_as_string(found->array.items[dim]);
}

static bool is_symbol(ten_str text) {
  if (!text.size || isdigit((unsigned char)text.data[0])) return false;
  for (size_t i = 0; i < text.size; i++)
    if (!isalnum((unsigned char)text.data[i]) && text.data[i] != '_') return false;
  return true;
}

/* Another value, in the range of the symbol. Sizes 0 and 1 have code of their own: they stay. */
static int64_t other_value(const ten_op *func, const symbol *of, int64_t step) {
  if (of->here < 2) return of->here;
  const ten_attr *ranges = ten_op_attr(func, "aten.ranges");
  char key[128];
  snprintf(key, sizeof key, "%.*s", TEN_FMT(of->name));
  const ten_ints range = ten_attr_as_ints(ranges ? ten_dict_get(ranges, key) : NULL);
  const int64_t least = range.count == 2 && range.data[0] > 2 ? range.data[0] : 2;
  const int64_t most = range.count == 2 ? range.data[1] : INT64_MAX;
  if (of->here <= most && step <= most - of->here) return of->here + step;
  return of->here - step >= least ? of->here - step : of->here;
}

/* Calls with each open size of the inputs: its expression, and the size at hand. False: one call was false. */
typedef bool (*visit)(void *context, uint32_t input, uint32_t dim, ten_str expression, int64_t here);
static bool each_size(const ten_op *func, const ten_aten_input *inputs, visit call_with, void *context) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++) {
    const bool is_tensor = inputs[i].type && ten_type_is_tensor(type->inputs[i]);
    if (is_tensor && inputs[i].type->rank != type->inputs[i]->rank) return false;
    for (uint32_t d = 0; is_tensor && d < inputs[i].type->rank; d++)
      if (type->inputs[i]->dims[d] == TEN_DYNAMIC &&
          !call_with(context, i, d, expression_of(func, i, d), inputs[i].type->dims[d]))
        return false;
    if (!is_tensor && inputs[i].has_number && expression_of(func, i, 0).size &&
        !call_with(context, i, 0, expression_of(func, i, 0), (int64_t)inputs[i].number))
      return false;
  }
  return true;
}

typedef struct finding {
  const ten_op *func;
  const ten_aten_other *how;
  symbol symbols[SYMBOLS_MOST];
  size_t count;
  uint32_t groups;
} finding;

static bool find_symbol(void *context, uint32_t input, uint32_t dim, ten_str expression, int64_t here) {
  finding *f = context;
  (void)input, (void)dim;
  if (!is_symbol(expression)) return true;
  for (size_t i = 0; i < f->count; i++)
    if (ten_str_eq(f->symbols[i].name, expression)) return f->symbols[i].here == here;
  if (f->count == SYMBOLS_MOST) return false;
  symbol *made = &f->symbols[f->count++];
  *made = (symbol){expression, here, here, f->groups};
  for (size_t i = 0; f->how->together && i + 1 < f->count; i++)
    if (here >= f->symbols[i].here - 1 && here <= f->symbols[i].here + 1) made->group = f->symbols[i].group;
  f->groups += made->group == f->groups;
  return true;
}

/* Gives the wanted groups other values; false: all stay. */
static bool choose(finding *f) {
  bool differs = false;
  for (size_t i = 0; i < f->count; i++) {
    symbol *s = &f->symbols[i];
    if (f->how->only && !(f->how->only >> s->group & 1)) continue;
    size_t first = 0;
    while (f->symbols[first].group != s->group) first++;
    const int64_t here = f->symbols[first].here;
    if (here > INT32_MAX) continue;
    s->other = other_value(f->func, s, f->how->round ? here + 2 * (int64_t)s->group : 1 + (int64_t)s->group);
    differs |= s->other != s->here;
  }
  return differs;
}

typedef struct filling {
  const finding *found;
  ten_aten_input *inputs;
  int64_t (*dims)[TEN_RANK_MAX];
} filling;

static bool fill_size(void *context, uint32_t input, uint32_t dim, ten_str expression, int64_t here) {
  filling *f = context;
  int64_t same = 0, other = 0;
  if (!evaluate(expression, f->found->symbols, f->found->count, false, &same) || same != here ||
      !evaluate(expression, f->found->symbols, f->found->count, true, &other))
    return false;
  f->dims[input][dim] = other;
  if (!f->inputs[input].type) f->inputs[input].number = (double)other;
  return true;
}

bool ten_aten_other_sizes(const ten_op *func, const ten_aten_input *inputs, const ten_aten_other *how,
                          ten_module *types, ten_aten_input *out_inputs, uint32_t *out_groups) {
  const ten_type *type = ten_func_type(func);
  finding found = {.func = func, .how = how};
  *out_groups = 0;
  if (!each_size(func, inputs, find_symbol, &found) || !choose(&found)) return false;
  *out_groups = found.groups;
  int64_t(*dims)[TEN_RANK_MAX] = ten_alloc((type->input_count + 1) * sizeof *dims);
  for (uint32_t i = 0; i < type->input_count; i++) {
    out_inputs[i] = inputs[i];
    for (uint32_t d = 0; inputs[i].type && d < inputs[i].type->rank; d++) dims[i][d] = inputs[i].type->dims[d];
  }
  filling f = {&found, out_inputs, dims};
  const bool filled = each_size(func, inputs, fill_size, &f);
  for (uint32_t i = 0; filled && i < type->input_count; i++)
    if (inputs[i].type)
      out_inputs[i].type = ten_type_tensor(types, inputs[i].type->dtype, inputs[i].type->rank, dims[i]);
  free(dims);
  return filled;
}
