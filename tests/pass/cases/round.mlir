// pass: round-once
module {
  func.func @two_products(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %bias: tensor<8xbf16>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %2 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xbf16>) -> tensor<4x8xbf16>
    %3 = stablehlo.add %1, %2 : tensor<4x8xbf16>
    %4 = stablehlo.add %0, %3 : tensor<4x8xbf16>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<4x8xbf16>
    %5 = stablehlo.maximum %4, %zero : tensor<4x8xbf16>
    return %5 : tensor<4x8xbf16>
  }
  func.func @scaled(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %scale: tensor<4x8xf32>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.multiply %1, %scale : tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %4 = stablehlo.add %x, %3 : tensor<4x8xbf16>
    return %4 : tensor<4x8xbf16>
  }
  func.func @read_twice(%x: tensor<4x8xf32>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
    %0 = stablehlo.convert %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.add %0, %0 : tensor<4x8xbf16>
    return %0, %1 : tensor<4x8xbf16>, tensor<4x8xbf16>
  }
  func.func @dear(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.tanh %1 : tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %3 : tensor<4x8xbf16>
  }
  func.func @biased(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %bias: tensor<4x8xbf16>, %scale: tensor<4x8xf32>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.add %0, %bias : tensor<4x8xbf16>
    %2 = stablehlo.convert %1 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %3 = stablehlo.multiply %2, %scale : tensor<4x8xf32>
    %4 = stablehlo.convert %3 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %4 : tensor<4x8xbf16>
  }
  func.func @goes_on(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %bias: tensor<4x8xbf16>) -> tensor<8x4xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.add %0, %bias : tensor<4x8xbf16>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
    return %2 : tensor<8x4xbf16>
  }
  func.func @lost(%x: tensor<4x8xf32>, %y: tensor<4x8xbf16>) -> (tensor<4x8xf32>, tensor<4x8xbf16>) {
    %0 = stablehlo.convert %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.subtract %x, %1 : tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %4 = stablehlo.subtract %3, %y : tensor<4x8xbf16>
    return %2, %4 : tensor<4x8xf32>, tensor<4x8xbf16>
  }
  func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %bias: tensor<4x8xf32>, %y: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %1 = stablehlo.add %0, %bias : tensor<4x8xf32>
    %2 = stablehlo.convert %1 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %3 = stablehlo.add %2, %y : tensor<4x8xbf16>
    return %3 : tensor<4x8xbf16>
  }
}
// expect:
module {
  func.func @two_products(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>, %arg2: tensor<8x8xbf16>, %arg3: tensor<8xbf16>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<8xbf16>) -> tensor<4x8xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<8xbf16>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.add %1, %4 : tensor<4x8xf32>
    %6 = stablehlo.convert %5 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %7 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %8 = stablehlo.add %7, %5 : tensor<4x8xf32>
    %9 = stablehlo.convert %8 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x8xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x8xf32>
    %10 = stablehlo.maximum %8, %cst_0 : tensor<4x8xf32>
    %11 = stablehlo.convert %10 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %11 : tensor<4x8xbf16>
  }
  func.func @scaled(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x8xbf16>, %arg2: tensor<4x8xf32>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %1 = stablehlo.multiply %0, %arg2 : tensor<4x8xf32>
    %2 = stablehlo.convert %1 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %3 = stablehlo.convert %arg0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %4 = stablehlo.add %3, %1 : tensor<4x8xf32>
    %5 = stablehlo.convert %4 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %5 : tensor<4x8xbf16>
  }
  func.func @read_twice(%arg0: tensor<4x8xf32>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.add %0, %0 : tensor<4x8xbf16>
    return %0, %1 : tensor<4x8xbf16>, tensor<4x8xbf16>
  }
  func.func @dear(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.tanh %1 : tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %3 : tensor<4x8xbf16>
  }
  func.func @biased(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x8xbf16>, %arg2: tensor<4x8xbf16>, %arg3: tensor<4x8xf32>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %1 = stablehlo.convert %arg2 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %4 = stablehlo.multiply %2, %arg3 : tensor<4x8xf32>
    %5 = stablehlo.convert %4 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %5 : tensor<4x8xbf16>
  }
  func.func @goes_on(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x8xbf16>, %arg2: tensor<4x8xbf16>) -> tensor<8x4xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.add %0, %arg2 : tensor<4x8xbf16>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
    return %2 : tensor<8x4xbf16>
  }
  func.func @lost(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xbf16>) -> (tensor<4x8xf32>, tensor<4x8xbf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %4 = stablehlo.subtract %3, %arg1 : tensor<4x8xbf16>
    return %2, %4 : tensor<4x8xf32>, tensor<4x8xbf16>
  }
  func.func @linear(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x8xbf16>, %arg2: tensor<4x8xf32>, %arg3: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<4x8xf32>
    %2 = stablehlo.convert %1 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %4 = stablehlo.add %1, %3 : tensor<4x8xf32>
    %5 = stablehlo.convert %4 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    return %5 : tensor<4x8xbf16>
  }
}
