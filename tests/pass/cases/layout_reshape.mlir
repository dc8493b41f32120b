// pass: layout,simplify,dce
// Tokens that are an image for one convolution, and tokens again: nothing is transposed.
func.func @main(%x: tensor<2x6x4xf32>, %k: tensor<4x4x1x1xf32>) -> tensor<2x6x4xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4x6xf32>) -> tensor<2x4x3x2xf32>
  %2 = stablehlo.convolution(%1, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x3x2xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x3x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x4x3x2xf32>) -> tensor<2x4x6xf32>
  %4 = stablehlo.transpose %3, dims = [0, 2, 1] : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
  %5 = stablehlo.tanh %4 : tensor<2x6x4xf32>
  return %5 : tensor<2x6x4xf32>
}
// expect:
func.func @main(%x: tensor<2x6x4xf32>, %k: tensor<4x4x1x1xf32>) -> tensor<2x6x4xf32> {
  %1 = stablehlo.reshape %x : (tensor<2x6x4xf32>) -> tensor<2x3x2x4xf32>
  %2 = stablehlo.convolution(%1, %k) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x2x4xf32>, tensor<4x4x1x1xf32>) -> tensor<2x3x2x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x3x2x4xf32>) -> tensor<2x6x4xf32>
  %5 = stablehlo.tanh %3 : tensor<2x6x4xf32>
  return %5 : tensor<2x6x4xf32>
}
