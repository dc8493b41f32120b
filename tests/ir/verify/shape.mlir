// shape.mlir: ops that move elements. The line before an op says what is wrong with it.
func.func @main() {
  // expected: stablehlo.constant: result is tensor<3xi32>, should be tensor<2xi32>
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  func.return
}
// -----
func.func @main() {
  // expected: stablehlo.constant: attribute 'value' is missing, must be a dense constant
  %0 = "stablehlo.constant"() : () -> tensor<3xi32>
  func.return
}
// -----
func.func @main() {
  // expected: stablehlo.iota: iota_dimension = 2, but result has rank 2
  %0 = "stablehlo.iota"() {iota_dimension = 2 : i64} : () -> tensor<3x4xi32>
  func.return
}
// -----
func.func @main() {
  // expected: stablehlo.iota: result is a scalar, which has no dimension to count along
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<i32>
  func.return
}
// -----
func.func @main() {
  // expected: stablehlo.iota: result 0 is tensor<?xi32>, must be a ranked tensor of static shape of integers, floats, complex numbers or per-tensor quantized numbers
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<?xi32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.reshape: operand tensor<2x3xf32> has 6 elements, result tensor<7xf32> has 7
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.reshape: result 0 is tensor<?xf32>, must be a ranked tensor of static shape (or with one bounded dimension) of numbers or quantized numbers
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3xf32>) {
  // expected: stablehlo.broadcast: result is tensor<3x2xf32>, should be tensor<2x3xf32>
  %0 = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<3x2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3xf32>) {
  // expected: stablehlo.broadcast_in_dim: operand dimension 0 has size 3, result dimension 1 has 4
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3xf32>) {
  // expected: stablehlo.broadcast_in_dim: broadcast_dimensions [2] names dimension 2, result has rank 2
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x3xf32>) {
  // expected: stablehlo.broadcast_in_dim: broadcast_dimensions [0, 0] has 0 more than once
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3xf32>) {
  // expected: stablehlo.broadcast_in_dim: broadcast_dimensions [] has 0 entries, operand has rank 1
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.transpose: permutation [1, 1] has 1 more than once
  %0 = stablehlo.transpose %x, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.transpose: result is tensor<2x3xf32>, should be tensor<3x2xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.reverse: dimensions [0, 2] names dimension 2, operand has rank 2
  %0 = stablehlo.reverse %x, dims = [0, 2] : tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.reverse: dimensions [1, 1] has 1 more than once
  %0 = "stablehlo.reverse"(%x) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>) {
  // expected: stablehlo.slice: limit_indices[0] = 6, operand dimension 0 has size 5
  %0 = stablehlo.slice %x [1:6] : (tensor<5xf32>) -> tensor<5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>) {
  // expected: stablehlo.slice: start_indices[0] = 4 is after limit_indices[0] = 3
  %0 = "stablehlo.slice"(%x) {start_indices = array<i64: 4>, limit_indices = array<i64: 3>, strides = array<i64: 1>} : (tensor<5xf32>) -> tensor<1xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>) {
  // expected: stablehlo.slice: strides[0] = 0, must be positive
  %0 = "stablehlo.slice"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 3>, strides = array<i64: 0>} : (tensor<5xf32>) -> tensor<1xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>) {
  // expected: stablehlo.slice: result is tensor<2xf32>, should be tensor<3xf32>
  %0 = "stablehlo.slice"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 5>, strides = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>, %i: tensor<i32>) {
  // expected: stablehlo.dynamic_slice: slice_sizes[0] = 6, operand dimension 0 has size 5
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [6] : (tensor<5xf32>, tensor<i32>) -> tensor<6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5x5xf32>, %i: tensor<i32>) {
  // expected: stablehlo.dynamic_slice: has 1 start indices, operand has rank 2
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2, 2] : (tensor<5x5xf32>, tensor<i32>) -> tensor<2x2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>, %u: tensor<6xf32>, %i: tensor<i32>) {
  // expected: stablehlo.dynamic_update_slice: update dimension 0 has size 6, operand's has 5
  %0 = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<5xf32>, tensor<6xf32>, tensor<i32>) -> tensor<5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5x5xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected: stablehlo.dynamic_update_slice: start index 0 is tensor<i32>, start index 1 is tensor<i64>
  %0 = "stablehlo.dynamic_update_slice"(%x, %u, %i, %j) : (tensor<5x5xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<5x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>, %v: tensor<f32>) {
  // expected: stablehlo.pad: interior_padding[0] = -1 is negative
  %0 = stablehlo.pad %x, %v, low = [1], high = [1], interior = [-1] : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>, %v: tensor<f32>) {
  // expected: stablehlo.pad: dimension 0 of size 5 is -1 after padding (low = -3, high = -3, interior = 0)
  %0 = stablehlo.pad %x, %v, low = [-3], high = [-3], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<0xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5xf32>, %v: tensor<f32>) {
  // expected: stablehlo.pad: result is tensor<8xf32>, should be tensor<12xf32>
  %0 = stablehlo.pad %x, %v, low = [1], high = [2], interior = [1] : (tensor<5xf32>, tensor<f32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected: stablehlo.concatenate: operand 0 is tensor<2x3xf32>, operand 1 is tensor<2x4xf32>: dimension 1 differs
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected: stablehlo.concatenate: result is tensor<2x6xf32>, should be tensor<2x7xf32>
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<f32>) {
  // expected: stablehlo.concatenate: operand 0 is a scalar, which has no dimension to concatenate along
  %0 = "stablehlo.concatenate"(%x) {dimension = 0 : i64} : (tensor<f32>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.bitcast_convert: result is tensor<4xi16>, should be tensor<4x2xi16>
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi16>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.bitcast_convert: result is tensor<4x3xi16>, should be tensor<4x2xi16>
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x3xi16>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: stablehlo.bitcast_convert: operand has elements complex<f32>, result f64: one is complex
  %0 = stablehlo.bitcast_convert %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.get_dimension_size: dimension = 1, but operand has rank 1
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4xf32>) -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) {
  // expected: stablehlo.set_dimension_size: dimension = 1, but operand has rank 1
  %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) {
  // expected: stablehlo.set_dimension_size: operand 1 is tensor<1xi32>, must be a scalar tensor of i32
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5x5xf32>, %i: tensor<2xi32>) {
  // expected: stablehlo.torch_index_select: dim = 2, but operand has rank 2
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<5x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<5x5xf32>, %i: tensor<2xi32>) {
  // expected: stablehlo.torch_index_select: operand tensor<5x5xf32>, index tensor<2xi32>, dim = 1 and batch_dims = 0 do not give tensor<2x5xf32>
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<5x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: slice_sizes[2] = 6, operand dimension 2 has size 5
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: result is tensor<2x5xf32>, should be tensor<2x4xf32>
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: offset_dims, collapsed_slice_dims and operand_batching_dims name 2 dimensions, operand has rank 3
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: start_index_map [0] has 1 entries, index_vector_dim = 1 of start_indices has size 2
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: index_vector_dim = 3, but start_indices has rank 2
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: slice_sizes[1] = 2, must be at most 1: the dimension is in collapsed_slice_dims
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: collapsed_slice_dims [1, 0] is not in ascending order
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>) {
  // expected: stablehlo.gather: operand_batching_dims[0] is a dimension of size 3, start_indices_batching_dims[0] one of size 2
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x6xf32>) {
  // expected: stablehlo.scatter: updates dimension 1 has size 6, input dimension 2 has 5
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x6xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<3x5xf32>) {
  // expected: stablehlo.scatter: updates dimension 0 has size 3, scatter_indices dimension 0 has 2
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<3x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x1x5xf32>) {
  // expected: stablehlo.scatter: updates tensor<2x1x5xf32> has rank 3, must have 2: 1 of scatter_indices and 1 of update_window_dims
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x1x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x5xf32>) {
  // expected: stablehlo.scatter: update_computation takes 1 arguments, must take 2: two for each of 1 inputs
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x5xf32>) {
  // expected: stablehlo.scatter: result is tensor<3x4x5xf32>, should be tensor<3x4x5xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xf32>, %u: tensor<2x5xf32>) {
  // expected: stablehlo.scatter: scatter_indices is tensor<2x2xf32>, must be a tensor of integers
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x5xf32>) {
  // expected: stablehlo.scatter: update_window_dims, inserted_window_dims and input_batching_dims name 2 dimensions, input has rank 3
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x5xf32>) {
  // expected: stablehlo.scatter: scatter_dims_to_operand_dims [0, 3] names dimension 3, input has rank 3
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 3], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<2x2xi32>, %u: tensor<2x5xf32>) {
  // expected: stablehlo.scatter: scatter_dims_to_operand_dims [0, 0] and input_batching_dims [] have dimension 0 more than once
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 0], index_vector_dim = 1>} : (tensor<3x4x5xf32>, tensor<2x2xi32>, tensor<2x5xf32>) -> tensor<3x4x5xf32>
  func.return
}
