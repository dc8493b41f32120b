// steps: loops pack_conv conv loops conv conv loops
// Images in another order, their numbers, and one of them taken from all.
func.func @main(%a0: tensor<4x8x8x8xf32>) -> (tensor<4x8x8x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<576xf32>
  %1 = stablehlo.constant dense<0.7> : tensor<576xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<576xf32>
  %3 = stablehlo.sine %2 : tensor<576xf32>
  %4 = stablehlo.reshape %3 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x8x8x8xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %7 = stablehlo.maximum %5, %6 : tensor<4x8x8x8xf32>
  %8 = stablehlo.reverse %7, dims = [0] : tensor<4x8x8x8xf32>
  %9 = stablehlo.iota dim = 0 : tensor<64xf32>
  %10 = stablehlo.constant dense<0.9> : tensor<64xf32>
  %11 = stablehlo.multiply %9, %10 : tensor<64xf32>
  %12 = stablehlo.sine %11 : tensor<64xf32>
  %13 = stablehlo.reshape %12 : (tensor<64xf32>) -> tensor<1x1x8x8xf32>
  %14 = stablehlo.convolution(%8, %13) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x8x8x8xf32>
  %15 = stablehlo.iota dim = 0 : tensor<4x8x8x8xf32>
  %16 = stablehlo.add %14, %15 : tensor<4x8x8x8xf32>
  %17 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %18 = stablehlo.maximum %16, %17 : tensor<4x8x8x8xf32>
  %19 = stablehlo.iota dim = 0 : tensor<64xf32>
  %20 = stablehlo.constant dense<0.4> : tensor<64xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<64xf32>
  %22 = stablehlo.sine %21 : tensor<64xf32>
  %23 = stablehlo.reshape %22 : (tensor<64xf32>) -> tensor<1x1x8x8xf32>
  %24 = stablehlo.convolution(%18, %23) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x8x8x8xf32>
  %25 = stablehlo.slice %24 [0:1, 0:8, 0:8, 0:8] : (tensor<4x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<1x8x8x8xf32>) -> tensor<4x8x8x8xf32>
  %27 = stablehlo.subtract %24, %26 : tensor<4x8x8x8xf32>
  return %27 : tensor<4x8x8x8xf32>
}
