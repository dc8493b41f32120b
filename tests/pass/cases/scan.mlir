// pass: scan,dce
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x5xf32>
  %2 = stablehlo.pad %1, %zero, low = [0, 2], high = [0, -2], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %3 = stablehlo.add %1, %2 : tensor<2x5xf32>
  %4 = stablehlo.pad %3, %zero, low = [0, 4], high = [0, -4], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %5 = stablehlo.add %3, %4 : tensor<2x5xf32>
  return %5 : tensor<2x5xf32>
}
// expect:
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {tenfold.wide} : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
