// steps: loops loops gemm copy copy while loops - loops loops copy copy
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
