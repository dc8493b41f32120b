// steps: attention
func.func @main(%q: tensor<2x8x3x4xf32>, %k: tensor<2x8x3x4xf32>, %v: tensor<2x8x3x4xf32>, %mask: tensor<8x8xi1>) -> tensor<2x8x3x4xf32> {
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
  return %15 : tensor<2x8x3x4xf32>
}
