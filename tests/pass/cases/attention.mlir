// pass: attention,dce
// PyTorch's form (rows that are hidden whole give zeros), then JAX's with its operands turned, then one whose softmax is read elsewhere.
func.func @main(%q: tensor<2x8x3x4xf32>, %k: tensor<2x8x3x4xf32>, %v: tensor<2x8x3x4xf32>, %mask: tensor<8x8xi1>) -> (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x8xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %lows = stablehlo.constant dense<0xFF800000> : tensor<2x3x8xf32>
  %low4 = stablehlo.constant dense<0xFF800000> : tensor<2x3x8x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<2x3x8xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2x3x8xf32>
  %scale = stablehlo.constant dense<0.5> : tensor<2x3x8x8xf32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %1 = stablehlo.multiply %0, %scale : tensor<2x3x8x8xf32>
  %2 = stablehlo.broadcast_in_dim %mask, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %3 = stablehlo.select %2, %1, %low4 : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %4 = stablehlo.reduce(%3 init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = stablehlo.compare EQ, %4, %lows : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xi1>
  %6 = stablehlo.select %5, %zeros, %4 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %8 = stablehlo.subtract %3, %7 : tensor<2x3x8x8xf32>
  %9 = stablehlo.exponential %8 : tensor<2x3x8x8xf32>
  %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %11 = stablehlo.select %5, %ones, %10 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %13 = stablehlo.divide %9, %12 : tensor<2x3x8x8xf32>
  %14 = stablehlo.dot_general %13, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %15 = stablehlo.transpose %14, dims = [0, 2, 1, 3] : (tensor<2x3x8x4xf32>) -> tensor<2x8x3x4xf32>

  %20 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %21 = stablehlo.maximum %lows, %20 : tensor<2x3x8xf32>
  %22 = stablehlo.reshape %21 : (tensor<2x3x8xf32>) -> tensor<2x3x8x1xf32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<2x3x8x1xf32>) -> tensor<2x3x8x8xf32>
  %24 = stablehlo.subtract %0, %23 : tensor<2x3x8x8xf32>
  %25 = stablehlo.exponential %24 : tensor<2x3x8x8xf32>
  %26 = stablehlo.reduce(%25 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %28 = stablehlo.divide %25, %27 : tensor<2x3x8x8xf32>
  %29 = stablehlo.dot_general %v, %28, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<2x8x3x4xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x4x8xf32>
  %30 = stablehlo.transpose %29, dims = [0, 3, 1, 2] : (tensor<2x3x4x8xf32>) -> tensor<2x8x3x4xf32>

  %39 = stablehlo.exponential %8 : tensor<2x3x8x8xf32>
  %40 = stablehlo.divide %39, %12 : tensor<2x3x8x8xf32>
  %41 = stablehlo.dot_general %40, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  return %15, %30, %41, %40 : tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x8xf32>
}
// expect:
func.func @main(%arg0: tensor<2x8x3x4xf32>, %arg1: tensor<2x8x3x4xf32>, %arg2: tensor<2x8x3x4xf32>, %arg3: tensor<8x8xi1>) -> (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x8xf32>) {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<2x3x8xf32>
  %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<2x3x8x8xf32>
  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<2x3x8xf32>
  %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<2x3x8xf32>
  %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<2x3x8x8xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %1 = stablehlo.multiply %0, %cst_5 : tensor<2x3x8x8xf32>
  %2 = stablehlo.broadcast_in_dim %arg3, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<2x3x8x8xi1>
  %3 = stablehlo.select %2, %1, %cst_1 : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
  %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = stablehlo.compare EQ, %4, %cst_0 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xi1>
  %6 = stablehlo.select %5, %cst_3, %4 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %8 = stablehlo.subtract %3, %7 : tensor<2x3x8x8xf32>
  %9 = stablehlo.exponential %8 : tensor<2x3x8x8xf32>
  %10 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %11 = stablehlo.select %5, %cst_4, %10 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %13 = stablehlo.custom_call @tenfold.attention(%3, %arg2) {tenfold.empty = "zero", tenfold.order = array<i64: 0, 2, 1, 3>, tenfold.values = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  %14 = stablehlo.custom_call @tenfold.attention(%0, %arg2) {tenfold.empty = "nan", tenfold.order = array<i64: 0, 2, 1, 3>, tenfold.values = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  %15 = stablehlo.exponential %8 : tensor<2x3x8x8xf32>
  %16 = stablehlo.divide %15, %12 : tensor<2x3x8x8xf32>
  %17 = stablehlo.dot_general %16, %arg2, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  return %13, %14, %17, %16 : tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x8xf32>
}
