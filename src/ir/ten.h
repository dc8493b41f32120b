/* ten.h: the ten dialect: our attributes, custom calls and other names that pass from one stage to the next. Each is
 * declared once, in ten.def; code uses its TEN_NAME_… and the functions below, and `make lint` rejects the literal name
 * anywhere else. */
#ifndef TEN_IR_TEN_H
#define TEN_IR_TEN_H

#include "ir/module.h"

#define TEN_NAME_PREFIX "tenfold."

typedef enum ten_name {
#define TEN(id, text, kind, value, where, meaning) TEN_NAME_##id,
#include "ir/ten.def"
#undef TEN
  TEN_NAME_COUNT
} ten_name;

typedef enum ten_name_kind {
  TEN_KIND_ON_OP,
  TEN_KIND_ON_FUNC,
  TEN_KIND_ON_ARGUMENT,
  TEN_KIND_CALL,
  TEN_KIND_ATEN_OP,
  TEN_KIND_SYMBOL,
  TEN_KIND_METADATA
} ten_name_kind;

typedef struct ten_name_info {
  const char *text;
  ten_name_kind kind;
  ten_attr_spec_kind value;
  const char *where, *meaning;
} ten_name_info;

extern const ten_name_info ten_name_infos[TEN_NAME_COUNT];

/* The name as a constant expression, for tables: ten_text_EIG. */
#define TEN(id, text, kind, value, where, meaning) extern const char ten_text_##id[sizeof text];
#include "ir/ten.def"
#include "ir/ten.h"
#undef TEN

static inline const char *ten_name_text(ten_name name) { return ten_name_infos[name].text; }
static inline ten_str ten_name_str(ten_name name) { return ten_str_of(ten_name_infos[name].text); }
/* TEN_NAME_COUNT when the table has no such name. */
ten_name ten_name_find(ten_str text);

/* An attribute of the dialect: of an op (NULL when absent), or of an argument of a function. */
const ten_attr *ten_own_attr(const ten_op *op, ten_name name);
void ten_own_attr_set(ten_module *module, ten_op *op, ten_name name, const ten_attr *value);
void ten_own_attr_remove(ten_op *op, ten_name name);
const ten_attr *ten_own_arg_attr(const ten_op *func, uint32_t index, ten_name name);
/* For lists of attributes. */
static inline ten_named_attr ten_own_item(ten_name name, const ten_attr *value) {
  return (ten_named_attr){.name = ten_name_str(name), .value = value};
}
/* Whether the op is a custom call with that target; and the attribute that makes it one, for lists. */
bool ten_op_calls(const ten_op *op, ten_name name);
ten_named_attr ten_call_item(ten_module *module, ten_name name);

/* The table as Markdown: docs/dialect.md. */
void ten_names_describe(ten_buf *out);

#endif
