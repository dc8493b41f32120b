// Factorisations that programs for TPUs carry as calls.
// Expected values: by hand.

func.func @lu() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %lu, %pivots, %rows = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_almost_eq_const %lu, dense<[[3.0, 4.0], [0.333333343, 0.666666687]]> : tensor<2x2xf32>
  check.expect_eq_const %pivots, dense<[1, 1]> : tensor<2xi32>
  check.expect_eq_const %rows, dense<[1, 0]> : tensor<2xi32>
  func.return
}

// -----

func.func @lu_of_a_tall_batch() {
  %a = stablehlo.constant dense<[[[0.0], [2.0], [-4.0]], [[8.0], [2.0], [4.0]]]> : tensor<2x3x1xf64>
  %lu, %pivots, %rows = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x3x1xf64>) -> (tensor<2x3x1xf64>, tensor<2x1xi32>, tensor<2x3xi32>)
  check.expect_almost_eq_const %lu, dense<[[[-4.0], [-0.5], [0.0]], [[8.0], [0.25], [0.5]]]> : tensor<2x3x1xf64>
  check.expect_eq_const %pivots, dense<[[2], [0]]> : tensor<2x1xi32>
  check.expect_eq_const %rows, dense<[[2, 1, 0], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}

// -----

// As LAPACK: the pivot has the largest sum of real and imaginary part, here 4 (not 3, whose absolute value is larger).
func.func @lu_of_complex_numbers() {
  %a = stablehlo.constant dense<[[(3.0, 0.0)], [(2.0, 2.0)]]> : tensor<2x1xcomplex<f64>>
  %lu, %pivots, %rows = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x1xcomplex<f64>>) -> (tensor<2x1xcomplex<f64>>, tensor<1xi32>, tensor<2xi32>)
  check.expect_almost_eq_const %lu, dense<[[(2.0, 2.0)], [(0.75, -0.75)]]> : tensor<2x1xcomplex<f64>>
  check.expect_eq_const %pivots, dense<[1]> : tensor<1xi32>
  check.expect_eq_const %rows, dense<[1, 0]> : tensor<2xi32>
  func.return
}

// -----

func.func @eigh() {
  %a = stablehlo.constant dense<[[2.0, 1.0], [9.0, 2.0]]> : tensor<2x2xf64>
  %v, %w = stablehlo.custom_call @Eigh(%a) {backend_config = "0,1,100,1e-6"} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %w, dense<[1.0, 3.0]> : tensor<2xf64>
  %lower_v, %lower_w = stablehlo.custom_call @Eigh(%a) {backend_config = "1,1,100,1e-6"} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %lower_w, dense<[-7.0, 11.0]> : tensor<2xf64>
  %squares = stablehlo.multiply %v, %v : tensor<2x2xf64>
  check.expect_almost_eq_const %squares, dense<0.5> : tensor<2x2xf64>
  func.return
}
