// pass: fold,dce
func.func @main(%x: tensor<4xf32>, %big: tensor<64x64xf32>) -> (tensor<4xf32>, tensor<64x64xf32>, tensor<64x64xi1>, tensor<2x2xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<2.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %a, %b : tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.add %x, %2 : tensor<4xf32>
  // A triangle of more than a kilobyte stays a comparison; one that is all true does not.
  %i = stablehlo.iota dim = 0 : tensor<64x64xi32>
  %j = stablehlo.iota dim = 1 : tensor<64x64xi32>
  %4 = stablehlo.compare GE, %i, %j : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %5 = stablehlo.compare GE, %i, %i : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %6 = stablehlo.select %4, %big, %big : tensor<64x64xi1>, tensor<64x64xf32>
  %7 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
  return %3, %6, %5, %7 : tensor<4xf32>, tensor<64x64xf32>, tensor<64x64xi1>, tensor<2x2xf32>
}
// expect:
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<64x64xf32>) -> (tensor<4xf32>, tensor<64x64xf32>, tensor<64x64xi1>, tensor<2x2xf32>) {
  %cst = stablehlo.constant dense<2.000000e+01> : tensor<4xf32>
  %0 = stablehlo.add %arg0, %cst : tensor<4xf32>
  %1 = stablehlo.iota dim = 0 : tensor<64x64xi32>
  %2 = stablehlo.iota dim = 1 : tensor<64x64xi32>
  %3 = stablehlo.compare GE, %1, %2 : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %c = stablehlo.constant dense<true> : tensor<64x64xi1>
  %4 = stablehlo.select %3, %arg1, %arg1 : tensor<64x64xi1>, tensor<64x64xf32>
  %cst_0 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  return %0, %4, %c, %cst_0 : tensor<4xf32>, tensor<64x64xf32>, tensor<64x64xi1>, tensor<2x2xf32>
}
