/* check.c: the check and interpreter dialects, and custom calls. A probe records its values under its name, in order,
 * and also writes them to a folder if requested. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "base/npy.h"
#include "base/registry.h"
#include "ir/assert.h"
#include "tenfold/custom.h"
#include "value/compare.h"

struct interp_probes {
  ten_mutex mutex;
  TEN_VEC(struct {
    ten_str id;
    ten_tensor *value;
  })
  seen; /* names borrowed from the module */
};

interp_probes *interp_probes_create(void) {
  interp_probes *probes = ten_alloc(sizeof *probes);
  *probes = (interp_probes){0};
  ten_mutex_init(&probes->mutex);
  return probes;
}

void interp_probes_destroy(interp_probes *probes) {
  for (size_t i = 0; i < probes->seen.count; i++) ten_tensor_release(probes->seen.data[i].value);
  ten_vec_free(&probes->seen);
  ten_mutex_destroy(&probes->mutex);
  free(probes);
}

/* Reports the result of a comparison, with the location of the check. */
static ten_status *conclude(interp_call *call, ten_status *difference) {
  ten_status *placed = NULL;
  if (difference) {
    placed = interp_error(call, TEN_MISMATCH, "%s", ten_status_message(difference));
    ten_status_free(difference);
  }
  ten_checks *checks = call->state->options->checks;
  if (!checks) return placed;
  ten_checks_add(checks, call->op->operand_count ? call->in[0] : NULL, placed);
  return NULL;
}

static ten_status *compare_const(interp_call *call, bool exact) {
  const ten_attr *value = ten_op_attr(call->op, "value");
  if (!value) return interp_error(call, TEN_INVALID, "has no value");
  ten_tensor *want;
  TEN_TRY(ten_tensor_of_attr(value, &want));
  const double tolerance = ten_attr_as_float(ten_op_attr(call->op, "tolerance"), TEN_ALMOST_EQ_DEFAULT);
  ten_status *difference =
      exact ? ten_compare_eq(call->in[0], want) : ten_compare_almost_eq(call->in[0], want, tolerance);
  ten_tensor_release(want);
  return conclude(call, difference);
}

ten_status *interp_check(interp_call *call) {
  switch (call->op->code) {
    case TEN_OP_CHECK_EXPECT_EQ: return conclude(call, ten_compare_eq(call->in[0], call->in[1]));
    case TEN_OP_CHECK_EXPECT_EQ_CONST: return compare_const(call, true);
    case TEN_OP_CHECK_EXPECT_ALMOST_EQ_CONST: return compare_const(call, false);
    case TEN_OP_CHECK_EXPECT_ALMOST_EQ: {
      const double tolerance = ten_attr_as_float(ten_op_attr(call->op, "tolerance"), TEN_ALMOST_EQ_DEFAULT);
      return conclude(call, ten_compare_almost_eq(call->in[0], call->in[1], tolerance));
    }
    default: {
      const uint64_t most = (uint64_t)ten_op_int(call->op, "max_ulp_difference", 1);
      const uint64_t least = (uint64_t)ten_op_int(call->op, "min_ulp_difference", 0);
      return conclude(call, ten_compare_close(call->in[0], call->in[1], least, most));
    }
  }
}

ten_status *interp_print(interp_call *call) {
  const ten_run_options *options = call->state->options;
  if (!options->print) return NULL;
  ten_buf text = {0};
  const ten_value *value = ten_op_operand(call->op, 0);
  if (value->name.size) ten_buf_printf(&text, "%%%.*s = ", TEN_FMT(value->name));
  ten_tensor_print(&text, call->in[0]);
  ten_buf_addc(&text, '\n');
  ten_mutex_lock(&call->state->probes->mutex); /* prints must not interleave */
  options->print(options->print_user, text.data);
  ten_mutex_unlock(&call->state->probes->mutex);
  ten_buf_free(&text);
  return NULL;
}

/* probeN.npy and a line of index.csv: id, type, file; named as upstream does. */
static ten_status *write_probe(const char *dir, size_t number, ten_str id, const ten_tensor *value) {
  ten_buf path = {0};
  ten_buf_printf(&path, "%s/probe%zu.npy", dir, number);
  ten_status *status = ten_npy_write(path.data, value->dtype, value->dims, value->rank, value->data);
  if (!status) {
    ten_buf index = {0};
    ten_buf_printf(&index, "%s/index.csv", dir);
    FILE *file = fopen(index.data, "a");
    if (file) {
      ten_buf type = {0};
      ten_tensor_print_type(&type, value);
      fprintf(file, "%.*s,%s,%s\n", TEN_FMT(id), type.data, path.data);
      ten_buf_free(&type);
    }
    if (!file || fclose(file)) status = ten_error(TEN_IO, "cannot write %s", index.data);
    ten_buf_free(&index);
  }
  ten_buf_free(&path);
  return status;
}

ten_status *interp_probe(interp_call *call) {
  interp_probes *probes = call->state->probes;
  const ten_str id = ten_attr_as_string(ten_op_attr(call->op, "probe_id"));
  call->out[0] = ten_tensor_retain(call->in[0]);
  ten_mutex_lock(&probes->mutex);
  ten_vec_reserve(&probes->seen, probes->seen.count + 1);
  probes->seen.data[probes->seen.count].id = id;
  probes->seen.data[probes->seen.count].value = ten_tensor_retain(call->in[0]);
  probes->seen.count++;
  const char *dir = call->state->options->probe_dir;
  ten_status *status = dir ? write_probe(dir, probes->seen.count, id, call->in[0]) : NULL;
  ten_mutex_unlock(&probes->mutex);
  return status;
}

ten_status *interp_expect_serialized_eq(interp_call *call) {
  interp_probes *probes = call->state->probes;
  const ten_str id = ten_attr_as_string(ten_op_attr(call->op, "probe_id"));
  int64_t iteration = ten_op_int(call->op, "iteration", 0);
  ten_tensor *seen = NULL;
  ten_mutex_lock(&probes->mutex);
  for (size_t i = 0; i < probes->seen.count && !seen; i++)
    if (ten_str_eq(probes->seen.data[i].id, id) && iteration-- == 0)
      seen = ten_tensor_retain(probes->seen.data[i].value);
  ten_mutex_unlock(&probes->mutex);
  if (!seen)
    return conclude(call,
                    ten_error(TEN_MISMATCH, "no value of probe \"%.*s\" was recorded for this iteration", TEN_FMT(id)));
  ten_status *difference = ten_compare_eq(seen, call->in[0]);
  ten_tensor_release(seen);
  return conclude(call, difference);
}

static bool one_of(ten_str name, const char *const *names) {
  for (; *names; names++)
    if (ten_str_is(name, *names)) return true;
  return false;
}

/* Sharding annotations and marker calls: the identity on values. */
static const char *const markers[] = {"Sharding",
                                      "SPMDFullToShardShape",
                                      "SPMDShardToFullShape",
                                      "xla.sdy.FuncResultSharding",
                                      "xla.sdy.PropagationBarrier",
                                      "LayoutConstraint",
                                      "annotate_device_placement",
                                      NULL};

/* A kernel registered by the embedding program. It sees tensors; tokens only order the calls. */
static ten_status *kernel_call(interp_call *call, const ten_registry_entry *entry) {
  const uint32_t in = call->op->operand_count, out = call->op->result_count;
  ten_buffer *buffers = ten_alloc((in + out + 1) * sizeof *buffers);
  ten_status *status = NULL;
  size_t count = 0, inputs = 0;
  for (uint32_t i = 0; i < in + out && !status; i++) {
    const ten_type *type = i < in ? NULL : call->op->results[i - in].type;
    if (type && type->kind == TEN_TYPE_TOKEN)
      call->out[i - in] = ten_tensor_token();
    else if (type)
      status = interp_make(call, i - in, type->rank, type->dims, &call->out[i - in]);
    const ten_tensor *tensor = status ? NULL : i < in ? call->in[i] : call->out[i - in];
    if (!tensor || tensor->kind == TEN_VALUE_TOKEN) continue;
    buffers[count++] = (ten_buffer){tensor->dtype, tensor->rank, tensor->dims, tensor->data, tensor->bytes};
    inputs += i < in;
  }
  if (!status) status = ((ten_kernel)entry->function)(buffers, inputs, buffers + inputs, count - inputs, entry->user);
  free(buffers);
  return status;
}

static ten_status *interp_assert(interp_call *call) {
  if (interp_is_true(call->in[0])) return NULL;
  const ten_check check = ten_assert_check(call->op);
  return ten_check_failed(&check, call->op->operand_count > 1 ? call->in[1]->data : NULL);
}

ten_status *interp_custom_call(interp_call *call) {
  const ten_str target = ten_attr_as_string(ten_op_attr(call->op, "call_target_name"));
  if (call->op->operand_count == 2) {
    ten_tensor *got = call->in[0], *want = call->in[1];
    if (ten_str_is(target, "check.expect_eq")) return conclude(call, ten_compare_eq(got, want));
    if (ten_str_is(target, "check.expect_close"))
      return conclude(call, ten_compare_close(got, want, 0, TEN_CLOSE_ULPS_DEFAULT));
    if (ten_str_is(target, "check.expect_almost_eq"))
      return conclude(call, ten_compare_almost_eq(got, want, TEN_ALMOST_EQ_CALL));
    if (ten_str_is(target, "check.eq")) {
      ten_status *difference = ten_compare_almost_eq(got, want, TEN_ALMOST_EQ_DEFAULT);
      if (call->op->result_count) {
        TEN_TRY(ten_first_error(interp_make(call, 0, 0, NULL, &call->out[0]), NULL));
        *(uint8_t *)call->out[0]->data = difference == NULL;
      }
      return conclude(call, difference);
    }
  }
  if (ten_op_is_assert(call->op)) return interp_assert(call);
  if (one_of(target, markers)) return interp_identity(call);
  if (ten_str_is(target, "shape_assertion")) {
    if (call->op->operand_count && interp_is_true(call->in[0])) return NULL;
    const ten_attr *message = ten_op_attr(call->op, "error_message");
    return interp_error(call, TEN_INVALID, "a shape is not what the program requires%s%.*s", message ? ": " : "",
                        TEN_FMT(ten_attr_as_string(message)));
  }
  bool found;
  TEN_TRY(interp_factor(call, target, &found));
  if (found) return NULL;
  ten_registry_entry entry;
  if (ten_registry_get(TEN_REGISTRY_KERNEL, target, &entry)) return kernel_call(call, &entry);
  return interp_error(call, TEN_UNSUPPORTED, "there is no custom call @%.*s here", TEN_FMT(target));
}
