/* table.c: the kernels of one instruction set, as data. */
#include "backend/cpu/kernels/gemm.h"
#include "backend/cpu/kernels/int8_job.h"
#include "backend/cpu/kernels/tables.h"

#define NAME_TEXT(isa) #isa
#define NAME_OF(isa) NAME_TEXT(isa)

extern const ten_epilogue TEN_K(ready)[TEN_READY_COUNT];

const ten_kernels TEN_K(kernels) = {
    .isa = NAME_OF(TEN_ISA),
    .gemm_mr = GEMM_MR,
    .gemm_nr = GEMM_NR,
    .gemm_packed_size = TEN_K(gemm_packed_size),
    .gemm_pack_b = TEN_K(gemm_pack_b),
    .gemm_scratch = TEN_K(gemm_scratch),
    .gemm_run = TEN_K(gemm_run),
    .conv_can = TEN_K(conv_can),
    .conv_packed_size = TEN_K(conv_packed_size),
    .conv_pack_units = TEN_K(conv_pack_units),
    .conv_pack = TEN_K(conv_pack),
    .conv_scratch = TEN_K(conv_scratch),
    .conv_run = TEN_K(conv_run),
    .wgrad_can_winograd = TEN_K(winograd_wgrad_can),
    .wgrad_scratch = TEN_K(wgrad_scratch),
    .wgrad_run = TEN_K(wgrad_run),
    .bf16_portable = &TEN_K(bf16_portable),
    .bf16_packed_size = TEN_K(bf16_packed_size),
    .bf16_pack_b = TEN_K(bf16_pack_b),
    .bf16_gemm_scratch = TEN_K(bf16_gemm_scratch),
    .bf16_gemm_run = TEN_K(bf16_gemm_run),
    .bf16_conv_packed_size = TEN_K(bf16_conv_packed_size),
    .bf16_conv_pack_units = TEN_K(bf16_conv_pack_units),
    .bf16_conv_pack = TEN_K(bf16_conv_pack),
    .bf16_conv_scratch = TEN_K(bf16_conv_scratch),
    .bf16_conv_run = TEN_K(bf16_conv_run),
    .int8_portable = &TEN_K(int8_portable),
    .int8_scratch = TEN_K(int8_scratch),
    .int8_pack = TEN_K(int8_pack),
    .int8_run = TEN_K(int8_run),
    .attention_scratch = TEN_K(attention_scratch),
    .attention_run = TEN_K(attention_run),
    .attention_grad_run = TEN_K(attention_grad_run),
    .fft_run = TEN_K(fft_run),
    .product_run = TEN_K(product_run),
    .cholesky_run = TEN_K(cholesky_run),
    .solve_run = TEN_K(solve_run),
    .threefry_run = TEN_K(threefry_run),
    .philox_run = TEN_K(philox_run),
    .move_run = TEN_K(move_run),
    .scan_run = TEN_K(scan_run),
    .ready = TEN_K(ready),
};
