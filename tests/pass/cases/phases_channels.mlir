// pass: phases
func.func @main(%x: tensor<1x1x9x8xf32>, %k: tensor<1x16x8x2xf32>) -> tensor<1x1x80x2xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [15, 15]], lhs_dilate = [1, 8], reverse = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x9x8xf32>, tensor<1x16x8x2xf32>) -> tensor<1x1x80x2xf32>
  return %0 : tensor<1x1x80x2xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x1x9x8xf32>, %arg1: tensor<1x16x8x2xf32>) -> tensor<1x1x80x2xf32> {
    %0 = stablehlo.slice %arg1 [0:1, 0:9:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %1 = stablehlo.slice %arg1 [0:1, 1:10:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %2 = stablehlo.slice %arg1 [0:1, 2:11:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %3 = stablehlo.slice %arg1 [0:1, 3:12:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %4 = stablehlo.slice %arg1 [0:1, 4:13:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %5 = stablehlo.slice %arg1 [0:1, 5:14:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %6 = stablehlo.slice %arg1 [0:1, 6:15:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %7 = stablehlo.slice %arg1 [0:1, 7:16:8, 0:8, 0:2] : (tensor<1x16x8x2xf32>) -> tensor<1x2x8x2xf32>
    %8 = stablehlo.concatenate %0, %1, %2, %3, %4, %5, %6, %7, dim = 3 : (tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>, tensor<1x2x8x2xf32>) -> tensor<1x2x8x16xf32>
    %9 = stablehlo.convolution(%arg0, %8) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x9x8xf32>, tensor<1x2x8x16xf32>) -> tensor<1x1x10x16xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x1x10x16xf32>) -> tensor<1x1x80x2xf32>
    return %10 : tensor<1x1x80x2xf32>
  }
}
