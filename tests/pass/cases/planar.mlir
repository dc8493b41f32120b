// pass: planar
func.func @main(%x: tensor<2x6x31xf32>, %k: tensor<8x6x5xf32>, %a: tensor<4x3xf32>, %b: tensor<3x1xf32>) -> (tensor<2x8x16xf32>, tensor<4x1xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x31xf32>, tensor<8x6x5xf32>) -> tensor<2x8x16xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x1xf32>) -> tensor<4x1xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<4x1xf32>
}
// expect:
func.func @main(%x: tensor<2x6x31xf32>, %k: tensor<8x6x5xf32>, %a: tensor<4x3xf32>, %b: tensor<3x1xf32>) -> (tensor<2x8x16xf32>, tensor<4x1xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x6x31xf32>) -> tensor<2x6x1x31xf32>
  %1 = stablehlo.reshape %k : (tensor<8x6x5xf32>) -> tensor<8x6x1x5xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 2], pad = [[0, 0], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x1x31xf32>, tensor<8x6x1x5xf32>) -> tensor<2x8x1x16xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x8x1x16xf32>) -> tensor<2x8x16xf32>
  %4 = stablehlo.dot_general %b, %a, contracting_dims = [0] x [1] : (tensor<3x1xf32>, tensor<4x3xf32>) -> tensor<1x4xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x4xf32>) -> tensor<4x1xf32>
  return %3, %5 : tensor<2x8x16xf32>, tensor<4x1xf32>
}
