// Shapes that only the run knows, checked once they are static again.

func.func @dynamic_iota() {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %x = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  %r = stablehlo.dynamic_reshape %x, %shape : (tensor<?x?xi32>, tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @sizes() {
  %shape = stablehlo.constant dense<[4, 2]> : tensor<2xi32>
  %x = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x2xf32>
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x2xf32>) -> tensor<i32>
  check.expect_eq_const %0, dense<4> : tensor<i32>
  check.expect_eq_const %1, dense<2> : tensor<i32>
  func.return
}

// -----

func.func @elementwise_and_reduce() {
  %shape = stablehlo.constant dense<[5]> : tensor<1xi64>
  %x = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi64>) -> tensor<?xi64>
  %y = stablehlo.multiply %x, %x : tensor<?xi64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
  check.expect_eq_const %r, dense<30> : tensor<i64>
  func.return
}

// -----

func.func @dynamic_broadcast_in_dim() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %shape = stablehlo.constant dense<[3, 2, 2]> : tensor<3xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1, 2] : (tensor<2x1xi32>, tensor<3xi64>) -> tensor<3x2x2xi32>
  check.expect_eq_const %r, dense<[[[1, 1], [2, 2]], [[1, 1], [2, 2]], [[1, 1], [2, 2]]]> : tensor<3x2x2xi32>
  func.return
}

// -----

func.func @real_dynamic_slice() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6]> : tensor<7xi32>
  %start = stablehlo.constant dense<1> : tensor<1xi32>
  %limit = stablehlo.constant dense<6> : tensor<1xi32>
  %stride = stablehlo.constant dense<2> : tensor<1xi32>
  %s = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<7xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %shape = stablehlo.constant dense<3> : tensor<1xi32>
  %r = stablehlo.dynamic_reshape %s, %shape : (tensor<?xi32>, tensor<1xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[1, 3, 5]> : tensor<3xi32>
  func.return
}

// -----

func.func @dynamic_pad() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %high = stablehlo.constant dense<-1> : tensor<1xi64>
  %interior = stablehlo.constant dense<1> : tensor<1xi64>
  %r = stablehlo.dynamic_pad %x, %v, %low, %high, %interior : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi32>
  check.expect_eq_const %r, dense<[9, 1, 9, 2, 9]> : tensor<5xi32>
  func.return
}

// -----

func.func @dynamic_gather() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[1], [0], [5]]> : tensor<3x1xi64>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<2x3xi32>, tensor<3x1xi64>, tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[4, 5], [1, 2], [4, 5]]> : tensor<3x2xi32>
  func.return
}

// -----

func.func @dynamic_conv() {
  %x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %padding = stablehlo.constant dense<[[1, 1]]> : tensor<1x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %padding) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x3x1xi32>, tensor<2x1x1xi32>, tensor<1x2xi64>) -> tensor<1x4x1xi32>
  check.expect_eq_const %r, dense<[[[10], [21], [32], [3]]]> : tensor<1x4x1xi32>
  func.return
}

// -----

// What set_dimension_size cuts off is gone: the sum sees two elements.
func.func @set_dimension_size() {
  %x = stablehlo.constant dense<[1, 2, 4, 8]> : tensor<4xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %s = stablehlo.set_dimension_size %x, %two, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  func.return
}

// -----

func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = stablehlo.add %x, %x : tensor<?xf32>
  func.return %r : tensor<?xf32>
}

func.func @main() {
  %shape = stablehlo.constant dense<3> : tensor<1xi64>
  %x = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  %y = func.call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %r = stablehlo.dynamic_reshape %y, %shape : (tensor<?xf32>, tensor<1xi64>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0, 2.0, 4.0]> : tensor<3xf32>
  func.return
}
