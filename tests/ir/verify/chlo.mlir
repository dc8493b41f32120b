// chlo.mlir: client ops. The line before an op says what is wrong with it.
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_add: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_atan2: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_atan2"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_divide: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_divide"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_maximum: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_maximum"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_minimum: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_minimum"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_multiply: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_multiply"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_next_after: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_next_after"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_polygamma: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_polygamma"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_power: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_power"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_remainder: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_remainder"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_subtract: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_subtract"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: chlo.broadcast_zeta: tensor<4xf32> and tensor<5xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_zeta"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.broadcast_and: operand 0 is tensor<4xf32>, must be a tensor of booleans or integers
  %0 = "chlo.broadcast_and"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.broadcast_or: operand 0 is tensor<4xf32>, must be a tensor of booleans or integers
  %0 = "chlo.broadcast_or"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.broadcast_xor: operand 0 is tensor<4xf32>, must be a tensor of booleans or integers
  %0 = "chlo.broadcast_xor"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected: chlo.broadcast_shift_left: operand 0 is tensor<4xi32>, operand 1 is tensor<4xi64>: element types differ
  %0 = "chlo.broadcast_shift_left"(%x, %y) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected: chlo.broadcast_shift_right_arithmetic: operand 0 is tensor<4xi32>, operand 1 is tensor<4xi64>: element types differ
  %0 = "chlo.broadcast_shift_right_arithmetic"(%x, %y) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected: chlo.broadcast_shift_right_logical: operand 0 is tensor<4xi32>, operand 1 is tensor<4xi64>: element types differ
  %0 = "chlo.broadcast_shift_right_logical"(%x, %y) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected: chlo.broadcast_add: broadcast_dimensions [2] names dimension 2, the larger operand has rank 2
  %0 = "chlo.broadcast_add"(%x, %y) {broadcast_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected: chlo.broadcast_add: tensor<4xf32> and tensor<2x4xf32> do not broadcast: dimension 0
  %0 = "chlo.broadcast_add"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected: chlo.broadcast_add: result is tensor<4xf32>, should be tensor<2x4xf32>
  %0 = "chlo.broadcast_add"(%x, %y) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf16>) {
  // expected: chlo.broadcast_complex: operands are of f16, must be of f32 or f64
  %0 = "chlo.broadcast_complex"(%x, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.broadcast_compare: result is tensor<5xi1>, should be tensor<4xi1>
  %0 = "chlo.broadcast_compare"(%x, %x) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xi1>
  func.return
}
// -----
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected: chlo.broadcast_select: on_true has elements f32, on_false has f64
  %0 = "chlo.broadcast_select"(%p, %x, %y) : (tensor<i1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.next_after: operand 0 is tensor<4xi32>, must be a tensor of floats
  %0 = "chlo.next_after"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.polygamma: operand 0 is tensor<4xi32>, must be a tensor of floats
  %0 = "chlo.polygamma"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.zeta: operand 0 is tensor<4xi32>, must be a tensor of floats
  %0 = "chlo.zeta"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.acos: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.acos"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.acosh: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.acosh"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.asin: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.asin"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.asinh: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.asinh"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.atan: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.atan"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.atanh: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.atanh"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.bessel_i1e: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.bessel_i1e"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.conj: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.conj"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.cosh: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.cosh"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.sinh: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.sinh"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.tan: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.tan"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: chlo.square: operand 0 is tensor<4xi32>, must be a tensor of floats or complex numbers
  %0 = "chlo.square"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: chlo.digamma: operand 0 is tensor<4xcomplex<f32>>, must be a tensor of floats
  %0 = "chlo.digamma"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: chlo.erf: operand 0 is tensor<4xcomplex<f32>>, must be a tensor of floats
  %0 = "chlo.erf"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: chlo.erf_inv: operand 0 is tensor<4xcomplex<f32>>, must be a tensor of floats
  %0 = "chlo.erf_inv"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: chlo.erfc: operand 0 is tensor<4xcomplex<f32>>, must be a tensor of floats
  %0 = "chlo.erfc"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: chlo.lgamma: operand 0 is tensor<4xcomplex<f32>>, must be a tensor of floats
  %0 = "chlo.lgamma"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.is_inf: result 0 is tensor<4xf32>, must be a tensor of booleans
  %0 = "chlo.is_inf"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.is_neg_inf: result 0 is tensor<4xf32>, must be a tensor of booleans
  %0 = "chlo.is_neg_inf"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.is_pos_inf: result 0 is tensor<4xf32>, must be a tensor of booleans
  %0 = "chlo.is_pos_inf"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo._asin_acos_kernel: operand 0 is tensor<4xf32>, must be a tensor of complex numbers
  %0 = "chlo._asin_acos_kernel"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi1>) {
  // expected: chlo.mulhi: operand 0 is tensor<4xi1>, must be a ranked tensor of integers
  %0 = "chlo.mulhi"(%x, %x) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  func.return
}
// -----
func.func @main() {
  // expected: chlo.constant: result is tensor<3xi32>, should be tensor<2xi32>
  %0 = "chlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.constant_like: result is tensor<4xf32>, should be tensor<4xf64>
  %0 = "chlo.constant_like"(%x) {value = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.top_k: k = 5, but the last dimension has size 4
  %0:2 = "chlo.top_k"(%x) {k = 5 : i64} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: chlo.top_k: result 1 is tensor<2xi64>, should be tensor<2xi32>
  %0:2 = "chlo.top_k"(%x) {k = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  func.return
}
// -----
func.func @main(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected: chlo.ragged_dot: result is tensor<11x8xf32>, should be tensor<11x7xf32>
  %0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %g: tensor<4xi64>) {
  // expected: chlo.ragged_dot: rhs has 3 groups, group_sizes has 4
  %0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi64>) -> tensor<11x7xf32>
  func.return
}
// -----
func.func @main(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected: chlo.ragged_dot: lhs_ragged_dimensions [0, 1] has 2 entries, must have one
  %0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  func.return
}
// -----
func.func @main(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected: chlo.ragged_dot: rhs_group_dimensions [0] has 1 entries, must have 0: the ragged dimension is contracted
  %0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  func.return
}
// -----
func.func @main(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected: chlo.ragged_dot: contracting dimension 1 of lhs has size 5, 2 of rhs has 7
  %0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected: chlo.scan: result 0 is tensor<5xf32>, should be tensor<4xf32>
  %0:2 = chlo.scan(%x) inits (%i) dimension=0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %b, %b : tensor<f32>
    stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected: chlo.scan: body's argument 0 is tensor<4xf32>, should be tensor<f32>
  %0:2 = chlo.scan(%x) inits (%i) dimension=0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<f32>):
    %1 = stablehlo.add %b, %b : tensor<f32>
    stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  func.return
}
