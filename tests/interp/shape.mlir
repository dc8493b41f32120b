// Ops that move elements.
// Expected values: XLA's CPU backend.

func.func @transpose() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %r = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  check.expect_eq_const %r, dense<[[[0, 4, 8], [12, 16, 20]], [[1, 5, 9], [13, 17, 21]], [[2, 6, 10], [14, 18, 22]], [[3, 7, 11], [15, 19, 23]]]> : tensor<4x2x3xi32>
  func.return
}

// -----

func.func @reshape() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %r = stablehlo.reshape %x : (tensor<2x3x4xi32>) -> tensor<6x4xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]> : tensor<6x4xi32>
  func.return
}

// -----

func.func @reverse() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %r = stablehlo.reverse %x, dims = [0, 2] : tensor<2x3x4xi32>
  check.expect_eq_const %r, dense<[[[15, 14, 13, 12], [19, 18, 17, 16], [23, 22, 21, 20]], [[3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8]]]> : tensor<2x3x4xi32>
  func.return
}

// -----

func.func @slice() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %r = stablehlo.slice %x [0:2, 1:3, 0:4:3] : (tensor<2x3x4xi32>) -> tensor<2x2x2xi32>
  check.expect_eq_const %r, dense<[[[4, 7], [8, 11]], [[16, 19], [20, 23]]]> : tensor<2x2x2xi32>
  func.return
}

// -----

func.func @broadcast_in_dim() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %r = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2], [1, 2]], [[1, 2], [1, 2]], [[1, 2], [1, 2]]]> : tensor<3x2x2xi32>
  func.return
}

// -----

// negative padding cuts, interior padding spreads
func.func @pad() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<7> : tensor<i32>
  %r = stablehlo.pad %x, %v, low = [1, -1], high = [-1, 2], interior = [2, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x6xi32>
  check.expect_eq_const %r, dense<[[7, 7, 7, 7, 7, 7], [7, 1, 7, 2, 7, 7], [7, 7, 7, 7, 7, 7], [7, 7, 7, 7, 7, 7]]> : tensor<4x6xi32>
  func.return
}

// -----

func.func @pad_all_cut() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<7> : tensor<i32>
  %r = stablehlo.pad %x, %v, low = [-3, 0], high = [2, 0], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<1x3xi32>
  check.expect_eq_const %r, dense<[[7, 7, 7]]> : tensor<1x3xi32>
  func.return
}

// -----

func.func @concatenate() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %r = stablehlo.concatenate %x, %z, dim = 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2, 0, 1], [3, 4, 5, 2, 3]]> : tensor<2x5xi32>
  func.return
}

// -----

// starts move inside; unsigned ones are unsigned
func.func @dynamic_slice_i32() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %i = stablehlo.constant dense<-5> : tensor<i32>
  %j = stablehlo.constant dense<100> : tensor<i32>
  %l = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_slice %x, %i, %j, %l, sizes = [1, 2, 3] : (tensor<2x3x4xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xi32>
  check.expect_eq_const %r, dense<[[[4, 5, 6], [8, 9, 10]]]> : tensor<1x2x3xi32>
  func.return
}

// -----

func.func @dynamic_update_slice_i32() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[9, 8]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<-5> : tensor<i32>
  %j = stablehlo.constant dense<100> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 9, 8], [3, 4, 5]]> : tensor<2x3xi32>
  func.return
}

// -----

// starts move inside; unsigned ones are unsigned
func.func @dynamic_slice_ui8() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %i = stablehlo.constant dense<200> : tensor<ui8>
  %j = stablehlo.constant dense<1> : tensor<ui8>
  %l = stablehlo.constant dense<0> : tensor<ui8>
  %r = stablehlo.dynamic_slice %x, %i, %j, %l, sizes = [1, 2, 3] : (tensor<2x3x4xi32>, tensor<ui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x2x3xi32>
  check.expect_eq_const %r, dense<[[[16, 17, 18], [20, 21, 22]]]> : tensor<1x2x3xi32>
  func.return
}

// -----

func.func @dynamic_update_slice_ui8() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[9, 8]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<200> : tensor<ui8>
  %j = stablehlo.constant dense<1> : tensor<ui8>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<ui8>, tensor<ui8>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [3, 9, 8]]> : tensor<2x3xi32>
  func.return
}

// -----

// starts move inside; unsigned ones are unsigned
func.func @dynamic_slice_ui32() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %i = stablehlo.constant dense<4294967295> : tensor<ui32>
  %j = stablehlo.constant dense<0> : tensor<ui32>
  %l = stablehlo.constant dense<0> : tensor<ui32>
  %r = stablehlo.dynamic_slice %x, %i, %j, %l, sizes = [1, 2, 3] : (tensor<2x3x4xi32>, tensor<ui32>, tensor<ui32>, tensor<ui32>) -> tensor<1x2x3xi32>
  check.expect_eq_const %r, dense<[[[12, 13, 14], [16, 17, 18]]]> : tensor<1x2x3xi32>
  func.return
}

// -----

func.func @dynamic_update_slice_ui32() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[9, 8]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<4294967295> : tensor<ui32>
  %j = stablehlo.constant dense<0> : tensor<ui32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<ui32>, tensor<ui32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [9, 8, 5]]> : tensor<2x3xi32>
  func.return
}

// -----

// starts move inside; unsigned ones are unsigned
func.func @dynamic_slice_i64() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %i = stablehlo.constant dense<1> : tensor<i64>
  %j = stablehlo.constant dense<-9> : tensor<i64>
  %l = stablehlo.constant dense<0> : tensor<i64>
  %r = stablehlo.dynamic_slice %x, %i, %j, %l, sizes = [1, 2, 3] : (tensor<2x3x4xi32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x3xi32>
  check.expect_eq_const %r, dense<[[[12, 13, 14], [16, 17, 18]]]> : tensor<1x2x3xi32>
  func.return
}

// -----

func.func @dynamic_update_slice_i64() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[9, 8]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<1> : tensor<i64>
  %j = stablehlo.constant dense<-9> : tensor<i64>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [9, 8, 5]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @iota_i8() {
  %r = stablehlo.iota dim = 1 : tensor<2x5xi8>
  check.expect_eq_const %r, dense<[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]> : tensor<2x5xi8>
  func.return
}

// -----

func.func @iota_ui16() {
  %r = stablehlo.iota dim = 1 : tensor<2x5xui16>
  check.expect_eq_const %r, dense<[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]> : tensor<2x5xui16>
  func.return
}

// -----

func.func @iota_f32() {
  %r = stablehlo.iota dim = 1 : tensor<2x5xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00]]> : tensor<2x5xf32>
  func.return
}

// -----

func.func @iota_bf16() {
  %r = stablehlo.iota dim = 1 : tensor<2x5xbf16>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00]]> : tensor<2x5xbf16>
  func.return
}

// -----

func.func @iota_c64() {
  %r = stablehlo.iota dim = 1 : tensor<2x5xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00)]]> : tensor<2x5xcomplex<f32>>
  func.return
}

// -----

func.func @select() {
  %p = stablehlo.constant dense<[[true, false, true], [false, false, true]]> : tensor<2x3xi1>
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %q = stablehlo.constant dense<[[3, -5, -4], [-3, -4, 3]]> : tensor<2x3xi32>
  %r = stablehlo.select %p, %x, %q : tensor<2x3xi1>, tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, -5, 2], [-3, -4, 5]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @select_scalar() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %q = stablehlo.constant dense<[[3, -5, -4], [-3, -4, 3]]> : tensor<2x3xi32>
  %r = stablehlo.select %p, %x, %q : tensor<i1>, tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @bitcast_f32_ui32() {
  %x = stablehlo.constant dense<[-1.136e+00, -9.05e-01, -4.31e-01]> : tensor<3xf32>
  %r = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %r, dense<[3213977715, 3211243028, 3202133000]> : tensor<3xui32>
  func.return
}

// -----

func.func @bitcast_f32_i8() {
  %x = stablehlo.constant dense<[-4.04e+00, -4.64e-01, -1.73e+00]> : tensor<3xf32>
  %r = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x4xi8>
  check.expect_eq_const %r, dense<[[-82, 71, -127, -64], [104, -111, -19, -66], [-92, 112, -35, -65]]> : tensor<3x4xi8>
  func.return
}

// -----

func.func @bitcast_i8_i32() {
  %x = stablehlo.constant dense<[[3, 11, 45, 39], [88, 51, 42, 43]]> : tensor<2x4xi8>
  %r = stablehlo.bitcast_convert %x : (tensor<2x4xi8>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[657263363, 724185944]> : tensor<2xi32>
  func.return
}

// -----

func.func @bitcast_i16_f64() {
  %x = stablehlo.constant dense<[[66, 58, 17, 73], [75, 95, 78, 28]]> : tensor<2x4xi16>
  %r = stablehlo.bitcast_convert %x : (tensor<2x4xi16>) -> tensor<2xf64>
  check.expect_eq_const %r, dense<[2.7813711837791745e-307, 3.894044771135348e-308]> : tensor<2xf64>
  func.return
}

// -----

func.func @bitcast_ui64_f32() {
  %x = stablehlo.constant dense<[31, 64]> : tensor<2xui64>
  %r = stablehlo.bitcast_convert %x : (tensor<2xui64>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[4.3e-44, 0.0e+00], [9.0e-44, 0.0e+00]]> : tensor<2x2xf32>
  func.return
}
