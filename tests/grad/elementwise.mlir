// Each function is differentiated by ten_grad and by finite differences in f64; its arguments are drawn from (0.1, 0.9). A second
// derivative is checked too, unless the function says `tenfold.smooth = false`.

func.func @abs(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.abs %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @cbrt(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.cbrt %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @cosine(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.cosine %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @exponential(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.exponential %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @exponential_minus_one(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.exponential_minus_one %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @log(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.log %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @log_plus_one(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.log_plus_one %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @logistic(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.logistic %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @negate(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.negate %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @rsqrt(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.rsqrt %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @sine(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.sine %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @sqrt(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.sqrt %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @tan(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.tan %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @tanh(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.tanh %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_acos(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.acos %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_asin(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.asin %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_asinh(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.asinh %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_atan(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.atan %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_atanh(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.atanh %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_cosh(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.cosh %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_sinh(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.sinh %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_erf(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.erf %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_erfc(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.erfc %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_erf_inv(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.erf_inv %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_lgamma(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.lgamma %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_digamma(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.digamma %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_square(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.square %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_acosh(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %c = stablehlo.constant dense<1.5> : tensor<2x3xf64>
  %z = stablehlo.add %x, %c : tensor<2x3xf64>
  %y = chlo.acosh %z : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @add(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.add %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @subtract(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.subtract %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @multiply(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.multiply %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @divide(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.divide %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @power(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.power %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @atan2(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.atan2 %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @maximum(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.maximum %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @minimum(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.minimum %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @remainder(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.remainder %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_polygamma(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %n = stablehlo.constant dense<2.0> : tensor<2x3xf64>
  %y = chlo.polygamma %n, %x : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_zeta(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %n = stablehlo.constant dense<2.5> : tensor<2x3xf64>
  %y = chlo.zeta %n, %x : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @select(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %c = stablehlo.constant dense<0.5> : tensor<2x3xf64>
  %p = stablehlo.compare GT, %a, %c : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xi1>
  %z = stablehlo.multiply %a, %b : tensor<2x3xf64>
  %y = stablehlo.select %p, %z, %b : tensor<2x3xi1>, tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @clamp(%l: tensor<f64>, %x: tensor<2x3xf64>, %h: tensor<f64>) -> tensor<2x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<2x3xf64>
  %y = stablehlo.clamp %l, %z, %h : (tensor<f64>, tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @convert(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<2x3xf64>
  %y = stablehlo.convert %z : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @complex_parts(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %c = stablehlo.complex %a, %b : tensor<2x3xcomplex<f64>>
  %e = stablehlo.exponential %c : tensor<2x3xcomplex<f64>>
  %s = stablehlo.sine %e : tensor<2x3xcomplex<f64>>
  %d = stablehlo.divide %s, %c : tensor<2x3xcomplex<f64>>
  %r = stablehlo.real %d : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
  %i = stablehlo.imag %e : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
  %n = stablehlo.abs %d : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
  %ri = stablehlo.multiply %r, %i : tensor<2x3xf64>
  %y = stablehlo.add %ri, %n : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_bessel_i1e(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.bessel_i1e %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_bessel_i1e_far(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %c = stablehlo.constant dense<[[-20.0, -40.0, 12.0], [30.0, 33.0, 80.0]]> : tensor<2x3xf64>
  %z = stablehlo.add %x, %c : tensor<2x3xf64>
  %y = chlo.bessel_i1e %z : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @steps(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %up = stablehlo.ceil %x : tensor<2x3xf64>
  %down = stablehlo.floor %x : tensor<2x3xf64>
  %even = stablehlo.round_nearest_even %x : tensor<2x3xf64>
  %away = stablehlo.round_nearest_afz %x : tensor<2x3xf64>
  %sign = stablehlo.sign %x : tensor<2x3xf64>
  %a = stablehlo.add %up, %down : tensor<2x3xf64>
  %b = stablehlo.add %even, %away : tensor<2x3xf64>
  %c = stablehlo.add %a, %b : tensor<2x3xf64>
  %d = stablehlo.add %c, %sign : tensor<2x3xf64>
  %y = stablehlo.multiply %d, %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @reduce_precision(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %z = stablehlo.reduce_precision %x, format = e11m52 : tensor<2x3xf64>
  %y = stablehlo.multiply %z, %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @optimization_barrier(%a: tensor<2x3xf64>, %b: tensor<2xf64>) -> (tensor<2x3xf64>, tensor<2xf64>) {
  %c = stablehlo.multiply %a, %a : tensor<2x3xf64>
  %d = stablehlo.multiply %b, %b : tensor<2xf64>
  %y:2 = stablehlo.optimization_barrier %c, %d : tensor<2x3xf64>, tensor<2xf64>
  return %y#0, %y#1 : tensor<2x3xf64>, tensor<2xf64>
}

func.func @chlo_tan(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = chlo.tan %x : tensor<2x3xf64> -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_conj(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %c = stablehlo.complex %a, %b : tensor<2x3xcomplex<f64>>
  %d = chlo.conj %c : tensor<2x3xcomplex<f64>> -> tensor<2x3xcomplex<f64>>
  %e = stablehlo.multiply %c, %d : tensor<2x3xcomplex<f64>>
  %f = stablehlo.multiply %e, %d : tensor<2x3xcomplex<f64>>
  %y = stablehlo.imag %f : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_next_after(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %n = chlo.next_after %a, %b : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<2x3xf64>
  %y = stablehlo.multiply %n, %n : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
