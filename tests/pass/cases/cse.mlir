// pass: cse
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  %1 = stablehlo.add %x, %y : tensor<2xf32>
  %2 = stablehlo.add %y, %x : tensor<2xf32>
  %3 = stablehlo.multiply %0, %1 : tensor<2xf32>
  return %3, %2 : tensor<2xf32>, tensor<2xf32>
}
// expect:
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  %1 = stablehlo.add %y, %x : tensor<2xf32>
  %2 = stablehlo.multiply %0, %0 : tensor<2xf32>
  return %2, %1 : tensor<2xf32>, tensor<2xf32>
}
