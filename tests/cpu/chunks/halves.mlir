// steps: loops pack_conv loops pack_conv chunks [conv join conv] join loops pack_conv loops pack_conv chunks [conv conv]
// Channels in two halves that change places; and joined to images of another, larger batch.
func.func @main(%a0: tensor<4x8x8x32xf32>, %a1: tensor<8x8x8x16xf32>) -> (tensor<4x8x8x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<1024xf32>
  %1 = stablehlo.constant dense<0.3> : tensor<1024xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<1024xf32>
  %3 = stablehlo.sine %2 : tensor<1024xf32>
  %4 = stablehlo.reshape %3 : (tensor<1024xf32>) -> tensor<1x1x32x32xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x32xf32>, tensor<1x1x32x32xf32>) -> tensor<4x8x8x32xf32>
  %6 = stablehlo.slice %5 [0:4, 0:8, 0:8, 0:16] : (tensor<4x8x8x32xf32>) -> tensor<4x8x8x16xf32>
  %7 = stablehlo.slice %5 [0:4, 0:8, 0:8, 16:32] : (tensor<4x8x8x32xf32>) -> tensor<4x8x8x16xf32>
  %8 = stablehlo.concatenate %7, %6, dim = 3 : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x32xf32>
  %9 = stablehlo.iota dim = 0 : tensor<512xf32>
  %10 = stablehlo.constant dense<0.17> : tensor<512xf32>
  %11 = stablehlo.multiply %9, %10 : tensor<512xf32>
  %12 = stablehlo.sine %11 : tensor<512xf32>
  %13 = stablehlo.reshape %12 : (tensor<512xf32>) -> tensor<1x1x32x16xf32>
  %14 = stablehlo.convolution(%8, %13) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x32xf32>, tensor<1x1x32x16xf32>) -> tensor<4x8x8x16xf32>
  %15 = stablehlo.slice %a1 [4:8, 0:8, 0:8, 0:16] : (tensor<8x8x8x16xf32>) -> tensor<4x8x8x16xf32>
  %16 = stablehlo.concatenate %15, %14, dim = 3 : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x32xf32>
  %17 = stablehlo.iota dim = 0 : tensor<512xf32>
  %18 = stablehlo.constant dense<0.27> : tensor<512xf32>
  %19 = stablehlo.multiply %17, %18 : tensor<512xf32>
  %20 = stablehlo.sine %19 : tensor<512xf32>
  %21 = stablehlo.reshape %20 : (tensor<512xf32>) -> tensor<1x1x32x16xf32>
  %22 = stablehlo.convolution(%16, %21) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x32xf32>, tensor<1x1x32x16xf32>) -> tensor<4x8x8x16xf32>
  %23 = stablehlo.constant dense<0.0> : tensor<4x8x8x16xf32>
  %24 = stablehlo.maximum %22, %23 : tensor<4x8x8x16xf32>
  %25 = stablehlo.iota dim = 0 : tensor<1152xf32>
  %26 = stablehlo.constant dense<0.2> : tensor<1152xf32>
  %27 = stablehlo.multiply %25, %26 : tensor<1152xf32>
  %28 = stablehlo.sine %27 : tensor<1152xf32>
  %29 = stablehlo.reshape %28 : (tensor<1152xf32>) -> tensor<3x3x16x8xf32>
  %30 = stablehlo.convolution(%24, %29) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x16xf32>, tensor<3x3x16x8xf32>) -> tensor<4x8x8x8xf32>
  return %30 : tensor<4x8x8x8xf32>
}
