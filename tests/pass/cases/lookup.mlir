// pass: lookup
func.func @few(%x: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %0 = stablehlo.convert %x : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  %2 = stablehlo.convert %1 : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  return %2 : tensor<4x4xbf16>
}
func.func @cheap(%x: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = stablehlo.convert %x : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %1 = stablehlo.abs %0 : tensor<512x512xf32>
  %2 = stablehlo.convert %1 : (tensor<512x512xf32>) -> tensor<512x512xbf16>
  return %2 : tensor<512x512xbf16>
}
func.func @of_two(%x: tensor<512x512xbf16>, %y: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = stablehlo.convert %x : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %1 = stablehlo.convert %y : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %2 = stablehlo.power %0, %1 : tensor<512x512xf32>
  %3 = stablehlo.convert %2 : (tensor<512x512xf32>) -> tensor<512x512xbf16>
  return %3 : tensor<512x512xbf16>
}
// expect:
func.func @few(%x: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %0 = stablehlo.convert %x : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  %2 = stablehlo.convert %1 : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  return %2 : tensor<4x4xbf16>
}
func.func @cheap(%x: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = stablehlo.convert %x : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %1 = stablehlo.abs %0 : tensor<512x512xf32>
  %2 = stablehlo.convert %1 : (tensor<512x512xf32>) -> tensor<512x512xbf16>
  return %2 : tensor<512x512xbf16>
}
func.func @of_two(%x: tensor<512x512xbf16>, %y: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = stablehlo.convert %x : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %1 = stablehlo.convert %y : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %2 = stablehlo.power %0, %1 : tensor<512x512xf32>
  %3 = stablehlo.convert %2 : (tensor<512x512xf32>) -> tensor<512x512xbf16>
  return %3 : tensor<512x512xbf16>
}
