/* fft.c: Fourier transforms as steps (rt/fft.c). */
#include "backend/cpu/exec/kernel.h"

static void check_fft(cpu_checker *c) {
  const ten_cpu_fft *d = c->step->descriptor;
  const ten_fft *f = &d->fft;
  CPU_CHECK_BOOL(c, f->inverse);
  CPU_CHECK_BOOL(c, f->wide);
  CPU_CHECK_BOOL(c, f->half);
  cpu_check_args(c, 4, 2);
  const int64_t sizes[] = {f->n, f->inner, f->lines};
  cpu_check(c, f->kind >= TEN_FFT_COMPLEX && f->kind <= TEN_FFT_TO_REAL, "an unknown kind of transform");
  if (c->wrong || !cpu_check_sizes(c, 3, sizes)) return;
  cpu_check(c, f->n > 0 && f->inner > 0 && f->lines % f->inner == 0, "transform lines that do not divide evenly");
  const int64_t number = f->wide ? 8 : 4, half = f->n / 2 + 1;
  const int64_t in = f->kind == TEN_FFT_FROM_REAL ? f->n
                     : f->kind == TEN_FFT_TO_REAL ? 2 * half
                                                  : 2 * f->n,
                out = f->kind == TEN_FFT_FROM_REAL ? 2 * half
                      : f->kind == TEN_FFT_TO_REAL ? f->n
                                                   : 2 * f->n;
  cpu_check_room(c, 0, false, CPU_PRODUCT(f->lines, in, number));
  cpu_check_room(c, 2, true, CPU_PRODUCT(f->lines, out, number));
  if (c->wrong) return;
  ten_cpu_fft same = {.fft = *f};
  ten_cpu_fft_shape(&same);
  cpu_check(c,
            same.fft.m == f->m && same.fft.group == f->group && same.fft.half == f->half && same.scratch == d->scratch,
            "a transform whose factors are not those of its length");
  if (c->wrong) return;
  cpu_check_room(c, 1, false, (int64_t)ten_cpu_fft_table_size(d));
  cpu_check_scratch(c, 3, CPU_PRODUCT((int64_t)d->scratch, (int64_t)c->program->threads));
  cpu_check_units(c, (f->lines + f->group - 1) / f->group);
}

const exec_kernel exec_kernel_fft = {.descriptor = sizeof(ten_cpu_fft), .run = ten_cpu_fft_run, .check = check_fft};
