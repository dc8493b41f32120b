/* test_digest.c: BLAKE3's own test vectors (input byte i is i mod 251), in one piece and in many. */
#include "base/digest.h"

#include "check.h"

static const struct {
  size_t size;
  const char *digest;
} vectors[] = {{0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
               {1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
               {1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"},
               {1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
               {1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
               {2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030"},
               {7169, "a003fc7a51754a9b3c7fae0367ab3d782dccf28855a03d435f8cfe74605e7817"},
               {31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"},
               {102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"}};

static uint8_t bytes[102400];

static void test_vectors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    char text[65];
    const ten_digest digest = ten_digest_of(bytes, vectors[i].size);
    ten_digest_hex(&digest, text);
    assert_string_equal(text, vectors[i].digest);
  }
}

static void test_pieces(void **state) {
  (void)state;
  static const size_t pieces[] = {1, 63, 777, 1024, 16384, 16385, 40000};
  for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
      ten_digester digester;
      ten_digester_init(&digester);
      for (size_t at = 0; at < vectors[i].size; at += pieces[k]) {
        const size_t rest = vectors[i].size - at;
        ten_digester_add(&digester, bytes + at, rest < pieces[k] ? rest : pieces[k]);
      }
      const ten_digest digest = ten_digester_result(&digester), whole = ten_digest_of(bytes, vectors[i].size);
      assert_true(ten_digest_eq(&digest, &whole));
    }
}

int main(void) {
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i % 251);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
