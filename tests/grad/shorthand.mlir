// Ops that are written out in others before they are differentiated. See elementwise.mlir for how the cases are run.

func.func @tuple(%a: tensor<2x3xf64>, %b: tensor<2xf64>) -> (tensor<2x3xf64>, tensor<2xf64>) {
  %c = stablehlo.multiply %a, %a : tensor<2x3xf64>
  %t = stablehlo.tuple %c, %b : tuple<tensor<2x3xf64>, tensor<2xf64>>
  %d = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2x3xf64>, tensor<2xf64>>) -> tensor<2x3xf64>
  %e = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x3xf64>, tensor<2xf64>>) -> tensor<2xf64>
  %f = stablehlo.multiply %e, %e : tensor<2xf64>
  return %d, %f : tensor<2x3xf64>, tensor<2xf64>
}

func.func private @twice(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.multiply %x, %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @composite(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = stablehlo.composite "test.twice" %x {decomposition = @twice} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %z = stablehlo.multiply %y, %x : tensor<2x3xf64>
  return %z : tensor<2x3xf64>
}

func.func @einsum(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) -> tensor<4x2xf64> {
  %y = stablehlo.einsum %a, %b, config = "ij,jk->ki" : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

func.func @unary_einsum(%a: tensor<2x3x4xf64>) -> tensor<4x2xf64> {
  %b = stablehlo.multiply %a, %a : tensor<2x3x4xf64>
  %y = stablehlo.unary_einsum %b, config = "ijk->ki" : (tensor<2x3x4xf64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

func.func @torch_index_select(%a: tensor<2x5x3xf64>) -> tensor<2x4x3xf64> {
  %b = stablehlo.multiply %a, %a : tensor<2x5x3xf64>
  %i = stablehlo.constant dense<[[1, 4, 1, 0], [3, 3, 2, 0]]> : tensor<2x4xi64>
  %y = "stablehlo.torch_index_select"(%b, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x5x3xf64>, tensor<2x4xi64>) -> tensor<2x4x3xf64>
  return %y : tensor<2x4x3xf64>
}

func.func @batch_norm_grad(%x: tensor<4x3xf64>, %s: tensor<3xf64>, %m: tensor<3xf64>, %v: tensor<3xf64>, %g: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %y#0, %y#1, %y#2 : tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @real_dynamic_slice(%x: tensor<5xf64>) -> tensor<2xf64> {
  %i = stablehlo.constant dense<1> : tensor<1xi64>
  %j = stablehlo.constant dense<5> : tensor<1xi64>
  %k = stablehlo.constant dense<2> : tensor<1xi64>
  %z = stablehlo.multiply %x, %x : tensor<5xf64>
  %y = stablehlo.real_dynamic_slice %z, %i, %j, %k : (tensor<5xf64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @chlo_broadcasts(%a: tensor<2x3xf64>, %b: tensor<3xf64>) -> tensor<2x3xf64> {
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %1 = chlo.broadcast_subtract %0, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %2 = chlo.broadcast_multiply %1, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %3 = chlo.broadcast_divide %2, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %4 = chlo.broadcast_power %3, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %5 = chlo.broadcast_atan2 %4, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %6 = chlo.broadcast_maximum %5, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %7 = chlo.broadcast_minimum %6, %a : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %8 = chlo.broadcast_remainder %7, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %9 = chlo.broadcast_next_after %8, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %p = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xi1>
  %y = chlo.broadcast_select %p, %9, %b : (tensor<2x3xi1>, tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_broadcast_special(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %n = stablehlo.constant dense<2.0> : tensor<f64>
  %k = chlo.constant dense<2.5> : tensor<f64>
  %a = chlo.broadcast_polygamma %n, %x : (tensor<f64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %b = chlo.broadcast_zeta %k, %x : (tensor<f64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %like = "chlo.constant_like"(%x) {value = 3.0 : f64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %c = stablehlo.multiply %b, %like : tensor<2x3xf64>
  %y = stablehlo.add %a, %c : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_broadcast_complex(%a: tensor<2x3xf64>, %b: tensor<3xf64>) -> tensor<2x3xf64> {
  %c = chlo.broadcast_complex %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xcomplex<f64>>
  %d = stablehlo.multiply %c, %c : tensor<2x3xcomplex<f64>>
  %y = stablehlo.imag %d : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @chlo_ragged_dot(%x: tensor<5x2xf64>, %y: tensor<3x2x4xf64>) -> tensor<5x4xf64> {
  %g = stablehlo.constant dense<[2, 0, 3]> : tensor<3xi64>
  %z = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<5x2xf64>, tensor<3x2x4xf64>, tensor<3xi64>) -> tensor<5x4xf64>
  return %z : tensor<5x4xf64>
}

func.func @chlo_scan(%x: tensor<4x2xf64>, %i: tensor<2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>) {
  %0:2 = chlo.scan(%x) inits (%i) dimension=0 {
  ^bb0(%a: tensor<2xf64>, %b: tensor<2xf64>):
    %1 = stablehlo.multiply %a, %b : tensor<2xf64>
    %2 = stablehlo.tanh %1 : tensor<2xf64>
    stablehlo.return %1, %2 : tensor<2xf64>, tensor<2xf64>
  } : (tensor<4x2xf64>, tensor<2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<4x2xf64>, tensor<2xf64>
}
