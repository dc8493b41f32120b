/* wgsl.h: prints the kernel language (gen.h, language.c) as WGSL, which is no C: conversions are explicit, there are no
 * pointers to buffers, and memory has no elements of less than 32 bits. Those lie in words: they are read with shifts
 * and written by two atomic operations, so that threads may write other parts of the same word. */
#ifndef TEN_SIMT_WGSL_H
#define TEN_SIMT_WGSL_H

#include "base/str.h"

enum { SIMT_WGSL_THREADS = 64 /* of a group of a kernel that is not GROUPED */ };

/* What WGSL has no type for is refused; 64-bit integers, which it only has as an extension, unless `int64`. Binding 0
 * is a vec4 of u32: the number of elements, and zeros, which the kernel language names ZERO: what compilers do not know
 * they cannot calculate with. Those after it are the kernel's buffers. Functions that no kernel calls
 * are left out. */
TEN_MUST_USE ten_status *simt_wgsl_print(const char *text, bool int64, ten_buf *out);

/* wgsl_math.c: functions of f32 in the kernel language, which WGSL lacks or has with large errors. */
void simt_wgsl_prelude(ten_buf *out);

#endif
