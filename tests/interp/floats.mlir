// Float arithmetic that must be exact, on every float type, with its zeros, infinities and NaN.
// Expected values: XLA's CPU backend.

func.func @add_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.add %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x7C00, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7E00, 0x7E00, 0x7C00, 0x7C00, 0x7E00, 0x7C00, 1.0e+01, 2.998046875e-01, 1.2e+01, 1.0e+00, -7.66796875e+00]> : tensor<22xf16>
  func.return
}

// -----

func.func @subtract_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.subtract %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 9.5e+00, -9.5e+00, 0.0e+00, 0x7C00, 1.0e+00, -1.0e+00, -1.0e+00, 0x7E00, 0x7E00, 0x7C00, 0xFC00, 0xFC00, 0x7C00, 0.0e+00, -9.99755859375e-02, -8.0e+00, -5.0e+00, -8.3359375e+00]> : tensor<22xf16>
  func.return
}

// -----

func.func @multiply_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.multiply %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x7C00, 0xFC00, 0.0e+00, -0.0e+00, 0.0e+00, 0x7E00, 0x7E00, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 2.5e+01, 1.9989013671875e-02, 2.0e+01, -6.0e+00, -2.666015625e+00]> : tensor<22xf16>
  func.return
}

// -----

func.func @divide_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.divide %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0x7E00, 0x7E00, 0x7E00, 3.33251953125e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x7C00, 0xFC00, 0.0e+00, 0x7E00, 0x7E00, 0x7C00, 0.0e+00, 0x7E00, 0x7C00, 1.0e+00, 5.0e-01, 1.99951171875e-01, -6.6650390625e-01, -2.4e+01]> : tensor<22xf16>
  func.return
}

// -----

func.func @maximum_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.maximum %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, 0.0e+00, 1.0e+00, 0x7E00, 0x7E00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  func.return
}

// -----

func.func @minimum_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.minimum %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 0x7E00, 1.0e+00, 1.0e+00, 0xFC00, 0.0e+00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  func.return
}

// -----

func.func @remainder_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.remainder %a, %b : tensor<22xf16>
  check.expect_eq_const %r, dense<[0x7E00, 0x7E00, 0x7E00, 1.0e+00, 1.5e+00, -1.5e+00, 0.0e+00, 0.0e+00, 0x7E00, 0x7E00, 0.0e+00, 0x7E00, 0x7E00, 0x7E00, 1.0e+00, 0x7E00, 0x7E00, 0.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -1.953125e-03]> : tensor<22xf16>
  func.return
}

// -----

func.func @compare_eq_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf16>, tensor<22xf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf16>, tensor<22xf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf16>, tensor<22xf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf16>, tensor<22xf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf16>, tensor<22xf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 6.5504e+04, 6.5504e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E00, 1.0e+00, 0x7C00, 1.0e+00, 0xFC00, 0x7C00, 5.0e+00, 9.99755859375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 6.5504e+04, -6.5504e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E00, 1.0e+00, 0x7C00, 0x7C00, 0.0e+00, 5.0e+00, 1.99951171875e-01, 1.0e+01, 3.0e+00, 3.33251953125e-01]> : tensor<22xf16>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf16>, tensor<22xf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.abs %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.490234375e+00, 7.75e+00, 6.5504e+04, 6.5504e+04, 0x7C00, 0x7C00, 0x7E00]> : tensor<14xf16>
  func.return
}

// -----

func.func @negate_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.negate %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.490234375e+00, 7.75e+00, -6.5504e+04, 6.5504e+04, 0xFC00, 0x7C00, 0xFE00]> : tensor<14xf16>
  func.return
}

// -----

func.func @sign_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.sign %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7E00]> : tensor<14xf16>
  func.return
}

// -----

func.func @floor_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.floor %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  func.return
}

// -----

func.func @ceil_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.ceil %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -7.0e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  func.return
}

// -----

func.func @round_nearest_afz_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  func.return
}

// -----

func.func @round_nearest_even_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.round_nearest_even %a : tensor<14xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 3.0e+00, -8.0e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  func.return
}

// -----

func.func @is_finite_f16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.490234375e+00, -7.75e+00, 6.5504e+04, -6.5504e+04, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.is_finite %a : (tensor<14xf16>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @reduce_precision_f16_e5m10() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.reduce_precision %a, format = e5m10 : tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @reduce_precision_f16_e8m7() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.reduce_precision %a, format = e8m7 : tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 0x7C00, 9.9945068359375e-04, -9.9945068359375e-04, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @reduce_precision_f16_e4m3() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.reduce_precision %a, format = e4m3 : tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.25e+00, 0x7C00, 0.0e+00, -0.0e+00, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @reduce_precision_f16_e5m2() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.reduce_precision %a, format = e5m2 : tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7C00, 9.765625e-04, -9.765625e-04, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @reduce_precision_f16_e8m23() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.reduce_precision %a, format = e8m23 : tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @reduce_precision_f16_e2m1() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.reduce_precision %a, format = e2m1 : tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7C00, 0.0e+00, -0.0e+00, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @clamp_f16() {
  %lo = stablehlo.constant dense<-1.0e+00> : tensor<f16>
  %hi = stablehlo.constant dense<2.0e+00> : tensor<f16>
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7C00, 0x7C00, 0xFC00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  %r = stablehlo.clamp %lo, %a, %hi : (tensor<f16>, tensor<12xf16>, tensor<f16>) -> tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 2.0e+00, 2.0e+00, 1.0004043579101562e-03, -1.0004043579101562e-03, 2.0e+00, 2.0e+00, -1.0e+00, 0x7E00, 0.0e+00]> : tensor<12xf16>
  func.return
}

// -----

func.func @add_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.add %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x7F80, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7FC0, 0x7FC0, 0x7F80, 0x7F80, 0x7FC0, 0x7F80, 1.0e+01, 3.0078125e-01, 1.2e+01, 1.0e+00, -7.65625e+00]> : tensor<22xbf16>
  func.return
}

// -----

func.func @subtract_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.subtract %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 9.5e+00, -9.5e+00, 0.0e+00, 0x7F80, 1.0e+00, -1.0e+00, -1.0e+00, 0x7FC0, 0x7FC0, 0x7F80, 0xFF80, 0xFF80, 0x7F80, 0.0e+00, -1.0009765625e-01, -8.0e+00, -5.0e+00, -8.3125e+00]> : tensor<22xbf16>
  func.return
}

// -----

func.func @multiply_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.multiply %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x7F80, 0xFF80, 0.0e+00, -0.0e+00, 0.0e+00, 0x7FC0, 0x7FC0, 0x7F80, 0x7F80, 0xFF80, 0x7FC0, 2.5e+01, 2.001953125e-02, 2.0e+01, -6.0e+00, -2.671875e+00]> : tensor<22xbf16>
  func.return
}

// -----

func.func @divide_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.divide %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0x7FC0, 0x7FC0, 0x7FC0, 3.33984375e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x7F80, 0xFF80, 0.0e+00, 0x7FC0, 0x7FC0, 0x7F80, 0.0e+00, 0x7FC0, 0x7F80, 1.0e+00, 5.0e-01, 2.001953125e-01, -6.6796875e-01, -2.4e+01]> : tensor<22xbf16>
  func.return
}

// -----

func.func @maximum_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.maximum %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, 0.0e+00, 1.0e+00, 0x7FC0, 0x7FC0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  func.return
}

// -----

func.func @minimum_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.minimum %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 0x7FC0, 1.0e+00, 1.0e+00, 0xFF80, 0.0e+00, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  func.return
}

// -----

func.func @remainder_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.remainder %a, %b : tensor<22xbf16>
  check.expect_eq_const %r, dense<[0x7FC0, 0x7FC0, 0x7FC0, 1.0e+00, 1.5e+00, -1.5e+00, 0.0e+00, 0.0e+00, 0x7FC0, 0x7FC0, 0.0e+00, 0x7FC0, 0x7FC0, 0x7FC0, 1.0e+00, 0x7FC0, 0x7FC0, 0.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -3.18359375e-01]> : tensor<22xbf16>
  func.return
}

// -----

func.func @compare_eq_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_total_gt_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, true, true, false, false, true, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_total_lt_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, true, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_total_le_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 1.0e+00, 0xFF80, 0x7F80, 5.0e+00, 1.0009765625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xbf16>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC0, 1.0e+00, 0x7F80, 0x7F80, 0.0e+00, 5.0e+00, 2.001953125e-01, 1.0e+01, 3.0e+00, 3.33984375e-01]> : tensor<22xbf16>
  %r = stablehlo.compare LE, %a, %b, TOTALORDER : (tensor<22xbf16>, tensor<22xbf16>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, false, false, true, true, false, true, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.abs %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.484375e+00, 7.75e+00, 3.3895313892515355e+38, 3.3895313892515355e+38, 0x7F80, 0x7F80, 0x7FC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @negate_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.negate %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.484375e+00, 7.75e+00, -3.3895313892515355e+38, 3.3895313892515355e+38, 0xFF80, 0x7F80, 0xFFC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @sign_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.sign %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7FC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @floor_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.floor %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @ceil_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.ceil %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -7.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @round_nearest_afz_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.round_nearest_afz %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @round_nearest_even_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.round_nearest_even %a : tensor<14xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 3.0e+00, -8.0e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  func.return
}

// -----

func.func @is_finite_bf16() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.484375e+00, -7.75e+00, 3.3895313892515355e+38, -3.3895313892515355e+38, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.is_finite %a : (tensor<14xbf16>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @reduce_precision_bf16_e5m10() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.reduce_precision %a, format = e5m10 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 0x7F80, 9.9945068359375e-04, -9.9945068359375e-04, 0x7F80, 0x7F80, 0xFF80, 0x7FC0, 0.0e+00]> : tensor<12xbf16>
  func.return
}

// -----

func.func @reduce_precision_bf16_e8m7() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.reduce_precision %a, format = e8m7 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  func.return
}

// -----

func.func @reduce_precision_bf16_e4m3() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.reduce_precision %a, format = e4m3 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.25e+00, 0x7F80, 0.0e+00, -0.0e+00, 0x7F80, 0x7F80, 0xFF80, 0x7FC0, 0.0e+00]> : tensor<12xbf16>
  func.return
}

// -----

func.func @reduce_precision_bf16_e5m2() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.reduce_precision %a, format = e5m2 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7F80, 9.765625e-04, -9.765625e-04, 0x7F80, 0x7F80, 0xFF80, 0x7FC0, 0.0e+00]> : tensor<12xbf16>
  func.return
}

// -----

func.func @reduce_precision_bf16_e8m23() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.reduce_precision %a, format = e8m23 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  func.return
}

// -----

func.func @reduce_precision_bf16_e2m1() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.reduce_precision %a, format = e2m1 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7F80, 0.0e+00, -0.0e+00, 0x7F80, 0x7F80, 0xFF80, 0x7FC0, 0.0e+00]> : tensor<12xbf16>
  func.return
}

// -----

func.func @clamp_bf16() {
  %lo = stablehlo.constant dense<-1.0e+00> : tensor<bf16>
  %hi = stablehlo.constant dense<2.0e+00> : tensor<bf16>
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7F80, 0xFF80, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  %r = stablehlo.clamp %lo, %a, %hi : (tensor<bf16>, tensor<12xbf16>, tensor<bf16>) -> tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 2.0e+00, 2.0e+00, 9.9945068359375e-04, -9.9945068359375e-04, 2.0e+00, 2.0e+00, -1.0e+00, 0x7FC0, 9.98402083170343e-31]> : tensor<12xbf16>
  func.return
}

// -----

func.func @add_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.add %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x7F800000, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7F800000, 1.0e+01, 3.0e-01, 1.2e+01, 1.0e+00, -7.6666665e+00]> : tensor<22xf32>
  func.return
}

// -----

func.func @subtract_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.subtract %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 9.5e+00, -9.5e+00, 0.0e+00, 0x7F800000, 1.0e+00, -1.0e+00, -1.0e+00, 0x7FC00000, 0x7FC00000, 0x7F800000, 0xFF800000, 0xFF800000, 0x7F800000, 0.0e+00, -1.0e-01, -8.0e+00, -5.0e+00, -8.333333e+00]> : tensor<22xf32>
  func.return
}

// -----

func.func @multiply_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.multiply %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x7F800000, 0xFF800000, 0.0e+00, -0.0e+00, 0.0e+00, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 2.5e+01, 2.0000001e-02, 2.0e+01, -6.0e+00, -2.6666667e+00]> : tensor<22xf32>
  func.return
}

// -----

func.func @divide_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.divide %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 3.3333334e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x7F800000, 0xFF800000, 0.0e+00, 0x7FC00000, 0x7FC00000, 0x7F800000, 0.0e+00, 0x7FC00000, 0x7F800000, 1.0e+00, 5.0e-01, 2.0e-01, -6.666667e-01, -2.4e+01]> : tensor<22xf32>
  func.return
}

// -----

func.func @maximum_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.maximum %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, 0.0e+00, 1.0e+00, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  func.return
}

// -----

func.func @minimum_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.minimum %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 0x7FC00000, 1.0e+00, 1.0e+00, 0xFF800000, 0.0e+00, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  func.return
}

// -----

func.func @remainder_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.remainder %a, %b : tensor<22xf32>
  check.expect_eq_const %r, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 1.0e+00, 1.5e+00, -1.5e+00, 0.0e+00, 0.0e+00, 0x7FC00000, 0x7FC00000, 0.0e+00, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.0e+00, 0x7FC00000, 0x7FC00000, 0.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -3.333331e-01]> : tensor<22xf32>
  func.return
}

// -----

func.func @compare_eq_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_total_gt_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, true, false, false, true, false, false, true, true, false, false, true, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_total_lt_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, true, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_total_le_f32() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.4028235e+38, 3.4028235e+38, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 1.0e+00, 0xFF800000, 0x7F800000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf32>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.4028235e+38, -3.4028235e+38, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FC00000, 1.0e+00, 0x7F800000, 0x7F800000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.3333334e-01]> : tensor<22xf32>
  %r = stablehlo.compare LE, %a, %b, TOTALORDER : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, false, true, true, false, true, true, false, false, true, true, false, true, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.abs %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.49e+00, 7.75e+00, 3.4028235e+38, 3.4028235e+38, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @negate_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.negate %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.49e+00, 7.75e+00, -3.4028235e+38, 3.4028235e+38, 0xFF800000, 0x7F800000, 0xFFC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @sign_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.sign %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7FC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @floor_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.floor %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @ceil_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.ceil %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -7.0e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @round_nearest_afz_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @round_nearest_even_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.round_nearest_even %a : tensor<14xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 3.0e+00, -8.0e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

// -----

func.func @is_finite_f32() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 3.4028235e+38, -3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.is_finite %a : (tensor<14xf32>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @reduce_precision_f32_e5m10() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.reduce_precision %a, format = e5m10 : tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.140625e+00, 6.5504e+04, 1.0004044e-03, -1.0004044e-03, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00]> : tensor<12xf32>
  func.return
}

// -----

func.func @reduce_precision_f32_e8m7() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.reduce_precision %a, format = e8m7 : tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.994507e-04, -9.994507e-04, 7.0144e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 9.984021e-31]> : tensor<12xf32>
  func.return
}

// -----

func.func @reduce_precision_f32_e4m3() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.reduce_precision %a, format = e4m3 : tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.25e+00, 0x7F800000, 0.0e+00, -0.0e+00, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00]> : tensor<12xf32>
  func.return
}

// -----

func.func @reduce_precision_f32_e5m2() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.reduce_precision %a, format = e5m2 : tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7F800000, 9.765625e-04, -9.765625e-04, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00]> : tensor<12xf32>
  func.return
}

// -----

func.func @reduce_precision_f32_e8m23() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.reduce_precision %a, format = e8m23 : tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  func.return
}

// -----

func.func @reduce_precision_f32_e2m1() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.reduce_precision %a, format = e2m1 : tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7F800000, 0.0e+00, -0.0e+00, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00]> : tensor<12xf32>
  func.return
}

// -----

func.func @clamp_f32() {
  %lo = stablehlo.constant dense<-1.0e+00> : tensor<f32>
  %hi = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  %r = stablehlo.clamp %lo, %a, %hi : (tensor<f32>, tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009766e+00, 2.0e+00, 2.0e+00, 1.0e-03, -1.0e-03, 2.0e+00, 2.0e+00, -1.0e+00, 0x7FC00000, 1.0e-30]> : tensor<12xf32>
  func.return
}

// -----

func.func @add_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.add %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x7FF0000000000000, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 1.0e+01, 3.0000000000000004e-01, 1.2e+01, 1.0e+00, -7.666666666666667e+00]> : tensor<22xf64>
  func.return
}

// -----

func.func @subtract_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.subtract %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 9.5e+00, -9.5e+00, 0.0e+00, 0x7FF0000000000000, 1.0e+00, -1.0e+00, -1.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0.0e+00, -1.0e-01, -8.0e+00, -5.0e+00, -8.333333333333334e+00]> : tensor<22xf64>
  func.return
}

// -----

func.func @multiply_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.multiply %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x7FF0000000000000, 0xFFF0000000000000, 0.0e+00, -0.0e+00, 0.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 2.5e+01, 2.0000000000000004e-02, 2.0e+01, -6.0e+00, -2.6666666666666665e+00]> : tensor<22xf64>
  func.return
}

// -----

func.func @divide_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.divide %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 3.333333333333333e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x7FF0000000000000, 0xFFF0000000000000, 0.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0.0e+00, 0x7FF8000000000000, 0x7FF0000000000000, 1.0e+00, 5.0e-01, 2.0e-01, -6.666666666666666e-01, -2.4e+01]> : tensor<22xf64>
  func.return
}

// -----

func.func @maximum_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.maximum %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, 0.0e+00, 1.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  func.return
}

// -----

func.func @minimum_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.minimum %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 1.0e+00, 1.0e+00, 0xFFF0000000000000, 0.0e+00, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  func.return
}

// -----

func.func @remainder_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.remainder %a, %b : tensor<22xf64>
  check.expect_eq_const %r, dense<[0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 1.0e+00, 1.5e+00, -1.5e+00, 0.0e+00, 0.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 1.0e+00, 0x7FF8000000000000, 0x7FF8000000000000, 0.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -4.440892098500626e-16]> : tensor<22xf64>
  func.return
}

// -----

func.func @compare_eq_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f64() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.0e+00, -1.0e+00, 0.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 1.0e+00, 0xFFF0000000000000, 0x7FF0000000000000, 5.0e+00, 1.0e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf64>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0.0e+00, 5.0e+00, 2.0e-01, 1.0e+01, 3.0e+00, 3.333333333333333e-01]> : tensor<22xf64>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.abs %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.49e+00, 7.75e+00, 1.7976931348623157e+308, 1.7976931348623157e+308, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @negate_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.negate %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.49e+00, 7.75e+00, -1.7976931348623157e+308, 1.7976931348623157e+308, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @sign_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.sign %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7FF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @floor_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.floor %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @ceil_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.ceil %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -7.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @round_nearest_afz_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @round_nearest_even_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.round_nearest_even %a : tensor<14xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 3.0e+00, -8.0e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  func.return
}

// -----

func.func @is_finite_f64() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.49e+00, -7.75e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = stablehlo.is_finite %a : (tensor<14xf64>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @reduce_precision_f64_e5m10() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.reduce_precision %a, format = e5m10 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.140625e+00, 6.5504e+04, 1.0004043579101562e-03, -1.0004043579101562e-03, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0e+00]> : tensor<12xf64>
  func.return
}

// -----

func.func @reduce_precision_f64_e8m7() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.reduce_precision %a, format = e8m7 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.140625e+00, 6.5536e+04, 9.9945068359375e-04, -9.9945068359375e-04, 7.0144e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 9.98402083170343e-31]> : tensor<12xf64>
  func.return
}

// -----

func.func @reduce_precision_f64_e4m3() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.reduce_precision %a, format = e4m3 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.25e+00, 0x7FF0000000000000, 0.0e+00, -0.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0e+00]> : tensor<12xf64>
  func.return
}

// -----

func.func @reduce_precision_f64_e5m2() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.reduce_precision %a, format = e5m2 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7FF0000000000000, 9.765625e-04, -9.765625e-04, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0e+00]> : tensor<12xf64>
  func.return
}

// -----

func.func @reduce_precision_f64_e8m23() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.reduce_precision %a, format = e8m23 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.141590118408203e+00, 6.5504e+04, 1.0000000474974513e-03, -1.0000000474974513e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0000000031710769e-30]> : tensor<12xf64>
  func.return
}

// -----

func.func @reduce_precision_f64_e2m1() {
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.reduce_precision %a, format = e2m1 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 3.0e+00, 0x7FF0000000000000, 0.0e+00, -0.0e+00, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0e+00]> : tensor<12xf64>
  func.return
}

// -----

func.func @clamp_f64() {
  %lo = stablehlo.constant dense<-1.0e+00> : tensor<f64>
  %hi = stablehlo.constant dense<2.0e+00> : tensor<f64>
  %a = stablehlo.constant dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 3.14159e+00, 6.5504e+04, 1.0e-03, -1.0e-03, 7.0e+04, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  %r = stablehlo.clamp %lo, %a, %hi : (tensor<f64>, tensor<12xf64>, tensor<f64>) -> tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0009765625e+00, 2.0e+00, 2.0e+00, 1.0e-03, -1.0e-03, 2.0e+00, 2.0e+00, -1.0e+00, 0x7FF8000000000000, 1.0e-30]> : tensor<12xf64>
  func.return
}

// -----

func.func @add_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.add %a, %b : tensor<22xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x7F, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F, 1.0e+01, 3.125e-01, 1.2e+01, 1.0e+00, -7.5e+00]> : tensor<22xf8E4M3FN>
  func.return
}

// -----

func.func @subtract_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 1.0e+01, -1.0e+01, 0.0e+00, 0x7F, 1.0e+00, -1.0e+00, -1.0e+00, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F, 0.0e+00, -1.015625e-01, -8.0e+00, -5.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  func.return
}

// -----

func.func @multiply_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x7F, 0xFF, 0.0e+00, -0.0e+00, 0.0e+00, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F, 2.4e+01, 2.1484375e-02, 2.0e+01, -6.0e+00, -2.75e+00]> : tensor<22xf8E4M3FN>
  func.return
}

// -----

func.func @divide_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.divide %a, %b : tensor<22xf8E4M3FN>
  check.expect_eq_const %r, dense<[0x7F, 0x7F, 0x7F, 3.4375e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x7F, 0xFF, 0.0e+00, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F, 1.0e+00, 5.0e-01, 2.03125e-01, -6.875e-01, -2.4e+01]> : tensor<22xf8E4M3FN>
  func.return
}

// -----

func.func @maximum_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 4.48e+02, 4.48e+02, 1.0e+00, 0.0e+00, 1.0e+00, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  func.return
}

// -----

func.func @minimum_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 4.48e+02, -4.48e+02, 0.0e+00, -1.0e+00, 0.0e+00, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  func.return
}

// -----

func.func @compare_eq_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E4M3FN>, tensor<22xf8E4M3FN>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E4M3FN>, tensor<22xf8E4M3FN>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E4M3FN>, tensor<22xf8E4M3FN>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E4M3FN>, tensor<22xf8E4M3FN>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E4M3FN>, tensor<22xf8E4M3FN>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, false, false, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 4.48e+02, 4.48e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7F, 1.0e+00, 0x7F, 1.0e+00, 0xFF, 0x7F, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FN>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 4.48e+02, -4.48e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7F, 1.0e+00, 0x7F, 0x7F, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FN>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E4M3FN>, tensor<22xf8E4M3FN>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.abs %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 8.0e+00, 4.48e+02, 4.48e+02, 0x7F, 0x7F, 0x7F]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @negate_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.negate %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 8.0e+00, -4.48e+02, 4.48e+02, 0xFF, 0x7F, 0xFF]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @sign_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.sign %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @floor_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.floor %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @ceil_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.ceil %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @round_nearest_afz_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @round_nearest_even_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  func.return
}

// -----

func.func @is_finite_f8E4M3FN() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 4.48e+02, -4.48e+02, 0x7F, 0xFF, 0x7F]> : tensor<14xf8E4M3FN>
  %r = stablehlo.is_finite %a : (tensor<14xf8E4M3FN>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @add_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.add %a, %b : tensor<22xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 6.0e+00, -6.0e+00, 0x7C, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7F, 0x7F, 0x7C, 0x7C, 0x7F, 0x7C, 1.0e+01, 2.5e-01, 1.2e+01, 1.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  func.return
}

// -----

func.func @subtract_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 1.0e+01, -1.0e+01, 0.0e+00, 0x7C, 1.0e+00, -1.0e+00, -1.0e+00, 0x7F, 0x7F, 0x7C, 0xFC, 0xFC, 0x7C, 0.0e+00, -9.375e-02, -8.0e+00, -5.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  func.return
}

// -----

func.func @multiply_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.6e+01, -1.6e+01, 0x7C, 0xFC, 0.0e+00, -0.0e+00, 0.0e+00, 0x7F, 0x7F, 0x7C, 0x7C, 0xFC, 0x7F, 2.4e+01, 1.5625e-02, 2.0e+01, -6.0e+00, -2.5e+00]> : tensor<22xf8E5M2>
  func.return
}

// -----

func.func @divide_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.divide %a, %b : tensor<22xf8E5M2>
  check.expect_eq_const %r, dense<[0x7F, 0x7F, 0x7F, 3.125e-01, -4.0e+00, -4.0e+00, 1.0e+00, -1.0e+00, 0x7C, 0xFC, 0.0e+00, 0x7F, 0x7F, 0x7C, 0.0e+00, 0x7F, 0x7C, 1.0e+00, 5.0e-01, 1.875e-01, -6.25e-01, -2.4e+01]> : tensor<22xf8E5M2>
  func.return
}

// -----

func.func @maximum_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, 0.0e+00, 1.0e+00, 0x7F, 0x7F, 0x7C, 0x7C, 0x7C, 0x7C, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  func.return
}

// -----

func.func @minimum_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, -1.0e+00, 0.0e+00, 0x7F, 0x7F, 1.0e+00, 1.0e+00, 0xFC, 0.0e+00, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  func.return
}

// -----

func.func @compare_eq_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E5M2>, tensor<22xf8E5M2>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E5M2>, tensor<22xf8E5M2>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E5M2>, tensor<22xf8E5M2>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E5M2>, tensor<22xf8E5M2>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E5M2>, tensor<22xf8E5M2>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x7E, 1.0e+00, 0x7C, 1.0e+00, 0xFC, 0x7C, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7E, 1.0e+00, 0x7C, 0x7C, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E5M2>, tensor<22xf8E5M2>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.abs %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 8.0e+00, 5.7344e+04, 5.7344e+04, 0x7C, 0x7C, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @negate_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.negate %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 8.0e+00, -5.7344e+04, 5.7344e+04, 0xFC, 0x7C, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @sign_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.sign %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @floor_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.floor %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @ceil_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.ceil %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @round_nearest_afz_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @round_nearest_even_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7F]> : tensor<14xf8E5M2>
  func.return
}

// -----

func.func @is_finite_f8E5M2() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x7C, 0xFC, 0x7E]> : tensor<14xf8E5M2>
  %r = stablehlo.is_finite %a : (tensor<14xf8E5M2>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @add_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.add %a, %b : tensor<22xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x78, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x7C, 0x7C, 0x78, 0x78, 0x7C, 0x78, 1.0e+01, 3.125e-01, 1.2e+01, 1.0e+00, -7.5e+00]> : tensor<22xf8E4M3>
  func.return
}

// -----

func.func @subtract_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 1.0e+01, -1.0e+01, 0.0e+00, 0x78, 1.0e+00, -1.0e+00, -1.0e+00, 0x7C, 0x7C, 0x78, 0xF8, 0xF8, 0x78, 0.0e+00, -1.015625e-01, -8.0e+00, -5.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  func.return
}

// -----

func.func @multiply_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x78, 0xF8, 0.0e+00, -0.0e+00, 0.0e+00, 0x7C, 0x7C, 0x78, 0x78, 0xF8, 0x7C, 2.4e+01, 2.1484375e-02, 2.0e+01, -6.0e+00, -2.75e+00]> : tensor<22xf8E4M3>
  func.return
}

// -----

func.func @divide_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.divide %a, %b : tensor<22xf8E4M3>
  check.expect_eq_const %r, dense<[0x7C, 0x7C, 0x7C, 3.4375e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x78, 0xF8, 0.0e+00, 0x7C, 0x7C, 0x78, 0.0e+00, 0x7C, 0x78, 1.0e+00, 5.0e-01, 2.03125e-01, -6.875e-01, -2.4e+01]> : tensor<22xf8E4M3>
  func.return
}

// -----

func.func @maximum_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 2.4e+02, 2.4e+02, 1.0e+00, 0.0e+00, 1.0e+00, 0x7C, 0x7C, 0x78, 0x78, 0x78, 0x78, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  func.return
}

// -----

func.func @minimum_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 2.4e+02, -2.4e+02, 0.0e+00, -1.0e+00, 0.0e+00, 0x7C, 0x7C, 1.0e+00, 1.0e+00, 0xF8, 0.0e+00, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  func.return
}

// -----

func.func @compare_eq_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E4M3>, tensor<22xf8E4M3>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E4M3>, tensor<22xf8E4M3>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E4M3>, tensor<22xf8E4M3>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E4M3>, tensor<22xf8E4M3>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E4M3>, tensor<22xf8E4M3>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x7C, 1.0e+00, 0x78, 1.0e+00, 0xF8, 0x78, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x7C, 1.0e+00, 0x78, 0x78, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E4M3>, tensor<22xf8E4M3>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.abs %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 8.0e+00, 2.4e+02, 2.4e+02, 0x78, 0x78, 0x7C]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @negate_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.negate %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 8.0e+00, -2.4e+02, 2.4e+02, 0xF8, 0x78, 0xFC]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @sign_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.sign %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7C]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @floor_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.floor %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @ceil_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.ceil %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @round_nearest_afz_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @round_nearest_even_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  func.return
}

// -----

func.func @is_finite_f8E4M3() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x78, 0xF8, 0x7C]> : tensor<14xf8E4M3>
  %r = stablehlo.is_finite %a : (tensor<14xf8E4M3>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @add_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.add %a, %b : tensor<22xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x70, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x78, 0x78, 0x70, 0x70, 0x78, 0x70, 1.0e+01, 2.96875e-01, 1.2e+01, 1.0e+00, -7.75e+00]> : tensor<22xf8E3M4>
  func.return
}

// -----

func.func @subtract_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 9.5e+00, -9.5e+00, 0.0e+00, 0x70, 1.0e+00, -1.0e+00, -1.0e+00, 0x78, 0x78, 0x70, 0xF0, 0xF0, 0x70, 0.0e+00, -1.09375e-01, -8.0e+00, -5.0e+00, -8.5e+00]> : tensor<22xf8E3M4>
  func.return
}

// -----

func.func @multiply_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x70, 0xF0, 0.0e+00, -0.0e+00, 0.0e+00, 0x78, 0x78, 0x70, 0x70, 0xF0, 0x78, 0x70, 1.5625e-02, 0x70, -6.0e+00, -2.625e+00]> : tensor<22xf8E3M4>
  func.return
}

// -----

func.func @divide_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.divide %a, %b : tensor<22xf8E3M4>
  check.expect_eq_const %r, dense<[0x78, 0x78, 0x78, 3.28125e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x70, 0xF0, 0.0e+00, 0x78, 0x78, 0x70, 0.0e+00, 0x78, 0x70, 1.0e+00, 4.6875e-01, 2.03125e-01, -6.5625e-01, 0xF0]> : tensor<22xf8E3M4>
  func.return
}

// -----

func.func @maximum_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 1.55e+01, 1.55e+01, 1.0e+00, 0.0e+00, 1.0e+00, 0x78, 0x78, 0x70, 0x70, 0x70, 0x70, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  func.return
}

// -----

func.func @minimum_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, -0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 1.55e+01, -1.55e+01, 0.0e+00, -1.0e+00, 0.0e+00, 0x78, 0x78, 1.0e+00, 1.0e+00, 0xF0, 0.0e+00, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  func.return
}

// -----

func.func @compare_eq_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E3M4>, tensor<22xf8E3M4>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E3M4>, tensor<22xf8E3M4>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E3M4>, tensor<22xf8E3M4>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, true, false, false, true, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E3M4>, tensor<22xf8E3M4>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, true, false, false, true, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E3M4>, tensor<22xf8E3M4>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, true, true, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 1.55e+01, 1.55e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x78, 1.0e+00, 0x70, 1.0e+00, 0xF0, 0x70, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E3M4>
  %b = stablehlo.constant dense<[0.0e+00, -0.0e+00, -0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 1.55e+01, -1.55e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x78, 1.0e+00, 0x70, 0x70, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.28125e-01]> : tensor<22xf8E3M4>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E3M4>, tensor<22xf8E3M4>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, true, true, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.abs %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 7.75e+00, 1.55e+01, 1.55e+01, 0x70, 0x70, 0x78]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @negate_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.negate %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 7.75e+00, -1.55e+01, 1.55e+01, 0xF0, 0x70, 0xF8]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @sign_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.sign %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x78]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @floor_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.floor %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 1.5e+01, 0xF0, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @ceil_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.ceil %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -7.0e+00, 0x70, -1.5e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @round_nearest_afz_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 0x70, 0xF0, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @round_nearest_even_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 0.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 0x70, 0xF0, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  func.return
}

// -----

func.func @is_finite_f8E3M4() {
  %a = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -7.75e+00, 1.55e+01, -1.55e+01, 0x70, 0xF0, 0x78]> : tensor<14xf8E3M4>
  %r = stablehlo.is_finite %a : (tensor<14xf8E3M4>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @add_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.add %a, %b : tensor<22xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x80, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1.0e+01, 3.125e-01, 1.2e+01, 1.0e+00, -7.5e+00]> : tensor<22xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @subtract_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 1.0e+01, -1.0e+01, 0.0e+00, 0x80, 1.0e+00, -1.0e+00, -1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0.0e+00, -1.015625e-01, -8.0e+00, -5.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @multiply_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x80, 0x80, 0.0e+00, 0.0e+00, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2.4e+01, 2.1484375e-02, 2.0e+01, -6.0e+00, -2.75e+00]> : tensor<22xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @divide_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.divide %a, %b : tensor<22xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0x80, 0x80, 0x80, 3.4375e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x80, 0x80, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1.0e+00, 5.0e-01, 2.03125e-01, -6.875e-01, -2.4e+01]> : tensor<22xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @maximum_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 3.0e+01, 3.0e+01, 1.0e+00, 0.0e+00, 1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @minimum_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 3.0e+01, -3.0e+01, 0.0e+00, -1.0e+00, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @compare_eq_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E4M3B11FNUZ>, tensor<22xf8E4M3B11FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E4M3B11FNUZ>, tensor<22xf8E4M3B11FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E4M3B11FNUZ>, tensor<22xf8E4M3B11FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E4M3B11FNUZ>, tensor<22xf8E4M3B11FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E4M3B11FNUZ>, tensor<22xf8E4M3B11FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, false, false, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 3.0e+01, 3.0e+01, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3B11FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 3.0e+01, -3.0e+01, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3B11FNUZ>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E4M3B11FNUZ>, tensor<22xf8E4M3B11FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.abs %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 8.0e+00, 3.0e+01, 3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @negate_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.negate %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 8.0e+00, -3.0e+01, 3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @sign_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.sign %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @floor_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.floor %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @ceil_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.ceil %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, 0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @round_nearest_afz_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @round_nearest_even_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @is_finite_f8E4M3B11FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 3.0e+01, -3.0e+01, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3B11FNUZ>
  %r = stablehlo.is_finite %a : (tensor<14xf8E4M3B11FNUZ>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @add_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.add %a, %b : tensor<22xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 4.0e+00, 5.5e+00, -5.5e+00, 0x80, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1.0e+01, 3.125e-01, 1.2e+01, 1.0e+00, -7.5e+00]> : tensor<22xf8E4M3FNUZ>
  func.return
}

// -----

func.func @subtract_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 1.0e+01, -1.0e+01, 0.0e+00, 0x80, 1.0e+00, -1.0e+00, -1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0.0e+00, -1.015625e-01, -8.0e+00, -5.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  func.return
}

// -----

func.func @multiply_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -1.5e+01, -1.5e+01, 0x80, 0x80, 0.0e+00, 0.0e+00, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2.4e+01, 2.1484375e-02, 2.0e+01, -6.0e+00, -2.75e+00]> : tensor<22xf8E4M3FNUZ>
  func.return
}

// -----

func.func @divide_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.divide %a, %b : tensor<22xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0x80, 0x80, 0x80, 3.4375e-01, -3.75e+00, -3.75e+00, 1.0e+00, -1.0e+00, 0x80, 0x80, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1.0e+00, 5.0e-01, 2.03125e-01, -6.875e-01, -2.4e+01]> : tensor<22xf8E4M3FNUZ>
  func.return
}

// -----

func.func @maximum_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, 7.5e+00, 2.0e+00, 2.4e+02, 2.4e+02, 1.0e+00, 0.0e+00, 1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  func.return
}

// -----

func.func @minimum_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, -2.0e+00, -7.5e+00, 2.4e+02, -2.4e+02, 0.0e+00, -1.0e+00, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  func.return
}

// -----

func.func @compare_eq_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E4M3FNUZ>, tensor<22xf8E4M3FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E4M3FNUZ>, tensor<22xf8E4M3FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E4M3FNUZ>, tensor<22xf8E4M3FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E4M3FNUZ>, tensor<22xf8E4M3FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E4M3FNUZ>, tensor<22xf8E4M3FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, false, false, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 7.5e+00, -7.5e+00, 2.4e+02, 2.4e+02, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 1.015625e-01, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E4M3FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 2.4e+02, -2.4e+02, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 2.03125e-01, 1.0e+01, 3.0e+00, 3.4375e-01]> : tensor<22xf8E4M3FNUZ>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E4M3FNUZ>, tensor<22xf8E4M3FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.abs %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 8.0e+00, 2.4e+02, 2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @negate_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.negate %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 8.0e+00, -2.4e+02, 2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @sign_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.sign %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @floor_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.floor %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @ceil_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.ceil %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, 0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @round_nearest_afz_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @round_nearest_even_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  func.return
}

// -----

func.func @is_finite_f8E4M3FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 2.4e+02, -2.4e+02, 0x80, 0x80, 0x80]> : tensor<14xf8E4M3FNUZ>
  %r = stablehlo.is_finite %a : (tensor<14xf8E4M3FNUZ>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}

// -----

func.func @add_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.add %a, %b : tensor<22xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 4.0e+00, 6.0e+00, -6.0e+00, 0x80, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1.0e+01, 2.5e-01, 1.2e+01, 1.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  func.return
}

// -----

func.func @subtract_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.subtract %a, %b : tensor<22xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -2.0e+00, 1.0e+01, -1.0e+01, 0.0e+00, 0x80, 1.0e+00, -1.0e+00, -1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0.0e+00, -9.375e-02, -8.0e+00, -5.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  func.return
}

// -----

func.func @multiply_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.multiply %a, %b : tensor<22xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -1.6e+01, -1.6e+01, 0x80, 0x80, 0.0e+00, 0.0e+00, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2.4e+01, 1.5625e-02, 2.0e+01, -6.0e+00, -2.5e+00]> : tensor<22xf8E5M2FNUZ>
  func.return
}

// -----

func.func @divide_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.divide %a, %b : tensor<22xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0x80, 0x80, 0x80, 3.125e-01, -4.0e+00, -4.0e+00, 1.0e+00, -1.0e+00, 0x80, 0x80, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1.0e+00, 5.0e-01, 1.875e-01, -6.25e-01, -2.4e+01]> : tensor<22xf8E5M2FNUZ>
  func.return
}

// -----

func.func @maximum_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.maximum %a, %b : tensor<22xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, 0.0e+00, 1.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  func.return
}

// -----

func.func @minimum_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.minimum %a, %b : tensor<22xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, -2.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, -1.0e+00, 0.0e+00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  func.return
}

// -----

func.func @compare_eq_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<22xf8E5M2FNUZ>, tensor<22xf8E5M2FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ne_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.compare NE, %a, %b, FLOAT : (tensor<22xf8E5M2FNUZ>, tensor<22xf8E5M2FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, true, true, false, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_ge_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.compare GE, %a, %b, FLOAT : (tensor<22xf8E5M2FNUZ>, tensor<22xf8E5M2FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true, false, true, true, true, false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_gt_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.compare GT, %a, %b, FLOAT : (tensor<22xf8E5M2FNUZ>, tensor<22xf8E5M2FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, false, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_le_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.compare LE, %a, %b, FLOAT : (tensor<22xf8E5M2FNUZ>, tensor<22xf8E5M2FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, true, false, false, true, true, false, false, false, false, false, false, true, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @compare_lt_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 8.0e+00, -8.0e+00, 5.7344e+04, 5.7344e+04, 1.0e+00, -1.0e+00, 0.0e+00, 0x80, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 5.0e+00, 9.375e-02, 2.0e+00, -2.0e+00, -8.0e+00]> : tensor<22xf8E5M2FNUZ>
  %b = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, 2.0e+00, 5.7344e+04, -5.7344e+04, 0.0e+00, 0.0e+00, 1.0e+00, 1.0e+00, 0x80, 1.0e+00, 0x80, 0x80, 0.0e+00, 5.0e+00, 1.875e-01, 1.0e+01, 3.0e+00, 3.125e-01]> : tensor<22xf8E5M2FNUZ>
  %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<22xf8E5M2FNUZ>, tensor<22xf8E5M2FNUZ>) -> tensor<22xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false, true, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, true]> : tensor<22xi1>
  func.return
}

// -----

func.func @abs_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.abs %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 2.5e+00, 3.5e+00, 8.0e+00, 5.7344e+04, 5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @negate_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.negate %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, -5.0e-01, 5.0e-01, -1.5e+00, -2.5e+00, 2.5e+00, -3.5e+00, 8.0e+00, -5.7344e+04, 5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @sign_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.sign %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @floor_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.floor %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, -3.0e+00, 3.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @ceil_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.ceil %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, 0.0e+00, 2.0e+00, 3.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @round_nearest_afz_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.round_nearest_afz %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, 4.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @round_nearest_even_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.round_nearest_even %a : tensor<14xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 2.0e+00, 2.0e+00, -2.0e+00, 4.0e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  func.return
}

// -----

func.func @is_finite_f8E5M2FNUZ() {
  %a = stablehlo.constant dense<[0.0e+00, 0.0e+00, 5.0e-01, -5.0e-01, 1.5e+00, 2.5e+00, -2.5e+00, 3.5e+00, -8.0e+00, 5.7344e+04, -5.7344e+04, 0x80, 0x80, 0x80]> : tensor<14xf8E5M2FNUZ>
  %r = stablehlo.is_finite %a : (tensor<14xf8E5M2FNUZ>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false]> : tensor<14xi1>
  func.return
}
