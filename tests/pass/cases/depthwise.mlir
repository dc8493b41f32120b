// pass: depthwise
func.func @main(%x: tensor<1x2x3x4x3xf32>, %k: tensor<2x1x2x1x1xf32>) -> tensor<1x2x4x2x3xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [1, 2, 1], pad = [[1, 1], [0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x3x4x3xf32>, tensor<2x1x2x1x1xf32>) -> tensor<1x2x4x2x3xf32>
  return %0 : tensor<1x2x4x2x3xf32>
}
// expect:
func.func @main(%arg0: tensor<1x2x3x4x3xf32>, %arg1: tensor<2x1x2x1x1xf32>) -> tensor<1x2x4x2x3xf32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.pad %arg0, %cst, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x3x4x3xf32>, tensor<f32>) -> tensor<1x2x5x4x3xf32>
  %1 = stablehlo.slice %arg1 [0:2, 0:1, 0:1, 0:1, 0:1] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x1x1x1xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x1x1x1x1xf32>) -> tensor<2xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<1x2x4x2x3xf32>
  %4 = stablehlo.slice %0 [0:1, 0:2, 0:4, 0:3:2, 0:3] : (tensor<1x2x5x4x3xf32>) -> tensor<1x2x4x2x3xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<1x2x4x2x3xf32>
  %6 = stablehlo.slice %arg1 [0:2, 0:1, 1:2, 0:1, 0:1] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x1x1x1xf32>
  %7 = stablehlo.reshape %6 : (tensor<2x1x1x1x1xf32>) -> tensor<2xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<2xf32>) -> tensor<1x2x4x2x3xf32>
  %9 = stablehlo.slice %0 [0:1, 0:2, 1:5, 0:3:2, 0:3] : (tensor<1x2x5x4x3xf32>) -> tensor<1x2x4x2x3xf32>
  %10 = stablehlo.multiply %9, %8 : tensor<1x2x4x2x3xf32>
  %11 = stablehlo.add %5, %10 : tensor<1x2x4x2x3xf32>
  return %11 : tensor<1x2x4x2x3xf32>
}
