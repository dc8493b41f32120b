/* fft.h: the decomposition of a transform into stages, shared by the kernel and the table's creator. */
#ifndef TEN_CPU_KERNELS_FFT_H
#define TEN_CPU_KERNELS_FFT_H

#include <stdint.h>

/* A length is factored into fours, then primes; one with a prime factor above this is computed as a convolution of a
 * power-of-two length (Bluestein). */
enum { FFT_PRIME_MOST = 61 };

/* Elements of the real parts of `group` lines, and of the imaginary ones: padded, so that real and imaginary parts do
 * not conflict in cache sets. */
static inline int64_t fft_part(int64_t n, int64_t group) { return n * group + 80; }

static inline int64_t fft_radix(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t p = 2; p <= FFT_PRIME_MOST; p++)
    if (n % p == 0) return p;
  return 0;
}

/* Complex elements of the tables of all stages: for each, the roots of its radix, then r - 1 twiddle factors for each
 * of its m = n / r. */
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
