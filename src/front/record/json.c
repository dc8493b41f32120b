/* json.c: the graph in torch.export's schema, as front/import/graph.h reads it. */
#include <math.h>
#include <stdlib.h>

#include "front/record/internal.h"
#include "ir/ten.h"

static void add_text(ten_buf *out, ten_str text) {
  ten_buf_addc(out, '"');
  for (size_t i = 0; i < text.size; i++) {
    const unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\')
      ten_buf_printf(out, "\\%c", c);
    else if (c < 0x20)
      ten_buf_printf(out, "\\u%04x", c);
    else
      ten_buf_addc(out, (char)c);
  }
  ten_buf_addc(out, '"');
}

static void add_float(ten_buf *out, double number) {
  if (isnan(number)) return ten_buf_adds(out, "\"NaN\"");
  if (isinf(number)) return ten_buf_adds(out, number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  record_number_text(out, number);
}

static void add_value(ten_buf *out, uint64_t value) {
  ten_buf_printf(out, "{\"as_tensor\":{\"name\":\"v%llu\"}}", (unsigned long long)value);
}

/* The elements of a list argument. */
static void add_list(const ten_recorder *r, ten_buf *out, ten_record_kind kind, size_t count, const uint64_t *words) {
  ten_buf_addc(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) ten_buf_addc(out, ',');
    if (kind == TEN_RECORD_INTS) ten_buf_printf(out, "%lld", (long long)words[i]);
    if (kind == TEN_RECORD_BOOLS) ten_buf_adds(out, words[i] ? "true" : "false");
    if (kind == TEN_RECORD_FLOATS) add_float(out, ten_record_number(words[i]));
    if (kind == TEN_RECORD_STRINGS) add_text(out, ten_recorder_text(r, (uint32_t)words[i]));
  }
  ten_buf_adds(out, "]}");
}

static void add_argument(const ten_recorder *r, ten_buf *out, const uint64_t *words);

static void add_items(const ten_recorder *r, ten_buf *out, size_t count, const uint64_t *words) {
  bool tensors = true;
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i]))
    tensors &= ten_record_kind_of(words[i]) == TEN_RECORD_VALUE;
  ten_buf_adds(out, tensors ? "{\"as_tensors\":[" : "{\"as_optional_tensors\":[");
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i])) {
    if (i) ten_buf_addc(out, ',');
    if (tensors)
      ten_buf_printf(out, "{\"name\":\"v%llu\"}", (unsigned long long)words[i + 1]);
    else
      add_argument(r, out, words + i);
  }
  ten_buf_adds(out, "]}");
}

static void add_argument(const ten_recorder *r, ten_buf *out, const uint64_t *words) {
  const ten_record_kind kind = ten_record_kind_of(words[0]);
  const size_t count = ten_record_words(words[0]);
  switch (kind) {
    case TEN_RECORD_MISSING:
    case TEN_RECORD_NONE: return ten_buf_adds(out, "{\"as_none\":true}");
    case TEN_RECORD_VALUE: return add_value(out, words[1]);
    case TEN_RECORD_SCALAR:
      return ten_buf_printf(out, "{\"as_sym_float\":{\"as_name\":\"s%llu\"}}", (unsigned long long)words[1]);
    case TEN_RECORD_BOOL: return ten_buf_printf(out, "{\"as_bool\":%s}", words[1] ? "true" : "false");
    case TEN_RECORD_INT: return ten_buf_printf(out, "{\"as_int\":%lld}", (long long)words[1]);
    case TEN_RECORD_FLOAT:
      ten_buf_adds(out, "{\"as_float\":");
      add_float(out, ten_record_number(words[1]));
      return ten_buf_addc(out, '}');
    case TEN_RECORD_COMPLEX:
      ten_buf_adds(out, "{\"as_complex\":{\"real\":");
      add_float(out, ten_record_number(words[1]));
      ten_buf_adds(out, ",\"imag\":");
      add_float(out, ten_record_number(words[2]));
      return ten_buf_adds(out, "}}");
    case TEN_RECORD_STRING:
      ten_buf_adds(out, "{\"as_string\":");
      add_text(out, ten_recorder_text(r, (uint32_t)words[1]));
      return ten_buf_addc(out, '}');
    case TEN_RECORD_DTYPE: return ten_buf_printf(out, "{\"as_scalar_type\":%lld}", (long long)words[1]);
    case TEN_RECORD_FORMAT: return ten_buf_printf(out, "{\"as_memory_format\":%lld}", (long long)words[1]);
    case TEN_RECORD_LAYOUT: return ten_buf_printf(out, "{\"as_layout\":%lld}", (long long)words[1]);
    case TEN_RECORD_INTS: ten_buf_adds(out, "{\"as_ints\":"); return add_list(r, out, kind, count, words + 1);
    case TEN_RECORD_BOOLS: ten_buf_adds(out, "{\"as_bools\":"); return add_list(r, out, kind, count, words + 1);
    case TEN_RECORD_FLOATS: ten_buf_adds(out, "{\"as_floats\":"); return add_list(r, out, kind, count, words + 1);
    case TEN_RECORD_STRINGS: ten_buf_adds(out, "{\"as_strings\":"); return add_list(r, out, kind, count, words + 1);
    case TEN_RECORD_LIST: return add_items(r, out, count, words + 1);
  }
}

static void add_inputs(const ten_recorder *r, ten_buf *out, const record_op *op, size_t count, const uint64_t *words) {
  bool any = false;
  ten_buf_adds(out, "\"inputs\":[");
  size_t k = 0;
  for (size_t i = 0; i < count && k < op->count; i += 1 + ten_record_words(words[i]), k++) {
    const ten_record_kind kind = ten_record_kind_of(words[i]);
    if (kind == TEN_RECORD_MISSING || kind == TEN_RECORD_NONE) continue;
    ten_buf_adds(out, any ? ",{\"name\":" : "{\"name\":");
    add_text(out, ten_recorder_text(r, op->arguments[k]));
    ten_buf_adds(out, ",\"arg\":");
    add_argument(r, out, words + i);
    ten_buf_addc(out, '}');
    any = true;
  }
  ten_buf_adds(out, "],");
}

/* Marks the values, and the numbers that are inputs, among arguments. */
static void mark_used(size_t count, const uint64_t *words, bool *values, bool *scalars) {
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i])) {
    const ten_record_kind kind = ten_record_kind_of(words[i]);
    if (kind == TEN_RECORD_VALUE) values[words[i + 1]] = true;
    if (kind == TEN_RECORD_SCALAR) scalars[words[i + 1]] = true;
    if (kind == TEN_RECORD_LIST) mark_used(ten_record_words(words[i]), words + i + 1, values, scalars);
  }
}

static void add_operands(ten_buf *out, size_t count, const uint64_t *words, bool *any) {
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i])) {
    if (ten_record_kind_of(words[i]) == TEN_RECORD_LIST)
      add_operands(out, ten_record_words(words[i]), words + i + 1, any);
    if (ten_record_kind_of(words[i]) != TEN_RECORD_VALUE) continue;
    ten_buf_printf(out, "%s{\"name\":\"v%llu\"}", *any ? "," : "", (unsigned long long)words[i + 1]);
    *any = true;
  }
}

/* An op with a custom lowering: the node contains its StableHLO. */
static void add_inline(const ten_recorder *r, ten_buf *out, size_t node, size_t count, const uint64_t *words) {
  ten_str text = TEN_STR("");
  for (size_t i = 0; i < r->bodies.count; i++)
    if (r->bodies.data[i].node == node) text = ten_recorder_text(r, r->bodies.data[i].text);
  bool any = false;
  ten_buf_adds(out, "\"inputs\":[{\"name\":\"inputs\",\"arg\":{\"as_tensors\":[");
  add_operands(out, count, words, &any);
  ten_buf_adds(out, "]}},{\"name\":\"body\",\"arg\":{\"as_string\":");
  add_text(out, text);
  ten_buf_adds(out, "}}],");
}

static void add_results(const ten_recorder *r, ten_buf *out, size_t node) {
  size_t count;
  const uint64_t *specs = ten_recorder_results_of(r, r->nodes.results.data[node], &count);
  uint64_t value = r->nodes.firsts.data[node];
  ten_buf_adds(out, "\"outputs\":[");
  for (size_t i = 0; i < count; i++) {
    if (i) ten_buf_addc(out, ',');
    if (specs[i] == TEN_RECORD_NO)
      ten_buf_adds(out, "{\"as_none\":true}");
    else
      add_value(out, value++);
  }
  ten_buf_adds(out, "],");
}

static void add_trace(const ten_recorder *r, ten_buf *out, uint32_t line) {
  ten_buf text = {0};
  if (line != TEN_RECORD_NO) {
    size_t count;
    const uint64_t *row = record_table_row(&r->lines, line, &count);
    const ten_str file = ten_recorder_text(r, (uint32_t)row[0]), function = ten_recorder_text(r, (uint32_t)row[1]);
    ten_buf_printf(&text, "  File \"%.*s\", line %llu, in %.*s\n", TEN_FMT(file), (unsigned long long)row[2],
                   TEN_FMT(function));
  }
  ten_buf_adds(out, "\"metadata\":{\"stack_trace\":");
  add_text(out, (ten_str){text.data, text.size});
  ten_buf_adds(out, "}}");
  ten_buf_free(&text);
}

static void add_node(const ten_recorder *r, ten_buf *out, size_t node) {
  size_t count;
  const uint64_t *row = record_row(&r->nodes, node, &count);
  const record_op *op = &r->ops.data[row[0]];
  const bool custom = op->flags & TEN_RECORD_CUSTOM;
  ten_buf_adds(out, "{\"target\":");
  if (custom)
    ten_buf_printf(out, "\"%s.default\"", ten_text_INLINE);
  else
    add_text(out, ten_recorder_text(r, op->name));
  ten_buf_addc(out, ',');
  if (custom)
    add_inline(r, out, node, count - 1, row + 1);
  else
    add_inputs(r, out, op, count - 1, row + 1);
  add_results(r, out, node);
  add_trace(r, out, r->nodes.lines.data[node]);
}

static void add_types(const ten_recorder *r, ten_buf *out) {
  ten_buf_adds(out, "\"tensor_values\":{");
  for (size_t value = 0; value < r->values.count; value++) {
    const ten_record_spec *spec = &r->spec_data.data[r->values.data[value]];
    ten_buf_printf(out, "%s\"v%zu\":{\"dtype\":%u,\"layout\":7,\"sizes\":[", value ? "," : "", value, spec->dtype);
    for (uint32_t d = 0; d < spec->rank; d++)
      ten_buf_printf(out, "%s{\"as_int\":%lld}", d ? "," : "", (long long)spec->shape[d]);
    ten_buf_adds(out, "]}");
  }
  ten_buf_addc(out, '}');
}

void ten_recorder_json(const ten_recorder *r, size_t count, const uint32_t *wanted, uint32_t only, ten_buf *out) {
  const size_t values = r->values.count, scalars = r->scalars.count;
  bool *used = ten_alloc(values + scalars + 1), *used_scalars = used + values;
  memset(used, only == TEN_RECORD_NO, values + scalars + 1);
  size_t words;
  if (only != TEN_RECORD_NO) {
    const uint64_t *row = record_row(&r->nodes, only, &words);
    mark_used(words - 1, row + 1, used, used_scalars);
  }
  const char *comma = "";
  ten_buf_adds(out, "{\"inputs\":[");
  const size_t inputs = only == TEN_RECORD_NO ? r->inputs.count : values;
  for (size_t i = 0; i < inputs; i++) {
    const uint32_t value = only == TEN_RECORD_NO ? r->inputs.data[i] : (uint32_t)i;
    if (!used[value]) continue;
    ten_buf_adds(out, comma);
    add_value(out, value);
    comma = ",";
  }
  for (size_t i = 0; i < scalars; i++) {
    if (!used_scalars[i]) continue;
    ten_buf_printf(out, "%s{\"as_sym_float\":{\"as_name\":\"s%zu\"}}", comma, i);
    comma = ",";
  }
  ten_buf_adds(out, "],\"outputs\":[");
  for (size_t i = 0; i < count; i++) {
    if (i) ten_buf_addc(out, ',');
    add_value(out, wanted[i]);
  }
  ten_buf_adds(out, "],\"nodes\":[");
  comma = "";
  for (size_t node = 0; node < r->nodes.ends.count; node++) {
    if (record_row(&r->nodes, node, &words)[0] == TEN_RECORD_INPUT) continue;
    if (only != TEN_RECORD_NO && node != only) continue;
    ten_buf_adds(out, comma);
    add_node(r, out, node);
    comma = ",";
  }
  ten_buf_adds(out, "],");
  add_types(r, out);
  ten_buf_addc(out, '}');
  free(used);
}
