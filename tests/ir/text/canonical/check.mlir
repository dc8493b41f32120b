module {
  func.func @check(%arg0: tensor<2xf32>, %arg1: tensor<2xi64>) -> tensor<2xf32> {
    check.expect_eq %arg1, %arg1 : tensor<2xi64>
    check.expect_eq_const %arg1, dense<[1, 2]> : tensor<2xi64>
    check.expect_eq_const %arg1, dense<3> : tensor<2xi64> {a.b}
    check.expect_almost_eq %arg0, %arg0 : tensor<2xf32>
    check.expect_almost_eq %arg0, %arg0, tolerance = 1.000000e-01 : tensor<2xf32>
    check.expect_almost_eq_const %arg0, dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<2xf32>, tolerance = 1.000000e-05
    check.expect_close %arg0, %arg0, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %arg0, %arg0, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
    check.expect_serialized_eq %arg0, probe_id = "p" : tensor<2xf32>
    check.expect_serialized_eq %arg0, probe_id = "p", iter = 2 : tensor<2xf32>
    interpreter.print %arg0 : tensor<2xf32>
    %0 = interpreter.probe %arg0, probe_id = "q" : tensor<2xf32>
    %1:2 = "interpreter.run_parallel"(%arg0, %arg0) <{programs = [[@check], [@check]]}> : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return %0 : tensor<2xf32>
  }
}
