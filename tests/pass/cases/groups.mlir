// pass: groups
func.func @main(%x: tensor<1x5x4x6xf32>, %k: tensor<12x1x3x3xf32>, %y: tensor<1x5x4x12xf32>, %b: tensor<3x3x2x6xf32>, %w: tensor<1x5x4x64xf32>, %v: tensor<6x6x32x64xf32>) -> (tensor<1x3x2x12xf32>, tensor<1x5x4x6xf32>, tensor<1x5x4x64xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x5x4x6xf32>, tensor<12x1x3x3xf32>) -> tensor<1x3x2x12xf32>
  %1 = stablehlo.convolution(%y, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x5x4x12xf32>, tensor<3x3x2x6xf32>) -> tensor<1x5x4x6xf32>
  %2 = stablehlo.convolution(%w, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 3], [3, 2]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x5x4x64xf32>, tensor<6x6x32x64xf32>) -> tensor<1x5x4x64xf32>
  return %0, %1, %2 : tensor<1x3x2x12xf32>, tensor<1x5x4x6xf32>, tensor<1x5x4x64xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x5x4x6xf32>, %arg1: tensor<12x1x3x3xf32>, %arg2: tensor<1x5x4x12xf32>, %arg3: tensor<3x3x2x6xf32>, %arg4: tensor<1x5x4x64xf32>, %arg5: tensor<6x6x32x64xf32>) -> (tensor<1x3x2x12xf32>, tensor<1x5x4x6xf32>, tensor<1x5x4x64xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x5x4x6xf32>) -> tensor<1x5x4x6x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x5x4x6x2xf32>) -> tensor<1x5x4x12xf32>
    %2 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64} : (tensor<1x5x4x12xf32>, tensor<12x1x3x3xf32>) -> tensor<1x3x2x12xf32>
    %3 = stablehlo.transpose %arg3, dims = [0, 1, 3, 2] : (tensor<3x3x2x6xf32>) -> tensor<3x3x6x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<3x3x6x2xf32>) -> tensor<3x3x1x12xf32>
    %5 = stablehlo.convolution(%arg2, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64} : (tensor<1x5x4x12xf32>, tensor<3x3x1x12xf32>) -> tensor<1x5x4x12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reshape %5 : (tensor<1x5x4x12xf32>) -> tensor<1x5x4x6x2xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [4] : (tensor<1x5x4x6x2xf32>, tensor<f32>) -> tensor<1x5x4x6xf32>
    %8 = stablehlo.slice %arg4 [0:1, 0:5, 0:4, 0:32] : (tensor<1x5x4x64xf32>) -> tensor<1x5x4x32xf32>
    %9 = stablehlo.slice %arg5 [0:6, 0:6, 0:32, 0:32] : (tensor<6x6x32x64xf32>) -> tensor<6x6x32x32xf32>
    %10 = stablehlo.convolution(%8, %9) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 3], [3, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x32xf32>, tensor<6x6x32x32xf32>) -> tensor<1x5x4x32xf32>
    %11 = stablehlo.slice %arg4 [0:1, 0:5, 0:4, 32:64] : (tensor<1x5x4x64xf32>) -> tensor<1x5x4x32xf32>
    %12 = stablehlo.slice %arg5 [0:6, 0:6, 0:32, 32:64] : (tensor<6x6x32x64xf32>) -> tensor<6x6x32x32xf32>
    %13 = stablehlo.convolution(%11, %12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 3], [3, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x32xf32>, tensor<6x6x32x32xf32>) -> tensor<1x5x4x32xf32>
    %14 = stablehlo.concatenate %10, %13, dim = 3 : (tensor<1x5x4x32xf32>, tensor<1x5x4x32xf32>) -> tensor<1x5x4x64xf32>
    return %2, %7, %14 : tensor<1x3x2x12xf32>, tensor<1x5x4x6xf32>, tensor<1x5x4x64xf32>
  }
}
