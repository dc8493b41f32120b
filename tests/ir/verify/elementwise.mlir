// elementwise.mlir: ops that work on one element at a time. The line before an op says what is wrong with it.
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.cbrt: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.cbrt %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.cosine: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.cosine %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.exponential: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.exponential %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.exponential_minus_one: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.exponential_minus_one %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.log: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.log %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.log_plus_one: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.log_plus_one %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.logistic: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.logistic %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.rsqrt: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.rsqrt %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.sine: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.sine %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.sqrt: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.sqrt %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.tan: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.tan %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.tanh: operand 0 is tensor<4xi32>, must be a ranked tensor of floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.tanh %x : tensor<4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: stablehlo.ceil: operand 0 is tensor<4xcomplex<f32>>, must be a ranked tensor of floats or per-tensor quantized numbers
  %0 = stablehlo.ceil %x : tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: stablehlo.floor: operand 0 is tensor<4xcomplex<f32>>, must be a ranked tensor of floats or per-tensor quantized numbers
  %0 = stablehlo.floor %x : tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: stablehlo.round_nearest_afz: operand 0 is tensor<4xcomplex<f32>>, must be a ranked tensor of floats or per-tensor quantized numbers
  %0 = stablehlo.round_nearest_afz %x : tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: stablehlo.round_nearest_even: operand 0 is tensor<4xcomplex<f32>>, must be a ranked tensor of floats or per-tensor quantized numbers
  %0 = stablehlo.round_nearest_even %x : tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.count_leading_zeros: operand 0 is tensor<4xf32>, must be a ranked tensor of integers
  %0 = stablehlo.count_leading_zeros %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.popcnt: operand 0 is tensor<4xf32>, must be a ranked tensor of integers
  %0 = stablehlo.popcnt %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.not: operand 0 is tensor<4xf32>, must be a ranked tensor of booleans or integers
  %0 = stablehlo.not %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi1>) {
  // expected: stablehlo.negate: operand 0 is tensor<4xi1>, must be a ranked tensor of integers, floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.negate %x : tensor<4xi1>
  func.return
}
// -----
func.func @main(%x: tensor<4xui8>) {
  // expected: stablehlo.sign: operand 0 is tensor<4xui8>, must be a ranked tensor of signed integers, floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.sign %x : tensor<4xui8>
  func.return
}
// -----
func.func @main(%x: tensor<4xui8>) {
  // expected: stablehlo.abs: operand 0 is tensor<4xui8>, must be a ranked tensor of signed integers, floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.abs %x : tensor<4xui8>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  // expected: stablehlo.abs: result is tensor<4xf64>, should be tensor<4xf32>
  %0 = "stablehlo.abs"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f64>>) {
  // expected: stablehlo.real: result is tensor<4xf32>, should be tensor<4xf64>
  %0 = "stablehlo.real"(%x) : (tensor<4xcomplex<f64>>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xcomplex<f64>>) {
  // expected: stablehlo.imag: result is tensor<4xf32>, should be tensor<4xf64>
  %0 = "stablehlo.imag"(%x) : (tensor<4xcomplex<f64>>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xi32>) {
  // expected: stablehlo.is_finite: operand 0 is tensor<4xi32>, must be a ranked tensor of floats or per-tensor quantized numbers
  %0 = "stablehlo.is_finite"(%x) : (tensor<4xi32>) -> tensor<4xi1>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.convert: operand 0 is tensor<4xf32>, result 0 is tensor<5xi32>: shapes differ
  %0 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<5xi32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.tanh: operand 0 is tensor<4xf32>, result 0 is tensor<4xf64>: types differ
  %0 = "stablehlo.tanh"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.exponential: result_accuracy is negative: atol = -1, rtol = 0, ulps = 2
  %0 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.exponential: result_accuracy of mode HIGHEST has tolerances (atol = 0, rtol = 0, ulps = 2), which only mode TOLERANCE takes
  %0 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.subtract: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.subtract"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.divide: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.divide"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.maximum: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.maximum"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.minimum: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.minimum"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.multiply: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.multiply"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.power: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.power"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.remainder: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.remainder"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected: stablehlo.atan2: operand 0 is tensor<4xf32>, operand 1 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.atan2"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.and: operand 0 is tensor<4xf32>, must be a ranked tensor of booleans or integers
  %0 = stablehlo.and %x, %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.or: operand 0 is tensor<4xf32>, must be a ranked tensor of booleans or integers
  %0 = stablehlo.or %x, %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.xor: operand 0 is tensor<4xf32>, must be a ranked tensor of booleans or integers
  %0 = stablehlo.xor %x, %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.shift_left: operand 0 is tensor<4xf32>, must be a ranked tensor of integers
  %0 = stablehlo.shift_left %x, %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.shift_right_arithmetic: operand 0 is tensor<4xf32>, must be a ranked tensor of integers
  %0 = stablehlo.shift_right_arithmetic %x, %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.shift_right_logical: operand 0 is tensor<4xf32>, must be a ranked tensor of integers
  %0 = stablehlo.shift_right_logical %x, %x : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected: stablehlo.add: operands have elements f32 and f64, result has f32: element types differ
  %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  // expected: stablehlo.add: operand 0 is tensor<4xf32>, result 0 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<?xf32>) -> tensor<5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected: stablehlo.complex: operand 0 is tensor<4xf32>, operand 1 is tensor<4xf64>: element types differ
  %0 = "stablehlo.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected: stablehlo.compare: operand 0 is tensor<4xf32>, operand 1 is tensor<4xi32>: element types differ
  %0 = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.compare: compare_type SIGNED does not fit operands of f32
  %0 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.compare: attribute 'comparison_direction' is missing, must be comparison_direction
  %0 = "stablehlo.compare"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %min: tensor<1xf32>) {
  // expected: stablehlo.clamp: min has shape [1], operand has [4]: it must be a scalar or of that shape
  %0 = "stablehlo.clamp"(%min, %x, %x) : (tensor<1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %max: tensor<5xf32>) {
  // expected: stablehlo.clamp: max has shape [5], operand has [4]: it must be a scalar or of that shape
  %0 = "stablehlo.clamp"(%x, %x, %max) : (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%p: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected: stablehlo.select: predicate has shape [3], the values have [4]: it must be a scalar or of that shape
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected: stablehlo.select: on_true is tensor<4xf32>, on_false is tensor<4xf64>
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.reduce_precision: exponent_bits = 0, must be at least 1
  %0 = stablehlo.reduce_precision %x, format = e0m7 : tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.reduce_precision: mantissa_bits = -1, must not be negative
  %0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.map: computation takes 1 arguments, op has 2 operands
  %0 = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x5xf32>) {
  // expected: stablehlo.map: dimensions [1, 0] must be 0, 1, … in order
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<*xf32>) {
  // expected: stablehlo.negate: operand 0 is tensor<*xf32>, must be a ranked tensor of integers, floats, complex numbers or per-tensor quantized numbers
  %0 = "stablehlo.negate"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  func.return
}
// -----
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<3>>, %y: tensor<4xf32>) {
  // expected: stablehlo.multiply: operand 0 is tensor<?xf32, #stablehlo.bounds<3>>, operand 1 is tensor<4xf32>: types differ
  %0 = "stablehlo.multiply"(%x, %y) : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
