// Products and convolutions. See elementwise.mlir for how the cases are run.

func.func @dot_general(%a: tensor<2x3x4x5xf64>, %b: tensor<5x2x6x3xf64>) -> tensor<2x4x6xf64> {
  %y = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [1, 3] x [3, 0] : (tensor<2x3x4x5xf64>, tensor<5x2x6x3xf64>) -> tensor<2x4x6xf64>
  return %y : tensor<2x4x6xf64>
}

func.func @dot_of_itself(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @convolution(%x: tensor<2x6x5x3xf64>, %k: tensor<3x2x3x4xf64>) -> tensor<2x6x4x4xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x3xf64>, tensor<3x2x3x4xf64>) -> tensor<2x6x4x4xf64>
  return %y : tensor<2x6x4x4xf64>
}

func.func @convolution_strided(%x: tensor<1x2x7x6xf64>, %k: tensor<3x2x3x2xf64>) -> tensor<1x3x4x4xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x7x6xf64>, tensor<3x2x3x2xf64>) -> tensor<1x3x4x4xf64>
  return %y : tensor<1x3x4x4xf64>
}

func.func @convolution_dilated(%x: tensor<1x2x5xf64>, %k: tensor<3x2x2xf64>) -> tensor<1x3x7xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[0, 1]], lhs_dilate = [2], rhs_dilate = [3], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5xf64>, tensor<3x2x2xf64>) -> tensor<1x3x7xf64>
  return %y : tensor<1x3x7xf64>
}

func.func @convolution_feature_groups(%x: tensor<1x4x5xf64>, %k: tensor<6x2x3xf64>) -> tensor<1x6x3xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x5xf64>, tensor<6x2x3xf64>) -> tensor<1x6x3xf64>
  return %y : tensor<1x6x3xf64>
}

func.func @convolution_batch_groups(%x: tensor<4x2x5xf64>, %k: tensor<6x2x3xf64>) -> tensor<2x6x3xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x2x5xf64>, tensor<6x2x3xf64>) -> tensor<2x6x3xf64>
  return %y : tensor<2x6x3xf64>
}

func.func @dot(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) -> tensor<2x4xf64> {
  %y = stablehlo.dot %a, %b : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}
