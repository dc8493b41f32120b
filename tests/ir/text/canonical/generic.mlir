module {
  func.func @generic(%arg0: tensor<2xf32>, %arg1: i32) {
    %0:3 = "foo.bar"(%arg0, %arg1) <{inherent = 1 : i8}> ({
    ^bb0(%arg2: i32, %arg3: tensor<2xf32>):
      "test.use"(%arg2, %arg0) : (i32, tensor<2xf32>) -> ()
      "test.end"() : () -> ()
    }, {
    }, {
    ^bb0:
    }) {"a-b" = array<i1: true, false>, al = {nested = [#stablehlo<precision HIGH>]}, b = true, d = {}, e = [], ff = 0x7FC00000 : f32, g = 1.500000e+00 : f64, h = 2.500000e+00 : f16, i = -3 : i64, idx = 4 : index, m = affine_map<(d0) -> (d0)>, mm = dense<1> : tensor<2xindex>, o = #other.attr<"a" [b] {c} (d)>, s = "a\0Ab\22c\\d\01\FF", sym = @"a b"::@c, t = (i32, none) -> (), ty = tensor<*xf32>, u, ui = 255 : ui8, x = array<f32: 1.000000e+00, 2.000000e+00>, z = array<i64>} : (tensor<2xf32>, i32) -> (i32, (i32) -> i32, memref<4x?xf32>)
    "aten.add.Tensor"(%0#2, %0#0) {alpha = 1 : i64} : (memref<4x?xf32>, i32) -> ()
    "t.types"() {a = !stablehlo.token, b = tuple<tensor<1xi1>, tuple<>>, c = !stablehlo.future<tensor<2xf32>, tensor<i32>>, d = !other.type<a, "b">, e = complex<f64>, f = vector<4xf32>, g = i3, h = tensor<?x3xf32, #stablehlo.bounds<5, ?>>, i = tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>, j = tensor<2x!quant.uniform<u8<1:255>:f32:0, {1.000000e-01,5.000000e-01:20}>>, k = tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{1.000000e-01:1, 2.000000e-01}, {3.000000e-01, 4.000000e-01}}>>, l = tf32, m = !quant.uniform<i4:f32, 0.0039215686274509803>} : () -> ()
    return
  }
}
