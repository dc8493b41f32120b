// steps: loops loops
func.func @main(%a: tensor<2xf32>, %b: tensor<5x3xf32>, %c: tensor<f32>) -> (tensor<2xf32>, tensor<5x3xf32>) {
  %0:3 = stablehlo.optimization_barrier %a, %b, %c : tensor<2xf32>, tensor<5x3xf32>, tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0#2, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.add %0#0, %1 : tensor<2xf32>
  %3 = stablehlo.sine %0#1 : tensor<5x3xf32>
  return %2, %3 : tensor<2xf32>, tensor<5x3xf32>
}
