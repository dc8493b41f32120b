// func.mlir: functions, calls, custom calls, test programs. The line before an op says what is wrong with it.
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected: func.return: returns (tensor<2xf32>), @main declares (tensor<3xf32>)
  func.return %x : tensor<2xf32>
}
// -----
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {
  // expected: func.call: is given (tensor<3xf32>), @f takes (tensor<2xf32>)
  %0 = func.call @f(%x) : (tensor<3xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
// -----
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected: func.call: has results (tensor<3xf32>), @f returns (tensor<2xf32>)
  %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
// -----
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected: func.call: @g is not defined
  %0 = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
// -----
// expected: func.func: @main is declared without a body, so it must be private
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32>
// -----
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) {
  // expected: stablehlo.composite: name is "plain", must be namespaced: "my_namespace.my_op"
  %0 = stablehlo.composite "plain" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  // expected: stablehlo.composite: @g is not defined
  %1 = stablehlo.composite "my.op" %x {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
  // expected: stablehlo.composite: has results (tensor<3xf32>), @f returns (tensor<2xf32>)
  %2 = stablehlo.composite "my.op" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: has operand_layouts alone, must have both or neither
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: operand 0 is tensor<2x3xf32>, its layout [0, 0] is no permutation of its dimensions
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<2x3xf32>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: backend_config must be a string for api_version API_VERSION_ORIGINAL
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", backend_config = {a = 1}} : (tensor<2x3xf32>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: backend_config must be a dictionary for api_version API_VERSION_TYPED_FFI
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", backend_config = "a", api_version = 4 : i32} : (tensor<2x3xf32>) -> tensor<f32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: output_operand_aliases[0] names operand 1 of 1
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: output_operand_aliases[0]: operand_tuple_indices [0] lead nowhere in tensor<2x3xf32>
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [0]>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  // expected: stablehlo.custom_call: output_operand_aliases[0] ties operand tensor<2x3xf32> to result tensor<3xf32>
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: stablehlo.custom_call: result [] is a buffer, which output_operand_aliases must tie to an operand
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f"} : (tensor<2xf32>) -> memref<2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: stablehlo.custom_call: @Pin takes tensor<2xf32> and gives memref<3xf32>
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "Pin"} : (tensor<2xf32>) -> memref<3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected: check.expect_eq: operand 0 is tensor<2xf32>, operand 1 is tensor<2xf64>: types differ
  "check.expect_eq"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: check.expect_eq_const: operand is tensor<2xf32>, value is tensor<3xf32>: types differ
  "check.expect_eq_const"(%x) {value = dense<1.0> : tensor<3xf32>} : (tensor<2xf32>) -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xi32>) {
  // expected: check.expect_almost_eq: operand 0 is tensor<2xi32>, must be a tensor of floats, complex numbers or per-tensor quantized numbers
  "check.expect_almost_eq"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: check.expect_almost_eq_const: operand is tensor<2xf32>, value is tensor<2xf64>: types differ
  "check.expect_almost_eq_const"(%x) {value = dense<1.0> : tensor<2xf64>} : (tensor<2xf32>) -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: check.expect_close: min_ulp_difference is 2, max_ulp_difference 1
  "check.expect_close"(%x, %x) {max_ulp_difference = 1 : ui64, min_ulp_difference = 2 : ui64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: check.expect_serialized_eq: attribute 'probe_id' is missing, must be a string
  "check.expect_serialized_eq"(%x) : (tensor<2xf32>) -> ()
  func.return
}
// -----
func.func @main(%x: !stablehlo.token) {
  // expected: interpreter.print: operand 0 is !stablehlo.token, must be a tensor of numbers or quantized numbers
  "interpreter.print"(%x) : (!stablehlo.token) -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: interpreter.probe: operand is tensor<2xf32>, result is tensor<3xf32>: types differ
  %0 = "interpreter.probe"(%x) {probe_id = "p"} : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}
// -----
func.func @main() {
  // expected: interpreter.run_parallel: @g is not defined
  "interpreter.run_parallel"() {programs = [[@g]]} : () -> ()
  func.return
}
// -----
func.func @main() {
  // expected: interpreter.run_parallel: programs[1] has 0 functions, programs[0] has 1
  "interpreter.run_parallel"() {programs = [[@main], []]} : () -> ()
  func.return
}
// -----
func.func @main(%x: tensor<2xf32>) {
  // expected: interpreter.run_parallel: has 0 operands, the programs take 1
  "interpreter.run_parallel"() {programs = [[@main]]} : () -> ()
  func.return
}
