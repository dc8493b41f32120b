// pass: tuple,dce
func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<2xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}
// expect:
func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> tensor<i32> {
  return %y : tensor<i32>
}
