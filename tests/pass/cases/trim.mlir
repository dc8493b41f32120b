// pass: trim
// The first of eight rows is read: the sum after the product is computed for that row, the product for all.
func.func @main(%x: tensor<2x8x4xf32>, %w: tensor<4x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<4x4xf32>) -> tensor<2x8x4xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<4xf32>) -> tensor<2x8x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x8x4xf32>
  %3 = stablehlo.slice %2 [0:2, 0:1, 0:4] : (tensor<2x8x4xf32>) -> tensor<2x1x4xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
// expect:
func.func @main(%x: tensor<2x8x4xf32>, %w: tensor<4x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<4x4xf32>) -> tensor<2x8x4xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<4xf32>) -> tensor<2x1x4xf32>
  %2 = stablehlo.slice %0 [0:2, 0:1, 0:4] : (tensor<2x8x4xf32>) -> tensor<2x1x4xf32>
  %3 = stablehlo.add %2, %1 : tensor<2x1x4xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
