// pass: phases
func.func @main(%g: tensor<1x4x4x8xf32>, %k: tensor<1x3x16x8xf32>) -> tensor<1x4x8x16xf32> {
  %0 = stablehlo.convolution(%g, %k) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[0, 0], [1, 2]], lhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x8xf32>, tensor<1x3x16x8xf32>) -> tensor<1x4x8x16xf32>
  return %0 : tensor<1x4x8x16xf32>
}
// expect:
func.func @main(%arg0: tensor<1x4x4x8xf32>, %arg1: tensor<1x3x16x8xf32>) -> tensor<1x4x8x16xf32> {
  %0 = stablehlo.slice %arg1 [0:1, 1:2:2, 0:16, 0:8] : (tensor<1x3x16x8xf32>) -> tensor<1x1x16x8xf32>
  %1 = stablehlo.convolution(%arg0, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x8xf32>, tensor<1x1x16x8xf32>) -> tensor<1x4x4x16xf32>
  %2 = stablehlo.slice %arg1 [0:1, 0:3:2, 0:16, 0:8] : (tensor<1x3x16x8xf32>) -> tensor<1x2x16x8xf32>
  %3 = stablehlo.convolution(%arg0, %2) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x4x16xf32>
  %4 = stablehlo.reshape %1 : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x1x16xf32>
  %5 = stablehlo.reshape %3 : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x1x16xf32>
  %6 = stablehlo.concatenate %4, %5, dim = 3 : (tensor<1x4x4x1x16xf32>, tensor<1x4x4x1x16xf32>) -> tensor<1x4x4x2x16xf32>
  %7 = stablehlo.reshape %6 : (tensor<1x4x4x2x16xf32>) -> tensor<1x4x8x16xf32>
  return %7 : tensor<1x4x8x16xf32>
}
