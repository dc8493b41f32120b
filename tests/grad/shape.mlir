// Ops that move elements. See elementwise.mlir for how the cases are run.

func.func @broadcast_in_dim(%x: tensor<3x1xf64>) -> tensor<2x4x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<3x1xf64>
  %y = stablehlo.broadcast_in_dim %z, dims = [2, 1] : (tensor<3x1xf64>) -> tensor<2x4x3xf64>
  return %y : tensor<2x4x3xf64>
}

func.func @reshape(%x: tensor<2x6xf64>) -> tensor<3x4xf64> {
  %z = stablehlo.multiply %x, %x : tensor<2x6xf64>
  %y = stablehlo.reshape %z : (tensor<2x6xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @transpose(%x: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<2x3x4xf64>
  %y = stablehlo.transpose %z, dims = [2, 0, 1] : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  return %y : tensor<4x2x3xf64>
}

func.func @reverse(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<2x3xf64>
  %y = stablehlo.reverse %z, dims = [1] : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @slice(%x: tensor<5x7xf64>) -> tensor<2x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<5x7xf64>
  %y = stablehlo.slice %z [1:4:2, 0:6:2] : (tensor<5x7xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @pad(%x: tensor<2x3xf64>, %v: tensor<f64>) -> tensor<4x6xf64> {
  %z = stablehlo.multiply %x, %x : tensor<2x3xf64>
  %y = stablehlo.pad %z, %v, low = [1, -1], high = [0, 2], interior = [1, 1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<4x6xf64>
  return %y : tensor<4x6xf64>
}

func.func @concatenate(%a: tensor<2x3xf64>, %b: tensor<2x1xf64>) -> tensor<2x7xf64> {
  %z = stablehlo.multiply %a, %a : tensor<2x3xf64>
  %y = stablehlo.concatenate %z, %b, %a, dim = 1 : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x3xf64>) -> tensor<2x7xf64>
  return %y : tensor<2x7xf64>
}

func.func @dynamic_slice(%x: tensor<5x4xf64>) -> tensor<2x3xf64> {
  %i = stablehlo.constant dense<4> : tensor<i64>
  %j = stablehlo.constant dense<1> : tensor<i64>
  %z = stablehlo.multiply %x, %x : tensor<5x4xf64>
  %y = stablehlo.dynamic_slice %z, %i, %j, sizes = [2, 3] : (tensor<5x4xf64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @dynamic_update_slice(%x: tensor<5x4xf64>, %u: tensor<2x3xf64>) -> tensor<5x4xf64> {
  %i = stablehlo.constant dense<2> : tensor<i64>
  %j = stablehlo.constant dense<9> : tensor<i64>
  %z = stablehlo.multiply %u, %u : tensor<2x3xf64>
  %y = stablehlo.dynamic_update_slice %x, %z, %i, %j : (tensor<5x4xf64>, tensor<2x3xf64>, tensor<i64>, tensor<i64>) -> tensor<5x4xf64>
  return %y : tensor<5x4xf64>
}

func.func @broadcast(%x: tensor<3xf64>) -> tensor<2x4x3xf64> {
  %z = stablehlo.multiply %x, %x : tensor<3xf64>
  %y = stablehlo.broadcast %z, sizes = [2, 4] : (tensor<3xf64>) -> tensor<2x4x3xf64>
  return %y : tensor<2x4x3xf64>
}
