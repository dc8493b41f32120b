/* dtype.c: facts about element types. */
#include "tenfold/dtype.h"

#include <string.h>

static const struct {
  const char *name;
  unsigned bits, bytes;
  ten_dclass class;
} facts[TEN_DTYPE_COUNT] = {[TEN_DTYPE_NONE] = {"none", 0, 0, TEN_CLASS_BOOL},
#define FACT(name, text, bits, bytes, class) [TEN_##name] = {text, bits, bytes, TEN_CLASS_##class},
                            TEN_DTYPES(FACT)
#undef FACT
};

/* An invalid type has the facts of none: buffers come from outside. */
static unsigned at(ten_dtype dtype) { return (unsigned)dtype < TEN_DTYPE_COUNT ? (unsigned)dtype : TEN_DTYPE_NONE; }

const char *ten_dtype_name(ten_dtype dtype) { return facts[at(dtype)].name; }
unsigned ten_dtype_bits(ten_dtype dtype) { return facts[at(dtype)].bits; }
size_t ten_dtype_bytes(ten_dtype dtype) { return facts[at(dtype)].bytes; }
ten_dclass ten_dtype_class(ten_dtype dtype) { return facts[at(dtype)].class; }

ten_dtype ten_dtype_part(ten_dtype dtype) { return dtype == TEN_C64 ? TEN_F32 : dtype == TEN_C128 ? TEN_F64 : dtype; }

ten_dtype ten_dtype_parse(const char *text, size_t size) {
  for (int i = 1; i < TEN_DTYPE_COUNT; i++)
    if (strlen(facts[i].name) == size && !memcmp(facts[i].name, text, size)) return (ten_dtype)i;
  return TEN_DTYPE_NONE;
}
