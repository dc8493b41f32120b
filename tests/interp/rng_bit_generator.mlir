// Expected values: jaxlib 0.10.2, XLA's CPU backend.
// RNG bits must be the same as XLA's: shapes with an even dimension, without one, scalars; every width; counters that carry.

func.func @rng0() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %next, dense<[1, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<43444564> : tensor<ui32>
  func.return
}

func.func @rng1() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %next, dense<[1, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<9236835810183407956> : tensor<ui64>
  func.return
}

func.func @rng2() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[84, 59, 211, 3, 211]> : tensor<5xui8>
  func.return
}

func.func @rng3() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[59732, 54587, 37587, 20483, 3027]> : tensor<5xui16>
  func.return
}

func.func @rng4() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[43444564, 2150618427, 3979645651, 3745730563, 1672743891]> : tensor<5xui32>
  func.return
}

func.func @rng5() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[1, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[9236835810183407956, 16087790271692313299, 18212823393184779219, 2658481902456610144, 16424712389986402477]> : tensor<5xui64>
  func.return
}

func.func @rng6() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[1, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[43444564, 3979645651, 1672743891], [2150618427, 3745730563, 4240503393], [2109414752, 2534981805, 2868795927]]> : tensor<3x3xui32>
  func.return
}

func.func @rng7() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
  check.expect_eq_const %next, dense<[1, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[84, 59, 211, 3], [211, 97, 96, 52], [173, 229, 23, 49]]> : tensor<3x4xui8>
  func.return
}

func.func @rng8() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
  check.expect_eq_const %next, dense<[1, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[59732, 54587, 37587, 20483], [3027, 62049, 7520, 54068], [49325, 19685, 23063, 22577]]> : tensor<3x4xui16>
  func.return
}

func.func @rng9() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  check.expect_eq_const %next, dense<[1, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[43444564, 2150618427, 3979645651, 3745730563], [1672743891, 4240503393, 2109414752, 618976052], [2534981805, 3824176357, 2868795927, 3753859121]]> : tensor<3x4xui32>
  func.return
}

func.func @rng10() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
  check.expect_eq_const %next, dense<[1, 14]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[9236835810183407956, 16087790271692313299, 18212823393184779219, 2658481902456610144], [16424712389986402477, 16122702161355102743, 16513473339851961296, 13401158119780177765], [14554201658727638770, 7288330543630982713, 853546183039212516, 3116677314375671452]]> : tensor<3x4xui64>
  func.return
}

func.func @rng11() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[43444564, 3979645651, 1672743891], [2150618427, 3745730563, 4240503393]]> : tensor<2x3xui32>
  func.return
}

func.func @rng12() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %next, dense<[18364758544493064720, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<1423963181> : tensor<ui32>
  func.return
}

func.func @rng13() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %next, dense<[18364758544493064720, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<2479568287367689261> : tensor<ui64>
  func.return
}

func.func @rng14() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[18364758544493064720, 2]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[45, 56, 223, 250, 209]> : tensor<5xui8>
  func.return
}

func.func @rng15() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[18364758544493064720, 2]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[62509, 12856, 13023, 37882, 62673]> : tensor<5xui16>
  func.return
}

func.func @rng16() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[18364758544493064720, 2]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[1423963181, 577319480, 647836383, 608998394, 2744317137]> : tensor<5xui32>
  func.return
}

func.func @rng17() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[18364758544493064720, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[2479568287367689261, 2615628186194359007, 8952324487568880849, 14171395554724412170, 16525317546065722195]> : tensor<5xui64>
  func.return
}

func.func @rng18() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[18364758544493064720, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1423963181, 647836383, 2744317137], [577319480, 608998394, 2084375472], [2061892362, 3586587475, 2574410984]]> : tensor<3x3xui32>
  func.return
}

func.func @rng19() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
  check.expect_eq_const %next, dense<[18364758544493064720, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[45, 56, 223, 250], [209, 176, 10, 44], [83, 192, 232, 24]]> : tensor<3x4xui8>
  func.return
}

func.func @rng20() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
  check.expect_eq_const %next, dense<[18364758544493064720, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[62509, 12856, 13023, 37882], [62673, 2992, 64266, 59692], [64339, 47296, 25832, 39192]]> : tensor<3x4xui16>
  func.return
}

func.func @rng21() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  check.expect_eq_const %next, dense<[18364758544493064720, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1423963181, 577319480, 647836383, 608998394], [2744317137, 2084375472, 2061892362, 3299535148], [3586587475, 3847600320, 2574410984, 591567128]]> : tensor<3x4xui32>
  func.return
}

func.func @rng22() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
  check.expect_eq_const %next, dense<[18364758544493064720, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[2479568287367689261, 2615628186194359007, 8952324487568880849, 14171395554724412170], [16525317546065722195, 2540761470723056872, 17239318569550839180, 13700685675660674798], [12299652762600464277, 16116945232508347618, 7545088321153596825, 6093844975506676676]]> : tensor<3x4xui64>
  func.return
}

func.func @rng23() {
  %state = stablehlo.constant dense<[18364758544493064720, 18446744073709551615]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %next, dense<[18364758544493064720, 2]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1423963181, 647836383, 2744317137], [577319480, 608998394, 2084375472]]> : tensor<2x3xui32>
  func.return
}

func.func @rng24() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %next, dense<[1, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<2100602697> : tensor<ui32>
  func.return
}

func.func @rng25() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %next, dense<[1, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<12229731395331991369> : tensor<ui64>
  func.return
}

func.func @rng26() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[1, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[73, 232, 215, 217, 254]> : tensor<5xui8>
  func.return
}

func.func @rng27() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[1, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[42825, 48104, 9175, 9433, 9214]> : tensor<5xui16>
  func.return
}

func.func @rng28() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[1, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[2100602697, 2847456232, 2074354647, 800269529, 1828267006]> : tensor<5xui32>
  func.return
}

func.func @rng29() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[12229731395331991369, 3437131457114678231, 13465615291114923006, 9328616520744100567, 10786996542579945571]> : tensor<5xui64>
  func.return
}

func.func @rng30() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[2100602697, 2847456232, 2074354647], [800269529, 1828267006, 3135207875], [3972719319, 2171987788, 433598563]]> : tensor<3x3xui32>
  func.return
}

func.func @rng31() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[73, 232, 215, 217], [254, 195, 215, 76], [99, 52, 33, 112]]> : tensor<3x4xui8>
  func.return
}

func.func @rng32() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[42825, 48104, 9175, 9433], [9214, 31171, 58071, 59212], [12387, 7220, 44321, 21360]]> : tensor<3x4xui16>
  func.return
}

func.func @rng33() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  check.expect_eq_const %next, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[2100602697, 2847456232, 2074354647, 800269529], [1828267006, 3135207875, 3972719319, 2171987788], [433598563, 2511543348, 3408178465, 3374076784]]> : tensor<3x4xui32>
  func.return
}

func.func @rng34() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
  check.expect_eq_const %next, dense<[1, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[12229731395331991369, 3437131457114678231, 13465615291114923006, 9328616520744100567], [10786996542579945571, 14491549444881034529, 11286196318046670563, 5724011709439120292], [411073547657390924, 8519712135953034949, 14310214831341330501, 6250537654016691130]]> : tensor<3x4xui64>
  func.return
}

func.func @rng35() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %next, dense<[1, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[2100602697, 2847456232, 2074354647], [800269529, 1828267006, 3135207875]]> : tensor<2x3xui32>
  func.return
}
