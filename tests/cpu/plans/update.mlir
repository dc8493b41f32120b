// steps: gemm gemm
// The moments, which the update of the parameter reads, and the parameter end the product that is their gradient.
func.func @main(%p: tensor<30x20xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<30x20xf32> {tf.aliasing_output = 1 : i32}, %a: tensor<8x30xf32>, %b: tensor<8x20xf32>) -> (tensor<30x20xf32>, tensor<30x20xf32>, tensor<8x30xf32>) {
  %y = stablehlo.dot_general %b, %p, contracting_dims = [1] x [1] : (tensor<8x20xf32>, tensor<30x20xf32>) -> tensor<8x30xf32>
  %g = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<8x30xf32>, tensor<8x20xf32>) -> tensor<30x20xf32>
  %c = stablehlo.constant dense<0.9> : tensor<30x20xf32>
  %0 = stablehlo.multiply %m, %c : tensor<30x20xf32>
  %m1 = stablehlo.add %0, %g : tensor<30x20xf32>
  %lr = stablehlo.constant dense<0.1> : tensor<30x20xf32>
  %1 = stablehlo.multiply %m1, %lr : tensor<30x20xf32>
  %p1 = stablehlo.subtract %p, %1 : tensor<30x20xf32>
  return %p1, %m1, %y : tensor<30x20xf32>, tensor<30x20xf32>, tensor<8x30xf32>
}
