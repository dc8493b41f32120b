/* host.c: steps that need the caller: the checks of a test program. */
#include "cpu/program.h"
#include "runtime/compare.h"

static ten_status *view_of(const ten_type *type, void *data, ten_tensor **out_tensor) {
  return ten_tensor_view(type->dtype, type->rank, type->dims, data, NULL, NULL, out_tensor);
}

static ten_status *compare(const ten_op *op, const ten_tensor *got, const ten_tensor *want) {
  switch (op->code) {
    case TEN_OP_CHECK_EXPECT_EQ:
    case TEN_OP_CHECK_EXPECT_EQ_CONST: return ten_compare_eq(got, want);
    case TEN_OP_CHECK_EXPECT_ALMOST_EQ:
    case TEN_OP_CHECK_EXPECT_ALMOST_EQ_CONST:
      return ten_compare_almost_eq(got, want, ten_attr_as_float(ten_op_attr(op, "tolerance"), TEN_ALMOST_EQ_DEFAULT));
    case TEN_OP_CHECK_EXPECT_CLOSE:
      return ten_compare_close(got, want, (uint64_t)ten_attr_as_int(ten_op_attr(op, "min_ulp_difference"), 0),
                               (uint64_t)ten_attr_as_int(ten_op_attr(op, "max_ulp_difference"), TEN_CLOSE_ULPS_DEFAULT));
    default: break;
  }
  const ten_str name = ten_attr_as_string(ten_op_attr(op, "call_target_name"));
  if (ten_str_is(name, "check.expect_eq")) return ten_compare_eq(got, want);
  if (ten_str_is(name, "check.expect_close")) return ten_compare_close(got, want, 0, TEN_CLOSE_ULPS_DEFAULT);
  if (ten_str_is(name, "check.expect_almost_eq")) return ten_compare_almost_eq(got, want, TEN_ALMOST_EQ_CALL);
  if (ten_str_is(name, "check.eq"))
    return ten_dtype_is_int(got->dtype) || got->dtype == TEN_I1 ? ten_compare_eq(got, want)
                                                               : ten_compare_almost_eq(got, want, TEN_ALMOST_EQ_DEFAULT);
  return ten_op_error(op, TEN_UNSUPPORTED, "custom call @%.*s is not known to the cpu backend", TEN_FMT(name));
}

static ten_status *report(cpu_run *run, const ten_op *op, ten_status *found) {
  if (found && ten_status_code(found) != TEN_MISMATCH) return found;
  if (found) {
    ten_status *placed = ten_op_error(op, TEN_MISMATCH, "%s", ten_status_message(found));
    ten_status_free(found);
    found = placed;
  }
  if (!run->options->checks) return found;
  ten_checks_add(run->options->checks, found);
  return NULL;
}

ten_status *cpu_host_step(cpu_run *run, const cpu_step *step, void **pointers) {
  const ten_op *op = step->op;
  const ten_attr *constant = op->operand_count == 1 ? ten_op_attr(op, "value") : NULL;
  ten_tensor *got = NULL, *want = NULL;
  ten_status *status = view_of(ten_op_operand(op, 0)->type, pointers[0], &got);
  if (!status) status = constant ? ten_tensor_of_attr(constant, &want) : view_of(ten_op_operand(op, 1)->type, pointers[1], &want);
  if (!status) status = report(run, op, compare(op, got, want));
  ten_tensor_release(got);
  ten_tensor_release(want);
  return status;
}
