"""The text of generated CUDA kernels, which needs neither a GPU nor NVRTC."""

import re

import pytest
from test_nvrtc import attention_gradient, convolution, kernels, product

SMALL = 99 << 10  # bytes of shared memory that a group of threads may have on most GPUs


def shared(source):
    return [int(n) for n in re.findall(r"^  SHARED\((\d+)\);", source.partition("\nKERNEL")[2], re.MULTILINE)]


@pytest.mark.parametrize("arch", ["sm_86", "sm_89", "sm_120"])
@pytest.mark.parametrize(
    "text",
    [
        product(4096, 4096, 4096),
        product(512, 512, 4096, left="[0]", right="[0]"),
        convolution(16, 56, 128, 256),
        attention_gradient(200, 130, 128, False),
        attention_gradient(200, 130, 128, True),
    ],
    ids=["matmul", "transposed", "convolution", "attention", "masked attention"],
)
def test_kernels_have_no_more_shared_memory_than_their_gpu(tmp_path, arch, text):
    sizes = shared(kernels(tmp_path, arch, text))
    assert sizes and max(sizes) <= SMALL


def test_large_gpus_have_larger_tiles(tmp_path):
    assert max(shared(kernels(tmp_path, "sm_80", product(4096, 4096, 4096)))) > SMALL


@pytest.mark.parametrize("text", [product(512, 512, 512), attention_gradient(64, 64, 64, True)])
def test_gpus_before_sm_80_get_no_tensor_core_kernels(tmp_path, text):
    body = kernels(tmp_path, "sm_75", text).partition("\nKERNEL")[2]
    assert "fmaf(" in body
    assert "mma_" not in body
    assert "COPY16" not in body


def test_features_behind_the_last_tap_are_zero(tmp_path):
    """Where the depth of a convolution is cut into pieces, the last piece may go on behind the last tap: pixels there
    may be infinite, and times the zeros of a kernel that ended they would be NaN."""
    body = kernels(tmp_path, "sm_90a", convolution(1, 14, 320, 256)).partition("\nKERNEL")[2]
    assert "bulk_window(" in body
    depth = 9 * 320
    pieces = int(re.search(r"for \(i32 step = 0; step < (\d+); step\+\+\)", body).group(1)) * 64
    assert depth % pieces
    assert re.search(rf"< {depth} \? v\d+ : 320;", body)


def test_a_gradient_of_matrices_that_were_not_rounded_is_several_kernels(tmp_path):
    """Queries' gradient by the keys themselves, where the scores are of keys in 16 bits."""
    text = attention_gradient(64, 64, 64, True)
    rounded = "tensor<2x3x64x64xbf16>", "tensor<2x3x64x64xf32>", "tensor<6x64x64xf32>"
    text = text.replace(f"%k: {rounded[0]}", f"%keys: {rounded[1]}", 1).replace(
        "%low =", f"%k = stablehlo.convert %keys : ({rounded[1]}) -> {rounded[0]}\n      %low =", 1
    )
    assert kernels(tmp_path, "sm_80", text).count("\nKERNEL") <= 3
    text = text.replace(
        "%dq6 = stablehlo.dot_general %ds6, %k6",
        f"""%k7 = stablehlo.transpose %keys, dims = [0, 1, 3, 2] : ({rounded[1]}) -> {rounded[1]}
      %k8 = stablehlo.multiply %k7, %by_t : {rounded[1]}
      %k9 = stablehlo.reshape %k8 : ({rounded[1]}) -> {rounded[2]}
      %dq6 = stablehlo.dot_general %ds6, %k9""",
    )
    assert kernels(tmp_path, "sm_80", text).count("\nKERNEL") > 3
