// pass: gathers,cse,dce
// Rows of a small table are read many times: one gather of the quotient, and one of the square root. What is read by
// others, too, and what is cheap stays.
func.func @graph(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %i: tensor<9x1xi64>, %j: tensor<9x1xi64>) -> (tensor<9x3xf32>, tensor<9x3xf32>, tensor<9x3xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<9x3xf32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  %1 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  %2 = stablehlo.divide %0, %1 : tensor<9x3xf32>
  %3 = stablehlo.add %2, %one : tensor<9x3xf32>
  %4 = stablehlo.rsqrt %3 : tensor<9x3xf32>
  %5 = "stablehlo.gather"(%a, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  %6 = stablehlo.sqrt %5 : tensor<9x3xf32>
  %7 = stablehlo.multiply %5, %4 : tensor<9x3xf32>
  %8 = "stablehlo.gather"(%b, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  %9 = stablehlo.power %8, %one : tensor<9x3xf32>
  return %6, %7, %9 : tensor<9x3xf32>, tensor<9x3xf32>, tensor<9x3xf32>
}
// A chain of which few rows are read, with a table of another type.
func.func @embedding(%a: tensor<40x3xbf16>, %b: tensor<40x3xf32>, %s: tensor<f32>, %i: tensor<2x1xi64>) -> tensor<2x3xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<40x3xf32>
  %0 = stablehlo.convert %a : (tensor<40x3xbf16>) -> tensor<40x3xf32>
  %1 = stablehlo.multiply %0, %two : tensor<40x3xf32>
  %2 = stablehlo.add %1, %b : tensor<40x3xf32>
  %3 = stablehlo.clamp %s, %2, %s : (tensor<f32>, tensor<40x3xf32>, tensor<f32>) -> tensor<40x3xf32>
  %4 = "stablehlo.gather"(%3, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<40x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
// Integers are divided for the rows that are read, and for all rows where the program says so.
func.func @integers(%a: tensor<4xi32>, %b: tensor<4xi32>, %c: tensor<40xi32>, %i: tensor<9x1xi64>) -> (tensor<9xi32>, tensor<9xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<9x1xi64>) -> tensor<9xi32>
  %1 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<9x1xi64>) -> tensor<9xi32>
  %2 = stablehlo.divide %0, %1 : tensor<9xi32>
  %3 = stablehlo.remainder %c, %c : tensor<40xi32>
  %4 = "stablehlo.gather"(%3, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<40xi32>, tensor<9x1xi64>) -> tensor<9xi32>
  return %2, %4 : tensor<9xi32>, tensor<9xi32>
}
// The tables are larger than what is read, or the indices differ.
func.func @apart(%a: tensor<20xf32>, %b: tensor<20xf32>, %c: tensor<4xf32>, %i: tensor<9x1xi64>, %j: tensor<9x1xi64>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<20xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %1 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<20xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %2 = stablehlo.divide %0, %1 : tensor<9xf32>
  %3 = "stablehlo.gather"(%c, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %4 = "stablehlo.gather"(%c, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %5 = stablehlo.divide %3, %4 : tensor<9xf32>
  return %2, %5 : tensor<9xf32>, tensor<9xf32>
}
// expect:
func.func @graph(%arg0: tensor<4x3xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<9x1xi64>, %arg3: tensor<9x1xi64>) -> (tensor<9x3xf32>, tensor<9x3xf32>, tensor<9x3xf32>) {
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<9x3xf32>
  %0 = stablehlo.divide %arg0, %arg1 : tensor<4x3xf32>
  %1 = "stablehlo.gather"(%0, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  %2 = stablehlo.add %1, %cst : tensor<9x3xf32>
  %3 = stablehlo.rsqrt %2 : tensor<9x3xf32>
  %4 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  %5 = stablehlo.sqrt %4 : tensor<9x3xf32>
  %6 = stablehlo.multiply %4, %3 : tensor<9x3xf32>
  %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %8 = stablehlo.power %arg1, %7 : tensor<4x3xf32>
  %9 = "stablehlo.gather"(%8, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<9x1xi64>) -> tensor<9x3xf32>
  return %5, %6, %9 : tensor<9x3xf32>, tensor<9x3xf32>, tensor<9x3xf32>
}
func.func @embedding(%arg0: tensor<40x3xbf16>, %arg1: tensor<40x3xf32>, %arg2: tensor<f32>, %arg3: tensor<2x1xi64>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<40x3xbf16>, tensor<2x1xi64>) -> tensor<2x3xbf16>
  %1 = stablehlo.convert %0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<2x3xf32>
  %4 = "stablehlo.gather"(%arg1, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<40x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  %5 = stablehlo.add %3, %4 : tensor<2x3xf32>
  %6 = stablehlo.clamp %arg2, %5, %arg2 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}
func.func @integers(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>, %arg2: tensor<40xi32>, %arg3: tensor<9x1xi64>) -> (tensor<9xi32>, tensor<9xi32>) {
  %0 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<9x1xi64>) -> tensor<9xi32>
  %1 = "stablehlo.gather"(%arg1, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<9x1xi64>) -> tensor<9xi32>
  %2 = stablehlo.divide %0, %1 : tensor<9xi32>
  %3 = stablehlo.remainder %arg2, %arg2 : tensor<40xi32>
  %4 = "stablehlo.gather"(%3, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<40xi32>, tensor<9x1xi64>) -> tensor<9xi32>
  return %2, %4 : tensor<9xi32>, tensor<9xi32>
}
func.func @apart(%arg0: tensor<20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<4xf32>, %arg3: tensor<9x1xi64>, %arg4: tensor<9x1xi64>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<20xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %1 = "stablehlo.gather"(%arg1, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<20xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %2 = stablehlo.divide %0, %1 : tensor<9xf32>
  %3 = "stablehlo.gather"(%arg2, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %4 = "stablehlo.gather"(%arg2, %arg4) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<9x1xi64>) -> tensor<9xf32>
  %5 = stablehlo.divide %3, %4 : tensor<9xf32>
  return %2, %5 : tensor<9xf32>, tensor<9xf32>
}
