// pass: windows
func.func @main(%x: tensor<1x9x9x8xf32>, %i: tensor<f32>) -> (tensor<1x5x9x8xf32>, tensor<1x7x7x8xf32>) {
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 2, 1, 1>, padding = dense<[[0, 0], [2, 2], [2, 2], [0, 0]]> : tensor<4x2xi64>} : (tensor<1x9x9x8xf32>, tensor<f32>) -> tensor<1x5x9x8xf32>
  %1 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>} : (tensor<1x9x9x8xf32>, tensor<f32>) -> tensor<1x7x7x8xf32>
  return %0, %1 : tensor<1x5x9x8xf32>, tensor<1x7x7x8xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<1x9x9x8xf32>, %arg1: tensor<f32>) -> (tensor<1x5x9x8xf32>, tensor<1x7x7x8xf32>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [2, 2], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 5, 1, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1x9x9x8xf32>, tensor<f32>) -> tensor<1x5x9x8xf32>
    %1 = "stablehlo.reduce_window"(%0, %arg1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [2, 2], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1x5x9x8xf32>, tensor<f32>) -> tensor<1x5x9x8xf32>
    %2 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 3, 3, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1x9x9x8xf32>, tensor<f32>) -> tensor<1x7x7x8xf32>
    return %1, %2 : tensor<1x5x9x8xf32>, tensor<1x7x7x8xf32>
  }
}
