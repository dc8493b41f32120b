// steps: pack_b loops gemm
func.func @main(%p: tensor<192x256xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<192x256xf32> {tf.aliasing_output = 1 : i32}, %d: tensor<192x256xf32>, %a: tensor<320x128xf32>, %b: tensor<128x192xf32>) -> (tensor<192x256xf32>, tensor<192x256xf32>, tensor<320x192xf32>) {
  %c = stablehlo.constant dense<0.9> : tensor<192x256xf32>
  %0 = stablehlo.multiply %m, %c : tensor<192x256xf32>
  %m1 = stablehlo.add %0, %d : tensor<192x256xf32>
  %lr = stablehlo.constant dense<0.1> : tensor<192x256xf32>
  %1 = stablehlo.multiply %m1, %lr : tensor<192x256xf32>
  %p1 = stablehlo.subtract %p, %1 : tensor<192x256xf32>
  %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<320x128xf32>, tensor<128x192xf32>) -> tensor<320x192xf32>
  return %p1, %m1, %y : tensor<192x256xf32>, tensor<192x256xf32>, tensor<320x192xf32>
}
