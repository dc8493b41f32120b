/* wgsl.c: reads the kernel language as a stream of tokens and prints each function as WGSL. The text comes from this
 * backend: what is not understood is an error of the generator. */
#include "backend/simt/wgsl.h"

#include <inttypes.h>
#include <stdlib.h>

#include "backend/simt/language.h"
#include "backend/simt/wgsl_printer.h"

static void line(wgsl_printer *p, const char *format, ...) TEN_PRINTF(2, 3);
static void line(wgsl_printer *p, const char *format, ...) {
  for (unsigned i = 0; i < p->indent; i++) ten_buf_adds(&p->body, "  ");
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&p->body, format, args);
  va_end(args);
  ten_buf_addc(&p->body, '\n');
}

static void add_symbol(wgsl_printer *p, wgsl_symbol s) { ten_vec_push(&p->symbols, s); }

static void store(wgsl_printer *p, const wgsl_symbol *s, wgsl_value index, wgsl_value value) {
  const char *what = wgsl_as(p, value, s->type);
  index = wgsl_place(index);
  if (!s->words) {
    line(p, "%s[%s] = %s;", s->text, wgsl_as(p, index, WGSL_I32), what);
    return;
  }
  const unsigned bits = wgsl_bits(s->type), each = 32 / bits;
  const unsigned mask = (1u << bits) - 1;
  line(p, "{");
  p->indent++;
  line(p, "let at_ = %s;", wgsl_as(p, index, WGSL_U32));
  line(p, "let from_ = (at_ %% %uu) * %uu;", each, bits);
  line(p, "let bits_ = (u32(%s) & %uu) << from_;", what, mask);
  line(p, "atomicAnd(&%s[at_ / %uu], ~(%uu << from_));", s->text, each, mask);
  line(p, "atomicOr(&%s[at_ / %uu], bits_);", s->text, each);
  p->indent--;
  line(p, "}");
}

/* Statements. */
static void statement(wgsl_printer *p);

static void block(wgsl_printer *p) {
  const size_t symbols = p->symbols.count;
  p->indent++;
  if (wgsl_accept(p, "{")) {
    while (!wgsl_is(p, "}") && p->now.kind != WGSL_END) statement(p);
    wgsl_expect(p, "}");
  } else {
    statement(p);
  }
  p->indent--;
  p->symbols.count = symbols;
}

static void declaration(wgsl_printer *p) {
  const bool constant = wgsl_is(p, "const");
  const simt_wgsl_type type = wgsl_take_type(p);
  do {
    const ten_str name = wgsl_take_name(p);
    const char *text = wgsl_spelled(p, name);
    if (wgsl_accept(p, "[")) {
      const wgsl_value count = wgsl_expression(p);
      wgsl_expect(p, "]");
      line(p, "var %s: array<%s, %" PRIu64 ">;", text, wgsl_spelling(type), count.number);
      add_symbol(p, (wgsl_symbol){.name = name, .text = text, .type = type, .kind = WGSL_ARRAY});
      continue;
    }
    if (wgsl_accept(p, "="))
      line(p, "%s %s: %s = %s;", constant ? "let" : "var", text, wgsl_spelling(type),
           wgsl_as(p, wgsl_expression(p), type));
    else
      line(p, "var %s: %s;", text, wgsl_spelling(type));
    add_symbol(p, (wgsl_symbol){.name = name, .text = text, .type = type, .kind = WGSL_VARIABLE});
  } while (wgsl_accept(p, ","));
}

/* x = …, x += …, x++, of a variable or an element. */
static void assignment(wgsl_printer *p) {
  const ten_str name = wgsl_take_name(p);
  const wgsl_symbol *found = wgsl_find(p, name);
  if (!found) {
    wgsl_give_up(p, "a variable");
    return;
  }
  const wgsl_symbol s = *found;
  wgsl_value index = {0};
  if (s.kind != WGSL_VARIABLE) {
    wgsl_expect(p, "[");
    index = wgsl_expression(p);
    wgsl_expect(p, "]");
  }
  const ten_str sign = p->now.text;
  wgsl_advance(p);
  const bool step = ten_str_is(sign, "++") || ten_str_is(sign, "--");
  wgsl_value value = step ? (wgsl_value){NULL, WGSL_I32, true, 1} : wgsl_expression(p);
  const char *place = s.text;
  if (s.kind == WGSL_ARRAY) place = wgsl_format(&p->arena, "%s[%s]", s.text, wgsl_as(p, index, WGSL_I32));
  if (!ten_str_is(sign, "=")) {
    const wgsl_value now = s.kind == WGSL_BUFFER ? wgsl_load(p, &s, index) : wgsl_of(s.type, place);
    value = wgsl_binary(&p->arena, (ten_str){sign.data, sign.size - 1}, now, value);
  }
  if (s.kind == WGSL_BUFFER)
    store(p, &s, index, value);
  else
    line(p, "%s = %s;", place, wgsl_as(p, value, s.type));
}

static void assignments(wgsl_printer *p) {
  do assignment(p);
  while (wgsl_accept(p, ","));
}

static void branch(wgsl_printer *p) {
  wgsl_expect(p, "(");
  const char *condition = wgsl_as(p, wgsl_expression(p), WGSL_BOOL);
  wgsl_expect(p, ")");
  line(p, "if (%s) {", condition);
  block(p);
  if (wgsl_accept(p, "else")) {
    line(p, "} else {");
    block(p);
  }
  line(p, "}");
}

/* for (first; condition; steps): WGSL's own takes one step only. */
static void loop(wgsl_printer *p) {
  const size_t symbols = p->symbols.count;
  line(p, "{");
  p->indent++;
  wgsl_expect(p, "(");
  if (wgsl_at_type(p))
    declaration(p);
  else if (!wgsl_is(p, ";"))
    assignments(p);
  wgsl_expect(p, ";");
  line(p, "loop {");
  p->indent++;
  if (!wgsl_is(p, ";")) line(p, "if (!(%s)) { break; }", wgsl_as(p, wgsl_expression(p), WGSL_BOOL));
  wgsl_expect(p, ";");
  const char *steps = p->at;
  const wgsl_token first = p->now;
  for (int depth = 0; p->now.kind != WGSL_END && (depth || !wgsl_is(p, ")")); wgsl_advance(p))
    depth += wgsl_is(p, "(") ? 1 : wgsl_is(p, ")") ? -1 : 0;
  wgsl_expect(p, ")");
  p->indent--;
  block(p);
  p->indent++;
  const char *rest = p->at;
  const wgsl_token next = p->now;
  p->at = steps;
  p->now = first;
  if (!wgsl_is(p, ")")) {
    line(p, "continuing {");
    p->indent++;
    assignments(p);
    p->indent--;
    line(p, "}");
  }
  if (!p->error) {
    p->at = rest;
    p->now = next;
  }
  p->indent--;
  line(p, "}");
  p->indent--;
  line(p, "}");
  p->symbols.count = symbols;
}

/* SHARED_ARRAY(type, name, count) */
static void shared_array(wgsl_printer *p) {
  wgsl_expect(p, "(");
  const simt_wgsl_type type = wgsl_take_type(p);
  wgsl_expect(p, ",");
  const ten_str name = wgsl_take_name(p);
  wgsl_expect(p, ",");
  const wgsl_value count = wgsl_expression(p);
  wgsl_expect(p, ")");
  const char *text = wgsl_format(&p->arena, "%.*s_%.*s", TEN_FMT(p->kernel), TEN_FMT(name));
  ten_buf_printf(&p->module, "var<workgroup> %s: array<%s, %" PRIu64 ">;\n", text, wgsl_spelling(type), count.number);
  add_symbol(p, (wgsl_symbol){.name = name, .text = text, .type = type, .kind = WGSL_ARRAY});
}

static void statement(wgsl_printer *p) {
  if (wgsl_accept(p, "UNROLL") || wgsl_accept(p, "UNROLL4") || wgsl_accept(p, "NO_UNROLL")) return;
  if (wgsl_is(p, "{")) {
    line(p, "{");
    block(p);
    line(p, "}");
    return;
  }
  if (wgsl_accept(p, "if")) {
    branch(p);
    return;
  }
  if (wgsl_accept(p, "for")) {
    loop(p);
    return;
  }
  if (wgsl_accept(p, "return")) {
    if (wgsl_is(p, ";"))
      line(p, "return;");
    else
      line(p, "return %s;", wgsl_as(p, wgsl_expression(p), p->result));
  } else if (wgsl_accept(p, "break")) {
    line(p, "break;");
  } else if (wgsl_accept(p, "continue")) {
    line(p, "continue;");
  } else if (wgsl_accept(p, "BARRIER")) {
    line(p, "workgroupBarrier();");
  } else if (wgsl_accept(p, "SHARED_ARRAY")) {
    shared_array(p);
  } else if (wgsl_at_type(p)) {
    declaration(p);
  } else if (!wgsl_accept(p, "START") && !wgsl_is(p, ";")) {
    assignments(p);
  }
  wgsl_expect(p, ";");
}

/* Functions. */
static void skip_body(wgsl_printer *p) {
  int depth = 0;
  do {
    depth += wgsl_is(p, "{") ? 1 : wgsl_is(p, "}") ? -1 : 0;
    wgsl_advance(p);
  } while (depth && p->now.kind != WGSL_END);
}

static simt_wgsl_type bare_type(wgsl_printer *p) { /* of functions that may not be wanted */
  wgsl_accept(p, "const");
  const simt_wgsl_type type = wgsl_type_named(p->now.text);
  if (type == WGSL_TYPES) wgsl_give_up(p, "a type");
  wgsl_advance(p);
  return type;
}

/* FN type name(type name, …) { … } */
static void read_function(wgsl_printer *p) {
  wgsl_function f = {.type = bare_type(p)};
  f.name = wgsl_take_name(p);
  wgsl_expect(p, "(");
  while (!wgsl_is(p, ")") && p->now.kind != WGSL_END) {
    if (f.count) wgsl_expect(p, ",");
    if (f.count == WGSL_PARAMETERS_MOST) {
      wgsl_give_up(p, "a function of fewer parameters");
      return;
    }
    f.parameters[f.count] = bare_type(p);
    f.parameter_names[f.count++] = wgsl_take_name(p);
  }
  wgsl_expect(p, ")");
  f.source = p->now.text.data;
  if (wgsl_find_function(p, f.name)) { /* the prelude's own is before the common one */
    skip_body(p);
    return;
  }
  skip_body(p);
  ten_vec_push(&p->functions, f);
}

static void print_function(wgsl_printer *p, uint32_t which) {
  const wgsl_function f = p->functions.data[which];
  const size_t symbols = p->symbols.count;
  p->at = f.source;
  wgsl_advance(p);
  p->kernel = (ten_str){"", 0};
  p->result = f.type;
  wgsl_check_type(p, f.type);
  ten_buf_printf(&p->body, "fn %s(", wgsl_spelled(p, f.name));
  for (uint32_t i = 0; i < f.count; i++) {
    wgsl_check_type(p, f.parameters[i]);
    ten_buf_printf(&p->body, "%sgiven%u_: %s", i ? ", " : "", i, wgsl_spelling(f.parameters[i]));
  }
  ten_buf_printf(&p->body, ") -> %s {\n", wgsl_spelling(f.type));
  for (uint32_t i = 0; i < f.count; i++) {
    const char *text = wgsl_spelled(p, f.parameter_names[i]);
    ten_buf_printf(&p->body, "  var %s = given%u_;\n", text, i);
    add_symbol(
        p, (wgsl_symbol){.name = f.parameter_names[i], .text = text, .type = f.parameters[i], .kind = WGSL_VARIABLE});
  }
  block(p);
  ten_buf_adds(&p->body, "}\n");
  p->symbols.count = symbols;
}

/* GLOBAL [const] type *RESTRICT name */
static void buffer(wgsl_printer *p, uint32_t binding) {
  const bool constant = wgsl_is(p, "const");
  const simt_wgsl_type type = wgsl_take_type(p);
  wgsl_expect(p, "*");
  wgsl_expect(p, "RESTRICT");
  const ten_str name = wgsl_take_name(p);
  const bool words = wgsl_is_small(type) || type == WGSL_BOOL, atomic = words && !constant;
  const char *text = wgsl_format(&p->arena, "%.*s_%.*s", TEN_FMT(p->kernel), TEN_FMT(name));
  ten_buf_printf(&p->module, "@group(0) @binding(%u) var<storage, read_write> %s: array<%s>;\n", binding, text,
                 atomic  ? "atomic<u32>"
                 : words ? "u32"
                         : wgsl_spelling(type));
  add_symbol(p, (wgsl_symbol){
                    .name = name, .text = text, .type = type, .kind = WGSL_BUFFER, .words = words, .atomic = atomic});
}

/* KERNEL [GROUPED] void name(GLOBAL …, const i64 n) { … } */
static void print_kernel(wgsl_printer *p) {
  p->symbols.count = 0;
  p->grouped = wgsl_accept(p, "GROUPED");
  wgsl_expect(p, "void");
  p->kernel = wgsl_take_name(p);
  p->result = WGSL_VOID;
  wgsl_expect(p, "(");
  for (uint32_t i = 1; wgsl_accept(p, "GLOBAL"); i++) {
    buffer(p, i);
    wgsl_expect(p, ",");
  }
  wgsl_accept(p, "const");
  wgsl_expect(p, "i64");
  add_symbol(
      p, (wgsl_symbol){.name = wgsl_take_name(p), .text = "i32(count_.x)", .type = WGSL_I32, .kind = WGSL_VARIABLE});
  wgsl_expect(p, ")");
  ten_buf_printf(&p->body,
                 "\n@compute @workgroup_size(%d)\nfn %.*s(@builtin(local_invocation_index) thread_: u32, "
                 "@builtin(workgroup_id) group_: vec3<u32>, @builtin(num_workgroups) groups_: vec3<u32>) {\n",
                 p->grouped ? (int)SIMT_GROUP : (int)SIMT_WGSL_THREADS, TEN_FMT(p->kernel));
  for (size_t i = 0; i + 1 < p->symbols.count; i++) /* all are used: the layout has a place for each */
    ten_buf_printf(&p->body, "  _ = &%s;\n", p->symbols.data[i].text);
  ten_buf_adds(&p->body, "  _ = count_.x;\n");
  block(p);
  ten_buf_adds(&p->body, "}\n");
}

ten_status *simt_wgsl_print(const char *text, bool int64, ten_buf *out) {
  wgsl_printer p = {.at = text, .int64 = int64};
  ten_arena_init(&p.arena);
  wgsl_advance(&p);
  while (p.now.kind != WGSL_END && !p.error) {
    if (wgsl_accept(&p, "FN"))
      read_function(&p);
    else if (wgsl_accept(&p, "KERNEL"))
      print_kernel(&p);
    else
      wgsl_give_up(&p, "a function");
  }
  p.grouped = false;
  for (size_t i = 0; i < p.called.count && !p.error; i++) print_function(&p, p.called.data[i]);
  if (!p.error) {
    ten_buf_adds(out, "@group(0) @binding(0) var<uniform> count_: vec4<u32>;\n");
    ten_buf_add(out, p.module.data ? p.module.data : "", p.module.size);
    ten_buf_add(out, p.body.data ? p.body.data : "", p.body.size);
  }
  ten_buf_free(&p.module);
  ten_buf_free(&p.body);
  ten_vec_free(&p.functions);
  ten_vec_free(&p.symbols);
  ten_vec_free(&p.called);
  ten_arena_destroy(&p.arena);
  return p.error;
}
