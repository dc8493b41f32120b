/* host.c: the interpreter's kernels for programs that another backend compiled (backend/host.h). */
#include "backend/host.h"

#include "backend/interp/grid.h"

static interp_grid *grid_of(ten_host_group *group) { return (interp_grid *)(void *)group; }

static ten_status *combine(interp_call *call, const ten_tensor *x, const ten_tensor *y, ten_tensor **out) {
  const ten_host_call *host = call->user;
  return host->combine(host->context, x, y, out);
}

ten_status *ten_host_run(const ten_host_call *host) {
  ten_host_process *process = host->process;
  interp_state state = {.options = process->options,
                        .grid = grid_of(process->group),
                        .replica = process->replica,
                        .partition = process->partition,
                        .probes = (interp_probes *)(void *)process->probes,
                        .rng_calls = process->rng_calls};
  interp_call call = {.state = &state, .op = host->op, .in = host->in, .out = host->out};
  if (host->combine) call.combine = combine, call.user = (void *)(uintptr_t)host;
  ten_status *status = interp_kernels[host->op->code](&call);
  process->rng_calls = state.rng_calls;
  return status;
}

bool ten_host_computes(const ten_op *op) {
  if (op->code == TEN_OP_RNG) return true;
  return op->code == TEN_OP_CUSTOM_CALL && interp_is_factor(ten_attr_as_string(ten_op_attr(op, "call_target_name")));
}

const ten_op *ten_host_symbol(const ten_op *from, const ten_attr *symbol) { return interp_symbol(from, symbol); }

ten_host_group *ten_host_group_create(uint32_t replicas, uint32_t partitions) {
  return (ten_host_group *)(void *)interp_grid_create(replicas, partitions);
}
void ten_host_group_destroy(ten_host_group *group) { interp_grid_destroy(grid_of(group)); }
void ten_host_group_leave(ten_host_group *group, const ten_status *status) {
  interp_grid_leave(grid_of(group), status);
}
ten_host_probes *ten_host_probes_create(void) { return (ten_host_probes *)(void *)interp_probes_create(); }
void ten_host_probes_destroy(ten_host_probes *probes) {
  if (probes) interp_probes_destroy((interp_probes *)(void *)probes);
}
