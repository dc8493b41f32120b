func.func @main(%q: tensor<2x64x32xf32>, %k: tensor<2x64x32xf32>, %v: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x64xf32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<2x64x64xf32>
  %4 = stablehlo.exponential %3 : tensor<2x64x64xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %7 = stablehlo.divide %4, %6 : tensor<2x64x64xf32>
  %8 = stablehlo.dot_general %7, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x64x64xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  return %8 : tensor<2x64x32xf32>
}
