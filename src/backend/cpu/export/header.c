/* header.c: the C header of an exported shared object. */
#include <ctype.h>
#include <string.h>

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/export/export.h"
#include "tenfold/version.h"

/* The C type of an element; types that C lacks are given as bits, and complex numbers as pairs. */
static const char *c_type(ten_dtype dtype) {
  switch (dtype) {
    case TEN_F32:
    case TEN_C64: return "float";
    case TEN_F64:
    case TEN_C128: return "double";
    case TEN_I16: return "int16_t";
    case TEN_I32: return "int32_t";
    case TEN_I64:
    case TEN_INDEX: return "int64_t";
    case TEN_UI64: return "uint64_t";
    case TEN_UI32:
    case TEN_TF32: return "uint32_t";
    case TEN_UI16:
    case TEN_F16:
    case TEN_BF16: return "uint16_t";
    case TEN_I2:
    case TEN_I4:
    case TEN_I8: return "int8_t";
    default: return "uint8_t";
  }
}

/* Makes a program's name safe inside a comment. */
static void say_name(ten_str name, ten_buf *out) {
  if (!name.size) return;
  ten_buf_adds(out, " (");
  for (size_t i = 0; i < name.size; i++) {
    const bool ends = i && name.data[i - 1] == '*' && name.data[i] == '/';
    ten_buf_addc(out, ends || (unsigned char)name.data[i] < ' ' ? '_' : name.data[i]);
  }
  ten_buf_addc(out, ')');
}

static void say_type(const exec_type *type, const char *kind, uint32_t index, ten_buf *out) {
  ten_buf_printf(out, " *   %s%u: %s [", kind, index, ten_dtype_name(type->dtype));
  for (uint32_t i = 0; i < type->rank; i++) ten_buf_printf(out, "%s%lld", i ? ", " : "", (long long)type->dims[i]);
  ten_buf_addc(out, ']');
  say_name(type->name, out);
  ten_buf_addc(out, '\n');
}

static void add_upper(const char *name, ten_buf *out) {
  for (const char *at = name; *at; at++) ten_buf_addc(out, (char)toupper((unsigned char)*at));
}

static void add_params(const exec_program *program, ten_buf *out) {
  const char *between = "";
  for (uint32_t i = 0; i < program->input_count; i++, between = ", ") {
    const bool updated = program->updates[i] != UINT32_MAX;
    ten_buf_printf(out, "%s%s%s *in%u", between, updated ? "" : "const ", c_type(program->inputs[i].dtype), i);
  }
  for (uint32_t i = 0; i < program->output_count; i++, between = ", ")
    ten_buf_printf(out, "%s%s *out%u", between, c_type(program->outputs[i].dtype), i);
  if (!*between) ten_buf_adds(out, "void");
}

void ten_export_header(const exec_program *program, const ten_export_options *options, const char *name,
                       const char *isa, ten_buf *out) {
  const char *slash = options->header ? strrchr(options->header, '/') : NULL;
  ten_buf_printf(out, "/* %s: made by Tenfold %s%s%s, for %s CPUs%s.\n *\n", slash ? slash + 1 : options->header,
                 TENFOLD_VERSION, options->origin ? " of " : "", options->origin ? options->origin : "",
#if defined(__x86_64__)
                 "x86_64",
#else
                 "aarch64",
#endif
                 strcmp(isa, "generic") ? !strcmp(isa, "avx512") ? " with AVX-512" : " with AVX2" : "");
  ten_buf_adds(out, " * Tensors are dense, the last dimension innermost:\n");
  for (uint32_t i = 0; i < program->input_count; i++) say_type(&program->inputs[i], "in", i, out);
  for (uint32_t i = 0; i < program->output_count; i++) say_type(&program->outputs[i], "out", i, out);
  for (uint32_t i = 0; i < program->input_count; i++)
    if (program->updates[i] != UINT32_MAX)
      ten_buf_printf(out, " * out%u may be in%u: it is then updated in place.\n", program->updates[i], i);
  ten_buf_adds(out, " * A call may come from several threads at once. */\n#ifndef ");
  add_upper(name, out);
  ten_buf_adds(out, "_H\n#define ");
  add_upper(name, out);
  ten_buf_adds(out,
               "_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
               "/* 0: done. Otherwise what is wrong: ");
  ten_buf_printf(out, "%s_message has the words. */\nint %s(", name, name);
  add_params(program, out);
  ten_buf_printf(
      out,
      ");\n\n/* Memory and threads are made by the first call, or by this: at most `threads`, 0: TENFOLD_THREADS, or one "
      "for\n * each CPU. */\nint %s_open(unsigned threads);\n"
      "/* Gives both back; no call may be running. */\nvoid %s_close(void);\n"
      "const char *%s_message(int code);\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
      name, name, name);
}
