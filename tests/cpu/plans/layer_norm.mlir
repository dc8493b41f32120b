// steps: rows
func.func @main(%x: tensor<33x50xf32>, %w: tensor<50xf32>) -> tensor<33x50xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<50.0> : tensor<33xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<33xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<33x50xf32>, tensor<f32>) -> tensor<33xf32>
  %m = stablehlo.divide %0, %n : tensor<33xf32>
  %1 = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<33xf32>) -> tensor<33x50xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<33x50xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<33x50xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<33x50xf32>, tensor<f32>) -> tensor<33xf32>
  %v = stablehlo.divide %4, %n : tensor<33xf32>
  %ve = stablehlo.add %v, %eps : tensor<33xf32>
  %r = stablehlo.rsqrt %ve : tensor<33xf32>
  %5 = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<33xf32>) -> tensor<33x50xf32>
  %6 = stablehlo.multiply %2, %5 : tensor<33x50xf32>
  %7 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<50xf32>) -> tensor<33x50xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<33x50xf32>
  return %8 : tensor<33x50xf32>
}
