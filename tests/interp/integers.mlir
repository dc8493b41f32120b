// Integer arithmetic at its edges: no division traps, everything wraps, shifts by the width and more.
// Expected values: XLA's CPU backend.

func.func @add_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.add %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[-128, -127, -2, 0, -1, 9, 10, 127, 0, -128, 7, -128, 127, -5, 5, -9, -1, 126, 0]> : tensor<19xi8>
  func.return
}

// -----

func.func @subtract_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.subtract %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[126, 127, 0, 0, 1, 5, 4, 127, 0, -128, -7, -126, -127, -9, 9, -5, -1, -128, -2]> : tensor<19xi8>
  func.return
}

// -----

func.func @multiply_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.multiply %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[127, -128, 1, 0, -128, 14, 21, 0, 0, 0, 0, 127, -128, -14, -14, 14, 0, -127, -1]> : tensor<19xi8>
  func.return
}

// -----

func.func @divide_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.divide %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[127, -128, 1, 1, -1, 3, 2, -1, -1, -1, 0, 0, -128, -3, -3, 3, -1, -127, -1]> : tensor<19xi8>
  func.return
}

// -----

func.func @remainder_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.remainder %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, -1, 1, 1, 127, 0, -128, 0, 1, 0, -1, 1, -1, -1, 0, 0]> : tensor<19xi8>
  func.return
}

// -----

func.func @maximum_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.maximum %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[127, 1, 127, -128, 127, 7, 7, 127, 0, 0, 7, 127, -1, 2, 7, -2, 0, 127, 1]> : tensor<19xi8>
  func.return
}

// -----

func.func @minimum_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.minimum %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[1, -128, 127, -128, -128, 2, 3, 0, 0, -128, 0, 1, -128, -7, -2, -7, -1, -1, -1]> : tensor<19xi8>
  func.return
}

// -----

func.func @and_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.and %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[1, 0, 127, -128, 0, 2, 3, 0, 0, 0, 0, 1, -128, 0, 6, -8, 0, 127, 1]> : tensor<19xi8>
  func.return
}

// -----

func.func @or_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.or %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[127, -127, 127, -128, -1, 7, 7, 127, 0, -128, 7, 127, -1, -5, -1, -1, -1, -1, -1]> : tensor<19xi8>
  func.return
}

// -----

func.func @xor_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.xor %a, %b : tensor<19xi8>
  check.expect_eq_const %r, dense<[126, -127, 0, 0, -1, 5, 4, 127, 0, -128, 7, 126, 127, -5, -7, 7, -1, -128, -2]> : tensor<19xi8>
  func.return
}

// -----

func.func @shift_left_i8() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 127, 127, 127, 127, 127, 127, 127, -128, -128, -128, -128, -128, -128, -128]> : tensor<21xi8>
  %b = stablehlo.constant dense<[0, 1, 4, 7, 8, 9, -1, 0, 1, 4, 7, 8, 9, -1, 0, 1, 4, 7, 8, 9, -1]> : tensor<21xi8>
  %r = stablehlo.shift_left %a, %b : tensor<21xi8>
  check.expect_eq_const %r, dense<[1, 2, 16, -128, 0, 0, 0, 127, -2, -16, -128, 0, 0, 0, -128, 0, 0, 0, 0, 0, 0]> : tensor<21xi8>
  func.return
}

// -----

func.func @shift_right_logical_i8() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 127, 127, 127, 127, 127, 127, 127, -128, -128, -128, -128, -128, -128, -128]> : tensor<21xi8>
  %b = stablehlo.constant dense<[0, 1, 4, 7, 8, 9, -1, 0, 1, 4, 7, 8, 9, -1, 0, 1, 4, 7, 8, 9, -1]> : tensor<21xi8>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xi8>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 127, 63, 7, 0, 0, 0, 0, -128, 64, 8, 1, 0, 0, 0]> : tensor<21xi8>
  func.return
}

// -----

func.func @shift_right_arithmetic_i8() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 127, 127, 127, 127, 127, 127, 127, -128, -128, -128, -128, -128, -128, -128]> : tensor<21xi8>
  %b = stablehlo.constant dense<[0, 1, 4, 7, 8, 9, -1, 0, 1, 4, 7, 8, 9, -1, 0, 1, 4, 7, 8, 9, -1]> : tensor<21xi8>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xi8>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 127, 63, 7, 0, 0, 0, 0, -128, -64, -8, -1, -1, -1, -1]> : tensor<21xi8>
  func.return
}

// -----

func.func @power_i8() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, -127, -127, -127, -127, -127, -127, -127, -127]> : tensor<32xi8>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3]> : tensor<32xi8>
  %r = stablehlo.power %a, %b : tensor<32xi8>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 9, 27, -13, 0, 0, 0, 1, -127, 1, -127, -127, 0, 0, 0]> : tensor<32xi8>
  func.return
}

// -----

func.func @not_i8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 127, 126, -128, -1, -2, -7, -127]> : tensor<12xi8>
  %r = stablehlo.not %a : tensor<12xi8>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -128, -127, 127, 0, 1, 6, 126]> : tensor<12xi8>
  func.return
}

// -----

func.func @popcnt_i8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 127, 126, -128, -1, -2, -7, -127]> : tensor<12xi8>
  %r = stablehlo.popcnt %a : tensor<12xi8>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 7, 6, 1, 8, 7, 6, 2]> : tensor<12xi8>
  func.return
}

// -----

func.func @count_leading_zeros_i8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 127, 126, -128, -1, -2, -7, -127]> : tensor<12xi8>
  %r = stablehlo.count_leading_zeros %a : tensor<12xi8>
  check.expect_eq_const %r, dense<[8, 7, 6, 6, 5, 1, 1, 0, 0, 0, 0, 0]> : tensor<12xi8>
  func.return
}

// -----

func.func @abs_i8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 127, 126, -128, -1, -2, -7, -127]> : tensor<12xi8>
  %r = stablehlo.abs %a : tensor<12xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 127, 126, -128, 1, 2, 7, 127]> : tensor<12xi8>
  func.return
}

// -----

func.func @negate_i8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 127, 126, -128, -1, -2, -7, -127]> : tensor<12xi8>
  %r = stablehlo.negate %a : tensor<12xi8>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -127, -126, -128, 1, 2, 7, 127]> : tensor<12xi8>
  func.return
}

// -----

func.func @sign_i8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 127, 126, -128, -1, -2, -7, -127]> : tensor<12xi8>
  %r = stablehlo.sign %a : tensor<12xi8>
  check.expect_eq_const %r, dense<[0, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]> : tensor<12xi8>
  func.return
}

// -----

func.func @compare_eq_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<19xi8>, tensor<19xi8>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ne_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.compare NE, %a, %b, SIGNED : (tensor<19xi8>, tensor<19xi8>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ge_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.compare GE, %a, %b, SIGNED : (tensor<19xi8>, tensor<19xi8>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_gt_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.compare GT, %a, %b, SIGNED : (tensor<19xi8>, tensor<19xi8>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_le_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.compare LE, %a, %b, SIGNED : (tensor<19xi8>, tensor<19xi8>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_lt_i8() {
  %a = stablehlo.constant dense<[127, -128, 127, -128, -128, 7, 7, 127, 0, -128, 0, 1, -128, -7, 7, -7, -1, 127, -1]> : tensor<19xi8>
  %b = stablehlo.constant dense<[1, 1, 127, -128, 127, 2, 3, 0, 0, 0, 7, 127, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi8>
  %r = stablehlo.compare LT, %a, %b, SIGNED : (tensor<19xi8>, tensor<19xi8>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @add_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.add %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[-32768, -32767, -2, 0, -1, 9, 10, 32767, 0, -32768, 7, -32768, 32767, -5, 5, -9, -1, 32766, 0]> : tensor<19xi16>
  func.return
}

// -----

func.func @subtract_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.subtract %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[32766, 32767, 0, 0, 1, 5, 4, 32767, 0, -32768, -7, -32766, -32767, -9, 9, -5, -1, -32768, -2]> : tensor<19xi16>
  func.return
}

// -----

func.func @multiply_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.multiply %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[32767, -32768, 1, 0, -32768, 14, 21, 0, 0, 0, 0, 32767, -32768, -14, -14, 14, 0, -32767, -1]> : tensor<19xi16>
  func.return
}

// -----

func.func @divide_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.divide %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[32767, -32768, 1, 1, -1, 3, 2, -1, -1, -1, 0, 0, -32768, -3, -3, 3, -1, -32767, -1]> : tensor<19xi16>
  func.return
}

// -----

func.func @remainder_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.remainder %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, -1, 1, 1, 32767, 0, -32768, 0, 1, 0, -1, 1, -1, -1, 0, 0]> : tensor<19xi16>
  func.return
}

// -----

func.func @maximum_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.maximum %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[32767, 1, 32767, -32768, 32767, 7, 7, 32767, 0, 0, 7, 32767, -1, 2, 7, -2, 0, 32767, 1]> : tensor<19xi16>
  func.return
}

// -----

func.func @minimum_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.minimum %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[1, -32768, 32767, -32768, -32768, 2, 3, 0, 0, -32768, 0, 1, -32768, -7, -2, -7, -1, -1, -1]> : tensor<19xi16>
  func.return
}

// -----

func.func @and_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.and %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[1, 0, 32767, -32768, 0, 2, 3, 0, 0, 0, 0, 1, -32768, 0, 6, -8, 0, 32767, 1]> : tensor<19xi16>
  func.return
}

// -----

func.func @or_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.or %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[32767, -32767, 32767, -32768, -1, 7, 7, 32767, 0, -32768, 7, 32767, -1, -5, -1, -1, -1, -1, -1]> : tensor<19xi16>
  func.return
}

// -----

func.func @xor_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.xor %a, %b : tensor<19xi16>
  check.expect_eq_const %r, dense<[32766, -32767, 0, 0, -1, 5, 4, 32767, 0, -32768, 7, 32766, 32767, -5, -7, 7, -1, -32768, -2]> : tensor<19xi16>
  func.return
}

// -----

func.func @shift_left_i16() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 32767, 32767, 32767, 32767, 32767, 32767, 32767, -32768, -32768, -32768, -32768, -32768, -32768, -32768]> : tensor<21xi16>
  %b = stablehlo.constant dense<[0, 1, 8, 15, 16, 17, -1, 0, 1, 8, 15, 16, 17, -1, 0, 1, 8, 15, 16, 17, -1]> : tensor<21xi16>
  %r = stablehlo.shift_left %a, %b : tensor<21xi16>
  check.expect_eq_const %r, dense<[1, 2, 256, -32768, 0, 0, 0, 32767, -2, -256, -32768, 0, 0, 0, -32768, 0, 0, 0, 0, 0, 0]> : tensor<21xi16>
  func.return
}

// -----

func.func @shift_right_logical_i16() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 32767, 32767, 32767, 32767, 32767, 32767, 32767, -32768, -32768, -32768, -32768, -32768, -32768, -32768]> : tensor<21xi16>
  %b = stablehlo.constant dense<[0, 1, 8, 15, 16, 17, -1, 0, 1, 8, 15, 16, 17, -1, 0, 1, 8, 15, 16, 17, -1]> : tensor<21xi16>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xi16>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 32767, 16383, 127, 0, 0, 0, 0, -32768, 16384, 128, 1, 0, 0, 0]> : tensor<21xi16>
  func.return
}

// -----

func.func @shift_right_arithmetic_i16() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 32767, 32767, 32767, 32767, 32767, 32767, 32767, -32768, -32768, -32768, -32768, -32768, -32768, -32768]> : tensor<21xi16>
  %b = stablehlo.constant dense<[0, 1, 8, 15, 16, 17, -1, 0, 1, 8, 15, 16, 17, -1, 0, 1, 8, 15, 16, 17, -1]> : tensor<21xi16>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xi16>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 32767, 16383, 127, 0, 0, 0, 0, -32768, -16384, -128, -1, -1, -1, -1]> : tensor<21xi16>
  func.return
}

// -----

func.func @power_i16() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, -32767, -32767, -32767, -32767, -32767, -32767, -32767, -32767]> : tensor<32xi16>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3]> : tensor<32xi16>
  %r = stablehlo.power %a, %b : tensor<32xi16>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 0, 0, 0, 1, -32767, 1, -32767, -32767, 0, 0, 0]> : tensor<32xi16>
  func.return
}

// -----

func.func @not_i16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, -1, -2, -7, -32767]> : tensor<12xi16>
  %r = stablehlo.not %a : tensor<12xi16>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -32768, -32767, 32767, 0, 1, 6, 32766]> : tensor<12xi16>
  func.return
}

// -----

func.func @popcnt_i16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, -1, -2, -7, -32767]> : tensor<12xi16>
  %r = stablehlo.popcnt %a : tensor<12xi16>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 15, 14, 1, 16, 15, 14, 2]> : tensor<12xi16>
  func.return
}

// -----

func.func @count_leading_zeros_i16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, -1, -2, -7, -32767]> : tensor<12xi16>
  %r = stablehlo.count_leading_zeros %a : tensor<12xi16>
  check.expect_eq_const %r, dense<[16, 15, 14, 14, 13, 1, 1, 0, 0, 0, 0, 0]> : tensor<12xi16>
  func.return
}

// -----

func.func @abs_i16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, -1, -2, -7, -32767]> : tensor<12xi16>
  %r = stablehlo.abs %a : tensor<12xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, 1, 2, 7, 32767]> : tensor<12xi16>
  func.return
}

// -----

func.func @negate_i16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, -1, -2, -7, -32767]> : tensor<12xi16>
  %r = stablehlo.negate %a : tensor<12xi16>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -32767, -32766, -32768, 1, 2, 7, 32767]> : tensor<12xi16>
  func.return
}

// -----

func.func @sign_i16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 32767, 32766, -32768, -1, -2, -7, -32767]> : tensor<12xi16>
  %r = stablehlo.sign %a : tensor<12xi16>
  check.expect_eq_const %r, dense<[0, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]> : tensor<12xi16>
  func.return
}

// -----

func.func @compare_eq_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<19xi16>, tensor<19xi16>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ne_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.compare NE, %a, %b, SIGNED : (tensor<19xi16>, tensor<19xi16>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ge_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.compare GE, %a, %b, SIGNED : (tensor<19xi16>, tensor<19xi16>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_gt_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.compare GT, %a, %b, SIGNED : (tensor<19xi16>, tensor<19xi16>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_le_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.compare LE, %a, %b, SIGNED : (tensor<19xi16>, tensor<19xi16>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_lt_i16() {
  %a = stablehlo.constant dense<[32767, -32768, 32767, -32768, -32768, 7, 7, 32767, 0, -32768, 0, 1, -32768, -7, 7, -7, -1, 32767, -1]> : tensor<19xi16>
  %b = stablehlo.constant dense<[1, 1, 32767, -32768, 32767, 2, 3, 0, 0, 0, 7, 32767, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi16>
  %r = stablehlo.compare LT, %a, %b, SIGNED : (tensor<19xi16>, tensor<19xi16>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @add_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.add %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[-2147483648, -2147483647, -2, 0, -1, 9, 10, 2147483647, 0, -2147483648, 7, -2147483648, 2147483647, -5, 5, -9, -1, 2147483646, 0]> : tensor<19xi32>
  func.return
}

// -----

func.func @subtract_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.subtract %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[2147483646, 2147483647, 0, 0, 1, 5, 4, 2147483647, 0, -2147483648, -7, -2147483646, -2147483647, -9, 9, -5, -1, -2147483648, -2]> : tensor<19xi32>
  func.return
}

// -----

func.func @multiply_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.multiply %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[2147483647, -2147483648, 1, 0, -2147483648, 14, 21, 0, 0, 0, 0, 2147483647, -2147483648, -14, -14, 14, 0, -2147483647, -1]> : tensor<19xi32>
  func.return
}

// -----

func.func @divide_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.divide %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[2147483647, -2147483648, 1, 1, -1, 3, 2, -1, -1, -1, 0, 0, -2147483648, -3, -3, 3, -1, -2147483647, -1]> : tensor<19xi32>
  func.return
}

// -----

func.func @remainder_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.remainder %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, -1, 1, 1, 2147483647, 0, -2147483648, 0, 1, 0, -1, 1, -1, -1, 0, 0]> : tensor<19xi32>
  func.return
}

// -----

func.func @maximum_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.maximum %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[2147483647, 1, 2147483647, -2147483648, 2147483647, 7, 7, 2147483647, 0, 0, 7, 2147483647, -1, 2, 7, -2, 0, 2147483647, 1]> : tensor<19xi32>
  func.return
}

// -----

func.func @minimum_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.minimum %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[1, -2147483648, 2147483647, -2147483648, -2147483648, 2, 3, 0, 0, -2147483648, 0, 1, -2147483648, -7, -2, -7, -1, -1, -1]> : tensor<19xi32>
  func.return
}

// -----

func.func @and_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.and %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[1, 0, 2147483647, -2147483648, 0, 2, 3, 0, 0, 0, 0, 1, -2147483648, 0, 6, -8, 0, 2147483647, 1]> : tensor<19xi32>
  func.return
}

// -----

func.func @or_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.or %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[2147483647, -2147483647, 2147483647, -2147483648, -1, 7, 7, 2147483647, 0, -2147483648, 7, 2147483647, -1, -5, -1, -1, -1, -1, -1]> : tensor<19xi32>
  func.return
}

// -----

func.func @xor_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.xor %a, %b : tensor<19xi32>
  check.expect_eq_const %r, dense<[2147483646, -2147483647, 0, 0, -1, 5, 4, 2147483647, 0, -2147483648, 7, 2147483646, 2147483647, -5, -7, 7, -1, -2147483648, -2]> : tensor<19xi32>
  func.return
}

// -----

func.func @shift_left_i32() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648]> : tensor<21xi32>
  %b = stablehlo.constant dense<[0, 1, 16, 31, 32, 33, -1, 0, 1, 16, 31, 32, 33, -1, 0, 1, 16, 31, 32, 33, -1]> : tensor<21xi32>
  %r = stablehlo.shift_left %a, %b : tensor<21xi32>
  check.expect_eq_const %r, dense<[1, 2, 65536, -2147483648, 0, 0, 0, 2147483647, -2, -65536, -2147483648, 0, 0, 0, -2147483648, 0, 0, 0, 0, 0, 0]> : tensor<21xi32>
  func.return
}

// -----

func.func @shift_right_logical_i32() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648]> : tensor<21xi32>
  %b = stablehlo.constant dense<[0, 1, 16, 31, 32, 33, -1, 0, 1, 16, 31, 32, 33, -1, 0, 1, 16, 31, 32, 33, -1]> : tensor<21xi32>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xi32>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 2147483647, 1073741823, 32767, 0, 0, 0, 0, -2147483648, 1073741824, 32768, 1, 0, 0, 0]> : tensor<21xi32>
  func.return
}

// -----

func.func @shift_right_arithmetic_i32() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648]> : tensor<21xi32>
  %b = stablehlo.constant dense<[0, 1, 16, 31, 32, 33, -1, 0, 1, 16, 31, 32, 33, -1, 0, 1, 16, 31, 32, 33, -1]> : tensor<21xi32>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xi32>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 2147483647, 1073741823, 32767, 0, 0, 0, 0, -2147483648, -1073741824, -32768, -1, -1, -1, -1]> : tensor<21xi32>
  func.return
}

// -----

func.func @power_i32() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647]> : tensor<32xi32>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3]> : tensor<32xi32>
  %r = stablehlo.power %a, %b : tensor<32xi32>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 0, 0, 0, 1, -2147483647, 1, -2147483647, -2147483647, 0, 0, 0]> : tensor<32xi32>
  func.return
}

// -----

func.func @not_i32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, -1, -2, -7, -2147483647]> : tensor<12xi32>
  %r = stablehlo.not %a : tensor<12xi32>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -2147483648, -2147483647, 2147483647, 0, 1, 6, 2147483646]> : tensor<12xi32>
  func.return
}

// -----

func.func @popcnt_i32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, -1, -2, -7, -2147483647]> : tensor<12xi32>
  %r = stablehlo.popcnt %a : tensor<12xi32>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 31, 30, 1, 32, 31, 30, 2]> : tensor<12xi32>
  func.return
}

// -----

func.func @count_leading_zeros_i32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, -1, -2, -7, -2147483647]> : tensor<12xi32>
  %r = stablehlo.count_leading_zeros %a : tensor<12xi32>
  check.expect_eq_const %r, dense<[32, 31, 30, 30, 29, 1, 1, 0, 0, 0, 0, 0]> : tensor<12xi32>
  func.return
}

// -----

func.func @abs_i32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, -1, -2, -7, -2147483647]> : tensor<12xi32>
  %r = stablehlo.abs %a : tensor<12xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, 1, 2, 7, 2147483647]> : tensor<12xi32>
  func.return
}

// -----

func.func @negate_i32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, -1, -2, -7, -2147483647]> : tensor<12xi32>
  %r = stablehlo.negate %a : tensor<12xi32>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -2147483647, -2147483646, -2147483648, 1, 2, 7, 2147483647]> : tensor<12xi32>
  func.return
}

// -----

func.func @sign_i32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 2147483647, 2147483646, -2147483648, -1, -2, -7, -2147483647]> : tensor<12xi32>
  %r = stablehlo.sign %a : tensor<12xi32>
  check.expect_eq_const %r, dense<[0, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]> : tensor<12xi32>
  func.return
}

// -----

func.func @compare_eq_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ne_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.compare NE, %a, %b, SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ge_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.compare GE, %a, %b, SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_gt_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.compare GT, %a, %b, SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_le_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.compare LE, %a, %b, SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_lt_i32() {
  %a = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, -2147483648, 7, 7, 2147483647, 0, -2147483648, 0, 1, -2147483648, -7, 7, -7, -1, 2147483647, -1]> : tensor<19xi32>
  %b = stablehlo.constant dense<[1, 1, 2147483647, -2147483648, 2147483647, 2, 3, 0, 0, 0, 7, 2147483647, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi32>
  %r = stablehlo.compare LT, %a, %b, SIGNED : (tensor<19xi32>, tensor<19xi32>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @add_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.add %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[-9223372036854775808, -9223372036854775807, -2, 0, -1, 9, 10, 9223372036854775807, 0, -9223372036854775808, 7, -9223372036854775808, 9223372036854775807, -5, 5, -9, -1, 9223372036854775806, 0]> : tensor<19xi64>
  func.return
}

// -----

func.func @subtract_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.subtract %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[9223372036854775806, 9223372036854775807, 0, 0, 1, 5, 4, 9223372036854775807, 0, -9223372036854775808, -7, -9223372036854775806, -9223372036854775807, -9, 9, -5, -1, -9223372036854775808, -2]> : tensor<19xi64>
  func.return
}

// -----

func.func @multiply_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.multiply %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[9223372036854775807, -9223372036854775808, 1, 0, -9223372036854775808, 14, 21, 0, 0, 0, 0, 9223372036854775807, -9223372036854775808, -14, -14, 14, 0, -9223372036854775807, -1]> : tensor<19xi64>
  func.return
}

// -----

func.func @divide_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.divide %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[9223372036854775807, -9223372036854775808, 1, 1, -1, 3, 2, -1, -1, -1, 0, 0, -9223372036854775808, -3, -3, 3, -1, -9223372036854775807, -1]> : tensor<19xi64>
  func.return
}

// -----

func.func @remainder_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.remainder %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, -1, 1, 1, 9223372036854775807, 0, -9223372036854775808, 0, 1, 0, -1, 1, -1, -1, 0, 0]> : tensor<19xi64>
  func.return
}

// -----

func.func @maximum_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.maximum %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[9223372036854775807, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 7, 7, 9223372036854775807, 0, 0, 7, 9223372036854775807, -1, 2, 7, -2, 0, 9223372036854775807, 1]> : tensor<19xi64>
  func.return
}

// -----

func.func @minimum_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.minimum %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[1, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 2, 3, 0, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, -2, -7, -1, -1, -1]> : tensor<19xi64>
  func.return
}

// -----

func.func @and_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.and %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[1, 0, 9223372036854775807, -9223372036854775808, 0, 2, 3, 0, 0, 0, 0, 1, -9223372036854775808, 0, 6, -8, 0, 9223372036854775807, 1]> : tensor<19xi64>
  func.return
}

// -----

func.func @or_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.or %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[9223372036854775807, -9223372036854775807, 9223372036854775807, -9223372036854775808, -1, 7, 7, 9223372036854775807, 0, -9223372036854775808, 7, 9223372036854775807, -1, -5, -1, -1, -1, -1, -1]> : tensor<19xi64>
  func.return
}

// -----

func.func @xor_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.xor %a, %b : tensor<19xi64>
  check.expect_eq_const %r, dense<[9223372036854775806, -9223372036854775807, 0, 0, -1, 5, 4, 9223372036854775807, 0, -9223372036854775808, 7, 9223372036854775806, 9223372036854775807, -5, -7, 7, -1, -9223372036854775808, -2]> : tensor<19xi64>
  func.return
}

// -----

func.func @shift_left_i64() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808]> : tensor<21xi64>
  %b = stablehlo.constant dense<[0, 1, 32, 63, 64, 65, -1, 0, 1, 32, 63, 64, 65, -1, 0, 1, 32, 63, 64, 65, -1]> : tensor<21xi64>
  %r = stablehlo.shift_left %a, %b : tensor<21xi64>
  check.expect_eq_const %r, dense<[1, 2, 4294967296, -9223372036854775808, 0, 0, 0, 9223372036854775807, -2, -4294967296, -9223372036854775808, 0, 0, 0, -9223372036854775808, 0, 0, 0, 0, 0, 0]> : tensor<21xi64>
  func.return
}

// -----

func.func @shift_right_logical_i64() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808]> : tensor<21xi64>
  %b = stablehlo.constant dense<[0, 1, 32, 63, 64, 65, -1, 0, 1, 32, 63, 64, 65, -1, 0, 1, 32, 63, 64, 65, -1]> : tensor<21xi64>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xi64>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 9223372036854775807, 4611686018427387903, 2147483647, 0, 0, 0, 0, -9223372036854775808, 4611686018427387904, 2147483648, 1, 0, 0, 0]> : tensor<21xi64>
  func.return
}

// -----

func.func @shift_right_arithmetic_i64() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808]> : tensor<21xi64>
  %b = stablehlo.constant dense<[0, 1, 32, 63, 64, 65, -1, 0, 1, 32, 63, 64, 65, -1, 0, 1, 32, 63, 64, 65, -1]> : tensor<21xi64>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xi64>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 9223372036854775807, 4611686018427387903, 2147483647, 0, 0, 0, 0, -9223372036854775808, -4611686018427387904, -2147483648, -1, -1, -1, -1]> : tensor<21xi64>
  func.return
}

// -----

func.func @power_i64() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807]> : tensor<32xi64>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3, 0, 1, 2, 3, 5, -1, -2, -3]> : tensor<32xi64>
  %r = stablehlo.power %a, %b : tensor<32xi64>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 0, 0, 0, 1, -9223372036854775807, 1, -9223372036854775807, -9223372036854775807, 0, 0, 0]> : tensor<32xi64>
  func.return
}

// -----

func.func @not_i64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, -1, -2, -7, -9223372036854775807]> : tensor<12xi64>
  %r = stablehlo.not %a : tensor<12xi64>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -9223372036854775808, -9223372036854775807, 9223372036854775807, 0, 1, 6, 9223372036854775806]> : tensor<12xi64>
  func.return
}

// -----

func.func @popcnt_i64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, -1, -2, -7, -9223372036854775807]> : tensor<12xi64>
  %r = stablehlo.popcnt %a : tensor<12xi64>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 63, 62, 1, 64, 63, 62, 2]> : tensor<12xi64>
  func.return
}

// -----

func.func @count_leading_zeros_i64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, -1, -2, -7, -9223372036854775807]> : tensor<12xi64>
  %r = stablehlo.count_leading_zeros %a : tensor<12xi64>
  check.expect_eq_const %r, dense<[64, 63, 62, 62, 61, 1, 1, 0, 0, 0, 0, 0]> : tensor<12xi64>
  func.return
}

// -----

func.func @abs_i64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, -1, -2, -7, -9223372036854775807]> : tensor<12xi64>
  %r = stablehlo.abs %a : tensor<12xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, 1, 2, 7, 9223372036854775807]> : tensor<12xi64>
  func.return
}

// -----

func.func @negate_i64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, -1, -2, -7, -9223372036854775807]> : tensor<12xi64>
  %r = stablehlo.negate %a : tensor<12xi64>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -9223372036854775807, -9223372036854775806, -9223372036854775808, 1, 2, 7, 9223372036854775807]> : tensor<12xi64>
  func.return
}

// -----

func.func @sign_i64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 9223372036854775807, 9223372036854775806, -9223372036854775808, -1, -2, -7, -9223372036854775807]> : tensor<12xi64>
  %r = stablehlo.sign %a : tensor<12xi64>
  check.expect_eq_const %r, dense<[0, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]> : tensor<12xi64>
  func.return
}

// -----

func.func @compare_eq_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<19xi64>, tensor<19xi64>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ne_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.compare NE, %a, %b, SIGNED : (tensor<19xi64>, tensor<19xi64>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_ge_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.compare GE, %a, %b, SIGNED : (tensor<19xi64>, tensor<19xi64>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_gt_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.compare GT, %a, %b, SIGNED : (tensor<19xi64>, tensor<19xi64>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false, false, false, true, false, false, true, false]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_le_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.compare LE, %a, %b, SIGNED : (tensor<19xi64>, tensor<19xi64>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @compare_lt_i64() {
  %a = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808, 7, 7, 9223372036854775807, 0, -9223372036854775808, 0, 1, -9223372036854775808, -7, 7, -7, -1, 9223372036854775807, -1]> : tensor<19xi64>
  %b = stablehlo.constant dense<[1, 1, 9223372036854775807, -9223372036854775808, 9223372036854775807, 2, 3, 0, 0, 0, 7, 9223372036854775807, -1, 2, -2, -2, 0, -1, 1]> : tensor<19xi64>
  %r = stablehlo.compare LT, %a, %b, SIGNED : (tensor<19xi64>, tensor<19xi64>) -> tensor<19xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, true, true, true, true, true, false, true, true, false, true]> : tensor<19xi1>
  func.return
}

// -----

func.func @add_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.add %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[0, 1, 254, 0, 255, 9, 10, 255, 0, 0, 7, 0]> : tensor<12xui8>
  func.return
}

// -----

func.func @subtract_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.subtract %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[254, 255, 0, 0, 1, 5, 4, 255, 0, 0, 249, 2]> : tensor<12xui8>
  func.return
}

// -----

func.func @multiply_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.multiply %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[255, 0, 1, 0, 0, 14, 21, 0, 0, 0, 0, 255]> : tensor<12xui8>
  func.return
}

// -----

func.func @divide_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.divide %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[255, 0, 1, 255, 0, 3, 2, 255, 255, 255, 0, 0]> : tensor<12xui8>
  func.return
}

// -----

func.func @remainder_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.remainder %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, 0, 1, 1, 255, 0, 0, 0, 1]> : tensor<12xui8>
  func.return
}

// -----

func.func @maximum_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.maximum %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[255, 1, 255, 0, 255, 7, 7, 255, 0, 0, 7, 255]> : tensor<12xui8>
  func.return
}

// -----

func.func @minimum_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.minimum %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[1, 0, 255, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui8>
  func.return
}

// -----

func.func @and_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.and %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[1, 0, 255, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui8>
  func.return
}

// -----

func.func @or_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.or %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[255, 1, 255, 0, 255, 7, 7, 255, 0, 0, 7, 255]> : tensor<12xui8>
  func.return
}

// -----

func.func @xor_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.xor %a, %b : tensor<12xui8>
  check.expect_eq_const %r, dense<[254, 1, 0, 0, 255, 5, 4, 255, 0, 0, 7, 254]> : tensor<12xui8>
  func.return
}

// -----

func.func @shift_left_ui8() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui8>
  %b = stablehlo.constant dense<[0, 1, 4, 7, 8, 9, 255, 0, 1, 4, 7, 8, 9, 255, 0, 1, 4, 7, 8, 9, 255]> : tensor<21xui8>
  %r = stablehlo.shift_left %a, %b : tensor<21xui8>
  check.expect_eq_const %r, dense<[1, 2, 16, 128, 0, 0, 0, 255, 254, 240, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui8>
  func.return
}

// -----

func.func @shift_right_logical_ui8() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui8>
  %b = stablehlo.constant dense<[0, 1, 4, 7, 8, 9, 255, 0, 1, 4, 7, 8, 9, 255, 0, 1, 4, 7, 8, 9, 255]> : tensor<21xui8>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xui8>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 255, 127, 15, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui8>
  func.return
}

// -----

func.func @shift_right_arithmetic_ui8() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui8>
  %b = stablehlo.constant dense<[0, 1, 4, 7, 8, 9, 255, 0, 1, 4, 7, 8, 9, 255, 0, 1, 4, 7, 8, 9, 255]> : tensor<21xui8>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xui8>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui8>
  func.return
}

// -----

func.func @power_ui8() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127]> : tensor<20xui8>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5]> : tensor<20xui8>
  %r = stablehlo.power %a, %b : tensor<20xui8>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 1, 127, 1, 127, 127]> : tensor<20xui8>
  func.return
}

// -----

func.func @not_ui8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 255, 254, 0, 127]> : tensor<9xui8>
  %r = stablehlo.not %a : tensor<9xui8>
  check.expect_eq_const %r, dense<[255, 254, 253, 252, 248, 0, 1, 255, 128]> : tensor<9xui8>
  func.return
}

// -----

func.func @popcnt_ui8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 255, 254, 0, 127]> : tensor<9xui8>
  %r = stablehlo.popcnt %a : tensor<9xui8>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 8, 7, 0, 7]> : tensor<9xui8>
  func.return
}

// -----

func.func @count_leading_zeros_ui8() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 255, 254, 0, 127]> : tensor<9xui8>
  %r = stablehlo.count_leading_zeros %a : tensor<9xui8>
  check.expect_eq_const %r, dense<[8, 7, 6, 6, 5, 0, 0, 8, 1]> : tensor<9xui8>
  func.return
}

// -----

func.func @compare_eq_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ne_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.compare NE, %a, %b, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ge_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.compare GE, %a, %b, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_gt_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_le_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.compare LE, %a, %b, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_lt_ui8() {
  %a = stablehlo.constant dense<[255, 0, 255, 0, 0, 7, 7, 255, 0, 0, 0, 1]> : tensor<12xui8>
  %b = stablehlo.constant dense<[1, 1, 255, 0, 255, 2, 3, 0, 0, 0, 7, 255]> : tensor<12xui8>
  %r = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @add_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.add %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[0, 1, 65534, 0, 65535, 9, 10, 65535, 0, 0, 7, 0]> : tensor<12xui16>
  func.return
}

// -----

func.func @subtract_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.subtract %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[65534, 65535, 0, 0, 1, 5, 4, 65535, 0, 0, 65529, 2]> : tensor<12xui16>
  func.return
}

// -----

func.func @multiply_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.multiply %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[65535, 0, 1, 0, 0, 14, 21, 0, 0, 0, 0, 65535]> : tensor<12xui16>
  func.return
}

// -----

func.func @divide_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.divide %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[65535, 0, 1, 65535, 0, 3, 2, 65535, 65535, 65535, 0, 0]> : tensor<12xui16>
  func.return
}

// -----

func.func @remainder_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.remainder %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, 0, 1, 1, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  func.return
}

// -----

func.func @maximum_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.maximum %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[65535, 1, 65535, 0, 65535, 7, 7, 65535, 0, 0, 7, 65535]> : tensor<12xui16>
  func.return
}

// -----

func.func @minimum_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.minimum %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[1, 0, 65535, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui16>
  func.return
}

// -----

func.func @and_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.and %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[1, 0, 65535, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui16>
  func.return
}

// -----

func.func @or_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.or %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[65535, 1, 65535, 0, 65535, 7, 7, 65535, 0, 0, 7, 65535]> : tensor<12xui16>
  func.return
}

// -----

func.func @xor_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.xor %a, %b : tensor<12xui16>
  check.expect_eq_const %r, dense<[65534, 1, 0, 0, 65535, 5, 4, 65535, 0, 0, 7, 65534]> : tensor<12xui16>
  func.return
}

// -----

func.func @shift_left_ui16() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui16>
  %b = stablehlo.constant dense<[0, 1, 8, 15, 16, 17, 65535, 0, 1, 8, 15, 16, 17, 65535, 0, 1, 8, 15, 16, 17, 65535]> : tensor<21xui16>
  %r = stablehlo.shift_left %a, %b : tensor<21xui16>
  check.expect_eq_const %r, dense<[1, 2, 256, 32768, 0, 0, 0, 65535, 65534, 65280, 32768, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui16>
  func.return
}

// -----

func.func @shift_right_logical_ui16() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui16>
  %b = stablehlo.constant dense<[0, 1, 8, 15, 16, 17, 65535, 0, 1, 8, 15, 16, 17, 65535, 0, 1, 8, 15, 16, 17, 65535]> : tensor<21xui16>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xui16>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 65535, 32767, 255, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui16>
  func.return
}

// -----

func.func @shift_right_arithmetic_ui16() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui16>
  %b = stablehlo.constant dense<[0, 1, 8, 15, 16, 17, 65535, 0, 1, 8, 15, 16, 17, 65535, 0, 1, 8, 15, 16, 17, 65535]> : tensor<21xui16>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xui16>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui16>
  func.return
}

// -----

func.func @power_ui16() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767]> : tensor<20xui16>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5]> : tensor<20xui16>
  %r = stablehlo.power %a, %b : tensor<20xui16>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 1, 32767, 1, 32767, 32767]> : tensor<20xui16>
  func.return
}

// -----

func.func @not_ui16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 65535, 65534, 0, 32767]> : tensor<9xui16>
  %r = stablehlo.not %a : tensor<9xui16>
  check.expect_eq_const %r, dense<[65535, 65534, 65533, 65532, 65528, 0, 1, 65535, 32768]> : tensor<9xui16>
  func.return
}

// -----

func.func @popcnt_ui16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 65535, 65534, 0, 32767]> : tensor<9xui16>
  %r = stablehlo.popcnt %a : tensor<9xui16>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 16, 15, 0, 15]> : tensor<9xui16>
  func.return
}

// -----

func.func @count_leading_zeros_ui16() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 65535, 65534, 0, 32767]> : tensor<9xui16>
  %r = stablehlo.count_leading_zeros %a : tensor<9xui16>
  check.expect_eq_const %r, dense<[16, 15, 14, 14, 13, 0, 0, 16, 1]> : tensor<9xui16>
  func.return
}

// -----

func.func @compare_eq_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<12xui16>, tensor<12xui16>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ne_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.compare NE, %a, %b, UNSIGNED : (tensor<12xui16>, tensor<12xui16>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ge_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.compare GE, %a, %b, UNSIGNED : (tensor<12xui16>, tensor<12xui16>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_gt_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<12xui16>, tensor<12xui16>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_le_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.compare LE, %a, %b, UNSIGNED : (tensor<12xui16>, tensor<12xui16>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_lt_ui16() {
  %a = stablehlo.constant dense<[65535, 0, 65535, 0, 0, 7, 7, 65535, 0, 0, 0, 1]> : tensor<12xui16>
  %b = stablehlo.constant dense<[1, 1, 65535, 0, 65535, 2, 3, 0, 0, 0, 7, 65535]> : tensor<12xui16>
  %r = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<12xui16>, tensor<12xui16>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @add_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.add %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[0, 1, 4294967294, 0, 4294967295, 9, 10, 4294967295, 0, 0, 7, 0]> : tensor<12xui32>
  func.return
}

// -----

func.func @subtract_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.subtract %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[4294967294, 4294967295, 0, 0, 1, 5, 4, 4294967295, 0, 0, 4294967289, 2]> : tensor<12xui32>
  func.return
}

// -----

func.func @multiply_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.multiply %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[4294967295, 0, 1, 0, 0, 14, 21, 0, 0, 0, 0, 4294967295]> : tensor<12xui32>
  func.return
}

// -----

func.func @divide_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.divide %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[4294967295, 0, 1, 4294967295, 0, 3, 2, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<12xui32>
  func.return
}

// -----

func.func @remainder_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.remainder %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, 0, 1, 1, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  func.return
}

// -----

func.func @maximum_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.maximum %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[4294967295, 1, 4294967295, 0, 4294967295, 7, 7, 4294967295, 0, 0, 7, 4294967295]> : tensor<12xui32>
  func.return
}

// -----

func.func @minimum_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.minimum %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[1, 0, 4294967295, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui32>
  func.return
}

// -----

func.func @and_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.and %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[1, 0, 4294967295, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui32>
  func.return
}

// -----

func.func @or_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.or %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[4294967295, 1, 4294967295, 0, 4294967295, 7, 7, 4294967295, 0, 0, 7, 4294967295]> : tensor<12xui32>
  func.return
}

// -----

func.func @xor_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.xor %a, %b : tensor<12xui32>
  check.expect_eq_const %r, dense<[4294967294, 1, 0, 0, 4294967295, 5, 4, 4294967295, 0, 0, 7, 4294967294]> : tensor<12xui32>
  func.return
}

// -----

func.func @shift_left_ui32() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui32>
  %b = stablehlo.constant dense<[0, 1, 16, 31, 32, 33, 4294967295, 0, 1, 16, 31, 32, 33, 4294967295, 0, 1, 16, 31, 32, 33, 4294967295]> : tensor<21xui32>
  %r = stablehlo.shift_left %a, %b : tensor<21xui32>
  check.expect_eq_const %r, dense<[1, 2, 65536, 2147483648, 0, 0, 0, 4294967295, 4294967294, 4294901760, 2147483648, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui32>
  func.return
}

// -----

func.func @shift_right_logical_ui32() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui32>
  %b = stablehlo.constant dense<[0, 1, 16, 31, 32, 33, 4294967295, 0, 1, 16, 31, 32, 33, 4294967295, 0, 1, 16, 31, 32, 33, 4294967295]> : tensor<21xui32>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xui32>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 4294967295, 2147483647, 65535, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui32>
  func.return
}

// -----

func.func @shift_right_arithmetic_ui32() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui32>
  %b = stablehlo.constant dense<[0, 1, 16, 31, 32, 33, 4294967295, 0, 1, 16, 31, 32, 33, 4294967295, 0, 1, 16, 31, 32, 33, 4294967295]> : tensor<21xui32>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xui32>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui32>
  func.return
}

// -----

func.func @power_ui32() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<20xui32>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5]> : tensor<20xui32>
  %r = stablehlo.power %a, %b : tensor<20xui32>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 1, 2147483647, 1, 2147483647, 2147483647]> : tensor<20xui32>
  func.return
}

// -----

func.func @not_ui32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 4294967295, 4294967294, 0, 2147483647]> : tensor<9xui32>
  %r = stablehlo.not %a : tensor<9xui32>
  check.expect_eq_const %r, dense<[4294967295, 4294967294, 4294967293, 4294967292, 4294967288, 0, 1, 4294967295, 2147483648]> : tensor<9xui32>
  func.return
}

// -----

func.func @popcnt_ui32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 4294967295, 4294967294, 0, 2147483647]> : tensor<9xui32>
  %r = stablehlo.popcnt %a : tensor<9xui32>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 32, 31, 0, 31]> : tensor<9xui32>
  func.return
}

// -----

func.func @count_leading_zeros_ui32() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 4294967295, 4294967294, 0, 2147483647]> : tensor<9xui32>
  %r = stablehlo.count_leading_zeros %a : tensor<9xui32>
  check.expect_eq_const %r, dense<[32, 31, 30, 30, 29, 0, 0, 32, 1]> : tensor<9xui32>
  func.return
}

// -----

func.func @compare_eq_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ne_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.compare NE, %a, %b, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ge_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.compare GE, %a, %b, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_gt_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_le_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.compare LE, %a, %b, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_lt_ui32() {
  %a = stablehlo.constant dense<[4294967295, 0, 4294967295, 0, 0, 7, 7, 4294967295, 0, 0, 0, 1]> : tensor<12xui32>
  %b = stablehlo.constant dense<[1, 1, 4294967295, 0, 4294967295, 2, 3, 0, 0, 0, 7, 4294967295]> : tensor<12xui32>
  %r = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @add_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.add %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[0, 1, 18446744073709551614, 0, 18446744073709551615, 9, 10, 18446744073709551615, 0, 0, 7, 0]> : tensor<12xui64>
  func.return
}

// -----

func.func @subtract_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.subtract %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[18446744073709551614, 18446744073709551615, 0, 0, 1, 5, 4, 18446744073709551615, 0, 0, 18446744073709551609, 2]> : tensor<12xui64>
  func.return
}

// -----

func.func @multiply_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.multiply %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 0, 1, 0, 0, 14, 21, 0, 0, 0, 0, 18446744073709551615]> : tensor<12xui64>
  func.return
}

// -----

func.func @divide_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.divide %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 0, 1, 18446744073709551615, 0, 3, 2, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<12xui64>
  func.return
}

// -----

func.func @remainder_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.remainder %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[0, 0, 0, 0, 0, 1, 1, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  func.return
}

// -----

func.func @maximum_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.maximum %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 1, 18446744073709551615, 0, 18446744073709551615, 7, 7, 18446744073709551615, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  func.return
}

// -----

func.func @minimum_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.minimum %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[1, 0, 18446744073709551615, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui64>
  func.return
}

// -----

func.func @and_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.and %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[1, 0, 18446744073709551615, 0, 0, 2, 3, 0, 0, 0, 0, 1]> : tensor<12xui64>
  func.return
}

// -----

func.func @or_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.or %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 1, 18446744073709551615, 0, 18446744073709551615, 7, 7, 18446744073709551615, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  func.return
}

// -----

func.func @xor_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.xor %a, %b : tensor<12xui64>
  check.expect_eq_const %r, dense<[18446744073709551614, 1, 0, 0, 18446744073709551615, 5, 4, 18446744073709551615, 0, 0, 7, 18446744073709551614]> : tensor<12xui64>
  func.return
}

// -----

func.func @shift_left_ui64() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui64>
  %b = stablehlo.constant dense<[0, 1, 32, 63, 64, 65, 18446744073709551615, 0, 1, 32, 63, 64, 65, 18446744073709551615, 0, 1, 32, 63, 64, 65, 18446744073709551615]> : tensor<21xui64>
  %r = stablehlo.shift_left %a, %b : tensor<21xui64>
  check.expect_eq_const %r, dense<[1, 2, 4294967296, 9223372036854775808, 0, 0, 0, 18446744073709551615, 18446744073709551614, 18446744069414584320, 9223372036854775808, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui64>
  func.return
}

// -----

func.func @shift_right_logical_ui64() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui64>
  %b = stablehlo.constant dense<[0, 1, 32, 63, 64, 65, 18446744073709551615, 0, 1, 32, 63, 64, 65, 18446744073709551615, 0, 1, 32, 63, 64, 65, 18446744073709551615]> : tensor<21xui64>
  %r = stablehlo.shift_right_logical %a, %b : tensor<21xui64>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 18446744073709551615, 9223372036854775807, 4294967295, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui64>
  func.return
}

// -----

func.func @shift_right_arithmetic_ui64() {
  %a = stablehlo.constant dense<[1, 1, 1, 1, 1, 1, 1, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui64>
  %b = stablehlo.constant dense<[0, 1, 32, 63, 64, 65, 18446744073709551615, 0, 1, 32, 63, 64, 65, 18446744073709551615, 0, 1, 32, 63, 64, 65, 18446744073709551615]> : tensor<21xui64>
  %r = stablehlo.shift_right_arithmetic %a, %b : tensor<21xui64>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 0, 0, 0]> : tensor<21xui64>
  func.return
}

// -----

func.func @power_ui64() {
  %a = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<20xui64>
  %b = stablehlo.constant dense<[0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5]> : tensor<20xui64>
  %r = stablehlo.power %a, %b : tensor<20xui64>
  check.expect_eq_const %r, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 9, 27, 243, 1, 9223372036854775807, 1, 9223372036854775807, 9223372036854775807]> : tensor<20xui64>
  func.return
}

// -----

func.func @not_ui64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 18446744073709551615, 18446744073709551614, 0, 9223372036854775807]> : tensor<9xui64>
  %r = stablehlo.not %a : tensor<9xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 18446744073709551614, 18446744073709551613, 18446744073709551612, 18446744073709551608, 0, 1, 18446744073709551615, 9223372036854775808]> : tensor<9xui64>
  func.return
}

// -----

func.func @popcnt_ui64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 18446744073709551615, 18446744073709551614, 0, 9223372036854775807]> : tensor<9xui64>
  %r = stablehlo.popcnt %a : tensor<9xui64>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 64, 63, 0, 63]> : tensor<9xui64>
  func.return
}

// -----

func.func @count_leading_zeros_ui64() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 7, 18446744073709551615, 18446744073709551614, 0, 9223372036854775807]> : tensor<9xui64>
  %r = stablehlo.count_leading_zeros %a : tensor<9xui64>
  check.expect_eq_const %r, dense<[64, 63, 62, 62, 61, 0, 0, 64, 1]> : tensor<9xui64>
  func.return
}

// -----

func.func @compare_eq_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<12xui64>, tensor<12xui64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false, false, false, false, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ne_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.compare NE, %a, %b, UNSIGNED : (tensor<12xui64>, tensor<12xui64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, true, true, true, true, false, false, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_ge_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.compare GE, %a, %b, UNSIGNED : (tensor<12xui64>, tensor<12xui64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, true, true, true, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_gt_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<12xui64>, tensor<12xui64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, true, true, false, false, false, false]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_le_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.compare LE, %a, %b, UNSIGNED : (tensor<12xui64>, tensor<12xui64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, false, false, true, true, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @compare_lt_ui64() {
  %a = stablehlo.constant dense<[18446744073709551615, 0, 18446744073709551615, 0, 0, 7, 7, 18446744073709551615, 0, 0, 0, 1]> : tensor<12xui64>
  %b = stablehlo.constant dense<[1, 1, 18446744073709551615, 0, 18446744073709551615, 2, 3, 0, 0, 0, 7, 18446744073709551615]> : tensor<12xui64>
  %r = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<12xui64>, tensor<12xui64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, false, false, false, true, true]> : tensor<12xi1>
  func.return
}
