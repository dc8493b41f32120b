/* versioned.c: checks and fills structs by their size; the version of the library. */
#include "base/versioned.h"

#include <string.h>

#include "tenfold/version.h"

static ten_status *check_size(size_t size, size_t first, const char *name) {
  if (size >= first) return NULL;
  return ten_error(TEN_INVALID, "%s.size is %zu, must be sizeof(%s), which is at least %zu", name, size, name, first);
}

ten_status *ten_options_check(const void *options, size_t first, size_t known, const char *name) {
  if (!options) return NULL;
  size_t size;
  memcpy(&size, options, sizeof size);
  TEN_TRY(check_size(size, first, name));
  for (size_t i = known; i < size; i++)
    if (((const unsigned char *)options)[i])
      return ten_error(TEN_UNSUPPORTED, "%s has %zu bytes, of which Tenfold %s knows %zu: the others must be zero",
                       name, size, TENFOLD_VERSION, known);
  return NULL;
}

ten_status *ten_result_fill(void *out, const void *from, size_t first, size_t known, const char *name) {
  size_t size;
  memcpy(&size, out, sizeof size);
  TEN_TRY(check_size(size, first, name));
  memcpy((char *)out + sizeof size, (const char *)from + sizeof size, (size < known ? size : known) - sizeof size);
  return NULL;
}

const char *ten_version(void) { return TENFOLD_VERSION; }
int ten_version_number(void) { return TENFOLD_VERSION_NUMBER; }
const char *ten_stablehlo_version(void) { return TENFOLD_STABLEHLO_VERSION; }
