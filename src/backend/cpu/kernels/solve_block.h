/* solve_block.h: Cholesky factors and triangular systems of one type. Included with REAL, VEC (its vector) and S(name).
 * Both use blocks of ROWS × ROWS: the update from finished rows is a matmul that stays in registers, the rest is a
 * triangle of that size. */
enum { S(LANES) = sizeof(VEC) / sizeof(REAL) };

/* sums[r][c] = a's row r · b's row c, both n long and `stride` apart. */
ALWAYS_INLINE void S(dots)(int rows, int columns, const REAL *a, const REAL *b, int64_t stride, int64_t n,
                           REAL sums[ROWS][ROWS]) {
  VEC all[ROWS][ROWS];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) all[r][c] = (VEC){0};
  int64_t k = 0;
  for (; k + S(LANES) <= n; k += S(LANES)) {
    VEC x[ROWS];
    for (int c = 0; c < columns; c++) x[c] = *(const VEC *)(b + c * stride + k);
    for (int r = 0; r < rows; r++) {
      const VEC y = *(const VEC *)(a + r * stride + k);
      for (int c = 0; c < columns; c++) all[r][c] += y * x[c];
    }
  }
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      REAL sum = 0;
      for (int i = 0; i < S(LANES); i++) sum += all[r][c][i];
      for (int64_t rest = k; rest < n; rest++) sum += a[r * stride + rest] * b[c * stride + rest];
      sums[r][c] = sum;
    }
}

static void S(dots_whole)(const REAL *a, const REAL *b, int64_t stride, int64_t n, REAL sums[ROWS][ROWS]) {
  S(dots)(ROWS, ROWS, a, b, stride, n, sums);
}

static void S(dots_some)(int rows, int columns, const REAL *a, const REAL *b, int64_t stride, int64_t n,
                         REAL sums[ROWS][ROWS]) {
  if (rows == ROWS && columns == ROWS)
    S(dots_whole)(a, b, stride, n, sums);
  else
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) {
        REAL one[ROWS][ROWS];
        S(dots)(1, 1, a + r * stride, b + c * stride, stride, n, one);
        sums[r][c] = one[0][0];
      }
}

/* L·Lᵀ = A of A's lower triangle, or Lᵀ of its upper one, which is computed as L and transposed. */
static void S(cholesky)(int64_t n, bool lower, const REAL *a, REAL *out) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) out[i * n + j] = j > i ? 0 : lower ? a[i * n + j] : a[j * n + i];
  for (int64_t i0 = 0; i0 < n; i0 += ROWS) {
    const int rows = n - i0 < ROWS ? (int)(n - i0) : ROWS;
    for (int64_t j0 = 0; j0 <= i0; j0 += ROWS) {
      const int columns = n - j0 < ROWS ? (int)(n - j0) : ROWS;
      REAL sums[ROWS][ROWS];
      S(dots_some)(rows, columns, out + i0 * n, out + j0 * n, n, j0, sums);
      for (int r = 0; r < rows; r++) {
        REAL *row = out + (i0 + r) * n + j0;
        for (int c = 0; c < columns && j0 + c <= i0 + r; c++) {
          const REAL *other = out + (j0 + c) * n + j0;
          REAL sum = row[c] - sums[r][c];
          for (int k = 0; k < c; k++) sum -= row[k] * other[k];
          row[c] = j0 + c == i0 + r ? (REAL)sqrt((double)sum) : sum / other[c];
        }
      }
    }
  }
  for (int64_t i = 0; i < n && !lower; i++)
    for (int64_t j = 0; j < i; j++) out[j * n + i] = out[i * n + j], out[i * n + j] = 0;
}

/* A triangle whose element (i, k) is a[i·row + k·col]. */
typedef struct S(triangle) {
  const REAL *a;
  int64_t n, row, col;
  bool forward, unit;
} S(triangle);

/* Subtracts the contribution of finished rows [first, last) from rows [i0, i0 + rows) of X, `vectors` of columns. */
ALWAYS_INLINE void S(subtract)(const S(triangle) * t, int rows, int vectors, int64_t i0, int64_t first, int64_t last,
                               int64_t sides, REAL *x) {
  VEC sums[ROWS][2];
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) sums[r][v] = *(const VEC *)(x + (i0 + r) * sides + v * S(LANES));
  for (int64_t k = first; k < last; k++) {
    VEC known[2];
    for (int v = 0; v < vectors; v++) known[v] = *(const VEC *)(x + k * sides + v * S(LANES));
    for (int r = 0; r < rows; r++) {
      const REAL m = t->a[(i0 + r) * t->row + k * t->col];
      for (int v = 0; v < vectors; v++) sums[r][v] -= known[v] * m;
    }
  }
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) *(VEC *)(x + (i0 + r) * sides + v * S(LANES)) = sums[r][v];
}

/* M·X = B: `sides` adjacent right-hand sides at once. */
static void S(left)(const S(triangle) * t, int64_t sides, REAL *x) {
  const int64_t n = t->n;
  for (int64_t step = 0; step < n; step += ROWS) {
    const int rows = n - step < ROWS ? (int)(n - step) : ROWS;
    const int64_t i0 = t->forward ? step : n - step - rows;
    const int64_t first = t->forward ? 0 : i0 + rows, last = t->forward ? i0 : n;
    int64_t s = 0;
    for (; rows == ROWS && s + 2 * S(LANES) <= sides; s += 2 * S(LANES))
      S(subtract)(t, ROWS, 2, i0, first, last, sides, x + s);
    for (; rows == ROWS && s + S(LANES) <= sides; s += S(LANES)) S(subtract)(t, ROWS, 1, i0, first, last, sides, x + s);
    for (int r = 0; r < rows; r++)
      for (int64_t k = first; k < last && s < sides; k++)
        for (int64_t j = s; j < sides; j++)
          x[(i0 + r) * sides + j] -= t->a[(i0 + r) * t->row + k * t->col] * x[k * sides + j];
    for (int q = 0; q < rows; q++) { /* the triangle of these rows */
      const int64_t i = t->forward ? i0 + q : i0 + rows - 1 - q;
      for (int64_t k = t->forward ? i0 : i + 1; k < (t->forward ? i : i0 + rows); k++)
        for (int64_t j = 0; j < sides; j++) x[i * sides + j] -= t->a[i * t->row + k * t->col] * x[k * sides + j];
      const REAL diagonal = t->unit ? 1 : t->a[i * (t->row + t->col)];
      for (int64_t j = 0; j < sides && !t->unit; j++) x[i * sides + j] /= diagonal;
    }
  }
}

/* The same for one contiguous right-hand side. */
static void S(line)(const S(triangle) * t, REAL *x) {
  const REAL *a = t->a;
  const int64_t n = t->n;
  for (int64_t step = 0; step < n; step++) {
    const int64_t i = t->forward ? step : n - 1 - step, first = t->forward ? 0 : i + 1;
    if (t->col == 1) {
      REAL sum[ROWS][ROWS];
      S(dots)(1, 1, a + i * t->row + first, x + first, 0, t->forward ? i : n - 1 - i, sum);
      x[i] -= sum[0][0];
    }
    if (!t->unit) x[i] /= a[i * (t->row + t->col)];
    const int64_t rest = t->forward ? i + 1 : 0, others = t->forward ? n - 1 - i : i;
    if (t->col == 1) continue;
    const REAL *column = a + i * t->col + rest * t->row;
    for (int64_t k = 0; k < others; k++) x[rest + k] -= x[i] * column[k * t->row];
  }
}

static void S(solve)(const ten_solve *s, const REAL *a, REAL *x) {
  const S(triangle) t = {a, s->n, s->transposed ? 1 : s->n, s->transposed ? s->n : 1, s->forward, s->unit};
  if (s->left && s->sides > 1)
    S(left)(&t, s->sides, x);
  else
    for (int64_t i = 0; i < s->sides; i++) S(line)(&t, x + i * s->n);
}
