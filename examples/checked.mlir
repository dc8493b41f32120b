// Programs that carry their own expectations: `bin/tenfold check examples/checked.mlir` runs each part.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %y, dense<[[7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf32>
  return
}

// -----

// A loop: 10 + 9 + … + 1.
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %ten, %sum = %zero) : tensor<i32>, tensor<i32>
  cond {
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %total = stablehlo.add %sum, %i : tensor<i32>
    stablehlo.return %next, %total : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<55> : tensor<i32>
  return
}
