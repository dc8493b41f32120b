// pass: scan,dce
func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %none = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %inf = stablehlo.constant dense<0x7FF0000000000000> : tensor<3xf64>
  %0 = stablehlo.pad %x, %none, low = [1], high = [-1], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %1 = stablehlo.maximum %x, %0 : tensor<3xf64>
  %2 = stablehlo.subtract %x, %0 : tensor<3xf64>
  %3 = stablehlo.abs %2 : tensor<3xf64>
  %4 = stablehlo.negate %3 : tensor<3xf64>
  %5 = stablehlo.exponential %4 : tensor<3xf64>
  %6 = stablehlo.log_plus_one %5 : tensor<3xf64>
  %7 = stablehlo.add %1, %6 : tensor<3xf64>
  %8 = stablehlo.abs %1 : tensor<3xf64>
  %9 = stablehlo.compare EQ, %8, %inf : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %10 = stablehlo.select %9, %1, %7 : tensor<3xi1>, tensor<3xf64>
  %11 = stablehlo.pad %10, %none, low = [2], high = [-2], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %12 = stablehlo.maximum %10, %11 : tensor<3xf64>
  %13 = stablehlo.subtract %10, %11 : tensor<3xf64>
  %14 = stablehlo.abs %13 : tensor<3xf64>
  %15 = stablehlo.negate %14 : tensor<3xf64>
  %16 = stablehlo.exponential %15 : tensor<3xf64>
  %17 = stablehlo.log_plus_one %16 : tensor<3xf64>
  %18 = stablehlo.add %12, %17 : tensor<3xf64>
  %19 = stablehlo.abs %12 : tensor<3xf64>
  %20 = stablehlo.compare EQ, %19, %inf : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %21 = stablehlo.select %20, %12, %18 : tensor<3xi1>, tensor<3xf64>
  return %21 : tensor<3xf64>
}
// expect:
module {
  func.func @main(%arg0: tensor<3xf64>) -> tensor<3xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1>, padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f64>
      %3 = stablehlo.abs %2 : tensor<f64>
      %4 = stablehlo.negate %3 : tensor<f64>
      %5 = stablehlo.exponential %4 : tensor<f64>
      %6 = stablehlo.log_plus_one %5 : tensor<f64>
      %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
      %7 = stablehlo.abs %1 : tensor<f64>
      %8 = stablehlo.compare EQ, %7, %cst_0 : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %9 = stablehlo.add %1, %6 : tensor<f64>
      %10 = stablehlo.select %8, %1, %9 : tensor<i1>, tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) {tenfold.wide} : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
}
