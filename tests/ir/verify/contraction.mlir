// contraction.mlir: convolutions, products, linear algebra, random numbers. The line before an op says what is wrong with it.
func.func @main(%x: tensor<1x8x8x32xf32>, %k: tensor<3x3x64x8xf32>) {
  // expected: stablehlo.convolution: kernel has 64 input features, input has 32 (feature_group_count = 1)
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x32xf32>, tensor<3x3x64x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: result is tensor<1x7x6x8xf32>, should be tensor<1x6x6x8xf32>
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x7x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: input has 4 features, not a multiple of feature_group_count = 3
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: feature_group_count = 2 and batch_group_count = 2, one must be 1
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: feature_group_count = 0, must be positive
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: input has batch 1, not a multiple of batch_group_count = 2
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: window_strides[0] = 0, must be positive
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 0, 1>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: window_strides has 1 entries, the window has 2 dimensions
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: padding is tensor<2x3xi64>, must be pairs: shape [n, 2]
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, padding = dense<0> : tensor<2x3xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: lhs_dilation[1] = -1, must be positive
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, lhs_dilation = array<i64: 1, -1>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: rhs_dilation[0] = 0, must be positive
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, rhs_dilation = array<i64: 0, 1>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: window_reversal has 1 entries, the window has 2 dimensions
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_reversal = array<i1: true>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: precision_config has 3 entries, must have one for each of the two operands at most
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>], feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf64>) {
  // expected: stablehlo.convolution: input has elements f32, kernel has f64
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf64>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x4x8xf32>) {
  // expected: stablehlo.convolution: input tensor<1x8x8x4xf32> has rank 4, kernel tensor<3x4x8xf32> has 3
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected: stablehlo.convolution: input dimensions [0, 0, 1, 2] has 0 more than once
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: result is tensor<2x3x6xf32>, should be tensor<2x3x5xf32>
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x6x5xf32>) {
  // expected: stablehlo.dot_general: contracting dimension 2 of lhs has size 4, 1 of rhs has 6
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x6x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<3x4x5xf32>) {
  // expected: stablehlo.dot_general: batching dimension 0 of lhs has size 2, 0 of rhs has 3
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: lhs has 1 batching dimensions, rhs has 0
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: lhs has 2 contracting dimensions, rhs has 1
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 0], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: lhs_batching_dimensions [3] names dimension 3, lhs has rank 3
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [3], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: lhs_batching_dimensions [0] and lhs_contracting_dimensions [0] have dimension 0 more than once
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: algorithm has 1 lhs components, 1 rhs components, 0 primitive operations: each must be at least 1
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: algorithm (bf16 x f16 summed in f32, 1 and 1 components, 1 operations) is not known to any hardware
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = f16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected: stablehlo.dot_general: precision_config[0] is HIGH, must be DEFAULT where an algorithm is given
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected: stablehlo.dot: last dimension of lhs has size 3, first of rhs has 4
  %0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<4x5xf32>) {
  // expected: stablehlo.dot: lhs has rank 3, rhs has 2: each must be 1 or 2
  %0 = stablehlo.dot %x, %y : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected: stablehlo.einsum: einsum_config "abc,bc->ac" names 3 dimensions of operand 0, which has rank 2
  %0 = "stablehlo.einsum"(%x, %y) {einsum_config = "abc,bc->ac"} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.unary_einsum: einsum_config "ab" does not read as "ab->a"
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ab"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.cholesky: a is tensor<2x3xf32>, its last two dimensions must be equal
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<3xf32>) {
  // expected: stablehlo.cholesky: a is tensor<3xf32>, must have rank 2 or more
  %0 = stablehlo.cholesky %x, lower = true : tensor<3xf32>
  func.return
}
// -----
func.func @main(%a: tensor<4x4xf32>, %b: tensor<3x4xf32>) {
  // expected: stablehlo.triangular_solve: a has size 4, b's second to last dimension has 3 (left_side = true)
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return
}
// -----
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // expected: stablehlo.triangular_solve: transpose_a is TRANSPOSE_INVALID, must be NO_TRANSPOSE, TRANSPOSE or ADJOINT
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return
}
// -----
func.func @main(%a: tensor<2x4x4xf32>, %b: tensor<3x4x3xf32>) {
  // expected: stablehlo.triangular_solve: a is tensor<2x4x4xf32>, b is tensor<3x4x3xf32>: batch dimensions differ
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x4x4xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<8xf32>) {
  // expected: stablehlo.fft: FFT takes complex numbers, operand is tensor<8xf32>
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<8xf32>) {
  // expected: stablehlo.fft: dimension 0 has size 8, fft_length is 9 there
  %0 = stablehlo.fft %x, type = RFFT, length = [9] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<8xcomplex<f32>>) {
  // expected: stablehlo.fft: last dimension has size 8, IRFFT of length 8 takes 5
  %0 = stablehlo.fft %x, type = IRFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<8xcomplex<f32>>) {
  // expected: stablehlo.fft: fft_length [2, 2, 2, 2] has 4 entries, must have 1 to 3
  %0 = stablehlo.fft %x, type = IFFT, length = [2, 2, 2, 2] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected: stablehlo.batch_norm_training: feature_index = 2, but operand has rank 2
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) {epsilon = 0.001 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected: stablehlo.batch_norm_inference: operand 1 has size 2, operand 0 has 3 features (dimension 1)
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %g: tensor<2x4xf32>) {
  // expected: stablehlo.batch_norm_grad: operand is tensor<2x3xf32>, grad_output is tensor<2x4xf32>: shapes differ
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %g) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}
// -----
func.func @main(%lo: tensor<f32>, %hi: tensor<f64>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.rng: a is tensor<f32>, b is tensor<f64>
  %0 = "stablehlo.rng"(%lo, %hi, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f64>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%lo: tensor<i32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.rng: a normal distribution of i32: must be of floats
  %0 = stablehlo.rng %lo, %lo, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  func.return
}
// -----
func.func @main(%lo: tensor<f32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected: stablehlo.rng: result is tensor<2x4xf32>, should be tensor<2x3xf32>
  %0 = stablehlo.rng %lo, %lo, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%s: tensor<2xui64>) {
  // expected: stablehlo.rng_bit_generator: result 0 is tensor<3xui64>, should be tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  func.return
}
