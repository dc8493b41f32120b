// steps: loops loops loops
// Running sums in doubling steps, padded at the front, and a sum over the last dimension. What a pad reads and the
// element at its own index, too, is computed twice at most in loops, and once where a reduce loops over it.
module {
  func.func @main(%x: tensor<64x32x8xf32>) -> tensor<64x32xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %p0 = stablehlo.pad %x, %z, low = [1, 0, 0], high = [-1, 0, 0], interior = [0, 0, 0] : (tensor<64x32x8xf32>, tensor<f32>) -> tensor<64x32x8xf32>
    %y0 = stablehlo.add %x, %p0 : tensor<64x32x8xf32>
    %p1 = stablehlo.pad %y0, %z, low = [2, 0, 0], high = [-2, 0, 0], interior = [0, 0, 0] : (tensor<64x32x8xf32>, tensor<f32>) -> tensor<64x32x8xf32>
    %y1 = stablehlo.add %y0, %p1 : tensor<64x32x8xf32>
    %p2 = stablehlo.pad %y1, %z, low = [4, 0, 0], high = [-4, 0, 0], interior = [0, 0, 0] : (tensor<64x32x8xf32>, tensor<f32>) -> tensor<64x32x8xf32>
    %y2 = stablehlo.add %y1, %p2 : tensor<64x32x8xf32>
    %p3 = stablehlo.pad %y2, %z, low = [8, 0, 0], high = [-8, 0, 0], interior = [0, 0, 0] : (tensor<64x32x8xf32>, tensor<f32>) -> tensor<64x32x8xf32>
    %y3 = stablehlo.add %y2, %p3 : tensor<64x32x8xf32>
    %s = stablehlo.reduce(%y3 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<64x32x8xf32>, tensor<f32>) -> tensor<64x32xf32>
    return %s : tensor<64x32xf32>
  }
}
