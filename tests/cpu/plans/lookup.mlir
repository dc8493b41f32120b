// steps: loops
func.func @main(%x: tensor<400x400xf32>) -> tensor<400x400xf32> {
  %0 = stablehlo.convert %x : (tensor<400x400xf32>) -> tensor<400x400xbf16>
  %1 = stablehlo.convert %0 : (tensor<400x400xbf16>) -> tensor<400x400xf32>
  %2 = stablehlo.tanh %1 : tensor<400x400xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<400x400xf32>
  %4 = stablehlo.convert %3 : (tensor<400x400xf32>) -> tensor<400x400xbf16>
  %5 = stablehlo.convert %4 : (tensor<400x400xbf16>) -> tensor<400x400xf32>
  return %5 : tensor<400x400xf32>
}
