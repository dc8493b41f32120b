// quant.mlir: quantized types and what they must share. The line before an op says what is wrong with it.
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2xf32>) {
  // expected: stablehlo.add: operands are tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>> and tensor<2xf32>, result is tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>>: all or none must be quantized
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  func.return
}
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x!quant.uniform<i16:f32, 0.5:1>>) {
  // expected: stablehlo.add: operands store i8 and i16, result stores i8
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i16:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.add: lhs is quantized along dimension 0, result along 1
  %0 = "stablehlo.add"(%x, %x) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25:1}>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.add: result is quantized per tensor, an operand is per axis
  %0 = "stablehlo.add"(%x, %x) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.negate: operand 0 is tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01:1,2.500000e-01:1}>>, must be a ranked tensor of integers, floats, complex numbers or per-tensor quantized numbers
  %0 = stablehlo.negate %x : tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>
  func.return
}
// -----
// expected: func.func: @main: (tensor<3x2x!quant.uniform<i8:f32:0, {5.000000e-01:1,2.500000e-01:1}>>) -> (): 2 scales for dimension 0, whose size is 3
func.func @main(%x: tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  %0 = "stablehlo.add"(%x, %x) : (tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>, tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>
  func.return
}
// -----
func.func @main(%x: tensor<2xf64>) {
  // expected: stablehlo.uniform_quantize: result expresses f32, operand is f64
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  func.return
}
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected: stablehlo.uniform_dequantize: result is tensor<2xf64>, should be tensor<2xf32>
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2xf64>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected: stablehlo.reshape: operand is !quant.uniform<i8:f32, 5.000000e-01:1>, result is !quant.uniform<i8:f32, 2.500000e-01:1>: scale or zero point differs
  %0 = stablehlo.reshape %x : (tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<6x!quant.uniform<i8:f32, 0.25:1>>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.reshape: 1 elements lie before quantized dimension 0 of operand, 3 before 1 of result
  %0 = stablehlo.reshape %x : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25:1}>>
  func.return
}
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.transpose: operand is !quant.uniform<i8:f32:0, {5.000000e-01:1,2.500000e-01:1}>, result is !quant.uniform<i8:f32:1, {5.000000e-01:1,5.000000e-01:1}>: scales or zero points differ
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.5:1}>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.transpose: operand is quantized along dimension 0, result along 0, which is operand's dimension 1
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>
  func.return
}
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) {
  // expected: stablehlo.broadcast_in_dim: operand is quantized along dimension 0, which is broadcast to 1, result along 0
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:1}>>
  func.return
}
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected: stablehlo.broadcast_in_dim: operand is !quant.uniform<i8:f32, 5.000000e-01:1>, result is !quant.uniform<i8:f32, 2.500000e-01:1>: scale or zero point differs
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:1>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected: stablehlo.dot_general: rhs has zero point 1, must be 0
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  // expected: stablehlo.dot_general: rhs is quantized along dimension 0, which is contracted ([0])
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  // expected: stablehlo.dot_general: lhs is tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, result is tensor<2x2xf32>: both or neither must be quantized
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<2x2xf64>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  // expected: stablehlo.dot_general: lhs has elements f64, result has f64, rhs expresses f32
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf64>
  func.return
}
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2x2xf32>) {
  // expected: stablehlo.dot_general: lhs is tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, result is tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>: rhs must be quantized too, is tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  func.return
}
// -----
func.func @main(%x: tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<2x2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  // expected: stablehlo.convolution: kernel is quantized along dimension 0, its output features are dimension 2
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5>>
  func.return
}
// -----
// expected: func.func: @main: (tensor<2x!quant.uniform<i8<0:10>:f32, 5.000000e-01:20>>) -> (): zero point 20 is outside the storage range 0:10
func.func @main(%x: tensor<2x!quant.uniform<i8<0:10>:f32, 0.5:20>>) {
  func.return
}
