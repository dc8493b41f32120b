"""Where arrays are and how they lie: memory kinds, layouts, DLPack."""

from __future__ import annotations

import gc
from typing import Any

import both
import jax
import jax.numpy as jnp
import numpy as np
from jax.ad_checkpoint import checkpoint_name
from jax.experimental.compute_on import compute_on
from jax.experimental.layout import Format, Layout
from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def place(platform: str, kind: str) -> SingleDeviceSharding:
    return SingleDeviceSharding(jax.devices(platform)[0], memory_kind=kind)


def case_memory_kinds(platform: str) -> Any:
    device = jax.devices(platform)[0]
    return [m.kind for m in device.addressable_memories()], device.default_memory().kind


def case_put(platform: str) -> Any:
    out = []
    for kind in ("pinned_host", "unpinned_host", "device"):
        x = jax.device_put(X, place(platform, kind))
        back = jax.device_put(x, place(platform, "device"))
        out.append([x.sharding.memory_kind, x, back.sharding.memory_kind, back, (back + 1).sharding.memory_kind])
    return out


def case_program_places(platform: str) -> Any:
    host = place(platform, "pinned_host")
    to_host = jax.jit(lambda a: (a * 2, a + 1), out_shardings=(host, place(platform, "device")))
    first, second = to_host(jax.device_put(X, place(platform, "device")))
    inside = jax.jit(lambda a: jax.device_put(a, place(platform, "device")) * 2)(jax.device_put(X, host))
    return [[v.sharding.memory_kind, v] for v in (first, second, inside)]


def case_compute_on(_: str) -> Any:
    @compute_on("device_host")
    @jax.jit
    def tripled(a: Any) -> Any:
        return a * 3

    return jax.jit(lambda a: tripled(a) + 1)(jnp.asarray(X))


def case_offloaded_remat(_: str) -> Any:
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["y"],
        offload_src="device",
        offload_dst="pinned_host",
    )

    def loss(a: Any) -> Any:
        y = checkpoint_name(jnp.sin(a), "y")
        return jnp.sum(jnp.sin(y) * y)

    return jax.jit(jax.grad(jax.checkpoint(loss, policy=policy)))(jnp.asarray(X))


def case_sharded_memory(platform: str) -> Any:
    mesh = Mesh(np.array(jax.devices(platform)[:2]), ("a",))
    host = NamedSharding(mesh, P("a"), memory_kind="pinned_host")
    out = jax.jit(lambda a: a * 2, out_shardings=host)(jax.device_put(X, NamedSharding(mesh, P("a"))))
    return out, out.sharding.memory_kind, [shard.data.shape for shard in out.addressable_shards]


def case_layouts(platform: str) -> Any:
    turned = Format(Layout((1, 0)), place(platform, "device"))
    x = jax.device_put(X, turned)
    product = jax.jit(lambda a: a @ a.T + jnp.array([[0.0, 1.0], [2.0, 3.0]]), out_shardings=turned)(x)
    back = jax.device_put(product, Format(Layout((0, 1)), place(platform, "device")))
    formats = [v.format.layout.major_to_minor for v in (x, product, back)]
    return formats, x, product, back, jax.jit(lambda a: a.sum(0))(x), x[1], x.T.reshape(2, 3)


def case_layout_of_three_dimensions(platform: str) -> Any:
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    out = []
    for order in ((2, 0, 1), (1, 2, 0), (0, 2, 1)):
        y = jax.device_put(x, Format(Layout(order), place(platform, "device")))
        out.append([y, y + 1, y.format.layout.major_to_minor])
    return out


def case_layout_auto(platform: str) -> Any:
    auto = Format(Layout.AUTO)
    given = jax.ShapeDtypeStruct((2, 3), jnp.float32, sharding=place(platform, "device"))
    compiled = jax.jit(lambda a: a @ a.T, in_shardings=auto, out_shardings=auto).lower(given).compile()
    return [str(f.layout) for f in (*compiled.input_formats[0], compiled.output_formats)]


def case_sharded_layout(platform: str) -> Any:
    mesh = Mesh(np.array(jax.devices(platform)[:2]), ("a",))
    turned = Format(Layout((1, 0)), NamedSharding(mesh, P("a")))
    x = jax.device_put(X, turned)
    out = jax.jit(lambda a: a * 2 + a.sum(), out_shardings=turned)(x)
    return x, out, [shard.data for shard in out.addressable_shards], out.format.layout.major_to_minor


def case_own_layout_is_physical(platform: str) -> bool:
    import ctypes

    x = jax.device_put(X, Format(Layout((1, 0)), place(platform, "device")))
    memory = (ctypes.c_float * 6).from_address(x.unsafe_buffer_pointer())
    return list(memory) == X.T.ravel().tolist()


def case_own_dlpack_shares(platform: str) -> bool:
    x = jax.device_put(X, jax.devices(platform)[0])
    view, place = np.from_dlpack(x), x.unsafe_buffer_pointer()
    shared = view.ctypes.data == place and x.__dlpack_device__() == (1, 0)
    del x
    gc.collect()
    others = [jax.device_put(X + 9, jax.devices(platform)[0]) for _ in range(20)]
    return shared and bool((view == X).all()) and len(others) == 20


def case_own_dlpack_torch(platform: str) -> bool:
    try:
        import torch
    except ImportError:
        return True
    x, half = (jax.device_put(v, jax.devices(platform)[0]) for v in (X, X.astype(jnp.bfloat16)))
    one, two = torch.from_dlpack(x), torch.from_dlpack(half)
    back = jax.dlpack.from_dlpack(one + 1, device=jax.devices(platform)[0])
    return (
        one.data_ptr() == x.unsafe_buffer_pointer()
        and one.tolist() == X.tolist()
        and two.dtype == torch.bfloat16
        and two.float().tolist() == X.tolist()
        and np.array_equal(back, X + 1)
        and back.devices() == {jax.devices(platform)[0]}
    )


def case_own_dlpack_donated(platform: str) -> bool:
    x = jax.device_put(X, jax.devices(platform)[0])
    view = np.from_dlpack(x)
    changed = jax.jit(lambda a: a + 1, donate_argnums=0)(x)
    return bool((view == X).all() and (np.asarray(changed) == X + 1).all())


def case_own_dlpack_to_jax(platform: str) -> bool:
    x = jax.device_put(X, jax.devices(platform)[0])
    return np.array_equal(jnp.from_dlpack(x), X) and np.array_equal(jax.dlpack.from_dlpack(x, copy=True), X)


def case_own_odd_addresses(platform: str) -> bool:
    """Memory that is not aligned to its elements is copied, also where a view of it was asked for."""
    device = jax.devices(platform)[0]
    odd = np.frombuffer(bytearray(b"x" + X.tobytes()), np.float32, offset=1).reshape(X.shape)
    key = np.frombuffer(b"x" + np.array([3, 4], np.uint32).tobytes(), np.uint32, offset=1)
    made = [jax.device_put(odd, device), jax.device_put(odd.T, device).T]
    try:
        import torch

        made.append(jax.dlpack.from_dlpack(torch.from_numpy(odd), device=device))
    except ImportError:
        pass
    bits = [jax.random.bits(jax.device_put(k, device), (5,)) for k in (key, np.array([3, 4], np.uint32))]
    return all(
        [
            *[np.array_equal(m + 1, X + 1) and m.unsafe_buffer_pointer() % 4 == 0 for m in made],
            np.array_equal(*bits),
        ]
    )


def case_bad_memory(platform: str) -> Any:
    try:
        place(platform, "attic")
    except ValueError as problem:
        return "device, pinned_host, unpinned_host" in str(problem).replace("[", "") or str(problem)
    return "no error"


if __name__ == "__main__":
    both.main(globals())
