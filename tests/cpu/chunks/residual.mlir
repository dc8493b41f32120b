// steps: loops pack_conv loops pack_conv pack_conv pack_conv loops pack_conv chunks [move conv loops conv conv conv conv conv conv conv conv conv conv conv loops] gemm
// A network of two kinds of blocks; its product at the end is for all images.
func.func @main(%a0: tensor<4x3x13x13xf32>) -> (tensor<4x5xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<432xf32>
  %1 = stablehlo.constant dense<0.7> : tensor<432xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<432xf32>
  %3 = stablehlo.sine %2 : tensor<432xf32>
  %4 = stablehlo.reshape %3 : (tensor<432xf32>) -> tensor<16x3x3x3xf32>
  %5 = stablehlo.convolution(%a0, %4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x3x13x13xf32>, tensor<16x3x3x3xf32>) -> tensor<4x16x13x13xf32>
  %6 = stablehlo.iota dim = 0 : tensor<16xf32>
  %7 = stablehlo.constant dense<0.4> : tensor<16xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<16xf32>
  %9 = stablehlo.sine %8 : tensor<16xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<16xf32>) -> tensor<4x16x13x13xf32>
  %11 = stablehlo.multiply %5, %10 : tensor<4x16x13x13xf32>
  %12 = stablehlo.iota dim = 0 : tensor<16xf32>
  %13 = stablehlo.constant dense<1.3> : tensor<16xf32>
  %14 = stablehlo.multiply %12, %13 : tensor<16xf32>
  %15 = stablehlo.sine %14 : tensor<16xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<16xf32>) -> tensor<4x16x13x13xf32>
  %17 = stablehlo.add %11, %16 : tensor<4x16x13x13xf32>
  %18 = stablehlo.constant dense<0.0> : tensor<4x16x13x13xf32>
  %19 = stablehlo.maximum %17, %18 : tensor<4x16x13x13xf32>
  %20 = stablehlo.transpose %19, dims = [0, 2, 3, 1] : (tensor<4x16x13x13xf32>) -> tensor<4x13x13x16xf32>
  %21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %22 = "stablehlo.reduce_window"(%20, %21) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x13x13x16xf32>, tensor<f32>) -> tensor<4x7x7x16xf32>
  %23 = stablehlo.iota dim = 0 : tensor<128xf32>
  %24 = stablehlo.constant dense<0.7> : tensor<128xf32>
  %25 = stablehlo.multiply %23, %24 : tensor<128xf32>
  %26 = stablehlo.sine %25 : tensor<128xf32>
  %27 = stablehlo.reshape %26 : (tensor<128xf32>) -> tensor<1x1x16x8xf32>
  %28 = stablehlo.convolution(%22, %27) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x16xf32>, tensor<1x1x16x8xf32>) -> tensor<4x7x7x8xf32>
  %29 = stablehlo.iota dim = 0 : tensor<8xf32>
  %30 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %31 = stablehlo.multiply %29, %30 : tensor<8xf32>
  %32 = stablehlo.sine %31 : tensor<8xf32>
  %33 = stablehlo.broadcast_in_dim %32, dims = [3] : (tensor<8xf32>) -> tensor<4x7x7x8xf32>
  %34 = stablehlo.add %28, %33 : tensor<4x7x7x8xf32>
  %35 = stablehlo.constant dense<0.0> : tensor<4x7x7x8xf32>
  %36 = stablehlo.maximum %34, %35 : tensor<4x7x7x8xf32>
  %37 = stablehlo.iota dim = 0 : tensor<576xf32>
  %38 = stablehlo.constant dense<0.31> : tensor<576xf32>
  %39 = stablehlo.multiply %37, %38 : tensor<576xf32>
  %40 = stablehlo.sine %39 : tensor<576xf32>
  %41 = stablehlo.reshape %40 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %42 = stablehlo.convolution(%36, %41) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x7x7x8xf32>
  %43 = stablehlo.iota dim = 0 : tensor<8xf32>
  %44 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %45 = stablehlo.multiply %43, %44 : tensor<8xf32>
  %46 = stablehlo.sine %45 : tensor<8xf32>
  %47 = stablehlo.broadcast_in_dim %46, dims = [3] : (tensor<8xf32>) -> tensor<4x7x7x8xf32>
  %48 = stablehlo.add %42, %47 : tensor<4x7x7x8xf32>
  %49 = stablehlo.constant dense<0.0> : tensor<4x7x7x8xf32>
  %50 = stablehlo.maximum %48, %49 : tensor<4x7x7x8xf32>
  %51 = stablehlo.iota dim = 0 : tensor<192xf32>
  %52 = stablehlo.constant dense<0.23> : tensor<192xf32>
  %53 = stablehlo.multiply %51, %52 : tensor<192xf32>
  %54 = stablehlo.sine %53 : tensor<192xf32>
  %55 = stablehlo.reshape %54 : (tensor<192xf32>) -> tensor<1x1x8x24xf32>
  %56 = stablehlo.convolution(%50, %55) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x8xf32>, tensor<1x1x8x24xf32>) -> tensor<4x7x7x24xf32>
  %57 = stablehlo.iota dim = 0 : tensor<24xf32>
  %58 = stablehlo.constant dense<1.3> : tensor<24xf32>
  %59 = stablehlo.multiply %57, %58 : tensor<24xf32>
  %60 = stablehlo.sine %59 : tensor<24xf32>
  %61 = stablehlo.broadcast_in_dim %60, dims = [3] : (tensor<24xf32>) -> tensor<4x7x7x24xf32>
  %62 = stablehlo.add %56, %61 : tensor<4x7x7x24xf32>
  %63 = stablehlo.iota dim = 0 : tensor<384xf32>
  %64 = stablehlo.constant dense<0.37> : tensor<384xf32>
  %65 = stablehlo.multiply %63, %64 : tensor<384xf32>
  %66 = stablehlo.sine %65 : tensor<384xf32>
  %67 = stablehlo.reshape %66 : (tensor<384xf32>) -> tensor<1x1x16x24xf32>
  %68 = stablehlo.convolution(%22, %67) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x16xf32>, tensor<1x1x16x24xf32>) -> tensor<4x7x7x24xf32>
  %69 = stablehlo.add %62, %68 : tensor<4x7x7x24xf32>
  %70 = stablehlo.constant dense<0.0> : tensor<4x7x7x24xf32>
  %71 = stablehlo.maximum %69, %70 : tensor<4x7x7x24xf32>
  %72 = stablehlo.iota dim = 0 : tensor<192xf32>
  %73 = stablehlo.constant dense<0.7> : tensor<192xf32>
  %74 = stablehlo.multiply %72, %73 : tensor<192xf32>
  %75 = stablehlo.sine %74 : tensor<192xf32>
  %76 = stablehlo.reshape %75 : (tensor<192xf32>) -> tensor<1x1x24x8xf32>
  %77 = stablehlo.convolution(%71, %76) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x24xf32>, tensor<1x1x24x8xf32>) -> tensor<4x7x7x8xf32>
  %78 = stablehlo.iota dim = 0 : tensor<8xf32>
  %79 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %80 = stablehlo.multiply %78, %79 : tensor<8xf32>
  %81 = stablehlo.sine %80 : tensor<8xf32>
  %82 = stablehlo.broadcast_in_dim %81, dims = [3] : (tensor<8xf32>) -> tensor<4x7x7x8xf32>
  %83 = stablehlo.add %77, %82 : tensor<4x7x7x8xf32>
  %84 = stablehlo.constant dense<0.0> : tensor<4x7x7x8xf32>
  %85 = stablehlo.maximum %83, %84 : tensor<4x7x7x8xf32>
  %86 = stablehlo.iota dim = 0 : tensor<576xf32>
  %87 = stablehlo.constant dense<0.31> : tensor<576xf32>
  %88 = stablehlo.multiply %86, %87 : tensor<576xf32>
  %89 = stablehlo.sine %88 : tensor<576xf32>
  %90 = stablehlo.reshape %89 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %91 = stablehlo.convolution(%85, %90) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x7x7x8xf32>
  %92 = stablehlo.iota dim = 0 : tensor<8xf32>
  %93 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %94 = stablehlo.multiply %92, %93 : tensor<8xf32>
  %95 = stablehlo.sine %94 : tensor<8xf32>
  %96 = stablehlo.broadcast_in_dim %95, dims = [3] : (tensor<8xf32>) -> tensor<4x7x7x8xf32>
  %97 = stablehlo.add %91, %96 : tensor<4x7x7x8xf32>
  %98 = stablehlo.constant dense<0.0> : tensor<4x7x7x8xf32>
  %99 = stablehlo.maximum %97, %98 : tensor<4x7x7x8xf32>
  %100 = stablehlo.iota dim = 0 : tensor<192xf32>
  %101 = stablehlo.constant dense<0.23> : tensor<192xf32>
  %102 = stablehlo.multiply %100, %101 : tensor<192xf32>
  %103 = stablehlo.sine %102 : tensor<192xf32>
  %104 = stablehlo.reshape %103 : (tensor<192xf32>) -> tensor<1x1x8x24xf32>
  %105 = stablehlo.convolution(%99, %104) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x8xf32>, tensor<1x1x8x24xf32>) -> tensor<4x7x7x24xf32>
  %106 = stablehlo.iota dim = 0 : tensor<24xf32>
  %107 = stablehlo.constant dense<1.3> : tensor<24xf32>
  %108 = stablehlo.multiply %106, %107 : tensor<24xf32>
  %109 = stablehlo.sine %108 : tensor<24xf32>
  %110 = stablehlo.broadcast_in_dim %109, dims = [3] : (tensor<24xf32>) -> tensor<4x7x7x24xf32>
  %111 = stablehlo.add %105, %110 : tensor<4x7x7x24xf32>
  %112 = stablehlo.add %111, %71 : tensor<4x7x7x24xf32>
  %113 = stablehlo.constant dense<0.0> : tensor<4x7x7x24xf32>
  %114 = stablehlo.maximum %112, %113 : tensor<4x7x7x24xf32>
  %115 = stablehlo.iota dim = 0 : tensor<192xf32>
  %116 = stablehlo.constant dense<0.7> : tensor<192xf32>
  %117 = stablehlo.multiply %115, %116 : tensor<192xf32>
  %118 = stablehlo.sine %117 : tensor<192xf32>
  %119 = stablehlo.reshape %118 : (tensor<192xf32>) -> tensor<1x1x24x8xf32>
  %120 = stablehlo.convolution(%114, %119) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x24xf32>, tensor<1x1x24x8xf32>) -> tensor<4x7x7x8xf32>
  %121 = stablehlo.iota dim = 0 : tensor<8xf32>
  %122 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %123 = stablehlo.multiply %121, %122 : tensor<8xf32>
  %124 = stablehlo.sine %123 : tensor<8xf32>
  %125 = stablehlo.broadcast_in_dim %124, dims = [3] : (tensor<8xf32>) -> tensor<4x7x7x8xf32>
  %126 = stablehlo.add %120, %125 : tensor<4x7x7x8xf32>
  %127 = stablehlo.constant dense<0.0> : tensor<4x7x7x8xf32>
  %128 = stablehlo.maximum %126, %127 : tensor<4x7x7x8xf32>
  %129 = stablehlo.iota dim = 0 : tensor<576xf32>
  %130 = stablehlo.constant dense<0.31> : tensor<576xf32>
  %131 = stablehlo.multiply %129, %130 : tensor<576xf32>
  %132 = stablehlo.sine %131 : tensor<576xf32>
  %133 = stablehlo.reshape %132 : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %134 = stablehlo.convolution(%128, %133) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x4x4x8xf32>
  %135 = stablehlo.iota dim = 0 : tensor<8xf32>
  %136 = stablehlo.constant dense<1.3> : tensor<8xf32>
  %137 = stablehlo.multiply %135, %136 : tensor<8xf32>
  %138 = stablehlo.sine %137 : tensor<8xf32>
  %139 = stablehlo.broadcast_in_dim %138, dims = [3] : (tensor<8xf32>) -> tensor<4x4x4x8xf32>
  %140 = stablehlo.add %134, %139 : tensor<4x4x4x8xf32>
  %141 = stablehlo.constant dense<0.0> : tensor<4x4x4x8xf32>
  %142 = stablehlo.maximum %140, %141 : tensor<4x4x4x8xf32>
  %143 = stablehlo.iota dim = 0 : tensor<256xf32>
  %144 = stablehlo.constant dense<0.23> : tensor<256xf32>
  %145 = stablehlo.multiply %143, %144 : tensor<256xf32>
  %146 = stablehlo.sine %145 : tensor<256xf32>
  %147 = stablehlo.reshape %146 : (tensor<256xf32>) -> tensor<1x1x8x32xf32>
  %148 = stablehlo.convolution(%142, %147) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x4x4x8xf32>, tensor<1x1x8x32xf32>) -> tensor<4x4x4x32xf32>
  %149 = stablehlo.iota dim = 0 : tensor<32xf32>
  %150 = stablehlo.constant dense<1.3> : tensor<32xf32>
  %151 = stablehlo.multiply %149, %150 : tensor<32xf32>
  %152 = stablehlo.sine %151 : tensor<32xf32>
  %153 = stablehlo.broadcast_in_dim %152, dims = [3] : (tensor<32xf32>) -> tensor<4x4x4x32xf32>
  %154 = stablehlo.add %148, %153 : tensor<4x4x4x32xf32>
  %155 = stablehlo.iota dim = 0 : tensor<768xf32>
  %156 = stablehlo.constant dense<0.37> : tensor<768xf32>
  %157 = stablehlo.multiply %155, %156 : tensor<768xf32>
  %158 = stablehlo.sine %157 : tensor<768xf32>
  %159 = stablehlo.reshape %158 : (tensor<768xf32>) -> tensor<1x1x24x32xf32>
  %160 = stablehlo.convolution(%114, %159) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x7x24xf32>, tensor<1x1x24x32xf32>) -> tensor<4x4x4x32xf32>
  %161 = stablehlo.add %154, %160 : tensor<4x4x4x32xf32>
  %162 = stablehlo.constant dense<0.0> : tensor<4x4x4x32xf32>
  %163 = stablehlo.maximum %161, %162 : tensor<4x4x4x32xf32>
  %164 = stablehlo.constant dense<0.0> : tensor<f32>
  %165 = stablehlo.reduce(%163 init: %164) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x4x4x32xf32>, tensor<f32>) -> tensor<4x32xf32>
  %166 = stablehlo.iota dim = 0 : tensor<160xf32>
  %167 = stablehlo.constant dense<0.7> : tensor<160xf32>
  %168 = stablehlo.multiply %166, %167 : tensor<160xf32>
  %169 = stablehlo.sine %168 : tensor<160xf32>
  %170 = stablehlo.reshape %169 : (tensor<160xf32>) -> tensor<32x5xf32>
  %171 = stablehlo.dot_general %165, %170, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x5xf32>) -> tensor<4x5xf32>
  return %171 : tensor<4x5xf32>
}
