module {
  func.func @main(%arg0: tensor<1x1x8x8xi8> {tenfold.name = "x"}) -> (tensor<1x3xi8> {tenfold.name = "stablehlo.dot_general"}) {
    %0 = stablehlo.composite "tfl.reshape" %arg0 {composite_attributes = {inputs = [{scale = dense<0.00784313586> : tensor<1xf32>, zero_point = 0 : i64}], layer = "x", list = dense<[1, 8, 8, 1]> : tensor<4xi64>, output = {scale = dense<0.00784313586> : tensor<1xf32>, zero_point = 0 : i64}}, decomposition = @tfl.reshape.0} : (tensor<1x1x8x8xi8>) -> tensor<1x8x8x1xi8>
    %1 = stablehlo.composite "tfl.pad" %0 {composite_attributes = {inputs = [{scale = dense<0.00784313586> : tensor<1xf32>, zero_point = 0 : i64}], layer = "x", list = dense<[0, 0, 1, 0, 1, 0, 0, 0]> : tensor<8xi64>, output = {scale = dense<0.00784313586> : tensor<1xf32>, zero_point = 0 : i64}}, decomposition = @tfl.pad.1} : (tensor<1x8x8x1xi8>) -> tensor<1x9x9x1xi8>
    %c = stablehlo.constant dense<[[[[25], [51], [25]], [[0], [127], [0]], [[-25], [-51], [-25]]], [[[-64], [0], [64]], [[-127], [0], [127]], [[-64], [0], [64]]]]> : tensor<2x3x3x1xi8>
    %c_0 = stablehlo.constant dense<[3239, -1349]> : tensor<2xi32>
    %2 = stablehlo.composite "tfl.conv_2d" %1, %c, %c_0 {composite_attributes = {activation = "RELU", inputs = [{scale = dense<0.00784313586> : tensor<1xf32>, zero_point = 0 : i64}, {axis = 0 : i64, scale = dense<[0.00393700786, 0.00472440943]> : tensor<2xf32>, zero_point = 0 : i64}, {axis = 0 : i64, scale = dense<[3.08784875E-5, 3.70541857E-5]> : tensor<2xf32>, zero_point = 0 : i64}], layer = "stablehlo.convolution", output = {scale = dense<0.00518672075> : tensor<1xf32>, zero_point = -128 : i64}, stride = dense<2> : tensor<2xi64>}, decomposition = @tfl.conv_2d.2} : (tensor<1x9x9x1xi8>, tensor<2x3x3x1xi8>, tensor<2xi32>) -> tensor<1x4x4x2xi8>
    %3 = stablehlo.composite "tfl.mean" %2 {composite_attributes = {inputs = [{scale = dense<0.00518672075> : tensor<1xf32>, zero_point = -128 : i64}], layer = "stablehlo.reduce", list = dense<[1, 2]> : tensor<2xi64>, output = {scale = dense<0.00167222449> : tensor<1xf32>, zero_point = -128 : i64}}, decomposition = @tfl.mean.3} : (tensor<1x4x4x2xi8>) -> tensor<1x2xi8>
    %c_1 = stablehlo.constant dense<[[127, -64], [32, 95], [-127, 51]]> : tensor<3x2xi8>
    %c_2 = stablehlo.constant dense<[110, 20, -44]> : tensor<3xi32>
    %4 = stablehlo.composite "tfl.fully_connected" %3, %c_1, %c_2 {composite_attributes = {inputs = [{scale = dense<0.00167222449> : tensor<1xf32>, zero_point = -128 : i64}, {scale = dense<0.00787401571> : tensor<1xf32>, zero_point = 0 : i64}, {scale = dense<1.31671222E-5> : tensor<1xf32>, zero_point = 0 : i64}], layer = "stablehlo.dot_general", output = {scale = dense<0.00192816637> : tensor<1xf32>, zero_point = -66 : i64}}, decomposition = @tfl.fully_connected.4} : (tensor<1x2xi8>, tensor<3x2xi8>, tensor<3xi32>) -> tensor<1x3xi8>
    return %4 : tensor<1x3xi8>
  }
  func.func private @tfl.reshape.0(%arg0: tensor<1x1x8x8xi8>) -> tensor<1x8x8x1xi8> {
    %0 = stablehlo.reshape %arg0 : (tensor<1x1x8x8xi8>) -> tensor<1x8x8x1xi8>
    return %0 : tensor<1x8x8x1xi8>
  }
  func.func private @tfl.pad.1(%arg0: tensor<1x8x8x1xi8>) -> tensor<1x9x9x1xi8> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.pad %arg0, %c, low = [0, 1, 1, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x8x8x1xi8>, tensor<i8>) -> tensor<1x9x9x1xi8>
    return %0 : tensor<1x9x9x1xi8>
  }
  func.func private @tfl.conv_2d.2(%arg0: tensor<1x9x9x1xi8>, %arg1: tensor<2x3x3x1xi8>, %arg2: tensor<2xi32>) -> tensor<1x4x4x2xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<2x3x3x1xi8>) -> tensor<2x3x3x1xi32>
    %1 = stablehlo.convert %arg0 : (tensor<1x9x9x1xi8>) -> tensor<1x9x9x1xi32>
    %2 = stablehlo.convolution(%1, %0) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x1xi32>, tensor<2x3x3x1xi32>) -> tensor<1x4x4x2xi32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<2xi32>) -> tensor<1x4x4x2xi32>
    %4 = stablehlo.add %2, %3 : tensor<1x4x4x2xi32>
    %5 = stablehlo.convert %4 : (tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi64>
    %c = stablehlo.constant dense<[1636450934, 1963741120]> : tensor<2xi64>
    %6 = stablehlo.broadcast_in_dim %c, dims = [3] : (tensor<2xi64>) -> tensor<1x4x4x2xi64>
    %7 = stablehlo.multiply %5, %6 : tensor<1x4x4x2xi64>
    %c_0 = stablehlo.constant dense<1073741824> : tensor<1x4x4x2xi64>
    %8 = stablehlo.add %7, %c_0 : tensor<1x4x4x2xi64>
    %c_1 = stablehlo.constant dense<31> : tensor<1x4x4x2xi64>
    %9 = stablehlo.shift_right_arithmetic %8, %c_1 : tensor<1x4x4x2xi64>
    %10 = stablehlo.convert %9 : (tensor<1x4x4x2xi64>) -> tensor<1x4x4x2xi32>
    %c_2 = stablehlo.constant dense<63> : tensor<2xi32>
    %11 = stablehlo.broadcast_in_dim %c_2, dims = [3] : (tensor<2xi32>) -> tensor<1x4x4x2xi32>
    %c_3 = stablehlo.constant dense<127> : tensor<2xi32>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [3] : (tensor<2xi32>) -> tensor<1x4x4x2xi32>
    %c_4 = stablehlo.constant dense<7> : tensor<2xi32>
    %13 = stablehlo.broadcast_in_dim %c_4, dims = [3] : (tensor<2xi32>) -> tensor<1x4x4x2xi32>
    %c_5 = stablehlo.constant dense<31> : tensor<1x4x4x2xi32>
    %14 = stablehlo.shift_right_arithmetic %10, %c_5 : tensor<1x4x4x2xi32>
    %15 = stablehlo.subtract %11, %14 : tensor<1x4x4x2xi32>
    %16 = stablehlo.and %10, %12 : tensor<1x4x4x2xi32>
    %17 = stablehlo.compare GT, %16, %15 : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi1>
    %18 = stablehlo.convert %17 : (tensor<1x4x4x2xi1>) -> tensor<1x4x4x2xi32>
    %19 = stablehlo.shift_right_arithmetic %10, %13 : tensor<1x4x4x2xi32>
    %20 = stablehlo.add %19, %18 : tensor<1x4x4x2xi32>
    %c_6 = stablehlo.constant dense<-128> : tensor<1x4x4x2xi32>
    %21 = stablehlo.add %20, %c_6 : tensor<1x4x4x2xi32>
    %c_7 = stablehlo.constant dense<127> : tensor<1x4x4x2xi32>
    %c_8 = stablehlo.constant dense<-128> : tensor<1x4x4x2xi32>
    %22 = stablehlo.clamp %c_8, %21, %c_7 : tensor<1x4x4x2xi32>
    %23 = stablehlo.convert %22 : (tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi8>
    return %23 : tensor<1x4x4x2xi8>
  }
  func.func private @tfl.mean.3(%arg0: tensor<1x4x4x2xi8>) -> tensor<1x2xi8> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.convert %arg0 : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
    %c_0 = stablehlo.constant dense<-128> : tensor<1x4x4x2xi32>
    %1 = stablehlo.subtract %0, %c_0 : tensor<1x4x4x2xi32>
    %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [1, 2] : (tensor<1x4x4x2xi32>, tensor<i32>) -> tensor<1x2xi32>
    %3 = stablehlo.convert %2 : (tensor<1x2xi32>) -> tensor<1x2xi64>
    %c_1 = stablehlo.constant dense<1665206744> : tensor<1x2xi64>
    %4 = stablehlo.multiply %3, %c_1 : tensor<1x2xi64>
    %c_2 = stablehlo.constant dense<1073741824> : tensor<1x2xi64>
    %5 = stablehlo.add %4, %c_2 : tensor<1x2xi64>
    %c_3 = stablehlo.constant dense<31> : tensor<1x2xi64>
    %6 = stablehlo.shift_right_arithmetic %5, %c_3 : tensor<1x2xi64>
    %7 = stablehlo.convert %6 : (tensor<1x2xi64>) -> tensor<1x2xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<1x2xi32>
    %c_5 = stablehlo.constant dense<3> : tensor<1x2xi32>
    %c_6 = stablehlo.constant dense<2> : tensor<1x2xi32>
    %c_7 = stablehlo.constant dense<31> : tensor<1x2xi32>
    %8 = stablehlo.shift_right_arithmetic %7, %c_7 : tensor<1x2xi32>
    %9 = stablehlo.subtract %c_4, %8 : tensor<1x2xi32>
    %10 = stablehlo.and %7, %c_5 : tensor<1x2xi32>
    %11 = stablehlo.compare GT, %10, %9 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<1x2xi1>
    %12 = stablehlo.convert %11 : (tensor<1x2xi1>) -> tensor<1x2xi32>
    %13 = stablehlo.shift_right_arithmetic %7, %c_6 : tensor<1x2xi32>
    %14 = stablehlo.add %13, %12 : tensor<1x2xi32>
    %c_8 = stablehlo.constant dense<-128> : tensor<1x2xi32>
    %15 = stablehlo.add %14, %c_8 : tensor<1x2xi32>
    %c_9 = stablehlo.constant dense<127> : tensor<1x2xi32>
    %c_10 = stablehlo.constant dense<-128> : tensor<1x2xi32>
    %16 = stablehlo.clamp %c_10, %15, %c_9 : tensor<1x2xi32>
    %17 = stablehlo.convert %16 : (tensor<1x2xi32>) -> tensor<1x2xi8>
    return %17 : tensor<1x2xi8>
  }
  func.func private @tfl.fully_connected.4(%arg0: tensor<1x2xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<3xi32>) -> tensor<1x3xi8> {
    %0 = stablehlo.convert %arg0 : (tensor<1x2xi8>) -> tensor<1x2xi32>
    %c = stablehlo.constant dense<-128> : tensor<1x2xi32>
    %1 = stablehlo.subtract %0, %c : tensor<1x2xi32>
    %2 = stablehlo.convert %arg1 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [1] : (tensor<1x2xi32>, tensor<3x2xi32>) -> tensor<1x3xi32>
    %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xi32>) -> tensor<1x3xi32>
    %5 = stablehlo.add %3, %4 : tensor<1x3xi32>
    %c_0 = stablehlo.constant dense<1877094722> : tensor<1x3xi64>
    %6 = stablehlo.convert %5 : (tensor<1x3xi32>) -> tensor<1x3xi64>
    %7 = stablehlo.multiply %6, %c_0 : tensor<1x3xi64>
    %c_1 = stablehlo.constant dense<137438953472> : tensor<1x3xi64>
    %8 = stablehlo.add %7, %c_1 : tensor<1x3xi64>
    %c_2 = stablehlo.constant dense<38> : tensor<1x3xi64>
    %9 = stablehlo.shift_right_arithmetic %8, %c_2 : tensor<1x3xi64>
    %10 = stablehlo.convert %9 : (tensor<1x3xi64>) -> tensor<1x3xi32>
    %c_3 = stablehlo.constant dense<-66> : tensor<1x3xi32>
    %11 = stablehlo.add %10, %c_3 : tensor<1x3xi32>
    %c_4 = stablehlo.constant dense<127> : tensor<1x3xi32>
    %c_5 = stablehlo.constant dense<-128> : tensor<1x3xi32>
    %12 = stablehlo.clamp %c_5, %11, %c_4 : tensor<1x3xi32>
    %13 = stablehlo.convert %12 : (tensor<1x3xi32>) -> tensor<1x3xi8>
    return %13 : tensor<1x3xi8>
  }
}
