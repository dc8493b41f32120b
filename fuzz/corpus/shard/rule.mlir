sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}], replicated={"x":(2)2}>}) -> tensor<4x2x6xf32> {
  %0 = stablehlo.custom_call @split(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, j, k]) {i=4, j=2, k=6} need_replication={k}, custom>} : (tensor<8x6xf32>) -> tensor<4x2x6xf32>
  return %0 : tensor<4x2x6xf32>
}
