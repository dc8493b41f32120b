/* sdy.c: attributes of the sharding dialect, which are kept as text. */
#include "ir/bytecode/reader.h"

const ten_attr *bc_sdy_attr(bc_bytes *bytes) {
  bc_fail(bytes->reader, "sdy");
  return NULL;
}
