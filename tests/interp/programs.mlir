// Linear algebra, Fourier transforms, normalisation, control flow.
// Expected values: XLA's CPU backend.

func.func @cholesky_lower() {
  %x = stablehlo.constant dense<[[[2.1805992e+01, -3.829052e+00, 1.5825312e+01], [-3.829052e+00, 1.1703797e+01, -4.168228e+00], [1.5825312e+01, -4.168228e+00, 1.7053501e+01]], [[2.1805992e+01, -3.829052e+00, 1.5825312e+01], [-3.829052e+00, 1.1703797e+01, -4.168228e+00], [1.5825312e+01, -4.168228e+00, 1.7053501e+01]]]> : tensor<2x3x3xf32>
  %c = stablehlo.cholesky %x, lower = true : tensor<2x3x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
  %m = stablehlo.compare GE, %i, %j : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
  %z = stablehlo.constant dense<0.0> : tensor<2x3x3xf32>
  %r = stablehlo.select %m, %c, %z : tensor<2x3x3xi1>, tensor<2x3x3xf32>
  check.expect_almost_eq_const %r, dense<[[[4.6696887e+00, 0.0e+00, 0.0e+00], [-8.199801e-01, 3.3213596e+00, 0.0e+00], [3.3889434e+00, -4.1831124e-01, 2.322408e+00]], [[4.6696887e+00, 0.0e+00, 0.0e+00], [-8.199801e-01, 3.3213596e+00, 0.0e+00], [3.3889434e+00, -4.1831124e-01, 2.322408e+00]]]> : tensor<2x3x3xf32>
  func.return
}

// -----

func.func @cholesky_upper() {
  %x = stablehlo.constant dense<[[[2.1805992e+01, -3.829052e+00, 1.5825312e+01], [-3.829052e+00, 1.1703797e+01, -4.168228e+00], [1.5825312e+01, -4.168228e+00, 1.7053501e+01]], [[2.1805992e+01, -3.829052e+00, 1.5825312e+01], [-3.829052e+00, 1.1703797e+01, -4.168228e+00], [1.5825312e+01, -4.168228e+00, 1.7053501e+01]]]> : tensor<2x3x3xf32>
  %c = stablehlo.cholesky %x, lower = false : tensor<2x3x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
  %m = stablehlo.compare LE, %i, %j : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
  %z = stablehlo.constant dense<0.0> : tensor<2x3x3xf32>
  %r = stablehlo.select %m, %c, %z : tensor<2x3x3xi1>, tensor<2x3x3xf32>
  check.expect_almost_eq_const %r, dense<[[[4.6696887e+00, -8.199801e-01, 3.3889434e+00], [0.0e+00, 3.3213596e+00, -4.1831124e-01], [0.0e+00, 0.0e+00, 2.322408e+00]], [[4.6696887e+00, -8.199801e-01, 3.3889434e+00], [0.0e+00, 3.3213596e+00, -4.1831124e-01], [0.0e+00, 0.0e+00, 2.322408e+00]]]> : tensor<2x3x3xf32>
  func.return
}

// -----

func.func @triangular_solve_left_lower_no_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.94e-01, -2.563e+00], [-3.328e+00, 1.098e+00], [6.87e-01, -4.3e-02]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[1.47e-01, -1.2815e+00], [-2.2431666666666663e+00, 9.455833333333333e-01], [1.0012222222222222e+00, -5.431111111111111e-01]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_lower_no_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-3.451e+00, 3.548e+00], [-5.8e+00, -7.28e-01], [4.182e+00, -3.15e-01]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-3.451e+00, 3.548e+00], [-4.93725e+00, -1.615e+00], [7.393750000000001e+00, 3.0740000000000003e+00]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_lower_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[4.64e-01, -2.358e+00], [2.717e+00, -2.585e+00], [5.09e-01, 2.7e-01]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[6.21388888888889e-02, -9.335833333333333e-01], [1.698222222222222e+00, -1.7833333333333332e+00], [1.6966666666666666e-01, 9.0e-02]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_lower_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-2.101e+00, 1.774e+00], [-2.832e+00, -1.367e+00], [-5.7e-02, -8.25e-01]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-1.43575e+00, 1.4970000000000003e+00], [-2.775e+00, -5.42e-01], [-5.7e-02, -8.25e-01]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_lower_adjoint() {
  %a = stablehlo.constant dense<[[(2.0e+00, 5.0e-01), (5.0e-01, 6.25e-02), (-1.0e+00, -1.25e-01)], [(2.5e-01, 1.25e-01), (1.5e+00, 3.75e-01), (7.5e-01, 2.5e-01)], [(-5.0e-01, -2.5e-01), (1.0e+00, 1.875e-01), (3.0e+00, 7.5e-01)]]> : tensor<3x3xcomplex<f64>>
  %b = stablehlo.constant dense<[[(9.36e-01, 0.0e+00), (1.848e+00, 0.0e+00)], [(-5.88e-01, 0.0e+00), (-1.083e+00, 0.0e+00)], [(-1.034e+00, 0.0e+00), (-7.31e-01, 0.0e+00)]]> : tensor<3x2xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[(3.71652938914897e-01, 1.0652819051496032e-01), (8.794905805459439e-01, 2.164134948096886e-01)], [(-1.5904036908881194e-01, -2.6243752402921948e-02), (-5.311372549019607e-01, -1.2322875816993463e-01)], [(-3.243921568627451e-01, -8.109803921568627e-02), (-2.2933333333333333e-01, -5.733333333333333e-02)]]> : tensor<3x2xcomplex<f64>>
  func.return
}

// -----

func.func @triangular_solve_left_upper_no_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.619e+00, -4.35e-01], [8.15e-01, -1.82e-01], [-1.689e+00, 1.727e+00]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[3.2179166666666664e-01, 1.7262499999999997e-01], [8.248333333333332e-01, -4.091666666666667e-01], [-5.63e-01, 5.756666666666667e-01]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_upper_no_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-2.076e+00, 1.2e-02], [2.974e+00, -2.186e+00], [-1.1e-01, -3.17e+00]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-3.7142500000000003e+00, -3.25375e+00], [3.0565e+00, 1.915e-01], [-1.1e-01, -3.17e+00]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_upper_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-1.019e+00, -2.989e+00], [-7.23e-01, -1.077e+00], [2.64e-01, 3.169e+00]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-5.095e-01, -1.4945e+00], [-3.1216666666666665e-01, -2.198333333333333e-01], [-3.7916666666666333e-03, 6.131249999999999e-01]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_upper_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[5.66e-01, 1.316e+00], [-1.01e-01, -4.89e-01], [-1.668e+00, -3.602e+00]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[5.66e-01, 1.316e+00], [-3.84e-01, -1.147e+00], [-8.140000000000001e-01, -1.4257499999999999e+00]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @triangular_solve_left_upper_adjoint() {
  %a = stablehlo.constant dense<[[(2.0e+00, 5.0e-01), (5.0e-01, 6.25e-02), (-1.0e+00, -1.25e-01)], [(2.5e-01, 1.25e-01), (1.5e+00, 3.75e-01), (7.5e-01, 2.5e-01)], [(-5.0e-01, -2.5e-01), (1.0e+00, 1.875e-01), (3.0e+00, 7.5e-01)]]> : tensor<3x3xcomplex<f64>>
  %b = stablehlo.constant dense<[[(1.37e-01, 0.0e+00), (3.258e+00, 0.0e+00)], [(9.53e-01, 0.0e+00), (-1.068e+00, 0.0e+00)], [(3.299e+00, 0.0e+00), (-8.65e-01, 0.0e+00)]]> : tensor<3x2xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[(6.447058823529413e-02, 1.611764705882353e-02), (1.5331764705882354e+00, 3.8329411764705884e-01)], [(5.777347174163783e-01, 1.4174740484429066e-01), (-1.1511141868512111e+00, -3.5166089965397923e-01)], [(9.051613858923039e-01, 2.416843295565054e-01), (5.099405658457155e-01, 1.8335653707849922e-01)]]> : tensor<3x2xcomplex<f64>>
  func.return
}

// -----

func.func @triangular_solve_right_lower_no_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-1.238e+00, -2.425e+00, -1.924e+00], [-4.93e-01, 3.998e+00, -4.12e-01]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-6.306944444444444e-01, -1.189111111111111e+00, -6.413333333333333e-01], [-6.254444444444445e-01, 2.7568888888888887e+00, -1.373333333333333e-01]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_lower_no_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-2.063e+00, -1.211e+00, -4.46e-01], [-3.424e+00, 2.53e-01, 1.401e+00]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-2.09475e+00, -7.650000000000001e-01, -4.46e-01], [-2.4365e+00, -1.1480000000000001e+00, 1.401e+00]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_lower_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[6.42e-01, 1.201e+00, -2.579e+00], [-3.397e+00, 2.571e+00, 2.189e+00]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[3.21e-01, 7.471666666666666e-01, -1.0552222222222223e+00], [-1.6985e+00, 1.9970833333333333e+00, -2.1911111111111106e-01]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_lower_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-3.081e+00, 4.13e-01, 5.1e-02], [1.09e+00, 4.17e-01, -1.004e+00]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-3.081e+00, 1.18325e+00, -2.6727499999999997e+00], [1.09e+00, 1.4449999999999996e-01, -6.034999999999999e-01]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_lower_adjoint() {
  %a = stablehlo.constant dense<[[(2.0e+00, 5.0e-01), (5.0e-01, 6.25e-02), (-1.0e+00, -1.25e-01)], [(2.5e-01, 1.25e-01), (1.5e+00, 3.75e-01), (7.5e-01, 2.5e-01)], [(-5.0e-01, -2.5e-01), (1.0e+00, 1.875e-01), (3.0e+00, 7.5e-01)]]> : tensor<3x3xcomplex<f64>>
  %b = stablehlo.constant dense<[[(3.91e-01, 0.0e+00), (3.14e-01, 0.0e+00), (-9.7e-02, 0.0e+00)], [(-3.705e+00, 0.0e+00), (-5.99e+00, 0.0e+00), (-1.58e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[(1.84e-01, 4.6e-02), (1.627450980392157e-01, 4.8352941176470585e-02), (-4.865936178392926e-02, -2.577758554402153e-02)], [(-1.743529411764706e+00, -4.358823529411765e-01), (-3.4336562860438296e+00, -9.310611303344868e-01), (2.8900298527715595e-01, 2.4064799737657463e-01)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

func.func @triangular_solve_right_upper_no_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-3.27e+00, 5.05e-01, 1.432e+00], [5.26e-01, -7.39e-01, 1.41e-01]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-1.635e+00, 8.816666666666666e-01, -2.8808333333333325e-01], [2.63e-01, -5.803333333333333e-01, 2.7975e-01]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_upper_no_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[2.335e+00, -1.458e+00, 1.845e+00], [1.415e+00, 5.23e-01, 2.904e+00]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[2.335e+00, -2.6254999999999997e+00, 6.149125e+00], [1.415e+00, -1.845e-01, 4.457375e+00]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_upper_transpose() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-1.436e+00, 1.885e+00, -1.858e+00], [-1.534e+00, -2.119e+00, 8.92e-01]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-1.41925e+00, 1.5663333333333334e+00, -6.193333333333333e-01], [-2.28e-01, -1.5613333333333335e+00, 2.9733333333333334e-01]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_upper_transpose_unit() {
  %a = stablehlo.constant dense<[[2.0e+00, 5.0e-01, -1.0e+00], [2.5e-01, 1.5e+00, 7.5e-01], [-5.0e-01, 1.0e+00, 3.0e+00]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-1.88e+00, 1.04e-01, -2.273e+00], [2.133e+00, 3.672e+00, 4.52e-01]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-5.057375e+00, 1.80875e+00, -2.273e+00], [9.185e-01, 3.333e+00, 4.52e-01]]> : tensor<2x3xf64>
  func.return
}

// -----

func.func @triangular_solve_right_upper_adjoint() {
  %a = stablehlo.constant dense<[[(2.0e+00, 5.0e-01), (5.0e-01, 6.25e-02), (-1.0e+00, -1.25e-01)], [(2.5e-01, 1.25e-01), (1.5e+00, 3.75e-01), (7.5e-01, 2.5e-01)], [(-5.0e-01, -2.5e-01), (1.0e+00, 1.875e-01), (3.0e+00, 7.5e-01)]]> : tensor<3x3xcomplex<f64>>
  %b = stablehlo.constant dense<[[(3.287e+00, 0.0e+00), (1.121e+00, 0.0e+00), (4.339e+00, 0.0e+00)], [(1.99e-01, 0.0e+00), (-3.141e+00, 0.0e+00), (2.981e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[(2.190010787706086e+00, 6.185247076916118e-01), (-3.94617454825063e-03, 5.573241061130336e-02), (1.3612549019607845e+00, 3.403137254901961e-01)], [(1.112957934730986e+00, 4.037226632290748e-01), (-2.45676893502499e+00, -5.752249134948096e-01), (9.352156862745098e-01, 2.3380392156862745e-01)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

func.func @batch_norm_inference() {
  %x = stablehlo.constant dense<[[[-2.53e-01, -2.072e+00, -1.313e+00, -3.253e+00], [-3.35e-01, -2.143e+00, 2.968e+00, 1.329e+00], [-3.321e+00, -3.019e+00, -1.134e+00, -3.85e+00]], [[-2.2e-01, -8.7e-02, -1.546e+00, -1.093e+00], [9.98e-01, 2.843e+00, 2.991e+00, 6.9e-02], [1.712e+00, -1.477e+00, 8.24e-01, -1.919e+00]]]> : tensor<2x3x4xf32>
  %s = stablehlo.constant dense<[1.5e+00, 5.0e-01, 2.0e+00]> : tensor<3xf32>
  %o = stablehlo.constant dense<[1.0e-01, 2.0e-01, -3.0e-01]> : tensor<3xf32>
  %m = stablehlo.constant dense<[5.0e-01, -2.5e-01, 0.0e+00]> : tensor<3xf32>
  %v = stablehlo.constant dense<[1.0e+00, 2.0e+00, 5.0e-01]> : tensor<3xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[-1.0289357e+00, -3.7560728e+00, -2.6181414e+00, -5.5266876e+00], [1.6995546e-01, -4.691093e-01, 1.3374505e+00, 7.581213e-01], [-9.683828e+00, -8.830496e+00, -3.5042336e+00, -1.1178572e+01]], [[-9.794604e-01, -7.800601e-01, -2.9674668e+00, -2.2883062e+00], [6.4112437e-01, 1.2932674e+00, 1.3455802e+00, 3.1275535e-01], [4.537432e+00, -4.473416e+00, 2.028297e+00, -5.7223325e+00]]]> : tensor<2x3x4xf32>
  func.return
}

// -----

func.func @batch_norm_training() {
  %x = stablehlo.constant dense<[[[-2.53e-01, -2.072e+00, -1.313e+00, -3.253e+00], [-3.35e-01, -2.143e+00, 2.968e+00, 1.329e+00], [-3.321e+00, -3.019e+00, -1.134e+00, -3.85e+00]], [[-2.2e-01, -8.7e-02, -1.546e+00, -1.093e+00], [9.98e-01, 2.843e+00, 2.991e+00, 6.9e-02], [1.712e+00, -1.477e+00, 8.24e-01, -1.919e+00]]]> : tensor<2x3x4xf32>
  %s = stablehlo.constant dense<[1.5e+00, 5.0e-01, 2.0e+00]> : tensor<3xf32>
  %o = stablehlo.constant dense<[1.0e-01, 2.0e-01, -3.0e-01]> : tensor<3xf32>
  %r, %mean, %variance = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %r, dense<[[[1.5455449e+00, -1.1468358e+00, -2.3406915e-02, -2.894885e+00], [-2.129773e-01, -7.3695123e-01, 7.4426055e-01, 2.6926425e-01], [-2.251007e+00, -1.9233074e+00, 1.22103184e-01, -2.8250241e+00]], [[1.5943897e+00, 1.7912487e+00, -3.6828038e-01, 3.022245e-01], [1.7333761e-01, 7.080345e-01, 7.509262e-01, -9.589462e-02], [3.2102933e+00, -2.5008562e-01, 2.2467258e+00, -7.2969913e-01]]]> : tensor<2x3x4xf32>
  check.expect_almost_eq_const %mean, dense<[-1.229625e+00, 1.09e+00, -1.5229999e+00]> : tensor<3xf32>
  check.expect_almost_eq_const %variance, dense<[1.0260106e+00, 2.975579e+00, 3.396205e+00]> : tensor<3xf32>
  func.return
}

// -----

func.func @batch_norm_grad() {
  %x = stablehlo.constant dense<[[[-2.53e-01, -2.072e+00, -1.313e+00, -3.253e+00], [-3.35e-01, -2.143e+00, 2.968e+00, 1.329e+00], [-3.321e+00, -3.019e+00, -1.134e+00, -3.85e+00]], [[-2.2e-01, -8.7e-02, -1.546e+00, -1.093e+00], [9.98e-01, 2.843e+00, 2.991e+00, 6.9e-02], [1.712e+00, -1.477e+00, 8.24e-01, -1.919e+00]]]> : tensor<2x3x4xf32>
  %s = stablehlo.constant dense<[1.5e+00, 5.0e-01, 2.0e+00]> : tensor<3xf32>
  %m = stablehlo.constant dense<[5.0e-01, -2.5e-01, 0.0e+00]> : tensor<3xf32>
  %v = stablehlo.constant dense<[1.0e+00, 2.0e+00, 5.0e-01]> : tensor<3xf32>
  %g = stablehlo.constant dense<[[[1.459e+00, -2.477e+00, -1.93e+00, -1.7e-02], [1.114e+00, -2.876e+00, -1.073e+00, 2.7e-01], [4.58e-01, -1.678e+00, 1.94e-01, -5.34e-01]], [[2.808e+00, 1.114e+00, -2.648e+00, -4.403e+00], [2.0e-01, 2.364e+00, 3.47e-01, 1.764e+00], [-9.69e-01, -2.728e+00, 1.497e+00, 1.98e-01]]]> : tensor<2x3x4xf32>
  %r, %gs, %go = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %r, dense<[[[5.950376e+00, 6.3805933e+00, 4.558884e+00, 1.4179376e+01], [3.222521e-01, -6.261092e-01, -1.2947295e+00, -4.0124303e-01], [2.2698101e+01, 1.4830618e+01, 8.685347e+00, 2.3104126e+01]], [[7.8580046e+00, 4.85535e+00, 4.29341e+00, 8.549928e-02], [-3.4141138e-01, -4.7931183e-02, -7.986858e-01, 4.487779e-01], [-1.1865256e+01, 2.5096433e+00, 4.8947257e-01, 1.3458621e+01]]]> : tensor<2x3x4xf32>
  check.expect_almost_eq_const %gs, dense<[1.8581928e+01, 8.180447e+00, 1.2156679e+01]> : tensor<3xf32>
  check.expect_almost_eq_const %go, dense<[-6.094e+00, 2.1100001e+00, -3.562e+00]> : tensor<3xf32>
  func.return
}

// -----

func.func @fft_1d_2_6() {
  %x = stablehlo.constant dense<[[(1.367e+00, -2.088e+00), (-2.763e+00, 2.925e+00), (3.63e-01, -3.63e+00), (-1.251e+00, -1.701e+00), (1.613e+00, 1.276e+00), (-1.161e+00, 2.357e+00)], [(-1.215e+00, -2.97e-01), (-1.171e+00, 1.571e+00), (2.527e+00, 1.519e+00), (5.8e-02, 1.972e+00), (-1.52e+00, 9.3e-02), (-2.045e+00, 3.31e+00)]]> : tensor<2x6xcomplex<f32>>
  %r = stablehlo.fft %x, type = FFT, length = [6] : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[(-1.832e+00, -8.609998e-01), (-4.0888186e+00, 5.900904e+00), (5.8306227e+00, -4.948159e+00), (8.518e+00, -8.023001e+00), (-3.650623e+00, -5.5578413e+00), (3.424819e+00, 9.6109605e-01)], [(-3.3660002e+00, 8.168e+00), (-3.655566e+00, -4.896211e+00), (-2.7934704e+00, 1.1763983e+00), (2.95e+00, -5.538e+00), (2.6884704e+00, -4.3193984e+00), (-3.113434e+00, 3.6272109e+00)]]> : tensor<2x6xcomplex<f32>>
  func.return
}

// -----

func.func @ifft_1d_5() {
  %x = stablehlo.constant dense<[(4.32e-01, -2.951e+00), (3.096e+00, 1.051e+00), (-2.166e+00, -1.599e+00), (1.921e+00, 9.54e-01), (-2.47e+00, -2.079e+00)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.fft %x, type = IFFT, length = [5] : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.626e-01, -9.248000000000002e-01), (-1.305074689601135e-01, 2.8889746946776554e-02), (-8.835937855755094e-01, 9.679868410407608e-01), (8.235322647352776e-01, -1.8954454375025187e+00), (4.599689898003452e-01, -1.1276311504850185e+00)]> : tensor<5xcomplex<f64>>
  func.return
}

// -----

func.func @rfft_1d_2_8() {
  %x = stablehlo.constant dense<[[3.281e+00, 9.1e-02, -2.189e+00, 4.31e-01, 1.848e+00, -1.454e+00, 1.123e+00, 4.187e+00], [1.831e+00, 7.8e-02, -1.039e+00, 1.258e+00, -2.929e+00, -5.973e+00, -1.227e+00, -2.057e+00]]> : tensor<2x8xf32>
  %r = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[(7.318e+00, 0.0e+00), (5.1813726e+00, 4.875413e+00), (6.1949997e+00, 5.981e+00), (-2.315373e+00, -1.7485869e+00), (8.079996e-01, 0.0e+00)], [(-1.0058e+01, 0.0e+00), (6.694644e+00, -6.8107624e+00), (1.1680001e+00, 5.096e+00), (2.8253555e+00, -6.434762e+00), (3.33e+00, 0.0e+00)]]> : tensor<2x5xcomplex<f32>>
  func.return
}

// -----

func.func @irfft_1d_2_4() {
  %x = stablehlo.constant dense<[[(3.6e+00, 3.01e-01), (3.92e-01, 3.21e-01), (-1.857e+00, 3.59e-01), (-2.21e+00, 2.736e+00)], [(1.116e+00, 3.537e+00), (-1.542e+00, -3.17e+00), (-1.045e+00, 5.293e+00), (-6.1e-02, 3.98e-01)]]> : tensor<2x4xcomplex<f32>>
  %r = stablehlo.fft %x, type = IRFFT, length = [7] : (tensor<2x4xcomplex<f32>>) -> tensor<2x7xf32>
  check.expect_almost_eq_const %r, dense<[[-5.357143e-01, 7.601993e-01, 1.1399606e+00, -4.986375e-01, 9.447923e-01, 7.4442797e-03, 1.7819554e+00], [-5.9714293e-01, -8.487146e-01, 2.1436698e+00, 1.8385558e+00, -1.0903724e+00, -1.1124659e+00, 7.8247017e-01]]> : tensor<2x7xf32>
  func.return
}

// -----

func.func @rfft_2d_3_4_6() {
  %x = stablehlo.constant dense<[[[2.63e+00, -1.336e+00, 7.95e-01, 5.75e-01, 3.72e-01, 1.851e+00], [1.411e+00, -1.863e+00, -8.7e-02, 1.607e+00, 1.524e+00, -5.22e-01], [-4.11e-01, -1.57e-01, -2.058e+00, -2.424e+00, 3.289e+00, -6.4e-01], [3.41e-01, -1.345e+00, 2.746e+00, 3.655e+00, -2.89e-01, 1.179e+00]], [[-1.359e+00, 3.681e+00, 2.002e+00, -1.529e+00, 2.646e+00, 8.71e-01], [9.77e-01, 8.64e-01, -1.189e+00, -9.28e-01, 1.392e+00, 4.7e-02], [-1.752e+00, 4.207e+00, -2.76e-01, -9.77e-01, -1.254e+00, 1.521e+00], [2.089e+00, 6.31e-01, 1.877e+00, -2.86e+00, -6.06e-01, -8.05e-01]], [[1.45e-01, 1.111e+00, -3.947e+00, 6.383e+00, -1.605e+00, 8.17e-01], [1.781e+00, 1.826e+00, 6.03e-01, -5.702e+00, -2.059e+00, 1.63e+00], [-1.735e+00, -2.007e+00, -4.61e+00, 2.533e+00, 1.113e+00, -1.698e+00], [-1.82e-01, -1.22e-01, -2.158e+00, -4.78e-01, 5.74e-01, 1.168e+00]]]> : tensor<3x4x6xf64>
  %r = stablehlo.fft %x, type = RFFT, length = [4, 6] : (tensor<3x4x6xf64>) -> tensor<3x4x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(1.0843e+01, 0.0e+00), (-4.004500000000001e+00, 8.720009790705511e+00), (5.6545000000000005e+00, 2.6578319642144423e+00), (9.683e+00, 0.0e+00)], [(7.287999999999999e+00, 4.2170000000000005e+00), (3.729045973305512e+00, -4.33715334794732e+00), (3.679379213405083e-01, 7.5337798117251005e+00), (-1.3340000000000005e+00, -4.317e+00)], [(-5.8709999999999996e+00, 0.0e+00), (9.4605e+00, 4.492073769429883e+00), (-7.030499999999998e+00, -6.502984757017349e+00), (3.813e+00, 0.0e+00)], [(7.287999999999999e+00, -4.2170000000000005e+00), (-2.269045973305511e+00, 6.998466520526794e-01), (1.0464062078659492e+01, 8.816779811725102e+00), (-1.3340000000000005e+00, 4.317e+00)]], [[(9.27e+00, 0.0e+00), (9.4615e+00, -6.915212849218742e+00), (-1.41435e+01, -6.506448858632487e+00), (-1.7600000000000016e-01, 0.0e+00)], [(4.843e+00, -8.369999999999997e-01), (2.189622369706965e+00, 3.264806054869089e+00), (-6.50948291982183e+00, -2.3235803550076293e+00), (8.299e+00, 5.197000000000001e+00)], [(6.291999999999999e+00, 0.0e+00), (-3.5095000000000005e+00, -3.182643358907812e+00), (-1.0488499999999998e+01, -2.434397410038057e+00), (-1.5357999999999999e+01, 0.0e+00)], [(4.843e+00, 8.369999999999997e-01), (-7.653622369706964e+00, -6.701939451309098e-01), (1.1894829198218297e+00, -7.0058035500763e-01), (8.299e+00, -5.197000000000001e+00)]], [[(-6.619e+00, 0.0e+00), (4.6800000000000015e+00, 8.00553883258335e+00), (7.426999999999998e+00, -6.0846944869894655e+00), (-1.7541e+01, 0.0e+00)], [(9.308e+00, 7.230000000000003e-01), (-4.084254778036938e+00, -1.1778245208677204e+01), (7.325427277989585e+00, 6.93581857171317e+00), (-9.658e+00, -4.904999999999999e+00)], [(-3.809999999999998e-01, 0.0e+00), (-1.842e+01, 5.989431692573179e+00), (1.8050999999999995e+01, -7.8583145139399955e+00), (-1.8014999999999997e+01, 0.0e+00)], [(9.308e+00, -7.230000000000003e-01), (7.832254778036939e+00, 4.877754791322795e+00), (5.565727220104133e-01, -2.1241814282868288e+00), (-9.658e+00, 4.904999999999999e+00)]]]> : tensor<3x4x4xcomplex<f64>>
  func.return
}

// -----

func.func @irfft_2d_4_4() {
  %x = stablehlo.constant dense<[[(2.591e+00, -4.373e+00), (1.14e-01, -5.29e-01), (-8.72e-01, -1.785e+00), (8.56e-01, 1.774e+00)], [(-1.211e+00, 5.66e-01), (-2.457e+00, -1.023e+00), (2.332e+00, 1.31e-01), (-7.19e-01, 2.742e+00)], [(2.84e-01, 2.306e+00), (1.34e+00, 7.74e-01), (-2.175e+00, 8.97e-01), (1.322e+00, -5.21e-01)], [(9.4e-01, -2.26e-01), (-1.57e-01, 1.213e+00), (8.28e-01, -2.04e-01), (-1.475e+00, 6.32e-01)]]> : tensor<4x4xcomplex<f64>>
  %r = stablehlo.fft %x, type = IRFFT, length = [4, 6] : (tensor<4x4xcomplex<f64>>) -> tensor<4x6xf64>
  check.expect_almost_eq_const %r, dense<[[2.058333333333336e-02, 9.408578019921789e-02, 5.071071135974364e-02, 2.1524999999999997e-01, 2.5220595530692297e-01, 1.816421980078216e-02], [1.20625e-01, 5.172472879577834e-01, 4.8384300348105314e-02, 1.6695833333333338e-01, -3.0163430034810523e-01, -1.7283062129111665e-01], [1.3500000000000004e-01, 4.31889942239681e-01, 3.395881582256282e-01, -9.07333333333333e-01, 4.6516184177437175e-01, 3.22193391093652e-01], [4.562500000000003e-02, 7.827125105571459e-02, -1.0042580565122874e-01, 4.85625e-01, 6.476758056512287e-01, -3.8202125105571444e-01]]> : tensor<4x6xf64>
  func.return
}

// -----

func.func @fft_3d_2_3_4() {
  %x = stablehlo.constant dense<[[[(-2.198e+00, 2.322e+00), (-3.305e+00, 2.92e+00), (-3.365e+00, 2.214e+00), (-8.43e-01, -2.989e+00)], [(2.689e+00, -1.368e+00), (2.399e+00, -1.071e+00), (-1.963e+00, -2.0e-02), (-3.082e+00, -4.284e+00)], [(1.618e+00, 5.0e-03), (9.58e-01, 5.78e-01), (-2.707e+00, -1.878e+00), (2.147e+00, 2.59e-01)]], [[(3.8e-01, 2.406e+00), (2.679e+00, 1.15e-01), (7.16e-01, 2.137e+00), (1.812e+00, 2.051e+00)], [(6.74e-01, 8.43e-01), (-1.875e+00, 7.9e-01), (-4.36e-01, -7.21e-01), (-1.326e+00, 2.505e+00)], [(1.691e+00, -9.19e-01), (-1.964e+00, -1.372e+00), (-3.039e+00, 1.435e+00), (1.394e+00, -1.43e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %r = stablehlo.fft %x, type = FFT, length = [2, 3, 4] : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(-6.946e+00, 4.528e+00), (2.1495998e+01, 1.332e+00), (-4.934e+00, 8.384001e+00), (9.799999e+00, -1.0880008e+00)], [(-2.716464e+00, 1.7113667e+01), (-1.11560955e+01, 4.173008e+00), (-4.586918e+00, -2.2233686e+00), (-8.089862e-01, 2.539635e+00)], [(-2.7095366e+00, 1.1886337e+01), (4.072095e+00, 4.1099262e-01), (-4.90908e+00, 1.478537e+01), (-1.8417015e+01, -5.105635e+00)]], [[(-8.358001e+00, -1.1152e+01), (1.7674e+01, -3.7059996e+00), (-3.4659996e+00, 3.3400006e+00), (-8.394001e+00, 6.034e+00)], [(-2.864935e+01, 3.0166721e+00), (-4.349939e+00, -8.5494256e-01), (1.6106823e+01, 4.7168922e-01), (-8.163492e+00, -7.628462e+00)], [(-8.886651e+00, 1.409328e+00), (1.4719939e+01, 1.4064942e+01), (-6.7008214e+00, 2.872311e+00), (-2.4685097e+00, -8.875538e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  func.return
}

// -----

// an index outside takes the last branch
func.func @case_0() {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<2xi32>
  }, {
    stablehlo.return %b : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  func.return
}

// -----

// an index outside takes the last branch
func.func @case_1() {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<2xi32>
  }, {
    stablehlo.return %b : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[3, 4]> : tensor<2xi32>
  func.return
}

// -----

// an index outside takes the last branch
func.func @case_7() {
  %i = stablehlo.constant dense<7> : tensor<i32>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<2xi32>
  }, {
    stablehlo.return %b : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[3, 4]> : tensor<2xi32>
  func.return
}

// -----

// an index outside takes the last branch
func.func @case_minus3() {
  %i = stablehlo.constant dense<-3> : tensor<i32>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<2xi32>
  }, {
    stablehlo.return %b : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[3, 4]> : tensor<2xi32>
  func.return
}

// -----

// each step returns its arguments in other places
func.func @while_fibonacci() {
  %n = stablehlo.constant dense<10> : tensor<i64>
  %a = stablehlo.constant dense<0> : tensor<i64>
  %b = stablehlo.constant dense<1> : tensor<i64>
  %i = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %w:3 = stablehlo.while(%x = %a, %y = %b, %k = %i) : tensor<i64>, tensor<i64>, tensor<i64>
   cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.add %x, %y : tensor<i64>
    %l = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %y, %s, %l : tensor<i64>, tensor<i64>, tensor<i64>
  }
  %r = stablehlo.add %w#0, %a : tensor<i64>
  check.expect_eq_const %r, dense<55> : tensor<i64>
  func.return
}

// -----

func.func @if_nested() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %q = stablehlo.constant dense<false> : tensor<i1>
  %a = stablehlo.constant dense<[1.0e+00, 2.0e+00]> : tensor<2xf32>
  %r = "stablehlo.if"(%p) ({
    %s = "stablehlo.if"(%q) ({
      stablehlo.return %a : tensor<2xf32>
    }, {
      %t = stablehlo.negate %a : tensor<2xf32>
      stablehlo.return %t : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }, {
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[-1.0e+00, -2.0e+00]> : tensor<2xf32>
  func.return
}
