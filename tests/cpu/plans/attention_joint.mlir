// steps: attention
func.func @main(%joint: tensor<2x8x36xf32>) -> tensor<2x3x8x4xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %joint : (tensor<2x8x36xf32>) -> tensor<2x8x3x3x4xf32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 3, 1, 4] : (tensor<2x8x3x3x4xf32>) -> tensor<3x2x3x8x4xf32>
  %q0 = stablehlo.slice %1 [0:1, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %k0 = stablehlo.slice %1 [1:2, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %v0 = stablehlo.slice %1 [2:3, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %q1 = stablehlo.reshape %q0 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %k1 = stablehlo.reshape %k0 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %v1 = stablehlo.reshape %v0 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %s = stablehlo.dot_general %q1, %k1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = stablehlo.subtract %s, %mb : tensor<2x3x8x8xf32>
  %e = stablehlo.exponential %d : tensor<2x3x8x8xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %e, %tb : tensor<2x3x8x8xf32>
  %r = stablehlo.dot_general %p, %v1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %r : tensor<2x3x8x4xf32>
}
