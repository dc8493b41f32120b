// steps: loops
func.func @main(%a: tensor<0xi32>) -> tensor<0xi1> {
  %0 = stablehlo.bitcast_convert %a : (tensor<0xi32>) -> tensor<0x4xui8>
  %1 = stablehlo.reshape %0 : (tensor<0x4xui8>) -> tensor<0xui8>
  %2 = stablehlo.constant dense<0> : tensor<0xui8>
  %3 = stablehlo.compare NE, %1, %2, UNSIGNED : (tensor<0xui8>, tensor<0xui8>) -> tensor<0xi1>
  return %3 : tensor<0xi1>
}
