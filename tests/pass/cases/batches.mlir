// pass: batches,simplify,dce
func.func @main(%x: tensor<2x3x5x4xf32>, %y: tensor<2x3x7x4xf32>, %z: tensor<3x2x7x4xf32>) -> (tensor<2x3x5x7xf32>, tensor<6x7x5xf32>, tensor<6x5x7xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x3x5x4xf32>) -> tensor<6x5x4xf32>
  %1 = stablehlo.reshape %y : (tensor<2x3x7x4xf32>) -> tensor<6x7x4xf32>
  %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x5x4xf32>, tensor<6x7x4xf32>) -> tensor<6x5x7xf32>
  %3 = stablehlo.reshape %2 : (tensor<6x5x7xf32>) -> tensor<2x3x5x7xf32>
  %4 = stablehlo.exponential %0 : tensor<6x5x4xf32>
  %5 = stablehlo.dot_general %4, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x5x4xf32>, tensor<6x7x4xf32>) -> tensor<6x5x7xf32>
  %two = stablehlo.constant dense<2.0> : tensor<6x5x7xf32>
  %6 = stablehlo.multiply %5, %two : tensor<6x5x7xf32>
  %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<6x5x7xf32>) -> tensor<6x7x5xf32>
  %8 = stablehlo.reshape %z : (tensor<3x2x7x4xf32>) -> tensor<6x7x4xf32>
  %9 = stablehlo.dot_general %0, %8, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x5x4xf32>, tensor<6x7x4xf32>) -> tensor<6x5x7xf32>
  return %3, %7, %9 : tensor<2x3x5x7xf32>, tensor<6x7x5xf32>, tensor<6x5x7xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x3x5x4xf32>, %arg1: tensor<2x3x7x4xf32>, %arg2: tensor<3x2x7x4xf32>) -> (tensor<2x3x5x7xf32>, tensor<6x7x5xf32>, tensor<6x5x7xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x3x5x4xf32>) -> tensor<6x5x4xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<2x3x7x4xf32>) -> tensor<6x7x4xf32>
    %2 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x5x7xf32>
    %3 = stablehlo.exponential %0 : tensor<6x5x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<6x5x7xf32>
    %4 = stablehlo.dot_general %1, %3, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x7x4xf32>, tensor<6x5x4xf32>) -> tensor<6x7x5xf32>
    %5 = stablehlo.transpose %cst, dims = [0, 2, 1] : (tensor<6x5x7xf32>) -> tensor<6x7x5xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<6x7x5xf32>
    %7 = stablehlo.reshape %arg2 : (tensor<3x2x7x4xf32>) -> tensor<6x7x4xf32>
    %8 = stablehlo.dot_general %0, %7, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x5x4xf32>, tensor<6x7x4xf32>) -> tensor<6x5x7xf32>
    return %2, %6, %8 : tensor<2x3x5x7xf32>, tensor<6x7x5xf32>, tensor<6x5x7xf32>
  }
}
