/* assert.c: creates, reads and removes checks. */
#include "ir/assert.h"
#include "ir/ten.h"

#include "base/environment.h"

bool ten_op_is_assert(const ten_op *op) { return ten_op_calls(op, TEN_NAME_ASSERT); }

static const ten_attr *place_of(const ten_builder *b) {
  ten_buf text = {0};
  const ten_loc *loc = ten_loc_first_file(b->loc);
  if (loc) ten_buf_printf(&text, "%.*s:%u", TEN_FMT(loc->name), loc->line);
  const ten_attr *place = ten_attr_string(b->module, (ten_str){text.data ? text.data : "", text.size});
  ten_buf_free(&text);
  return place;
}

ten_op *ten_build_assert(ten_builder *b, ten_value *ok, ten_value *value, const char *exception, ten_str message) {
  ten_module *module = b->module;
  ten_value *operands[] = {ok, value};
  const ten_named_attr attrs[] = {ten_call_item(module, TEN_NAME_ASSERT),
                                  {TEN_STR("has_side_effect"), ten_attr_bool(module, true), true},
                                  ten_own_item(TEN_NAME_EXCEPTION, ten_attr_string(module, ten_str_of(exception))),
                                  ten_own_item(TEN_NAME_MESSAGE, ten_attr_string(module, message)),
                                  ten_own_item(TEN_NAME_PLACE, place_of(b))};
  return ten_build_op(b, TEN_OP_CUSTOM_CALL, value ? 2 : 1, operands, 0, NULL, 5, attrs, 0);
}

ten_check ten_assert_check(const ten_op *op) {
  return (ten_check){.exception = ten_attr_as_string(ten_own_attr(op, TEN_NAME_EXCEPTION)),
                     .message = ten_attr_as_string(ten_own_attr(op, TEN_NAME_MESSAGE)),
                     .place = ten_attr_as_string(ten_own_attr(op, TEN_NAME_PLACE)),
                     .dtype = op->operand_count > 1 ? ten_op_operand(op, 1)->type->dtype : TEN_DTYPE_NONE};
}

ten_status *ten_asserts_wanted(bool *out_wanted) {
  *out_wanted = ten_env_switch(TEN_ENV_CHECKS, true);
  return ten_env_check_one(TEN_ENV_CHECKS);
}

static void strip_region(ten_region *region) {
  for (ten_block *block = region->first; block; block = block->next)
    for (ten_op *op = block->first, *next; op; op = next) {
      next = op->next;
      for (uint32_t r = 0; r < op->region_count; r++) strip_region(&op->regions[r]);
      if (ten_op_is_assert(op)) ten_op_erase(op);
    }
}

void ten_asserts_strip(ten_module *module) { strip_region(&module->op->regions[0]); }
