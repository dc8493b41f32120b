// Control flow, calls and linear algebra. See elementwise.mlir for how the cases are run.

func.func @while(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %limit = stablehlo.constant dense<5> : tensor<i64>
  %y:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i64>, tensor<3xf64>
   cond {
    %p = stablehlo.compare LT, %i, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %n = stablehlo.add %i, %one : tensor<i64>
    %m = stablehlo.multiply %a, %w : tensor<3xf64>
    %s = stablehlo.sine %m : tensor<3xf64>
    %r = stablehlo.add %s, %x : tensor<3xf64>
    stablehlo.return %n, %r : tensor<i64>, tensor<3xf64>
  }
  return %y#1 : tensor<3xf64>
}

func.func @if(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %y = "stablehlo.if"(%p) ({
    %a = stablehlo.multiply %x, %w : tensor<3xf64>
    stablehlo.return %a : tensor<3xf64>
  }, {
    stablehlo.return %x : tensor<3xf64>
  }) : (tensor<i1>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @case(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
  %i = stablehlo.constant dense<2> : tensor<i32>
  %z = stablehlo.exponential %x : tensor<3xf64>
  %y = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<3xf64>
  }, {
    stablehlo.return %w : tensor<3xf64>
  }, {
    %a = stablehlo.divide %z, %w : tensor<3xf64>
    stablehlo.return %a : tensor<3xf64>
  }) : (tensor<i32>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func private @twice(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = stablehlo.multiply %x, %x : tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @call(%x: tensor<3xf64>) -> tensor<3xf64> {
  %a = call @twice(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %y = call @twice(%a) : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @fft(%a: tensor<3x4xf64>, %b: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %c = stablehlo.complex %a, %b : tensor<3x4xcomplex<f64>>
  %f = stablehlo.fft %c, type = FFT, length = [4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  %g = stablehlo.multiply %f, %c : tensor<3x4xcomplex<f64>>
  %h = stablehlo.fft %g, type = IFFT, length = [3, 4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  %r = stablehlo.real %h : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
  %i = stablehlo.imag %h : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
  %y = stablehlo.multiply %r, %i : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @rfft_6(%x: tensor<2x6xf64>) -> tensor<2x6xf64> {
  %f = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>>
  %s = stablehlo.multiply %f, %f : tensor<2x4xcomplex<f64>>
  %y = stablehlo.fft %s, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f64>>) -> tensor<2x6xf64>
  return %y : tensor<2x6xf64>
}

func.func @rfft_5(%x: tensor<2x5xf64>) -> tensor<2x5xf64> {
  %f = stablehlo.fft %x, type = RFFT, length = [5] : (tensor<2x5xf64>) -> tensor<2x3xcomplex<f64>>
  %s = stablehlo.multiply %f, %f : tensor<2x3xcomplex<f64>>
  %y = stablehlo.fft %s, type = IRFFT, length = [5] : (tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  return %y : tensor<2x5xf64>
}

func.func @cholesky_lower(%x: tensor<2x3x3xf64>) -> tensor<2x3x3xf64> {
  %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  %p = stablehlo.dot_general %x, %t, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  %e = stablehlo.constant dense<[[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]], [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]]> : tensor<2x3x3xf64>
  %s = stablehlo.add %p, %e : tensor<2x3x3xf64>
  %l = stablehlo.cholesky %s, lower = true : tensor<2x3x3xf64>
  %r = stablehlo.iota dim = 1 : tensor<2x3x3xi64>
  %c = stablehlo.iota dim = 2 : tensor<2x3x3xi64>
  %m = stablehlo.compare GE, %r, %c : (tensor<2x3x3xi64>, tensor<2x3x3xi64>) -> tensor<2x3x3xi1>
  %z = stablehlo.constant dense<0.0> : tensor<2x3x3xf64>
  %y = stablehlo.select %m, %l, %z : tensor<2x3x3xi1>, tensor<2x3x3xf64>
  return %y : tensor<2x3x3xf64>
}

func.func @cholesky_upper(%x: tensor<2x3x3xf64>) -> tensor<2x3x3xf64> {
  %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  %p = stablehlo.dot_general %x, %t, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  %e = stablehlo.constant dense<[[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]], [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]]> : tensor<2x3x3xf64>
  %s = stablehlo.add %p, %e : tensor<2x3x3xf64>
  %l = stablehlo.cholesky %s, lower = false : tensor<2x3x3xf64>
  %r = stablehlo.iota dim = 1 : tensor<2x3x3xi64>
  %c = stablehlo.iota dim = 2 : tensor<2x3x3xi64>
  %m = stablehlo.compare LE, %r, %c : (tensor<2x3x3xi64>, tensor<2x3x3xi64>) -> tensor<2x3x3xi1>
  %z = stablehlo.constant dense<0.0> : tensor<2x3x3xf64>
  %y = stablehlo.select %m, %l, %z : tensor<2x3x3xi1>, tensor<2x3x3xf64>
  return %y : tensor<2x3x3xf64>
}

func.func @triangular_solve_0(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_1(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_2(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_3(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_4(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_5(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_6(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @triangular_solve_7(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @triangular_solve_8(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @triangular_solve_9(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @triangular_solve_10(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @triangular_solve_11(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s = stablehlo.add %a, %e : tensor<3x3xf64>
  %y = "stablehlo.triangular_solve"(%s, %b) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
