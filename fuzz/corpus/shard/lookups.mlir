sdy.mesh @mesh = <["x"=4]>
func.func @main(%t: tensor<5x3xf32>, %i: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x3xf32>, tensor<5x3xf32>, tensor<8x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>
  %1 = "stablehlo.scatter"(%z, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<8x1xi32>, tensor<8x3xf32>) -> tensor<5x3xf32>
  %2 = "stablehlo.reduce_window"(%u, %o) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %0, %1, %2 : tensor<8x3xf32>, tensor<5x3xf32>, tensor<8x3xf32>
}
