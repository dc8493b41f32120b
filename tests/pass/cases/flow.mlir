// pass: flow,dce
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%true) ({
    %a = stablehlo.add %x, %w : tensor<4x4xf32>
    stablehlo.return %a : tensor<4x4xf32>
  }, {
    stablehlo.return %x : tensor<4x4xf32>
  }) : (tensor<i1>) -> tensor<4x4xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %v = %x, %m = %w) : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32> cond {
    %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<4x4xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.multiply %m, %half : tensor<4x4xf32>
    %p = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = stablehlo.add %v, %p : tensor<4x4xf32>
    %t = stablehlo.add %q, %s : tensor<4x4xf32>
    stablehlo.return %n, %t, %m : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0, %r#1, %r#2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
// expect:
func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<4x4xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c_0 = stablehlo.constant dense<10> : tensor<i32>
  %cst = stablehlo.constant dense<5.000000e-01> : tensor<4x4xf32>
  %1 = stablehlo.multiply %arg1, %cst : tensor<4x4xf32>
  %2 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<4x4xf32>
  cond {
    %4 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<4x4xf32>
    %4 = stablehlo.add %iterArg, %c_2 : tensor<i32>
    %5 = stablehlo.multiply %arg1, %cst_3 : tensor<4x4xf32>
    %6 = stablehlo.add %iterArg_1, %2 : tensor<4x4xf32>
    %7 = stablehlo.add %6, %5 : tensor<4x4xf32>
    stablehlo.return %4, %7 : tensor<i32>, tensor<4x4xf32>
  }
  return %0, %3#1, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
