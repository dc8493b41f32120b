// steps: gemm loops gemm loops gemm loops
func.func @main(%x: tensor<4x8xf32>, %a: tensor<8x512xf32>, %b: tensor<8x512xf32>, %c: tensor<8x512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x512xf32>) -> tensor<4x512xf32>
  %1 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x512xf32>) -> tensor<4x512xf32>
  %2 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x512xf32>) -> tensor<4x512xf32>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
  %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
  %5 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %3, %4, %5 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}
