// Each part is wrong. Before the line with the error stands its column and the whole message; several errors of one line in order.

func.func @undeclared(%a: tensor<f32>) {
  // expected 26: use of undeclared value '%b'
  %0 = stablehlo.add %a, %b : tensor<f32>
  // expected 27: use of undeclared value '%c'
  // expected 31: use of undeclared value '%d'
  %1 = stablehlo.multiply %c, %d : tensor<f32>
  return
}

// -----

func.func @recovers(%a: tensor<f32>) -> tensor<f32> {
  // expected 22: '%a' is used as 'tensor<2xf32>' but its type is 'tensor<f32>'
  %0 = stablehlo.abs %a : tensor<2xf32>
  %1 = stablehlo.abs %0 : tensor<2xf32>
  // expected 8: unknown op stablehlo.abz: write it in the generic form, "stablehlo.abz"(…)
  %2 = stablehlo.abz %1 : tensor<2xf32>
  // expected 3: redefinition of '%0', first defined in line 16
  %0 = stablehlo.abs %a : tensor<f32>
  return %a : tensor<f32>
}

func.func @next() { return }
// expected 19: expected a symbol name
func.func private next()

// -----

func.func @counts(%a: tensor<f32>, %c: tensor<i1>) {
  // expected 3: stablehlo.add has 2 operands, not 3
  "stablehlo.add"(%a, %a, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected 25: 1 operands, but types for 2
  "stablehlo.abs"(%a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected 10: stablehlo.abs has 1 result, but 2 are named
  %0:2 = stablehlo.abs %a : tensor<f32>
  // expected 3: stablehlo.if has 2 regions, not 1
  "stablehlo.if"(%c) ({
    stablehlo.return
  }) : (tensor<i1>) -> ()
  %1 = stablehlo.abs %a : tensor<f32>
  // expected 22: '%1' has 1 result, there is no #3
  %2 = stablehlo.abs %1#3 : tensor<f32>
  return
}

// -----

func.func @types() {
  // expected 40: unknown type 'f33'
  %0 = stablehlo.iota dim = 0 : tensor<f33>
  // expected 40: the dimension does not fit in 63 bits
  %1 = stablehlo.iota dim = 0 : tensor<9223372036854775808xf32>
  // expected 42: expected 'x' after a dimension
  %2 = stablehlo.iota dim = 0 : tensor<12>
  // expected 33: undefined type alias '!nothing'
  %3 = stablehlo.iota dim = 0 : !nothing
  // expected 50: the elements of complex must be f32 or f64
  %4 = stablehlo.iota dim = 0 : tensor<2xcomplex<i32>>
  // expected 42: a tensor cannot have elements of this type
  %5 = stablehlo.iota dim = 0 : tensor<2xtensor<f32>>
  // expected 60: the storage range must lie within -128:127
  %6 = stablehlo.iota dim = 0 : tensor<2x!quant.uniform<i8<-200:127>:f32, 1.0>>
  return
}

// -----

func.func @dense() {
  // expected 33: the literal does not have the shape of tensor<3xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
  // expected 37: the literal does not have the shape of tensor<2xi32>
  %1 = stablehlo.constant dense<[1, [2]]> : tensor<2xi32>
  // expected 33: the hex literal has 3 bytes, its type takes 8
  %2 = stablehlo.constant dense<"0x112233"> : tensor<2xi32>
  // expected 33: expected an even number of hex digits: "0x…"
  %3 = stablehlo.constant dense<"112233"> : tensor<2xi32>
  // expected 33: a float needs a point: write 1.0
  %4 = stablehlo.constant dense<1> : tensor<2xf32>
  // expected 33: expected an integer for an element of type i32
  %5 = stablehlo.constant dense<1.0> : tensor<2xi32>
  // expected 33: the integer does not fit in i8
  %6 = stablehlo.constant dense<256> : tensor<2xi8>
  // expected 34: a ui8 cannot be negative
  %7 = stablehlo.constant dense<-1> : tensor<2xui8>
  // expected 33: 'true' is of type i1, not i8
  %8 = stablehlo.constant dense<true> : tensor<2xi8>
  // expected 33: more bits than a bf16 has
  %9 = stablehlo.constant dense<0x12345> : tensor<2xbf16>
  // expected 34: expected '('
  %10 = stablehlo.constant dense<1.0> : tensor<2xcomplex<f32>>
  // expected 39: dense<…> needs a tensor type of known shape
  %11 = stablehlo.constant dense<1> : tensor<?xi32>
  // expected 34: an empty literal needs a type without elements
  %12 = stablehlo.constant dense<> : tensor<1xi32>
  // expected 28: sparse<…> constants are not supported: write them as dense<…>
  %13 = stablehlo.constant sparse<[0], 1> : tensor<1xi32>
  // expected 35: constants of strings are not supported
  %14 = stablehlo.constant dense<["a"]> : tensor<1xi32>
  return
}

// -----

func.func @attributes(%a: tensor<f32>) {
  // expected 26: attribute 'x' is given twice
  %0 = stablehlo.abs %a {x = 1, y, x = 2} : tensor<f32>
  // expected 30: expected an attribute, not 'what'
  %1 = stablehlo.abs %a {x = what} : tensor<f32>
  // expected 30: undefined attribute alias '#nothing'
  %2 = stablehlo.abs %a {x = #nothing} : tensor<f32>
  // expected 30: stablehlo has no attribute 'nothing'
  %3 = stablehlo.abs %a {x = #stablehlo.nothing<1>} : tensor<f32>
  // expected 56: #stablehlo.channel_handle has no field 'size'
  %4 = stablehlo.abs %a {x = #stablehlo.channel_handle<size = 1>} : tensor<f32>
  // expected 56: #stablehlo.channel_handle needs 'type'
  %5 = stablehlo.abs %a {x = #stablehlo.channel_handle<handle = 1>} : tensor<f32>
  // expected 62: 'MAYBE' is not a comparison_direction
  %6 = stablehlo.abs %a {x = #stablehlo<comparison_direction MAYBE>} : tensor<f32>
  // expected 30: the integer does not fit in 64 bits
  %7 = stablehlo.slice %a [0:99999999999999999999] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @forms(%a: tensor<4xf32>, %c: tensor<f32>) {
  // expected 30: expected 'dim'
  %0 = stablehlo.concatenate dims = 0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected 48: expected a format such as e8m10
  %1 = stablehlo.reduce_precision %a, format = e8 : tensor<4xf32>
  // expected 46: expected a commutative StableHLO op of two operands
  %2 = stablehlo.reduce(%a init: %c) applies stablehlo.subtract across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // expected 27: expected ',' or ')'
  %3 = "stablehlo.abs"(%a %a) : (tensor<4xf32>) -> tensor<4xf32>
  // expected 3: there is no short form of stablehlo.gather: write it in the generic form, "stablehlo.gather"(…)
  stablehlo.gather %a, %a : tensor<4xf32>
  // expected 14: branches to other blocks are not supported
  "cf.br"(%a)[^bb1] : (tensor<4xf32>) -> ()
  return
}

// -----

// expected 20: the body of a function may not be empty
func.func @empty() {}

// -----

func.func @location() {
  // expected 14: location alias '#loc7' is never defined
  return loc(#loc7)
}

// -----

// expected 16: location alias '#b' is part of itself, or too large
#a = loc(fused[#b])
#b = loc("x"(#a))
func.func private @cycle() loc(#a)

// -----

func.func @string() {
  // expected 16: expected '"' at the end of a string literal
  "a.b"() {x = "abc} : () -> ()
  // expected 16: unknown escape in a string literal
  "a.b"() {x = "a\q"} : () -> ()
  return
}

// -----

func.func @resource() {
  %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  return
}
// expected 48: resource 'blob' has 4 bytes, its type takes 8
{-# dialect_resources: { builtin: {      blob: "0x040000000000803F" } } #-}

// -----

func.func @open(%a: i32

// expected 1: expected ',' or ')', not the end of the text
// -----

// expected 1: expected an op, not '}'
}
