// pass: attention-grad,dce
func.func @main(%x: tensor<2x8x36xf32>, %g0: tensor<2x8x12xf32>) -> tensor<2x8x3x3x4xf32> {
  %r = stablehlo.reshape %x : (tensor<2x8x36xf32>) -> tensor<2x8x3x3x4xf32>
  %t = stablehlo.transpose %r, dims = [2, 0, 3, 1, 4] : (tensor<2x8x3x3x4xf32>) -> tensor<3x2x3x8x4xf32>
  %q1 = stablehlo.slice %t [0:1, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %q = stablehlo.reshape %q1 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %k1 = stablehlo.slice %t [1:2, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %k = stablehlo.reshape %k1 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %v1 = stablehlo.slice %t [2:3, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %v = stablehlo.reshape %v1 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %g = stablehlo.reshape %g0 : (tensor<2x8x12xf32>) -> tensor<2x8x3x4xf32>
  %dp = stablehlo.dot_general %g, %v, batching_dims = [0, 2] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %kt = stablehlo.transpose %k, dims = [0, 1, 3, 2] : (tensor<2x3x8x4xf32>) -> tensor<2x3x4x8xf32>
  %s0 = stablehlo.dot_general %q, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x8x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x8x8xf32>
  %scale = stablehlo.constant dense<0.125> : tensor<2x3x8x8xf32>
  %s = stablehlo.multiply %s0, %scale : tensor<2x3x8x8xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %max1 = stablehlo.reshape %max : (tensor<2x3x8xf32>) -> tensor<2x3x8x1xf32>
  %maxs = stablehlo.broadcast_in_dim %max1, dims = [0, 1, 2, 3] : (tensor<2x3x8x1xf32>) -> tensor<2x3x8x8xf32>
  %shifted = stablehlo.subtract %s, %maxs : tensor<2x3x8x8xf32>
  %e = stablehlo.exponential %shifted : tensor<2x3x8x8xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %sum1 = stablehlo.reshape %sum : (tensor<2x3x8xf32>) -> tensor<2x3x8x1xf32>
  %sums = stablehlo.broadcast_in_dim %sum1, dims = [0, 1, 2, 3] : (tensor<2x3x8x1xf32>) -> tensor<2x3x8x8xf32>
  %p = stablehlo.divide %e, %sums : tensor<2x3x8x8xf32>
  %dv = stablehlo.dot_general %p, %g, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %u = stablehlo.divide %dp, %sums : tensor<2x3x8x8xf32>
  %up = stablehlo.multiply %u, %p : tensor<2x3x8x8xf32>
  %neg = stablehlo.negate %up : tensor<2x3x8x8xf32>
  %along = stablehlo.reduce(%neg init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %alongs = stablehlo.broadcast_in_dim %along, dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %c = stablehlo.add %u, %alongs : tensor<2x3x8x8xf32>
  %ds0 = stablehlo.multiply %c, %e : tensor<2x3x8x8xf32>
  %ds = stablehlo.multiply %ds0, %scale : tensor<2x3x8x8xf32>
  %dq = stablehlo.dot_general %ds, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x8x8xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x8x4xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %dq1 = stablehlo.reshape %dq : (tensor<2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %dq2 = stablehlo.pad %dq1, %zero, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x8x4xf32>, tensor<f32>) -> tensor<3x2x3x8x4xf32>
  %dk1 = stablehlo.reshape %dk : (tensor<2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %dk2 = stablehlo.pad %dk1, %zero, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x8x4xf32>, tensor<f32>) -> tensor<3x2x3x8x4xf32>
  %dv1 = stablehlo.reshape %dv : (tensor<2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
  %dv2 = stablehlo.pad %dv1, %zero, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x8x4xf32>, tensor<f32>) -> tensor<3x2x3x8x4xf32>
  %a = stablehlo.add %dv2, %dk2 : tensor<3x2x3x8x4xf32>
  %b = stablehlo.add %a, %dq2 : tensor<3x2x3x8x4xf32>
  %y = stablehlo.transpose %b, dims = [1, 3, 0, 2, 4] : (tensor<3x2x3x8x4xf32>) -> tensor<2x8x3x3x4xf32>
  return %y : tensor<2x8x3x3x4xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x8x36xf32>, %arg1: tensor<2x8x12xf32>) -> tensor<2x8x3x3x4xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2x8x36xf32>) -> tensor<2x8x3x3x4xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 3, 1, 4] : (tensor<2x8x3x3x4xf32>) -> tensor<3x2x3x8x4xf32>
    %2 = stablehlo.slice %1 [0:1, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
    %4 = stablehlo.slice %1 [1:2, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
    %6 = stablehlo.slice %1 [2:3, 0:2, 0:3, 0:8, 0:4] : (tensor<3x2x3x8x4xf32>) -> tensor<1x2x3x8x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
    %8 = stablehlo.reshape %arg1 : (tensor<2x8x12xf32>) -> tensor<2x8x3x4xf32>
    %9 = stablehlo.transpose %8, dims = [0, 2, 1, 3] : (tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
    %10 = stablehlo.custom_call @tenfold.attention_grad(%3, %5, %7, %9) {tenfold.order = array<i64: 1, 3, 0, 2, 4>, tenfold.scale = 1.250000e-01 : f32} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x8x3x3x4xf32>
    return %10 : tensor<2x8x3x3x4xf32>
  }
}
