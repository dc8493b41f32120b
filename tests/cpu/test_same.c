/* Kernels that replace the generated loops give what the interpreter gives: matmuls and convolutions of every type and
 * shape, transforms of every kind of length, scans both ways. Sizes are such that blocks, groups and vectors all have
 * rests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tenfold/executable.h"

typedef struct dots {
  const char *type;
  double most; /* that a result may differ, as a part of the largest */
} dots;
static const dots types[] = {{"f32", 1e-5},
                             {"f64", 1e-13},
                             {"complex<f32>", 1e-5},
                             {"complex<f64>", 1e-13},
                             {"i8", 0},
                             {"ui8", 0},
                             {"i16", 0},
                             {"ui16", 0},
                             {"i32", 0},
                             {"ui32", 0},
                             {"i64", 0},
                             {"ui64", 0}};

static size_t element_bytes(ten_dtype dtype) { return ten_dtype_bytes(dtype); }

static bool with_nan; /* the first number of an input is none */

static void fill(ten_dtype dtype, size_t count, unsigned seed, void *out) {
  const ten_dtype part = ten_dtype_part(dtype);
  const size_t numbers = count * (element_bytes(dtype) / element_bytes(part));
  for (size_t i = 0; i < numbers; i++) {
    seed = seed * 1664525u + 1013904223u;
    const int whole = (int)(seed >> 24) - 128;
    if (part == TEN_F32)
      ((float *)out)[i] = (float)whole / 64;
    else if (part == TEN_F64)
      ((double *)out)[i] = whole / 64.0;
    else
      memcpy((char *)out + i * element_bytes(part), (int64_t[]){whole}, element_bytes(part));
  }
  if (with_nan && part == TEN_F32) ((float *)out)[0] = NAN;
}

static double number_at(ten_dtype part, const void *data, size_t i) {
  int64_t whole = 0;
  if (part == TEN_F32) return (double)((const float *)data)[i];
  if (part == TEN_F64) return ((const double *)data)[i];
  memcpy(&whole, (const char *)data + i * element_bytes(part), element_bytes(part));
  return (double)whole;
}

static void *run(const char *text, const char *device, size_t *out_count, ten_dtype *out_dtype) {
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(text, strlen(text), "program", &model));
  check_ok(ten_program_compile(model, &(ten_compile_options){.size = sizeof(ten_compile_options), .device = device},
                               &compiled));
  ten_program_release(model);
  ten_buffer inputs[4] = {{0}}, output = ten_executable_output(compiled, 0);
  const size_t count = ten_executable_input_count(compiled);
  for (size_t i = 0; i < count; i++) {
    inputs[i] = ten_executable_input(compiled, i);
    size_t elements = 1;
    for (uint32_t k = 0; k < inputs[i].rank; k++) elements *= (size_t)inputs[i].dims[k];
    inputs[i].bytes = elements * element_bytes(inputs[i].dtype);
    inputs[i].data = malloc(inputs[i].bytes + 1);
    fill(inputs[i].dtype, elements, (unsigned)i + 1, inputs[i].data);
  }
  size_t elements = 1;
  for (uint32_t k = 0; k < output.rank; k++) elements *= (size_t)output.dims[k];
  *out_dtype = output.dtype;
  *out_count = elements * (element_bytes(output.dtype) / element_bytes(ten_dtype_part(output.dtype)));
  output.bytes = elements * element_bytes(output.dtype);
  output.data = malloc(output.bytes + 1);
  check_ok(ten_executable_execute(compiled, inputs, count, &output, 1));
  for (size_t i = 0; i < count; i++) free(inputs[i].data);
  ten_executable_release(compiled);
  return output.data;
}

static void compare(const char *text, double most) {
  size_t count = 0, again = 0;
  ten_dtype dtype = 0;
  void *ours = run(text, "cpu", &count, &dtype), *theirs = run(text, "interp", &again, &dtype);
  assert_int_equal(count, again);
  const ten_dtype part = ten_dtype_part(dtype);
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(number_at(part, theirs, i))) largest = fmax(largest, fabs(number_at(part, theirs, i)));
  for (size_t i = 0; i < count; i++) {
    const double x = number_at(part, ours, i), y = number_at(part, theirs, i);
    if (x != y && !(fabs(x - y) <= most * largest) && !(isnan(x) && isnan(y)))
      fail_msg("at %zu: %.17g, not %.17g\n%s", i, x, y, text);
  }
  free(ours);
  free(theirs);
}

/* Whether the compiler's library is in the process. */
static bool has_llvm(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) return false;
  char line[1000];
  bool found = false;
  while (fgets(line, sizeof line, maps)) found |= strstr(line, "libLLVM") != NULL;
  fclose(maps);
  return found;
}

/* Layers of products, biases and ReLUs are made of kernels that are there: they give the same, NaN too, and nothing is
 * compiled for them. Comes first, before anything else loads LLVM. */
static void test_ready(void **state) {
  (void)state;
  static const char *const texts[] = {
      "func.func @main(%x: tensor<7x33xf32>, %y: tensor<33x29xf32>, %b: tensor<29xf32>) -> tensor<7x29xf32> {\n"
      "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<7x33xf32>, tensor<33x29xf32>) -> tensor<7x29xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<29xf32>) -> tensor<7x29xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<7x29xf32>\n  %z = stablehlo.constant dense<0.0> : tensor<7x29xf32>\n"
      "  %3 = stablehlo.maximum %2, %z : tensor<7x29xf32>\n  return %3 : tensor<7x29xf32>\n}\n",
      "func.func @main(%x: tensor<7x33xf32>, %y: tensor<33x29xf32>, %b: tensor<29xf32>) -> tensor<7x29xf32> {\n"
      "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<7x33xf32>, tensor<33x29xf32>) -> tensor<7x29xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<29xf32>) -> tensor<7x29xf32>\n"
      "  %2 = stablehlo.add %1, %0 : tensor<7x29xf32>\n  return %2 : tensor<7x29xf32>\n}\n",
      "func.func @main(%x: tensor<2x9x9x8xf32>, %y: tensor<3x3x8x20xf32>) -> tensor<2x9x9x20xf32> {\n"
      "  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<2x9x9x8xf32>, tensor<3x3x8x20xf32>) -> tensor<2x9x9x20xf32>\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<2x9x9x20xf32>\n"
      "  %1 = stablehlo.maximum %z, %0 : tensor<2x9x9x20xf32>\n  return %1 : tensor<2x9x9x20xf32>\n}\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    with_nan = i < 2; /* a tile of Winograd's has all of its numbers from all others */
    compare(texts[i], 1e-5);
    with_nan = false;
  }
  assert_false(has_llvm());
}

static void test_products(void **state) {
  (void)state;
  static const char *const shapes[][4] = {
      {"70x33", "33x67", "contracting_dims = [1] x [0]", "70x67"},
      {"33x70", "67x33", "contracting_dims = [0] x [1]", "70x67"},
      {"1x300", "300x600", "contracting_dims = [1] x [0]", "1x600"},
      {"1x300", "70x300", "contracting_dims = [1] x [1]", "1x70"},
      {"70x300", "300x1", "contracting_dims = [1] x [0]", "70x1"},
      {"3x2x20x300", "3x2x300x9", "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]", "3x2x20x9"},
      {"20x3x40", "3x40x9", "batching_dims = [1] x [0], contracting_dims = [2] x [1]", "3x20x9"}};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      char text[1000];
      const char *type = types[t].type, *const *shape = shapes[s];
      snprintf(text, sizeof text,
               "func.func @main(%%x: tensor<%sx%s>, %%y: tensor<%sx%s>) -> tensor<%sx%s> {\n"
               "  %%0 = stablehlo.dot_general %%x, %%y, %s : (tensor<%sx%s>, tensor<%sx%s>) -> tensor<%sx%s>\n"
               "  return %%0 : tensor<%sx%s>\n}\n",
               shape[0], type, shape[1], type, shape[3], type, shape[2], shape[0], type, shape[1], type, shape[3], type,
               shape[3], type);
      compare(text, types[t].most);
    }
}

static void test_wider_results(void **state) {
  (void)state;
  compare(
      "func.func @main(%x: tensor<40x50xi8>, %y: tensor<50x30xi8>) -> tensor<40x30xi32> {\n"
      "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<40x50xi8>, tensor<50x30xi8>) -> tensor<40x30xi32>\n"
      "  return %0 : tensor<40x30xi32>\n}\n",
      0);
}

/* Loops that are split where a concatenation, a pad or a window changes what it reads, and sums over several dimensions
 * in one loop. */
static const char *const segments[] = {
    /* a roll along two dimensions */
    "func.func @main(%x: tensor<2x3x21x37xf32>) -> tensor<2x3x21x37xf32> {\n"
    "  %0 = stablehlo.slice %x [0:2, 0:3, 18:21, 0:37] : (tensor<2x3x21x37xf32>) -> tensor<2x3x3x37xf32>\n"
    "  %1 = stablehlo.slice %x [0:2, 0:3, 0:18, 0:37] : (tensor<2x3x21x37xf32>) -> tensor<2x3x18x37xf32>\n"
    "  %2 = stablehlo.concatenate %0, %1, dim = 2 : (tensor<2x3x3x37xf32>, tensor<2x3x18x37xf32>) -> tensor<2x3x21x37xf32>\n"
    "  %3 = stablehlo.slice %2 [0:2, 0:3, 0:21, 34:37] : (tensor<2x3x21x37xf32>) -> tensor<2x3x21x3xf32>\n"
    "  %4 = stablehlo.slice %2 [0:2, 0:3, 0:21, 0:34] : (tensor<2x3x21x37xf32>) -> tensor<2x3x21x34xf32>\n"
    "  %5 = stablehlo.concatenate %3, %4, dim = 3 : (tensor<2x3x21x3xf32>, tensor<2x3x21x34xf32>) -> tensor<2x3x21x37xf32>\n"
    "  return %5 : tensor<2x3x21x37xf32>\n}\n",
    /* reflected edges, negated, every second column from the last to the first */
    "func.func @main(%x: tensor<5x50xf32>) -> tensor<5x28xf32> {\n"
    "  %0 = stablehlo.slice %x [0:5, 1:4] : (tensor<5x50xf32>) -> tensor<5x3xf32>\n"
    "  %1 = stablehlo.reverse %0, dims = [1] : tensor<5x3xf32>\n"
    "  %2 = stablehlo.slice %x [0:5, 46:49] : (tensor<5x50xf32>) -> tensor<5x3xf32>\n"
    "  %3 = stablehlo.reverse %2, dims = [1] : tensor<5x3xf32>\n"
    "  %4 = stablehlo.concatenate %1, %x, %3, dim = 1 : (tensor<5x3xf32>, tensor<5x50xf32>, tensor<5x3xf32>) -> tensor<5x56xf32>\n"
    "  %5 = stablehlo.slice %4 [0:5, 1:56:2] : (tensor<5x56xf32>) -> tensor<5x28xf32>\n"
    "  %6 = stablehlo.reverse %5, dims = [1] : tensor<5x28xf32>\n"
    "  %7 = stablehlo.negate %6 : tensor<5x28xf32>\n  return %7 : tensor<5x28xf32>\n}\n",
    /* pads inside and outside, and rows between them */
    "func.func @main(%x: tensor<9x33xf32>) -> tensor<12x37xf32> {\n"
    "  %z = stablehlo.constant dense<2.0> : tensor<f32>\n"
    "  %0 = stablehlo.pad %x, %z, low = [2, -3], high = [1, 7], interior = [0, 0] : (tensor<9x33xf32>, tensor<f32>) -> tensor<12x37xf32>\n"
    "  %1 = stablehlo.pad %x, %z, low = [3, 5], high = [0, -1], interior = [0, 0] : (tensor<9x33xf32>, tensor<f32>) -> tensor<12x37xf32>\n"
    "  %2 = stablehlo.subtract %0, %1 : tensor<12x37xf32>\n  return %2 : tensor<12x37xf32>\n}\n",
    /* parts of one element, of values that differ */
    "func.func @main(%x: tensor<11x1xf32>, %y: tensor<11x1xf32>) -> tensor<11x3xf32> {\n"
    "  %0 = stablehlo.multiply %x, %y : tensor<11x1xf32>\n  %1 = stablehlo.add %x, %y : tensor<11x1xf32>\n"
    "  %2 = stablehlo.concatenate %0, %1, %x, dim = 1 : (tensor<11x1xf32>, tensor<11x1xf32>, tensor<11x1xf32>) -> tensor<11x3xf32>\n"
    "  return %2 : tensor<11x3xf32>\n}\n",
    /* windows that stride and are dilated, over edges */
    "func.func @main(%x: tensor<3x23x41xf32>) -> tensor<3x11x20xf32> {\n"
    "  %z = stablehlo.constant dense<-9.0> : tensor<f32>\n"
    "  %0 = \"stablehlo.reduce_window\"(%x, %z) <{padding = dense<[[0, 0], [1, 1], [2, 1]]> : tensor<3x2xi64>, "
    "window_dilations = array<i64: 1, 2, 2>, window_dimensions = array<i64: 1, 2, 3>, window_strides = array<i64: 1, 2, 2>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %m = stablehlo.maximum %a, %b : tensor<f32>\n"
    "    stablehlo.return %m : tensor<f32>\n  }) : (tensor<3x23x41xf32>, tensor<f32>) -> tensor<3x12x20xf32>\n"
    "  %1 = stablehlo.slice %0 [0:3, 1:12, 0:20] : (tensor<3x12x20xf32>) -> tensor<3x11x20xf32>\n"
    "  return %1 : tensor<3x11x20xf32>\n}\n",
    /* a running sum in doubling steps under a sum of its last dimension */
    "func.func @main(%x: tensor<40x6x5xf32>) -> tensor<40x6xf32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.pad %x, %z, low = [1, 0, 0], high = [-1, 0, 0], interior = [0, 0, 0] : (tensor<40x6x5xf32>, tensor<f32>) -> tensor<40x6x5xf32>\n"
    "  %1 = stablehlo.add %x, %0 : tensor<40x6x5xf32>\n"
    "  %2 = stablehlo.pad %1, %z, low = [2, 0, 0], high = [-2, 0, 0], interior = [0, 0, 0] : (tensor<40x6x5xf32>, tensor<f32>) -> tensor<40x6x5xf32>\n"
    "  %3 = stablehlo.add %1, %2 : tensor<40x6x5xf32>\n"
    "  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<40x6x5xf32>, tensor<f32>) -> tensor<40x6xf32>\n"
    "  return %4 : tensor<40x6xf32>\n}\n",
    /* squares of what is apart from the mean, over dimensions of which one has size 1 */
    "func.func @main(%x: tensor<3x7x9x11x1xf32>) -> tensor<3xf32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1, 2, 3, 4] : (tensor<3x7x9x11x1xf32>, tensor<f32>) -> tensor<3xf32>\n"
    "  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x7x9x11x1xf32>\n"
    "  %2 = stablehlo.subtract %x, %1 : tensor<3x7x9x11x1xf32>\n  %3 = stablehlo.multiply %2, %2 : tensor<3x7x9x11x1xf32>\n"
    "  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1, 2, 3, 4] : (tensor<3x7x9x11x1xf32>, tensor<f32>) -> tensor<3xf32>\n"
    "  return %4 : tensor<3xf32>\n}\n",
    /* the same index read in another way: no one loop */
    "func.func @main(%x: tensor<4x6x10xf32>, %y: tensor<10xf32>) -> tensor<4xf32> {\n"
    "  %z = stablehlo.constant dense<-3.0> : tensor<f32>\n"
    "  %0 = stablehlo.broadcast_in_dim %y, dims = [2] : (tensor<10xf32>) -> tensor<4x6x10xf32>\n"
    "  %1 = stablehlo.add %x, %0 : tensor<4x6x10xf32>\n"
    "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<4x6x10xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  return %2 : tensor<4xf32>\n}\n"};

static void test_segments(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) compare(segments[i], 1e-5);
}

static void test_convolutions(void **state) {
  (void)state;
  /* input, kernel, output, dimension numbers, window, groups */
  static const char *const shapes[][6] = {
      {"2x6x31", "8x6x5", "2x8x16", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "stride = [2], pad = [[2, 2]]", "1"},
      {"2x31x6", "5x6x8", "2x35x8", "[b, 0, f]x[0, i, o]->[b, 0, f]", "pad = [[6, 6]], rhs_dilate = [2]", "1"},
      {"1x5x6x7x4", "3x2x3x4x9", "1x5x5x7x9", "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
       "pad = [[1, 1], [0, 0], [1, 1]]", "1"},
      {"2x8x9x10", "12x2x3x3", "2x12x9x10", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]", "4"},
      {"2x9x10x8", "3x3x4x6", "2x5x5x6", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
       "stride = [2, 2], pad = [[1, 1], [1, 1]]", "2"},
      {"1x6x7x4", "3x3x4x5", "1x13x15x5", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
       "pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], reverse = [true, true]", "1"},
      {"1x9x9x3", "2x2x3x5", "1x6x8x5", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[-1, -1], [0, 0]]", "1"}};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      char text[1400];
      const char *type = types[t].type, *const *shape = shapes[s];
      snprintf(text, sizeof text,
               "func.func @main(%%x: tensor<%sx%s>, %%y: tensor<%sx%s>) -> tensor<%sx%s> {\n"
               "  %%0 = stablehlo.convolution(%%x, %%y) dim_numbers = %s, window = {%s} {batch_group_count = 1 : i64, "
               "feature_group_count = %s : i64} : (tensor<%sx%s>, tensor<%sx%s>) -> tensor<%sx%s>\n"
               "  return %%0 : tensor<%sx%s>\n}\n",
               shape[0], type, shape[1], type, shape[2], type, shape[3], shape[4], shape[5], shape[0], type, shape[1],
               type, shape[2], type, shape[2], type);
      compare(text, types[t].most);
    }
}

static void test_transforms(void **state) {
  (void)state;
  static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 30, 49, 61, 64, 67, 100, 127, 134, 360, 1024};
  static const char *const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int kind = 0; kind < 4; kind++)
      for (int wide = 0; wide < 2; wide++) {
        const int n = lengths[i], half = n / 2 + 1;
        const char *real = wide ? "f64" : "f32";
        char from[64], to[64], pair[32], text[600];
        snprintf(pair, sizeof pair, "complex<%s>", real);
        snprintf(from, sizeof from, "tensor<3x7x%dx%s>", kind == 3 ? half : n, kind == 2 ? real : pair);
        snprintf(to, sizeof to, "tensor<3x7x%dx%s>", kind == 2 ? half : n, kind == 3 ? real : pair);
        snprintf(text, sizeof text,
                 "func.func @main(%%x: %s) -> %s {\n  %%0 = stablehlo.fft %%x, type = %s, length = [%d] : (%s) -> %s\n"
                 "  return %%0 : %s\n}\n",
                 from, to, kinds[kind], n, from, to, to);
        compare(text, wide ? 1e-13 : 2e-6);
      }
  compare(
      "func.func @main(%x: tensor<2x6x10x9xf32>) -> tensor<2x6x10x5xcomplex<f32>> {\n"
      "  %0 = stablehlo.fft %x, type = RFFT, length = [6, 10, 9] : (tensor<2x6x10x9xf32>) -> tensor<2x6x10x5xcomplex<f32>>\n"
      "  return %0 : tensor<2x6x10x5xcomplex<f32>>\n}\n",
      2e-6);
  compare(
      "func.func @main(%x: tensor<2x6x10x5xcomplex<f64>>) -> tensor<2x6x10x8xf64> {\n"
      "  %0 = stablehlo.fft %x, type = IRFFT, length = [6, 10, 8] : (tensor<2x6x10x5xcomplex<f64>>) -> tensor<2x6x10x8xf64>\n"
      "  return %0 : tensor<2x6x10x8xf64>\n}\n",
      1e-13);
}

/* What changes nothing, of f32, f64, i32 and i64, for add, multiply, maximum and minimum. */
static const char *start_of(int kind, int op) {
  static const char *const starts[4][4] = {{"0.0", "1.0", "0xFF800000", "0x7F800000"},
                                           {"0.0", "1.0", "0xFFF0000000000000", "0x7FF0000000000000"},
                                           {"0", "1", "-2147483648", "2147483647"},
                                           {"0", "1", "-9223372036854775808", "9223372036854775807"}};
  return starts[kind][op];
}

static void test_scans(void **state) {
  (void)state;
  static const char *const ops[] = {"add", "multiply", "maximum", "minimum"}, *const kinds[] = {"f32", "f64", "i32",
                                                                                                "i64"};
  for (int kind = 0; kind < 4; kind++)
    for (int op = 0; op < 4; op++)
      for (int way = 0; way < 8; way++) { /* along the middle or the last dimension, forwards or backwards, and from a
                                             start that counts */
        char text[1400];
        const bool last = way & 1, back = way & 2, counts = way & 4;
        const int size = last ? 9 : 5;
        snprintf(text, sizeof text,
                 "func.func @main(%%x: tensor<3x5x9x%s>, %%start: tensor<%s>) -> tensor<3x5x9x%s> {\n"
                 "  %%none = stablehlo.constant dense<%s> : tensor<%s>\n"
                 "  %%0 = \"stablehlo.reduce_window\"(%%x, %%%s) <{padding = dense<[[0, 0], [%d, %d], [%d, %d]]> : "
                 "tensor<3x2xi64>, window_dimensions = array<i64: 1, %d, %d>}> ({\n"
                 "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n    %%1 = stablehlo.%s %%a, %%b : tensor<%s>\n"
                 "    stablehlo.return %%1 : tensor<%s>\n  }) : (tensor<3x5x9x%s>, tensor<%s>) -> tensor<3x5x9x%s>\n"
                 "  return %%0 : tensor<3x5x9x%s>\n}\n",
                 kinds[kind], kinds[kind], kinds[kind], start_of(kind, op), kinds[kind], counts ? "start" : "none",
                 last || back ? 0 : size - 1, last || !back ? 0 : size - 1, !last || back ? 0 : size - 1,
                 !last || !back ? 0 : size - 1, last ? 1 : size, last ? size : 1, kinds[kind], kinds[kind], ops[op],
                 kinds[kind], kinds[kind], kinds[kind], kinds[kind], kinds[kind], kinds[kind]);
        compare(text, kind == 0 ? 1e-5 : kind == 1 ? 1e-13 : 0);
      }
}

/* Logarithms of running sums of exponentials, with infinities in front, between and at the end, and with NaN. */
static void test_log_scans(void **state) {
  (void)state;
  for (int way = 0; way < 32; way++) {
    const char *type = way & 1 ? "f64" : "f32", *infinity = way & 1 ? "0x7FF0000000000000" : "0x7F800000";
    const bool last = way & 2, back = way & 4;
    const int size = last ? 150 : 9, low = back ? 0 : size - 1, high = back ? size - 1 : 0;
    const char *guards[] = {
        "    %p = stablehlo.abs %top : tensor<T>\n"
        "    %q = stablehlo.compare EQ, %p, %inf : (tensor<T>, tensor<T>) -> tensor<i1>\n"
        "    %r = stablehlo.select %q, %top, %sum : tensor<i1>, tensor<T>\n",
        "    %p = stablehlo.compare NE, %gap, %gap : (tensor<T>, tensor<T>) -> tensor<i1>\n"
        "    %q = stablehlo.add %a, %b : tensor<T>\n"
        "    %r = stablehlo.select %p, %q, %sum : tensor<i1>, tensor<T>\n"};
    char text[4000], typed[4000];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<9x150xT>) -> tensor<9x150xT> {\n"
             "  %%inf = stablehlo.constant dense<%s> : tensor<T>\n  %%none = stablehlo.negate %%inf : tensor<T>\n"
             "  %%c = stablehlo.constant dense<%s> : tensor<9x150xT>\n"
             "  %%scaled = stablehlo.multiply %%x, %%c : tensor<9x150xT>\n"
             "  %%low = stablehlo.constant dense<-1.6> : tensor<9x150xT>\n"
             "  %%is = stablehlo.compare LT, %%x, %%low : (tensor<9x150xT>, tensor<9x150xT>) -> tensor<9x150xi1>\n"
             "  %%all = stablehlo.broadcast_in_dim %%none, dims = [] : (tensor<T>) -> tensor<9x150xT>\n"
             "  %%y = stablehlo.select %%is, %%all, %%scaled : tensor<9x150xi1>, tensor<9x150xT>\n"
             "  %%0 = \"stablehlo.reduce_window\"(%%y, %%none) <{padding = dense<[[%d, %d], [%d, %d]]> : "
             "tensor<2x2xi64>, window_dimensions = array<i64: %d, %d>}> ({\n  ^bb0(%%a: tensor<T>, %%b: tensor<T>):\n"
             "    %%top = stablehlo.maximum %%a, %%b : tensor<T>\n    %%gap = stablehlo.subtract %%a, %%b : tensor<T>\n"
             "    %%1 = stablehlo.abs %%gap : tensor<T>\n    %%2 = stablehlo.negate %%1 : tensor<T>\n"
             "    %%3 = stablehlo.exponential %%2 : tensor<T>\n    %%4 = stablehlo.log_plus_one %%3 : tensor<T>\n"
             "    %%sum = stablehlo.add %%top, %%4 : tensor<T>\n%s"
             "    stablehlo.return %%r : tensor<T>\n  }) : (tensor<9x150xT>, tensor<T>) -> tensor<9x150xT>\n"
             "  return %%0 : tensor<9x150xT>\n}\n",
             infinity, way & 8 ? "900.0" : "1.0", last ? 0 : low, last ? 0 : high, last ? low : 0, last ? high : 0,
             last ? 1 : size, last ? size : 1, guards[way >> 4]);
    size_t to = 0;
    for (const char *at = text; *at; at++)
      if (*at == 'T' && (at[1] == '>' || at[1] == ',') && (at[-1] == 'x' || at[-1] == '<'))
        to += (size_t)sprintf(typed + to, "%s", type);
      else
        typed[to++] = *at;
    typed[to] = 0;
    with_nan = way & 2 && !(way & 1);
    compare(typed, way & 1 ? 1e-14 : 1e-5);
    with_nan = false;
  }
}

/* The largest and where it is, of rows long enough to be taken in parts; one that depends on the order as well. */
static void test_several_results(void **state) {
  (void)state;
  static const int sizes[] = {3, 63, 64, 67, 257};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int way = 0; way < 8; way++) {
      const int n = sizes[s];
      char text[2000];
      const char *shape = way & 2 ? "%dx5" : "5x%d", *pick = way & 4 ? "GE" : "GT";
      char x[20];
      snprintf(x, sizeof x, shape, n);
      snprintf(text, sizeof text,
               "func.func @main(%%x: tensor<%sxf32>) -> tensor<5xi32> {\n"
               "  %%i = stablehlo.iota dim = %d : tensor<%sxi32>\n"
               "  %%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
               "  %%none = stablehlo.constant dense<-1> : tensor<i32>\n"
               "  %%0:2 = stablehlo.reduce(%%x init: %%low), (%%i init: %%none) across dimensions = [%d] : "
               "(tensor<%sxf32>, tensor<%sxi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)\n"
               "   reducer(%%a: tensor<f32>, %%b: tensor<f32>) (%%p: tensor<i32>, %%q: tensor<i32>) {\n"
               "    %%c = stablehlo.compare %s, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
               "    %%1 = stablehlo.select %%c, %%a, %%b : tensor<i1>, tensor<f32>\n"
               "    %%2 = stablehlo.select %%c, %%p, %%q : tensor<i1>, tensor<i32>\n"
               "    stablehlo.return %%1, %%2 : tensor<f32>, tensor<i32>\n  }\n  return %%0#1 : tensor<5xi32>\n}\n",
               x, way & 2 ? 0 : 1, x, way & 2 ? 0 : 1, x, x, pick);
      with_nan = way & 1;
      compare(text, 0);
      with_nan = false;
    }
}

static void test_moves(void **state) {
  (void)state;
  static const char *const shapes[][3] = {{"70x90", "[1, 0]", "90x70"},
                                          {"3x40x50", "[0, 2, 1]", "3x50x40"},
                                          {"17x3x40", "[1, 0, 2]", "3x17x40"},
                                          {"5x2x1023", "[0, 2, 1]", "5x1023x2"},
                                          {"7x3x29x31", "[0, 2, 3, 1]", "7x29x31x3"},
                                          {"4x2050", "[1, 0]", "2050x4"},
                                          {"5x6x7x33", "[3, 1, 0, 2]", "33x6x5x7"},
                                          {"2x1x60x1x30", "[4, 3, 0, 1, 2]", "30x1x2x1x60"}};
  static const char *const kinds[] = {"i8", "i16", "f32", "f64", "complex<f32>", "complex<f64>"};
  for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      char text[600];
      const char *type = kinds[t], *const *shape = shapes[s];
      snprintf(
          text, sizeof text,
          "func.func @main(%%x: tensor<%sx%s>) -> tensor<%sx%s> {\n"
          "  %%0 = stablehlo.transpose %%x, dims = %s : (tensor<%sx%s>) -> tensor<%sx%s>\n  return %%0 : tensor<%sx%s>\n}\n",
          shape[0], type, shape[2], type, shape[1], shape[0], type, shape[2], type, shape[2], type);
      compare(text, 0);
    }
  compare(
      "func.func @main(%x: tensor<9x20x7xf32>, %y: tensor<9x30x7xf32>, %z: tensor<9x3x7xf32>) -> tensor<9x53x7xf32> {\n"
      "  %0 = stablehlo.concatenate %x, %y, %z, dim = 1 : (tensor<9x20x7xf32>, tensor<9x30x7xf32>, tensor<9x3x7xf32>) -> tensor<9x53x7xf32>\n"
      "  return %0 : tensor<9x53x7xf32>\n}\n",
      0);
}

/* By the digits of a key, and by calling the comparator; with numbers of both signs, many of them equal. */
static void test_sorts(void **state) {
  (void)state;
  static const char *const kinds[] = {"f32", "f64", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
  static const char *const orders[] = {
      "    %c = stablehlo.compare LT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      "    %c = stablehlo.compare GT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      ("    %m = stablehlo.multiply %a, %a : tensor<T>\n    %n = stablehlo.multiply %b, %b : tensor<T>\n"
       "    %c = stablehlo.compare LT, %m, %n : (tensor<T>, tensor<T>) -> tensor<i1>\n")};
  for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++)
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
      for (int dim = 0; dim < 2; dim++) {
        char text[2000] = "", body[400] = "";
        for (const char *at = orders[o]; *at; at++) /* T is the type */
          snprintf(body + strlen(body), sizeof body - strlen(body), *at == 'T' && at[-1] == '<' ? "%s" : "%.1s",
                   *at == 'T' && at[-1] == '<' ? kinds[t] : at);
        snprintf(text, sizeof text,
                 "func.func @main(%%x: tensor<37x90x%s>) -> tensor<37x90xi32> {\n"
                 "  %%i = stablehlo.iota dim = %d : tensor<37x90xi32>\n"
                 "  %%0:2 = \"stablehlo.sort\"(%%x, %%i) <{dimension = %d : i64, is_stable = true}> ({\n"
                 "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>, %%p: tensor<i32>, %%q: tensor<i32>):\n%s"
                 "    stablehlo.return %%c : tensor<i1>\n"
                 "  }) : (tensor<37x90x%s>, tensor<37x90xi32>) -> (tensor<37x90x%s>, tensor<37x90xi32>)\n"
                 "  return %%0#1 : tensor<37x90xi32>\n}\n",
                 kinds[t], dim, dim, kinds[t], kinds[t], body, kinds[t], kinds[t]);
        compare(text, 0);
      }
  /* the first few alone; PyTorch's order, down, NaN first */
  compare(
      "func.func @main(%x: tensor<9x300xf32>) -> tensor<9x5xi64> {\n"
      "  %0 = stablehlo.iota dim = 1 : tensor<9x300xi64>\n"
      "  %n = stablehlo.sqrt %x : tensor<9x300xf32>\n" /* some are NaN */
      "  %1:2 = \"stablehlo.sort\"(%n, %0) <{dimension = 1 : i64, is_stable = true}> ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i64>, %q: tensor<i64>):\n"
      "    %4 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %5 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %6 = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %7 = stablehlo.not %6 : tensor<i1>\n    %8 = stablehlo.and %5, %7 : tensor<i1>\n"
      "    %9 = stablehlo.or %4, %8 : tensor<i1>\n    stablehlo.return %9 : tensor<i1>\n"
      "  }) : (tensor<9x300xf32>, tensor<9x300xi64>) -> (tensor<9x300xf32>, tensor<9x300xi64>)\n"
      "  %2 = stablehlo.slice %1#1 [0:9, 0:5] : (tensor<9x300xi64>) -> tensor<9x5xi64>\n"
      "  return %2 : tensor<9x5xi64>\n}\n",
      0);
}

static void test_solves(void **state) {
  (void)state;
  for (int way = 0; way < 128; way++) {
    const char *type = way & 1 ? "f64" : "f32", *left = way & 2 ? "true" : "false", *lower = way & 4 ? "true" : "false";
    const char *unit = way & 8 ? "true" : "false", *turned = way & 16 ? "TRANSPOSE" : "NO_TRANSPOSE";
    const char *b = way & 32 ? "2x19x19" : way & 2 ? "2x19x5" : "2x5x19";
    char text[2000];
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<2x19x19x%s>, %%b: tensor<%sx%s>) -> tensor<%sx%s> {\n"
        "  %%i = stablehlo.iota dim = 1 : tensor<2x19x19xi32>\n  %%j = stablehlo.iota dim = 2 : tensor<2x19x19xi32>\n"
        "  %%e = stablehlo.compare EQ, %%i, %%j : (tensor<2x19x19xi32>, tensor<2x19x19xi32>) -> tensor<2x19x19xi1>\n"
        "  %%f = stablehlo.constant dense<4.0> : tensor<2x19x19x%s>\n  %%t = stablehlo.constant dense<0.0625> : tensor<2x19x19x%s>\n"
        "  %%s = stablehlo.multiply %%x, %%t : tensor<2x19x19x%s>\n"
        "  %%a = stablehlo.select %%e, %%f, %%s : tensor<2x19x19xi1>, tensor<2x19x19x%s>\n"
        "  %%0 = \"stablehlo.triangular_solve\"(%%a, %%b) <{left_side = %s, lower = %s, unit_diagonal = %s, transpose_a = "
        "#stablehlo<transpose %s>}> : (tensor<2x19x19x%s>, tensor<%sx%s>) -> tensor<%sx%s>\n  return %%0 : tensor<%sx%s>\n}\n",
        type, b, type, b, type, type, type, type, type, left, lower, unit, turned, type, b, type, b, type, b, type);
    if (way & 64) /* small ones go another way */
      for (char *at = text; (at = strstr(at, "19"));) memcpy(at, "11", 2);
    compare(text, way & 1 ? 1e-12 : way & 64 ? 1e-6 : 1e-4);
  }
  for (int way = 0; way < 4; way++) {
    const char *type = way & 1 ? "f64" : "f32", *lower = way & 2 ? "true" : "false";
    char text[1200];
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<2x19x19x%s>) -> tensor<2x19x19x%s> {\n"
        "  %%i = stablehlo.iota dim = 1 : tensor<2x19x19xi32>\n  %%j = stablehlo.iota dim = 2 : tensor<2x19x19xi32>\n"
        "  %%e = stablehlo.compare EQ, %%i, %%j : (tensor<2x19x19xi32>, tensor<2x19x19xi32>) -> tensor<2x19x19xi1>\n"
        "  %%f = stablehlo.constant dense<40.0> : tensor<2x19x19x%s>\n"
        "  %%a = stablehlo.select %%e, %%f, %%x : tensor<2x19x19xi1>, tensor<2x19x19x%s>\n"
        "  %%0 = stablehlo.cholesky %%a, lower = %s : tensor<2x19x19x%s>\n  return %%0 : tensor<2x19x19x%s>\n}\n",
        type, type, type, type, lower, type, type);
    compare(text, way & 1 ? 1e-12 : 1e-5);
  }
}

/* Random words: of every width, where lines have an odd length, and where the words of a pair lie apart. */
static void test_random(void **state) {
  (void)state;
  static const char *const kinds[] = {"ui4", "i8", "ui16", "ui32", "i32", "ui64"};
  static const char *const shapes[] = {"300", "7x41", "6x50x3", "5x1x1", "1x77", "4096x3"};
  for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
      for (int way = 0; way < 2; way++) {
        char text[900];
        snprintf(text, sizeof text,
                 "func.func @main() -> tensor<%sx%s> {\n"
                 "  %%0 = stablehlo.constant dense<[987654321987, 18446744073709551600]> : tensor<2xui64>\n"
                 "  %%1, %%2 = stablehlo.rng_bit_generator %%0, algorithm = %s : (tensor<2xui64>) -> (tensor<2xui64>, "
                 "tensor<%sx%s>)\n  return %%2 : tensor<%sx%s>\n}\n",
                 shapes[s], kinds[t], way ? "PHILOX" : "THREE_FRY", shapes[s], kinds[t], shapes[s], kinds[t]);
        compare(text, 0);
      }
}

/* The larger and the smaller of a number and a constant, for numbers of every kind: the upper half of f32's bits. Bits
 * are compared, since zeros have signs; bf16's are rounded before and after. */
static void test_bounds(void **state) {
  (void)state;
  static const char *const kinds[] = {"f32", "bf16"}, *const ops[] = {"maximum", "minimum"},
                           *const bounds[] = {"0.0", "-0.0", "6.0", "-1.5", "0x7F800000", "0x7FC00000"};
  for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++)
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
      for (size_t n = 0; n < sizeof bounds / sizeof *bounds; n++) {
        char text[1600];
        const char *kind = kinds[t];
        snprintf(text, sizeof text,
                 "func.func @main(%%arg0: tensor<i32>) -> tensor<65536xi32> {\n"
                 "  %%0 = stablehlo.iota dim = 0 : tensor<65536xi32>\n"
                 "  %%1 = stablehlo.broadcast_in_dim %%arg0, dims = [] : (tensor<i32>) -> tensor<65536xi32>\n"
                 "  %%2 = stablehlo.add %%0, %%1 : tensor<65536xi32>\n"
                 "  %%3 = stablehlo.constant dense<16> : tensor<65536xi32>\n"
                 "  %%4 = stablehlo.shift_left %%2, %%3 : tensor<65536xi32>\n"
                 "  %%5 = stablehlo.bitcast_convert %%4 : (tensor<65536xi32>) -> tensor<65536xf32>\n"
                 "  %%6 = stablehlo.convert %%5 : (tensor<65536xf32>) -> tensor<65536x%s>\n"
                 "  %%7 = stablehlo.constant dense<1.25> : tensor<65536x%s>\n"
                 "  %%8 = stablehlo.multiply %%6, %%7 : tensor<65536x%s>\n"
                 "  %%b = stablehlo.constant dense<%s> : tensor<65536xf32>\n"
                 "  %%9 = stablehlo.convert %%b : (tensor<65536xf32>) -> tensor<65536x%s>\n"
                 "  %%10 = stablehlo.%s %%8, %%9 : tensor<65536x%s>\n"
                 "  %%11 = stablehlo.convert %%10 : (tensor<65536x%s>) -> tensor<65536xf32>\n"
                 "  %%12 = stablehlo.bitcast_convert %%11 : (tensor<65536xf32>) -> tensor<65536xi32>\n"
                 "  %%13 = stablehlo.compare NE, %%11, %%11 : (tensor<65536xf32>, tensor<65536xf32>) -> "
                 "tensor<65536xi1>\n"
                 "  %%14 = stablehlo.constant dense<-1> : tensor<65536xi32>\n"
                 "  %%15 = stablehlo.select %%13, %%14, %%12 : tensor<65536xi1>, tensor<65536xi32>\n"
                 "  return %%15 : tensor<65536xi32>\n}\n",
                 kind, kind, kind, bounds[n], kind, ops[o], kind, kind);
        compare(text, 0);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ready),           cmocka_unit_test(test_products),     cmocka_unit_test(test_wider_results),
      cmocka_unit_test(test_segments),        cmocka_unit_test(test_convolutions), cmocka_unit_test(test_transforms),
      cmocka_unit_test(test_scans),           cmocka_unit_test(test_log_scans),    cmocka_unit_test(test_moves),
      cmocka_unit_test(test_sorts),           cmocka_unit_test(test_solves),       cmocka_unit_test(test_random),
      cmocka_unit_test(test_several_results), cmocka_unit_test(test_bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
