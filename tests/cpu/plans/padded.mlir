// steps: loops loops loops
func.func @main(%x: tensor<2x5x6x8xf32>) -> (tensor<2x7x8x8xf32>, tensor<2x7x8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.logistic %x : tensor<2x5x6x8xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2x5x6x8xf32>
  %2 = stablehlo.pad %1, %zero, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x5x6x8xf32>, tensor<f32>) -> tensor<2x7x8x8xf32>
  %3 = stablehlo.negate %x : tensor<2x5x6x8xf32>
  %4 = stablehlo.pad %3, %zero, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x5x6x8xf32>, tensor<f32>) -> tensor<2x7x8x8xf32>
  return %2, %4 : tensor<2x7x8x8xf32>, tensor<2x7x8x8xf32>
}
