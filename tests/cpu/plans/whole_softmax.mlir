// steps: loops loops loops loops loops loops loops loops
// sums of a whole vector, by parts and then to one element; what is exponentiated lies where the result will, but not
// where it is read from elsewhere
func.func @main(%x: tensor<200000xf32>, %y: tensor<200000xf32>) -> (tensor<200000xf32>, tensor<200000xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<200000xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200000xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<200000xf32>
  %3 = stablehlo.divide %0, %2 : tensor<200000xf32>
  %4 = stablehlo.exponential %y : tensor<200000xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200000xf32>, tensor<f32>) -> tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<200000xf32>
  %7 = stablehlo.reverse %4, dims = [0] : tensor<200000xf32>
  %8 = stablehlo.divide %7, %6 : tensor<200000xf32>
  return %3, %8 : tensor<200000xf32>, tensor<200000xf32>
}
