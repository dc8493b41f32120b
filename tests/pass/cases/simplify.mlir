// pass: simplify,dce
func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %p: tensor<i1>) -> (tensor<4x2x3xf32>, tensor<6x4xf32>, tensor<2x3x5xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<3x2x4xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %3 = stablehlo.reshape %2 : (tensor<24xf32>) -> tensor<6x4xf32>
  %4 = stablehlo.transpose %w, dims = [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>
  %5 = stablehlo.dot_general %x, %4, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %6 = stablehlo.convert %5 : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %1, %3, %6 : tensor<4x2x3xf32>, tensor<6x4xf32>, tensor<2x3x5xf32>
}
// expect:
func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %p: tensor<i1>) -> (tensor<4x2x3xf32>, tensor<6x4xf32>, tensor<2x3x5xf32>) {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0, %1, %2 : tensor<4x2x3xf32>, tensor<6x4xf32>, tensor<2x3x5xf32>
}
