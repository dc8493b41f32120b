// module.mlir: what holds between ops: order, regions, symbols, types. The line before an op says what is wrong with it.
func.func @f() {
  func.return
}
// expected: func.func: @f is defined already, on line 2
func.func @f() {
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  func.return %x : tensor<2xf32>
}
// -----
// expected: func.func: a block ends with stablehlo.return, must end with func.return
func.func @main(%x: tensor<2xf32>) {
  "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
}
// -----
// expected: func.func: a block ends with other.end, must end with func.return
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  "other.end"() : () -> ()
}
// -----
func.func @main(%x: tensor<2xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected: stablehlo.reduce: body must end with stablehlo.return, ends with other.end
  // expected: stablehlo.reduce: a block ends with other.end, must end with stablehlo.return
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "other.end"() : () -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}
// -----
func.func @main(%p: tensor<i1>, %t: tuple<tensor<f32>>) {
  // expected: stablehlo.if: result is tensor<f32>, should be tuple<tensor<f32>>
  %0 = "stablehlo.if"(%p) ({
    // expected: stablehlo.return: operand 0 is tuple<tensor<f32>>, must be a ranked tensor of numbers or quantized numbers or a token or a buffer
    stablehlo.return %t : tuple<tensor<f32>>
  }, {
    // expected: stablehlo.return: operand 0 is tuple<tensor<f32>>, must be a ranked tensor of numbers or quantized numbers or a token or a buffer
    stablehlo.return %t : tuple<tensor<f32>>
  }) : (tensor<i1>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: func.return: must be the last op of its block
  func.return
  func.return
}
// -----
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected: stablehlo.iota: result 0 is tensor<4611686018427387904x4xi32>: has more bytes than 2^63
  %0 = stablehlo.iota dim = 0 : tensor<4611686018427387904x4xi32>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: stablehlo.reduce: has 1 operands, must have as many initial values as inputs
  // expected: stablehlo.reduce: a block ends with stablehlo.negate, must end with stablehlo.return
  %0 = "stablehlo.reduce"(%x) ({
    %1 = stablehlo.negate %x : tensor<2xf32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.slice: limit_indices[0] = 5, operand dimension 0 has size 4
  %0 = stablehlo.slice %x [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  // expected: stablehlo.slice: start_indices[0] = 3 is after limit_indices[0] = 2
  %1 = stablehlo.slice %x [3:2] : (tensor<4xf32>) -> tensor<0xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.slice: attribute 'start_indices' is a string, must be a list of i64
  %0 = "stablehlo.slice"(%x) {start_indices = "0", limit_indices = array<i64: 4>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected: stablehlo.iota: attribute 'iota_dimension' is an integer, must be an i64 integer
  %1 = "stablehlo.iota"() {iota_dimension = 0 : i32} : () -> tensor<4xf32>
  func.return
}
