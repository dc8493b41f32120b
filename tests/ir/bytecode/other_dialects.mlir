// StableHLO, CHLO, func and sdy as they are: tests/python/test_bytecode.py writes them with jaxlib and reads them here.
sdy.mesh @m = <["a"=4, "b"=2]>
sdy.mesh @d = <["a"=2], device_ids=[1, 0]>
func.func @shardings(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(1)2, ?}p1, {?}], replicated={"b"}>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"b"}>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {"b", ?}]>]>,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk], [i, jk])->([i, jk]) {i=8, j=4, k=2} permutation={k}>} : tensor<8x8xf32>
  %c = sdy.sharding_constraint %0 <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{}, {"b"}] %c out_sharding=<@m, [{"a"}, {"b"}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@m, [{}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func @chlo(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<4xi1>) {
  %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.broadcast_add %0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "chlo.broadcast_compare"(%0, %arg1) {compare_type = #chlo<comparison_type FLOAT>,
    comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3:2 = "chlo.top_k"(%1) {k = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %3#0, %3#1, %2 : tensor<2xf32>, tensor<2xi32>, tensor<4xi1>
}
func.func @small(%arg0: tensor<4x4xf8E4M3FN>, %arg1: tensor<2x4x4xf8E4M3FN>, %arg2: tensor<2xi32>) -> tensor<4x4xf32> {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [],
    rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0],
    rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>]}
    : (tensor<4x4xf8E4M3FN>, tensor<2x4x4xf8E4M3FN>, tensor<2xi32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @bounded(%arg0: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>> {
  %0 = chlo.tan %arg0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>> -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
}
