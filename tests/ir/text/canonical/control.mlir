module {
  func.func @while(%arg0: tensor<i64>, %arg1: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<10> : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1) : tensor<i64>, tensor<f32> attributes {u.v}
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %c_0 : tensor<i64>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.multiply %iterArg_1, %cst : tensor<f32>
      %3 = func.call @while(%1, %2) : (tensor<i64>, tensor<f32>) -> tensor<f32>
      stablehlo.return %1, %3 : tensor<i64>, tensor<f32>
    }
    stablehlo.while()
    cond {
      %c_1 = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %c_1 : tensor<i1>
    } do {
      stablehlo.return 
    }
    return %0#1 : tensor<f32>
  }
  func.func @branches(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg2 : tensor<f32>
    }, {
      %5 = stablehlo.negate %arg2 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %1 = "stablehlo.case"(%arg1) ({
      stablehlo.return %0 : tensor<f32>
    }) {k = "v"} : (tensor<i32>) -> tensor<f32>
    %2 = call @branches(%arg0, %arg1, %1) : (tensor<i1>, tensor<i32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.composite "my.op" %2, %1 {composite_attributes = {n = 2 : i64}, decomposition = @f, version = 1 : i32} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %4:2 = stablehlo.custom_call @"tar get"(%3) {api_version = 4 : i32, backend_config = {a = 1 : i32}, called_computations = [@f], has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    return %4#0 : tensor<f32>
  }
  func.func @f(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func @tokens(%arg0: !stablehlo.token) -> !stablehlo.token {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.after_all %arg0, %0 : !stablehlo.token
    %2:3 = "stablehlo.infeed"(%1) <{infeed_config = "c", layout = [[0, 1], [0]]}> : (!stablehlo.token) -> (tensor<3x4xi32>, tensor<3xi32>, !stablehlo.token)
    %3 = "stablehlo.send"(%2#1, %2#2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
    return %3 : !stablehlo.token
  }
}
