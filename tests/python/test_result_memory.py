"""Memory of results: what nobody holds any more is used again, what somebody holds is left alone."""

import gc

import tenfold.torch.backend  # noqa: F401
import torch


def test_results_that_are_held_stay_and_others_are_used_again():
    torch._dynamo.reset()
    run = torch.compile(lambda x: torch.exp(x) + x, backend="tenfold")
    xs = [torch.full((64, 256), float(i)) for i in range(4)]
    held = [run(x) for x in xs[:3]]
    views = held[2][1:].t()
    places = {y.data_ptr() for y in held}
    assert len(places) == 3
    for x, y in zip(xs, held, strict=False):
        torch.testing.assert_close(y, torch.exp(x) + x)
    free = held[0].data_ptr()
    del held[0], y
    again = run(xs[3])
    assert again.data_ptr() == free
    torch.testing.assert_close(again, torch.exp(xs[3]) + xs[3])
    del held[1]  # a view holds its memory
    another = run(xs[0])
    torch.testing.assert_close(views, (torch.exp(xs[2]) + xs[2])[1:].t())
    assert another.data_ptr() not in places | {again.data_ptr()}
    torch.testing.assert_close(held[0], torch.exp(xs[1]) + xs[1])


def test_results_outlive_their_program():
    torch._dynamo.reset()
    run = torch.compile(lambda x: x * 3, backend="tenfold")
    x = torch.randn(128, 128)
    y, spare = run(x), run(x)
    del spare
    del run
    torch._dynamo.reset()
    gc.collect()
    torch.testing.assert_close(y, x * 3)
