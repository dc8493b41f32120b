/* specialise.c: types and sizes from input values, and refinement with them. */
#include "driver/specialise.h"

#include "ir/verify/verify.h"

bool ten_func_is_dynamic(const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; type && i < type->input_count; i++)
    if (type->inputs[i]->kind == TEN_TYPE_TENSOR && !ten_type_is_static(type->inputs[i])) return true;
  return false;
}

static bool is_size(const ten_tensor *input) {
  return input->kind == TEN_VALUE_TENSOR && input->rank == 0 && ten_dtype_is_int(input->dtype);
}

ten_status *ten_specialise(const ten_module *module, const ten_op *func, ten_tensor *const *inputs, size_t count,
                           ten_module **out_module, ten_op **out_func) {
  *out_module = NULL;
  *out_func = NULL;
  TEN_RECOVER("specialising the program");
  TEN_TRY(ten_verify(module));
  const ten_type *declared = ten_func_type(func);
  if (!declared || declared->input_count != count)
    return ten_op_error(func, TEN_INVALID, "takes %u inputs, %zu are given", declared ? declared->input_count : 0,
                        count);
  ten_module *copy = ten_module_clone(module);
  ten_op *own = ten_module_find(copy, ten_func_name(func));
  const ten_type **types = ten_arena_new_array(&copy->arena, const ten_type *, count);
  const ten_attr **values = ten_arena_new_array(&copy->arena, const ten_attr *, count);
  for (size_t i = 0; i < count; i++) {
    types[i] = declared->inputs[i];
    if (!inputs[i] || inputs[i]->kind != TEN_VALUE_TENSOR || types[i]->kind != TEN_TYPE_TENSOR) continue;
    types[i] = ten_type_tensor_of(copy, ten_type_import(copy, types[i]->element), true, inputs[i]->rank,
                                  inputs[i]->dims, NULL);
    if (is_size(inputs[i]) && inputs[i]->dtype == types[i]->dtype && !types[i]->quant)
      values[i] = ten_attr_dense(copy, types[i], inputs[i]->data, inputs[i]->bytes);
  }
  ten_status *status = own ? ten_refine_func(copy, own, types, values, count)
                           : ten_op_error(func, TEN_INVALID, "is not at the top of its module");
  if (status) {
    ten_module_destroy(copy);
    return status;
  }
  *out_module = copy;
  *out_func = own;
  return NULL;
}
