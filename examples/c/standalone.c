/* standalone.c: calls a program that was compiled to a shared object. Tenfold is not needed here any more.
 *
 *   tenfold compile examples/mlp.mlir -o mlp.so --header mlp.h
 *   cc -I. standalone.c ./mlp.so -o standalone && ./standalone */
#include <stdio.h>

#include "mlp.h"

enum { ROWS = 4, INPUTS = 8, HIDDEN = 16, CLASSES = 3 };

static void ramp(float *values, int count, float step) {
  for (int i = 0; i < count; i++) values[i] = (float)(i % 7 - 3) * step;
}

int main(void) {
  float x[ROWS * INPUTS], w1[INPUTS * HIDDEN], b1[HIDDEN], w2[HIDDEN * CLASSES], b2[CLASSES], y[ROWS * CLASSES];
  ramp(x, ROWS * INPUTS, 0.1f);
  ramp(w1, INPUTS * HIDDEN, 0.2f);
  ramp(b1, HIDDEN, 0.05f);
  ramp(w2, HIDDEN * CLASSES, 0.3f);
  ramp(b2, CLASSES, 0.1f);
  const int code = mlp(x, w1, b1, w2, b2, y);
  if (code) {
    fprintf(stderr, "standalone: %s\n", mlp_message(code));
    return 1;
  }
  for (int i = 0; i < ROWS; i++)
    printf("%.4f %.4f %.4f\n", (double)y[3 * i], (double)y[3 * i + 1], (double)y[3 * i + 2]);
  mlp_close();
  return 0;
}
