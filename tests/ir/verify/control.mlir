// control.mlir: control flow, tuples, tokens, futures. The line before an op says what is wrong with it.
func.func @main(%p: tensor<2xi1>) {
  // expected: stablehlo.if: pred is tensor<2xi1>, must be a scalar
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<2xi1>) -> ()
  func.return
}
// -----
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected: stablehlo.if: true_branch returns (tensor<2xf32>), false_branch returns (tensor<i1>)
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected: stablehlo.if: result is tensor<3xf32>, should be tensor<2xf32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected: stablehlo.if: true_branch takes 1 arguments, must take none
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%i: tensor<i64>) {
  // expected: stablehlo.case: operand 0 is tensor<i64>, must be a ranked tensor of i32
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i64>) -> ()
  func.return
}
// -----
func.func @main(%i: tensor<i32>) {
  // expected: stablehlo.case: has no branches
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  func.return
}
// -----
func.func @main(%i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected: stablehlo.case: branch 0 returns (tensor<2xf32>), branch 1 returns (tensor<3xf32>)
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %y : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.while: operand 0 is tensor<i32>, cond takes tensor<i64> there
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i64>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.while: operand 0 is tensor<i32>, body takes tensor<i64> there
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i64>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.while: body returns 0 values, op has 1 operands
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return
  }) : (tensor<i32>) -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.while: cond returns tensor<i32>, must return tensor<i1>
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.while: result is tensor<i64>, should be tensor<i32>
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i64>
  func.return
}
// -----
func.func @main(%t: tuple<tensor<i32>, tensor<f32>>) {
  // expected: stablehlo.get_tuple_element: index = 2, but the tuple has 2 elements
  %0 = stablehlo.get_tuple_element %t[2] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%t: tuple<tensor<i32>, tensor<f32>>) {
  // expected: stablehlo.get_tuple_element: result is tensor<f32>, should be tensor<i32>
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.tuple: result is tuple<tensor<f32>>, should be tuple<tensor<i32>>
  %0 = "stablehlo.tuple"(%x) : (tensor<i32>) -> tuple<tensor<f32>>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.after_all: operand 0 is tensor<i32>, must be a token
  %0 = "stablehlo.after_all"(%x) : (tensor<i32>) -> !stablehlo.token
  func.return
}
// -----
func.func @main() {
  // expected: stablehlo.create_token: result 0 is tensor<i32>, must be a token
  %0 = "stablehlo.create_token"() : () -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<i32>) {
  // expected: stablehlo.optimization_barrier: operand 0 is tensor<i32>, result 0 is tensor<i64>: types differ
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<i32>) -> tensor<i64>
  func.return
}
// -----
func.func @main(%x: tensor<i32>, %y: tensor<i32>) {
  // expected: stablehlo.optimization_barrier: has 2 operands and 1 results, must have as many
  %0 = "stablehlo.optimization_barrier"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  func.return
}
// -----
func.func @main(%t: !stablehlo.token) {
  // expected: stablehlo.infeed: result 0 is !stablehlo.token, all but the last must be tensors
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, tensor<i32>)
  func.return
}
// -----
func.func @main(%t: !stablehlo.token) {
  // expected: stablehlo.infeed: layout has 2 entries for 1 tensors
  %0:2 = "stablehlo.infeed"(%t) {layout = [[0 : i64], [1 : i64]]} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  func.return
}
// -----
func.func @main(%t: !stablehlo.token, %x: tensor<i32>) {
  // expected: stablehlo.outfeed: operand 0 is !stablehlo.token, must be a ranked tensor of numbers or quantized numbers
  %0 = "stablehlo.outfeed"(%t, %x) : (!stablehlo.token, tensor<i32>) -> !stablehlo.token
  func.return
}
// -----
func.func @main(%t: !stablehlo.token, %x: tensor<i32>) {
  // expected: stablehlo.send: channel type is 2, must be 1 (DEVICE_TO_DEVICE) as is_host_transfer is false
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  func.return
}
// -----
func.func @main(%t: !stablehlo.token, %x: tensor<i32>) {
  // expected: stablehlo.send: channel type is 1, must be 2 (DEVICE_TO_HOST) as is_host_transfer is true
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  func.return
}
// -----
func.func @main(%t: !stablehlo.token) {
  // expected: stablehlo.recv: channel type is 1, must be 3 (HOST_TO_DEVICE) as is_host_transfer is true
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  func.return
}
// -----
func.func @main(%t: !stablehlo.token) {
  // expected: stablehlo.recv: last result is tensor<i32>, must be a token
  %0 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> tensor<i32>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: stablehlo.async_start: body holds stablehlo.negate, must hold a collective or a slice
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: stablehlo.async_start: operand 0 is tensor<2xf32>, body's argument 0 is tensor<3xf32>
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<3xf32>):
    %1 = stablehlo.slice %a [0:2] : (tensor<3xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  func.return
}
// -----
func.func @main(%f: !stablehlo.future<tensor<2xf32>>) {
  // expected: stablehlo.async_done: result is tensor<3xf32>, should be tensor<2xf32>
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<3xf32>
  func.return
}
