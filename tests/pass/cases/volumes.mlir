// pass: volumes
func.func @main(%x: tensor<2x4x6x5x5xf32>, %k: tensor<8x4x3x3x3xf32>, %g: tensor<2x3x6x6x8xf32>, %d: tensor<5x3x3x8x2xf32>) -> (tensor<2x8x3x5x5xf32>, tensor<2x2x4x4x2xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [2, 1, 1], pad = [[1, 1], [1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x6x5x5xf32>, tensor<8x4x3x3x3xf32>) -> tensor<2x8x3x5x5xf32>
  %1 = stablehlo.convolution(%g, %d) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {pad = [[2, 1], [0, 0], [0, 0]], reverse = [true, false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x6x8xf32>, tensor<5x3x3x8x2xf32>) -> tensor<2x2x4x4x2xf32>
  return %0, %1 : tensor<2x8x3x5x5xf32>, tensor<2x2x4x4x2xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x4x6x5x5xf32>, %arg1: tensor<8x4x3x3x3xf32>, %arg2: tensor<2x3x6x6x8xf32>, %arg3: tensor<5x3x3x8x2xf32>) -> (tensor<2x8x3x5x5xf32>, tensor<2x2x4x4x2xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 4, 1] : (tensor<2x4x6x5x5xf32>) -> tensor<2x6x5x5x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst, low = [0, 1, 0, 0, 0], high = [0, 1, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x6x5x5x4xf32>, tensor<f32>) -> tensor<2x8x5x5x4xf32>
    %2 = stablehlo.slice %1 [0:2, 0:5:2, 0:5, 0:5, 0:4] : (tensor<2x8x5x5x4xf32>) -> tensor<2x3x5x5x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x3x5x5x4xf32>) -> tensor<6x5x5x1x1x4xf32>
    %4 = stablehlo.slice %1 [0:2, 1:6:2, 0:5, 0:5, 0:4] : (tensor<2x8x5x5x4xf32>) -> tensor<2x3x5x5x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x3x5x5x4xf32>) -> tensor<6x5x5x1x1x4xf32>
    %6 = stablehlo.slice %1 [0:2, 2:7:2, 0:5, 0:5, 0:4] : (tensor<2x8x5x5x4xf32>) -> tensor<2x3x5x5x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<2x3x5x5x4xf32>) -> tensor<6x5x5x1x1x4xf32>
    %8 = stablehlo.concatenate %3, %5, %7, dim = 4 : (tensor<6x5x5x1x1x4xf32>, tensor<6x5x5x1x1x4xf32>, tensor<6x5x5x1x1x4xf32>) -> tensor<6x5x5x1x3x4xf32>
    %9 = stablehlo.reshape %8 : (tensor<6x5x5x1x3x4xf32>) -> tensor<6x5x5x12xf32>
    %10 = stablehlo.transpose %arg1, dims = [3, 4, 2, 1, 0] : (tensor<8x4x3x3x3xf32>) -> tensor<3x3x3x4x8xf32>
    %11 = stablehlo.reshape %10 : (tensor<3x3x3x4x8xf32>) -> tensor<3x3x12x8xf32>
    %12 = stablehlo.convolution(%9, %11) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x5x5x12xf32>, tensor<3x3x12x8xf32>) -> tensor<6x5x5x8xf32>
    %13 = stablehlo.reshape %12 : (tensor<6x5x5x8xf32>) -> tensor<2x3x5x5x8xf32>
    %14 = stablehlo.transpose %13, dims = [0, 4, 1, 2, 3] : (tensor<2x3x5x5x8xf32>) -> tensor<2x8x3x5x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.pad %arg2, %cst_0, low = [0, 2, 0, 0, 0], high = [0, 1, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x3x6x6x8xf32>, tensor<f32>) -> tensor<2x6x6x6x8xf32>
    %16 = stablehlo.slice %15 [0:2, 0:5, 0:6, 0:6, 0:8] : (tensor<2x6x6x6x8xf32>) -> tensor<2x5x6x6x8xf32>
    %17 = stablehlo.reshape %16 : (tensor<2x5x6x6x8xf32>) -> tensor<2x5x6x6x1x8xf32>
    %18 = stablehlo.transpose %17, dims = [0, 2, 3, 4, 1, 5] : (tensor<2x5x6x6x1x8xf32>) -> tensor<2x6x6x1x5x8xf32>
    %19 = stablehlo.reshape %18 : (tensor<2x6x6x1x5x8xf32>) -> tensor<2x1x6x6x40xf32>
    %20 = stablehlo.slice %15 [0:2, 1:6, 0:6, 0:6, 0:8] : (tensor<2x6x6x6x8xf32>) -> tensor<2x5x6x6x8xf32>
    %21 = stablehlo.reshape %20 : (tensor<2x5x6x6x8xf32>) -> tensor<2x5x6x6x1x8xf32>
    %22 = stablehlo.transpose %21, dims = [0, 2, 3, 4, 1, 5] : (tensor<2x5x6x6x1x8xf32>) -> tensor<2x6x6x1x5x8xf32>
    %23 = stablehlo.reshape %22 : (tensor<2x6x6x1x5x8xf32>) -> tensor<2x1x6x6x40xf32>
    %24 = stablehlo.concatenate %19, %23, dim = 1 : (tensor<2x1x6x6x40xf32>, tensor<2x1x6x6x40xf32>) -> tensor<2x2x6x6x40xf32>
    %25 = stablehlo.reshape %24 : (tensor<2x2x6x6x40xf32>) -> tensor<4x6x6x40xf32>
    %26 = stablehlo.reverse %arg3, dims = [0] : tensor<5x3x3x8x2xf32>
    %27 = stablehlo.transpose %26, dims = [1, 2, 0, 3, 4] : (tensor<5x3x3x8x2xf32>) -> tensor<3x3x5x8x2xf32>
    %28 = stablehlo.reshape %27 : (tensor<3x3x5x8x2xf32>) -> tensor<3x3x40x2xf32>
    %29 = stablehlo.convolution(%25, %28) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x6x6x40xf32>, tensor<3x3x40x2xf32>) -> tensor<4x4x4x2xf32>
    %30 = stablehlo.reshape %29 : (tensor<4x4x4x2xf32>) -> tensor<2x2x4x4x2xf32>
    return %14, %30 : tensor<2x8x3x5x5xf32>, tensor<2x2x4x4x2xf32>
  }
}
