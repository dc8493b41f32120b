// steps: gemm gemm gemm
// Updates that end a product: of two results, over two slices of k; of one; of one row.
func.func @main(%p: tensor<133x150xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<133x150xf32> {tf.aliasing_output = 1 : i32}, %q: tensor<20x150xf32> {tf.aliasing_output = 2 : i32}, %r: tensor<1x150xf32> {tf.aliasing_output = 3 : i32}, %x: tensor<800x133xf32>, %y: tensor<800x150xf32>, %z: tensor<800x20xf32>, %w: tensor<800x1xf32>) -> (tensor<133x150xf32>, tensor<133x150xf32>, tensor<20x150xf32>, tensor<1x150xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<800x133xf32>, tensor<800x150xf32>) -> tensor<133x150xf32>
  %c = stablehlo.constant dense<0.01> : tensor<133x150xf32>
  %1 = stablehlo.multiply %0, %c : tensor<133x150xf32>
  %p1 = stablehlo.subtract %p, %1 : tensor<133x150xf32>
  %d = stablehlo.constant dense<0.001> : tensor<133x150xf32>
  %2 = stablehlo.multiply %0, %d : tensor<133x150xf32>
  %v1 = stablehlo.add %v, %2 : tensor<133x150xf32>
  %3 = stablehlo.dot_general %z, %y, contracting_dims = [0] x [0] : (tensor<800x20xf32>, tensor<800x150xf32>) -> tensor<20x150xf32>
  %e = stablehlo.constant dense<0.01> : tensor<20x150xf32>
  %5 = stablehlo.multiply %3, %e : tensor<20x150xf32>
  %q1 = stablehlo.subtract %q, %5 : tensor<20x150xf32>
  %4 = stablehlo.dot_general %w, %y, contracting_dims = [0] x [0] : (tensor<800x1xf32>, tensor<800x150xf32>) -> tensor<1x150xf32>
  %f = stablehlo.constant dense<0.01> : tensor<1x150xf32>
  %6 = stablehlo.multiply %4, %f : tensor<1x150xf32>
  %r1 = stablehlo.subtract %r, %6 : tensor<1x150xf32>
  return %p1, %v1, %q1, %r1 : tensor<133x150xf32>, tensor<133x150xf32>, tensor<20x150xf32>, tensor<1x150xf32>
}
