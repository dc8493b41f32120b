// pass: merge-matmuls,dce
// The gradient of a recurrent weight: three steps of two rows each and one of three; what else is added stays.
func.func @steps(%a: tensor<2x96xf32>, %b: tensor<2x64xf32>, %c: tensor<2x96xf32>, %d: tensor<2x64xf32>, %e: tensor<3x96xf32>, %f: tensor<3x64xf32>, %g: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2x96xf32>, tensor<2x64xf32>) -> tensor<96x64xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [0] : (tensor<2x96xf32>, tensor<2x64xf32>) -> tensor<96x64xf32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [0] x [0] : (tensor<3x96xf32>, tensor<3x64xf32>) -> tensor<96x64xf32>
  %3 = stablehlo.add %0, %g : tensor<96x64xf32>
  %4 = stablehlo.add %3, %1 : tensor<96x64xf32>
  %5 = stablehlo.add %4, %2 : tensor<96x64xf32>
  return %5 : tensor<96x64xf32>
}
// Left alone: a term that somebody else reads, operands as large as the result, narrow elements.
func.func @left(%a: tensor<2x96xf32>, %b: tensor<2x64xf32>, %x: tensor<64x96xf32>, %y: tensor<64x64xf32>, %h: tensor<2x96xbf16>, %i: tensor<2x64xbf16>) -> (tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xbf16>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2x96xf32>, tensor<2x64xf32>) -> tensor<96x64xf32>
  %1 = stablehlo.add %0, %0 : tensor<96x64xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<64x96xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<64x96xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %4 = stablehlo.add %2, %3 : tensor<96x64xf32>
  %5 = stablehlo.dot_general %h, %i, contracting_dims = [0] x [0] : (tensor<2x96xbf16>, tensor<2x64xbf16>) -> tensor<96x64xbf16>
  %6 = stablehlo.dot_general %h, %i, contracting_dims = [0] x [0] : (tensor<2x96xbf16>, tensor<2x64xbf16>) -> tensor<96x64xbf16>
  %7 = stablehlo.add %5, %6 : tensor<96x64xbf16>
  return %0, %1, %4, %7 : tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xbf16>
}
// expect:
func.func @steps(%a: tensor<2x96xf32>, %b: tensor<2x64xf32>, %c: tensor<2x96xf32>, %d: tensor<2x64xf32>, %e: tensor<3x96xf32>, %f: tensor<3x64xf32>, %g: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %0 = stablehlo.concatenate %a, %c, %e, dim = 0 : (tensor<2x96xf32>, tensor<2x96xf32>, tensor<3x96xf32>) -> tensor<7x96xf32>
  %1 = stablehlo.concatenate %b, %d, %f, dim = 0 : (tensor<2x64xf32>, tensor<2x64xf32>, tensor<3x64xf32>) -> tensor<7x64xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<7x96xf32>, tensor<7x64xf32>) -> tensor<96x64xf32>
  %3 = stablehlo.add %2, %g : tensor<96x64xf32>
  return %3 : tensor<96x64xf32>
}
func.func @left(%a: tensor<2x96xf32>, %b: tensor<2x64xf32>, %x: tensor<64x96xf32>, %y: tensor<64x64xf32>, %h: tensor<2x96xbf16>, %i: tensor<2x64xbf16>) -> (tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xbf16>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2x96xf32>, tensor<2x64xf32>) -> tensor<96x64xf32>
  %1 = stablehlo.add %0, %0 : tensor<96x64xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<64x96xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<64x96xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %4 = stablehlo.add %2, %3 : tensor<96x64xf32>
  %5 = stablehlo.dot_general %h, %i, contracting_dims = [0] x [0] : (tensor<2x96xbf16>, tensor<2x64xbf16>) -> tensor<96x64xbf16>
  %6 = stablehlo.dot_general %h, %i, contracting_dims = [0] x [0] : (tensor<2x96xbf16>, tensor<2x64xbf16>) -> tensor<96x64xbf16>
  %7 = stablehlo.add %5, %6 : tensor<96x64xbf16>
  return %0, %1, %4, %7 : tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xbf16>
}
