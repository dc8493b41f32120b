// steps: loops pack_conv loops pack_conv loops pack_conv loops pack_conv chunks [conv join conv conv loops conv loops loops conv loops]
// Channels that are joined, factors and constants of each image, padding, pooling, a softmax.
func.func @main(%a0: tensor<4x8x8x16xf32>, %a1: tensor<4x16xf32>) -> (tensor<4x48xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<2304xf32>
  %1 = stablehlo.constant dense<0.7> : tensor<2304xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2304xf32>
  %3 = stablehlo.sine %2 : tensor<2304xf32>
  %4 = stablehlo.reshape %3 : (tensor<2304xf32>) -> tensor<3x3x16x16xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x8x8x16xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<4x8x8x16xf32>
  %7 = stablehlo.maximum %5, %6 : tensor<4x8x8x16xf32>
  %8 = stablehlo.broadcast_in_dim %a1, dims = [0, 3] : (tensor<4x16xf32>) -> tensor<4x8x8x16xf32>
  %9 = stablehlo.multiply %7, %8 : tensor<4x8x8x16xf32>
  %10 = stablehlo.iota dim = 0 : tensor<64xf32>
  %11 = stablehlo.constant dense<0.77> : tensor<64xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<64xf32>
  %13 = stablehlo.sine %12 : tensor<64xf32>
  %14 = stablehlo.reshape %13 : (tensor<64xf32>) -> tensor<4x1x1x16xf32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<4x1x1x16xf32>) -> tensor<4x8x8x16xf32>
  %16 = stablehlo.add %9, %15 : tensor<4x8x8x16xf32>
  %17 = stablehlo.concatenate %a0, %16, dim = 3 : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x32xf32>
  %18 = stablehlo.iota dim = 0 : tensor<512xf32>
  %19 = stablehlo.constant dense<0.3> : tensor<512xf32>
  %20 = stablehlo.multiply %18, %19 : tensor<512xf32>
  %21 = stablehlo.sine %20 : tensor<512xf32>
  %22 = stablehlo.reshape %21 : (tensor<512xf32>) -> tensor<1x1x32x16xf32>
  %23 = stablehlo.convolution(%17, %22) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x32xf32>, tensor<1x1x32x16xf32>) -> tensor<4x8x8x16xf32>
  %24 = stablehlo.constant dense<0.0> : tensor<4x8x8x16xf32>
  %25 = stablehlo.maximum %23, %24 : tensor<4x8x8x16xf32>
  %26 = stablehlo.iota dim = 0 : tensor<256xf32>
  %27 = stablehlo.constant dense<0.33> : tensor<256xf32>
  %28 = stablehlo.multiply %26, %27 : tensor<256xf32>
  %29 = stablehlo.sine %28 : tensor<256xf32>
  %30 = stablehlo.reshape %29 : (tensor<256xf32>) -> tensor<1x1x16x16xf32>
  %31 = stablehlo.convolution(%16, %30) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x16xf32>, tensor<1x1x16x16xf32>) -> tensor<4x8x8x16xf32>
  %32 = stablehlo.concatenate %25, %31, dim = 3 : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x32xf32>
  %33 = stablehlo.iota dim = 0 : tensor<512xf32>
  %34 = stablehlo.constant dense<0.13> : tensor<512xf32>
  %35 = stablehlo.multiply %33, %34 : tensor<512xf32>
  %36 = stablehlo.sine %35 : tensor<512xf32>
  %37 = stablehlo.reshape %36 : (tensor<512xf32>) -> tensor<1x1x32x16xf32>
  %38 = stablehlo.convolution(%32, %37) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x32xf32>, tensor<1x1x32x16xf32>) -> tensor<4x8x8x16xf32>
  %39 = stablehlo.constant dense<0.0> : tensor<4x8x8x16xf32>
  %40 = stablehlo.maximum %38, %39 : tensor<4x8x8x16xf32>
  %41 = stablehlo.concatenate %17, %40, dim = 3 : (tensor<4x8x8x32xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x48xf32>
  %42 = stablehlo.constant dense<0.25> : tensor<f32>
  %43 = stablehlo.pad %41, %42, low = [0, 1, 0, 0], high = [0, 0, 1, 0], interior = [0, 0, 0, 0] : (tensor<4x8x8x48xf32>, tensor<f32>) -> tensor<4x9x9x48xf32>
  %44 = stablehlo.constant dense<0.0> : tensor<f32>
  %45 = "stablehlo.reduce_window"(%43, %44) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 3, 3, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x9x9x48xf32>, tensor<f32>) -> tensor<4x3x3x48xf32>
  %46 = stablehlo.iota dim = 0 : tensor<384xf32>
  %47 = stablehlo.constant dense<0.21> : tensor<384xf32>
  %48 = stablehlo.multiply %46, %47 : tensor<384xf32>
  %49 = stablehlo.sine %48 : tensor<384xf32>
  %50 = stablehlo.reshape %49 : (tensor<384xf32>) -> tensor<1x1x48x8xf32>
  %51 = stablehlo.convolution(%45, %50) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x3x3x48xf32>, tensor<1x1x48x8xf32>) -> tensor<4x3x3x8xf32>
  %52 = stablehlo.slice %51 [0:4, 1:3, 0:3, 0:8] : (tensor<4x3x3x8xf32>) -> tensor<4x2x3x8xf32>
  %53 = stablehlo.reshape %52 : (tensor<4x2x3x8xf32>) -> tensor<4x48xf32>
  %54 = stablehlo.tanh %53 : tensor<4x48xf32>
  %55 = stablehlo.exponential %54 : tensor<4x48xf32>
  %56 = stablehlo.constant dense<0.0> : tensor<f32>
  %57 = stablehlo.reduce(%55 init: %56) applies stablehlo.add across dimensions = [1] : (tensor<4x48xf32>, tensor<f32>) -> tensor<4xf32>
  %58 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<4xf32>) -> tensor<4x48xf32>
  %59 = stablehlo.divide %55, %58 : tensor<4x48xf32>
  return %59 : tensor<4x48xf32>
}
