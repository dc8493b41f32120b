// pass: planar,dce
func.func @main(%x: tensor<1x4x8x8xbf16>, %k: tensor<4x1x3x3xbf16>, %g: tensor<4x1x8x8xbf16>, %full: tensor<2x4x1x1xbf16>) -> (tensor<1x4x8x8xbf16>, tensor<4x4x3x3xf32>, tensor<1x2x8x8xbf16>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x4x8x8xbf16>, tensor<4x1x3x3xbf16>) -> tensor<1x4x8x8xbf16>
  %1 = stablehlo.convolution(%x, %g) dim_numbers = [f, b, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x8x8xbf16>, tensor<4x1x8x8xbf16>) -> tensor<4x4x3x3xf32>
  %2 = stablehlo.convolution(%x, %full) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x8x8xbf16>, tensor<2x4x1x1xbf16>) -> tensor<1x2x8x8xbf16>
  return %0, %1, %2 : tensor<1x4x8x8xbf16>, tensor<4x4x3x3xf32>, tensor<1x2x8x8xbf16>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x4x8x8xbf16>, %arg1: tensor<4x1x3x3xbf16>, %arg2: tensor<4x1x8x8xbf16>, %arg3: tensor<2x4x1x1xbf16>) -> (tensor<1x4x8x8xbf16>, tensor<4x4x3x3xf32>, tensor<1x2x8x8xbf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<1x4x8x8xbf16>) -> tensor<1x4x8x8xf32>
    %1 = stablehlo.convert %arg1 : (tensor<4x1x3x3xbf16>) -> tensor<4x1x3x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32>
    %3 = stablehlo.convert %2 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xbf16>
    %4 = stablehlo.convert %arg0 : (tensor<1x4x8x8xbf16>) -> tensor<1x4x8x8xf32>
    %5 = stablehlo.convert %arg2 : (tensor<4x1x8x8xbf16>) -> tensor<4x1x8x8xf32>
    %6 = stablehlo.convolution(%4, %5) dim_numbers = [f, b, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<4x1x8x8xf32>) -> tensor<4x4x3x3xf32>
    %7 = stablehlo.convolution(%arg0, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x8x8xbf16>, tensor<2x4x1x1xbf16>) -> tensor<1x2x8x8xbf16>
    return %3, %6, %7 : tensor<1x4x8x8xbf16>, tensor<4x4x3x3xf32>, tensor<1x2x8x8xbf16>
  }
}
