// Control flow and positions that depend on the example, and ops that become a loop over the examples.

func.func @if(%x: tensor<f64>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<f64>) {
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %p = stablehlo.compare LT, %x, %half : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r:2 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %y : tensor<3xf64>
    stablehlo.return %a, %x : tensor<3xf64>, tensor<f64>
  }, {
    stablehlo.return %y, %half : tensor<3xf64>, tensor<f64>
  }) : (tensor<i1>) -> (tensor<3xf64>, tensor<f64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<f64>
}

func.func @case(%x: tensor<f64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %five = stablehlo.constant dense<5.0> : tensor<f64>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %scaled = stablehlo.multiply %x, %five : tensor<f64>
  %n = stablehlo.convert %scaled : (tensor<f64>) -> tensor<i32>
  %i = stablehlo.subtract %n, %one : tensor<i32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %y : tensor<3xf64>
  }, {
    %a = stablehlo.negate %y : tensor<3xf64>
    stablehlo.return %a : tensor<3xf64>
  }, {
    %a = stablehlo.cosine %y : tensor<3xf64>
    stablehlo.return %a : tensor<3xf64>
  }) : (tensor<i32>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

// Each example goes on until its own sum is large enough.
func.func @while(%x: tensor<f64>, %y: tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %r:3 = stablehlo.while(%i = %zero, %s = %none, %a = %y) : tensor<i64>, tensor<f64>, tensor<2xf64>
   cond {
    %most = stablehlo.constant dense<2.0> : tensor<f64>
    %p = stablehlo.compare LT, %s, %most : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %n = stablehlo.add %i, %one : tensor<i64>
    %t = stablehlo.add %s, %x : tensor<f64>
    %b = stablehlo.sine %a : tensor<2xf64>
    stablehlo.return %n, %t, %b : tensor<i64>, tensor<f64>, tensor<2xf64>
  }
  return %r#0, %r#2 : tensor<i64>, tensor<2xf64>
}

// A loop inside of a branch inside of a loop.
func.func @nested(%x: tensor<f64>, %y: tensor<2xf64>) -> tensor<2xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i64>, tensor<2xf64>
   cond {
    %most = stablehlo.constant dense<3> : tensor<i64>
    %p = stablehlo.compare LT, %i, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %half = stablehlo.constant dense<0.5> : tensor<f64>
    %n = stablehlo.add %i, %one : tensor<i64>
    %q = stablehlo.compare LT, %x, %half : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %b = "stablehlo.if"(%q) ({
      %c:2 = stablehlo.while(%j = %i, %d = %a) : tensor<i64>, tensor<2xf64>
       cond {
        %p = stablehlo.compare GT, %j, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %m = stablehlo.subtract %j, %one : tensor<i64>
        %e = stablehlo.multiply %d, %y : tensor<2xf64>
        stablehlo.return %m, %e : tensor<i64>, tensor<2xf64>
      }
      stablehlo.return %c#1 : tensor<2xf64>
    }, {
      stablehlo.return %a : tensor<2xf64>
    }) : (tensor<i1>) -> tensor<2xf64>
    %f = stablehlo.add %b, %y : tensor<2xf64>
    stablehlo.return %n, %f : tensor<i64>, tensor<2xf64>
  }
  return %r#1 : tensor<2xf64>
}

// Counts down to 4 where it starts above; from below it would not end.
func.func @guarded(%x: tensor<f64>, %y: tensor<2xf64>) -> tensor<2xf64> {
  %ten = stablehlo.constant dense<10.0> : tensor<f64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %scaled = stablehlo.multiply %x, %ten : tensor<f64>
  %n = stablehlo.convert %scaled : (tensor<f64>) -> tensor<i64>
  %p = stablehlo.compare GE, %n, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %c:2 = stablehlo.while(%j = %n, %a = %y) : tensor<i64>, tensor<2xf64>
     cond {
      %q = stablehlo.compare NE, %j, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i64>
      %m = stablehlo.subtract %j, %one : tensor<i64>
      %e = stablehlo.sine %a : tensor<2xf64>
      stablehlo.return %m, %e : tensor<i64>, tensor<2xf64>
    }
    stablehlo.return %c#1 : tensor<2xf64>
  }, {
    stablehlo.return %y : tensor<2xf64>
  }) : (tensor<i1>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}

// Positions from -1 to 7: clamped.
func.func @positions(%x: tensor<f64>, %y: tensor<4x5xf64>, %u: tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<4x5xf64>) {
  %nine = stablehlo.constant dense<9.0> : tensor<f64>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %scaled = stablehlo.multiply %x, %nine : tensor<f64>
  %n = stablehlo.convert %scaled : (tensor<f64>) -> tensor<i32>
  %i = stablehlo.subtract %n, %one : tensor<i32>
  %a = stablehlo.dynamic_slice %y, %i, %one, sizes = [2, 1] : (tensor<4x5xf64>, tensor<i32>, tensor<i32>) -> tensor<2x1xf64>
  %b = stablehlo.dynamic_update_slice %y, %u, %one, %i : (tensor<4x5xf64>, tensor<2x1xf64>, tensor<i32>, tensor<i32>) -> tensor<4x5xf64>
  return %a, %b : tensor<2x1xf64>, tensor<4x5xf64>
}

// Positions from 2^60 to 2^64 of ui64: clamped from above, those over 2^63 as well.
func.func @unsigned_positions(%x: tensor<f64>, %y: tensor<4x5xf64>, %u: tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<4x5xf64>) {
  %most = stablehlo.constant dense<1.8446744073709552e+19> : tensor<f64>
  %one = stablehlo.constant dense<1> : tensor<ui64>
  %scaled = stablehlo.multiply %x, %most : tensor<f64>
  %i = stablehlo.convert %scaled : (tensor<f64>) -> tensor<ui64>
  %a = stablehlo.dynamic_slice %y, %i, %one, sizes = [2, 1] : (tensor<4x5xf64>, tensor<ui64>, tensor<ui64>) -> tensor<2x1xf64>
  %b = stablehlo.dynamic_update_slice %y, %u, %one, %i : (tensor<4x5xf64>, tensor<2x1xf64>, tensor<ui64>, tensor<ui64>) -> tensor<4x5xf64>
  return %a, %b : tensor<2x1xf64>, tensor<4x5xf64>
}

// An initial value and a padding value of the example, and a body that uses one.
func.func @initial(%x: tensor<f64>, %y: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<5x2xf64>, tensor<3xf64>) {
  %a = stablehlo.reduce(%y init: %x) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf64>, tensor<f64>) -> tensor<2xf64>
  %b = stablehlo.pad %y, %x, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<3x2xf64>, tensor<f64>) -> tensor<5x2xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %c = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %m = stablehlo.multiply %q, %x : tensor<f64>
    %s = stablehlo.add %p, %m : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
  return %a, %b, %c : tensor<2xf64>, tensor<5x2xf64>, tensor<3xf64>
}

func.func @groups(%x: tensor<4x2x5xf64>, %k: tensor<6x2x3xf64>) -> tensor<2x6x3xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x2x5xf64>, tensor<6x2x3xf64>) -> tensor<2x6x3xf64>
  return %y : tensor<2x6x3xf64>
}

func.func @feature_groups(%x: tensor<2x4x5xf64>, %k: tensor<6x2x3xf64>) -> tensor<2x6x3xf64> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x5xf64>, tensor<6x2x3xf64>) -> tensor<2x6x3xf64>
  return %y : tensor<2x6x3xf64>
}
