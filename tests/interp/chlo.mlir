// CHLO's own ops, the older StableHLO ones, and what only hands values on.

func.func @broadcasting() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %z = stablehlo.constant dense<[[100], [200]]> : tensor<2x1xi32>
  %0 = chlo.broadcast_add %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %1 = chlo.broadcast_multiply %z, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %2 = "chlo.broadcast_compare"(%x, %z) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  %3 = chlo.broadcast_maximum %y, %x {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[1000, 2000, 3000], [2000, 4000, 6000]]> : tensor<2x3xi32>
  check.expect_eq_const %2, dense<true> : tensor<2x3xi1>
  check.expect_eq_const %3, dense<[[10, 20, 30], [10, 20, 30]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @next_after() {
  %x = stablehlo.constant dense<[0.0, 0.0, 1.0, 1.0, -1.0, 3.0, 0x7F800000, 0x7FC00000]> : tensor<8xf32>
  %y = stablehlo.constant dense<[1.0, -1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 1.0]> : tensor<8xf32>
  %r = chlo.next_after %x, %y : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  check.expect_eq_const %r, dense<[0x00000001, 0x80000001, 0x3F800001, 0x3F7FFFFF, 0xBF7FFFFF, 3.0, 0x7F7FFFFF, 0x7FC00000]> : tensor<8xf32>
  func.return
}

// -----

func.func @infinities() {
  %x = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32>
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %0, dense<[true, true, false, false]> : tensor<4xi1>
  check.expect_eq_const %1, dense<[true, false, false, false]> : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}

// -----

func.func @top_k() {
  %x = stablehlo.constant dense<[[3, 9, 1, 9], [-1, -5, 0, -3]]> : tensor<2x4xi32>
  %v, %i = chlo.top_k(%x, k = 2) : tensor<2x4xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %v, dense<[[9, 9], [0, -1]]> : tensor<2x2xi32>
  check.expect_eq_const %i, dense<[[1, 3], [2, 0]]> : tensor<2x2xi32>
  func.return
}

// -----

func.func @mulhi() {
  %x = stablehlo.constant dense<[-128, 127, 100]> : tensor<3xi8>
  %y = stablehlo.constant dense<[-128, 127, -3]> : tensor<3xi8>
  %r = chlo.mulhi %x, %y : tensor<3xi8>, tensor<3xi8> -> tensor<3xi8>
  check.expect_eq_const %r, dense<[64, 63, -2]> : tensor<3xi8>
  %u = stablehlo.constant dense<[18446744073709551615, 4294967296]> : tensor<2xui64>
  %s = chlo.mulhi %u, %u : tensor<2xui64>, tensor<2xui64> -> tensor<2xui64>
  check.expect_eq_const %s, dense<[18446744073709551614, 1]> : tensor<2xui64>
  func.return
}

// -----

func.func @constants() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = chlo.constant dense<[3, 4]> : tensor<2xi32>
  %1 = "chlo.constant_like"(%x) <{value = 2.5 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[3, 4]> : tensor<2xi32>
  check.expect_eq_const %1, dense<2.5> : tensor<2xf32>
  func.return
}

// -----

func.func @einsum() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %0 = stablehlo.einsum %x, %y, config = "ij,jk->ik" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %1 = stablehlo.einsum %x, %y, config = "ij,ij->" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<i32>
  %2 = stablehlo.unary_einsum %x, config = "ij->j" : (tensor<2x2xi32>) -> tensor<2xi32>
  %3 = stablehlo.unary_einsum %x, config = "ii->i" : (tensor<2x2xi32>) -> tensor<2xi32>
  %4 = stablehlo.dot %x, %y : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[19, 22], [43, 50]]> : tensor<2x2xi32>
  check.expect_eq_const %1, dense<70> : tensor<i32>
  check.expect_eq_const %2, dense<[4, 6]> : tensor<2xi32>
  check.expect_eq_const %3, dense<[1, 4]> : tensor<2xi32>
  check.expect_eq %4, %0 : tensor<2x2xi32>
  func.return
}

// -----

func.func @older_ops() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %1 = "stablehlo.broadcast"(%i) <{broadcast_sizes = array<i64: 2>}> : (tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[2, 0], [2, 0]]> : tensor<2x2xi32>
  func.return
}

// -----

// The same numbers every time, and inside their interval.
func.func @rng() {
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<100> : tensor<1xi64>
  %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<100xf32>
  %low = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %high = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %0 = stablehlo.compare GE, %x, %low : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
  %1 = stablehlo.compare LT, %x, %high : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
  check.expect_eq_const %0, dense<true> : tensor<100xi1>
  check.expect_eq_const %1, dense<true> : tensor<100xi1>
  %n = stablehlo.rng %a, %b, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<100xf32>
  %finite = stablehlo.is_finite %n : (tensor<100xf32>) -> tensor<100xi1>
  check.expect_eq_const %finite, dense<true> : tensor<100xi1>
  func.return
}

// -----

func.func @handed_on() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<3.0> : tensor<f32>
  %t = stablehlo.tuple %x, %y : tuple<tensor<2xi32>, tensor<f32>>
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xi32>, tensor<f32>>) -> tensor<2xi32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xi32>, tensor<f32>>) -> tensor<f32>
  %2:2 = stablehlo.optimization_barrier %0, %1 : tensor<2xi32>, tensor<f32>
  %3 = stablehlo.custom_call @Sharding(%2#0) {mhlo.sharding = "{replicated}"} : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq %3, %x : tensor<2xi32>
  check.expect_eq %2#1, %y : tensor<f32>
  func.return
}

// -----

func.func private @square_sum(%x: tensor<3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.multiply %x, %x : tensor<3xf32>
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  func.return %r : tensor<f32>
}

func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %r = stablehlo.composite "my.square_sum" %x {decomposition = @square_sum} : (tensor<3xf32>) -> tensor<f32>
  check.expect_eq_const %r, dense<14.0> : tensor<f32>
  func.return
}
