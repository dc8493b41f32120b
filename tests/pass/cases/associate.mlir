// pass: associate
// One query: keys are never made. The bias adds the same to all tokens.
func.func @keys(%q: tensor<2x4x1x16xf32>, %x: tensor<2x128x64xf32>, %w: tensor<64x64xf32>, %c: tensor<64xf32>) -> tensor<2x4x1x128xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<64xf32>) -> tensor<2x128x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x128x64xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x128x64xf32>) -> tensor<2x128x1x4x16xf32>
  %4 = stablehlo.transpose %3, dims = [2, 0, 3, 1, 4] : (tensor<2x128x1x4x16xf32>) -> tensor<1x2x4x128x16xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x2x4x128x16xf32>) -> tensor<2x4x128x16xf32>
  %6 = stablehlo.dot_general %q, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x1x16xf32>, tensor<2x4x128x16xf32>) -> tensor<2x4x1x128xf32>
  return %6 : tensor<2x4x1x128xf32>
}
// The same of values, which are summed over tokens; their product stands on the left.
func.func @values(%p: tensor<2x4x1x128xf32>, %x: tensor<2x128x64xf32>, %w: tensor<64x64xf32>, %c: tensor<64xf32>) -> tensor<2x4x16x1xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<64xf32>) -> tensor<2x128x64xf32>
  %2 = stablehlo.add %1, %0 : tensor<2x128x64xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x128x64xf32>) -> tensor<2x128x4x16xf32>
  %4 = stablehlo.dot_general %3, %p, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<2x128x4x16xf32>, tensor<2x4x1x128xf32>) -> tensor<2x4x16x1xf32>
  return %4 : tensor<2x4x16x1xf32>
}
// As many queries as tokens, and keys that somebody else reads: left alone.
func.func @left(%q: tensor<2x128x64xf32>, %x: tensor<2x128x64xf32>, %w: tensor<64x64xf32>, %one: tensor<2x64xf32>) -> (tensor<2x128x128xf32>, tensor<2x128xf32>, tensor<2x128x64xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %1 = stablehlo.dot_general %q, %0, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x128x64xf32>, tensor<2x128x64xf32>) -> tensor<2x128x128xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %3 = stablehlo.dot_general %one, %2, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x64xf32>, tensor<2x128x64xf32>) -> tensor<2x128xf32>
  return %1, %3, %2 : tensor<2x128x128xf32>, tensor<2x128xf32>, tensor<2x128x64xf32>
}
// A batch of one.
func.func @one(%p: tensor<1x4x1x128xf32>, %x: tensor<1x128x64xf32>, %w: tensor<64x128xf32>) -> tensor<1x4x1x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<1x128x64xf32>, tensor<64x128xf32>) -> tensor<1x128x128xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x128x128xf32>) -> tensor<1x128x4x32xf32>
  %2 = stablehlo.dot_general %p, %1, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<1x4x1x128xf32>, tensor<1x128x4x32xf32>) -> tensor<1x4x1x32xf32>
  return %2 : tensor<1x4x1x32xf32>
}
// expect:
func.func @keys(%arg0: tensor<2x4x1x16xf32>, %arg1: tensor<2x128x64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64xf32>) -> tensor<2x4x1x128xf32> {
  %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [2] x [1] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %1 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<64xf32>) -> tensor<2x128x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x128x64xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x128x64xf32>) -> tensor<2x128x1x4x16xf32>
  %4 = stablehlo.transpose %3, dims = [2, 0, 3, 1, 4] : (tensor<2x128x1x4x16xf32>) -> tensor<1x2x4x128x16xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x2x4x128x16xf32>) -> tensor<2x4x128x16xf32>
  %6 = stablehlo.reshape %arg2 : (tensor<64x64xf32>) -> tensor<4x16x64xf32>
  %7 = stablehlo.dot_general %arg0, %6, batching_dims = [1] x [0], contracting_dims = [3] x [1] : (tensor<2x4x1x16xf32>, tensor<4x16x64xf32>) -> tensor<4x2x1x64xf32>
  %8 = stablehlo.dot_general %7, %arg1, batching_dims = [1] x [0], contracting_dims = [3] x [2] : (tensor<4x2x1x64xf32>, tensor<2x128x64xf32>) -> tensor<2x4x1x128xf32>
  %9 = stablehlo.reshape %arg3 : (tensor<64xf32>) -> tensor<4x16xf32>
  %10 = stablehlo.dot_general %arg0, %9, batching_dims = [1] x [0], contracting_dims = [3] x [1] : (tensor<2x4x1x16xf32>, tensor<4x16xf32>) -> tensor<4x2x1xf32>
  %11 = stablehlo.transpose %10, dims = [1, 0, 2] : (tensor<4x2x1xf32>) -> tensor<2x4x1xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x1x128xf32>
  %13 = stablehlo.add %8, %12 : tensor<2x4x1x128xf32>
  return %13 : tensor<2x4x1x128xf32>
}
func.func @values(%arg0: tensor<2x4x1x128xf32>, %arg1: tensor<2x128x64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64xf32>) -> tensor<2x4x16x1xf32> {
  %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [2] x [0] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %1 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<64xf32>) -> tensor<2x128x64xf32>
  %2 = stablehlo.add %1, %0 : tensor<2x128x64xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x128x64xf32>) -> tensor<2x128x4x16xf32>
  %4 = stablehlo.reshape %arg2 : (tensor<64x64xf32>) -> tensor<64x4x16xf32>
  %5 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<2x4x1x128xf32>, tensor<2x128x64xf32>) -> tensor<2x4x1x64xf32>
  %6 = stablehlo.dot_general %5, %4, batching_dims = [1] x [1], contracting_dims = [3] x [0] : (tensor<2x4x1x64xf32>, tensor<64x4x16xf32>) -> tensor<4x2x1x16xf32>
  %7 = stablehlo.transpose %6, dims = [1, 0, 3, 2] : (tensor<4x2x1x16xf32>) -> tensor<2x4x16x1xf32>
  %8 = stablehlo.reshape %arg3 : (tensor<64xf32>) -> tensor<4x16xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [3] : (tensor<2x4x1x128xf32>, tensor<f32>) -> tensor<2x4x1xf32>
  %10 = stablehlo.dot_general %9, %8, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<2x4x1xf32>, tensor<4x16xf32>) -> tensor<4x2x1x16xf32>
  %11 = stablehlo.transpose %10, dims = [1, 0, 3, 2] : (tensor<4x2x1x16xf32>) -> tensor<2x4x16x1xf32>
  %12 = stablehlo.add %7, %11 : tensor<2x4x16x1xf32>
  return %12 : tensor<2x4x16x1xf32>
}
func.func @left(%arg0: tensor<2x128x64xf32>, %arg1: tensor<2x128x64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<2x64xf32>) -> (tensor<2x128x128xf32>, tensor<2x128xf32>, tensor<2x128x64xf32>) {
  %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [2] x [1] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x128x64xf32>, tensor<2x128x64xf32>) -> tensor<2x128x128xf32>
  %2 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [2] x [0] : (tensor<2x128x64xf32>, tensor<64x64xf32>) -> tensor<2x128x64xf32>
  %3 = stablehlo.dot_general %arg3, %2, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x64xf32>, tensor<2x128x64xf32>) -> tensor<2x128xf32>
  return %1, %3, %2 : tensor<2x128x128xf32>, tensor<2x128xf32>, tensor<2x128x64xf32>
}
func.func @one(%arg0: tensor<1x4x1x128xf32>, %arg1: tensor<1x128x64xf32>, %arg2: tensor<64x128xf32>) -> tensor<1x4x1x32xf32> {
  %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [2] x [0] : (tensor<1x128x64xf32>, tensor<64x128xf32>) -> tensor<1x128x128xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x128x128xf32>) -> tensor<1x128x4x32xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<1x128x64xf32>) -> tensor<128x64xf32>
  %3 = stablehlo.reshape %arg2 : (tensor<64x128xf32>) -> tensor<64x4x32xf32>
  %4 = stablehlo.dot_general %arg0, %2, contracting_dims = [3] x [0] : (tensor<1x4x1x128xf32>, tensor<128x64xf32>) -> tensor<1x4x1x64xf32>
  %5 = stablehlo.dot_general %4, %3, batching_dims = [1] x [1], contracting_dims = [3] x [0] : (tensor<1x4x1x64xf32>, tensor<64x4x32xf32>) -> tensor<4x1x1x32xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0, 2, 3] : (tensor<4x1x1x32xf32>) -> tensor<1x4x1x32xf32>
  return %6 : tensor<1x4x1x32xf32>
}
