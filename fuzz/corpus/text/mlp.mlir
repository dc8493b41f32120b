// A small classifier: two layers and a softmax. Run it with random weights:
//   bin/tenfold run examples/mlp.mlir --random
module @mlp {
  func.func @main(%x: tensor<4x8xf32>, %w1: tensor<8x16xf32>, %b1: tensor<16xf32>, %w2: tensor<16x3xf32>,
                  %b2: tensor<3xf32>) -> tensor<4x3xf32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>

    // hidden = max(x · w1 + b1, 0)
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x16xf32>
    %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %hidden = stablehlo.maximum %2, %3 : tensor<4x16xf32>

    // logits = hidden · w2 + b2
    %4 = stablehlo.dot_general %hidden, %w2, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x3xf32>) -> tensor<4x3xf32>
    %5 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %logits = stablehlo.add %4, %5 : tensor<4x3xf32>

    // softmax over each row, with the row's largest taken off first so that nothing overflows
    %6 = stablehlo.reduce(%logits init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    %8 = stablehlo.subtract %logits, %7 : tensor<4x3xf32>
    %9 = stablehlo.exponential %8 : tensor<4x3xf32>
    %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    %12 = stablehlo.divide %9, %11 : tensor<4x3xf32>
    return %12 : tensor<4x3xf32>
  }
}
