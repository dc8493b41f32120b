// Conversions between all element types: integers wrap, floats round to nearest even, float to integer truncates and saturates, NaN is 0.
// Expected values: XLA's CPU backend.

func.func @convert_i1_i4() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xi4>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xi4>
  func.return
}

// -----

func.func @convert_i1_ui4() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xui4>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xui4>
  func.return
}

// -----

func.func @convert_i1_i8() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xi8>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xi8>
  func.return
}

// -----

func.func @convert_i1_i16() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xi16>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xi16>
  func.return
}

// -----

func.func @convert_i1_i32() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xi32>
  func.return
}

// -----

func.func @convert_i1_i64() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xi64>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xi64>
  func.return
}

// -----

func.func @convert_i1_ui8() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xui8>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xui8>
  func.return
}

// -----

func.func @convert_i1_ui16() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xui16>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xui16>
  func.return
}

// -----

func.func @convert_i1_ui32() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xui32>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xui32>
  func.return
}

// -----

func.func @convert_i1_ui64() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xui64>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xui64>
  func.return
}

// -----

func.func @convert_i1_f16() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf16>
  func.return
}

// -----

func.func @convert_i1_bf16() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xbf16>
  func.return
}

// -----

func.func @convert_i1_f32() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  func.return
}

// -----

func.func @convert_i1_f64() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf64>
  func.return
}

// -----

func.func @convert_i1_f8E4M3FN() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E4M3FN>
  func.return
}

// -----

func.func @convert_i1_f8E5M2() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E5M2>
  func.return
}

// -----

func.func @convert_i1_f8E4M3() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E4M3>
  func.return
}

// -----

func.func @convert_i1_f8E3M4() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E3M4>
  func.return
}

// -----

func.func @convert_i1_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_i1_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_i1_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_i1_f4E2M1FN() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf4E2M1FN>
  func.return
}

// -----

func.func @convert_i1_f8E8M0FNU() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00]> : tensor<2xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_i1_c64() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]> : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @convert_i1_c128() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]> : tensor<2xcomplex<f64>>
  func.return
}

// -----

func.func @convert_i4_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true]> : tensor<8xi1>
  func.return
}

// -----

func.func @convert_i4_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, 8, 15, 14]> : tensor<8xui4>
  func.return
}

// -----

func.func @convert_i4_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi8>
  func.return
}

// -----

func.func @convert_i4_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi16>
  func.return
}

// -----

func.func @convert_i4_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi32>
  func.return
}

// -----

func.func @convert_i4_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi64>
  func.return
}

// -----

func.func @convert_i4_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, 248, 255, 254]> : tensor<8xui8>
  func.return
}

// -----

func.func @convert_i4_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, 65528, 65535, 65534]> : tensor<8xui16>
  func.return
}

// -----

func.func @convert_i4_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, 4294967288, 4294967295, 4294967294]> : tensor<8xui32>
  func.return
}

// -----

func.func @convert_i4_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 7, 18446744073709551608, 18446744073709551615, 18446744073709551614]> : tensor<8xui64>
  func.return
}

// -----

func.func @convert_i4_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf16>
  func.return
}

// -----

func.func @convert_i4_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xbf16>
  func.return
}

// -----

func.func @convert_i4_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf32>
  func.return
}

// -----

func.func @convert_i4_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf64>
  func.return
}

// -----

func.func @convert_i4_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3FN>
  func.return
}

// -----

func.func @convert_i4_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E5M2>
  func.return
}

// -----

func.func @convert_i4_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3>
  func.return
}

// -----

func.func @convert_i4_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E3M4>
  func.return
}

// -----

func.func @convert_i4_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_i4_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_i4_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 7.0e+00, -8.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_i4_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf4E2M1FN>
  func.return
}

// -----

func.func @convert_i4_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 8.0e+00, 0xFF, 0xFF, 0xFF]> : tensor<8xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_i4_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (-8.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00)]> : tensor<8xcomplex<f32>>
  func.return
}

// -----

func.func @convert_i4_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 7, -8, -1, -2]> : tensor<8xi4>
  %r = stablehlo.convert %x : (tensor<8xi4>) -> tensor<8xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (-8.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00)]> : tensor<8xcomplex<f64>>
  func.return
}

// -----

func.func @convert_ui4_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false]> : tensor<6xi1>
  func.return
}

// -----

func.func @convert_ui4_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0]> : tensor<6xi4>
  func.return
}

// -----

func.func @convert_ui4_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xi8>
  func.return
}

// -----

func.func @convert_ui4_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xi16>
  func.return
}

// -----

func.func @convert_ui4_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xi32>
  func.return
}

// -----

func.func @convert_ui4_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xi64>
  func.return
}

// -----

func.func @convert_ui4_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui8>
  func.return
}

// -----

func.func @convert_ui4_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui16>
  func.return
}

// -----

func.func @convert_ui4_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui32>
  func.return
}

// -----

func.func @convert_ui4_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui64>
  func.return
}

// -----

func.func @convert_ui4_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf16>
  func.return
}

// -----

func.func @convert_ui4_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xbf16>
  func.return
}

// -----

func.func @convert_ui4_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf32>
  func.return
}

// -----

func.func @convert_ui4_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf64>
  func.return
}

// -----

func.func @convert_ui4_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf8E4M3FN>
  func.return
}

// -----

func.func @convert_ui4_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.6e+01, 0.0e+00]> : tensor<6xf8E5M2>
  func.return
}

// -----

func.func @convert_ui4_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf8E4M3>
  func.return
}

// -----

func.func @convert_ui4_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf8E3M4>
  func.return
}

// -----

func.func @convert_ui4_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_ui4_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.5e+01, 0.0e+00]> : tensor<6xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_ui4_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.6e+01, 0.0e+00]> : tensor<6xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_ui4_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, 0.0e+00]> : tensor<6xf4E2M1FN>
  func.return
}

// -----

func.func @convert_ui4_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 1.6e+01, 0xFF]> : tensor<6xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_ui4_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.5e+01, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f32>>
  func.return
}

// -----

func.func @convert_ui4_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  %r = stablehlo.convert %x : (tensor<6xui4>) -> tensor<6xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.5e+01, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f64>>
  func.return
}

// -----

func.func @convert_i8_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true]> : tensor<8xi1>
  func.return
}

// -----

func.func @convert_i8_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2]> : tensor<8xi4>
  func.return
}

// -----

func.func @convert_i8_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0, 15, 14]> : tensor<8xui4>
  func.return
}

// -----

func.func @convert_i8_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi16>
  func.return
}

// -----

func.func @convert_i8_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi32>
  func.return
}

// -----

func.func @convert_i8_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi64>
  func.return
}

// -----

func.func @convert_i8_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, 128, 255, 254]> : tensor<8xui8>
  func.return
}

// -----

func.func @convert_i8_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, 65408, 65535, 65534]> : tensor<8xui16>
  func.return
}

// -----

func.func @convert_i8_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, 4294967168, 4294967295, 4294967294]> : tensor<8xui32>
  func.return
}

// -----

func.func @convert_i8_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 127, 18446744073709551488, 18446744073709551615, 18446744073709551614]> : tensor<8xui64>
  func.return
}

// -----

func.func @convert_i8_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.27e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf16>
  func.return
}

// -----

func.func @convert_i8_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.27e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xbf16>
  func.return
}

// -----

func.func @convert_i8_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.27e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf32>
  func.return
}

// -----

func.func @convert_i8_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.27e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf64>
  func.return
}

// -----

func.func @convert_i8_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.28e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3FN>
  func.return
}

// -----

func.func @convert_i8_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.28e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf8E5M2>
  func.return
}

// -----

func.func @convert_i8_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.28e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3>
  func.return
}

// -----

func.func @convert_i8_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0xF0, -1.0e+00, -2.0e+00]> : tensor<8xf8E3M4>
  func.return
}

// -----

func.func @convert_i8_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_i8_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.28e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_i8_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.28e+02, -1.28e+02, -1.0e+00, -2.0e+00]> : tensor<8xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_i8_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf4E2M1FN>
  func.return
}

// -----

func.func @convert_i8_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 1.28e+02, 0xFF, 0xFF, 0xFF]> : tensor<8xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_i8_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.27e+02, 0.0e+00), (-1.28e+02, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00)]> : tensor<8xcomplex<f32>>
  func.return
}

// -----

func.func @convert_i8_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 127, -128, -1, -2]> : tensor<8xi8>
  %r = stablehlo.convert %x : (tensor<8xi8>) -> tensor<8xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.27e+02, 0.0e+00), (-1.28e+02, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00)]> : tensor<8xcomplex<f64>>
  func.return
}

// -----

func.func @convert_i16_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true]> : tensor<8xi1>
  func.return
}

// -----

func.func @convert_i16_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2]> : tensor<8xi4>
  func.return
}

// -----

func.func @convert_i16_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0, 15, 14]> : tensor<8xui4>
  func.return
}

// -----

func.func @convert_i16_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2]> : tensor<8xi8>
  func.return
}

// -----

func.func @convert_i16_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi32>
  func.return
}

// -----

func.func @convert_i16_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi64>
  func.return
}

// -----

func.func @convert_i16_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0, 255, 254]> : tensor<8xui8>
  func.return
}

// -----

func.func @convert_i16_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 32767, 32768, 65535, 65534]> : tensor<8xui16>
  func.return
}

// -----

func.func @convert_i16_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 32767, 4294934528, 4294967295, 4294967294]> : tensor<8xui32>
  func.return
}

// -----

func.func @convert_i16_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 32767, 18446744073709518848, 18446744073709551615, 18446744073709551614]> : tensor<8xui64>
  func.return
}

// -----

func.func @convert_i16_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 3.2768e+04, -3.2768e+04, -1.0e+00, -2.0e+00]> : tensor<8xf16>
  func.return
}

// -----

func.func @convert_i16_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 3.2768e+04, -3.2768e+04, -1.0e+00, -2.0e+00]> : tensor<8xbf16>
  func.return
}

// -----

func.func @convert_i16_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 3.2767e+04, -3.2768e+04, -1.0e+00, -2.0e+00]> : tensor<8xf32>
  func.return
}

// -----

func.func @convert_i16_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 3.2767e+04, -3.2768e+04, -1.0e+00, -2.0e+00]> : tensor<8xf64>
  func.return
}

// -----

func.func @convert_i16_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7F, 0xFF, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3FN>
  func.return
}

// -----

func.func @convert_i16_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 3.2768e+04, -3.2768e+04, -1.0e+00, -2.0e+00]> : tensor<8xf8E5M2>
  func.return
}

// -----

func.func @convert_i16_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0xF8, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3>
  func.return
}

// -----

func.func @convert_i16_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0xF0, -1.0e+00, -2.0e+00]> : tensor<8xf8E3M4>
  func.return
}

// -----

func.func @convert_i16_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_i16_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00]> : tensor<8xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_i16_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 3.2768e+04, -3.2768e+04, -1.0e+00, -2.0e+00]> : tensor<8xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_i16_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -1.0e+00, -2.0e+00]> : tensor<8xf4E2M1FN>
  func.return
}

// -----

func.func @convert_i16_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 3.2768e+04, 0xFF, 0xFF, 0xFF]> : tensor<8xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_i16_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (3.2767e+04, 0.0e+00), (-3.2768e+04, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00)]> : tensor<8xcomplex<f32>>
  func.return
}

// -----

func.func @convert_i16_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 32767, -32768, -1, -2]> : tensor<8xi16>
  %r = stablehlo.convert %x : (tensor<8xi16>) -> tensor<8xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (3.2767e+04, 0.0e+00), (-3.2768e+04, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00)]> : tensor<8xcomplex<f64>>
  func.return
}

// -----

func.func @convert_i32_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, true, true]> : tensor<10xi1>
  func.return
}

// -----

func.func @convert_i32_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 0]> : tensor<10xi4>
  func.return
}

// -----

func.func @convert_i32_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0, 15, 14, 1, 0]> : tensor<10xui4>
  func.return
}

// -----

func.func @convert_i32_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 64]> : tensor<10xi8>
  func.return
}

// -----

func.func @convert_i32_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 64]> : tensor<10xi16>
  func.return
}

// -----

func.func @convert_i32_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi64>
  func.return
}

// -----

func.func @convert_i32_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0, 255, 254, 1, 64]> : tensor<10xui8>
  func.return
}

// -----

func.func @convert_i32_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0, 65535, 65534, 1, 64]> : tensor<10xui16>
  func.return
}

// -----

func.func @convert_i32_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 2147483647, 2147483648, 4294967295, 4294967294, 16777217, 1073741888]> : tensor<10xui32>
  func.return
}

// -----

func.func @convert_i32_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 2147483647, 18446744071562067968, 18446744073709551615, 18446744073709551614, 16777217, 1073741888]> : tensor<10xui64>
  func.return
}

// -----

func.func @convert_i32_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C00, 0xFC00, -1.0e+00, -2.0e+00, 0x7C00, 0x7C00]> : tensor<10xf16>
  func.return
}

// -----

func.func @convert_i32_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.147483648e+09, -2.147483648e+09, -1.0e+00, -2.0e+00, 1.6777216e+07, 1.073741824e+09]> : tensor<10xbf16>
  func.return
}

// -----

func.func @convert_i32_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.1474836e+09, -2.1474836e+09, -1.0e+00, -2.0e+00, 1.6777216e+07, 1.0737418e+09]> : tensor<10xf32>
  func.return
}

// -----

func.func @convert_i32_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.147483647e+09, -2.147483648e+09, -1.0e+00, -2.0e+00, 1.6777217e+07, 1.073741888e+09]> : tensor<10xf64>
  func.return
}

// -----

func.func @convert_i32_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7F, 0xFF, -1.0e+00, -2.0e+00, 0x7F, 0x7F]> : tensor<10xf8E4M3FN>
  func.return
}

// -----

func.func @convert_i32_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C, 0xFC, -1.0e+00, -2.0e+00, 0x7C, 0x7C]> : tensor<10xf8E5M2>
  func.return
}

// -----

func.func @convert_i32_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0xF8, -1.0e+00, -2.0e+00, 0x78, 0x78]> : tensor<10xf8E4M3>
  func.return
}

// -----

func.func @convert_i32_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0xF0, -1.0e+00, -2.0e+00, 0x70, 0x70]> : tensor<10xf8E3M4>
  func.return
}

// -----

func.func @convert_i32_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00, 0x80, 0x80]> : tensor<10xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_i32_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00, 0x80, 0x80]> : tensor<10xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_i32_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00, 0x80, 0x80]> : tensor<10xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_i32_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -1.0e+00, -2.0e+00, 6.0e+00, 6.0e+00]> : tensor<10xf4E2M1FN>
  func.return
}

// -----

func.func @convert_i32_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 2.147483648e+09, 0xFF, 0xFF, 0xFF, 1.6777216e+07, 1.073741824e+09]> : tensor<10xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_i32_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (2.1474836e+09, 0.0e+00), (-2.1474836e+09, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00), (1.6777216e+07, 0.0e+00), (1.0737418e+09, 0.0e+00)]> : tensor<10xcomplex<f32>>
  func.return
}

// -----

func.func @convert_i32_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 2147483647, -2147483648, -1, -2, 16777217, 1073741888]> : tensor<10xi32>
  %r = stablehlo.convert %x : (tensor<10xi32>) -> tensor<10xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (2.147483647e+09, 0.0e+00), (-2.147483648e+09, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00), (1.6777217e+07, 0.0e+00), (1.073741888e+09, 0.0e+00)]> : tensor<10xcomplex<f64>>
  func.return
}

// -----

func.func @convert_i64_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, true, true, true, true]> : tensor<12xi1>
  func.return
}

// -----

func.func @convert_i64_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 1, 1, 1]> : tensor<12xi4>
  func.return
}

// -----

func.func @convert_i64_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0, 15, 14, 1, 1, 1, 1]> : tensor<12xui4>
  func.return
}

// -----

func.func @convert_i64_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 1, 1, 1]> : tensor<12xi8>
  func.return
}

// -----

func.func @convert_i64_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 1, 513, 1]> : tensor<12xi16>
  func.return
}

// -----

func.func @convert_i64_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, -1, -2, 1, 16777217, 513, 1]> : tensor<12xi32>
  func.return
}

// -----

func.func @convert_i64_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0, 255, 254, 1, 1, 1, 1]> : tensor<12xui8>
  func.return
}

// -----

func.func @convert_i64_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0, 65535, 65534, 1, 1, 513, 1]> : tensor<12xui16>
  func.return
}

// -----

func.func @convert_i64_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 4294967295, 0, 4294967295, 4294967294, 1, 16777217, 513, 1]> : tensor<12xui32>
  func.return
}

// -----

func.func @convert_i64_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 9223372036854775807, 9223372036854775808, 18446744073709551615, 18446744073709551614, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xui64>
  func.return
}

// -----

func.func @convert_i64_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C00, 0xFC00, -1.0e+00, -2.0e+00, 0x7C00, 0x7C00, 0x7C00, 0x7C00]> : tensor<12xf16>
  func.return
}

// -----

func.func @convert_i64_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 9.223372036854776e+18, -9.223372036854776e+18, -1.0e+00, -2.0e+00, 9.007199254740992e+15, 1.6777216e+07, 4.611686018427388e+18, 4.611686018427388e+18]> : tensor<12xbf16>
  func.return
}

// -----

func.func @convert_i64_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 9.223372e+18, -9.223372e+18, -1.0e+00, -2.0e+00, 9.007199e+15, 1.6777216e+07, 4.611686e+18, 4.6116866e+18]> : tensor<12xf32>
  func.return
}

// -----

func.func @convert_i64_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 9.223372036854776e+18, -9.223372036854776e+18, -1.0e+00, -2.0e+00, 9.007199254740992e+15, 1.6777217e+07, 4.611686018427389e+18, 4.611686293305295e+18]> : tensor<12xf64>
  func.return
}

// -----

func.func @convert_i64_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7F, 0xFF, -1.0e+00, -2.0e+00, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<12xf8E4M3FN>
  func.return
}

// -----

func.func @convert_i64_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C, 0xFC, -1.0e+00, -2.0e+00, 0x7C, 0x7C, 0x7C, 0x7C]> : tensor<12xf8E5M2>
  func.return
}

// -----

func.func @convert_i64_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0xF8, -1.0e+00, -2.0e+00, 0x78, 0x78, 0x78, 0x78]> : tensor<12xf8E4M3>
  func.return
}

// -----

func.func @convert_i64_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0xF0, -1.0e+00, -2.0e+00, 0x70, 0x70, 0x70, 0x70]> : tensor<12xf8E3M4>
  func.return
}

// -----

func.func @convert_i64_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00, 0x80, 0x80, 0x80, 0x80]> : tensor<12xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_i64_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00, 0x80, 0x80, 0x80, 0x80]> : tensor<12xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_i64_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0x80, -1.0e+00, -2.0e+00, 0x80, 0x80, 0x80, 0x80]> : tensor<12xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_i64_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -1.0e+00, -2.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00]> : tensor<12xf4E2M1FN>
  func.return
}

// -----

func.func @convert_i64_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 9.223372036854776e+18, 0xFF, 0xFF, 0xFF, 9.007199254740992e+15, 1.6777216e+07, 4.611686018427388e+18, 4.611686018427388e+18]> : tensor<12xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_i64_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (9.223372e+18, 0.0e+00), (-9.223372e+18, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00), (9.007199e+15, 0.0e+00), (1.6777216e+07, 0.0e+00), (4.611686e+18, 0.0e+00), (4.6116866e+18, 0.0e+00)]> : tensor<12xcomplex<f32>>
  func.return
}

// -----

func.func @convert_i64_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 9223372036854775807, -9223372036854775808, -1, -2, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<12xi64>
  %r = stablehlo.convert %x : (tensor<12xi64>) -> tensor<12xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (-9.223372036854776e+18, 0.0e+00), (-1.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00), (9.007199254740992e+15, 0.0e+00), (1.6777217e+07, 0.0e+00), (4.611686018427389e+18, 0.0e+00), (4.611686293305295e+18, 0.0e+00)]> : tensor<12xcomplex<f64>>
  func.return
}

// -----

func.func @convert_ui8_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false]> : tensor<6xi1>
  func.return
}

// -----

func.func @convert_ui8_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0]> : tensor<6xi4>
  func.return
}

// -----

func.func @convert_ui8_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  func.return
}

// -----

func.func @convert_ui8_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0]> : tensor<6xi8>
  func.return
}

// -----

func.func @convert_ui8_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xi16>
  func.return
}

// -----

func.func @convert_ui8_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xi32>
  func.return
}

// -----

func.func @convert_ui8_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xi64>
  func.return
}

// -----

func.func @convert_ui8_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui16>
  func.return
}

// -----

func.func @convert_ui8_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui32>
  func.return
}

// -----

func.func @convert_ui8_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui64>
  func.return
}

// -----

func.func @convert_ui8_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.55e+02, 0.0e+00]> : tensor<6xf16>
  func.return
}

// -----

func.func @convert_ui8_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.55e+02, 0.0e+00]> : tensor<6xbf16>
  func.return
}

// -----

func.func @convert_ui8_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.55e+02, 0.0e+00]> : tensor<6xf32>
  func.return
}

// -----

func.func @convert_ui8_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.55e+02, 0.0e+00]> : tensor<6xf64>
  func.return
}

// -----

func.func @convert_ui8_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.56e+02, 0.0e+00]> : tensor<6xf8E4M3FN>
  func.return
}

// -----

func.func @convert_ui8_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.56e+02, 0.0e+00]> : tensor<6xf8E5M2>
  func.return
}

// -----

func.func @convert_ui8_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0.0e+00]> : tensor<6xf8E4M3>
  func.return
}

// -----

func.func @convert_ui8_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0.0e+00]> : tensor<6xf8E3M4>
  func.return
}

// -----

func.func @convert_ui8_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00]> : tensor<6xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_ui8_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00]> : tensor<6xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_ui8_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 2.56e+02, 0.0e+00]> : tensor<6xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_ui8_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, 0.0e+00]> : tensor<6xf4E2M1FN>
  func.return
}

// -----

func.func @convert_ui8_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 2.56e+02, 0xFF]> : tensor<6xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_ui8_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (2.55e+02, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f32>>
  func.return
}

// -----

func.func @convert_ui8_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  %r = stablehlo.convert %x : (tensor<6xui8>) -> tensor<6xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (2.55e+02, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f64>>
  func.return
}

// -----

func.func @convert_ui16_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false]> : tensor<6xi1>
  func.return
}

// -----

func.func @convert_ui16_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0]> : tensor<6xi4>
  func.return
}

// -----

func.func @convert_ui16_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0]> : tensor<6xui4>
  func.return
}

// -----

func.func @convert_ui16_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0]> : tensor<6xi8>
  func.return
}

// -----

func.func @convert_ui16_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0]> : tensor<6xi16>
  func.return
}

// -----

func.func @convert_ui16_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xi32>
  func.return
}

// -----

func.func @convert_ui16_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xi64>
  func.return
}

// -----

func.func @convert_ui16_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0]> : tensor<6xui8>
  func.return
}

// -----

func.func @convert_ui16_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui32>
  func.return
}

// -----

func.func @convert_ui16_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui64>
  func.return
}

// -----

func.func @convert_ui16_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C00, 0.0e+00]> : tensor<6xf16>
  func.return
}

// -----

func.func @convert_ui16_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 6.5536e+04, 0.0e+00]> : tensor<6xbf16>
  func.return
}

// -----

func.func @convert_ui16_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 6.5535e+04, 0.0e+00]> : tensor<6xf32>
  func.return
}

// -----

func.func @convert_ui16_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 6.5535e+04, 0.0e+00]> : tensor<6xf64>
  func.return
}

// -----

func.func @convert_ui16_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7F, 0.0e+00]> : tensor<6xf8E4M3FN>
  func.return
}

// -----

func.func @convert_ui16_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C, 0.0e+00]> : tensor<6xf8E5M2>
  func.return
}

// -----

func.func @convert_ui16_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0.0e+00]> : tensor<6xf8E4M3>
  func.return
}

// -----

func.func @convert_ui16_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0.0e+00]> : tensor<6xf8E3M4>
  func.return
}

// -----

func.func @convert_ui16_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00]> : tensor<6xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_ui16_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00]> : tensor<6xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_ui16_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00]> : tensor<6xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_ui16_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, 0.0e+00]> : tensor<6xf4E2M1FN>
  func.return
}

// -----

func.func @convert_ui16_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 6.5536e+04, 0xFF]> : tensor<6xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_ui16_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (6.5535e+04, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f32>>
  func.return
}

// -----

func.func @convert_ui16_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 65535, 0]> : tensor<6xui16>
  %r = stablehlo.convert %x : (tensor<6xui16>) -> tensor<6xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (6.5535e+04, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f64>>
  func.return
}

// -----

func.func @convert_ui32_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, true, true]> : tensor<8xi1>
  func.return
}

// -----

func.func @convert_ui32_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 0]> : tensor<8xi4>
  func.return
}

// -----

func.func @convert_ui32_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0, 1, 0]> : tensor<8xui4>
  func.return
}

// -----

func.func @convert_ui32_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 64]> : tensor<8xi8>
  func.return
}

// -----

func.func @convert_ui32_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 64]> : tensor<8xi16>
  func.return
}

// -----

func.func @convert_ui32_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 16777217, 1073741888]> : tensor<8xi32>
  func.return
}

// -----

func.func @convert_ui32_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xi64>
  func.return
}

// -----

func.func @convert_ui32_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0, 1, 64]> : tensor<8xui8>
  func.return
}

// -----

func.func @convert_ui32_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0, 1, 64]> : tensor<8xui16>
  func.return
}

// -----

func.func @convert_ui32_ui64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui64>
  func.return
}

// -----

func.func @convert_ui32_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C00, 0.0e+00, 0x7C00, 0x7C00]> : tensor<8xf16>
  func.return
}

// -----

func.func @convert_ui32_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 4.294967296e+09, 0.0e+00, 1.6777216e+07, 1.073741824e+09]> : tensor<8xbf16>
  func.return
}

// -----

func.func @convert_ui32_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 4.2949673e+09, 0.0e+00, 1.6777216e+07, 1.0737418e+09]> : tensor<8xf32>
  func.return
}

// -----

func.func @convert_ui32_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 4.294967295e+09, 0.0e+00, 1.6777217e+07, 1.073741888e+09]> : tensor<8xf64>
  func.return
}

// -----

func.func @convert_ui32_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7F, 0.0e+00, 0x7F, 0x7F]> : tensor<8xf8E4M3FN>
  func.return
}

// -----

func.func @convert_ui32_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C, 0.0e+00, 0x7C, 0x7C]> : tensor<8xf8E5M2>
  func.return
}

// -----

func.func @convert_ui32_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0.0e+00, 0x78, 0x78]> : tensor<8xf8E4M3>
  func.return
}

// -----

func.func @convert_ui32_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0.0e+00, 0x70, 0x70]> : tensor<8xf8E3M4>
  func.return
}

// -----

func.func @convert_ui32_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00, 0x80, 0x80]> : tensor<8xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_ui32_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00, 0x80, 0x80]> : tensor<8xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_ui32_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00, 0x80, 0x80]> : tensor<8xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_ui32_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, 0.0e+00, 6.0e+00, 6.0e+00]> : tensor<8xf4E2M1FN>
  func.return
}

// -----

func.func @convert_ui32_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 4.294967296e+09, 0xFF, 1.6777216e+07, 1.073741824e+09]> : tensor<8xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_ui32_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (4.2949673e+09, 0.0e+00), (0.0e+00, 0.0e+00), (1.6777216e+07, 0.0e+00), (1.0737418e+09, 0.0e+00)]> : tensor<8xcomplex<f32>>
  func.return
}

// -----

func.func @convert_ui32_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 4294967295, 0, 16777217, 1073741888]> : tensor<8xui32>
  %r = stablehlo.convert %x : (tensor<8xui32>) -> tensor<8xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (4.294967295e+09, 0.0e+00), (0.0e+00, 0.0e+00), (1.6777217e+07, 0.0e+00), (1.073741888e+09, 0.0e+00)]> : tensor<8xcomplex<f64>>
  func.return
}

// -----

func.func @convert_ui64_i1() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, true, true, true, true]> : tensor<10xi1>
  func.return
}

// -----

func.func @convert_ui64_i4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 1, 1, 1]> : tensor<10xi4>
  func.return
}

// -----

func.func @convert_ui64_ui4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xui4>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 15, 0, 1, 1, 1, 1]> : tensor<10xui4>
  func.return
}

// -----

func.func @convert_ui64_i8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 1, 1, 1]> : tensor<10xi8>
  func.return
}

// -----

func.func @convert_ui64_i16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xi16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 1, 513, 1]> : tensor<10xi16>
  func.return
}

// -----

func.func @convert_ui64_i32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 1, 16777217, 513, 1]> : tensor<10xi32>
  func.return
}

// -----

func.func @convert_ui64_i64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, -1, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xi64>
  func.return
}

// -----

func.func @convert_ui64_ui8() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 255, 0, 1, 1, 1, 1]> : tensor<10xui8>
  func.return
}

// -----

func.func @convert_ui64_ui16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 65535, 0, 1, 1, 513, 1]> : tensor<10xui16>
  func.return
}

// -----

func.func @convert_ui64_ui32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 7, 4294967295, 0, 1, 16777217, 513, 1]> : tensor<10xui32>
  func.return
}

// -----

func.func @convert_ui64_f16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C00, 0.0e+00, 0x7C00, 0x7C00, 0x7C00, 0x7C00]> : tensor<10xf16>
  func.return
}

// -----

func.func @convert_ui64_bf16() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.8446744073709552e+19, 0.0e+00, 9.007199254740992e+15, 1.6777216e+07, 4.611686018427388e+18, 4.611686018427388e+18]> : tensor<10xbf16>
  func.return
}

// -----

func.func @convert_ui64_f32() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.8446744e+19, 0.0e+00, 9.007199e+15, 1.6777216e+07, 4.611686e+18, 4.6116866e+18]> : tensor<10xf32>
  func.return
}

// -----

func.func @convert_ui64_f64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 1.8446744073709552e+19, 0.0e+00, 9.007199254740992e+15, 1.6777217e+07, 4.611686018427389e+18, 4.611686293305295e+18]> : tensor<10xf64>
  func.return
}

// -----

func.func @convert_ui64_f8E4M3FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7F, 0.0e+00, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<10xf8E4M3FN>
  func.return
}

// -----

func.func @convert_ui64_f8E5M2() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x7C, 0.0e+00, 0x7C, 0x7C, 0x7C, 0x7C]> : tensor<10xf8E5M2>
  func.return
}

// -----

func.func @convert_ui64_f8E4M3() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x78, 0.0e+00, 0x78, 0x78, 0x78, 0x78]> : tensor<10xf8E4M3>
  func.return
}

// -----

func.func @convert_ui64_f8E3M4() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x70, 0.0e+00, 0x70, 0x70, 0x70, 0x70]> : tensor<10xf8E3M4>
  func.return
}

// -----

func.func @convert_ui64_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00, 0x80, 0x80, 0x80, 0x80]> : tensor<10xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_ui64_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00, 0x80, 0x80, 0x80, 0x80]> : tensor<10xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_ui64_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 7.0e+00, 0x80, 0.0e+00, 0x80, 0x80, 0x80, 0x80]> : tensor<10xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_ui64_f4E2M1FN() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 6.0e+00, 6.0e+00, 0.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00]> : tensor<10xf4E2M1FN>
  func.return
}

// -----

func.func @convert_ui64_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 1.0e+00, 2.0e+00, 8.0e+00, 1.8446744073709552e+19, 0xFF, 9.007199254740992e+15, 1.6777216e+07, 4.611686018427388e+18, 4.611686018427388e+18]> : tensor<10xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_ui64_c64() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.8446744e+19, 0.0e+00), (0.0e+00, 0.0e+00), (9.007199e+15, 0.0e+00), (1.6777216e+07, 0.0e+00), (4.611686e+18, 0.0e+00), (4.6116866e+18, 0.0e+00)]> : tensor<10xcomplex<f32>>
  func.return
}

// -----

func.func @convert_ui64_c128() {
  %x = stablehlo.constant dense<[0, 1, 2, 7, 18446744073709551615, 0, 9007199254740993, 16777217, 4611686018427388417, 4611686293305294849]> : tensor<10xui64>
  %r = stablehlo.convert %x : (tensor<10xui64>) -> tensor<10xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.8446744073709552e+19, 0.0e+00), (0.0e+00, 0.0e+00), (9.007199254740992e+15, 0.0e+00), (1.6777217e+07, 0.0e+00), (4.611686018427389e+18, 0.0e+00), (4.611686293305295e+18, 0.0e+00)]> : tensor<10xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f16_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f16_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f16_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f16_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f16_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f16_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f16_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f16_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 4294967295, 0, 4294967295, 0, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f16_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f16_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 0x7F80, 0xFF80, 0x7F80, 0xFF80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f16_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f16_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f16_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f16_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f16_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f16_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f16_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f16_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f16_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f16_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f16_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f16_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.0075e+02, 0.0e+00), (-3.0025e+02, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f16_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  %r = stablehlo.convert %x : (tensor<20xf16>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.0075e+02, 0.0e+00), (-3.0025e+02, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_bf16_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_bf16_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 101, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_bf16_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 101, -300, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_bf16_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 101, -300, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_bf16_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 101, -300, 3003121664, -3003121664, 9223372036854775807, -9223372036854775808, 2147483648, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_bf16_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 101, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_bf16_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 101, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_bf16_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 101, 0, 3003121664, 0, 4294967295, 0, 2147483648, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_bf16_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 101, 0, 3003121664, 0, 10016005571271983104, 0, 2147483648, 9223372036854775808, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_bf16_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_bf16_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.0031217e+09, -3.0031217e+09, 1.0016006e+19, -1.0016006e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_bf16_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_bf16_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_bf16_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_bf16_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_bf16_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_bf16_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_bf16_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_bf16_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_bf16_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_bf16_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_bf16_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.01e+02, 0.0e+00), (-3.0e+02, 0.0e+00), (3.0031217e+09, 0.0e+00), (-3.0031217e+09, 0.0e+00), (1.0016006e+19, 0.0e+00), (-1.0016006e+19, 0.0e+00), (2.1474836e+09, 0.0e+00), (9.223372e+18, 0.0e+00), (1.8446744e+19, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_bf16_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  %r = stablehlo.convert %x : (tensor<20xbf16>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.01e+02, 0.0e+00), (-3.0e+02, 0.0e+00), (3.003121664e+09, 0.0e+00), (-3.003121664e+09, 0.0e+00), (1.0016005571271983e+19, 0.0e+00), (-1.0016005571271983e+19, 0.0e+00), (2.147483648e+09, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (1.8446744073709552e+19, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f32_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f32_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f32_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f32_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f32_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 3000000000, -3000000000, 9223372036854775807, -9223372036854775808, 2147483648, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f32_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f32_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f32_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 3000000000, 0, 4294967295, 0, 2147483648, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f32_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 3000000000, 0, 9999999980506447872, 0, 2147483648, 9223372036854775808, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f32_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f32_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f32_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 9.999999980506448e+18, -9.999999980506448e+18, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f32_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f32_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f32_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f32_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f32_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f32_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f32_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f32_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f32_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f32_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.0075e+02, 0.0e+00), (-3.0025e+02, 0.0e+00), (3.0e+09, 0.0e+00), (-3.0e+09, 0.0e+00), (1.0e+19, 0.0e+00), (-1.0e+19, 0.0e+00), (2.1474836e+09, 0.0e+00), (9.223372e+18, 0.0e+00), (1.8446744e+19, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f32_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  %r = stablehlo.convert %x : (tensor<20xf32>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.0075e+02, 0.0e+00), (-3.0025e+02, 0.0e+00), (3.0e+09, 0.0e+00), (-3.0e+09, 0.0e+00), (9.999999980506448e+18, 0.0e+00), (-9.999999980506448e+18, 0.0e+00), (2.147483648e+09, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (1.8446744073709552e+19, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f64_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f64_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f64_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f64_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f64_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 100, -300, 3000000000, -3000000000, 9223372036854775807, -9223372036854775808, 2147483648, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f64_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f64_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f64_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 3000000000, 0, 4294967295, 0, 2147483648, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f64_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 100, 0, 3000000000, 0, 10000000000000000000, 0, 2147483648, 9223372036854775808, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f64_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f64_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.01e+02, -3.0e+02, 3.003121664e+09, -3.003121664e+09, 1.0016005571271983e+19, -1.0016005571271983e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f64_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f64_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f64_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f64_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f64_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f64_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f64_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f64_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f64_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f64_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f64_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.0075e+02, 0.0e+00), (-3.0025e+02, 0.0e+00), (3.0e+09, 0.0e+00), (-3.0e+09, 0.0e+00), (1.0e+19, 0.0e+00), (-1.0e+19, 0.0e+00), (2.1474836e+09, 0.0e+00), (9.223372e+18, 0.0e+00), (1.8446744e+19, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f64_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.0075e+02, -3.0025e+02, 3.0e+09, -3.0e+09, 1.0e+19, -1.0e+19, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  %r = stablehlo.convert %x : (tensor<20xf64>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.0075e+02, 0.0e+00), (-3.0025e+02, 0.0e+00), (3.0e+09, 0.0e+00), (-3.0e+09, 0.0e+00), (1.0e+19, 0.0e+00), (-1.0e+19, 0.0e+00), (2.147483648e+09, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (1.8446744073709552e+19, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E4M3FN_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E4M3FN_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E4M3FN_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -288, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E4M3FN_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -288, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E4M3FN_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -288, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E4M3FN_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E4M3FN_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E4M3FN_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E4M3FN_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7E00, 0xFE00, 0x7E00, 0xFE00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0xFE00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E4M3FN_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7FC0, 0xFFC0, 0x7FC0, 0xFFC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0xFFC0, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7FC00000, 0xFFC00000, 0x7FC00000, 0xFFC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0xFFC00000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -2.56e+02, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -2.56e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E4M3FN_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E4M3FN_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.04e+02, 0.0e+00), (-2.88e+02, 0.0e+00), (0x7FC00000, 0.0e+00), (0xFFC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0xFFC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0xFFC00000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E4M3FN_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, -2.88e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FN>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.04e+02, 0.0e+00), (-2.88e+02, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0xFFF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0xFFF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0xFFF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E5M2_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E5M2_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E5M2_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -320, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E5M2_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -320, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E5M2_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -320, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E5M2_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E5M2_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E5M2_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 4294967295, 0, 4294967295, 0, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E5M2_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E5M2_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E5M2_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7F80, 0xFF80, 0x7F80, 0xFF80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E5M2_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E5M2_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E5M2_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E5M2_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E5M2_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (9.6e+01, 0.0e+00), (-3.2e+02, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E5M2_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7E]> : tensor<20xf8E5M2>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (9.6e+01, 0.0e+00), (-3.2e+02, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E4M3_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E4M3_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E4M3_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -32768, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E4M3_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -2147483648, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E4M3_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E4M3_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E4M3_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E4M3_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 4294967295, 0, 4294967295, 0, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E4M3_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E4M3_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E4M3_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xFF80, 0x7F80, 0xFF80, 0x7F80, 0xFF80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E4M3_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E4M3_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0xFC, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E4M3_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E4M3_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.04e+02, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E4M3_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.04e+02, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E3M4_i1() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E3M4_i8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 127, -128, 127, -128, 127, -128, 127, 127, 127, 127, -128, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E3M4_i16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 32767, -32768, 32767, -32768, 32767, -32768, 32767, 32767, 32767, 32767, -32768, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E3M4_i32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E3M4_i64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E3M4_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 255, 0, 255, 0, 255, 0, 255, 255, 255, 255, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E3M4_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 65535, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 65535, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E3M4_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 4294967295, 0, 4294967295, 0, 4294967295, 0, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E3M4_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E3M4_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E3M4_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7F80, 0xFF80, 0x7F80, 0xFF80, 0x7F80, 0xFF80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E3M4_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E3M4_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0xFC, 0x7C, 0x7C, 0x7C, 0x7C, 0xFC, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0xF8, 0x78, 0x78, 0x78, 0x78, 0xF8, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E3M4_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E3M4_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E3M4_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0x7F800000, 0.0e+00), (0xFF800000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E3M4_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0xF0, 0x70, 0x70, 0x70, 0x70, 0xF0, 0x78]> : tensor<20xf8E3M4>
  %r = stablehlo.convert %x : (tensor<20xf8E3M4>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0x7FF0000000000000, 0.0e+00), (0xFFF0000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_i1() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_i8() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_i16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_i32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_i64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_c64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E4M3B11FNUZ_c128() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3B11FNUZ>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_i1() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_i8() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_i16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_i32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_i64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_c64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.04e+02, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E4M3FNUZ_c128() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 1.04e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E4M3FNUZ>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (1.04e+02, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_i1() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_i8() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_i16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -320, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_i32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -320, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_i64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, -1, 1, 2, -2, 0, 96, -320, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_ui8() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_ui16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_ui32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_ui64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 1, 2, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f32() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0xF8, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x70, 0xF0, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f4E2M1FN() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_c64() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (9.6e+01, 0.0e+00), (-3.2e+02, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E5M2FNUZ_c128() {
  %x = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.5e+00, -2.5e+00, 5.0e-01, 9.6e+01, -3.2e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  %r = stablehlo.convert %x : (tensor<20xf8E5M2FNUZ>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.5e+00, 0.0e+00), (-2.5e+00, 0.0e+00), (5.0e-01, 0.0e+00), (9.6e+01, 0.0e+00), (-3.2e+02, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f4E2M1FN_bf16() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f32() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E4M3FN() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E5M2() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E4M3() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E3M4() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, 0.0e+00]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, 0.0e+00]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.0e+00, 0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, 0.0e+00]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f4E2M1FN_f8E8M0FNU() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xf8E8M0FNU>
  check.expect_eq_const %r, dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 8.0e+00, 0xFF, 8.0e+00, 0xFF, 8.0e+00, 0xFF, 8.0e+00, 8.0e+00, 8.0e+00, 8.0e+00, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  func.return
}

// -----

func.func @convert_f4E2M1FN_c64() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00), (5.0e-01, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f4E2M1FN_c128() {
  %x = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 1.5e+00, 2.0e+00, -2.0e+00, 5.0e-01, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, -6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -6.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  %r = stablehlo.convert %x : (tensor<20xf4E2M1FN>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (-1.0e+00, 0.0e+00), (1.5e+00, 0.0e+00), (2.0e+00, 0.0e+00), (-2.0e+00, 0.0e+00), (5.0e-01, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (-6.0e+00, 0.0e+00), (-0.0e+00, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_i1() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<20xi1>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_i8() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xi8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 127, 0, 127, 0, 127, 0, 127, 127, 127, 0, 0, 0]> : tensor<20xi8>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_i16() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xi16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 32767, 0, 32767, 0, 32767, 32767, 32767, 0, 0, 0]> : tensor<20xi16>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_i32() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xi32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 2147483647, 0, 2147483647, 0, 2147483647, 2147483647, 2147483647, 0, 0, 0]> : tensor<20xi32>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_i64() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xi64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 2147483648, 0, 9223372036854775807, 0, 2147483648, 9223372036854775807, 9223372036854775807, 0, 0, 0]> : tensor<20xi64>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_ui8() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xui8>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 255, 0, 255, 0, 255, 255, 255, 0, 0, 0]> : tensor<20xui8>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_ui16() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xui16>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 65535, 0, 65535, 0, 65535, 65535, 65535, 0, 0, 0]> : tensor<20xui16>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_ui32() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xui32>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 2147483648, 0, 4294967295, 0, 2147483648, 4294967295, 4294967295, 0, 0, 0]> : tensor<20xui32>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_ui64() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xui64>
  check.expect_eq_const %r, dense<[0, 0, 1, 0, 2, 2, 0, 0, 128, 0, 2147483648, 0, 9223372036854775808, 0, 2147483648, 9223372036854775808, 18446744073709551615, 0, 0, 0]> : tensor<20xui64>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f16() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf16>
  check.expect_eq_const %r, dense<[0x7E00, 0x7E00, 1.0e+00, 0x7E00, 2.0e+00, 2.0e+00, 0x7E00, 5.0e-01, 1.28e+02, 0x7E00, 0x7C00, 0x7E00, 0x7C00, 0x7E00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00]> : tensor<20xf16>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_bf16() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xbf16>
  check.expect_eq_const %r, dense<[0x7FC0, 0x7FC0, 1.0e+00, 0x7FC0, 2.0e+00, 2.0e+00, 0x7FC0, 5.0e-01, 1.28e+02, 0x7FC0, 2.147483648e+09, 0x7FC0, 9.223372036854776e+18, 0x7FC0, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<20xbf16>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f32() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf32>
  check.expect_eq_const %r, dense<[0x7FC00000, 0x7FC00000, 1.0e+00, 0x7FC00000, 2.0e+00, 2.0e+00, 0x7FC00000, 5.0e-01, 1.28e+02, 0x7FC00000, 2.1474836e+09, 0x7FC00000, 9.223372e+18, 0x7FC00000, 2.1474836e+09, 9.223372e+18, 1.8446744e+19, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<20xf32>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f64() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf64>
  check.expect_eq_const %r, dense<[0x7FF8000000000000, 0x7FF8000000000000, 1.0e+00, 0x7FF8000000000000, 2.0e+00, 2.0e+00, 0x7FF8000000000000, 5.0e-01, 1.28e+02, 0x7FF8000000000000, 2.147483648e+09, 0x7FF8000000000000, 9.223372036854776e+18, 0x7FF8000000000000, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<20xf64>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E4M3FN() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E4M3FN>
  check.expect_eq_const %r, dense<[0x7F, 0x7F, 1.0e+00, 0x7F, 2.0e+00, 2.0e+00, 0x7F, 5.0e-01, 1.28e+02, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E4M3FN>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E5M2() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E5M2>
  check.expect_eq_const %r, dense<[0x7F, 0x7F, 1.0e+00, 0x7F, 2.0e+00, 2.0e+00, 0x7F, 5.0e-01, 1.28e+02, 0x7F, 0x7C, 0x7F, 0x7C, 0x7F, 0x7C, 0x7C, 0x7C, 0x7F, 0x7F, 0x7F]> : tensor<20xf8E5M2>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E4M3() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E4M3>
  check.expect_eq_const %r, dense<[0x7C, 0x7C, 1.0e+00, 0x7C, 2.0e+00, 2.0e+00, 0x7C, 5.0e-01, 1.28e+02, 0x7C, 0x78, 0x7C, 0x78, 0x7C, 0x78, 0x78, 0x78, 0x7C, 0x7C, 0x7C]> : tensor<20xf8E4M3>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E3M4() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E3M4>
  check.expect_eq_const %r, dense<[0x78, 0x78, 1.0e+00, 0x78, 2.0e+00, 2.0e+00, 0x78, 5.0e-01, 0x70, 0x78, 0x70, 0x78, 0x70, 0x78, 0x70, 0x70, 0x70, 0x78, 0x78, 0x78]> : tensor<20xf8E3M4>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E4M3B11FNUZ() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0x80, 0x80, 1.0e+00, 0x80, 2.0e+00, 2.0e+00, 0x80, 5.0e-01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3B11FNUZ>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E4M3FNUZ() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0x80, 0x80, 1.0e+00, 0x80, 2.0e+00, 2.0e+00, 0x80, 5.0e-01, 1.28e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E4M3FNUZ>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f8E5M2FNUZ() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0x80, 0x80, 1.0e+00, 0x80, 2.0e+00, 2.0e+00, 0x80, 5.0e-01, 1.28e+02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]> : tensor<20xf8E5M2FNUZ>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_f4E2M1FN() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xf4E2M1FN>
  check.expect_eq_const %r, dense<[-0.0e+00, -0.0e+00, 1.0e+00, -0.0e+00, 2.0e+00, 2.0e+00, -0.0e+00, 5.0e-01, 6.0e+00, -0.0e+00, 6.0e+00, -0.0e+00, 6.0e+00, -0.0e+00, 6.0e+00, 6.0e+00, 6.0e+00, -0.0e+00, -0.0e+00, -0.0e+00]> : tensor<20xf4E2M1FN>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_c64() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (1.0e+00, 0.0e+00), (0x7FC00000, 0.0e+00), (2.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (0x7FC00000, 0.0e+00), (5.0e-01, 0.0e+00), (1.28e+02, 0.0e+00), (0x7FC00000, 0.0e+00), (2.1474836e+09, 0.0e+00), (0x7FC00000, 0.0e+00), (9.223372e+18, 0.0e+00), (0x7FC00000, 0.0e+00), (2.1474836e+09, 0.0e+00), (9.223372e+18, 0.0e+00), (1.8446744e+19, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00), (0x7FC00000, 0.0e+00)]> : tensor<20xcomplex<f32>>
  func.return
}

// -----

func.func @convert_f8E8M0FNU_c128() {
  %x = stablehlo.constant dense<[0xFF, 0xFF, 1.0e+00, 0xFF, 2.0e+00, 2.0e+00, 0xFF, 5.0e-01, 1.28e+02, 0xFF, 2.147483648e+09, 0xFF, 9.223372036854776e+18, 0xFF, 2.147483648e+09, 9.223372036854776e+18, 1.8446744073709552e+19, 0xFF, 0xFF, 0xFF]> : tensor<20xf8E8M0FNU>
  %r = stablehlo.convert %x : (tensor<20xf8E8M0FNU>) -> tensor<20xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (1.0e+00, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (2.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (5.0e-01, 0.0e+00), (1.28e+02, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (2.147483648e+09, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (2.147483648e+09, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (1.8446744073709552e+19, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00), (0x7FF8000000000000, 0.0e+00)]> : tensor<20xcomplex<f64>>
  func.return
}

// -----

func.func @convert_c64_c128() {
  %x = stablehlo.constant dense<[(0.0e+00, 0.0e+00), (1.5e+00, 2.0e+00), (-2.75e+00, -1.0e+00), (0x7F800000, 1.0e+00), (1.0e+09, 0x7FC00000), (-0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f32>>
  %r = stablehlo.convert %x : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.5e+00, 2.0e+00), (-2.75e+00, -1.0e+00), (0x7FF0000000000000, 1.0e+00), (1.0e+09, 0x7FF8000000000000), (-0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f64>>
  func.return
}

// -----

func.func @convert_c128_c64() {
  %x = stablehlo.constant dense<[(0.0e+00, 0.0e+00), (1.5e+00, 2.0e+00), (-2.75e+00, -1.0e+00), (0x7FF0000000000000, 1.0e+00), (1.0e+09, 0x7FF8000000000000), (-0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f64>>
  %r = stablehlo.convert %x : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.5e+00, 2.0e+00), (-2.75e+00, -1.0e+00), (0x7F800000, 1.0e+00), (1.0e+09, 0x7FC00000), (-0.0e+00, 0.0e+00)]> : tensor<6xcomplex<f32>>
  func.return
}
