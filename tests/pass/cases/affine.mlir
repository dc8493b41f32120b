// pass: affine,dce
func.func @main(%x: tensor<1x2x4x4xf32>, %unknown: tensor<3xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  %kernel = stablehlo.constant dense<1.5> : tensor<3x2x1x1xf32>
  %mean = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %scale = stablehlo.constant dense<[[[[4.0]], [[5.0]], [[6.0]]]]> : tensor<1x3x1x1xf32>
  %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<1x3x4x4xf32>
  %3 = stablehlo.broadcast_in_dim %scale, dims = [0, 1, 2, 3] : (tensor<1x3x1x1xf32>) -> tensor<1x3x4x4xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<1x3x4x4xf32>
  %5 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %6 = stablehlo.broadcast_in_dim %unknown, dims = [1] : (tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %7 = stablehlo.multiply %5, %6 : tensor<1x3x4x4xf32>
  return %4, %7 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}
// expect:
func.func @main(%arg0: tensor<1x2x4x4xf32>, %arg1: tensor<3xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  %cst = stablehlo.constant dense<1.500000e+00> : tensor<3x2x1x1xf32>
  %cst_0 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  %cst_1 = stablehlo.constant dense<[[[[4.000000e+00]], [[5.000000e+00]], [[6.000000e+00]]]]> : tensor<1x3x1x1xf32>
  %0 = stablehlo.negate %cst_0 : tensor<3xf32>
  %1 = stablehlo.reshape %cst_1 : (tensor<1x3x1x1xf32>) -> tensor<3xf32>
  %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
  %2 = stablehlo.multiply %cst_2, %1 : tensor<3xf32>
  %3 = stablehlo.multiply %0, %1 : tensor<3xf32>
  %4 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf32>) -> tensor<3x2x1x1xf32>
  %5 = stablehlo.multiply %cst, %4 : tensor<3x2x1x1xf32>
  %6 = stablehlo.convolution(%arg0, %5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %7 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %8 = stablehlo.add %6, %7 : tensor<1x3x4x4xf32>
  %9 = stablehlo.convolution(%arg0, %cst) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %11 = stablehlo.multiply %9, %10 : tensor<1x3x4x4xf32>
  return %8, %11 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}
