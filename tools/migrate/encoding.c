/* encoding.c: sources that are not UTF-8. A coding line (PEP 263) names the encoding; the text is processed as UTF-8
 * and written back in its encoding. Text that would not round-trip byte for byte is refused. */
#include "migrate/encoding.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>

/* The encoding that the first or second line names; empty when none does. */
static ten_str coding_line(ten_str text) {
  size_t at = 0;
  for (int line = 0; line < 2 && at < text.size; line++) {
    size_t end = at;
    while (end < text.size && text.data[end] != '\n' && text.data[end] != '\r') end++;
    size_t start = at;
    while (start < end && (text.data[start] == ' ' || text.data[start] == '\t' || text.data[start] == '\f')) start++;
    if (start < end && text.data[start] != '#') return (ten_str){0}; /* code: a later coding line does not count */
    for (size_t i = start; i + 7 < end; i++) {
      if (memcmp(text.data + i, "coding", 6) || (text.data[i + 6] != ':' && text.data[i + 6] != '=')) continue;
      size_t name = i + 7;
      while (name < end && (text.data[name] == ' ' || text.data[name] == '\t')) name++;
      size_t stop = name;
      while (stop < end && (isalnum((unsigned char)text.data[stop]) || strchr("-_.", text.data[stop]))) stop++;
      if (stop > name) return (ten_str){text.data + name, stop - name};
    }
    if (end + 1 < text.size && text.data[end] == '\r' && text.data[end + 1] == '\n') end++;
    at = end + 1;
  }
  return (ten_str){0};
}

/* Python's normalized names of encodings ("Latin-1" → "latin1") that iconv names differently. */
static void iconv_name(ten_str python, char out[64]) {
  static const struct {
    const char *python, *iconv;
  } names[] = {
      {"latin1", "ISO-8859-1"}, {"latin", "ISO-8859-1"},   {"l1", "ISO-8859-1"},         {"iso88591", "ISO-8859-1"},
      {"cp1252", "CP1252"},     {"windows1252", "CP1252"}, {"iso885915", "ISO-8859-15"}, {"latin9", "ISO-8859-15"},
      {"utf8", "UTF-8"},        {"utf8sig", "UTF-8"},      {"ascii", "US-ASCII"},        {"usascii", "US-ASCII"},
      {"sjis", "SHIFT_JIS"},    {"shiftjis", "SHIFT_JIS"}, {"eucjp", "EUC-JP"},          {"gb2312", "GB2312"},
      {"gbk", "GBK"},           {"koi8r", "KOI8-R"}};
  char folded[64];
  size_t size = 0;
  for (size_t i = 0; i < python.size && size < sizeof folded - 1; i++)
    if (isalnum((unsigned char)python.data[i])) folded[size++] = (char)tolower((unsigned char)python.data[i]);
  folded[size] = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(folded, names[i].python)) {
      snprintf(out, 64, "%s", names[i].iconv);
      return;
    }
  snprintf(out, 64, "%.*s", (int)(python.size < 60 ? python.size : 60), python.data);
}

/* False when the encoding is unknown or a byte cannot be converted; *out_at is then the position. */
static bool convert(const char *to, const char *from, ten_str text, ten_buf *out, size_t *out_at) {
  iconv_t converter = iconv_open(to, from);
  *out_at = 0;
  if (converter == (iconv_t)-1) return false; // NOLINT: the interface says so
  char *in = (char *)text.data;
  size_t left = text.size;
  bool ok = true;
  while (ok && left) {
    char chunk[16384], *place = chunk;
    size_t room = sizeof chunk;
    const size_t replaced = iconv(converter, &in, &left, &place, &room);
    ok = replaced == 0 || (replaced == (size_t)-1 && errno == E2BIG); /* an inexact replacement is an error */
    ten_buf_add(out, chunk, sizeof chunk - room);
  }
  *out_at = text.size - left;
  iconv_close(converter);
  return ok;
}

static bool valid_utf8(ten_str text, size_t *out_at) {
  for (size_t i = 0; i < text.size;) {
    const size_t size = ten_utf8_size((ten_str){text.data + i, text.size - i});
    if (!size) return *out_at = i, false;
    i += size;
  }
  return true;
}

static unsigned line_of(ten_str text, size_t at) {
  unsigned line = 1;
  for (size_t i = 0; i < at && i < text.size; i++) line += text.data[i] == '\n';
  return line;
}

static ten_status *decode(ten_str text, const char *encoding, ten_buf *out) {
  size_t at = 0;
  ten_buf back = {0};
  ten_status *status = NULL;
  iconv_t known = iconv_open("UTF-8", encoding);
  if (known == (iconv_t)-1) // NOLINT: the interface says so
    return ten_error(TEN_UNSUPPORTED, "its coding line names '%s', which is not known; left as it is", encoding);
  iconv_close(known);
  if (!convert("UTF-8", encoding, text, out, &at))
    status = ten_error(TEN_INVALID, "line %u is not %s, as its coding line says; left as it is", line_of(text, at),
                       encoding);
  else if (!convert(encoding, "UTF-8", (ten_str){out->data, out->size}, &back, &at) || back.size != text.size ||
           memcmp(back.data, text.data, text.size))
    status = ten_error(TEN_UNSUPPORTED, "would not come back from %s byte for byte; left as it is", encoding);
  ten_buf_free(&back);
  return status;
}

ten_status *ten_source_decode(ten_str text, char out_encoding[64], ten_buf *out_text) {
  out_encoding[0] = 0;
  const unsigned char *bytes = (const unsigned char *)text.data;
  if (text.size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)))
    return ten_error(TEN_UNSUPPORTED, "is UTF-16, which Python does not read; left as it is. Save it as UTF-8");
  if (memchr(text.data, 0, text.size)) return ten_error(TEN_INVALID, "is a binary file; left as it is");
  size_t at = 0;
  const bool utf8 = valid_utf8(text, &at), bom = text.size >= 3 && !memcmp(text.data, "\xef\xbb\xbf", 3);
  const ten_str coding = bom ? (ten_str){0} : coding_line(text); /* with a byte-order mark, Python requires UTF-8 */
  char name[64] = "UTF-8";
  if (coding.size) iconv_name(coding, name);
  bool plain = true; /* ASCII: the same in every encoding that Python reads */
  for (size_t i = 0; i < text.size && plain; i++) plain = bytes[i] < 0x80;
  if (utf8 && (plain || !strcmp(name, "UTF-8"))) return NULL;
  if (!strcmp(name, "UTF-8"))
    return ten_error(
        TEN_UNSUPPORTED,
        "line %u is not UTF-8, and no coding line says what it is; left as it is. Save it as UTF-8: iconv -f latin1 "
        "-t utf-8",
        line_of(text, at));
  ten_status *status = decode(text, name, out_text);
  if (!status) snprintf(out_encoding, 64, "%s", name);
  return status;
}

ten_status *ten_source_encode(ten_str text, const char *encoding, ten_buf *out) {
  size_t at = 0;
  if (convert(encoding, "UTF-8", text, out, &at)) return NULL;
  return ten_error(TEN_INVALID, "line %u cannot be written in %s", line_of(text, at), encoding);
}
