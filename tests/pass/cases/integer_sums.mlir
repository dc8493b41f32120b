// pass: integer-sums,dce
// sums of small integers that f32 holds; the second matmul has an operand of 16 bits, and the third is one of bytes
func.func @main(%x: tensor<2x4xi8>, %y: tensor<2x4xi16>, %z: tensor<2x1025xi8>, %w: tensor<1025x3xi8>, %image: tensor<1x4x4x1xi8>) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<1x4x4x1xi32>) {
  %k = stablehlo.constant dense<[[1, -2, 3], [4, 5, 6], [7, 8, 9], [-10, 11, 200]]> : tensor<4x3xi16>
  %0 = stablehlo.convert %x : (tensor<2x4xi8>) -> tensor<2x4xi32>
  %zero = stablehlo.constant dense<-128> : tensor<2x4xi32>
  %1 = stablehlo.subtract %0, %zero : tensor<2x4xi32>
  %2 = stablehlo.convert %k : (tensor<4x3xi16>) -> tensor<4x3xi32>
  %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
  %4 = stablehlo.convert %y : (tensor<2x4xi16>) -> tensor<2x4xi32>
  %5 = stablehlo.dot_general %4, %2, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
  %6 = stablehlo.convert %z : (tensor<2x1025xi8>) -> tensor<2x1025xi32>
  %7 = stablehlo.convert %w : (tensor<1025x3xi8>) -> tensor<1025x3xi32>
  %8 = stablehlo.dot_general %6, %7, contracting_dims = [1] x [0] : (tensor<2x1025xi32>, tensor<1025x3xi32>) -> tensor<2x3xi32>
  %9 = stablehlo.convert %image : (tensor<1x4x4x1xi8>) -> tensor<1x4x4x1xi32>
  %taps = stablehlo.constant dense<200> : tensor<1x3x3x1xi16>
  %10 = stablehlo.convert %taps : (tensor<1x3x3x1xi16>) -> tensor<1x3x3x1xi32>
  %11 = stablehlo.convolution(%9, %10) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x4x4x1xi32>
  return %3, %5, %8, %11 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<1x4x4x1xi32>
}
// expect:
module {
  func.func @main(%arg0: tensor<2x4xi8>, %arg1: tensor<2x4xi16>, %arg2: tensor<2x1025xi8>, %arg3: tensor<1025x3xi8>, %arg4: tensor<1x4x4x1xi8>) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<1x4x4x1xi32>) {
    %c = stablehlo.constant dense<[[1, -2, 3], [4, 5, 6], [7, 8, 9], [-10, 11, 200]]> : tensor<4x3xi16>
    %0 = stablehlo.convert %arg0 : (tensor<2x4xi8>) -> tensor<2x4xi32>
    %c_0 = stablehlo.constant dense<-128> : tensor<2x4xi32>
    %1 = stablehlo.subtract %0, %c_0 : tensor<2x4xi32>
    %2 = stablehlo.convert %c : (tensor<4x3xi16>) -> tensor<4x3xi32>
    %3 = stablehlo.convert %1 : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<[[1.000000e+00, -2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00, 9.000000e+00], [-1.000000e+01, 1.100000e+01, 2.000000e+02]]> : tensor<4x3xf32>
    %4 = stablehlo.dot_general %3, %cst, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %5 = stablehlo.convert %4 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %6 = stablehlo.convert %arg1 : (tensor<2x4xi16>) -> tensor<2x4xi32>
    %7 = stablehlo.dot_general %6, %2, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
    %8 = stablehlo.convert %arg2 : (tensor<2x1025xi8>) -> tensor<2x1025xi32>
    %9 = stablehlo.convert %arg3 : (tensor<1025x3xi8>) -> tensor<1025x3xi32>
    %10 = stablehlo.dot_general %8, %9, contracting_dims = [1] x [0] : (tensor<2x1025xi32>, tensor<1025x3xi32>) -> tensor<2x3xi32>
    %11 = stablehlo.convert %arg4 : (tensor<1x4x4x1xi8>) -> tensor<1x4x4x1xi32>
    %12 = stablehlo.convert %11 : (tensor<1x4x4x1xi32>) -> tensor<1x4x4x1xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+02> : tensor<1x3x3x1xf32>
    %13 = stablehlo.convolution(%12, %cst_1) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, tenfold.integers} : (tensor<1x4x4x1xf32>, tensor<1x3x3x1xf32>) -> tensor<1x4x4x1xf32>
    %14 = stablehlo.convert %13 : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xi32>
    return %5, %7, %10, %14 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<1x4x4x1xi32>
  }
}
