// steps: pack_conv loops pack_conv pack_conv chunks [conv conv conv]
// Weights that are packed, and made, at every call.
func.func @main(%a0: tensor<4x8x8x8xf32>, %a1: tensor<3x3x8x8xf32>, %a2: tensor<1x1x8x16xf32>, %a3: tensor<8xf32>) -> (tensor<4x8x8x16xf32>) {
  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x8x8x8xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %2 = stablehlo.maximum %0, %1 : tensor<4x8x8x8xf32>
  %3 = stablehlo.broadcast_in_dim %a3, dims = [3] : (tensor<8xf32>) -> tensor<3x3x8x8xf32>
  %4 = stablehlo.multiply %a1, %3 : tensor<3x3x8x8xf32>
  %5 = stablehlo.convolution(%2, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x8x8x8xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %7 = stablehlo.maximum %5, %6 : tensor<4x8x8x8xf32>
  %8 = stablehlo.convolution(%7, %a2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x8x8x16xf32>
  %9 = stablehlo.iota dim = 0 : tensor<16xf32>
  %10 = stablehlo.constant dense<0.7> : tensor<16xf32>
  %11 = stablehlo.multiply %9, %10 : tensor<16xf32>
  %12 = stablehlo.sine %11 : tensor<16xf32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [3] : (tensor<16xf32>) -> tensor<4x8x8x16xf32>
  %14 = stablehlo.add %8, %13 : tensor<4x8x8x16xf32>
  return %14 : tensor<4x8x8x16xf32>
}
