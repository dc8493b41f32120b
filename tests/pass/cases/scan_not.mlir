// pass: scan,dce
// one that does not reach the end, and one whose filling counts: both stay
func.func @main(%x: tensor<5xi32>, %y: tensor<2xf32>) -> (tensor<5xi32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [1], high = [-1], interior = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  %1 = stablehlo.add %x, %0 : tensor<5xi32>
  %2 = stablehlo.pad %y, %one, low = [1], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.add %y, %2 : tensor<2xf32>
  return %1, %3 : tensor<5xi32>, tensor<2xf32>
}
// expect:
func.func @main(%x: tensor<5xi32>, %y: tensor<2xf32>) -> (tensor<5xi32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [1], high = [-1], interior = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  %1 = stablehlo.add %x, %0 : tensor<5xi32>
  %2 = stablehlo.pad %y, %one, low = [1], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.add %y, %2 : tensor<2xf32>
  return %1, %3 : tensor<5xi32>, tensor<2xf32>
}
