// steps: loops
// The new moments are results and what the parameter's update reads: all three in one sweep.
func.func @main(%p: tensor<30x20xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<30x20xf32> {tf.aliasing_output = 1 : i32}, %v: tensor<30x20xf32> {tf.aliasing_output = 2 : i32}, %g: tensor<30x20xf32>) -> (tensor<30x20xf32>, tensor<30x20xf32>, tensor<30x20xf32>) {
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
  return %p1, %m1, %v1 : tensor<30x20xf32>, tensor<30x20xf32>, tensor<30x20xf32>
}
