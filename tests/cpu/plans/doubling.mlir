// steps: loops loops
// A scan in doubling steps, as its gradient has it: each step reads the one before at its own index and, through a
// product, at another. In one loop 64 products would be computed for each element.
module {
  func.func @main(%x: tensor<8x64xf32>, %a: tensor<8x64xf32>) -> tensor<8x64xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %p0 = stablehlo.multiply %x, %a : tensor<8x64xf32>
    %s0 = stablehlo.slice %p0 [0:8, 1:64] : (tensor<8x64xf32>) -> tensor<8x63xf32>
    %z0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %c0 = stablehlo.concatenate %s0, %z0, dim = 1 : (tensor<8x63xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
    %y0 = stablehlo.add %x, %c0 : tensor<8x64xf32>
    %p1 = stablehlo.multiply %y0, %a : tensor<8x64xf32>
    %s1 = stablehlo.slice %p1 [0:8, 2:64] : (tensor<8x64xf32>) -> tensor<8x62xf32>
    %z1 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %c1 = stablehlo.concatenate %s1, %z1, dim = 1 : (tensor<8x62xf32>, tensor<8x2xf32>) -> tensor<8x64xf32>
    %y1 = stablehlo.add %y0, %c1 : tensor<8x64xf32>
    %p2 = stablehlo.multiply %y1, %a : tensor<8x64xf32>
    %s2 = stablehlo.slice %p2 [0:8, 4:64] : (tensor<8x64xf32>) -> tensor<8x60xf32>
    %z2 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %c2 = stablehlo.concatenate %s2, %z2, dim = 1 : (tensor<8x60xf32>, tensor<8x4xf32>) -> tensor<8x64xf32>
    %y2 = stablehlo.add %y1, %c2 : tensor<8x64xf32>
    %p3 = stablehlo.multiply %y2, %a : tensor<8x64xf32>
    %s3 = stablehlo.slice %p3 [0:8, 8:64] : (tensor<8x64xf32>) -> tensor<8x56xf32>
    %z3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %c3 = stablehlo.concatenate %s3, %z3, dim = 1 : (tensor<8x56xf32>, tensor<8x8xf32>) -> tensor<8x64xf32>
    %y3 = stablehlo.add %y2, %c3 : tensor<8x64xf32>
    %p4 = stablehlo.multiply %y3, %a : tensor<8x64xf32>
    %s4 = stablehlo.slice %p4 [0:8, 16:64] : (tensor<8x64xf32>) -> tensor<8x48xf32>
    %z4 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %c4 = stablehlo.concatenate %s4, %z4, dim = 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
    %y4 = stablehlo.add %y3, %c4 : tensor<8x64xf32>
    %p5 = stablehlo.multiply %y4, %a : tensor<8x64xf32>
    %s5 = stablehlo.slice %p5 [0:8, 32:64] : (tensor<8x64xf32>) -> tensor<8x32xf32>
    %z5 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %c5 = stablehlo.concatenate %s5, %z5, dim = 1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    %y5 = stablehlo.add %y4, %c5 : tensor<8x64xf32>
    return %y5 : tensor<8x64xf32>
  }
}
