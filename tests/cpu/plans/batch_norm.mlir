// steps: loops conv loops
func.func @main(%x: tensor<1x2x6x6xf32>) -> tensor<1x3x6x6xf32> {
  %kernel = stablehlo.constant dense<1.5> : tensor<3x2x3x3xf32>
  %mean = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %variance = stablehlo.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %scale = stablehlo.constant dense<[0.5, 2.0, -1.0]> : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<1x3x6x6xf32>
  %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x6x6xf32>
  %1 = "stablehlo.batch_norm_inference"(%0, %scale, %mean, %mean, %variance) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<1x3x6x6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x6x6xf32>
  %2 = stablehlo.maximum %1, %zero : tensor<1x3x6x6xf32>
  return %2 : tensor<1x3x6x6xf32>
}
