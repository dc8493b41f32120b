// steps: loops pack_conv chunks [conv conv] loops loops pack_conv chunks [loops conv loops conv]
// A sum over the images parts two chains.
func.func @main(%a0: tensor<4x8x8x8xf32>) -> (tensor<4x4x4x16xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<576xf32>
  %1 = stablehlo.constant dense<0.7> : tensor<576xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<576xf32>
  %3 = stablehlo.sine %2 : tensor<576xf32>
  %4 = stablehlo.reshape %3 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x8x8x8xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %7 = stablehlo.maximum %5, %6 : tensor<4x8x8x8xf32>
  %8 = stablehlo.iota dim = 0 : tensor<64xf32>
  %9 = stablehlo.constant dense<0.9> : tensor<64xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<64xf32>
  %11 = stablehlo.sine %10 : tensor<64xf32>
  %12 = stablehlo.reshape %11 : (tensor<64xf32>) -> tensor<1x1x8x8xf32>
  %13 = stablehlo.convolution(%7, %12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x8x8x8xf32>
  %14 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %15 = stablehlo.maximum %13, %14 : tensor<4x8x8x8xf32>
  %16 = stablehlo.constant dense<0.0> : tensor<f32>
  %17 = stablehlo.reduce(%15 init: %16) applies stablehlo.add across dimensions = [0] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8x8x8xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [1, 2, 3] : (tensor<8x8x8xf32>) -> tensor<4x8x8x8xf32>
  %19 = stablehlo.subtract %15, %18 : tensor<4x8x8x8xf32>
  %20 = stablehlo.iota dim = 0 : tensor<576xf32>
  %21 = stablehlo.constant dense<0.5> : tensor<576xf32>
  %22 = stablehlo.multiply %20, %21 : tensor<576xf32>
  %23 = stablehlo.sine %22 : tensor<576xf32>
  %24 = stablehlo.reshape %23 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %25 = stablehlo.convolution(%19, %24) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x8x8x8xf32>
  %26 = stablehlo.constant dense<0.0> : tensor<4x8x8x8xf32>
  %27 = stablehlo.maximum %25, %26 : tensor<4x8x8x8xf32>
  %28 = stablehlo.constant dense<0.0> : tensor<f32>
  %29 = "stablehlo.reduce_window"(%27, %28) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<4x4x4x8xf32>
  %30 = stablehlo.iota dim = 0 : tensor<128xf32>
  %31 = stablehlo.constant dense<0.2> : tensor<128xf32>
  %32 = stablehlo.multiply %30, %31 : tensor<128xf32>
  %33 = stablehlo.sine %32 : tensor<128xf32>
  %34 = stablehlo.reshape %33 : (tensor<128xf32>) -> tensor<1x1x8x16xf32>
  %35 = stablehlo.convolution(%29, %34) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x4x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<4x4x4x16xf32>
  return %35 : tensor<4x4x4x16xf32>
}
