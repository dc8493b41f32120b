// pass: zip
func.func @main(%x: tensor<512x16xf32>, %g: tensor<512x16xf32>, %m: tensor<16xf32>, %small: tensor<2x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<512xf32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x16xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = stablehlo.negate %0 : tensor<16xf32>
  %2 = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<16xf32>) -> tensor<512x16xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<512x16xf32>
  %4 = stablehlo.multiply %g, %3 : tensor<512x16xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<512x16xf32>, tensor<f32>) -> tensor<16xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<16xf32>) -> tensor<512x16xf32>
  %7 = stablehlo.subtract %g, %6 : tensor<512x16xf32>
  %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x16xf32>, tensor<f32>) -> tensor<16xf32>
  %9 = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x16xf32>, tensor<f32>) -> tensor<512xf32>
  %10 = stablehlo.reduce(%small init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %1, %5, %8, %9, %10 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<512xf32>, tensor<16xf32>
}
// expect:
func.func @main(%x: tensor<512x16xf32>, %g: tensor<512x16xf32>, %m: tensor<16xf32>, %small: tensor<2x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<512xf32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<16xf32>) -> tensor<512x16xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<512x16xf32>
  %4 = stablehlo.multiply %g, %3 : tensor<512x16xf32>
  %5:2 = stablehlo.reduce(%g init: %zero), (%4 init: %zero) across dimensions = [0] : (tensor<512x16xf32>, tensor<512x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %s = stablehlo.add %a, %c : tensor<f32>
    %t = stablehlo.maximum %b, %d : tensor<f32>
    stablehlo.return %s, %t : tensor<f32>, tensor<f32>
  }
  %1 = stablehlo.negate %5#0 : tensor<16xf32>
  %6 = stablehlo.broadcast_in_dim %5#1, dims = [1] : (tensor<16xf32>) -> tensor<512x16xf32>
  %7 = stablehlo.subtract %g, %6 : tensor<512x16xf32>
  %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x16xf32>, tensor<f32>) -> tensor<16xf32>
  %9 = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x16xf32>, tensor<f32>) -> tensor<512xf32>
  %10 = stablehlo.reduce(%small init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %1, %5#1, %8, %9, %10 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<512xf32>, tensor<16xf32>
}
