/* object_calls.c: checks of the C kernels that programs call by themselves (rt/rt.h), each against what the kernel
 * reads and writes. */
#include "backend/cpu/exec/object_check.h"

#include "backend/cpu/rt/rt.h"

static int64_t threads_of(const cpu_checker *c) { return (int64_t)c->program->threads; }
static void check_units(cpu_checker *c, int64_t units) {
  cpu_check(c, c->step->count == units, "another number of units than the kernel has");
}

static void check_sort(cpu_checker *c) {
  const ten_cpu_sort *s = c->step->descriptor;
  CPU_CHECK_BOOL(c, s->simple);
  const int64_t sizes[] = {s->rows, s->size, s->inner, s->top, s->count, s->extra};
  cpu_check(c, s->count > 0 && s->bytes && c->step->symbol != UINT32_MAX, "a sort without a comparator");
  cpu_check(c, c->step->arg_count == 2 * (uint64_t)s->count + s->extra + 1, "another number of arguments");
  cpu_check(c, s->kind >= TEN_SORT_UNSIGNED && s->kind <= TEN_SORT_FLOAT, "a kind of sort that is not there");
  if (!cpu_check_sizes(c, 6, sizes) || c->wrong) return;
  cpu_check(c, s->top <= s->size, "a sort of which more are wanted than there are");
  cpu_check(c, !s->rows || (s->inner && s->rows % s->inner == 0), "rows of a sort that do not come out even");
  for (uint32_t k = 0; k < s->count && !c->wrong; k++) {
    const uint32_t bytes = s->bytes[k];
    const bool simple = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    cpu_check(c, simple || (bytes == 16 && !(s->simple && !k)), "elements of a size that is not there");
    cpu_check_room(c, k, false, CPU_PRODUCT(s->rows, s->size, bytes));
    cpu_check_room(c, s->count + s->extra + k, true, CPU_PRODUCT(s->rows, s->size, bytes));
  }
  if (c->wrong) return;
  cpu_check_scratch(c, c->step->arg_count - 1, CPU_PRODUCT((int64_t)ten_cpu_sort_scratch(s), threads_of(c)));
  check_units(c, s->rows);
}

static bool is_number(ten_dtype dtype) {
  return (unsigned)dtype < TEN_DTYPE_COUNT && (ten_dtype_is_float(dtype) || ten_dtype_is_complex(dtype));
}

static void check_cholesky(cpu_checker *c) {
  const ten_cpu_cholesky *d = c->step->descriptor;
  CPU_CHECK_BOOL(c, d->lower);
  cpu_check_args(c, 2, 1);
  cpu_check(c, is_number(d->dtype), "a matrix of no numbers");
  if (c->wrong || !cpu_check_sizes(c, 1, &d->n)) return;
  const int64_t bytes = CPU_PRODUCT(c->step->count, d->n, d->n, (int64_t)ten_dtype_bytes(d->dtype));
  cpu_check_room(c, 0, false, bytes);
  cpu_check_room(c, 1, true, bytes);
}

static void check_trisolve(cpu_checker *c) {
  const ten_cpu_trisolve *d = c->step->descriptor;
  CPU_CHECK_BOOL(c, d->left);
  CPU_CHECK_BOOL(c, d->lower);
  CPU_CHECK_BOOL(c, d->unit);
  CPU_CHECK_BOOL(c, d->transpose);
  CPU_CHECK_BOOL(c, d->conjugate);
  cpu_check_args(c, 3, 2);
  cpu_check(c, is_number(d->dtype), "a matrix of no numbers");
  const int64_t sizes[] = {d->n, d->rows, d->cols};
  if (c->wrong || !cpu_check_sizes(c, 3, sizes)) return;
  cpu_check(c, d->n == (d->left ? d->rows : d->cols), "matrices that do not go together");
  const int64_t element = (int64_t)ten_dtype_bytes(d->dtype);
  cpu_check_room(c, 0, false, CPU_PRODUCT(c->step->count, d->n, d->n, element));
  cpu_check_room(c, 1, false, CPU_PRODUCT(c->step->count, d->rows, d->cols, element));
  cpu_check_room(c, 2, true, CPU_PRODUCT(c->step->count, d->rows, d->cols, element));
}

static void check_fft(cpu_checker *c) {
  const ten_cpu_fft *d = c->step->descriptor;
  const ten_fft *f = &d->fft;
  CPU_CHECK_BOOL(c, f->inverse);
  CPU_CHECK_BOOL(c, f->wide);
  CPU_CHECK_BOOL(c, f->half);
  cpu_check_args(c, 4, 2);
  const int64_t sizes[] = {f->n, f->inner, f->lines};
  cpu_check(c, f->kind >= TEN_FFT_COMPLEX && f->kind <= TEN_FFT_TO_REAL, "a kind of transform that is not there");
  if (c->wrong || !cpu_check_sizes(c, 3, sizes)) return;
  cpu_check(c, f->n > 0 && f->inner > 0 && f->lines % f->inner == 0, "lines of a transform that do not come out even");
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
            "a transform by other parts than its length has");
  if (c->wrong) return;
  cpu_check_room(c, 1, false, (int64_t)ten_cpu_fft_table_size(d));
  cpu_check_scratch(c, 3, CPU_PRODUCT((int64_t)d->scratch, threads_of(c)));
  check_units(c, (f->lines + f->group - 1) / f->group);
}

static void check_rng(cpu_checker *c) {
  const ten_cpu_rng *d = c->step->descriptor;
  const int64_t sizes[] = {d->count, d->state_count, d->split, d->inner};
  cpu_check_args(c, 3, 1);
  cpu_check(c, d->dtype > TEN_DTYPE_NONE && d->dtype < TEN_DTYPE_COUNT && ten_dtype_bytes(d->dtype) <= 8,
            "random numbers of no type");
  if (c->wrong || !cpu_check_sizes(c, 4, sizes)) return;
  const int64_t words = d->algorithm != 1 && d->state_count > 2 ? 3 : 2;
  cpu_check(c, d->inner > 0, "random numbers of no shape");
  cpu_check(c, CPU_PRODUCT(d->split, d->inner) >= 0, "random numbers of no shape");
  cpu_check_room(c, 0, false, 8 * words);
  cpu_check_room(c, 1, true, 8 * words);
  cpu_check_room(c, 2, true, CPU_PRODUCT(d->count, (int64_t)ten_dtype_bytes(d->dtype)));
  if (!c->wrong) check_units(c, ten_cpu_rng_units(d));
}

static void check_scan(cpu_checker *c) {
  const ten_scan *d = c->step->descriptor;
  const int64_t sizes[] = {d->outer, d->n, d->inner};
  CPU_CHECK_BOOL(c, d->reverse);
  cpu_check_args(c, 3, 2);
  const bool wide = d->type == TEN_SCAN_F64 || d->type == TEN_SCAN_I64,
             integer = d->type == TEN_SCAN_I32 || d->type == TEN_SCAN_I64;
  cpu_check(c,
            d->type >= TEN_SCAN_F32 && d->type <= TEN_SCAN_WIDE && d->op >= TEN_SCAN_SUM && d->op <= TEN_SCAN_LOG_SUM,
            "a scan that is not there");
  cpu_check(c, !integer || d->op != TEN_SCAN_LOG_SUM, "a scan that is not there");
  cpu_check(c,
            d->type != TEN_SCAN_WIDE || d->op == TEN_SCAN_SUM || d->op == TEN_SCAN_PRODUCT || d->op == TEN_SCAN_LOG_SUM,
            "a scan that is not there");
  if (c->wrong || !cpu_check_sizes(c, 3, sizes)) return;
  const int64_t element = wide ? 8 : 4;
  cpu_check_room(c, 0, false, CPU_PRODUCT(d->outer, d->n, d->inner, element));
  cpu_check_room(c, 1, false, element);
  cpu_check_room(c, 2, true, CPU_PRODUCT(d->outer, d->n, d->inner, element));
  check_units(c, CPU_PRODUCT(d->outer, (d->inner + TEN_SCAN_COLUMNS - 1) / TEN_SCAN_COLUMNS));
}

static void check_move(cpu_checker *c) {
  const ten_move *d = c->step->descriptor;
  cpu_check_args(c, 2, 1);
  cpu_check(c, d->rank && d->rank <= TEN_MOVE_RANK && d->near < d->rank, "a transpose of no dimensions");
  cpu_check(c, d->bytes == 1 || d->bytes == 2 || d->bytes == 4 || d->bytes == 8,
            "elements of a size that is not there");
  if (c->wrong || !cpu_check_sizes(c, d->rank, d->dims)) return;
  cpu_check(c, d->in_steps[d->near] == 1 && d->out_steps[d->rank - 1] == 1, "a transpose of other steps");
  int64_t each = 1, dims[TEN_MOVE_RANK]; /* units of one index of the first dimension */
  for (uint32_t i = 0; i < d->rank; i++) {
    dims[i] = d->dims[i];
    if (i && i + 1 < d->rank)
      each = CPU_PRODUCT(each, i == d->near ? (dims[i] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK : dims[i]);
  }
  const int64_t first = d->rank == 1 ? 1 : d->near ? dims[0] : (dims[0] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK;
  const int64_t units = CPU_PRODUCT(first, each);
  /* In CHUNKS there are fewer: those of some indices of the first dimension. */
  const bool some = d->rank > 1 && d->near && c->step->count < units && each > 0 && c->step->count % each == 0;
  if (some) dims[0] = c->step->count / each;
  cpu_check(c, some || c->step->count == units, "another number of units than the kernel has");
  cpu_check_reach(c, 0, false, 0, d->rank, dims, d->in_steps, (int64_t)d->bytes);
  cpu_check_reach(c, 1, true, 0, d->rank, dims, d->out_steps, (int64_t)d->bytes);
}

static void check_join(cpu_checker *c) {
  const ten_join *d = c->step->descriptor;
  cpu_check(c, d->count && d->count <= TEN_JOIN_MOST, "a concatenation of too many");
  if (c->wrong) return;
  cpu_check_args(c, d->count + 1, d->count);
  int64_t row = 0;
  for (uint32_t i = 0; i < d->count && !c->wrong; i++) {
    const int64_t bytes = (int64_t)d->bytes[i], sizes[] = {c->step->count, bytes}, steps[] = {d->step[i], 1};
    cpu_check_sizes(c, 1, &bytes);
    cpu_check_reach(c, i, false, d->offset[i], 2, sizes, steps, 1);
    row += bytes;
  }
  if (!c->wrong) cpu_check_room(c, d->count, true, CPU_PRODUCT(c->step->count, row));
}

static void check_attention_grad(cpu_checker *c) {
  const ten_attention_grad *d = c->step->descriptor;
  enum { RANK = TEN_ATTENTION_BATCH + 2 };
  cpu_check_args(c, 6, 4);
  int64_t sizes[RANK + 1] = {3}, strides[RANK + 1] = {d->out_part};
  for (int i = 0; i < TEN_ATTENTION_BATCH; i++) sizes[i + 1] = d->batch[i], strides[i + 1] = d->out_batch[i];
  sizes[RANK - 1] = d->n, sizes[RANK] = d->d;
  strides[RANK - 1] = d->out_row, strides[RANK] = 1;
  if (!cpu_check_sizes(c, RANK + 1, sizes) || c->wrong) return;
  cpu_check(c, d->batches == cpu_check_product(TEN_ATTENTION_BATCH, d->batch), "batches that do not come out even");
  cpu_check(c, d->n <= INT32_MAX && d->d <= INT32_MAX, "a size that cannot be");
  if (c->wrong) return;
  cpu_check_reach(c, 4, true, 0, RANK + 1, sizes, strides, 4);
  for (int k = 0; k < TEN_GRAD_INPUTS; k++) {
    for (int i = 0; i < TEN_ATTENTION_BATCH; i++) strides[i + 1] = d->strides[k][i];
    strides[RANK - 1] = d->row[k], strides[RANK] = d->column[k];
    cpu_check_reach(c, (size_t)k, false, d->offset[k], RANK, sizes + 1, strides + 1, 4);
  }
  cpu_check_scratch(c, 5, CPU_PRODUCT(ten_attention_grad_scratch(d), 4, threads_of(c)));
  check_units(c, d->batches);
}

static bool takes(const ten_product *p) { /* sums of narrow integers are of 32 bits; other types stay what they are */
  const bool narrow = p->from >= TEN_PRODUCT_I8 && p->from <= TEN_PRODUCT_I32;
  return p->from == p->to || (narrow && p->to >= TEN_PRODUCT_I8 && p->to <= TEN_PRODUCT_I32);
}

static void check_product(cpu_checker *c) {
  const ten_product *p = c->step->descriptor;
  static const int64_t bytes[] = {4, 8, 8, 16, 1, 1, 2, 2, 4, 8};
  enum { RANK = 2 * TEN_PRODUCT_RANK + 2 };
  CPU_CHECK_BOOL(c, p->portable);
  for (int i = 0; i < TEN_PRODUCT_RANK; i++) CPU_CHECK_BOOL(c, p->reversed[i]);
  cpu_check_args(c, 4, 2);
  cpu_check(c, (unsigned)p->from <= TEN_PRODUCT_I64 && (unsigned)p->to <= TEN_PRODUCT_I64, "a product of no type");
  cpu_check(c, p->batch_rank <= TEN_PRODUCT_RANK && p->spatial <= TEN_PRODUCT_RANK, "too many dimensions");
  const int64_t plain[] = {p->m, p->n, p->k, p->spatial ? p->channels : 0};
  if (c->wrong || !cpu_check_sizes(c, 4, plain) || !cpu_check_sizes(c, p->batch_rank, p->batch)) return;
  if (!cpu_check_sizes(c, p->spatial, p->sizes) || !cpu_check_sizes(c, p->spatial, p->extent) ||
      !cpu_check_sizes(c, p->spatial, p->taps) || !cpu_check_sizes(c, p->spatial, p->dilation) ||
      !cpu_check_sizes(c, p->spatial, p->stride))
    return;
  cpu_check(c, takes(p), "a product of types that do not go together");
  cpu_check(c, p->batches == cpu_check_product(p->batch_rank, p->batch), "batches that do not come out even");
  const int64_t pixels = cpu_check_product(p->spatial, p->sizes), taps = cpu_check_product(p->spatial, p->taps);
  cpu_check(c, pixels > 0 && taps > 0 && p->m % pixels == 0, "pixels that do not come out even");
  cpu_check(c, !p->spatial || (p->channels > 0 && p->k == CPU_PRODUCT(taps, p->channels)),
            "taps that do not come out even");
  for (uint32_t i = 0; i < p->spatial; i++)
    cpu_check(c, p->spread[i] >= 1 && p->spread[i] <= INT32_MAX && p->pad[i] <= INT32_MAX && p->pad[i] >= -INT32_MAX,
              "padding that cannot be");
  if (c->wrong) return;
  const int64_t images = p->m / pixels;
  int64_t a[RANK], as[RANK], b[RANK], bs[RANK], o[RANK], os[RANK];
  size_t rank = 0;
  for (uint32_t i = 0; i < p->batch_rank; i++, rank++) {
    a[rank] = b[rank] = o[rank] = p->batch[i];
    as[rank] = p->a_batch[i], bs[rank] = p->b_batch[i], os[rank] = p->c_batch[i];
  }
  for (uint32_t i = 0; i < p->spatial; i++, rank++) {
    a[rank] = p->extent[i], b[rank] = p->taps[i], o[rank] = p->sizes[i];
    as[rank] = p->a_step[i], bs[rank] = p->b_step[i], os[rank] = p->c_step[i];
  }
  a[rank] = o[rank] = images, b[rank] = p->spatial ? p->channels : p->k;
  as[rank] = p->a_row, bs[rank] = p->b_row, os[rank++] = p->c_row;
  a[rank] = p->spatial ? p->channels : p->k, b[rank] = o[rank] = p->n;
  as[rank] = p->a_col, bs[rank] = p->b_col, os[rank++] = p->c_col;
  cpu_check_reach(c, 0, false, 0, rank, a, as, bytes[p->from]);
  cpu_check_reach(c, 1, false, 0, rank, b, bs, bytes[p->from]);
  cpu_check_reach(c, 2, true, 0, rank, o, os, bytes[p->to]);
  cpu_check_scratch(c, 3, CPU_PRODUCT(TEN_PRODUCT_SCRATCH, threads_of(c)));
  const int64_t columns = ten_product_columns(p);
  check_units(c, CPU_PRODUCT(p->batches, (p->m + TEN_PRODUCT_MC - 1) / TEN_PRODUCT_MC, (p->n + columns - 1) / columns));
}

void cpu_check_call(cpu_checker *c) {
  static const struct {
    ten_cpu_kernel function;
    void (*check)(cpu_checker *c);
  } checks[] = {{ten_cpu_sort_rows, check_sort},        {ten_cpu_cholesky_run, check_cholesky},
                {ten_cpu_trisolve_run, check_trisolve}, {ten_cpu_fft_run, check_fft},
                {ten_cpu_rng_run, check_rng},           {ten_cpu_scan_run, check_scan},
                {ten_cpu_product_run, check_product},   {ten_cpu_move_run, check_move},
                {ten_cpu_join_run, check_join},         {ten_cpu_attention_grad_run, check_attention_grad}};
  const exec_step *step = c->step;
  cpu_check(c, step->function != NULL && step->descriptor != NULL, "a kernel that is not there");
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
    if (checks[i].function == step->function) {
      /* only a sort has a function of generated code */
      cpu_check(c, step->symbol == UINT32_MAX || step->function == ten_cpu_sort_rows, "code of a kernel that has none");
      if (!c->wrong && step->count) checks[i].check(c);
      cpu_check(c, (uint64_t)step->count <= exec_written_bytes(step), "more units than bytes are written");
      return;
    }
  cpu_check(c, false, "a kernel that is not there");
}
