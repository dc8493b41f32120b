// pass: planar
func.func @main(%x: tensor<2x6x31xf32>, %k: tensor<8x6x5xf32>, %a: tensor<4x3xf32>, %b: tensor<3x1xf32>) -> (tensor<2x8x16xf32>, tensor<4x1xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x31xf32>, tensor<8x6x5xf32>) -> tensor<2x8x16xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x1xf32>) -> tensor<4x1xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<4x1xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x6x31xf32>, %arg1: tensor<8x6x5xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<3x1xf32>) -> (tensor<2x8x16xf32>, tensor<4x1xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x6x31xf32>) -> tensor<2x31x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x31x6xf32>) -> tensor<2x1x31x6xf32>
    %2 = stablehlo.reshape %arg1 : (tensor<8x6x5xf32>) -> tensor<8x6x1x5xf32>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 0], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x31x6xf32>, tensor<8x6x1x5xf32>) -> tensor<2x1x16x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x1x16x8xf32>) -> tensor<2x16x8xf32>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<2x16x8xf32>) -> tensor<2x8x16xf32>
    %6 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [0] x [1] : (tensor<3x1xf32>, tensor<4x3xf32>) -> tensor<1x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x4xf32>) -> tensor<4x1xf32>
    return %5, %7 : tensor<2x8x16xf32>, tensor<4x1xf32>
  }
}
