module {
  func.func @dense() {
    %cst = stablehlo.constant dense<[1.015630e+00, 1.007810e+00, 3.296880e+00, -0.000000e+00]> : tensor<4xbf16>
    %cst_0 = stablehlo.constant dense<[0x4B800000, 1.000000e-01, 1.000000e+10, 1.000000e-10, 0x4CEB79A3, 0x7FC00000, 0xFF800000, 1.500000e+00]> : tensor<8xf32>
    %cst_1 = stablehlo.constant dense<[0x4170000000000000, 1.000000e-01, 1.000000e+300, 4.940660e-324, 123456789.125, 3.1415926535897931]> : tensor<6xf64>
    %cst_2 = stablehlo.constant dense<(1.000000e+00,-2.500000e+00)> : tensor<5xcomplex<f64>>
    %cst_3 = stablehlo.constant dense<[(1.000000e+00,0x7F800000), (0.000000e+00,0.000000e+00)]> : tensor<2xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<> : tensor<0x2xf64>
    %c = stablehlo.constant dense<0> : tensor<2x0xi8>
    %cst_5 = stablehlo.constant dense<[5.000000e-01, 6.000000e+00, -1.500000e+00]> : tensor<3xf4E2M1FN>
    %cst_6 = stablehlo.constant dense<[5.000000e-01, 7.500000e+00]> : tensor<2xf6E2M3FN>
    %cst_7 = stablehlo.constant dense<[6.250000e-02, 2.800000e+01]> : tensor<2xf6E3M2FN>
    %cst_8 = stablehlo.constant dense<[4.480000e+02, 0x7F]> : tensor<2xf8E4M3FN>
    %cst_9 = stablehlo.constant dense<[3.125000e-01, 0x7C]> : tensor<2xf8E5M2>
    %cst_10 = stablehlo.constant dense<[3.125000e-01, 0x80]> : tensor<2xf8E4M3FNUZ>
    %cst_11 = stablehlo.constant dense<[2.000000e+00, 7.812500e-03]> : tensor<2xf8E8M0FNU>
    %c_12 = stablehlo.constant dense<[-8, 7, -1]> : tensor<3xi4>
    %c_13 = stablehlo.constant dense<[0, 3]> : tensor<2xui2>
    %c_14 = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
    %c_15 = stablehlo.constant dense<[-56, -1]> : tensor<2xi8>
    %c_16 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %c_17 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %c_18 = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
    %cst_19 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<7xf32>
    %c_21 = stablehlo.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi16>
    %c_22 = stablehlo.constant {a.b = 3 : i64} dense<5> : tensor<2xui8>
    %c_23 = stablehlo.constant dense<7> : tensor<3xi32>
    %cst_24 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
    %cst_25 = stablehlo.constant dense<[6.550400e+04, 5.960460e-08, 0x7C00]> : tensor<3xf16>
    %c_26 = stablehlo.constant dense<"0x93FFB8FFDDFF020027004C0071009BFFC0FFE5FF0A002F0054007900A3FFC8FFEDFF120037005C008100ABFFD0FFF5FF1A003F0064008EFFB3FFD8FFFDFF220047006C0096FFBBFFE0FF05002A004F0074009EFFC3FFE8FF0D00320057007C00A6FFCBFFF0FF15003A005F0089FFAEFFD3FFF8FF1D004200670091FFB6FFDBFF000025004A006F0099FFBEFFE3FF08002D0052007700A1FFC6FFEBFF100035005A007F00A9FFCEFFF3FF18003D0062008CFFB1FFD6FFFBFF200045006A0094FFB9FFDEFF030028004D0072009CFFC1FFE6FF0B00300055007A00A4FFC9FFEEFF130038005D008200ACFFD1FFF6FF1B00"> : tensor<120xi16>
    %c_27 = stablehlo.constant dense<"0x03080D02070C010B00050A0F040903080D02070C010B00050A0F040E03080D02070C060B00050A0F040E03080D02070C060B00050A0F090E03080D020701060B00050A0F090E03080D020701060B00050A0F090E03080D020C01060B00050A04090E03080D020C01060B00050A04090E03080D020C01060B"> : tensor<120xi4>
    %c_28 = stablehlo.constant dense<"0x010001010001010101000101000100010100010100010001010001000101000101000100010100010101010001010001000101000101010100010100010001010001010001000101000101010100010100010001010001010101000101000100010100010100010001010001010101000101000100010100"> : tensor<120xi1>
    return
  }
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
