/* machine.c: a fingerprint of the CPU. Bits that differ between the cores of one machine, or over
 * time, are excluded. */
#include "backend/cpu/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/hash.h"

const char *ten_cpu_architecture(void) {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

#if defined(__x86_64__)
/* Vendor, family and model; features, without the core id in the second leaf; the state that the system saves. */
static size_t ask(uint32_t *out) {
  static const uint32_t leaves[][2] = {{0, 0}, {1, 0}, {7, 0}, {7, 1}, {13, 1}, {0x19, 0}, {0x24, 0}, {0x80000001u, 0}};
  size_t count = 0;
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaves[i][0], leaves[i][1], &a, &b, &c, &d);
    if (leaves[i][0] == 1 || leaves[i][0] == 13) b = 0;
    if (leaves[i][0] == 13) c = d = 0;
    const uint32_t all[] = {a, b, c, d};
    memcpy(out + count, all, sizeof all);
    count += 4;
  }
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE) {
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    out[count++] = low;
  }
  return count;
}
#else
static size_t ask(uint32_t *out) {
  const unsigned long words[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  memcpy(out, words, sizeof words);
  const size_t count = sizeof words / (sizeof *out);
  char text[32] = {0}; /* of the first core: with two kinds of cores, code targets what both support */
  const int fd = open("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  memcpy(out + count, text, sizeof text);
  return count + (size > 0 ? sizeof text / sizeof *out : 0);
}
#endif

uint64_t ten_cpu_fingerprint(void) {
  uint32_t words[64] = {0};
  const size_t count = ask(words);
  const uint64_t hash = ten_hash64(words, count * sizeof *words, 0);
  return hash ? hash : 1;
}

enum { USUAL_NEAR = 1 << 20 };

size_t ten_cpu_near_cache(void) {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const long known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (known > 0) return (size_t)known;
#endif
  char text[32] = {0};
  const int fd = open("/sys/devices/system/cpu/cpu0/cache/index2/size", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  const long told = size > 0 ? strtol(text, NULL, 10) : 0; /* "1024K" */
  return told > 0 && told < 1 << 20 ? (size_t)told << 10 : USUAL_NEAR;
}
