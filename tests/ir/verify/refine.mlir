// refine.mlir: programs with dynamic shapes, the types that are given for the arguments of the entry function, and what becomes of them.
// given: tensor<3x4xf32>
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.dynamic_broadcast_in_dim %one, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  %sum = stablehlo.add %x, %ones : tensor<?x4xf32>
  func.return %sum : tensor<?x4xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
}
// -----
// given: tensor<5xf32>
func.func private @ramp(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %n1 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %iota = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  %0 = stablehlo.multiply %iota, %x : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
func.func public @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n64 = stablehlo.convert %n : (tensor<i32>) -> tensor<i64>
  %0 = func.call @ramp(%n64, %x) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %m = stablehlo.multiply %n64, %two : tensor<i64>
  %xx = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = func.call @ramp(%m, %xx) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32>
  func.return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
// becomes:
module {
  func.func private @ramp_1(%arg0: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<10xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<10xf32>
    return %1 : tensor<10xf32>
  }
  func.func private @ramp(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<5xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func public @main(%arg0: tensor<5xf32>) -> (tensor<5xf32>, tensor<10xf32>) {
    %0 = call @ramp(%arg0) : (tensor<5xf32>) -> tensor<5xf32>
    %1 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
    %2 = call @ramp_1(%1) : (tensor<10xf32>) -> tensor<10xf32>
    return %0, %2 : tensor<5xf32>, tensor<10xf32>
  }
}
// -----
// given: tensor<6xf32>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %rest = stablehlo.remainder %n, %two : tensor<i32>
  %even = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%even, %n) {error_message = "the size must be even, is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  func.return %x : tensor<?xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    return %arg0 : tensor<6xf32>
  }
}
// -----
// given: tensor<7xf32>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %rest = stablehlo.remainder %n, %two : tensor<i32>
  %even = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%even, %n) {error_message = "the size must be even, is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  func.return %x : tensor<?xf32>
}
// refused: stablehlo.custom_call: shape assertion failed: the size must be even, is 7
// -----
// given: tensor<3xf32>, tensor<4xf32>
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %y : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
// refused: stablehlo.add: operand 0 is tensor<3xf32>, operand 1 is tensor<4xf32>: shapes differ
// -----
// given: tensor<3x5xf32>
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  func.return %x : tensor<?x4xf32>
}
// refused: func.func: argument 0 of @main is tensor<?x4xf32>, given tensor<3x5xf32>
// -----
// given: tensor<4xf32>, tensor<i32>
func.func @main(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<?xf32>
   cond {
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %less = stablehlo.subtract %i, %one : tensor<i32>
    %b = stablehlo.negate %a : tensor<?xf32>
    stablehlo.return %less, %b : tensor<i32>, tensor<?xf32>
  }
  func.return %0#1 : tensor<?xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare GT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.subtract %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.negate %iterArg_0 : tensor<4xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
// -----
// given: tensor<4xf32>, tensor<i32>
func.func @main(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<?xf32>
   cond {
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %less = stablehlo.subtract %i, %one : tensor<i32>
    %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %less, %b : tensor<i32>, tensor<?xf32>
  }
  func.return %0#1 : tensor<?xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<?xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = "stablehlo.while"(%arg1, %arg0) ({
    ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<?xf32>):
      %1 = stablehlo.compare GT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<?xf32>):
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.subtract %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.concatenate %iterArg_0, %iterArg_0, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<?xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<?xf32>)
    return %0#1 : tensor<?xf32>
  }
}
// -----
// given: tensor<i1>, tensor<4xf32>
func.func @main(%p: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.negate %x : tensor<?xf32>
    stablehlo.return %a : tensor<?xf32>
  }, {
    stablehlo.return %x : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
// given: tensor<8xf32>, tensor<1xi64>
func.func @main(%x: tensor<?xf32>, %start: tensor<1xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %seven = stablehlo.constant dense<7> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %one, %seven, %three : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %limit = stablehlo.add %start, %three : tensor<1xi64>
  %1 = stablehlo.real_dynamic_slice %x, %start, %limit, %one : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %v = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.dynamic_pad %x, %v, %one, %three, %one : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<1xi64>) -> (tensor<2xf32>, tensor<3xf32>, tensor<19xf32>) {
    %0 = stablehlo.slice %arg0 [1:7:3] : (tensor<8xf32>) -> tensor<2xf32>
    %1 = stablehlo.slice %arg1 [0:1] : (tensor<1xi64>) -> tensor<1xi64>
    %2 = stablehlo.reshape %1 : (tensor<1xi64>) -> tensor<i64>
    %3 = stablehlo.dynamic_slice %arg0, %2, sizes = [3] : (tensor<8xf32>, tensor<i64>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %arg0, %cst, low = [1], high = [3], interior = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<19xf32>
    return %0, %3, %4 : tensor<2xf32>, tensor<3xf32>, tensor<19xf32>
  }
}
// -----
// given: tensor<3x4xf32>, tensor<2x1xi32>, tensor<1x8x2xf32>, tensor<3x2x5xf32>
func.func @main(%x: tensor<?x4xf32>, %i: tensor<2x1xi32>, %a: tensor<1x?x2xf32>, %k: tensor<3x2x5xf32>) -> (tensor<2x?xf32>, tensor<1x?x5xf32>, tensor<?xf32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<?x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x?xf32>
  %pad = stablehlo.constant dense<1> : tensor<1x2xi64>
  %1 = "stablehlo.dynamic_conv"(%a, %k, %pad) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x?x2xf32>, tensor<3x2x5xf32>, tensor<1x2xi64>) -> tensor<1x?x5xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %count = stablehlo.multiply %n, %four : tensor<i32>
  %flat = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.dynamic_reshape %x, %flat : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<?xf32>
  func.return %0, %1, %2 : tensor<2x?xf32>, tensor<1x?x5xf32>, tensor<?xf32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>, %arg2: tensor<1x8x2xf32>, %arg3: tensor<3x2x5xf32>) -> (tensor<2x4xf32>, tensor<1x8x5xf32>, tensor<12xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x5xf32>) -> tensor<1x8x5xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    return %0, %1, %2 : tensor<2x4xf32>, tensor<1x8x5xf32>, tensor<12xf32>
  }
}
// -----
// given: tensor<6xf32>, tensor<2xui64>
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  func.return %0 : tensor<f32>
}
func.func public @main(%x: tensor<?xf32>, %s: tensor<2xui64>) -> (tensor<?xf32>, tensor<?xi32>, tensor<?xui32>, tensor<?xf32>, tensor<?xf32>) {
  %k = stablehlo.constant dense<2> : tensor<i64>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %pad = stablehlo.constant dense<0> : tensor<1x2xi64>
  %2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %c, %three, %one, %one, %one, %pad) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1x2xi64>) -> tensor<?xf32>
  %3 = stablehlo.custom_call @mine(%x, %shape) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  func.return %0#0, %0#1, %1#1, %2, %3 : tensor<?xf32>, tensor<?xi32>, tensor<?xui32>, tensor<?xf32>, tensor<?xf32>
}
// becomes:
module {
  func.func private @sum(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<2xui64>) -> (tensor<2xf32>, tensor<2xi32>, tensor<6xui32>, tensor<4xf32>, tensor<6xf32>) {
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<6xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @mine(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    return %values, %indices, %output, %0, %1 : tensor<2xf32>, tensor<2xi32>, tensor<6xui32>, tensor<4xf32>, tensor<6xf32>
  }
}
// -----
// given: tensor<2x3xf32>
func.func @main(%x: tensor<?x?xf32>) -> tensor<i32> {
  %a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %a1 = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
  %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %a1, %b1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.reduce(%shape init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %least = stablehlo.minimum %count, %b : tensor<i32>
  %half = stablehlo.divide %least, %a : tensor<i32>
  func.return %half : tensor<i32>
}
// becomes:
module {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<i32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    return %c : tensor<i32>
  }
}
