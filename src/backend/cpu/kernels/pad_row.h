/* pad_row.h: copies an image with its padding, row by row. */
#ifndef TEN_CPU_KERNELS_PAD_ROW_H
#define TEN_CPU_KERNELS_PAD_ROW_H

#include <stdint.h>
#include <string.h>

typedef struct padded_images {
  const float *x;            /* [n, h, w, ci] */
  int64_t h, w, ci;          /* of the image */
  int64_t pad_top, pad_left; /* may be negative */
  int64_t rows, width;       /* with the padding */
  float *out;                /* [n, rows, width, ci] */
} padded_images;

/* Row `index` of all images' rows. */
static inline void pad_row(const padded_images *p, int64_t index) {
  const int64_t ih = index % p->rows - p->pad_top, n = index / p->rows;
  float *to = p->out + index * p->width * p->ci;
  const int64_t cut = p->pad_left < 0 ? -p->pad_left : 0; /* columns cropped by negative padding */
  const int64_t wanted = p->pad_left > 0 ? p->pad_left : 0, left = wanted < p->width ? wanted : p->width;
  int64_t inside = p->width - left < p->w - cut ? p->width - left : p->w - cut;
  if (ih < 0 || ih >= p->h || inside < 0) inside = 0;
  memset(to, 0, (size_t)(left * p->ci) * sizeof *to);
  if (inside)
    memcpy(to + left * p->ci, p->x + ((n * p->h + ih) * p->w + cut) * p->ci, (size_t)(inside * p->ci) * sizeof *to);
  memset(to + (left + inside) * p->ci, 0, (size_t)((p->width - left - inside) * p->ci) * sizeof *to);
}

#endif
