// pass: cse,fold,dce
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %no = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.custom_call @tenfold.assert(%yes) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "held", tenfold.place = ""} : (tensor<i1>) -> ()
  stablehlo.custom_call @tenfold.assert(%no) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "never", tenfold.place = ""} : (tensor<i1>) -> ()
  stablehlo.custom_call @tenfold.assert(%p) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "maybe", tenfold.place = ""} : (tensor<i1>) -> ()
  // A branch that checks is not dead, though nobody reads what it gives.
  %0 = "stablehlo.if"(%p) ({
    stablehlo.custom_call @tenfold.assert(%p) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "inside", tenfold.place = ""} : (tensor<i1>) -> ()
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
// expect:
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %no = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.custom_call @tenfold.assert(%no) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "never", tenfold.place = ""} : (tensor<i1>) -> ()
  stablehlo.custom_call @tenfold.assert(%p) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "maybe", tenfold.place = ""} : (tensor<i1>) -> ()
  %0 = "stablehlo.if"(%p) ({
    stablehlo.custom_call @tenfold.assert(%p) {has_side_effect = true, tenfold.exception = "RuntimeError", tenfold.message = "inside", tenfold.place = ""} : (tensor<i1>) -> ()
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
