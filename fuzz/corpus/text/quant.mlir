func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:-3>>, %b: tensor<?xf8E4M3FN>, %c: tensor<2xcomplex<f32>>) -> (tensor<2xf32>, tuple<tensor<?xf8E4M3FN>, tensor<2xf32>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<2xf32>
  %1 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %2 = stablehlo.tuple %b, %1 : tuple<tensor<?xf8E4M3FN>, tensor<2xf32>>
  return %0, %2 : tensor<2xf32>, tuple<tensor<?xf8E4M3FN>, tensor<2xf32>>
}
