// pass: derivative,cse,dce
func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x16xf32>, %bias: tensor<16xf32>, %v: tensor<16x4xf32>, %g: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x16xf32>) {
  %root = stablehlo.constant dense<0.707106769> : tensor<6x16xf32>
  %one = stablehlo.constant dense<1.0> : tensor<6x16xf32>
  %half = stablehlo.constant dense<0.5> : tensor<6x16xf32>
  %slope = stablehlo.constant dense<1.12837923> : tensor<6x16xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<6x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<6x16xf32>
  %3 = stablehlo.multiply %2, %root : tensor<6x16xf32>
  %4 = chlo.erf %3 : tensor<6x16xf32> -> tensor<6x16xf32>
  %5 = stablehlo.add %4, %one : tensor<6x16xf32>
  %6 = stablehlo.multiply %2, %half : tensor<6x16xf32>
  %7 = stablehlo.multiply %6, %5 : tensor<6x16xf32>
  %8 = stablehlo.dot_general %7, %v, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x4xf32>) -> tensor<6x4xf32>
  %9 = stablehlo.dot_general %g, %v, contracting_dims = [1] x [1] : (tensor<6x4xf32>, tensor<16x4xf32>) -> tensor<6x16xf32>
  %10 = stablehlo.optimization_barrier %3 : tensor<6x16xf32>
  %11 = chlo.erf %10 : tensor<6x16xf32> -> tensor<6x16xf32>
  %12 = stablehlo.add %11, %one : tensor<6x16xf32>
  %13 = stablehlo.multiply %9, %12 : tensor<6x16xf32>
  %14 = stablehlo.multiply %13, %half : tensor<6x16xf32>
  %15 = stablehlo.optimization_barrier %6 : tensor<6x16xf32>
  %16 = stablehlo.multiply %9, %15 : tensor<6x16xf32>
  %17 = stablehlo.multiply %10, %10 : tensor<6x16xf32>
  %18 = stablehlo.negate %17 : tensor<6x16xf32>
  %19 = stablehlo.exponential %18 : tensor<6x16xf32>
  %20 = stablehlo.multiply %slope, %19 : tensor<6x16xf32>
  %21 = stablehlo.multiply %16, %20 : tensor<6x16xf32>
  %22 = stablehlo.multiply %21, %root : tensor<6x16xf32>
  %23 = stablehlo.add %14, %22 : tensor<6x16xf32>
  return %8, %23 : tensor<6x4xf32>, tensor<6x16xf32>
}
func.func @cheap(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>, %g: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<6x8xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %1 = stablehlo.tanh %0 : tensor<6x8xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %3 = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %4 = stablehlo.optimization_barrier %0 : tensor<6x8xf32>
  %5 = stablehlo.tanh %4 : tensor<6x8xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<6x8xf32>
  %7 = stablehlo.subtract %one, %6 : tensor<6x8xf32>
  %8 = stablehlo.multiply %3, %7 : tensor<6x8xf32>
  return %2, %8 : tensor<6x8xf32>, tensor<6x8xf32>
}
// expect:
module {
  func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16x4xf32>, %arg4: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x16xf32>) {
    %cst = stablehlo.constant dense<0.707106769> : tensor<6x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<6x16xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<6x16xf32>
    %cst_2 = stablehlo.constant dense<1.12837923> : tensor<6x16xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<6x16xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x16xf32>
    %3 = stablehlo.multiply %2, %cst : tensor<6x16xf32>
    %4 = chlo.erf %3 : tensor<6x16xf32> -> tensor<6x16xf32>
    %5 = stablehlo.add %4, %cst_0 : tensor<6x16xf32>
    %6 = stablehlo.multiply %2, %cst_1 : tensor<6x16xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<6x16xf32>
    %8 = stablehlo.multiply %5, %cst_1 : tensor<6x16xf32>
    %9 = stablehlo.multiply %3, %3 : tensor<6x16xf32>
    %10 = stablehlo.negate %9 : tensor<6x16xf32>
    %11 = stablehlo.exponential %10 : tensor<6x16xf32>
    %12 = stablehlo.multiply %cst_2, %11 : tensor<6x16xf32>
    %13 = stablehlo.multiply %6, %12 : tensor<6x16xf32>
    %14 = stablehlo.multiply %13, %cst : tensor<6x16xf32>
    %15 = stablehlo.add %8, %14 {tenfold.materialize} : tensor<6x16xf32>
    %16 = stablehlo.dot_general %7, %arg3, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x4xf32>) -> tensor<6x4xf32>
    %17 = stablehlo.dot_general %arg4, %arg3, contracting_dims = [1] x [1] : (tensor<6x4xf32>, tensor<16x4xf32>) -> tensor<6x16xf32>
    %18 = stablehlo.multiply %17, %15 : tensor<6x16xf32>
    return %16, %18 : tensor<6x4xf32>, tensor<6x16xf32>
  }
func.func @cheap(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>, %g: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<6x8xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %1 = stablehlo.tanh %0 : tensor<6x8xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %3 = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %4 = stablehlo.optimization_barrier %0 : tensor<6x8xf32>
  %5 = stablehlo.tanh %4 : tensor<6x8xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<6x8xf32>
  %7 = stablehlo.subtract %one, %6 : tensor<6x8xf32>
  %8 = stablehlo.multiply %3, %7 : tensor<6x8xf32>
  return %2, %8 : tensor<6x8xf32>, tensor<6x8xf32>
}
}
