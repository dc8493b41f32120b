// Gather, scatter and sort. See elementwise.mlir for how the cases are run.

func.func @gather(%x: tensor<5x4xf64>) -> tensor<3x2x4xf64> {
  %i = stablehlo.constant dense<[[0, 4], [2, 2], [-3, 9]]> : tensor<3x2xi64>
  %z = stablehlo.multiply %x, %x : tensor<5x4xf64>
  %y = "stablehlo.gather"(%z, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf64>, tensor<3x2xi64>) -> tensor<3x2x4xf64>
  return %y : tensor<3x2x4xf64>
}

func.func @scatter_add(%x: tensor<5x4xf64>, %u: tensor<4x4xf64>) -> tensor<5x4xf64> {
  %i = stablehlo.constant dense<[[0], [2], [2], [9]]> : tensor<4x1xi64>
  %z = stablehlo.multiply %u, %u : tensor<4x4xf64>
  %y = "stablehlo.scatter"(%x, %i, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<4x1xi64>, tensor<4x4xf64>) -> tensor<5x4xf64>
  return %y : tensor<5x4xf64>
}

func.func @scatter_maximum(%x: tensor<5x4xf64>, %u: tensor<4x4xf64>) -> tensor<5x4xf64> {
  %i = stablehlo.constant dense<[[0], [2], [2], [9]]> : tensor<4x1xi64>
  %z = stablehlo.multiply %u, %u : tensor<4x4xf64>
  %y = "stablehlo.scatter"(%x, %i, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<4x1xi64>, tensor<4x4xf64>) -> tensor<5x4xf64>
  return %y : tensor<5x4xf64>
}

func.func @scatter_replace(%x: tensor<5x4xf64>, %u: tensor<4x4xf64>) -> tensor<5x4xf64> {
  %i = stablehlo.constant dense<[[0], [2], [2], [9]]> : tensor<4x1xi64>
  %z = stablehlo.multiply %u, %u : tensor<4x4xf64>
  %y = "stablehlo.scatter"(%x, %i, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %b : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<4x1xi64>, tensor<4x4xf64>) -> tensor<5x4xf64>
  return %y : tensor<5x4xf64>
}

func.func @scatter_multiply(%x: tensor<5x4xf64>, %u: tensor<3x4xf64>) -> tensor<5x4xf64> {
  %i = stablehlo.constant dense<[[0], [2], [9]]> : tensor<3x1xi64>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.multiply %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<3x1xi64>, tensor<3x4xf64>) -> tensor<5x4xf64>
  return %y : tensor<5x4xf64>
}

func.func @sort(%k: tensor<3x4xf64>, %v: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
  %y:2 = "stablehlo.sort"(%k, %v) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<3x4xf64>, tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
  %z = stablehlo.multiply %y#1, %y#0 : tensor<3x4xf64>
  return %y#0, %z : tensor<3x4xf64>, tensor<3x4xf64>
}

func.func @chlo_top_k(%x: tensor<3x5xf64>) -> tensor<3x2xf64> {
  %v, %i = chlo.top_k(%x, k = 2) : tensor<3x5xf64> -> (tensor<3x2xf64>, tensor<3x2xi32>)
  %y = stablehlo.multiply %v, %v : tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}
