// A loop: 10 + 9 + … + 1.
func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %ten, %sum = %zero) : tensor<i32>, tensor<i32>
  cond {
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %total = stablehlo.add %sum, %i : tensor<i32>
    stablehlo.return %next, %total : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
