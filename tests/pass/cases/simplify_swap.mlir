// pass: simplify,dce
func.func @main(%g: tensor<8x5xf32>, %x: tensor<8x7xf32>) -> tensor<7x5xf32> {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<8x5xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32>
  return %1 : tensor<7x5xf32>
}
// expect:
func.func @main(%g: tensor<8x5xf32>, %x: tensor<8x7xf32>) -> tensor<7x5xf32> {
  %0 = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : (tensor<8x7xf32>, tensor<8x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}
