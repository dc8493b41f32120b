// pass: layout,dce
func.func @main(%x: tensor<1x4x4x2xf32>, %kernel: tensor<2x2x3x3xf32>, %g: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>, tensor<2x1x3x3xf32>) {
  %0 = stablehlo.transpose %kernel, dims = [1, 0, 2, 3] : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %1 = stablehlo.reverse %0, dims = [2, 3] : tensor<2x2x3x3xf32>
  %2 = stablehlo.convolution(%x, %1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<2x2x3x3xf32>) -> tensor<1x4x4x2xf32>
  %3 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %4 = stablehlo.transpose %g, dims = [0, 3, 1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %5 = stablehlo.convolution(%3, %4) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x1x3x3xf32>
  return %2, %5 : tensor<1x4x4x2xf32>, tensor<2x1x3x3xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<2x2x3x3xf32>, %arg2: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>, tensor<2x1x3x3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[i, o, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<2x2x3x3xf32>) -> tensor<1x4x4x2xf32>
    %1 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<3x3x1x2xf32>
    %2 = stablehlo.transpose %1, dims = [3, 2, 0, 1] : (tensor<3x3x1x2xf32>) -> tensor<2x1x3x3xf32>
    return %0, %2 : tensor<1x4x4x2xf32>, tensor<2x1x3x3xf32>
  }
}
