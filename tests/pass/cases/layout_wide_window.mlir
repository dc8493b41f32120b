// pass: layout,dce
func.func @main(%x: tensor<1x2x4x4xf32>, %kernel: tensor<2x1x5x5xf32>) -> tensor<1x2x4x4xf32> {
  %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[2, 2], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x1x5x5xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x2x4x4xf32>, %arg1: tensor<2x1x5x5xf32>) -> tensor<1x2x4x4xf32> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
    %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x4x2xf32>, tensor<2x1x5x5xf32>) -> tensor<1x4x4x2xf32>
    %2 = stablehlo.transpose %1, dims = [0, 3, 1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
    return %2 : tensor<1x2x4x4xf32>
  }
}
