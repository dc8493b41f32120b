/* fft.c: discrete Fourier transforms along one dimension, in f32 and in f64. fft_lines.h has the algorithm. */
#include "backend/cpu/kernels/fft.h"

#include <string.h>

#include "backend/cpu/kernels/gemm.h"

typedef float narrow_vector __attribute__((vector_size(VL * sizeof(float)), aligned(4), may_alias));
typedef double wide_vector __attribute__((vector_size(VL * sizeof(float)), aligned(8), may_alias));

#define REAL float
#define VECTOR narrow_vector
#define FFT(name) narrow_##name
#include "backend/cpu/kernels/fft_lines.h"
#undef REAL
#undef VECTOR
#undef FFT
#define REAL double
#define VECTOR wide_vector
#define FFT(name) wide_##name
#include "backend/cpu/kernels/fft_lines.h"

void TEN_K(fft_run)(const ten_fft *f, const void *from, const void *table, void *to, void *scratch, int64_t begin,
                    int64_t end) {
  if (f->wide)
    wide_run(f, from, table, to, scratch, begin, end);
  else
    narrow_run(f, from, table, to, scratch, begin, end);
}
