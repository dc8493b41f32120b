/* open_seal.h: gives a changed file of a program with open dimensions the size and the checksum of what it is now. */
#ifndef TEN_TESTS_OPEN_SEAL_H
#define TEN_TESTS_OPEN_SEAL_H

#include <string.h>

#include "base/hash.h"
#include "driver/open_state.h"

static void ten_open_file_seal(char *data, size_t size) {
  open_file_header header;
  const size_t from = offsetof(open_file_header, version);
  memcpy(&header, data, sizeof header);
  header.size = size;
  const ten_hash128 sum = ten_hash128_of(data + from, size - from, 0);
  header.checksum[0] = sum.low;
  header.checksum[1] = sum.high;
  memcpy(data, &header, sizeof header);
}

#endif
