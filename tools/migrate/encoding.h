/* encoding.h: source text to UTF-8 and back. */
#ifndef TEN_MIGRATE_ENCODING_H
#define TEN_MIGRATE_ENCODING_H

#include "base/str.h"
#include "tenfold/status.h"

/* UTF-8 text: *out_encoding stays empty and nothing is written to *out_text. Another encoding that the text names: its
 * name, and the text as UTF-8. Anything else (binary, UTF-16, undeclared) is an error that names it. */
TEN_MUST_USE ten_status *ten_source_decode(ten_str text, char out_encoding[64], ten_buf *out_text);
/* The reverse. */
TEN_MUST_USE ten_status *ten_source_encode(ten_str text, const char *encoding, ten_buf *out);

#endif
