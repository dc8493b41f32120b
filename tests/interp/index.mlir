// Gather, scatter, contractions and convolutions.
// Expected values: XLA's CPU backend.

func.func @gather_rows() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], [16, 17, 18, 19]]> : tensor<5x4xi32>
  %i = stablehlo.constant dense<[[0], [7], [-3], [4]]> : tensor<4x1xi32>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xi32>, tensor<4x1xi32>) -> tensor<4x4xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2, 3], [16, 17, 18, 19], [0, 1, 2, 3], [16, 17, 18, 19]]> : tensor<4x4xi32>
  func.return
}

// -----

func.func @gather_unsigned() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], [16, 17, 18, 19]]> : tensor<5x4xi32>
  %i = stablehlo.constant dense<[[250], [2]]> : tensor<2x1xui8>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x4xi32>, tensor<2x1xui8>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[16, 17, 18], [8, 9, 10]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @gather_points() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], [16, 17, 18, 19]]> : tensor<5x4xi32>
  %i = stablehlo.constant dense<[[1, 2], [3, 9], [-1, 0]]> : tensor<3x2xi64>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x4xi32>, tensor<3x2xi64>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[6, 15, 0]> : tensor<3xi32>
  func.return
}

// -----

func.func @gather_windows() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
  %i = stablehlo.constant dense<[[[0, 1], [4, 4]], [[2, 0], [1, 3]]]> : tensor<2x2x2xi32>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 3], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 2, 3>}> : (tensor<5x6xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2x3xi32>
  check.expect_eq_const %r, dense<[[[[6, 7, 8], [21, 22, 23]], [[2, 3, 4], [19, 20, 21]]], [[[12, 13, 14], [27, 28, 29]], [[8, 9, 10], [25, 26, 27]]]]> : tensor<2x2x2x3xi32>
  func.return
}

// -----

func.func @gather_batching() {
  %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
  %i = stablehlo.constant dense<[[1, 2], [0, 5]]> : tensor<2x2xi32>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x3x4xi32>, tensor<2x2xi32>) -> tensor<2x2x4xi32>
  check.expect_eq_const %r, dense<[[[4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [20, 21, 22, 23]]]> : tensor<2x2x4xi32>
  func.return
}

// -----

func.func @scatter_add_rows() {
  %x = stablehlo.constant dense<[[-1, -3, 5], [0, -2, -4], [-5, 1, 1], [4, 5, 4], [-5, -4, 1]]> : tensor<5x3xi32>
  %i = stablehlo.constant dense<[[0], [9], [-1], [0], [4]]> : tensor<5x1xi32>
  %u = stablehlo.constant dense<[[1, -3, 4], [5, -3, 2], [-1, 1, 2], [0, 3, -3], [-1, -4, 2]]> : tensor<5x3xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %o = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %o : tensor<i32>
  }) : (tensor<5x3xi32>, tensor<5x1xi32>, tensor<5x3xi32>) -> tensor<5x3xi32>
  check.expect_eq_const %r, dense<[[0, -3, 6], [0, -2, -4], [-5, 1, 1], [4, 5, 4], [-6, -8, 3]]> : tensor<5x3xi32>
  func.return
}

// -----

func.func @scatter_set_windows_that_hang_over() {
  %x = stablehlo.constant dense<[[-1, 2, 5, -2, 3], [2, 3, 1, -3, 2], [-2, 0, 0, -2, 0], [-1, -3, 5, 5, -3]]> : tensor<4x5xi32>
  %i = stablehlo.constant dense<[[2, 3], [0, 0], [3, 4]]> : tensor<3x2xi64>
  %u = stablehlo.constant dense<[[[-2, -4], [-4, -5]], [[-1, 4], [-3, 5]], [[4, -3], [-5, -3]]]> : tensor<3x2x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<4x5xi32>, tensor<3x2xi64>, tensor<3x2x2xi32>) -> tensor<4x5xi32>
  check.expect_eq_const %r, dense<[[-1, 4, 5, -2, 3], [-3, 5, 1, -3, 2], [-2, 0, 0, -2, -4], [-1, -3, 5, -4, -5]]> : tensor<4x5xi32>
  func.return
}

// -----

func.func @scatter_max_points() {
  %x = stablehlo.constant dense<[1.242e+00, -2.353e+00, 3.536e+00, -2.43e-01, 6.8e-02, -1.87e+00]> : tensor<6xf32>
  %i = stablehlo.constant dense<[[1], [1], [5], [6]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[-1.459e+00, 1.128e+00, 1.973e+00, 1.507e+00]> : tensor<4xf32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %o = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %o : tensor<f32>
  }) : (tensor<6xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<6xf32>
  %wantr = stablehlo.constant dense<[1.242e+00, 1.128e+00, 3.536e+00, -2.43e-01, 6.8e-02, 1.973e+00]> : tensor<6xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 2 : tensor<6xf32>, tensor<6xf32>
  func.return
}

// -----

func.func @scatter_batching() {
  %x = stablehlo.constant dense<[[2, 1, -5, -3], [0, 0, -3, 5]]> : tensor<2x4xi32>
  %i = stablehlo.constant dense<[[1, 3], [0, 4]]> : tensor<2x2xi32>
  %u = stablehlo.constant dense<[[-4, 4], [1, -5]]> : tensor<2x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %o = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %o : tensor<i32>
  }) : (tensor<2x4xi32>, tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[2, -3, -5, 1], [1, 0, -3, 5]]> : tensor<2x4xi32>
  func.return
}

// -----

func.func @dot_matrix() {
  %x = stablehlo.constant dense<[[-1, 2, -4, -2], [4, -4, 5, -4], [-1, 3, -5, 5]]> : tensor<3x4xi32>
  %y = stablehlo.constant dense<[[1, 0], [2, -1], [3, 0], [-4, 4]]> : tensor<4x2xi32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xi32>, tensor<4x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[-1, -10], [27, -12], [-30, 17]]> : tensor<3x2xi32>
  func.return
}

// -----

func.func @dot_batch() {
  %x = stablehlo.constant dense<[[[-3.674e+00, 7.32e-01, 2.385e+00, -1.627e+00], [2.978e+00, 1.071e+00, -1.098e+00, 4.08e-01], [-3.069e+00, -1.131e+00, 3.654e+00, -1.788e+00]], [[3.689e+00, -1.63e-01, 1.989e+00, 8.8e-02], [-4.483e+00, -1.145e+00, 3.8e-01, -2.302e+00], [-2.695e+00, 7.32e-01, -1.299e+00, -3.392e+00]]]> : tensor<2x3x4xf64>
  %y = stablehlo.constant dense<[[[-1.368e+00, 1.721e+00, -9.47e-01, 1.87e+00, 3.055e+00], [6.5e-02, -2.259e+00, -2.603e+00, -5.3e-02, 1.762e+00]], [[5.38e-01, 1.095e+00, -8.87e-01, 6.01e-01, -9.43e-01], [-6.51e-01, -2.584e+00, -3.144e+00, -9.64e-01, -2.215e+00]], [[-1.917e+00, 1.342e+00, -2.14e-01, 5.828e+00, 1.853e+00], [-1.266e+00, 1.556e+00, 7.14e-01, -1.371e+00, 2.205e+00]], [[-1.551e+00, -6.117e+00, 1.588e+00, -1.235e+00, 2.972e+00], [-1.299e+00, -2.363e+00, 3.097e+00, -2.151e+00, 4.07e-01]]]> : tensor<4x2x5xf64>
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<2x3x4xf64>, tensor<4x2x5xf64>) -> tensor<2x3x5xf64>
  check.expect_almost_eq_const %r, dense<[[[3.371280000000001e+00, 7.631615e+00, -2.640720000000006e-01, 9.478677e+00, -1.2330385000000003e+01], [-2.0256480000000003e+00, 2.3286310000000006e+00, -2.887267e+00, -6.904929999999997e-01, 7.265819000000002e+00], [-6.416159999999997e-01, 9.32067e+00, 2.882399999999995e-01, 1.7084931e+01, -6.852336e+00]], [[-2.2864880000000003e+00, -5.025319e+00, -7.3973130000000005e+00, -2.954592e+00, 1.1282624e+01], [2.963218e+00, 1.9116683e+01, 8.411155e+00, 5.7720009999999995e+00, -5.461884999999999e+00], [5.399035e+00, 1.0190568999999998e+01, -6.718833e+00, 8.514308e+00, -1.0614809000000001e+01]]]> : tensor<2x3x5xf64>
  func.return
}

// -----

func.func @dot_two_contracted() {
  %x = stablehlo.constant dense<[[[-1, 0, -5, -1], [0, 1, 1, 3], [0, -5, 4, 5]], [[3, 5, 3, -1], [3, 0, 5, -3], [0, 1, 3, -3]]]> : tensor<2x3x4xi64>
  %y = stablehlo.constant dense<[[[-2, 0], [4, 4], [0, 0]], [[-4, 4], [-3, -4], [2, 4]], [[1, -4], [3, -3], [2, 2]], [[3, -2], [-2, -4], [3, -5]]]> : tensor<4x3x2xi64>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0] : (tensor<2x3x4xi64>, tensor<4x3x2xi64>) -> tensor<2x2xi64>
  check.expect_eq_const %r, dense<[[1, -34], [6, 44]]> : tensor<2x2xi64>
  func.return
}

// -----

func.func @dot_outer() {
  %x = stablehlo.constant dense<[-5, 3, -4]> : tensor<3xi32>
  %y = stablehlo.constant dense<[-5, -2]> : tensor<2xi32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<3xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[25, 10], [-15, -6], [20, 8]]> : tensor<3x2xi32>
  func.return
}

// -----

func.func @dot_widens() {
  %x = stablehlo.constant dense<[[-114, 113, 114, 126], [72, 36, -34, 36], [-79, -111, 93, 113]]> : tensor<3x4xi8>
  %y = stablehlo.constant dense<[[73, -85, 43], [107, 7, -127], [6, 124, 122], [73, 5, -87]]> : tensor<4x3xi8>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xi8>, tensor<4x3xi8>) -> tensor<3x3xi32>
  check.expect_eq_const %r, dense<[[13651, 25247, -16307], [11532, -9904, -8756], [-8837, 18035, 12215]]> : tensor<3x3xi32>
  func.return
}

// -----

func.func @dot_wraps() {
  %x = stablehlo.constant dense<[[-107, -14, -109, 120], [24, 124, 59, -12], [32, -63, 62, -29]]> : tensor<3x4xi8>
  %y = stablehlo.constant dense<[[-53, 21, -33], [-8, -61, 7], [-33, -85, -60], [-78, 85, -68]]> : tensor<4x3xi8>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xi8>, tensor<4x3xi8>) -> tensor<3x3xi8>
  check.expect_eq_const %r, dense<[[20, -104, 21], [53, -39, -88], [48, 108, 83]]> : tensor<3x3xi8>
  func.return
}

// -----

func.func @dot_bf16_f32() {
  %x = stablehlo.constant dense<[[-1.8828125e+00, 2.71875e+00, 3.1640625e-01, -9.84375e-01], [-2.65625e+00, -3.06640625e-01, 2.890625e+00, 9.2578125e-01], [-1.4453125e+00, 2.859375e+00, 2.859375e+00, 1.9609375e+00]]> : tensor<3x4xbf16>
  %y = stablehlo.constant dense<[[1.578125e+00, 2.3125e+00, 1.0859375e+00], [1.546875e+00, -1.5625e+00, 3.0e+00], [4.62890625e-01, 4.0625e+00, -4.09375e+00], [1.4140625e+00, 1.9609375e+00, -6.875e-01]]> : tensor<4x3xbf16>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x3xbf16>) -> tensor<3x3xf32>
  %wantr = stablehlo.constant dense<[[-1.1253357e-02, -9.246948e+00, 5.493103e+00], [-2.0190735e+00, 7.895111e+00, -1.6274414e+01], [6.238678e+00, 7.651428e+00, -6.045105e+00]]> : tensor<3x3xf32>
  check.expect_close %r, %wantr, max_ulp_difference = 4 : tensor<3x3xf32>, tensor<3x3xf32>
  func.return
}

// -----

func.func @dot_c64() {
  %x = stablehlo.constant dense<[[(9.05e-01, 2.555e+00), (1.497e+00, 1.98e-01), (1.155e+00, 1.54e-01)], [(-1.079e+00, 4.01e-01), (-2.84e-01, 2.075e+00), (2.038e+00, -2.108e+00)]]> : tensor<2x3xcomplex<f32>>
  %y = stablehlo.constant dense<[[(-2.658e+00, -2.144e+00), (2.49e-01, 1.603e+00)], [(-2.213e+00, -3.547e+00), (-1.174e+00, 1.091e+00)], [(1.73e-01, -3.155e+00), (9.65e-01, -2.55e+00)]]> : tensor<3x2xcomplex<f32>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[(1.1475596e+00, -1.8096928e+01), (-4.3365417e+00, 6.9104505e-01)], [(5.4180775e+00, -9.131683e+00), (-6.250613e+00, -1.1606802e+01)]]> : tensor<2x2xcomplex<f32>>
  func.return
}

// -----

func.func @conv_2d() {
  %x = stablehlo.constant dense<[[[[1.284e+00, -8.13e-01], [-1.591e+00, -8.9e-01], [9.3e-01, -1.08e-01], [-5.9e-02, 2.11e+00], [-1.433e+00, -9.44e-01]], [[-1.045e+00, 2.338e+00], [1.983e+00, 2.574e+00], [-6.8e-02, -3.14e-01], [1.706e+00, -7.89e-01], [1.661e+00, 1.449e+00]], [[-1.397e+00, -1.66e-01], [-2.39e-01, 3.467e+00], [5.176e+00, -2.0e-01], [2.8e-02, -4.563e+00], [4.23e-01, -1.4e-02]], [[-2.146e+00, 1.571e+00], [-3.132e+00, -4.3e-01], [2.78e-01, -2.498e+00], [1.713e+00, 2.111e+00], [-2.773e+00, -2.816e+00]]]]> : tensor<1x4x5x2xf32>
  %y = stablehlo.constant dense<[[[[1.205e+00, -6.1e-02, -2.423e+00], [-5.9e-01, -2.15e-01, -2.86e-01]], [[1.655e+00, 7.68e-01, 3.539e+00], [2.749e+00, 1.357e+00, 2.154e+00]]], [[[2.648e+00, 1.412e+00, -2.451e+00], [1.719e+00, 1.45e-01, 3.238e+00]], [[1.87e-01, 1.052e+00, 6.59e-01], [3.362e+00, 3.54e-01, -5.39e-01]]], [[[6.18e-01, -8.79e-01, 3.24e-01], [-1.5e-02, 5.43e-01, 3.847e+00]], [[-8.11e-01, 7.4e-02, -3.99e-01], [1.345e+00, -2.363e+00, -1.385e+00]]]]> : tensor<3x2x2x3xf32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x5x2xf32>, tensor<3x2x2x3xf32>) -> tensor<1x2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[[1.1219734e+01, -7.5447464e+00, -6.172737e+00], [3.7910657e+00, 6.7949047e+00, 2.2238773e+01], [8.755138e-01, 1.0284445e+01, 1.0029305e+01], [1.7845418e+00, -7.1475506e-01, -3.1682041e+01]], [[1.5957806e+01, 7.0799017e+00, 2.2479475e+01], [3.1484854e-03, 1.2829788e+01, 9.552567e+00], [4.4379187e-01, -4.574478e-01, -1.9390427e+01], [1.0042275e+00, 9.215002e+00, 4.2167387e+00]]]]> : tensor<1x2x4x3xf32>
  func.return
}

// -----

func.func @conv_strides_padding() {
  %x = stablehlo.constant dense<[[[-7.9e-02, 1.092e+00, -9.3e-02, -1.001e+00, -1.734e+00, 1.024e+00], [2.884e+00, 6.46e-01, 3.76e-01, 8.88e-01, -1.885e+00, -6.23e-01]], [[-5.36e-01, 5.9e-01, -6.4e-02, -2.433e+00, 2.25e+00, 3.385e+00], [-5.26e-01, 7.98e-01, 5.34e-01, 1.569e+00, -2.96e+00, 3.226e+00]]]> : tensor<2x2x6xf32>
  %y = stablehlo.constant dense<[[[-9.36e-01, 2.528e+00, 1.61e-01], [-7.79e-01, -2.81e-01, 1.794e+00]], [[-1.727e+00, -7.5e-01, -9.64e-01], [-3.431e+00, 2.601e+00, 1.158e+00]], [[-4.3e-02, 2.327e+00, -1.913e+00], [-1.47e-01, 3.451e+00, 1.959e+00]]]> : tensor<3x2x3xf32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[1, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x6xf32>, tensor<3x2x3xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[3.246201e-01, -4.3419492e-01, -4.561481e+00, -4.73147e-01], [7.255914e+00, -1.0613164e+00, -6.628956e+00, 3.6906496e-01], [8.94537e+00, 4.593752e+00, -1.3807015e+01, 4.7549e-02]], [[3.1939992e-01, 9.3734515e-01, 1.3907227e+01, -5.681414e+00], [-6.1080205e-01, 1.8423802e+00, -1.009534e+01, -1.69143e+01], [-2.6278858e+00, 9.27923e+00, -5.261005e+00, -6.19777e-01]]]> : tensor<2x3x4xf32>
  func.return
}

// -----

func.func @conv_dilations() {
  %x = stablehlo.constant dense<[[[-4], [-3], [-4], [-5], [3]]]> : tensor<1x5x1xi32>
  %y = stablehlo.constant dense<[[[-2, -4]], [[-4, 5]]]> : tensor<2x1x2xi32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [2], rhs_dilate = [3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<2x1x2xi32>) -> tensor<1x8x2xi32>
  check.expect_eq_const %r, dense<[[[12, -15], [8, 16], [16, -20], [6, 12], [20, -25], [8, 16], [-12, 15], [10, 20]]]> : tensor<1x8x2xi32>
  func.return
}

// -----

func.func @conv_reverse() {
  %x = stablehlo.constant dense<[[[[2.123e+00], [-9.45e-01], [-4.35e-01], [1.217e+00]], [[-1.77e+00], [4.26e-01], [1.584e+00], [9.34e-01]], [[7.92e-01], [-1.204e+00], [1.029e+00], [-8.55e-01]], [[2.61e+00], [5.14e+00], [-1.48e+00], [-4.349e+00]]]]> : tensor<1x4x4x1xf32>
  %y = stablehlo.constant dense<[[[[-8.51e-01]], [[7.54e-01]]], [[[2.1e+00]], [[2.158e+00]]]]> : tensor<2x2x1x1xf32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>
  check.expect_almost_eq_const %r, dense<[[[[4.246464e+00], [-2.09142e+00], [1.069038e+00]], [[-4.3795e+00], [6.113342e+00], [3.8216228e+00]], [[7.194179e-01], [-5.797878e+00], [-1.7038562e+00]]]]> : tensor<1x3x3x1xf32>
  func.return
}

// -----

func.func @conv_feature_groups() {
  %x = stablehlo.constant dense<[[[-1.568e+00, -1.586e+00, 2.535e+00, -2.185e+00], [2.18e+00, -4.54e-01, 1.533e+00, 1.412e+00], [1.553e+00, 1.641e+00, -1.979e+00, 5.95e-01], [2.8e-02, 6.17e-01, 2.466e+00, -5.42e-01]]]> : tensor<1x4x4xf32>
  %y = stablehlo.constant dense<[[[-1.424e+00, -1.456e+00, -6.22e-01, 1.505e+00, -1.63e+00, 2.319e+00], [5.81e-01, -4.52e-01, -2.663e+00, 4.9e-01, 1.383e+00, -3.532e+00]], [[2.384e+00, 3.295e+00, 6.77e-01, 9.84e-01, 4.827e+00, 2.464e+00], [-1.796e+00, -3.3e-02, -3.14e-01, -3.02e-01, -4.729e+00, 1.514e+00]]]> : tensor<2x2x6xf32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x4xf32>, tensor<2x2x6xf32>) -> tensor<1x3x6xf32>
  check.expect_almost_eq_const %r, dense<[[[7.32387e+00, 1.0197963e+01, 6.81723e+00, 3.826573e+00, -6.431462e+00, 1.9511166e+01], [-2.612978e+00, 2.09411e+00, 3.8914898e-01, 8.720188e-01, -1.2912382e+01, -5.4075828e+00], [-2.299431e+00, -2.931001e+00, -5.510731e+00, -9.661692e-02, 1.8515156e+01, -1.4352051e+00]]]> : tensor<1x3x6xf32>
  func.return
}

// -----

func.func @conv_batch_groups() {
  %x = stablehlo.constant dense<[[[-1.273e+00, 3.27e-01], [-2.72e-01, 1.742e+00], [-5.92e-01, -1.591e+00], [1.065e+00, 2.81e+00]], [[-6.4e-01, 2.74e+00], [5.24e-01, -1.065e+00], [3.05e+00, -1.637e+00], [2.028e+00, -9.96e-01]], [[9.0e-01, -2.468e+00], [-1.675e+00, 2.13e+00], [3.76e-01, 7.7e-02], [-8.8e-01, 8.93e-01]], [[-2.795e+00, -2.24e+00], [-3.16e-01, -1.669e+00], [-1.401e+00, -1.43e-01], [-2.75e-01, -4.45e-01]]]> : tensor<4x4x2xf32>
  %y = stablehlo.constant dense<[[[3.331e+00, 2.022e+00, 2.459e+00, -5.6e-02, -1.009e+00, -2.908e+00], [-6.96e-01, -4.172e+00, -1.167e+00, 1.528e+00, 3.243e+00, 1.931e+00]], [[-1.723e+00, 9.85e-01, -1.578e+00, 1.646e+00, -2.23e-01, 1.716e+00], [5.146e+00, 1.845e+00, 4.665e+00, 3.55e-01, -6.59e-01, 2.667e+00]]]> : tensor<2x2x6xf32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x4x2xf32>, tensor<2x2x6xf32>) -> tensor<2x3x6xf32>
  check.expect_almost_eq_const %r, dense<[[[4.965033e+00, -9.921801e-01, 5.04373e+00, -5.822404e+00, -9.941969e+00, -4.576497e+00], [-9.285734e+00, -1.13361225e+01, -9.189601e+00, 3.994671e+00, 8.463074e+00, 9.834505e+00], [1.1760648e+01, 1.1674103e+01, 1.1829048e+01, -1.0348649e+00, -5.2191997e-01, -7.316989e-02]], [[-1.0422222e+01, -1.4174145e+01, -1.0566438e+01, -4.378831e+00, -3.2738261e+00, -1.1910591e+00], [-1.1192468e+01, 5.486693e+00, -9.918133e+00, -4.889347e+00, -4.687063e+00, -5.089408e+00], [2.6792412e+00, 1.3156624e+01, 1.5638056e+00, -7.5067306e-01, 1.3044398e+00, 2.13926e+00]]]> : tensor<2x3x6xf32>
  func.return
}

// -----

func.func @conv_no_space() {
  %x = stablehlo.constant dense<[[3.449e+00, -1.11e+00, 1.53e-01], [-2.869e+00, -4.0e-01, 1.777e+00]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[-1.73e-01, -1.138e+00, -2.814e+00, 7.37e-01], [1.595e+00, 1.193e+00, 5.11e-01, -2.548e+00], [3.524e+00, -1.13e-01, -2.9e-01, 1.466e+00]]> : tensor<3x4xf32>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %r, dense<[[-1.827955e+00, -5.266481e+00, -1.0317065e+01, 5.594491e+00], [6.120485e+00, 2.586921e+00, 7.3536353e+00, 1.5098292e+00]]> : tensor<2x4xf32>
  func.return
}
