/* random.c: random numbers by position: Philox 4x32-10, whose four words at a place depend on the key and the place
 * alone, so that the same seed gives the same numbers on every device and in any number of pieces. */
#include <math.h>

#include "tensor/internal.h"

typedef struct words4 {
  uint32_t w[4];
} words4;

static words4 philox(uint64_t key, uint64_t place) {
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  words4 c = {{(uint32_t)place, (uint32_t)(place >> 32), 0, 0}};
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)0xD2511F53u * c.w[0], b = (uint64_t)0xCD9E8D57u * c.w[2];
    c = (words4){{(uint32_t)(b >> 32) ^ c.w[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c.w[3] ^ k1, (uint32_t)a}};
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return c;
}

/* Two numbers in [0, 1) of a place, with 53 bits each. */
static void uniform_pair(uint64_t key, uint64_t place, double out[2]) {
  const words4 c = philox(key, place);
  for (int i = 0; i < 2; i++) out[i] = (double)(((uint64_t)c.w[2 * i] << 32 | c.w[2 * i + 1]) >> 11) * 0x1p-53;
}

static void normal_pair(double pair[2]) {
  const double radius = sqrt(-2 * log1p(-pair[0])), angle = 6.283185307179586476925 * pair[1];
  pair[0] = radius * cos(angle), pair[1] = radius * sin(angle);
}

static void fill(ten_tensor *value, uint64_t seed, uint64_t offset, bool normal) {
  for (size_t i = 0; i < value->count;) {
    const uint64_t at = offset + i;
    double pair[2];
    uniform_pair(seed, at / 2, pair);
    if (normal) normal_pair(pair);
    for (uint64_t k = at % 2; k < 2 && i < value->count; k++, i++) {
      if (value->dtype == TEN_F64)
        ((double *)value->data)[i] = pair[k];
      else /* not rounded up to 1 */
        ((float *)value->data)[i] = normal ? (float)pair[k] : (float)floor(pair[k] * 0x1p24) * 0x1p-24f;
    }
  }
}

ten_status *ten_array_random(ten_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims, uint64_t seed,
                             uint64_t offset, int normal, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making random numbers");
  if (dtype != TEN_F32 && dtype != TEN_F64)
    return ten_error(TEN_INVALID, "random numbers are f32 or f64, not %s", ten_dtype_name(dtype));
  if (rank > TENSOR_RANK_MAX)
    return ten_error(TEN_INVALID, "an array of %u dimensions; the limit is %d", rank, TENSOR_RANK_MAX);
  ten_tensor *value;
  TEN_TRY(tensor_value_make(device, false, dtype, rank, dims, &value));
  fill(value, seed, offset, normal != 0);
  tensor_lock(device);
  *out_array = tensor_array_of(device, value);
  tensor_unlock(device);
  return NULL;
}
