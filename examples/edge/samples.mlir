// 32 samples for net.mlir: `tenfold run examples/edge/samples.mlir -o samples` writes them to samples/0.npy.
func.func @main() -> tensor<32x1x8x8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<2048xf32>
  %step = stablehlo.constant dense<0.7> : tensor<2048xf32>
  %1 = stablehlo.multiply %0, %step : tensor<2048xf32>
  %2 = stablehlo.sine %1 : tensor<2048xf32>
  %3 = stablehlo.reshape %2 : (tensor<2048xf32>) -> tensor<32x1x8x8xf32>
  return %3 : tensor<32x1x8x8xf32>
}
