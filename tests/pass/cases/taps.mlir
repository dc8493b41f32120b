// pass: taps,simplify,dce
// nine numbers become two, of two of them and of one; the second product does not say that zeros are no weights
func.func @main(%x: tensor<3x9xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %w = stablehlo.constant dense<[[0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]> : tensor<2x9xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] {tenfold.taps} : (tensor<3x9xf32>, tensor<2x9xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<3x9xf32>, tensor<2x9xf32>) -> tensor<3x2xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<3x2xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<3x9xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
    %cst = stablehlo.constant dense<[[0.000000e+00, 5.000000e-01, 5.000000e-01, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00]]> : tensor<2x9xf32>
    %c = stablehlo.constant dense<[1, 8]> : tensor<2xi64>
    %0 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1>}> : (tensor<3x9xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %cst_0 = stablehlo.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<3x2xf32>
    %c_1 = stablehlo.constant dense<[2, 8]> : tensor<2xi64>
    %3 = "stablehlo.gather"(%arg0, %c_1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1>}> : (tensor<3x9xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %cst_2 = stablehlo.constant dense<[5.000000e-01, 0.000000e+00]> : tensor<2xf32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<3x2xf32>
    %6 = stablehlo.add %2, %5 : tensor<3x2xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.dot_general %arg0, %cst, contracting_dims = [1] x [1] : (tensor<3x9xf32>, tensor<2x9xf32>) -> tensor<3x2xf32>
    return %7, %8 : tensor<2x3xf32>, tensor<3x2xf32>
  }
}
