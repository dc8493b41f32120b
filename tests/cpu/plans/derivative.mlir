// steps: gemm gemm gemm
func.func @main(%x: tensor<70x3xf32>, %w: tensor<3x48xf32>, %bias: tensor<48xf32>, %v: tensor<48x5xf32>, %g: tensor<70x5xf32>) -> (tensor<70x5xf32>, tensor<70x48xf32>) {
  %root = stablehlo.constant dense<0.707106769> : tensor<70x48xf32>
  %one = stablehlo.constant dense<1.0> : tensor<70x48xf32>
  %half = stablehlo.constant dense<0.5> : tensor<70x48xf32>
  %slope = stablehlo.constant dense<1.12837923> : tensor<70x48xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<70x3xf32>, tensor<3x48xf32>) -> tensor<70x48xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<48xf32>) -> tensor<70x48xf32>
  %2 = stablehlo.add %0, %1 : tensor<70x48xf32>
  %3 = stablehlo.multiply %2, %root : tensor<70x48xf32>
  %4 = chlo.erf %3 : tensor<70x48xf32> -> tensor<70x48xf32>
  %5 = stablehlo.add %4, %one : tensor<70x48xf32>
  %6 = stablehlo.multiply %2, %half : tensor<70x48xf32>
  %7 = stablehlo.multiply %6, %5 : tensor<70x48xf32>
  %8 = stablehlo.dot_general %7, %v, contracting_dims = [1] x [0] : (tensor<70x48xf32>, tensor<48x5xf32>) -> tensor<70x5xf32>
  %9 = stablehlo.dot_general %g, %v, contracting_dims = [1] x [1] : (tensor<70x5xf32>, tensor<48x5xf32>) -> tensor<70x48xf32>
  %10 = stablehlo.optimization_barrier %3 : tensor<70x48xf32>
  %11 = chlo.erf %10 : tensor<70x48xf32> -> tensor<70x48xf32>
  %12 = stablehlo.add %11, %one : tensor<70x48xf32>
  %13 = stablehlo.multiply %9, %12 : tensor<70x48xf32>
  %14 = stablehlo.multiply %13, %half : tensor<70x48xf32>
  %15 = stablehlo.optimization_barrier %6 : tensor<70x48xf32>
  %16 = stablehlo.multiply %9, %15 : tensor<70x48xf32>
  %17 = stablehlo.multiply %10, %10 : tensor<70x48xf32>
  %18 = stablehlo.negate %17 : tensor<70x48xf32>
  %19 = stablehlo.exponential %18 : tensor<70x48xf32>
  %20 = stablehlo.multiply %slope, %19 : tensor<70x48xf32>
  %21 = stablehlo.multiply %16, %20 : tensor<70x48xf32>
  %22 = stablehlo.multiply %21, %root : tensor<70x48xf32>
  %23 = stablehlo.add %14, %22 : tensor<70x48xf32>
  return %8, %23 : tensor<70x5xf32>, tensor<70x48xf32>
}
