// pass: planar,layout,simplify,dce
func.func @main(%x: tensor<2x9x3xf32>, %k: tensor<4x3x1xf32>, %k2: tensor<5x4x3xf32>) -> tensor<2x9x5xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x9x3xf32>) -> tensor<2x3x9xf32>
  %1 = stablehlo.convolution(%0, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x9xf32>, tensor<4x3x1xf32>) -> tensor<2x4x9xf32>
  %2 = stablehlo.tanh %1 : tensor<2x4x9xf32>
  %3 = stablehlo.convolution(%2, %k2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x9xf32>
  %4 = stablehlo.transpose %3, dims = [0, 2, 1] : (tensor<2x5x9xf32>) -> tensor<2x9x5xf32>
  return %4 : tensor<2x9x5xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<4x3x1xf32>, %arg2: tensor<5x4x3xf32>) -> tensor<2x9x5xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2x9x3xf32>) -> tensor<2x1x9x3xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<4x3x1xf32>) -> tensor<4x3x1x1xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x9x3xf32>, tensor<4x3x1x1xf32>) -> tensor<2x1x9x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x1x9x4xf32>) -> tensor<2x9x4xf32>
    %4 = stablehlo.tanh %3 : tensor<2x9x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x9x4xf32>) -> tensor<2x1x9x4xf32>
    %6 = stablehlo.reshape %arg2 : (tensor<5x4x3xf32>) -> tensor<5x4x1x3xf32>
    %7 = stablehlo.convolution(%5, %6) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x9x4xf32>, tensor<5x4x1x3xf32>) -> tensor<2x1x9x5xf32>
    %8 = stablehlo.reshape %7 : (tensor<2x1x9x5xf32>) -> tensor<2x9x5xf32>
    return %8 : tensor<2x9x5xf32>
  }
}
