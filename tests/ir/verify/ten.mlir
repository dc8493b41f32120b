// ten.mlir: names of the ten dialect (src/ir/ten.def). The line before an op says what is wrong with it.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected: stablehlo.add: there is no attribute 'tenfold.kepp' in the ten dialect (tenfold help --dialect)
  %0 = stablehlo.add %x, %x {tenfold.kepp} : tensor<4xf32>
  // expected: stablehlo.add: attribute 'tenfold.materialize' is an integer, must be a unit
  %1 = stablehlo.add %x, %x {tenfold.materialize = 3 : i64} : tensor<4xf32>
  // expected: stablehlo.add: attribute 'tenfold.wide' is on stablehlo.add, must be on stablehlo.reduce_window
  %2 = stablehlo.add %x, %x {tenfold.wide} : tensor<4xf32>
  // expected: stablehlo.add: attribute 'tenfold.role' is on stablehlo.add, must be on an argument or result of func.func
  %3 = stablehlo.add %x, %x {tenfold.role = "input"} : tensor<4xf32>
  // expected: stablehlo.add: attribute 'tenfold.order' is on stablehlo.add, must be on @tenfold.attention @tenfold.attention_grad
  %4 = stablehlo.add %x, %x {tenfold.order = array<i64: 0>} : tensor<4xf32>
  // expected: stablehlo.add: there is no attribute 'tenfold.epoch' in the ten dialect (tenfold help --dialect)
  %5 = stablehlo.add %x, %x {tenfold.epoch} : tensor<4xf32>
  // expected: stablehlo.custom_call: there is no custom call @tenfold.atention in the ten dialect (tenfold help --dialect)
  %6 = stablehlo.custom_call @tenfold.atention(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // a note of another dialect is nobody's business here, nor are names that only begin alike
  %7 = stablehlo.add %x, %x {tenfoldish.kepp, mhlo.note = 1 : i64} : tensor<4xf32>
  %8 = stablehlo.add %x, %x {tenfold.materialize} : tensor<4xf32>
  func.return %8 : tensor<4xf32>
}
// -----
// expected: func.func: attribute 'tenfold.name' is an integer, must be a string
func.func @main(%x: tensor<4xf32> {tenfold.name = 1 : i64}) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
// -----
// expected: func.func: attribute 'tenfold.shift' is on an argument or result of func.func, must be on stablehlo.reduce
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {tenfold.shift}) {
  func.return %x : tensor<4xf32>
}
// -----
func.func @main(%s: tensor<2x3x8x8xf32>, %v: tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32> {
  // expected: stablehlo.custom_call: @tenfold.attention has no attribute 'tenfold.values'
  %0 = stablehlo.custom_call @tenfold.attention(%s, %v) {tenfold.empty = "nan", tenfold.order = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  // expected: stablehlo.custom_call: tenfold.order is [0, 2, 100000, 3], must be an order of 4 dimensions
  %1 = stablehlo.custom_call @tenfold.attention(%s, %v) {tenfold.empty = "nan", tenfold.order = array<i64: 0, 2, 100000, 3>, tenfold.values = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  // expected: stablehlo.custom_call: tenfold.values is [0, 2, 1, 1], must be an order of 4 dimensions
  %2 = stablehlo.custom_call @tenfold.attention(%s, %v) {tenfold.empty = "nan", tenfold.order = array<i64: 0, 2, 1, 3>, tenfold.values = array<i64: 0, 2, 1, 1>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  // expected: stablehlo.custom_call: scores tensor<2x3x8x8xf32>, values tensor<2x8x3x4xf32> and result tensor<2x8x3x5xf32> do not fit together
  %3 = stablehlo.custom_call @tenfold.attention(%s, %v) {tenfold.empty = "nan", tenfold.order = array<i64: 0, 2, 1, 3>, tenfold.values = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x5xf32>
  // expected: stablehlo.custom_call: tenfold.empty is "one", must be "zero" or "nan"
  %4 = stablehlo.custom_call @tenfold.attention(%s, %v) {tenfold.empty = "one", tenfold.order = array<i64: 0, 2, 1, 3>, tenfold.values = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  func.return %4 : tensor<2x8x3x4xf32>
}
// -----
func.func @main(%x: tensor<2x8x4xf32>) -> tensor<3x2x8x4xf32> {
  // expected: stablehlo.custom_call: tenfold.order is [0, 1, 2, 4], must be an order of 4 dimensions
  %0 = stablehlo.custom_call @tenfold.attention_grad(%x, %x, %x, %x) {tenfold.order = array<i64: 0, 1, 2, 4>, tenfold.scale = 1.0 : f32} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<3x2x8x4xf32>
  // expected: stablehlo.custom_call: operands tensor<2x8x4xf32> and result tensor<2x2x8x4xf32> do not fit together
  %1 = stablehlo.custom_call @tenfold.attention_grad(%x, %x, %x, %x) {tenfold.order = array<i64: 0, 1, 2, 3>, tenfold.scale = 1.0 : f32} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x2x8x4xf32>
  // expected: stablehlo.custom_call: attribute 'tenfold.scale' is a string, must be an f32 float
  %2 = stablehlo.custom_call @tenfold.attention_grad(%x, %x, %x, %x) {tenfold.order = array<i64: 0, 1, 2, 3>, tenfold.scale = "1"} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<3x2x8x4xf32>
  func.return %2 : tensor<3x2x8x4xf32>
}
