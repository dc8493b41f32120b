// steps: loops loops loops loops loops loops loops loops
// Rows by index: a quotient of two tables, some indices out of range; a chain of which few rows are read; batches with
// tables and indices of their own; integers, which are divided row by row.
func.func @main(%a: tensor<5x3xf32>, %b: tensor<5x3xf32>, %c: tensor<64x3xf32>, %d: tensor<2x3x4xf32>) -> (tensor<8x3xf32>, tensor<2x3xf32>, tensor<2x7x4xf32>, tensor<8x3xf32>) {
  %i = stablehlo.constant dense<[[1], [2], [7], [2], [-1], [4], [1], [2]]> : tensor<8x1xi32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>
  %1 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>
  %2 = stablehlo.divide %0, %1 : tensor<8x3xf32>
  %3 = stablehlo.exponential %2 : tensor<8x3xf32>
  %j = stablehlo.constant dense<[[63], [20]]> : tensor<2x1xi32>
  %two = stablehlo.constant dense<2.0> : tensor<64x3xf32>
  %4 = stablehlo.multiply %c, %two : tensor<64x3xf32>
  %5 = stablehlo.sine %4 : tensor<64x3xf32>
  %6 = stablehlo.subtract %5, %c : tensor<64x3xf32>
  %7 = "stablehlo.gather"(%6, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<64x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %k = stablehlo.constant dense<[[[0], [2], [1], [1], [0], [5], [2]], [[2], [2], [2], [0], [1], [0], [1]]]> : tensor<2x7x1xi32>
  %8 = "stablehlo.gather"(%d, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x3x4xf32>, tensor<2x7x1xi32>) -> tensor<2x7x4xf32>
  %9 = stablehlo.logistic %8 : tensor<2x7x4xf32>
  %10 = stablehlo.convert %a : (tensor<5x3xf32>) -> tensor<5x3xi32>
  %11 = stablehlo.convert %b : (tensor<5x3xf32>) -> tensor<5x3xi32>
  %12 = "stablehlo.gather"(%10, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xi32>, tensor<8x1xi32>) -> tensor<8x3xi32>
  %13 = "stablehlo.gather"(%11, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xi32>, tensor<8x1xi32>) -> tensor<8x3xi32>
  %ten = stablehlo.constant dense<10> : tensor<8x3xi32>
  %14 = stablehlo.add %13, %ten : tensor<8x3xi32>
  %15 = stablehlo.divide %12, %14 : tensor<8x3xi32>
  %16 = stablehlo.multiply %12, %13 : tensor<8x3xi32>
  %17 = stablehlo.subtract %16, %15 : tensor<8x3xi32>
  %18 = stablehlo.convert %17 : (tensor<8x3xi32>) -> tensor<8x3xf32>
  return %3, %7, %9, %18 : tensor<8x3xf32>, tensor<2x3xf32>, tensor<2x7x4xf32>, tensor<8x3xf32>
}
