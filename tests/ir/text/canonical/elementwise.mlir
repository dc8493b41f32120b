module {
  func.func @unary(%arg0: tensor<2x3xf32>, %arg1: tensor<4xi32>, %arg2: tensor<2xcomplex<f32>>, %arg3: tensor<i1>) -> tensor<2x3xf32> {
    %0 = stablehlo.abs %arg0 : tensor<2x3xf32>
    %1 = stablehlo.abs %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %2 = stablehlo.cbrt %arg0 : tensor<2x3xf32>
    %3 = stablehlo.ceil %arg0 : tensor<2x3xf32>
    %4 = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf64>
    %5 = stablehlo.convert %arg0 : tensor<2x3xf32>
    %6 = stablehlo.count_leading_zeros %arg1 : tensor<4xi32>
    %7 = stablehlo.cosine %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
    %8 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
    %9 = stablehlo.exponential_minus_one %arg0 {a.note = "kept"} : tensor<2x3xf32>
    %10 = stablehlo.floor %arg0 : tensor<2x3xf32>
    %11 = stablehlo.imag %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %12 = stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %13 = stablehlo.log %arg0 : tensor<2x3xf32>
    %14 = stablehlo.log_plus_one %arg0 : tensor<2x3xf32>
    %15 = stablehlo.logistic %arg0 : tensor<2x3xf32>
    %16 = stablehlo.not %arg3 : tensor<i1>
    %17 = stablehlo.negate %arg0 : tensor<2x3xf32>
    %18 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %19 = stablehlo.real %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %20 = stablehlo.round_nearest_afz %arg0 : tensor<2x3xf32>
    %21 = stablehlo.round_nearest_even %arg0 : tensor<2x3xf32>
    %22 = stablehlo.rsqrt %arg0 : tensor<2x3xf32>
    %23 = stablehlo.sign %arg0 : tensor<2x3xf32>
    %24 = stablehlo.sine %arg0 : tensor<2x3xf32>
    %25 = stablehlo.sqrt %arg0 : tensor<2x3xf32>
    %26 = stablehlo.tan %arg0 : tensor<2x3xf32>
    %27 = stablehlo.tanh %arg0 : tensor<2x3xf32>
    %28 = stablehlo.reduce_precision %arg0, format = e5m2 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @binary(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<4xi32>, %arg3: tensor<2x3xi1>, %arg4: tensor<f32>, %arg5: tensor<?x3xf32, #stablehlo.bounds<2, ?>>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.atan2 %arg0, %arg1 : tensor<2x3xf32>
    %2 = stablehlo.complex %arg0, %arg1 : tensor<2x3xcomplex<f32>>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<2x3xf32>
    %4 = stablehlo.maximum %arg0, %arg1 : tensor<2x3xf32>
    %5 = stablehlo.minimum %arg0, %arg1 : tensor<2x3xf32>
    %6 = stablehlo.multiply %arg0, %arg1 : tensor<2x3xf32>
    %7 = stablehlo.power %arg0, %arg1 : tensor<2x3xf32>
    %8 = stablehlo.remainder %arg0, %arg1 : tensor<2x3xf32>
    %9 = stablehlo.shift_left %arg2, %arg2 : tensor<4xi32>
    %10 = stablehlo.shift_right_arithmetic %arg2, %arg2 : tensor<4xi32>
    %11 = stablehlo.shift_right_logical %arg2, %arg2 : tensor<4xi32>
    %12 = stablehlo.subtract %arg0, %arg1 : tensor<2x3xf32>
    %13 = stablehlo.and %arg2, %arg2 : tensor<4xi32>
    %14 = stablehlo.or %arg2, %arg2 : tensor<4xi32>
    %15 = stablehlo.xor %arg2, %arg2 : tensor<4xi32>
    %16 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %17 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %18 = stablehlo.select %arg3, %arg0, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %19 = stablehlo.clamp %arg4, %arg0, %arg4 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %20 = stablehlo.clamp %arg0, %arg0, %arg1 : tensor<2x3xf32>
    %21 = stablehlo.add %arg5, %arg0 : (tensor<?x3xf32, #stablehlo.bounds<2, ?>>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
