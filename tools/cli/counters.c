/* counters.c: the CPU's performance counters, where the system allows them. */
#include "cli/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  uint64_t config;
  const char *name;
} kinds[CLI_COUNTERS] = {{PERF_COUNT_HW_CPU_CYCLES, "cycles"},
                         {PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
                         {PERF_COUNT_HW_CACHE_MISSES, "cache_misses"},
                         {PERF_COUNT_HW_BRANCH_MISSES, "branch_misses"}};

void cli_counters_open(cli_counters *counters) {
  *counters = (cli_counters){0};
  for (size_t i = 0; i < CLI_COUNTERS; i++) {
    struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof wanted,
                                     .config = kinds[i].config,
                                     .disabled = 1,
                                     .inherit = 1,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
    counters->files[i] = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (counters->files[i] < 0 && !counters->error) counters->error = errno;
  }
}

void cli_counters_count(const cli_counters *counters, bool on) {
  for (size_t i = 0; i < CLI_COUNTERS; i++)
    if (counters->files[i] >= 0) ioctl(counters->files[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void cli_counters_close(cli_counters *counters) {
  for (size_t i = 0; i < CLI_COUNTERS; i++)
    if (counters->files[i] >= 0) close(counters->files[i]);
  memset(counters->files, -1, sizeof counters->files);
}

/* Scales a multiplexed counter to the whole time. Below 0: not counted. */
static double value_of(const cli_counters *counters, size_t i) {
  uint64_t seen[3]; /* the value, nanoseconds enabled, nanoseconds running */
  if (counters->files[i] < 0 || read(counters->files[i], seen, sizeof seen) != sizeof seen || !seen[2]) return -1;
  return (double)seen[0] * ((double)seen[1] / (double)seen[2]);
}

json_t *cli_counters_json(const cli_counters *counters, double runs) {
  json_t *root = json_object();
  for (size_t i = 0; i < CLI_COUNTERS; i++) {
    const double value = value_of(counters, i);
    if (value >= 0) json_object_set_new(root, kinds[i].name, json_real(value / runs));
  }
  if (!json_object_size(root))
    json_object_set_new(root, "missing",
                        json_string(counters->error ? strerror(counters->error) : "nothing was counted"));
  return root;
}

void cli_counters_print(FILE *out, const cli_counters *counters, double runs) {
  const double cycles = value_of(counters, 0), instructions = value_of(counters, 1), misses = value_of(counters, 2);
  if (cycles < 0 || instructions < 0) return;
  fprintf(out, "counters: %.4g cycles, %.2f instructions each", cycles / runs, instructions / cycles);
  if (misses >= 0) fprintf(out, ", %.4g cache misses", misses / runs);
  fputc('\n', out);
}
