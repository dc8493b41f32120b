// dynamic.mlir: ops whose shape is a value. The line before an op says what is wrong with it.
func.func @main(%s: tensor<2xi64>) {
  // expected: stablehlo.dynamic_iota: iota_dimension = 2, but result has rank 2
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}
// -----
func.func @main() {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.dynamic_iota: output_shape is [2, 3], result is tensor<2x4xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<2x4xi32>
  func.return
}
// -----
func.func @main(%s: tensor<3xi64>) {
  // expected: stablehlo.dynamic_iota: output_shape has 3 sizes, result has rank 2
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<3xi64>) -> tensor<?x?xi32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.dynamic_reshape: operand tensor<5xf32> has 5 elements, result tensor<2x3xf32> has 6
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<5xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<6xf32>, %s: tensor<2xi64>) {
  // expected: stablehlo.dynamic_reshape: operand has elements f32, result has i32
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}
// -----
func.func @main(%x: tensor<6xf32>, %s: tensor<?xi64>) {
  // expected: stablehlo.dynamic_reshape: operand 1 is tensor<?xi64>, must be a one-dimensional tensor of static shape of integers or index
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.dynamic_broadcast_in_dim: operand dimension 0 has size 4, result dimension 1 has 3
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xi64>) {
  // expected: stablehlo.dynamic_broadcast_in_dim: known_expanding_dimensions [0] and known_nonexpanding_dimensions [0] have dimension 0 more than once
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xi64>) {
  // expected: stablehlo.dynamic_broadcast_in_dim: broadcast_dimensions [2] names dimension 2, result has rank 2
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %a: tensor<2xi64>) {
  // expected: stablehlo.real_dynamic_slice: start_indices has 2 entries, operand has rank 1
  %0 = stablehlo.real_dynamic_slice %x, %a, %a, %a : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %a: tensor<1xi64>, %b: tensor<1xi32>) {
  // expected: stablehlo.real_dynamic_slice: start_indices is tensor<1xi64>, limit_indices is tensor<1xi32>
  %0 = "stablehlo.real_dynamic_slice"(%x, %a, %b, %a) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi32>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %v: tensor<f32>, %a: tensor<2xi64>) {
  // expected: stablehlo.dynamic_pad: edge_padding_low has 2 entries, operand has rank 1
  %0 = stablehlo.dynamic_pad %x, %v, %a, %a, %a : (tensor<4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %v: tensor<f32>) {
  %a = stablehlo.constant dense<-1> : tensor<1xi64>
  // expected: stablehlo.dynamic_pad: interior_padding[0] = -1 is negative
  %0 = stablehlo.dynamic_pad %x, %v, %a, %a, %a : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %v: tensor<f32>) {
  %a = stablehlo.constant dense<1> : tensor<1xi64>
  // expected: stablehlo.dynamic_pad: result is tensor<8xf32>, should be tensor<9xf32>
  %0 = stablehlo.dynamic_pad %x, %v, %a, %a, %a : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>, %s: tensor<3xi64>) {
  // expected: stablehlo.dynamic_gather: slice_sizes has 3 entries, operand has rank 2
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<3xi64>) -> tensor<2x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.dynamic_gather: slice_sizes[0] = 2, must be at most 1: the dimension is in collapsed_slice_dims
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>, %p: tensor<2x3xi64>) {
  // expected: stablehlo.dynamic_conv: padding has shape [2, 3], must have [2, 2]
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x3xi64>) -> tensor<1x?x?x8xf32>
  func.return
}
