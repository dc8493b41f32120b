/* fft.h: how a transform is cut into stages: what the kernel and whoever makes its table agree on. */
#ifndef TEN_CPU_KERNELS_FFT_H
#define TEN_CPU_KERNELS_FFT_H

#include <stdint.h>

/* A length is taken apart by fours, then by its prime factors; one with a prime factor above this is done as a
 * convolution of a power of two (Bluestein). */
enum { FFT_PRIME_MOST = 61 };

/* Numbers of the real parts of `group` lines, and of the imaginary ones: a few more than there are, so that numbers of
 * one place do not fall on one another's places in the cache. */
static inline int64_t fft_part(int64_t n, int64_t group) { return n * group + 80; }

static inline int64_t fft_radix(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t p = 2; p <= FFT_PRIME_MOST; p++)
    if (n % p == 0) return p;
  return 0;
}

/* Complex numbers of the tables of all stages: for each, the roots of its radix, then r - 1 factors for each of its
 * m = n / r. */
static inline int64_t fft_stages_size(int64_t n) {
  int64_t size = 0;
  while (n > 1) {
    const int64_t r = fft_radix(n);
    size += r + n / r * (r - 1);
    n /= r;
  }
  return size;
}

#endif
