// Regions applied over and over: reduce, windows, sort, map.
// Expected values: XLA's CPU backend.

func.func @reduce_add() {
  %x = stablehlo.constant dense<[[[1.09e+00, -1.01e+00], [-3.66e-01, 1.081e+00], [3.87e+00, -5.39e-01], [-4.87e-01, 2.005e+00]], [[-1.773e+00, -5.83e-01], [1.765e+00, 1.161e+00], [1.83e-01, 1.34e+00], [-5.656e+00, 2.043e+00]], [[-1.919e+00, -3.337e+00], [5.53e-01, 1.401e+00], [-8.9e-01, -2.153e+00], [5.2e-02, -1.05e-01]]]> : tensor<3x4x2xf32>
  %i = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0, 2] : (tensor<3x4x2xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %o = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %o : tensor<f32>
  }
  %wantr = stablehlo.constant dense<[-7.532e+00, 5.5950003e+00, 1.8110001e+00, -2.148e+00]> : tensor<4xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 4 : tensor<4xf32>, tensor<4xf32>
  func.return
}

// -----

func.func @reduce_max_i8() {
  %x = stablehlo.constant dense<[[-1, -4, 1, 4, 2], [-1, 4, 0, -1, -4], [-3, 2, 3, -2, 1]]> : tensor<3x5xi8>
  %i = stablehlo.constant dense<-128> : tensor<i8>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<3x5xi8>, tensor<i8>) -> tensor<3xi8>
   reducer(%a: tensor<i8>, %b: tensor<i8>) {
    %o = stablehlo.maximum %a, %b : tensor<i8>
    stablehlo.return %o : tensor<i8>
  }
  check.expect_eq_const %r, dense<[4, 4, 3]> : tensor<3xi8>
  func.return
}

// -----

func.func @reduce_and() {
  %x = stablehlo.constant dense<[[true, false, false, true], [true, false, false, false], [true, true, false, true]]> : tensor<3x4xi1>
  %i = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<3x4xi1>, tensor<i1>) -> tensor<4xi1>
   reducer(%a: tensor<i1>, %b: tensor<i1>) {
    %o = stablehlo.and %a, %b : tensor<i1>
    stablehlo.return %o : tensor<i1>
  }
  check.expect_eq_const %r, dense<[true, false, false, false]> : tensor<4xi1>
  func.return
}

// -----

func.func @reduce_all() {
  %x = stablehlo.constant dense<[1, 1, 3, 1, 3, 1, 2]> : tensor<7xi64>
  %i = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<7xi64>, tensor<i64>) -> tensor<i64>
   reducer(%a: tensor<i64>, %b: tensor<i64>) {
    %o = stablehlo.multiply %a, %b : tensor<i64>
    stablehlo.return %o : tensor<i64>
  }
  check.expect_eq_const %r, dense<18> : tensor<i64>
  func.return
}

// -----

func.func @reduce_nothing() {
  %x = stablehlo.constant dense<[[5, 5], [0, -3]]> : tensor<2x2xi32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %o = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %o : tensor<i32>
  }
  check.expect_eq_const %r, dense<[[5, 5], [0, -3]]> : tensor<2x2xi32>
  func.return
}

// -----

func.func @reduce_empty() {
  %x = stablehlo.constant dense<> : tensor<0x3xi32>
  %i = stablehlo.constant dense<5> : tensor<i32>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<0x3xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %o = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %o : tensor<i32>
  }
  check.expect_eq_const %r, dense<[5, 5, 5]> : tensor<3xi32>
  func.return
}

// -----

func.func @argmax() {
  %x = stablehlo.constant dense<[[-1.829e+00, 1.419e+00, 2.313e+00, -4.316e+00, -9.96e-01], [6.56e-01, -1.218e+00, 3.181e+00, -2.382e+00, 7.09e-01], [-2.097e+00, 2.812e+00, -4.3e-02, -7.45e-01, -3.436e+00]]> : tensor<3x5xf32>
  %y = stablehlo.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]> : tensor<3x5xi32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %i), (%y init: %j) across dimensions = [1] : (tensor<3x5xf32>, tensor<3x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %q = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %o, %q : tensor<f32>, tensor<i32>
  }
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3xi32>
  check.expect_eq_const %r0, dense<[2.313e+00, 3.181e+00, 2.812e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[2, 7, 11]> : tensor<3xi32>
  func.return
}

// -----

func.func @window_sum() {
  %x = stablehlo.constant dense<[[-2, 4, 1, 5, 5], [2, -5, -3, 3, 0], [5, 2, 4, -5, -2], [2, 1, -1, -4, 1]]> : tensor<4x5xi32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %o = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %o : tensor<i32>
  }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[-3, 5, 11], [13, -3, -7]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @window_padded_max() {
  %x = stablehlo.constant dense<[[-1.193e+00, -6.42e-01, 4.49e-01, 1.151e+00, -2.498e+00], [-3.46e+00, -9.0e-03, 2.427e+00, 1.514e+00, 4.31e-01], [-6.34e-01, 5.86e-01, -4.87e-01, 1.634e+00, -1.589e+00], [2.68e-01, -2.22e-01, 1.087e+00, 4.49e-01, 5.1e+00]]> : tensor<4x5xf32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %o = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %o : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x6xf32>
  %wantr = stablehlo.constant dense<[[-6.42e-01, 4.49e-01, 1.151e+00, 1.151e+00, -2.498e+00, 0xFF800000], [-9.0e-03, 2.427e+00, 2.427e+00, 1.514e+00, 4.31e-01, 0xFF800000], [5.86e-01, 2.427e+00, 2.427e+00, 1.634e+00, 4.31e-01, 0xFF800000], [5.86e-01, 1.087e+00, 1.634e+00, 5.1e+00, 5.1e+00, 0xFF800000]]> : tensor<4x6xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 4 : tensor<4x6xf32>, tensor<4x6xf32>
  func.return
}

// -----

func.func @window_dilated() {
  %x = stablehlo.constant dense<[[2, -2, 0, 0, -5], [-4, -2, 1, -5, 5], [4, 1, 3, 3, -5], [5, -5, 4, 4, 3]]> : tensor<4x5xi64>
  %i = stablehlo.constant dense<0> : tensor<i64>
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 2>, padding = dense<[[2, 1], [-1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %o = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %o : tensor<i64>
  }) : (tensor<4x5xi64>, tensor<i64>) -> tensor<7x3xi64>
  check.expect_eq_const %r, dense<[[0, 0, 0], [-7, 6, -5], [-2, -5, 0], [4, -2, 3], [-7, 6, -5], [-1, 7, 4], [4, -2, 3]]> : tensor<7x3xi64>
  func.return
}

// -----

func.func @select_and_scatter() {
  %x = stablehlo.constant dense<[[-1.957e+00, -1.602e+00, 8.7e-02, 1.282e+00, 4.096e+00, -3.95e-01], [1.535e+00, 3.11e-01, 3.52e+00, 1.484e+00, 2.737e+00, -2.155e+00], [-3.84e-01, -1.628e+00, 3.01e+00, 1.315e+00, -6.1e-01, -9.05e-01], [9.69e-01, -1.403e+00, -1.861e+00, 9.63e-01, 4.926e+00, -4.92e-01]]> : tensor<4x6xf32>
  %s = stablehlo.constant dense<[[-1.112e+00, -2.342e+00, -2.67e+00], [1.05e+00, 1.702e+00, 1.8e-02]]> : tensor<2x3xf32>
  %i = stablehlo.constant dense<5.0e-01> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %o = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %o : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %o = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %o : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  %wantr = stablehlo.constant dense<[[5.0e-01, 5.0e-01, 5.0e-01, 5.0e-01, -2.17e+00, 5.0e-01], [-6.12e-01, 5.0e-01, -1.842e+00, 5.0e-01, 5.0e-01, 5.0e-01], [5.0e-01, 5.0e-01, 2.2020001e+00, 5.0e-01, 5.0e-01, 5.0e-01], [1.55e+00, 5.0e-01, 5.0e-01, 5.0e-01, 5.18e-01, 5.0e-01]]> : tensor<4x6xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 2 : tensor<4x6xf32>, tensor<4x6xf32>
  func.return
}

// -----

func.func @select_and_scatter_overlap() {
  %x = stablehlo.constant dense<[[6.65e-01, 2.32e-01, 2.77e-01, -3.052e+00, -9.16e-01], [2.23e-01, -1.566e+00, -9.53e-01, -1.638e+00, -6.67e-01], [1.706e+00, -8.13e-01, -3.08e-01, 1.627e+00, 1.29e+00], [3.39e+00, -4.181e+00, 1.714e+00, -9.65e-01, 2.69e-01], [1.675e+00, 2.167e+00, 2.079e+00, 3.1e-01, 3.219e+00]]> : tensor<5x5xf32>
  %s = stablehlo.constant dense<[[-5.66e-01, -2.82e-01, 1.599e+00, -1.103e+00], [4.322e+00, 2.038e+00, 4.351e+00, -5.3e-02], [-7.66e-01, 3.34e-01, 1.469e+00, -1.175e+00], [7.59e-01, -3.4e-02, 3.231e+00, -1.325e+00]]> : tensor<4x4xf32>
  %i = stablehlo.constant dense<5.0e-01> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %o = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %o : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %o = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %o : tensor<f32>
  }) : (tensor<5x5xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<5x5xf32>
  %wantr = stablehlo.constant dense<[[-6.5999985e-02, 5.0e-01, 1.8169999e+00, 5.0e-01, 5.0e-01], [5.0e-01, 5.0e-01, 5.0e-01, 5.0e-01, -6.0300004e-01], [4.822e+00, 5.0e-01, 5.0e-01, 5.6610003e+00, 5.0e-01], [4.9300003e-01, 5.0e-01, 2.303e+00, 5.0e-01, 5.0e-01], [5.0e-01, 4.66e-01, 5.0e-01, 5.0e-01, 2.406e+00]]> : tensor<5x5xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 2 : tensor<5x5xf32>, tensor<5x5xf32>
  func.return
}

// -----

func.func @sort_f32_total() {
  %x0 = stablehlo.constant dense<[1.0e+00, 0x7FC00000, -0.0e+00, 0.0e+00, 0xFF800000, 0x7F800000, -3.0e+00]> : tensor<7xf32>
  %r = "stablehlo.sort"(%x0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %o = stablehlo.compare LT, %a0, %b0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %o : tensor<i1>
  }) : (tensor<7xf32>) -> (tensor<7xf32>)
  check.expect_eq_const %r, dense<[0xFF800000, -3.0e+00, -0.0e+00, 0.0e+00, 1.0e+00, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  func.return
}

// -----

func.func @sort_descending() {
  %x0 = stablehlo.constant dense<[[-4, 1, 0, 2, 0, -2], [0, 2, -3, 1, -2, 3], [1, 0, -5, -5, -3, 0]]> : tensor<3x6xi32>
  %r = "stablehlo.sort"(%x0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %o = stablehlo.compare GT, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %o : tensor<i1>
  }) : (tensor<3x6xi32>) -> (tensor<3x6xi32>)
  check.expect_eq_const %r, dense<[[2, 1, 0, 0, -2, -4], [3, 2, 1, 0, -2, -3], [1, 0, 0, -3, -5, -5]]> : tensor<3x6xi32>
  func.return
}

// -----

func.func @sort_pairs_stable() {
  %x0 = stablehlo.constant dense<[[1, 2, 0, 1, 1], [1, 0, 1, 0, 1], [0, 2, 2, 0, 0], [2, 2, 2, 0, 2]]> : tensor<4x5xi32>
  %x1 = stablehlo.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19]]> : tensor<4x5xi64>
  %r:2 = "stablehlo.sort"(%x0, %x1) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a0: tensor<i32>, %b0: tensor<i32>, %a1: tensor<i64>, %b1: tensor<i64>):
    %o = stablehlo.compare LT, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %o : tensor<i1>
  }) : (tensor<4x5xi32>, tensor<4x5xi64>) -> (tensor<4x5xi32>, tensor<4x5xi64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<4x5xi32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<4x5xi64>
  check.expect_eq_const %r0, dense<[[0, 0, 0, 0, 0], [1, 2, 1, 0, 1], [1, 2, 2, 0, 1], [2, 2, 2, 1, 2]]> : tensor<4x5xi32>
  check.expect_eq_const %r1, dense<[[10, 6, 2, 8, 14], [0, 1, 7, 13, 4], [5, 11, 12, 18, 9], [15, 16, 17, 3, 19]]> : tensor<4x5xi64>
  func.return
}

// -----

func.func @sort_unsigned() {
  %x0 = stablehlo.constant dense<[1, 255, 128, 0]> : tensor<4xui8>
  %r = "stablehlo.sort"(%x0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a0: tensor<ui8>, %b0: tensor<ui8>):
    %o = stablehlo.compare LT, %a0, %b0 : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %o : tensor<i1>
  }) : (tensor<4xui8>) -> (tensor<4xui8>)
  check.expect_eq_const %r, dense<[0, 1, 128, 255]> : tensor<4xui8>
  func.return
}

// -----

func.func @map() {
  %x = stablehlo.constant dense<[[-1.36e-01, -1.646e+00, 7.16e-01], [-1.12e+00, -3.62e-01, 8.4e-02], [-2.69e-01, -3.78e-01, -1.665e+00]]> : tensor<3x3xf32>
  %y = stablehlo.constant dense<[[-3.78e-01, -4.277e+00, -3.15e-01], [-2.396e+00, 2.241e+00, 2.54e+00], [-3.902e+00, 2.9e-01, -2.53e-01]]> : tensor<3x3xf32>
  %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %k = stablehlo.constant dense<2.0> : tensor<f32>
    %m = stablehlo.multiply %a, %k : tensor<f32>
    %o = stablehlo.add %m, %b : tensor<f32>
    stablehlo.return %o : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %wantr = stablehlo.constant dense<[[-6.5e-01, -7.5690002e+00, 1.1170001e+00], [-4.6359997e+00, 1.517e+00, 2.708e+00], [-4.44e+00, -4.66e-01, -3.583e+00]]> : tensor<3x3xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 1 : tensor<3x3xf32>, tensor<3x3xf32>
  func.return
}
