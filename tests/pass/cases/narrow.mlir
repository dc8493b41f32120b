// pass: narrow
// The first of eight rows is read: norm, product and residual are computed for that row.
func.func @main(%x: tensor<2x8x4xf32>, %w: tensor<4x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<2x8x4xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<4x4xf32>) -> tensor<2x8x4xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<4xf32>) -> tensor<2x8x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x8x4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x8x4xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x4xf32>
  %6 = stablehlo.subtract %2, %5 : tensor<2x8x4xf32>
  %7 = stablehlo.multiply %6, %half : tensor<2x8x4xf32>
  %8 = stablehlo.slice %7 [0:2, 0:1, 0:4] : (tensor<2x8x4xf32>) -> tensor<2x1x4xf32>
  %9 = stablehlo.reshape %8 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  return %9 : tensor<2x4xf32>
}
// Readers of parts that overlap, a reshape across the sliced dimension, and columns of a weight: left alone.
func.func @left(%x: tensor<8x4xf32>, %w: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<3x4xf32>, tensor<16xf32>, tensor<8x2xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.slice %0 [0:6, 0:4] : (tensor<8x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.slice %0 [5:8, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<32xf32>
  %4 = stablehlo.slice %3 [0:16] : (tensor<32xf32>) -> tensor<16xf32>
  %5 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %6 = stablehlo.slice %5 [0:8, 0:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>
  return %1, %2, %4, %6 : tensor<6x4xf32>, tensor<3x4xf32>, tensor<16xf32>, tensor<8x2xf32>
}
// Queries, keys and values are one product; of the queries the first is read: each is made for itself. Nobody reads %8.
func.func @parts(%x: tensor<2x8x4xf32>, %w: tensor<12x4xf32>, %c: tensor<12xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<12x4xf32>) -> tensor<2x8x12xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<12xf32>) -> tensor<2x8x12xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x8x12xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x8x12xf32>) -> tensor<2x8x3x4xf32>
  %4 = stablehlo.transpose %3, dims = [2, 0, 1, 3] : (tensor<2x8x3x4xf32>) -> tensor<3x2x8x4xf32>
  %q = stablehlo.slice %4 [0:1, 0:2, 0:8, 0:4] : (tensor<3x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %5 = stablehlo.slice %q [0:1, 0:2, 0:1, 0:4] : (tensor<1x2x8x4xf32>) -> tensor<1x2x1x4xf32>
  %6 = stablehlo.slice %4 [1:2, 0:2, 0:8, 0:4] : (tensor<3x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %7 = stablehlo.slice %4 [2:3, 0:2, 0:8, 0:4] : (tensor<3x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %8 = stablehlo.negate %4 : tensor<3x2x8x4xf32>
  return %5, %6, %7 : tensor<1x2x1x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>
}
// expect:
func.func @main(%x: tensor<2x8x4xf32>, %w: tensor<4x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<2x1x4xf32>
  %x0 = stablehlo.slice %x [0:2, 0:1, 0:4] : (tensor<2x8x4xf32>) -> tensor<2x1x4xf32>
  %0 = stablehlo.dot_general %x0, %w, contracting_dims = [2] x [1] : (tensor<2x1x4xf32>, tensor<4x4xf32>) -> tensor<2x1x4xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<4xf32>) -> tensor<2x1x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x1x4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x1xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x1x1xf32>) -> tensor<2x1x4xf32>
  %6 = stablehlo.subtract %2, %5 : tensor<2x1x4xf32>
  %7 = stablehlo.multiply %6, %half : tensor<2x1x4xf32>
  %8 = stablehlo.reshape %7 : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  return %8 : tensor<2x4xf32>
}
func.func @left(%x: tensor<8x4xf32>, %w: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<3x4xf32>, tensor<16xf32>, tensor<8x2xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.slice %0 [0:6, 0:4] : (tensor<8x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.slice %0 [5:8, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<32xf32>
  %4 = stablehlo.slice %3 [0:16] : (tensor<32xf32>) -> tensor<16xf32>
  %5 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %6 = stablehlo.slice %5 [0:8, 0:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>
  return %1, %2, %4, %6 : tensor<6x4xf32>, tensor<3x4xf32>, tensor<16xf32>, tensor<8x2xf32>
}
func.func @parts(%arg0: tensor<2x8x4xf32>, %arg1: tensor<12x4xf32>, %arg2: tensor<12xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) {
  %0 = stablehlo.slice %arg1 [4:8, 0:4] : (tensor<12x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<4x4xf32>) -> tensor<2x8x4xf32>
  %2 = stablehlo.slice %arg1 [8:12, 0:4] : (tensor<12x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<4x4xf32>) -> tensor<2x8x4xf32>
  %4 = stablehlo.slice %arg0 [0:2, 0:1, 0:4] : (tensor<2x8x4xf32>) -> tensor<2x1x4xf32>
  %5 = stablehlo.slice %arg1 [0:4, 0:4] : (tensor<12x4xf32>) -> tensor<4x4xf32>
  %6 = stablehlo.dot_general %4, %5, contracting_dims = [2] x [1] : (tensor<2x1x4xf32>, tensor<4x4xf32>) -> tensor<2x1x4xf32>
  %7 = stablehlo.slice %arg2 [4:8] : (tensor<12xf32>) -> tensor<4xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [2] : (tensor<4xf32>) -> tensor<2x8x4xf32>
  %9 = stablehlo.slice %arg2 [8:12] : (tensor<12xf32>) -> tensor<4xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [2] : (tensor<4xf32>) -> tensor<2x8x4xf32>
  %11 = stablehlo.slice %arg2 [0:4] : (tensor<12xf32>) -> tensor<4xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [2] : (tensor<4xf32>) -> tensor<2x1x4xf32>
  %13 = stablehlo.add %6, %12 : tensor<2x1x4xf32>
  %14 = stablehlo.add %3, %10 : tensor<2x8x4xf32>
  %15 = stablehlo.add %1, %8 : tensor<2x8x4xf32>
  %16 = stablehlo.reshape %15 : (tensor<2x8x4xf32>) -> tensor<2x8x1x4xf32>
  %17 = stablehlo.reshape %14 : (tensor<2x8x4xf32>) -> tensor<2x8x1x4xf32>
  %18 = stablehlo.reshape %13 : (tensor<2x1x4xf32>) -> tensor<2x1x1x4xf32>
  %19 = stablehlo.transpose %18, dims = [2, 0, 1, 3] : (tensor<2x1x1x4xf32>) -> tensor<1x2x1x4xf32>
  %20 = stablehlo.transpose %17, dims = [2, 0, 1, 3] : (tensor<2x8x1x4xf32>) -> tensor<1x2x8x4xf32>
  %21 = stablehlo.transpose %16, dims = [2, 0, 1, 3] : (tensor<2x8x1x4xf32>) -> tensor<1x2x8x4xf32>
  return %19, %21, %20 : tensor<1x2x1x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>
}
