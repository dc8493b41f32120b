// steps: gemm gemm
// Parameter and both moments end the product that is their gradient, which waits for the product that reads the old parameter.
func.func @main(%p: tensor<30x20xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<30x20xf32> {tf.aliasing_output = 1 : i32}, %v: tensor<30x20xf32> {tf.aliasing_output = 2 : i32}, %a: tensor<8x30xf32>, %b: tensor<8x20xf32>, %ok: tensor<i1>) -> (tensor<30x20xf32>, tensor<30x20xf32>, tensor<30x20xf32>, tensor<8x30xf32>) {
  %y = stablehlo.dot_general %b, %p, contracting_dims = [1] x [1] : (tensor<8x20xf32>, tensor<30x20xf32>) -> tensor<8x30xf32>
  %g = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<8x30xf32>, tensor<8x20xf32>) -> tensor<30x20xf32>
  %c = stablehlo.constant dense<0.9> : tensor<30x20xf32>
  %0 = stablehlo.multiply %m, %c : tensor<30x20xf32>
  %m1 = stablehlo.add %0, %g : tensor<30x20xf32>
  %1 = stablehlo.multiply %v, %c : tensor<30x20xf32>
  %2 = stablehlo.multiply %g, %g : tensor<30x20xf32>
  %v1 = stablehlo.add %1, %2 : tensor<30x20xf32>
  %3 = stablehlo.abs %v1 : tensor<30x20xf32>
  %4 = stablehlo.sqrt %3 : tensor<30x20xf32>
  %one = stablehlo.constant dense<1.0> : tensor<30x20xf32>
  %5 = stablehlo.add %4, %one : tensor<30x20xf32>
  %6 = stablehlo.divide %m1, %5 : tensor<30x20xf32>
  %p1 = stablehlo.subtract %p, %6 : tensor<30x20xf32>
  %p2 = stablehlo.select %ok, %p1, %p : tensor<i1>, tensor<30x20xf32>
  %m2 = stablehlo.select %ok, %m1, %m : tensor<i1>, tensor<30x20xf32>
  %v2 = stablehlo.select %ok, %v1, %v : tensor<i1>, tensor<30x20xf32>
  %z = stablehlo.tanh %y : tensor<8x30xf32>
  return %p2, %m2, %v2, %z : tensor<30x20xf32>, tensor<30x20xf32>, tensor<30x20xf32>, tensor<8x30xf32>
}
