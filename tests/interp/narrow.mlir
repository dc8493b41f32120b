// Types of less than a byte, and quantized ones.

func.func @wraps_i4() {
  %a = stablehlo.constant dense<[7, -8, 5, -1]> : tensor<4xi4>
  %b = stablehlo.constant dense<[1, -1, 3, 7]> : tensor<4xi4>
  %add = stablehlo.add %a, %b : tensor<4xi4>
  %mul = stablehlo.multiply %a, %b : tensor<4xi4>
  %div = stablehlo.divide %a, %b : tensor<4xi4>
  %neg = stablehlo.negate %a : tensor<4xi4>
  check.expect_eq_const %add, dense<[-8, 7, -8, 6]> : tensor<4xi4>
  check.expect_eq_const %mul, dense<[7, -8, -1, -7]> : tensor<4xi4>
  check.expect_eq_const %div, dense<[7, -8, 1, 0]> : tensor<4xi4>
  check.expect_eq_const %neg, dense<[-7, -8, -5, 1]> : tensor<4xi4>
  func.return
}

// -----

func.func @wraps_ui4() {
  %a = stablehlo.constant dense<[15, 8, 3, 0]> : tensor<4xui4>
  %b = stablehlo.constant dense<[1, 2, 0, 15]> : tensor<4xui4>
  %add = stablehlo.add %a, %b : tensor<4xui4>
  %sub = stablehlo.subtract %a, %b : tensor<4xui4>
  %div = stablehlo.divide %a, %b : tensor<4xui4>
  %rem = stablehlo.remainder %a, %b : tensor<4xui4>
  %not = stablehlo.not %a : tensor<4xui4>
  check.expect_eq_const %add, dense<[0, 10, 3, 15]> : tensor<4xui4>
  check.expect_eq_const %sub, dense<[14, 6, 3, 1]> : tensor<4xui4>
  check.expect_eq_const %div, dense<[15, 4, 15, 0]> : tensor<4xui4>
  check.expect_eq_const %rem, dense<[0, 0, 3, 0]> : tensor<4xui4>
  check.expect_eq_const %not, dense<[0, 7, 12, 15]> : tensor<4xui4>
  func.return
}

// -----

func.func @i2() {
  %a = stablehlo.constant dense<[1, -2, 0, -1]> : tensor<4xi2>
  %b = stablehlo.constant dense<[1, 1, -2, -1]> : tensor<4xi2>
  %add = stablehlo.add %a, %b : tensor<4xi2>
  %wide = stablehlo.convert %a : (tensor<4xi2>) -> tensor<4xi32>
  %count = stablehlo.popcnt %a : tensor<4xi2>
  %zeros = stablehlo.count_leading_zeros %a : tensor<4xi2>
  %right = stablehlo.shift_right_logical %a, %b : tensor<4xi2>
  check.expect_eq_const %add, dense<[-2, -1, -2, -2]> : tensor<4xi2>
  check.expect_eq_const %wide, dense<[1, -2, 0, -1]> : tensor<4xi32>
  check.expect_eq_const %count, dense<[1, 1, 0, -2]> : tensor<4xi2>
  check.expect_eq_const %zeros, dense<[1, 0, -2, 0]> : tensor<4xi2>
  check.expect_eq_const %right, dense<[0, 1, 0, 0]> : tensor<4xi2>
  func.return
}

// -----

func.func @bitcast_i4() {
  %a = stablehlo.constant dense<[18, -1]> : tensor<2xi8>
  %narrow = stablehlo.bitcast_convert %a : (tensor<2xi8>) -> tensor<2x2xi4>
  %back = stablehlo.bitcast_convert %narrow : (tensor<2x2xi4>) -> tensor<2xi8>
  check.expect_eq_const %narrow, dense<[[2, 1], [-1, -1]]> : tensor<2x2xi4>
  check.expect_eq %a, %back : tensor<2xi8>
  func.return
}

// -----

// Ties go to even; what is too large for a type without infinity is its largest value (f4, f6).
func.func @f4_and_f6() {
  %x = stablehlo.constant dense<[0.25, 0.75, 1.25, 2.5, 5.0, 100.0, -3.4]> : tensor<7xf32>
  %f4 = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xf4E2M1FN>
  %0 = stablehlo.convert %f4 : (tensor<7xf4E2M1FN>) -> tensor<7xf32>
  check.expect_eq_const %0, dense<[0.0, 1.0, 1.0, 2.0, 4.0, 6.0, -3.0]> : tensor<7xf32>
  %f6 = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xf6E3M2FN>
  %1 = stablehlo.convert %f6 : (tensor<7xf6E3M2FN>) -> tensor<7xf32>
  check.expect_eq_const %1, dense<[0.25, 0.75, 1.25, 2.5, 5.0, 28.0, -3.5]> : tensor<7xf32>
  %g6 = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xf6E2M3FN>
  %2 = stablehlo.convert %g6 : (tensor<7xf6E2M3FN>) -> tensor<7xf32>
  check.expect_eq_const %2, dense<[0.25, 0.75, 1.25, 2.5, 5.0, 7.5, -3.5]> : tensor<7xf32>
  %sum = stablehlo.add %f4, %f4 : tensor<7xf4E2M1FN>
  %3 = stablehlo.convert %sum : (tensor<7xf4E2M1FN>) -> tensor<7xf32>
  check.expect_eq_const %3, dense<[0.0, 2.0, 2.0, 4.0, 6.0, 6.0, -6.0]> : tensor<7xf32>
  func.return
}

// -----

func.func @quantize_clamps_and_rounds() {
  %x = stablehlo.constant dense<[0.0, 0.75, 1.25, -1.25, 1000.0, -1000.0]> : tensor<6xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8:f32, 0.5:3>>
  %s = stablehlo.bitcast_convert %q : (tensor<6x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<6xi8>
  check.expect_eq_const %s, dense<[3, 4, 6, 0, 127, -128]> : tensor<6xi8>
  %r = stablehlo.uniform_dequantize %q : (tensor<6x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0, 0.5, 1.5, -1.5, 62.0, -65.5]> : tensor<6xf32>
  func.return
}

// -----

func.func @quantized_arithmetic() {
  %x = stablehlo.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[0.5, 4.0, 2.0]> : tensor<3xf32>
  %a = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  %b = stablehlo.uniform_quantize %y : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.25:-4>>
  %c = stablehlo.multiply %a, %b : (tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.25:-4>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %r = stablehlo.uniform_dequantize %c : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.5, 8.0, -6.0]> : tensor<3xf32>
  %t = stablehlo.transpose %c, dims = [0] : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %s = stablehlo.bitcast_convert %t : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xi8>
  check.expect_eq_const %s, dense<[2, 17, -11]> : tensor<3xi8>
  func.return
}

// -----

func.func @quantized_by_axis_and_dot() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = stablehlo.constant dense<[[1.0, 0.5], [-1.0, 0.25]]> : tensor<2x2xf32>
  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %b = stablehlo.uniform_quantize %w : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
  %r = stablehlo.uniform_dequantize %c : (tensor<2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[-1.0, 1.0], [-1.0, 2.5]]> : tensor<2x2xf32>
  %hybrid = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<2x2xf32>
  check.expect_eq_const %hybrid, dense<[[-1.0, 1.0], [-1.0, 2.5]]> : tensor<2x2xf32>
  func.return
}
