// steps: loops scatter loops copy scatter
func.func @main(%x: tensor<6x4xf32>, %w: tensor<5xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %from = stablehlo.constant dense<[[5], [0], [0], [3], [5]]> : tensor<5x1xi64>
  %to = stablehlo.constant dense<[[0], [5], [5], [0], [2]]> : tensor<5x1xi64>
  %zeros = stablehlo.constant dense<0.0> : tensor<6x4xf32>
  %rows = "stablehlo.gather"(%x, %from) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<5x1xi64>) -> tensor<5x4xf32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
  %0 = stablehlo.multiply %rows, %wide : tensor<5x4xf32>
  %1 = "stablehlo.scatter"(%zeros, %to, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<6x4xf32>
  %y = stablehlo.exponential %x : tensor<6x4xf32>
  %more = "stablehlo.gather"(%y, %to) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<5x1xi64>) -> tensor<5x4xf32>
  %2 = stablehlo.subtract %more, %wide : tensor<5x4xf32>
  %3 = "stablehlo.scatter"(%y, %to, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<6x4xf32>
  return %1, %3 : tensor<6x4xf32>, tensor<6x4xf32>
}
