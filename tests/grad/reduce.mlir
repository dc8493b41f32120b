// Reductions and windows. See elementwise.mlir for how the cases are run.

func.func @reduce_add(%x: tensor<2x3x4xf64>) -> tensor<3xf64> {
  %c = stablehlo.constant dense<0.0> : tensor<f64>
  %z = stablehlo.multiply %x, %x : tensor<2x3x4xf64>
  %y = stablehlo.reduce(%z init: %c) applies stablehlo.add across dimensions = [2, 0] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @reduce_maximum(%x: tensor<2x5xf64>) -> tensor<2xf64> {
  %c = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %y = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @reduce_minimum(%x: tensor<2x5xf64>) -> tensor<2xf64> {
  %c = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %y = stablehlo.reduce(%x init: %c) applies stablehlo.minimum across dimensions = [1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @reduce_multiply(%x: tensor<2x5xf64>) -> tensor<2xf64> {
  %c = stablehlo.constant dense<1.0> : tensor<f64>
  %y = stablehlo.reduce(%x init: %c) applies stablehlo.multiply across dimensions = [1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @reduce_any_body(%x: tensor<3x4xf64>, %c: tensor<f64>) -> tensor<3xf64> {
  %y = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
   reducer(%a: tensor<f64>, %b: tensor<f64>) {
    %ea = stablehlo.exponential %a : tensor<f64>
    %eb = stablehlo.exponential %b : tensor<f64>
    %s = stablehlo.add %ea, %eb : tensor<f64>
    %l = stablehlo.log %s : tensor<f64>
    stablehlo.return %l : tensor<f64>
  }
  return %y : tensor<3xf64>
}

func.func @reduce_window_add(%x: tensor<5x6xf64>) -> tensor<3x3xf64> {
  %c = stablehlo.constant dense<0.0> : tensor<f64>
  %y = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>, padding = dense<[[1, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @reduce_window_add_dilated(%x: tensor<5xf64>) -> tensor<5xf64> {
  %c = stablehlo.constant dense<0.0> : tensor<f64>
  %y = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 3>, base_dilations = array<i64: 2>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @reduce_window_max(%x: tensor<5x6xf64>) -> tensor<2x3xf64> {
  %c = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %y = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @reduce_window_min_dilated(%x: tensor<7xf64>) -> tensor<3xf64> {
  %c = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %y = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 3>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.minimum %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<7xf64>, tensor<f64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @reduce_window_multiply(%x: tensor<5xf64>) -> tensor<4xf64> {
  %c = stablehlo.constant dense<1.0> : tensor<f64>
  %y = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.multiply %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5xf64>, tensor<f64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @select_and_scatter(%x: tensor<4x6xf64>, %s: tensor<2x2xf64>, %c: tensor<f64>) -> tensor<4x6xf64> {
  %y = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<4x6xf64>, tensor<2x2xf64>, tensor<f64>) -> tensor<4x6xf64>
  return %y : tensor<4x6xf64>
}

func.func @map(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %s = stablehlo.sine %p : tensor<f64>
    %r = stablehlo.multiply %s, %q : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @batch_norm_inference(%x: tensor<4x3xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>, %m: tensor<3xf64>, %v: tensor<3xf64>) -> tensor<4x3xf64> {
  %y = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

func.func @batch_norm_training(%x: tensor<4x3xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %y#0, %y#1, %y#2 : tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>
}
