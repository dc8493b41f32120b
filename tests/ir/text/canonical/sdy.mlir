module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @mesh2 = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]> {a.b = 1 : i64}
  sdy.mesh @maximal = <[], device_ids=[3]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y":(1)2}p2], replicated={"y":(2)2}>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.manual_computation(%1, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}], replicated={"y"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<8x8xf32>) {
      %23 = stablehlo.add %arg2, %arg2 : tensor<4x8xf32>
      sdy.return %23 : tensor<4x8xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.sharding_group %2 group_id=3 : tensor<8x8xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=FORWARD : tensor<8x8xf32>
    %4 = stablehlo.add %3, %3 : tensor<8x8xf32>
    %5 = sdy.data_flow_edge %4 sharding=<@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %6 = stablehlo.add %3, %3 : tensor<8x8xf32>
    %7 = sdy.data_flow_edge %6 : tensor<8x8xf32>
    %8 = sdy.named_computation<"foo">(%7) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x8xf32>) {
      sdy.return %arg2 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %9 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %11 = sdy.all_gather [{"x"}, {}] %10 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %12 = sdy.all_slice [{"x"}, {}] %11 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %13 = sdy.collective_permute %12 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %14 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %15 = sdy.all_to_all [{"x"}: 0->1] %14 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    %16 = sdy.all_reduce {"y"} %15 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    %17 = sdy.sharding_constraint %arg1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %18 = sdy.reduce_scatter [{"y"}, {}] %17 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %19 = stablehlo.custom_call @foo(%18) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %20 = stablehlo.add %19, %19 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
    %21 = call @g(%20) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %22 = sdy.func_data_flow_edge %21 : tensor<8x8xf32>
    return %22 : tensor<8x8xf32>
  }
  func.func private @g(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
