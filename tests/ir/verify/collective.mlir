// collective.mlir: ops that several devices run together. The line before an op says what is wrong with it.
func.func @main() {
  // expected: stablehlo.replica_id: result 0 is tensor<i32>, must be a ranked tensor of ui32
  %0 = "stablehlo.replica_id"() : () -> tensor<i32>
  func.return
}
// -----
func.func @main() {
  // expected: stablehlo.partition_id: result is tensor<2xui32>, should be tensor<ui32>
  %0 = "stablehlo.partition_id"() : () -> tensor<2xui32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: result 0 has size 9 in dimension 0, not a multiple of operand's 4
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<9xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: all_gather_dim = 1, but operand has rank 1
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups has id 0 more than once
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups has 2 ids but not id 1
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups is tensor<2xi64>, must have rank 2
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups has id -1, must not be negative
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: result is tensor<8x2xf32>, should be tensor<8xf32>
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8x2xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups is empty, must name devices where use_global_device_ids is set
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_reduce: replica_groups has id 1 more than once
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_reduce: result is tensor<5xf32>, should be tensor<4xf32>
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_reduce: computation takes 3 arguments, must take 2: two for each of 1 inputs
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_reduce: channel id is 0, must be positive where use_global_device_ids is set
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.reduce_scatter: operand has size 4 in scatter_dimension = 0, not a multiple of result's 3
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<3x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.reduce_scatter: result is tensor<2x3xf32>, should be tensor<2x4xf32>
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x3xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.reduce_scatter: scatter_dimension = 2, but operand has rank 2
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.all_to_all: result is tensor<4x4xf32>, should be tensor<2x8xf32>
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.all_to_all: dimension 0 has size 4, not a multiple of split_count = 3
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.all_to_all: concat_dimension = 2, but operand has rank 2
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.all_to_all: replica_groups has groups of 3, must have groups of 2
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4x4xf32>) {
  // expected: stablehlo.all_to_all: split_count = 0, must be positive
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_broadcast: replica_groups has id -2, must not be negative
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_broadcast: result is tensor<5xf32>, should be tensor<4xf32>
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>, %r: tensor<2xi32>) {
  // expected: stablehlo.collective_broadcast: root has 2 entries for 1 data operands
  %0 = "stablehlo.collective_broadcast"(%x, %r) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_reduce: has 1 operands, takes at least 2: data and root
  %0 = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_reduce: result is tensor<5xf32>, should be tensor<4xf32>
  %0 = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_permute: source_target_pairs, as source, has id 0 more than once
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_permute: source_target_pairs, as target, has id 1 more than once
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_permute: source_target_pairs, as target, has id -1, must not be negative
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.collective_permute: source_target_pairs is tensor<1x3xi64>, must be pairs of i64: shape [n, 2]
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.cross-replica-sum: replica_groups has id 1 more than once
  %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1, 1]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups names axis "b", which the mesh does not have
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "a", size = 2>]>, axes = [#stablehlo.axis_ref<name = "b">]>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
// -----
func.func @main(%x: tensor<4xf32>) {
  // expected: stablehlo.all_gather: replica_groups: mesh @mesh is not defined
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "b">]>} : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}
