// pass: partial
// a matrix by rows, a vector by rows of its own; not: few elements, another init, few results, a vector of prime length
func.func @main(%m: tensor<256x1024xf32>, %v: tensor<200000xf32>, %s: tensor<1000xf32>, %p: tensor<200003xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<256xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%m init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<256x1024xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200000xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.reduce(%v init: %one) applies stablehlo.add across dimensions = [0] : (tensor<200000xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>
  %5 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200003xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<256xf32>, tensor<f32>
}
// expect:
func.func @main(%m: tensor<256x1024xf32>, %v: tensor<200000xf32>, %s: tensor<1000xf32>, %p: tensor<200003xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<256xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = stablehlo.reduce(%m init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>
  %0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.reshape %v : (tensor<200000xf32>) -> tensor<125x1600xf32>
  %c = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<125x1600xf32>, tensor<f32>) -> tensor<125xf32>
  %1 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<125xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.reduce(%v init: %one) applies stablehlo.add across dimensions = [0] : (tensor<200000xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>
  %5 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200003xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<256xf32>, tensor<f32>
}
