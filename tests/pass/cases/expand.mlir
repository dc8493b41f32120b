// pass: expand
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %s: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<5x4xf32>) {
  %0 = stablehlo.dot %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.broadcast %s, sizes = [5] : (tensor<4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<5x4xf32>
}
// expect:
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %s: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<5x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<5x4xf32>
}
