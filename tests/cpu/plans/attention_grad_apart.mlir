// steps: attention_grad loops loops loops
func.func @main(%q: tensor<5x37x9xf32>, %k: tensor<5x37x9xf32>, %v: tensor<5x37x9xf32>, %g: tensor<5x37x9xf32>) -> (tensor<5x37x9xf32>, tensor<5x37x9xf32>, tensor<5x37x9xf32>) {
  %dp = stablehlo.dot_general %g, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<5x37x9xf32>, tensor<5x37x9xf32>) -> tensor<5x37x37xf32>
  %kt = stablehlo.transpose %k, dims = [0, 2, 1] : (tensor<5x37x9xf32>) -> tensor<5x9x37xf32>
  %s0 = stablehlo.dot_general %q, %kt, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x37x9xf32>, tensor<5x9x37xf32>) -> tensor<5x37x37xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%s0 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<5x37x37xf32>, tensor<f32>) -> tensor<5x37xf32>
  %max1 = stablehlo.reshape %max : (tensor<5x37xf32>) -> tensor<5x37x1xf32>
  %maxs = stablehlo.broadcast_in_dim %max1, dims = [0, 1, 2] : (tensor<5x37x1xf32>) -> tensor<5x37x37xf32>
  %shifted = stablehlo.subtract %s0, %maxs : tensor<5x37x37xf32>
  %e = stablehlo.exponential %shifted : tensor<5x37x37xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<5x37x37xf32>, tensor<f32>) -> tensor<5x37xf32>
  %sum1 = stablehlo.reshape %sum : (tensor<5x37xf32>) -> tensor<5x37x1xf32>
  %sums = stablehlo.broadcast_in_dim %sum1, dims = [0, 1, 2] : (tensor<5x37x1xf32>) -> tensor<5x37x37xf32>
  %p = stablehlo.divide %e, %sums : tensor<5x37x37xf32>
  %dv = stablehlo.dot_general %p, %g, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<5x37x37xf32>, tensor<5x37x9xf32>) -> tensor<5x37x9xf32>
  %u = stablehlo.divide %dp, %sums : tensor<5x37x37xf32>
  %up = stablehlo.multiply %u, %p : tensor<5x37x37xf32>
  %neg = stablehlo.negate %up : tensor<5x37x37xf32>
  %along = stablehlo.reduce(%neg init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<5x37x37xf32>, tensor<f32>) -> tensor<5x37xf32>
  %alongs = stablehlo.broadcast_in_dim %along, dims = [0, 1] : (tensor<5x37xf32>) -> tensor<5x37x37xf32>
  %c = stablehlo.add %u, %alongs : tensor<5x37x37xf32>
  %ds0 = stablehlo.multiply %c, %e : tensor<5x37x37xf32>
  %dq = stablehlo.dot_general %ds0, %kt, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<5x37x37xf32>, tensor<5x9x37xf32>) -> tensor<5x37x9xf32>
  %dk = stablehlo.dot_general %ds0, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<5x37x37xf32>, tensor<5x37x9xf32>) -> tensor<5x37x9xf32>
  return %dq, %dk, %dv : tensor<5x37x9xf32>, tensor<5x37x9xf32>, tensor<5x37x9xf32>
}
