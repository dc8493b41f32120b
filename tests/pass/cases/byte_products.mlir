// pass: byte-products,dce
// weights of i32 that are bytes become bytes; a transpose moves before the conversion and the zero point; the last
// matmul has weights that are none
func.func @main(%x: tensor<4x2xui8>, %y: tensor<2x4xi8>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %k = stablehlo.constant dense<[[1, -2, 3], [4, 5, 6], [7, 8, 9], [-10, 11, 127]]> : tensor<4x3xi32>
  %0 = stablehlo.convert %x : (tensor<4x2xui8>) -> tensor<4x2xi32>
  %zero = stablehlo.constant dense<7> : tensor<4x2xi32>
  %1 = stablehlo.subtract %0, %zero : tensor<4x2xi32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x2xi32>) -> tensor<2x4xi32>
  %3 = stablehlo.dot_general %2, %k, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
  %4 = stablehlo.convert %y : (tensor<2x4xi8>) -> tensor<2x4xi32>
  %wide = stablehlo.constant dense<128> : tensor<4x3xi32>
  %5 = stablehlo.dot_general %4, %wide, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
  return %3, %5 : tensor<2x3xi32>, tensor<2x3xi32>
}
// expect:
module {
  func.func @main(%arg0: tensor<4x2xui8>, %arg1: tensor<2x4xi8>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x2xui8>) -> tensor<2x4xui8>
    %1 = stablehlo.convert %0 : (tensor<2x4xui8>) -> tensor<2x4xi32>
    %c = stablehlo.constant dense<7> : tensor<2x4xi32>
    %2 = stablehlo.subtract %1, %c : tensor<2x4xi32>
    %c_0 = stablehlo.constant dense<[[1, -2, 3], [4, 5, 6], [7, 8, 9], [-10, 11, 127]]> : tensor<4x3xi8>
    %3 = stablehlo.convert %c_0 : (tensor<4x3xi8>) -> tensor<4x3xi32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
    %5 = stablehlo.convert %arg1 : (tensor<2x4xi8>) -> tensor<2x4xi32>
    %c_1 = stablehlo.constant dense<128> : tensor<4x3xi32>
    %6 = stablehlo.dot_general %5, %c_1, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
    return %4, %6 : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
