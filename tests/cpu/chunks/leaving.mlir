// steps: loops pack_conv loops pack_conv chunks [conv conv conv] loops
// What lies inside is also returned, and what comes out is returned and read by a sum over all images.
func.func @main(%a0: tensor<4x9x9x8xf32>) -> (tensor<4x9x9x8xf32>, tensor<4x9x9x8xf32>, tensor<9x9x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<576xf32>
  %1 = stablehlo.constant dense<0.7> : tensor<576xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<576xf32>
  %3 = stablehlo.sine %2 : tensor<576xf32>
  %4 = stablehlo.reshape %3 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x9x9x8xf32>
  %6 = stablehlo.iota dim = 0 : tensor<8xf32>
  %7 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<8xf32>
  %9 = stablehlo.sine %8 : tensor<8xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [3] : (tensor<8xf32>) -> tensor<4x9x9x8xf32>
  %11 = stablehlo.add %5, %10 : tensor<4x9x9x8xf32>
  %12 = stablehlo.constant dense<0.0> : tensor<4x9x9x8xf32>
  %13 = stablehlo.maximum %11, %12 : tensor<4x9x9x8xf32>
  %14 = stablehlo.iota dim = 0 : tensor<128xf32>
  %15 = stablehlo.constant dense<0.7> : tensor<128xf32>
  %16 = stablehlo.multiply %14, %15 : tensor<128xf32>
  %17 = stablehlo.sine %16 : tensor<128xf32>
  %18 = stablehlo.reshape %17 : (tensor<128xf32>) -> tensor<1x1x8x16xf32>
  %19 = stablehlo.convolution(%13, %18) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x9x9x16xf32>
  %20 = stablehlo.constant dense<0.0> : tensor<4x9x9x16xf32>
  %21 = stablehlo.maximum %19, %20 : tensor<4x9x9x16xf32>
  %22 = stablehlo.iota dim = 0 : tensor<1152xf32>
  %23 = stablehlo.constant dense<0.11> : tensor<1152xf32>
  %24 = stablehlo.multiply %22, %23 : tensor<1152xf32>
  %25 = stablehlo.sine %24 : tensor<1152xf32>
  %26 = stablehlo.reshape %25 : (tensor<1152xf32>) -> tensor<3x3x16x8xf32>
  %27 = stablehlo.convolution(%21, %26) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x16xf32>, tensor<3x3x16x8xf32>) -> tensor<4x9x9x8xf32>
  %28 = stablehlo.constant dense<0.0> : tensor<4x9x9x8xf32>
  %29 = stablehlo.maximum %27, %28 : tensor<4x9x9x8xf32>
  %30 = stablehlo.constant dense<0.0> : tensor<f32>
  %31 = stablehlo.reduce(%29 init: %30) applies stablehlo.add across dimensions = [0] : (tensor<4x9x9x8xf32>, tensor<f32>) -> tensor<9x9x8xf32>
  return %13, %29, %31 : tensor<4x9x9x8xf32>, tensor<4x9x9x8xf32>, tensor<9x9x8xf32>
}
