// pass: updates
// Moments that the parameter's update reads get a last op of their own; not what a product or another result reads.
func.func @main(%p: tensor<8x4xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<8x4xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<8x4xf32>, %n: tensor<8x4xf32> {tf.aliasing_output = 3 : i32}, %k: tensor<8x4xf32> {tf.aliasing_output = 4 : i32}, %free: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %m1 = stablehlo.add %m, %g : tensor<8x4xf32>
  %0 = stablehlo.sqrt %m1 : tensor<8x4xf32>
  %p1 = stablehlo.subtract %p, %0 : tensor<8x4xf32>
  %n1 = stablehlo.multiply %n, %g : tensor<8x4xf32>
  %1 = stablehlo.dot_general %n1, %g, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %k1 = stablehlo.maximum %k, %g : tensor<8x4xf32>
  %2 = stablehlo.negate %k1 : tensor<8x4xf32>
  %free1 = stablehlo.minimum %free, %g : tensor<8x4xf32>
  return %p1, %m1, %1, %n1, %k1, %2, %free1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
// expect:
func.func @main(%p: tensor<8x4xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<8x4xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<8x4xf32>, %n: tensor<8x4xf32> {tf.aliasing_output = 3 : i32}, %k: tensor<8x4xf32> {tf.aliasing_output = 4 : i32}, %free: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %m1 = stablehlo.add %m, %g : tensor<8x4xf32>
  %m2 = stablehlo.add %m, %g : tensor<8x4xf32>
  %0 = stablehlo.sqrt %m1 : tensor<8x4xf32>
  %p1 = stablehlo.subtract %p, %0 : tensor<8x4xf32>
  %n1 = stablehlo.multiply %n, %g : tensor<8x4xf32>
  %1 = stablehlo.dot_general %n1, %g, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %k1 = stablehlo.maximum %k, %g : tensor<8x4xf32>
  %2 = stablehlo.negate %k1 : tensor<8x4xf32>
  %free1 = stablehlo.minimum %free, %g : tensor<8x4xf32>
  return %p1, %m2, %1, %n1, %k1, %2, %free1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
