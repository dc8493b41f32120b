// Several replicas and partitions: what each of them sees.

module @all_gather {
  func.func @each(%x: tensor<1x2xi64>) -> tensor<2x2xi64> {
    %r = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}> : (tensor<1x2xi64>) -> tensor<2x2xi64>
    func.return %r : tensor<2x2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %b = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@each], [@each]]} : (tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %r#0, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    func.return
  }
}

// -----

// In a loop, every turn is a meeting of its own.
module @all_reduce_in_a_loop {
  func.func @each(%x: tensor<i64>) -> tensor<i64> {
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %four = stablehlo.constant dense<4> : tensor<i64>
    %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i64>, tensor<i64>
     cond {
      %go = stablehlo.compare LT, %i, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %sum = "stablehlo.all_reduce"(%s) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %c = stablehlo.add %a, %b : tensor<i64>
        stablehlo.return %c : tensor<i64>
      }) : (tensor<i64>) -> tensor<i64>
      %next = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %next, %sum : tensor<i64>, tensor<i64>
    }
    func.return %r#1 : tensor<i64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<1> : tensor<i64>
    %b = stablehlo.constant dense<2> : tensor<i64>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %r:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@each], [@each], [@each]]} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>)
    check.expect_eq_const %r#0, dense<189> : tensor<i64>
    check.expect_eq_const %r#1, dense<189> : tensor<i64>
    check.expect_eq_const %r#2, dense<189> : tensor<i64>
    func.return
  }
}

// -----

module @scatter_and_exchange {
  func.func @each(%x: tensor<2x4xi64>) -> (tensor<2x2xi64>, tensor<4x2xi64>) {
    %s = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %c = stablehlo.maximum %a, %b : tensor<i64>
      stablehlo.return %c : tensor<i64>
    }) : (tensor<2x4xi64>) -> tensor<2x2xi64>
    %t = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xi64>) -> tensor<4x2xi64>
    func.return %s, %t : tensor<2x2xi64>, tensor<4x2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
    %b = stablehlo.constant dense<[[9, 0, 9, 0], [0, 9, 0, 9]]> : tensor<2x4xi64>
    %r:4 = "interpreter.run_parallel"(%a, %b) {programs = [[@each], [@each]]} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x2xi64>, tensor<4x2xi64>, tensor<2x2xi64>, tensor<4x2xi64>)
    check.expect_eq_const %r#0, dense<[[9, 2], [5, 9]]> : tensor<2x2xi64>
    check.expect_eq_const %r#2, dense<[[9, 4], [7, 9]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[1, 2], [5, 6], [9, 0], [0, 9]]> : tensor<4x2xi64>
    check.expect_eq_const %r#3, dense<[[3, 4], [7, 8], [9, 0], [0, 9]]> : tensor<4x2xi64>
    func.return
  }
}

// -----

module @ids {
  func.func @each() -> (tensor<ui32>, tensor<ui32>) {
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    func.return %r, %p : tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %r:8 = "interpreter.run_parallel"() {programs = [[@each, @each], [@each, @each]]} : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#0, dense<0> : tensor<ui32>
    check.expect_eq_const %r#3, dense<1> : tensor<ui32>
    check.expect_eq_const %r#4, dense<1> : tensor<ui32>
    check.expect_eq_const %r#5, dense<0> : tensor<ui32>
    check.expect_eq_const %r#6, dense<1> : tensor<ui32>
    check.expect_eq_const %r#7, dense<1> : tensor<ui32>
    func.return
  }
}

// -----

// A value goes round, and a process that nobody sends to gets zeros.
module @permute_and_broadcast {
  func.func @each(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %p = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}> : (tensor<2xi32>) -> tensor<2xi32>
    %b = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}> : (tensor<2xi32>) -> tensor<2xi32>
    func.return %p, %b : tensor<2xi32>, tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %c = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
    %r:6 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@each], [@each], [@each]]} : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<[1, 2]> : tensor<2xi32>
    check.expect_eq_const %r#4, dense<[3, 4]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[5, 6]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#5, dense<[5, 6]> : tensor<2xi32>
    func.return
  }
}

// -----

module @feeds {
  func.func @item() -> tensor<2xi32> {
    %x = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
    func.return %x : tensor<2xi32>
  }
  func.func @each(%t: !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token) {
    %x, %t1 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %t2 = "stablehlo.send"(%x, %t1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    %y, %t3 = "stablehlo.recv"(%t2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %t4 = "stablehlo.outfeed"(%y, %t3) : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    func.return %y, %t4 : tensor<2xi32>, !stablehlo.token
  }
  func.func @main() {
    %t = stablehlo.create_token : !stablehlo.token
    %r:2 = "interpreter.run_parallel"(%t) {infeed = [@item], programs = [[@each]]} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    check.expect_eq_const %r#0, dense<[7, 8]> : tensor<2xi32>
    func.return
  }
}

// -----

// One process alone is a group of itself.
func.func @alone() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %r, %x : tensor<2xf32>
  func.return
}
