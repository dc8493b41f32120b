/* Trains a small network to tell two moons apart, as moons.py does.
 *
 *   cc moons.c -o moons $(pkg-config --cflags --libs tenfold) -lm && ./moons */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenfold/tensor.h>

enum { COUNT = 64, HIDDEN = 16, PARAMETERS = 4 };

static void check(ten_status *status) {
  if (!status) return;
  fprintf(stderr, "%s\n", ten_status_text(status));
  exit(1);
}

static ten_array *apply(const char *name, ten_array *x, ten_array *y) {
  ten_array *made;
  if (!y)
    check(ten_array_unary(name, x, &made));
  else if (name[0] == '@')
    check(ten_array_matmul(x, y, &made));
  else
    check(ten_array_binary(name, x, y, &made));
  return made;
}

/* The same, and the first operand is not needed any more. */
static ten_array *then(ten_array *x, const char *name, ten_array *y) {
  ten_array *made = apply(name, x, y);
  ten_array_release(x);
  return made;
}

static ten_array *loss_of(ten_array *const *p, ten_array *x, ten_array *y) {
  ten_array *hidden = then(then(apply("@", x, p[0]), "add", p[1]), "tanh", NULL);
  ten_array *apart = then(then(then(then(hidden, "@", p[2]), "add", p[3]), "tanh", NULL), "sub", y);
  ten_array *squares = apply("mul", apart, apart), *loss;
  check(ten_array_reduce("mean.dim", squares, 0, NULL, 0, &loss));
  ten_array_release(apart);
  ten_array_release(squares);
  return loss;
}

int main(void) {
  ten_device *device;
  check(ten_device_open("cpu", &device));
  float points[COUNT][2], labels[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const double t = 3.141592653589793 * (i / 2) / (COUNT / 2 - 1);
    points[i][0] = (float)(i % 2 ? 1 - cos(t) : cos(t));
    points[i][1] = (float)(i % 2 ? 0.5 - sin(t) : sin(t));
    labels[i] = i % 2 ? -1 : 1;
  }
  ten_array *x, *y, *p[PARAMETERS], *scale, *rate;
  check(ten_array_create(device, TEN_F32, 2, (const int64_t[]){COUNT, 2}, points, sizeof points, &x));
  check(ten_array_create(device, TEN_F32, 2, (const int64_t[]){COUNT, 1}, labels, sizeof labels, &y));
  check(ten_array_scalar(device, TEN_F32, 0.25, 0, &scale));
  check(ten_array_scalar(device, TEN_F32, 0.5, 0, &rate));
  check(ten_array_random(device, TEN_F32, 2, (const int64_t[]){2, HIDDEN}, 1, 0, 1, &p[0]));
  check(ten_array_create(device, TEN_F32, 2, (const int64_t[]){1, HIDDEN}, NULL, 0, &p[1]));
  check(ten_array_random(device, TEN_F32, 2, (const int64_t[]){HIDDEN, 1}, 1, 2 * HIDDEN, 1, &p[2]));
  p[2] = then(p[2], "mul", scale);
  check(ten_array_create(device, TEN_F32, 2, (const int64_t[]){1, 1}, NULL, 0, &p[3]));
  for (int i = 0; i <= 100; i++) {
    ten_array *gradients[PARAMETERS], *loss = loss_of(p, x, y);
    check(ten_array_grad(loss, PARAMETERS, p, gradients));
    float value;
    if (i % 20 == 0) {
      check(ten_array_read(loss, &value, sizeof value));
      printf("step %3d loss %.4f\n", i, value);
    }
    for (int k = 0; k < PARAMETERS; k++) {
      ten_array *change = then(gradients[k], "mul", rate);
      p[k] = then(p[k], "sub", change);
      ten_array_release(change);
    }
    ten_array_release(loss);
  }
  for (int k = 0; k < PARAMETERS; k++) ten_array_release(p[k]);
  ten_array_release(x), ten_array_release(y), ten_array_release(scale), ten_array_release(rate);
  ten_device_release(device);
  return 0;
}
