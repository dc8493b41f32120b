// steps: loops pack_conv chunks [conv conv loops]
// An input that is given away for the result, and read until the end.
func.func @main(%a0: tensor<6x7x7x8xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<6x7x7x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<576xf32>
  %1 = stablehlo.constant dense<0.7> : tensor<576xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<576xf32>
  %3 = stablehlo.sine %2 : tensor<576xf32>
  %4 = stablehlo.reshape %3 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x7x7x8xf32>, tensor<3x3x8x8xf32>) -> tensor<6x7x7x8xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<6x7x7x8xf32>
  %7 = stablehlo.maximum %5, %6 : tensor<6x7x7x8xf32>
  %8 = stablehlo.iota dim = 0 : tensor<64xf32>
  %9 = stablehlo.constant dense<0.9> : tensor<64xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<64xf32>
  %11 = stablehlo.sine %10 : tensor<64xf32>
  %12 = stablehlo.reshape %11 : (tensor<64xf32>) -> tensor<1x1x8x8xf32>
  %13 = stablehlo.convolution(%7, %12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x7x7x8xf32>, tensor<1x1x8x8xf32>) -> tensor<6x7x7x8xf32>
  %14 = stablehlo.add %13, %a0 : tensor<6x7x7x8xf32>
  return %14 : tensor<6x7x7x8xf32>
}
