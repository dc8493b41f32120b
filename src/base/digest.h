/* digest.h: BLAKE3, for content that an adversary may have made: no two inputs with the same digest are known. For
 * tables and checksums hash.h is ten times faster. */
#ifndef TEN_BASE_DIGEST_H
#define TEN_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

typedef struct ten_digest {
  uint8_t bytes[32];
} ten_digest;

enum { TEN_DIGEST_CHUNK = 1024, TEN_DIGEST_LANES = 16, TEN_DIGEST_DEPTH = 54 };

/* Incremental. Numbers are added as eight bytes, little-endian; strings with their length, so that ("ab", "c") and
 * ("a", "bc") differ. Owns no memory. */
typedef struct ten_digester {
  uint8_t waiting[TEN_DIGEST_LANES * TEN_DIGEST_CHUNK]; /* not hashed yet: the last chunk is hashed differently */
  size_t size;
  uint64_t chunks;                     /* hashed so far */
  uint32_t stack[TEN_DIGEST_DEPTH][8]; /* subtrees whose right siblings are not complete */
  unsigned depth;
} ten_digester;

void ten_digester_init(ten_digester *digester);
void ten_digester_add(ten_digester *digester, const void *data, size_t size);
void ten_digester_add_u64(ten_digester *digester, uint64_t number);
void ten_digester_add_str(ten_digester *digester, ten_str text);
/* The digest of all input so far; more may be added. */
ten_digest ten_digester_result(const ten_digester *digester);

ten_digest ten_digest_of(const void *data, size_t size);
static inline bool ten_digest_eq(const ten_digest *a, const ten_digest *b) {
  return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
}
/* 64 hexadecimal digits and a NUL. */
void ten_digest_hex(const ten_digest *digest, char out_text[65]);

#endif
