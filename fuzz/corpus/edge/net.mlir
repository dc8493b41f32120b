// A small network for `tenfold quantize`: a convolution, a mean over the picture, a dense layer.
module @net {
  func.func @main(%x: tensor<1x1x8x8xf32>) -> tensor<1x3xf32> {
    %kernel = stablehlo.constant dense<[[[[0.1, 0.2, 0.1], [0.0, 0.5, 0.0], [-0.1, -0.2, -0.1]]], [[[-0.3, 0.0, 0.3], [-0.6, 0.0, 0.6], [-0.3, 0.0, 0.3]]]]> : tensor<2x1x3x3xf32>
    %bias = stablehlo.constant dense<[0.1, -0.05]> : tensor<2xf32>
    %weights = stablehlo.constant dense<[[1.0, -0.5], [0.25, 0.75], [-1.0, 0.4]]> : tensor<3x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %count = stablehlo.constant dense<16.0> : tensor<1x2xf32>

    %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x8x8xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x4x4xf32>
    %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<1x2x4x4xf32>
    %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1x2x4x4xf32>
    %4 = stablehlo.maximum %2, %3 : tensor<1x2x4x4xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2xf32>
    %6 = stablehlo.divide %5, %count : tensor<1x2xf32>
    %7 = stablehlo.dot_general %6, %weights, contracting_dims = [1] x [1] : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32>
    return %7 : tensor<1x3xf32>
  }
}
