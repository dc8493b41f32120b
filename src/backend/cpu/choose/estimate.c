/* estimate.c: estimates the time of an op on one thread, before anything runs: the longer of its arithmetic (counted by
 * ir/cost.h, or the kernel itself) and its memory traffic, each at the rate of this machine's instruction set and at
 * the fraction of it that the kernel reaches. Rates are typical of a core, not measured: a choice must not depend on
 * the machine's load. */
#include "backend/cpu/choose/choose.h"
#include "backend/cpu/exec/kernel.h"
#include "ir/cost.h"

#include <string.h>

static const cpu_rates rates[] = {{"avx512", 50e9, 10e9}, {"avx2", 30e9, 10e9}, {"generic", 8e9, 8e9}};
enum { RATE_COUNT = sizeof rates / sizeof *rates };

/* Fractions of these that generated loops reach: reductions per element, anything else; and of memory for strided or
 * scattered reads. */
static const double sums_share = 0.04, simple_share = 0.16, scattered_share = 0.25;

const cpu_rates *cpu_machine_rates(void) {
  const char *isa = ten_kernels_best()->isa;
  for (size_t i = 0; i + 1 < RATE_COUNT; i++)
    if (!strcmp(rates[i].isa, isa)) return &rates[i];
  return &rates[RATE_COUNT - 1];
}

static double bytes_of(const ten_value *value) {
  return ten_type_is_tensor(value->type) && ten_type_is_static(value->type) ? (double)ten_type_bytes(value->type) : 0;
}

/* Operands are read once; for data movement, as many bytes as the result has. */
static double traffic_of(const ten_op *op) {
  const ten_cost_class cost = ten_cost_class_of(op->code);
  const double result = op->result_count ? bytes_of(&op->results[0]) : 0;
  double bytes = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const double all = bytes_of(ten_op_operand(op, i));
    bytes += (cost == TEN_COST_MOVE || cost == TEN_COST_FAR) && all > result ? result : all;
  }
  for (uint32_t i = 0; i < op->result_count; i++) bytes += bytes_of(&op->results[i]);
  return bytes;
}

/* Flops, or simple instructions for ops without flops and for expensive functions. */
static double work_of(const ten_op *op) {
  ten_work work = {0};
  ten_count_op(NULL, op, &work);
  double steps = 0;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_is_tensor(op->results[i].type) && ten_type_is_static(op->results[i].type))
      steps += (double)ten_op_cost(op)->time * (double)ten_type_count(op->results[i].type);
  return (double)work.flops > steps ? (double)work.flops : steps;
}

static double longer(double x, double y) { return x > y ? x : y; }

double cpu_kernel_seconds(const cpu_kernel_choice *choice, cpu_step_kind kind, const ten_op *op,
                          const void *descriptor) {
  const cpu_rates *machine = cpu_machine_rates();
  const exec_kernel *kernel = exec_kernel_of(kind);
  const double work = kernel->flops ? kernel->flops(descriptor) : work_of(op),
               start = choice->from * (1 / sums_share - 1 / choice->compute),
               compute = (start + work / choice->compute) / machine->flops,
               memory = traffic_of(op) / (choice->memory > 0 ? choice->memory : 1) / machine->bytes;
  return longer(compute, memory);
}

/* Whether neighbouring results read distant addresses. */
static bool is_scattered(const ten_op *op) {
  const ten_cost_class cost = ten_cost_class_of(op->code);
  return op->code == TEN_OP_TRANSPOSE || op->code == TEN_OP_CONCATENATE || cost == TEN_COST_FAR;
}

double cpu_loops_seconds(const ten_op *op) {
  const cpu_rates *machine = cpu_machine_rates();
  const ten_cost_class cost = ten_cost_class_of(op->code);
  const bool sums = cost == TEN_COST_CONTRACT || cost == TEN_COST_REDUCE;
  return longer(work_of(op) / (sums ? sums_share : simple_share) / machine->flops,
                traffic_of(op) / (is_scattered(op) ? scattered_share : 1) / machine->bytes);
}
