module @shape attributes {a.list = [1, 2.000000e+00, "x"], b.unit} {
  func.func public @shape(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<2xi64>, %arg4: tensor<?x?xf32>) -> (tensor<4x8xf32> {jax.result_info = "x"}, tensor<f32>) attributes {c.d = 3 : i32} {
    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %1 = stablehlo.dynamic_iota %arg3, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    %2 = stablehlo.slice %arg0 [0:2, 1:8:3] : (tensor<4x8xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
    %4 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [2, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %5 = "stablehlo.dynamic_slice"(%arg1) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %6 = stablehlo.dynamic_update_slice %arg0, %4, %arg2, %arg2 : (tensor<4x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %7 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %8 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %9 = stablehlo.dynamic_broadcast_in_dim %arg1, %arg3, dims = [] {known_expanding_dimensions = array<i64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %10 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    %11 = stablehlo.get_dimension_size %arg4, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
    %12 = stablehlo.set_dimension_size %arg0, %arg2, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
    %13 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<2x16xf32>
    %14 = stablehlo.dynamic_reshape %arg0, %arg3 : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %15 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<4x8xf32>
    %16 = stablehlo.pad %arg0, %arg1, low = [0, -1], high = [1, 2], interior = [0, 3] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x30xf32>
    %17 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %18 = stablehlo.real_dynamic_slice %arg0, %arg3, %arg3, %arg3 : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %19 = stablehlo.dynamic_pad %arg0, %arg1, %arg3, %arg3, %arg3 : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %20:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<4x8xf32>, tensor<f32>
    %21 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4x8xf32>, tensor<f32>>
    %22 = stablehlo.get_tuple_element %21[1] : (tuple<tensor<4x8xf32>, tensor<f32>>) -> tensor<f32>
    %23 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    return %20#0, %20#1 : tensor<4x8xf32>, tensor<f32>
  }
  func.func private @declared(tensor<4xf32> {x.y}, !stablehlo.token) -> (tensor<4xf32>, tuple<>)
  func.func private @"odd name"() -> ((i32) -> i32)
  module {
  }
}
