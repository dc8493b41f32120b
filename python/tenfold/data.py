"""Batches of arrays for training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tenfold.array import creation, indexing, manipulation, random
from tenfold.array.object import Array


class ArrayDataset:
    """Items of arrays that have one length: item i is the i-th of each."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = tuple(creation.asarray(a) for a in arrays)
        lengths = {a.shape[0] if a.ndim else None for a in self.arrays}
        if len(lengths) != 1 or None in lengths:
            raise ValueError(f"a dataset is of arrays of one length, not of {[a.shape for a in self.arrays]}")

    def __len__(self) -> int:
        return self.arrays[0].shape[0]

    def __getitem__(self, index: Any) -> tuple[Array, ...]:
        return tuple(a[index] for a in self.arrays)


class DataLoader:
    """Batches of a dataset: anything with a length and items. An ArrayDataset's are taken out of its arrays at once.

    With `shuffle` each pass has another order, which follows `generator`."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        generator: random.Generator | None = None,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size is at least 1, not {batch_size}")
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.generator = generator or random.default()

    def __len__(self) -> int:
        count = len(self.dataset)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        count = len(self.dataset)
        order = self.generator.permutation(count) if self.shuffle else creation.arange(count)
        numbers = None if isinstance(self.dataset, ArrayDataset) else order.tolist()
        for i in range(len(self)):
            part = slice(i * self.batch_size, min(count, (i + 1) * self.batch_size))
            if numbers is None:
                yield tuple(indexing.take(a, order[part], axis=0) for a in self.dataset.arrays)
            else:
                yield _stacked([self.dataset[j] for j in numbers[part]])


def _stacked(items: Sequence[Any]) -> Any:
    first = items[0]
    if isinstance(first, tuple | list):
        return tuple(_stacked(column) for column in zip(*items, strict=True))
    return manipulation.stack([creation.asarray(item) for item in items])
