// steps: join join
func.func @main(%a: tensor<3x2x5x4x20x16xf32>, %n: tensor<5x1x4x16xf32>, %m: tensor<8x5x4x2x16xf32>) -> (tensor<5x4x23x16xf32>, tensor<40x48xf32>) {
  %s = stablehlo.slice %a [2:3, 1:2, 0:5, 0:4, 0:20, 0:16] : (tensor<3x2x5x4x20x16xf32>) -> tensor<1x1x5x4x20x16xf32>
  %r = stablehlo.reshape %s : (tensor<1x1x5x4x20x16xf32>) -> tensor<5x4x20x16xf32>
  %t = stablehlo.transpose %n, dims = [0, 2, 1, 3] : (tensor<5x1x4x16xf32>) -> tensor<5x4x1x16xf32>
  %u = stablehlo.slice %m [3:4, 0:5, 0:4, 0:2, 0:16] : (tensor<8x5x4x2x16xf32>) -> tensor<1x5x4x2x16xf32>
  %v = stablehlo.reshape %u : (tensor<1x5x4x2x16xf32>) -> tensor<5x4x2x16xf32>
  %c = stablehlo.concatenate %r, %t, %v, dim = 2 : (tensor<5x4x20x16xf32>, tensor<5x4x1x16xf32>, tensor<5x4x2x16xf32>) -> tensor<5x4x23x16xf32>
  %w = stablehlo.reshape %m : (tensor<8x5x4x2x16xf32>) -> tensor<40x128xf32>
  %x = stablehlo.slice %w [0:40, 8:40] : (tensor<40x128xf32>) -> tensor<40x32xf32>
  %y = stablehlo.slice %w [0:40:1, 100:116] : (tensor<40x128xf32>) -> tensor<40x16xf32>
  %z = stablehlo.concatenate %x, %y, dim = 1 : (tensor<40x32xf32>, tensor<40x16xf32>) -> tensor<40x48xf32>
  return %c, %z : tensor<5x4x23x16xf32>, tensor<40x48xf32>
}
