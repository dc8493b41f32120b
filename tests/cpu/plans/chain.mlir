// steps: loops loops loops
// Ops that become much code end a kernel sooner: the time to compile one grows faster than its length.
func.func @main(%arg0: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %0 = stablehlo.sine %arg0 : tensor<6x7xf32>
  %1 = stablehlo.sine %0 : tensor<6x7xf32>
  %2 = stablehlo.sine %1 : tensor<6x7xf32>
  %3 = stablehlo.sine %2 : tensor<6x7xf32>
  %4 = stablehlo.sine %3 : tensor<6x7xf32>
  %5 = stablehlo.sine %4 : tensor<6x7xf32>
  %6 = stablehlo.sine %5 : tensor<6x7xf32>
  %7 = stablehlo.sine %6 : tensor<6x7xf32>
  %8 = stablehlo.sine %7 : tensor<6x7xf32>
  %9 = stablehlo.sine %8 : tensor<6x7xf32>
  %10 = stablehlo.sine %9 : tensor<6x7xf32>
  %11 = stablehlo.sine %10 : tensor<6x7xf32>
  %12 = stablehlo.sine %11 : tensor<6x7xf32>
  %13 = stablehlo.sine %12 : tensor<6x7xf32>
  %14 = stablehlo.sine %13 : tensor<6x7xf32>
  %15 = stablehlo.sine %14 : tensor<6x7xf32>
  %16 = stablehlo.sine %15 : tensor<6x7xf32>
  %17 = stablehlo.sine %16 : tensor<6x7xf32>
  %18 = stablehlo.sine %17 : tensor<6x7xf32>
  %19 = stablehlo.sine %18 : tensor<6x7xf32>
  %20 = stablehlo.sine %19 : tensor<6x7xf32>
  %21 = stablehlo.sine %20 : tensor<6x7xf32>
  %22 = stablehlo.sine %21 : tensor<6x7xf32>
  %23 = stablehlo.sine %22 : tensor<6x7xf32>
  %24 = stablehlo.sine %23 : tensor<6x7xf32>
  %25 = stablehlo.sine %24 : tensor<6x7xf32>
  %26 = stablehlo.sine %25 : tensor<6x7xf32>
  %27 = stablehlo.sine %26 : tensor<6x7xf32>
  %28 = stablehlo.sine %27 : tensor<6x7xf32>
  %29 = stablehlo.sine %28 : tensor<6x7xf32>
  %30 = stablehlo.sine %29 : tensor<6x7xf32>
  %31 = stablehlo.sine %30 : tensor<6x7xf32>
  %32 = stablehlo.sine %31 : tensor<6x7xf32>
  %33 = stablehlo.sine %32 : tensor<6x7xf32>
  %34 = stablehlo.sine %33 : tensor<6x7xf32>
  %35 = stablehlo.sine %34 : tensor<6x7xf32>
  %36 = stablehlo.sine %35 : tensor<6x7xf32>
  %37 = stablehlo.sine %36 : tensor<6x7xf32>
  %38 = stablehlo.sine %37 : tensor<6x7xf32>
  %39 = stablehlo.sine %38 : tensor<6x7xf32>
  return %39 : tensor<6x7xf32>
}
