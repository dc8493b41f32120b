// reduce.mlir: reductions and the regions that say how. The line before an op says what is wrong with it.
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: dimensions [2] names dimension 2, input has rank 2
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: dimensions [1, 1] has 1 more than once
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: result is tensor<3xf32>, should be tensor<2xf32>
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: body takes 1 arguments, must take 2: two for each of 1 inputs
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: body returns 2 values, must return 1: one for each input
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: result is tensor<2xf32>, should be tensor<2xi32>
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: body's argument 1 is tensor<2xf32>, its result 0 is tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<2xf32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce: body's result 0 has elements i32, to which the initial value's f32 does not widen
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>, %c: tensor<2xf32>) {
  // expected: stablehlo.reduce: body's result 0 is tensor<f32>, the initial value is tensor<2xf32>: shapes differ
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: window_dimensions [2] has 1 entries, input tensor<4x6xf32> has rank 2
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: window dimension 0 has size 0, must be positive
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 0, 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: window_strides[1] = 0, must be positive
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 0>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: padding has 3 pairs, the window has 2 dimensions
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, padding = dense<0> : tensor<3x2xi64>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: base_dilations[0] = -1, must be positive
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: -1, 1>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: window_dilations has 1 entries, the window has 2 dimensions
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: result is tensor<2x4xf32>, should be tensor<2x3xf32>
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %c: tensor<f32>) {
  // expected: stablehlo.reduce_window: dimension 0, padded and dilated, is larger than 2^63 or smaller than 0
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 9223372036854775807, 1>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %s: tensor<2x4xf32>, %c: tensor<f32>) {
  // expected: stablehlo.select_and_scatter: source is tensor<2x4xf32>, the window has tensor<2x3xf32> places over the operand
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.select_and_scatter: select returns tensor<f32>, must return tensor<i1>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.select_and_scatter: scatter takes 1 arguments, must take 2: two for each of 1 inputs
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.select_and_scatter: result is tensor<4x5xf32>, should be tensor<4x6xf32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected: stablehlo.select_and_scatter: select takes 1 arguments, must take 2
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.sort: dimension = 1, but the operands have rank 1
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.sort: comparator's argument 1 is tensor<i32>, should be tensor<f32>
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.sort: comparator returns tensor<f32>, must return tensor<i1>
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.sort: comparator takes 1 arguments, must take 2: two for each operand
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.sort: operand 0 is tensor<4xf32>, result 0 is tensor<5xf32>: shapes differ
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}
