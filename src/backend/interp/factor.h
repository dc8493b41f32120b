/* factor.h: dense factorisations of one matrix of complex doubles, column-major. Real matrices are those whose
 * imaginary parts are zero; they stay real. Nothing here fails; `false` means that an iteration did not converge. */
#ifndef TEN_INTERP_FACTOR_H
#define TEN_INTERP_FACTOR_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

typedef double complex factor_number;

/* H = I - tau·v·vᴴ with v[0] = 1 that takes x to (beta, 0, …), beta real: x becomes (beta, v[1], …). */
factor_number factor_reflect(size_t n, factor_number *x);
/* c := (I - tau·v·vᴴ)·c for `columns` columns of height n, `stride` apart; v[0] is implicitly 1. */
void factor_apply_left(size_t n, const factor_number *v, factor_number tau, factor_number *c, size_t columns,
                       size_t stride);
/* The first `columns` columns of H₀·H₁·…: of reflectors stored below the diagonal of a, which has m rows. */
void factor_product(size_t m, size_t columns, size_t count, const factor_number *a, const factor_number *taus,
                    factor_number *q);
/* a := Qᴴ·a·Q is upper Hessenberg; reflectors are stored below its first subdiagonal. */
void factor_hessenberg(size_t n, factor_number *a, factor_number *taus);
/* Q of factor_hessenberg. */
void factor_hessenberg_q(size_t n, const factor_number *a, const factor_number *taus, factor_number *q);

/* Eigenvalues of a Hermitian matrix, ascending; a is replaced by the eigenvectors. */
bool factor_eigh(size_t n, factor_number *a, double *w);
/* a = Z·T·Zᴴ: T replaces a, and is upper triangular; for a real matrix, with 2×2 blocks for complex pairs. */
bool factor_schur(size_t n, bool real, factor_number *a, factor_number *z);
/* Eigenvalues, and right and left eigenvectors if not NULL. */
bool factor_eig(size_t n, bool real, factor_number *a, factor_number *w, factor_number *left, factor_number *right);

#endif
