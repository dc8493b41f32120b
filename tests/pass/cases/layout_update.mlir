// pass: layout,dce
func.func @main(%x: tensor<2x4x4x3xf32>, %g: tensor<2x4x4x5xf32>, %m: tensor<5x3x3x3xf32>, %v: tensor<5x3x3x3xf32>) -> (tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>) {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x3xf32>, tensor<2x4x4x5xf32>) -> tensor<5x3x3x3xf32>
  %1 = stablehlo.subtract %0, %m : tensor<5x3x3x3xf32>
  %2 = stablehlo.multiply %0, %0 : tensor<5x3x3x3xf32>
  %3 = stablehlo.add %v, %2 : tensor<5x3x3x3xf32>
  return %1, %3 : tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x4x4x3xf32>, %arg1: tensor<2x4x4x5xf32>, %arg2: tensor<5x3x3x3xf32>, %arg3: tensor<5x3x3x3xf32>) -> (tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x3xf32>, tensor<2x4x4x5xf32>) -> tensor<3x3x3x5xf32>
    %1 = stablehlo.transpose %0, dims = [3, 2, 0, 1] : (tensor<3x3x3x5xf32>) -> tensor<5x3x3x3xf32>
    %2 = stablehlo.subtract %1, %arg2 : tensor<5x3x3x3xf32>
    %3 = stablehlo.multiply %1, %1 : tensor<5x3x3x3xf32>
    %4 = stablehlo.add %arg3, %3 : tensor<5x3x3x3xf32>
    return %2, %4 : tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>
  }
}
