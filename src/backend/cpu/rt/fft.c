/* fft.c: discrete Fourier transforms along one dimension: tables per length, and the kernel launch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels/fft.h"
#include "backend/cpu/rt/rt.h"
#include "base/arena.h"

#if defined(__aarch64__)
enum { GROUP_MOST = 16, GROUP_LEAST = 4, GROUP_NUMBERS = 1 << 12 }; /* in L1 */
#else
enum { GROUP_MOST = 16, GROUP_LEAST = 4, GROUP_NUMBERS = 1 << 15 };
#endif

/* e^(-2πi·k/n), from an angle of at most an eighth of a turn. */
static void root_of_unity(int64_t k, int64_t n, double out[2]) {
  k %= n;
  const int64_t eighth = k / ((n + 7) / 8) < 8 ? 8 * k / n : 7; /* of a turn */
  static const double pi = 3.14159265358979323846;
  /* the nearest quarter, and the remaining angle: (4k - quarter·n) / 4n of a turn */
  const int64_t quarter = (eighth + 1) / 2;
  const double angle = 2 * pi * (double)(4 * k - quarter * n) / (4 * (double)n), c = cos(angle), s = sin(angle);
  const double turned[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  out[0] = turned[quarter % 4][0];
  out[1] = -turned[quarter % 4][1];
}

static double *make_stages(int64_t n, double *table) {
  while (n > 1) {
    const int64_t r = fft_radix(n), m = n / r;
    for (int64_t k = 0; k < r; k++, table += 2) root_of_unity(k, r, table);
    for (int64_t p = 0; p < m; p++)
      for (int64_t k = 1; k < r; k++, table += 2) root_of_unity(p * k, n, table);
    n = m;
  }
  return table;
}

/* e^(-πi·k²/n): the chirp; and the transform of its inverse, mirrored, over m: the filter of the convolution. */
static void make_filter(int64_t n, int64_t m, const double *stages, double *table) {
  double *chirp = table, *filter = table + 2 * n;
  memset(filter, 0, (size_t)(2 * m) * sizeof *filter);
  for (int64_t k = 0; k < n; k++) {
    root_of_unity((int64_t)((__int128)k * k % (2 * n)), 2 * n, chirp + 2 * k);
    const double re = chirp[2 * k] / (double)m, im = -chirp[2 * k + 1] / (double)m;
    filter[2 * k] = re, filter[2 * k + 1] = im;
    if (k) filter[2 * (m - k)] = re, filter[2 * (m - k) + 1] = im;
  }
  const ten_fft whole = {.n = m, .m = m, .inner = 1, .lines = 1, .group = 1, .wide = true};
  double *scratch = ten_alloc((size_t)(4 * fft_part(m, 1)) * sizeof *scratch);
  ten_kernels_best()->fft_run(&whole, filter, stages, filter, scratch, 0, 1);
  free(scratch);
}

static bool is_easy(int64_t n) {
  for (int64_t r; n > 1; n /= r)
    if (!(r = fft_radix(n))) return false;
  return true;
}

void ten_cpu_fft_shape(ten_cpu_fft *fft) {
  ten_fft *f = &fft->fft;
  f->half = f->kind != TEN_FFT_COMPLEX && f->n % 2 == 0 && f->inner == 1 && is_easy(f->n / 2);
  f->m = f->half ? f->n / 2 : f->n;
  if (!is_easy(f->m))
    for (f->m = 1; f->m < 2 * f->n - 1;) f->m *= 2;
  const int64_t most = f->wide ? GROUP_MOST / 2 : GROUP_MOST;
  f->group = most;
  while (f->group > GROUP_LEAST && f->group * f->m > GROUP_NUMBERS) f->group /= 2;
  if (f->lines < f->group) f->group = f->lines > 0 ? f->lines : 1;
  fft->scratch = ((size_t)(4 * fft_part(f->m, f->group)) * (f->wide ? sizeof(double) : sizeof(float)) + 63) / 64 * 64;
}

size_t ten_cpu_fft_table_size(const ten_cpu_fft *fft) {
  const ten_fft *f = &fft->fft;
  const int64_t numbers = fft_stages_size(f->m) + (f->half ? f->m / 2 + 1 : f->m == f->n ? 0 : f->n + f->m);
  return (size_t)(2 * numbers + 2) * (f->wide ? sizeof(double) : sizeof(float));
}

void ten_cpu_fft_table(const ten_cpu_fft *fft, void *out) {
  const ten_fft *f = &fft->fft;
  const size_t size = ten_cpu_fft_table_size(fft), count = size / (f->wide ? sizeof(double) : sizeof(float));
  double *table = f->wide ? out : ten_alloc(count * sizeof *table);
  memset(table, 0, count * sizeof *table);
  double *end = make_stages(f->m, table);
  for (int64_t k = 0; f->half && k <= f->m / 2; k++) root_of_unity(k, f->n, end + 2 * k);
  if (!f->half && f->m != f->n) make_filter(f->n, f->m, table, end);
  if (f->wide) return;
  for (size_t i = 0; i < count; i++) ((float *)out)[i] = (float)table[i];
  free(table);
}

void ten_cpu_fft_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  const ten_cpu_fft *fft = descriptor;
  char *scratch = (char *)args[3] + fft->scratch * (size_t)worker;
  ten_kernels_best()->fft_run(&fft->fft, args[0], args[1], args[2], scratch, begin, end);
}
