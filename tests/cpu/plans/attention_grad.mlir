// steps: attention_grad
func.func @main(%x: tensor<2x150x180xf32>, %g0: tensor<2x150x60xf32>) -> tensor<2x150x3x3x20xf32> {
  %r = stablehlo.reshape %x : (tensor<2x150x180xf32>) -> tensor<2x150x3x3x20xf32>
  %t = stablehlo.transpose %r, dims = [2, 0, 3, 1, 4] : (tensor<2x150x3x3x20xf32>) -> tensor<3x2x3x150x20xf32>
  %q1 = stablehlo.slice %t [0:1, 0:2, 0:3, 0:150, 0:20] : (tensor<3x2x3x150x20xf32>) -> tensor<1x2x3x150x20xf32>
  %q = stablehlo.reshape %q1 : (tensor<1x2x3x150x20xf32>) -> tensor<2x3x150x20xf32>
  %k1 = stablehlo.slice %t [1:2, 0:2, 0:3, 0:150, 0:20] : (tensor<3x2x3x150x20xf32>) -> tensor<1x2x3x150x20xf32>
  %k = stablehlo.reshape %k1 : (tensor<1x2x3x150x20xf32>) -> tensor<2x3x150x20xf32>
  %v1 = stablehlo.slice %t [2:3, 0:2, 0:3, 0:150, 0:20] : (tensor<3x2x3x150x20xf32>) -> tensor<1x2x3x150x20xf32>
  %v = stablehlo.reshape %v1 : (tensor<1x2x3x150x20xf32>) -> tensor<2x3x150x20xf32>
  %g = stablehlo.reshape %g0 : (tensor<2x150x60xf32>) -> tensor<2x150x3x20xf32>
  %dp = stablehlo.dot_general %g, %v, batching_dims = [0, 2] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x150x3x20xf32>, tensor<2x3x150x20xf32>) -> tensor<2x3x150x150xf32>
  %kt = stablehlo.transpose %k, dims = [0, 1, 3, 2] : (tensor<2x3x150x20xf32>) -> tensor<2x3x20x150xf32>
  %s0 = stablehlo.dot_general %q, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x150x20xf32>, tensor<2x3x20x150xf32>) -> tensor<2x3x150x150xf32>
  %scale = stablehlo.constant dense<0.125> : tensor<2x3x150x150xf32>
  %s = stablehlo.multiply %s0, %scale : tensor<2x3x150x150xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x150x150xf32>, tensor<f32>) -> tensor<2x3x150xf32>
  %max1 = stablehlo.reshape %max : (tensor<2x3x150xf32>) -> tensor<2x3x150x1xf32>
  %maxs = stablehlo.broadcast_in_dim %max1, dims = [0, 1, 2, 3] : (tensor<2x3x150x1xf32>) -> tensor<2x3x150x150xf32>
  %shifted = stablehlo.subtract %s, %maxs : tensor<2x3x150x150xf32>
  %e = stablehlo.exponential %shifted : tensor<2x3x150x150xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x150x150xf32>, tensor<f32>) -> tensor<2x3x150xf32>
  %sum1 = stablehlo.reshape %sum : (tensor<2x3x150xf32>) -> tensor<2x3x150x1xf32>
  %sums = stablehlo.broadcast_in_dim %sum1, dims = [0, 1, 2, 3] : (tensor<2x3x150x1xf32>) -> tensor<2x3x150x150xf32>
  %p = stablehlo.divide %e, %sums : tensor<2x3x150x150xf32>
  %dv = stablehlo.dot_general %p, %g, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x150x150xf32>, tensor<2x150x3x20xf32>) -> tensor<2x3x150x20xf32>
  %u = stablehlo.divide %dp, %sums : tensor<2x3x150x150xf32>
  %up = stablehlo.multiply %u, %p : tensor<2x3x150x150xf32>
  %neg = stablehlo.negate %up : tensor<2x3x150x150xf32>
  %along = stablehlo.reduce(%neg init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x150x150xf32>, tensor<f32>) -> tensor<2x3x150xf32>
  %alongs = stablehlo.broadcast_in_dim %along, dims = [0, 1, 2] : (tensor<2x3x150xf32>) -> tensor<2x3x150x150xf32>
  %c = stablehlo.add %u, %alongs : tensor<2x3x150x150xf32>
  %ds0 = stablehlo.multiply %c, %e : tensor<2x3x150x150xf32>
  %ds = stablehlo.multiply %ds0, %scale : tensor<2x3x150x150xf32>
  %dq = stablehlo.dot_general %ds, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x150x150xf32>, tensor<2x3x20x150xf32>) -> tensor<2x3x150x20xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x3x150x150xf32>, tensor<2x3x150x20xf32>) -> tensor<2x3x150x20xf32>
  %dq1 = stablehlo.reshape %dq : (tensor<2x3x150x20xf32>) -> tensor<1x2x3x150x20xf32>
  %dq2 = stablehlo.pad %dq1, %zero, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x150x20xf32>, tensor<f32>) -> tensor<3x2x3x150x20xf32>
  %dk1 = stablehlo.reshape %dk : (tensor<2x3x150x20xf32>) -> tensor<1x2x3x150x20xf32>
  %dk2 = stablehlo.pad %dk1, %zero, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x150x20xf32>, tensor<f32>) -> tensor<3x2x3x150x20xf32>
  %dv1 = stablehlo.reshape %dv : (tensor<2x3x150x20xf32>) -> tensor<1x2x3x150x20xf32>
  %dv2 = stablehlo.pad %dv1, %zero, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x150x20xf32>, tensor<f32>) -> tensor<3x2x3x150x20xf32>
  %a = stablehlo.add %dv2, %dk2 : tensor<3x2x3x150x20xf32>
  %b = stablehlo.add %a, %dq2 : tensor<3x2x3x150x20xf32>
  %y = stablehlo.transpose %b, dims = [1, 3, 0, 2, 4] : (tensor<3x2x3x150x20xf32>) -> tensor<2x150x3x3x20xf32>
  return %y : tensor<2x150x3x3x20xf32>
}
