// pass: narrow-rows
// One row is read, and the product is made for that row.
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.slice %0 [0:1, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
// Parts of one product that lie apart, most of one unread: `narrow` would cut the weight.
func.func @apart(%x: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.slice %0 [0:1, 0:4] : (tensor<8x8xf32>) -> tensor<1x4xf32>
  %2 = stablehlo.slice %0 [0:8, 4:8] : (tensor<8x8xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<1x4xf32>, tensor<8x4xf32>
}
// expect:
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = stablehlo.slice %x [0:1, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [1] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func @apart(%x: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.slice %0 [0:1, 0:4] : (tensor<8x8xf32>) -> tensor<1x4xf32>
  %2 = stablehlo.slice %0 [0:8, 4:8] : (tensor<8x8xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<1x4xf32>, tensor<8x4xf32>
}
