/* http.c: the parser of HTTP/1.1 requests. */
#include "serve/http.h"

#include <string.h>
#include <strings.h>

static bool is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c && strchr("!#$%&'*+-.^_`|~", c));
}

bool http_number(ten_str text, uint64_t *out_number) {
  uint64_t number = 0;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    if (__builtin_mul_overflow(number, 10u, &number)) return false;
    if (__builtin_add_overflow(number, (uint64_t)(text.data[i] - '0'), &number)) return false;
  }
  *out_number = number;
  return text.size > 0;
}

bool http_grpc_timeout(ten_str text, double *out_seconds) {
  static const char units[] = "HMSmun";
  static const double seconds[] = {3600, 60, 1, 1e-3, 1e-6, 1e-9};
  uint64_t number;
  if (text.size < 2 || text.size > 9 || !http_number((ten_str){text.data, text.size - 1}, &number)) return false;
  const char *unit = strchr(units, text.data[text.size - 1]);
  if (!unit || !*unit) return false;
  *out_seconds = (double)number * seconds[unit - units];
  return true;
}

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool http_unescape(ten_str text, char *out, size_t capacity) {
  size_t size = 0;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c == '%') {
      const int high = i + 2 < text.size ? hex(text.data[i + 1]) : -1, low = high >= 0 ? hex(text.data[i + 2]) : -1;
      if (low < 0 || !(high | low)) return false;
      c = (char)(high << 4 | low);
      i += 2;
    }
    if (!c || size + 1 >= capacity) return false;
    out[size++] = c;
  }
  out[size] = 0;
  return true;
}

static bool set_number(ten_str value, bool *has, uint64_t *number) {
  uint64_t read;
  if (!http_number(value, &read) || (*has && read != *number)) return false;
  *has = true;
  *number = read;
  return true;
}

bool http_field_set(http_fields *f, ten_str name, ten_str value) {
  if (ten_str_is(name, "content-length")) return set_number(value, &f->has_length, &f->length);
  if (ten_str_is(name, "inference-header-content-length"))
    return set_number(value, &f->has_inference_length, &f->inference_length);
  const struct {
    const char *name;
    ten_str *field;
  } texts[] = {{"authorization", &f->authorization},
               {"content-type", &f->content_type},
               {"content-encoding", &f->content_encoding},
               {"accept", &f->accept},
               {"host", &f->host},
               {"grpc-timeout", &f->grpc_timeout},
               {"grpc-encoding", &f->grpc_encoding}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!ten_str_is(name, texts[i].name)) continue;
    if (texts[i].field->data && texts[i].field != &f->accept) return false;
    *texts[i].field = value;
  }
  return true;
}

static ten_str trim(ten_str text) {
  while (text.size && (*text.data == ' ' || *text.data == '\t')) text.data++, text.size--;
  while (text.size && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t')) text.size--;
  return text;
}

static bool word_is(ten_str text, const char *word) {
  return text.size == strlen(word) && !strncasecmp(text.data, word, text.size);
}

/* Whether a comma-separated list contains this word. */
static bool list_has(ten_str list, const char *word) {
  while (list.size) {
    const char *comma = memchr(list.data, ',', list.size);
    const size_t size = comma ? (size_t)(comma - list.data) : list.size;
    if (word_is(trim((ten_str){list.data, size}), word)) return true;
    if (!comma) break;
    list.data += size + 1, list.size -= size + 1;
  }
  return false;
}

/* Parses one header line; 0, or the status of the error. */
static int head_line(http_head *head, ten_str line) {
  const char *colon = memchr(line.data, ':', line.size);
  if (!colon || colon == line.data) return 400;
  char lower[64];
  const size_t size = (size_t)(colon - line.data);
  for (size_t i = 0; i < size; i++)
    if (!is_token(line.data[i])) return 400;
  const ten_str value = trim((ten_str){colon + 1, line.size - size - 1});
  for (size_t i = 0; i < value.size; i++)
    if ((unsigned char)value.data[i] < 32 && value.data[i] != '\t') return 400;
  if (size >= sizeof lower) return 0; /* none of ours */
  for (size_t i = 0; i < size; i++)
    lower[i] = (char)(line.data[i] | (line.data[i] >= 'A' && line.data[i] <= 'Z' ? 32 : 0));
  const ten_str name = {lower, size};
  if (ten_str_is(name, "connection")) {
    if (list_has(value, "close")) head->keep_alive = false;
    if (list_has(value, "keep-alive")) head->keep_alive = true;
  } else if (ten_str_is(name, "transfer-encoding")) {
    if (head->chunked) return 400;
    if (!word_is(value, "chunked")) return 501;
    head->chunked = true;
  } else if (ten_str_is(name, "expect")) {
    if (!word_is(value, "100-continue")) return 417;
    head->expects_continue = true;
  }
  return http_field_set(&head->fields, name, value) ? 0 : 400;
}

/* "GET /v2 HTTP/1.1" */
static int request_line(http_head *head, ten_str line) {
  const char *space = memchr(line.data, ' ', line.size);
  if (!space || space == line.data) return 400;
  head->method = (ten_str){line.data, (size_t)(space - line.data)};
  for (size_t i = 0; i < head->method.size; i++)
    if (!is_token(head->method.data[i])) return 400;
  const char *rest = space + 1, *end = line.data + line.size;
  const char *second = memchr(rest, ' ', (size_t)(end - rest));
  if (!second || second == rest || *rest != '/') return 400;
  head->target = (ten_str){rest, (size_t)(second - rest)};
  for (size_t i = 0; i < head->target.size; i++)
    if ((unsigned char)head->target.data[i] <= 32 || head->target.data[i] == 127) return 400;
  const ten_str version = {second + 1, (size_t)(end - second - 1)};
  head->keep_alive = ten_str_is(version, "HTTP/1.1");
  if (!head->keep_alive && !ten_str_is(version, "HTTP/1.0")) return 505;
  return 0;
}

int http_head_parse(const char *data, size_t size, http_head *head) {
  *head = (http_head){0};
  const char *end = memmem(data, size, "\r\n\r\n", 4);
  if (!end) return size >= HTTP_HEAD_MOST ? -431 : 0;
  if (end - data + 4 > HTTP_HEAD_MOST) return -431;
  const char *at = data;
  bool host = false;
  for (int count = 0; at < end + 2; count++) {
    const char *stop = memmem(at, (size_t)(end + 2 - at), "\r\n", 2);
    const ten_str line = {at, (size_t)(stop - at)};
    if (count > HTTP_HEADERS_MOST) return -431;
    const int wrong = count ? head_line(head, line) : request_line(head, line);
    if (wrong) return -wrong;
    at = stop + 2;
  }
  host = head->fields.host.data;
  if (!host && head->keep_alive && memmem(data, (size_t)(end - data), "HTTP/1.1", 8)) return -400;
  if (head->chunked && head->fields.has_length) return -400;
  return (int)(end - data) + 4;
}

enum { CHUNK_LINE_MOST = 64 };

/* "1a;name=value\r\n"; extensions are skipped. */
static http_chunk_result chunk_size(http_chunks *chunks, const char *data, size_t size, size_t *out_used) {
  const char *end = memmem(data, size < CHUNK_LINE_MOST ? size : CHUNK_LINE_MOST, "\r\n", 2);
  if (!end) return size >= CHUNK_LINE_MOST ? HTTP_CHUNK_WRONG : HTTP_CHUNK_MORE;
  uint64_t number = 0;
  const char *at = data;
  for (; at < end && hex(*at) >= 0; at++) {
    if (number >> 56) return HTTP_CHUNK_WRONG;
    number = number << 4 | (uint64_t)hex(*at);
  }
  if (at == data || (at < end && *at != ';')) return HTTP_CHUNK_WRONG;
  *out_used = (size_t)(end - data) + 2;
  chunks->left = number;
  chunks->state = number ? HTTP_CHUNK_DATA : HTTP_CHUNK_TRAILER;
  return HTTP_CHUNK_SOME;
}

http_chunk_result http_chunks_next(http_chunks *chunks, const char *data, size_t size, size_t *out_used,
                                   ten_str *out_data) {
  *out_used = 0;
  *out_data = (ten_str){0};
  switch (chunks->state) {
    case HTTP_CHUNK_SIZE: return chunk_size(chunks, data, size, out_used);
    case HTTP_CHUNK_DATA:
      if (!size) return HTTP_CHUNK_MORE;
      *out_used = size < chunks->left ? size : (size_t)chunks->left;
      *out_data = (ten_str){data, *out_used};
      chunks->left -= *out_used;
      if (!chunks->left) chunks->state = HTTP_CHUNK_END;
      return HTTP_CHUNK_SOME;
    case HTTP_CHUNK_END:
      if (size < 2) return HTTP_CHUNK_MORE;
      if (memcmp(data, "\r\n", 2) != 0) return HTTP_CHUNK_WRONG;
      *out_used = 2;
      chunks->state = HTTP_CHUNK_SIZE;
      return HTTP_CHUNK_SOME;
    case HTTP_CHUNK_TRAILER: { /* trailers are not supported: an empty line ends them */
      const char *end = memmem(data, size, "\r\n", 2);
      if (!end) return size >= HTTP_HEAD_MOST ? HTTP_CHUNK_WRONG : HTTP_CHUNK_MORE;
      *out_used = (size_t)(end - data) + 2;
      return end == data ? HTTP_CHUNK_DONE : HTTP_CHUNK_SOME;
    }
  }
  return HTTP_CHUNK_WRONG;
}
