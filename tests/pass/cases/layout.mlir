// pass: layout,dce
func.func @main(%x: tensor<1x2x4x4xf32>, %kernel: tensor<3x2x1x1xf32>, %scale: tensor<1x3x1x1xf32>) -> tensor<1x3xf32> {
  %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = stablehlo.broadcast_in_dim %scale, dims = [0, 1, 2, 3] : (tensor<1x3x1x1xf32>) -> tensor<1x3x4x4xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<1x3x4x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3xf32>
  return %3 : tensor<1x3xf32>
}
// expect:
func.func @main(%arg0: tensor<1x2x4x4xf32>, %arg1: tensor<3x2x1x1xf32>, %arg2: tensor<1x3x1x1xf32>) -> tensor<1x3xf32> {
  %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
  %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x2x1x1xf32>) -> tensor<1x4x4x3xf32>
  %2 = stablehlo.reshape %arg2 : (tensor<1x3x1x1xf32>) -> tensor<3xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<3xf32>) -> tensor<1x4x4x3xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<1x4x4x3xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [1, 2] : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  return %5 : tensor<1x3xf32>
}
