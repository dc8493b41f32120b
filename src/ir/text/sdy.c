/* sdy.c: forms of the sdy dialect. Its attributes are stored as text: `<@mesh, [{"x"}]>` in an op is
 * `#sdy.sharding<@mesh, [{"x"}]>` in the IR, so that the generic form, and upstream, read the same attribute. */
#include "ir/text/format.h"
#include "ir/text/printer.h"

#define COLLECTIVE(axes) axes "$0 out_sharding= @out_sharding:sharding {} : S"

static const struct {
  const char *name, *format;
} forms[] = {
    {"sdy.mesh", "@sym_name:symbol = @mesh:mesh {}"},
    {"sdy.sharding_constraint", "$0 @sharding:sharding {} : S"},
    {"sdy.reshard", "$0 @sharding:sharding {} : S"},
    {"sdy.return", "{} (?$ $* : O ?)"},
    {"sdy.manual_computation",
     "( $* ) in_shardings= @in_shardings:shardings out_shardings= @out_shardings:shardings"
     " manual_axes= @manual_axes:manual_axes !body {} : F"},
    {"sdy.named_computation",
     "< @name:string >( $* ) (?in_shardings in_shardings= @in_shardings:shardings ?)"
     " (?out_shardings out_shardings= @out_shardings:shardings ?) !body {} : F"},
    {"sdy.sharding_group", "$0 group_id= @group_id:int {} : O0"},
    {"sdy.constant", "{} @value:elements !value_type"},
    {"sdy.data_flow_edge", "$0 (?sharding sharding= @sharding:sharding ?) {} : S"},
    {"sdy.func_data_flow_edge", "$0 {} : S"},
    {"sdy.propagation_barrier", "$0 allowed_direction= @allowed_direction:direction {} : S"},
    {"sdy.all_gather", COLLECTIVE("@gathering_axes:list_of_axis_ref_lists ")},
    {"sdy.all_slice", COLLECTIVE("@slicing_axes:list_of_axis_ref_lists ")},
    {"sdy.all_to_all", COLLECTIVE("@params:all_to_all_param_list ")},
    {"sdy.collective_permute", COLLECTIVE("")},
    {"sdy.all_reduce", COLLECTIVE("(?reduction_op @reduction_op:reduction ?) @reduction_axes:axis_ref_list ")},
    {"sdy.reduce_scatter",
     COLLECTIVE("(?reduction_op @reduction_op:reduction ?) @reduce_scatter_axes:list_of_axis_ref_lists ")},
    {"sdy.sharded_to_unreduced", COLLECTIVE("@axes:list_of_axis_ref_lists ")},
    {"sdy.replicated_to_unreduced", COLLECTIVE("@axes:axis_ref_list ")},
};

/* The form of a text attribute inside an op: without `before` and `after`. */
static const struct {
  const char *kind, *before, *after;
  char opener;
} kinds[] = {
    {"sharding", "#sdy.sharding", "", '<'},
    {"mesh", "#sdy.mesh", "", '<'},
    {"shardings", "#sdy.sharding_per_value<", ">", '['},
    {"list_of_axis_ref_lists", "#sdy<list_of_axis_ref_lists", ">", '['},
    {"all_to_all_param_list", "#sdy<all_to_all_param_list", ">", '['},
    {"axis_ref_list", "#sdy<axis_ref_list", ">", '{'},
    {"manual_axes", "#sdy<manual_axes", ">", '{'},
};

static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH", NULL};
static const char *const reductions[] = {"sum", "max", "min", NULL};

const char *ten_sdy_format(ten_str name) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (ten_str_is(name, forms[i].name)) return forms[i].format;
  return NULL;
}

static const char *const *words_of(ten_str kind) {
  return ten_str_is(kind, "direction") ? directions : ten_str_is(kind, "reduction") ? reductions : NULL;
}

static bool parse_word(ten_parser *p, const char *const *words, const ten_attr **out) {
  for (int32_t i = 0; words[i]; i++)
    if (ten_accept_word(p, words[i])) return *out = ten_attr_i32(p->module, i), true;
  return ten_expected(p, words[0][0] == 'N' ? "a direction" : "a reduction");
}

static bool parse_kept(ten_parser *p, size_t kind, const ten_attr **out) {
  if (!ten_at(p, kinds[kind].opener)) {
    const char what[] = {'\'', kinds[kind].opener, '\'', 0};
    return ten_expected(p, what);
  }
  const char *start = p->token.text.data;
  if (!ten_skip_balanced(p)) return false;
  ten_buf text = {0};
  ten_buf_adds(&text, kinds[kind].before);
  ten_buf_add(&text, start, (size_t)(p->token.text.data + 1 - start));
  ten_buf_adds(&text, kinds[kind].after);
  *out = ten_attr_opaque(p->module, (ten_str){text.data, text.size});
  ten_buf_free(&text);
  ten_advance(p);
  return true;
}

bool ten_sdy_parse_attr(ten_parser *p, ten_str kind, const ten_attr **out) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (ten_str_is(kind, kinds[i].kind)) return parse_kept(p, i, out);
  if (words_of(kind)) return parse_word(p, words_of(kind), out);
  if (ten_str_is(kind, "symbol")) {
    ten_str name = {0};
    if (!ten_parse_symbol_name(p, &name)) return false;
    return *out = ten_attr_string(p->module, name), true;
  }
  const ten_attr_spec spec = {.kind = ten_str_is(kind, "int")      ? TEN_SPEC_I64
                                      : ten_str_is(kind, "string") ? TEN_SPEC_STRING
                                                                   : TEN_SPEC_ELEMENTS};
  return ten_parse_spec(p, &spec, out);
}

bool ten_sdy_attr_fits(const ten_attr *attr, ten_str kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (ten_str_is(kind, kinds[i].kind)) {
      const size_t at = strlen(kinds[i].before);
      return attr->kind == TEN_ATTR_OPAQUE && ten_str_starts(attr->string, kinds[i].before) &&
             ten_str_ends(attr->string, kinds[i].after) && attr->string.size > at &&
             attr->string.data[at] == kinds[i].opener;
    }
  if (words_of(kind)) {
    const int64_t count = ten_str_is(kind, "direction") ? 4 : 3;
    return attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == TEN_I32 && attr->integer.value >= 0 &&
           attr->integer.value < count;
  }
  if (ten_str_is(kind, "symbol") || ten_str_is(kind, "string")) return attr->kind == TEN_ATTR_STRING;
  if (ten_str_is(kind, "int")) return attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == TEN_I64;
  return attr->kind == TEN_ATTR_DENSE || attr->kind == TEN_ATTR_RESOURCE;
}

void ten_sdy_print_attr(ten_printer *printer, const ten_attr *attr, ten_str kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (ten_str_is(kind, kinds[i].kind)) {
      const size_t before = strlen(kinds[i].before), after = strlen(kinds[i].after);
      ten_buf_add(printer->out, attr->string.data + before, attr->string.size - before - after);
      return;
    }
  if (words_of(kind))
    ten_buf_adds(printer->out, words_of(kind)[attr->integer.value]);
  else if (ten_str_is(kind, "symbol"))
    ten_print_symbol(printer->out, attr->string);
  else
    ten_print_attr(printer, printer->out, attr, ELIDE_ALWAYS);
}
