// steps: loops attention
func.func @main(%x: tensor<2x8x36xf32>) -> tensor<2x3x8x4xf32> {
  %joint = stablehlo.convert %x : (tensor<2x8x36xf32>) -> tensor<2x8x36xbf16>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %joint : (tensor<2x8x36xbf16>) -> tensor<2x8x3x3x4xbf16>
  %1 = stablehlo.transpose %0, dims = [2, 0, 3, 1, 4] : (tensor<2x8x3x3x4xbf16>) -> tensor<3x2x3x8x4xbf16>
  %q0 = stablehlo.slice %1 [0:1, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xbf16>) -> tensor<1x2x3x8x4xbf16>
  %k0 = stablehlo.slice %1 [1:2, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xbf16>) -> tensor<1x2x3x8x4xbf16>
  %v0 = stablehlo.slice %1 [2:3, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xbf16>) -> tensor<1x2x3x8x4xbf16>
  %q1 = stablehlo.reshape %q0 : (tensor<1x2x3x8x4xbf16>) -> tensor<2x3x8x4xbf16>
  %k1 = stablehlo.reshape %k0 : (tensor<1x2x3x8x4xbf16>) -> tensor<2x3x8x4xbf16>
  %v1 = stablehlo.reshape %v0 : (tensor<1x2x3x8x4xbf16>) -> tensor<2x3x8x4xbf16>
  %q = stablehlo.convert %q1 : (tensor<2x3x8x4xbf16>) -> tensor<2x3x8x4xf32>
  %k = stablehlo.convert %k1 : (tensor<2x3x8x4xbf16>) -> tensor<2x3x8x4xf32>
  %v = stablehlo.convert %v1 : (tensor<2x3x8x4xbf16>) -> tensor<2x3x8x4xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = stablehlo.subtract %s, %mb : tensor<2x3x8x8xf32>
  %e = stablehlo.exponential %d : tensor<2x3x8x8xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %e, %tb : tensor<2x3x8x8xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %r : tensor<2x3x8x4xf32>
}
