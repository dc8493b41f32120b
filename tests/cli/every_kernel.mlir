func.func @main(%x: tensor<64x64xf32>, %i: tensor<8x1xi32>, %u: tensor<8x64xf32>, %s: tensor<2xui64>) -> (tensor<64x64xf32>, tensor<64x33xcomplex<f32>>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<2xui64>, tensor<64x64xui32>, tensor<8x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.fft %x, type = RFFT, length = [64] : (tensor<64x64xf32>) -> tensor<64x33xcomplex<f32>>
  %2 = stablehlo.cholesky %x, lower = true : tensor<64x64xf32>
  %3 = "stablehlo.triangular_solve"(%x, %x) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4, %5 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<64x64xui32>)
  %6 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<64x64xf32>, tensor<8x1xi32>) -> tensor<8x64xf32>
  %7 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<64x64xf32>, tensor<8x1xi32>, tensor<8x64xf32>) -> tensor<64x64xf32>
  %8 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %9 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 64>, padding = dense<[[0, 0], [63, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %10 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<64x64xf32>, tensor<64x33xcomplex<f32>>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<2xui64>, tensor<64x64xui32>, tensor<8x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
