/* bf16_image.c: converts a convolution's input to rows of bf16: patches of pixels, padded images, windows of them. */
#include "backend/cpu/kernels/bf16_job.h"

/* One patch inside the image, in rows of `taps` elements, but stores the constant `wide` of them at once: the next
 * row, or patch, overwrites the excess. */
ALWAYS_INLINE void write_patch(const uint16_t *from, int64_t row, int64_t rows, int64_t taps, const int64_t wide,
                               uint16_t *to) {
  for (int64_t i = 0; i < rows; i++, from += row, to += taps) memcpy(to, from, (size_t)wide * sizeof *to);
  memset(to, 0, (size_t)wide * sizeof *to); /* padding of k beyond the taps */
}

/* One patch, possibly with padding. */
static void write_patch_there(const bf16_job *job, int64_t n, int64_t top, int64_t left, uint16_t *to) {
  const ten_conv2d *c = job->conv;
  const int64_t taps = c->kw * c->ci, k = job->shape.k;
  memset(to + c->kh * taps, 0, (size_t)(k - c->kh * taps) * sizeof *to);
  const bool run = c->dilation_w == 1 && left >= 0 && left + c->kw <= c->w; /* a row of taps is contiguous */
  for (int64_t kh = 0; kh < c->kh; kh++, to += taps) {
    const int64_t ih = top + kh * c->dilation_h, begin = (n * c->h + ih) * c->w;
    const bool inside = ih >= 0 && ih < c->h;
    if (inside && run) {
      convert_few(element(c->x, c->narrow, (begin + left) * c->ci), c->narrow, taps, to);
      continue;
    }
    memset(to, 0, (size_t)taps * sizeof *to);
    for (int64_t kw = 0; kw < c->kw && inside; kw++) {
      const int64_t iw = left + kw * c->dilation_w;
      if (iw >= 0 && iw < c->w)
        convert_few(element(c->x, c->narrow, (begin + iw) * c->ci), c->narrow, c->ci, to + kw * c->ci);
    }
  }
}

void TEN_K(bf16_write_patches)(const bf16_job *job, int64_t v0, int64_t v1, uint16_t *to) {
  enum { WIDE_PATCH = BF16_PATCH, NARROW_PATCH = BF16_PATCH / 2 };
  const ten_conv2d *c = job->conv;
  const int64_t taps = c->kw * c->ci, row = c->dilation_h * c->w * c->ci,
                wide = taps <= NARROW_PATCH ? NARROW_PATCH : WIDE_PATCH;
  const int64_t below = (c->kh - 1) * c->dilation_h, last = c->n * c->h * c->w * c->ci - wide - (c->kh - 1) * row;
  const bool at_once = c->narrow && c->dilation_w == 1 && taps <= wide && job->shape.k - c->kh * taps <= wide;
  int64_t ow = v0 % c->ow, oh = v0 / c->ow % c->oh, n = v0 / c->ow / c->oh;
  for (int64_t v = v0; v < v1; v++, to += job->row_stride) {
    const int64_t left = ow * c->stride_w - c->pad_left, top = oh * c->stride_h - c->pad_top;
    const int64_t at = ((n * c->h + top) * c->w + left) * c->ci;
    const bool inside = left >= 0 && left + c->kw <= c->w && top >= 0 && top + below < c->h;
    if (!at_once || !inside || at > last)
      write_patch_there(job, n, top, left, to);
    else if (wide == NARROW_PATCH)
      write_patch((const uint16_t *)c->x + at, row, c->kh, taps, NARROW_PATCH, to);
    else
      write_patch((const uint16_t *)c->x + at, row, c->kh, taps, WIDE_PATCH, to);
    if (++ow == c->ow) ow = 0, oh++;
    if (oh == c->oh) oh = 0, n++;
  }
}

/* Pads pixels of few channels with zeros to `channels`. */
static void spread_pixels(const void *from, bool narrow, int64_t ci, int64_t count, int64_t channels, uint16_t *to) {
  const uint16_t *numbers = from;
  int64_t x = 0;
  if (narrow && ci == 3 && channels == 4)
    for (; x + 2 < count; x += 2, numbers += 6, to += 8) {
      const oct two = *(const oct *)numbers;
      *(oct *)to = __builtin_shufflevector(two, (oct){0}, 0, 1, 2, 8, 3, 4, 5, 8);
    }
  for (; x < count; x++, to += channels) {
    for (int64_t k = 0; k < channels; k++) to[k] = k < ci ? bf16_at(from, narrow, x * ci + k) : 0;
  }
}

bool TEN_K(bf16_has_wild)(const uint16_t *numbers, int64_t count) {
  enum { EXPONENT = 0x7f80 };
  int found = 0;
  for (int64_t i = 0; i < count; i++) found |= (numbers[i] & EXPONENT) == EXPONENT;
  return found;
}

void TEN_K(bf16_write_row)(const bf16_job *job, int64_t n, int64_t phase, int64_t y, uint16_t *to) {
  const ten_conv2d *c = job->conv;
  const image *i = &job->shape;
  const int64_t ih = y * c->stride_h + phase / i->phases_w - c->pad_top;
  if (ih < 0 || ih >= c->h) {
    memset(to, 0, (size_t)(i->w * i->pixel) * sizeof *to);
    return;
  }
  const void *const row = element(c->x, c->narrow, (n * c->h + ih) * c->w * c->ci);
  const int64_t step = i->together ? 1 : c->stride_w;
  if (step == 1 && c->pad_left >= 0 && (i->together || i->pixel == c->ci)) { /* pixels are contiguous as in the input */
    const int64_t before = c->pad_left < i->w ? c->pad_left : i->w;
    const int64_t inside = c->w < i->w - before ? c->w : i->w - before, after = i->w - before - inside;
    memset(to, 0, (size_t)(before * i->channels) * sizeof *to);
    if (i->channels == c->ci)
      convert(row, c->narrow, inside * c->ci, to + before * c->ci);
    else
      spread_pixels(row, c->narrow, c->ci, inside, i->channels, to + before * i->channels);
    memset(to + (before + inside) * i->channels, 0, (size_t)(after * i->channels) * sizeof *to);
    return;
  }
  for (int64_t x = 0; x < i->w; x++, to += i->pixel) {
    const int64_t iw = x * step + phase % i->phases_w - c->pad_left;
    const bool inside = iw >= 0 && iw < c->w;
    if (inside) convert(element(row, c->narrow, iw * c->ci), c->narrow, c->ci, to);
    const int64_t filled = inside ? c->ci : 0;
    if (filled < i->channels) memset(to + filled, 0, (size_t)(i->channels - filled) * sizeof *to);
  }
}

void TEN_K(bf16_write_end)(const bf16_job *job, uint16_t *to) {
  memset(to, 0, (size_t)(job->shape.shared * job->shape.pixel) * sizeof *to);
}

bool TEN_K(bf16_write_window)(const bf16_job *job, int64_t n, int64_t y0, uint16_t *to) {
  const image *i = &job->shape;
  bool wild = false;
  for (int64_t phase = 0; phase < i->phases_h * i->phases_w; phase++)
    for (int64_t y = y0; y < y0 + job->window && y < i->h; y++) {
      uint16_t *row = to + (phase * job->window + y - y0) * i->w * i->pixel;
      TEN_K(bf16_write_row)(job, n, phase, y, row);
      TEN_K(bf16_write_end)(job, row + i->w * i->pixel);
      wild |= i->together && TEN_K(bf16_has_wild)(row, i->w * i->channels);
    }
  return wild;
}

void TEN_K(bf16_copy_taps)(const bf16_job *job, const uint16_t *a, int64_t rows, uint16_t *to) {
  const int64_t taps = job->conv->kw * job->shape.channels;
  for (int64_t r = 0; r < rows; r++, a += job->row_stride)
    for (int64_t i = 0; i < job->blocks; i++, to += BF16_K) {
      memcpy(to, a + job->offsets[i], (size_t)taps * sizeof *to);
      memset(to + taps, 0, (size_t)(BF16_K - taps) * sizeof *to);
    }
}
