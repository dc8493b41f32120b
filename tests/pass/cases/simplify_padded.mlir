// pass: simplify,dce
func.func @main(%q: tensor<1x4xf32>, %k: tensor<1x4xf32>, %v: tensor<1x4xf32>, %a: tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<5x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %v, %zero, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %1 = stablehlo.pad %k, %zero, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %2 = stablehlo.pad %q, %zero, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %3 = stablehlo.add %0, %1 : tensor<3x4xf32>
  %4 = stablehlo.add %3, %2 : tensor<3x4xf32>
  %5 = stablehlo.pad %a, %zero, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  %6 = stablehlo.pad %a, %zero, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  %7 = stablehlo.add %5, %6 : tensor<5x4xf32>
  return %4, %7 : tensor<3x4xf32>, tensor<5x4xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x4xf32>, %arg1: tensor<1x4xf32>, %arg2: tensor<1x4xf32>, %arg3: tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<5x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.concatenate %arg1, %arg2, dim = 0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.concatenate %arg0, %0, dim = 0 : (tensor<1x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.pad %arg3, %cst, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<5x4xf32>
    %3 = stablehlo.pad %arg3, %cst, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<5x4xf32>
    %4 = stablehlo.add %2, %3 : tensor<5x4xf32>
    return %1, %4 : tensor<3x4xf32>, tensor<5x4xf32>
  }
}
