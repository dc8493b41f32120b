/* version.c: release numbers. Only major and minor determine what a program may contain; a patch release changes no
 * encoding. */
#include "tenfold/version.h"
#include "ir/bytecode/bytecode.h"

const ten_vhlo_version ten_vhlo_version_current = {TENFOLD_STABLEHLO_MAJOR, TENFOLD_STABLEHLO_MINOR,
                                                   TENFOLD_STABLEHLO_PATCH};
const ten_vhlo_version ten_vhlo_version_oldest = {TEN_VERSION_OLDEST};

static bool number_parse(const char **at, const char *end, uint16_t *out) {
  uint32_t value = 0;
  const char *start = *at;
  while (*at < end && **at >= '0' && **at <= '9') {
    value = value * 10 + (uint32_t)(*(*at)++ - '0');
    if (value > UINT16_MAX) return false;
  }
  *out = (uint16_t)value;
  return *at > start;
}

bool ten_vhlo_version_parse(ten_str text, ten_vhlo_version *out) {
  ten_vhlo_version version = {0};
  const char *at = text.data, *end = text.data + text.size;
  if (!number_parse(&at, end, &version.major) || at == end || *at++ != '.') return false;
  if (!number_parse(&at, end, &version.minor) || at == end || *at++ != '.') return false;
  if (!number_parse(&at, end, &version.patch) || at != end) return false;
  *out = version;
  return true;
}

void ten_vhlo_version_print(ten_buf *buf, ten_vhlo_version version) {
  ten_buf_printf(buf, "%u.%u.%u", version.major, version.minor, version.patch);
}

int ten_vhlo_version_compare(ten_vhlo_version a, ten_vhlo_version b) {
  if (a.major != b.major) return a.major < b.major ? -1 : 1;
  if (a.minor != b.minor) return a.minor < b.minor ? -1 : 1;
  return a.patch < b.patch ? -1 : a.patch > b.patch;
}
