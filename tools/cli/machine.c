/* machine.c: properties of this machine. */
#include "cli/machine.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

#if defined(__aarch64__)
#include <sys/auxv.h>
const char *machine_architecture(void) { return "aarch64"; }

size_t machine_features(machine_feature *out, size_t most) {
  /* Bits of the kernel's ABI (asm/hwcap.h); older headers lack newer names. */
  static const struct {
    const char *name;
    unsigned long key;
    unsigned bit;
  } bits[] = {
      {"neon", AT_HWCAP, 1},  {"fp16", AT_HWCAP, 10},  {"dotprod", AT_HWCAP, 20}, {"sve", AT_HWCAP, 22},
      {"sve2", AT_HWCAP2, 1}, {"i8mm", AT_HWCAP2, 13}, {"bf16", AT_HWCAP2, 14},   {"sme", AT_HWCAP2, 23},
  };
  size_t count = 0;
  for (; count < sizeof bits / sizeof *bits && count < most; count++)
    out[count] = (machine_feature){bits[count].name, getauxval(bits[count].key) >> bits[count].bit & 1};
  return count;
}
#elif defined(__x86_64__)
#include <cpuid.h>
const char *machine_architecture(void) { return "x86_64"; }

size_t machine_features(machine_feature *out, size_t most) {
  unsigned a = 0, b = 0, c = 0, d = 0, sub_a = 0, sub_b = 0, sub_c = 0, sub_d = 0;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  __get_cpuid_count(7, 1, &sub_a, &sub_b, &sub_c, &sub_d);
  __builtin_cpu_init();
  const machine_feature found[] = {
      {"sse4.2", __builtin_cpu_supports("sse4.2") != 0},
      {"avx2", __builtin_cpu_supports("avx2") != 0},
      {"fma", __builtin_cpu_supports("fma") != 0},
      {"avx512f", __builtin_cpu_supports("avx512f") != 0},
      {"avx512vnni", __builtin_cpu_supports("avx512vnni") != 0},
      {"avx512bf16", (sub_a >> 5 & 1) != 0},
      {"avx512fp16", (d >> 23 & 1) != 0},
      {"avxvnni", (sub_a >> 4 & 1) != 0},
      {"amx-tile", (d >> 24 & 1) != 0},
      {"amx-bf16", (d >> 22 & 1) != 0},
      {"amx-int8", (d >> 25 & 1) != 0},
  };
  size_t count = 0;
  for (; count < sizeof found / sizeof *found && count < most; count++) out[count] = found[count];
  return count;
}
#else
const char *machine_architecture(void) { return "unknown"; }
size_t machine_features(machine_feature *out, size_t most) { return (void)out, (void)most, 0; }
#endif

/* The text after `key` on its line of a small text file, without surrounding blanks, colon or quotes. */
static bool file_value(const char *path, const char *key, ten_buf *out) {
  ten_file file;
  ten_status *status = ten_file_map(path, &file);
  if (status) return ten_status_free(status), false;
  bool found = false;
  const char *at = file.data, *end = file.data + file.size;
  while (at < end && !found) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline ? newline : end;
    if (ten_str_starts((ten_str){at, (size_t)(stop - at)}, key)) {
      const char *start = at + strlen(key);
      while (start < stop && strchr(" \t:=\"", *start)) start++;
      while (stop > start && strchr(" \t\"", stop[-1])) stop--;
      ten_buf_add(out, start, (size_t)(stop - start));
      found = true;
    }
    at = newline ? newline + 1 : end;
  }
  ten_file_unmap(&file);
  return found;
}

void machine_system(ten_buf *out) {
  struct utsname name;
  if (!file_value("/etc/os-release", "PRETTY_NAME", out)) ten_buf_adds(out, "unknown system");
  if (!uname(&name)) ten_buf_printf(out, ", %s %s", name.sysname, name.release);
}

void machine_cpu(ten_buf *out) {
  if (file_value("/proc/cpuinfo", "model name", out)) return;
  /* Arm's kernels report numbers; these are common cores of servers and boards. */
  static const struct {
    const char *part, *name;
  } parts[] = {
      {"0xd03", "Cortex-A53"},  {"0xd05", "Cortex-A55"},  {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},
      {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse N1"}, {"0xd40", "Neoverse V1"}, {"0xd49", "Neoverse N2"},
      {"0xd4f", "Neoverse V2"}, {"0xd84", "Neoverse V3"}, {"0xd8e", "Neoverse N3"},
  };
  ten_buf part = {0};
  if (file_value("/proc/cpuinfo", "CPU part", &part)) {
    const char *known = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      if (!strcmp(part.data, parts[i].part)) known = parts[i].name;
    if (known) {
      ten_buf_adds(out, known);
    } else {
      ten_buf_printf(out, "%s part %s", machine_architecture(), part.data);
    }
  }
  ten_buf_free(&part);
}

double machine_memory_gib(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (double)pages * (double)size / (1 << 30) : 0;
}

void machine_ask(const char *const *arguments, ten_buf *out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child;
  const int failed = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *answer = failed ? NULL : fdopen(ends[0], "r");
  if (!answer) {
    close(ends[0]);
    return;
  }
  ten_buf line = {0};
  bool first = true;
  for (int c; (c = fgetc(answer)) != EOF;) {
    first &= c != '\n';
    if (first) ten_buf_addc(&line, (char)c);
  }
  fclose(answer);
  int state;
  if (waitpid(child, &state, 0) == child && WIFEXITED(state) && !WEXITSTATUS(state) && line.size)
    ten_buf_add(out, line.data, line.size);
  ten_buf_free(&line);
}
