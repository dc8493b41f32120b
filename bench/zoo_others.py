"""Architectures of `make bench-zoo` that no library of the benchmark has: graphs, recommendation, heads of detectors,
recurrent layers, tables, sound, points. Each function makes a model and the inputs of one batch."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from zoo_models import conv, resnet

Made = tuple[nn.Module, tuple[Any, ...]]


# ---- graphs --------------------------------------------------------------------------------------------------------

NODES, EDGES, FEATURES = 400, 3200, 128  # of one graph; a batch is one graph of so many parts


def graph(batch: int) -> tuple[torch.Tensor, torch.Tensor]:
    edges = torch.randint(0, NODES, (batch, 2, EDGES)) + NODES * torch.arange(batch)[:, None, None]
    return torch.randn(batch * NODES, FEATURES), edges.transpose(0, 1).reshape(2, -1)


class GraphConvolution(nn.Module):
    """Sums what the neighbours say, by the square roots of their degrees."""

    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.linear = nn.Linear(i, o)

    def forward(self, x, edges):
        source, target = edges
        ones = torch.ones(source.shape[0], dtype=x.dtype, device=x.device)
        degree = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device).index_add(0, target, ones).clamp(min=1)
        weight = degree[source].rsqrt() * degree[target].rsqrt()
        y = self.linear(x)
        return torch.zeros_like(y).index_add(0, target, y[source] * weight[:, None].to(y.dtype))


class GraphAttention(nn.Module):
    def __init__(self, i: int, o: int, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.linear = heads, nn.Linear(i, o)
        self.left, self.right = (nn.Parameter(torch.randn(heads, o // heads) * 0.1) for _ in range(2))

    def forward(self, x, edges):
        source, target = edges
        y = self.linear(x).view(x.shape[0], self.heads, -1)
        score = F.leaky_relu((y * self.left).sum(-1)[source] + (y * self.right).sum(-1)[target], 0.2).exp()
        total = score.new_zeros(x.shape[0], self.heads).index_add(0, target, score)
        share = score / total[target]
        mixed = torch.zeros_like(y).index_add(0, target, y[source] * share[..., None].to(y.dtype))
        return mixed.flatten(1)


class GraphSage(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(i, o), nn.Linear(i, o)

    def forward(self, x, edges):
        source, target = edges
        index = target[:, None].expand(-1, x.shape[1])
        mean = torch.zeros_like(x).scatter_reduce(0, index, x[source], "mean", include_self=False)
        return self.own(x) + self.others(mean)


class GraphIsomorphism(nn.Module):
    """Adds a node to the sum of its neighbours; two layers read that."""

    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.more = nn.Parameter(torch.zeros(1))
        self.layers = nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o))

    def forward(self, x, edges):
        source, target = edges
        return self.layers((1 + self.more) * x + torch.zeros_like(x).index_add(0, target, x[source]))


class Graph(nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        sizes = (FEATURES, 128, 128, 32)
        self.layers = nn.ModuleList(layer(i, o) for i, o in itertools.pairwise(sizes))

    def forward(self, x, edges):
        for layer in self.layers:
            x = F.relu(layer(x, edges))
        return x


def gcn(batch: int) -> Made:
    return Graph(GraphConvolution), graph(batch)


def gat(batch: int) -> Made:
    return Graph(GraphAttention), graph(batch)


def graph_sage(batch: int) -> Made:
    return Graph(GraphSage), graph(batch)


def gin(batch: int) -> Made:
    return Graph(GraphIsomorphism), graph(batch)


# ---- recommendation: a batch is of 128 requests ----------------------------------------------------------------------

REQUESTS, TABLES, ROWS, WIDTH = 128, 8, 5000, 32


def dense(*sizes: int, last: bool = False) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, o in itertools.pairwise(sizes):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*(layers if last else layers[:-1]))


class DLRM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bottom = dense(13, 256, 128, WIDTH, last=True)
        self.tables = nn.ModuleList(nn.EmbeddingBag(ROWS, WIDTH, mode="sum") for _ in range(TABLES))
        pairs = (TABLES + 1) * TABLES // 2
        self.top = dense(WIDTH + pairs, 256, 128, 1)
        self.register_buffer("pairs", torch.tril_indices(TABLES + 1, TABLES + 1, -1))

    def forward(self, numbers, bags):
        x = self.bottom(numbers)
        rows = torch.stack([x, *(table(bags[:, i]) for i, table in enumerate(self.tables))], 1)
        products = rows @ rows.transpose(1, 2)
        return self.top(torch.cat([x, products[:, self.pairs[0], self.pairs[1]].to(x.dtype)], 1))


def dlrm(batch: int) -> Made:
    size = REQUESTS * batch
    return DLRM(), (torch.randn(size, 13), torch.randint(0, ROWS, (size, TABLES, 4)))


class DeepFM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Embedding(ROWS * TABLES, 1), nn.Embedding(ROWS * TABLES, WIDTH)
        self.deep = dense(TABLES * WIDTH, 256, 128, 1)

    def forward(self, fields):
        rows = self.second(fields)
        mixed = 0.5 * (rows.sum(1).square() - rows.square().sum(1)).sum(1, keepdim=True)
        return self.first(fields).sum(1) + mixed + self.deep(rows.flatten(1))


def deep_fm(batch: int) -> Made:
    return DeepFM(), (torch.randint(0, ROWS * TABLES, (REQUESTS * batch, TABLES)),)


class TwoTowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(ROWS, 64), nn.Embedding(ROWS, 64)
        self.left, self.right = dense(64, 256, 64), dense(64, 256, 64)

    def forward(self, users, items):
        left = F.normalize(self.left(self.users(users)), dim=1)
        return left @ F.normalize(self.right(self.items(items)), dim=1).T


def two_towers(batch: int) -> Made:
    size = REQUESTS * batch
    return TwoTowers(), (torch.randint(0, ROWS, (size,)), torch.randint(0, ROWS, (size,)))


# ---- heads of detectors ----------------------------------------------------------------------------------------------


class PyramidHead(nn.Module):
    """A feature pyramid over a ResNet-18 and the two towers of FCOS over its levels."""

    def __init__(self, c: int = 64) -> None:
        super().__init__()
        stem = resnet((1, 1, 1, 1), False)
        self.stem = nn.Sequential(*list(stem)[:3])
        self.stages = nn.ModuleList(list(stem)[3:6])
        self.across = nn.ModuleList(nn.Conv2d(i, c, 1) for i in (128, 256, 512))
        self.smooth = nn.ModuleList(nn.Conv2d(c, c, 3, padding=1) for _ in range(3))
        tower = [nn.Conv2d(c, c, 3, padding=1), nn.GroupNorm(16, c), nn.ReLU()]
        self.classes = nn.Sequential(*tower, nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, 20, 3, padding=1))
        self.boxes = nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, 4, 3, padding=1))

    def forward(self, x):
        x, levels = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            levels.append(x)
        made, above = [], None
        for level, across, smooth in reversed(list(zip(levels, self.across, self.smooth, strict=True))):
            y = across(level)
            above = y if above is None else y + F.interpolate(above, size=y.shape[-2:], mode="nearest")
            made.append(smooth(above))
        scores = torch.cat([self.classes(y).flatten(2) for y in made], 2)
        return scores, torch.cat([self.boxes(y).exp().flatten(2) for y in made], 2)


def pyramid_head(batch: int) -> Made:
    return PyramidHead(), (torch.randn(batch, 3, 160, 160),)


class SSDHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleList([
            nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2), conv(64, 128, 3, 2)),
            nn.Sequential(conv(128, 128), conv(128, 256, 3, 2)), nn.Sequential(conv(256, 128), conv(128, 256, 3, 2)),
        ])  # fmt: skip
        self.heads = nn.ModuleList(nn.Conv2d(c, 6 * (4 + 21), 3, padding=1) for c in (128, 256, 256))

    def forward(self, x):
        rows = []
        for step, head in zip(self.steps, self.heads, strict=True):
            x = step(x)
            rows.append(head(x).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 25))
        y = torch.cat(rows, 1)
        return y[..., 4:].softmax(-1), y[..., :4]


def ssd_head(batch: int) -> Made:
    return SSDHead(), (torch.randn(batch, 3, 160, 160),)


class CrossStage(nn.Module):
    """The C2f block of recent YOLOs."""

    def __init__(self, c: int, count: int) -> None:
        super().__init__()
        half = c // 2
        self.first, self.last = self.unit(c, c, 1), self.unit(half * (2 + count), c, 1)
        self.middle = nn.ModuleList(
            nn.Sequential(self.unit(half, half, 3), self.unit(half, half, 3)) for _ in range(count)
        )

    @staticmethod
    def unit(i: int, o: int, k: int, stride: int = 1) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(i, o, k, stride, k // 2, bias=False), nn.BatchNorm2d(o), nn.SiLU(inplace=True))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for layer in self.middle:
            parts.append(parts[-1] + layer(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Yolo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        unit = CrossStage.unit
        self.low = nn.Sequential(
            unit(3, 16, 3, 2), unit(16, 32, 3, 2), CrossStage(32, 1), unit(32, 64, 3, 2), CrossStage(64, 2)
        )
        self.high = nn.Sequential(unit(64, 128, 3, 2), CrossStage(128, 2))
        self.mixed = nn.Sequential(unit(192, 64, 1), CrossStage(64, 1))
        self.heads = nn.ModuleList([nn.Conv2d(64, 84, 1), nn.Conv2d(128, 84, 1)])

    def forward(self, x):
        low = self.low(x)
        high = self.high(low)
        pooled = [high]
        for _ in range(3):
            pooled.append(F.max_pool2d(pooled[-1], 5, 1, 2))
        low = self.mixed(torch.cat([low, F.interpolate(sum(pooled), scale_factor=2.0)], 1))
        y = torch.cat([self.heads[0](low).flatten(2), self.heads[1](high).flatten(2)], 2)
        boxes, classes = y.split((4, 80), 1)
        return classes.sigmoid(), boxes


def yolo_head(batch: int) -> Made:
    return Yolo(), (torch.randn(batch, 3, 160, 160),)


# ---- recurrent -------------------------------------------------------------------------------------------------------


class Recurrent(nn.Module):
    def __init__(self, layer: Any, both_ways: bool = False, attends: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(2000, 128)
        self.layer = layer(128, 256, 2, batch_first=True, bidirectional=both_ways)
        wide = 512 if both_ways else 256
        self.query = nn.Linear(wide, 1) if attends else None
        self.head = nn.Linear(wide, 100)

    def forward(self, tokens):
        y, _ = self.layer(self.words(tokens))
        if self.query is not None:
            return self.head((self.query(y).softmax(1) * y).sum(1))
        return self.head(y)


def recurrent(batch: int, *options: Any) -> Made:
    return Recurrent(*options), (torch.randint(0, 2000, (batch, 32)),)


def lstm(batch: int) -> Made:
    return recurrent(batch, nn.LSTM)


def gru(batch: int) -> Made:
    return recurrent(batch, nn.GRU)


def elman(batch: int) -> Made:
    return recurrent(batch, nn.RNN)


def lstm_both_ways(batch: int) -> Made:
    return recurrent(batch, nn.LSTM, True)


def lstm_attention(batch: int) -> Made:
    return recurrent(batch, nn.LSTM, True, True)


# ---- tables: a batch is of 128 rows ----------------------------------------------------------------------------------


def mlp(batch: int) -> Made:
    return dense(64, 512, 512, 256, 10), (torch.randn(REQUESTS * batch, 64),)


def autoencoder_mlp(batch: int) -> Made:
    model = nn.Sequential(dense(256, 512, 128, 32), nn.Tanh(), dense(32, 128, 512, 256), nn.Sigmoid())
    return model, (torch.randn(REQUESTS * batch, 256),)


class TableBlock(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.BatchNorm1d(c), nn.Linear(c, 2 * c), nn.ReLU(), nn.Linear(2 * c, c))

    def forward(self, x):
        return x + self.layers(x)


def tabular_resnet(batch: int) -> Made:
    blocks = [TableBlock(192) for _ in range(4)]
    model = nn.Sequential(nn.Linear(64, 192), *blocks, nn.BatchNorm1d(192), nn.ReLU(), nn.Linear(192, 10))
    return model, (torch.randn(REQUESTS * batch, 64),)


class FTTransformer(nn.Module):
    """Every column is a token."""

    def __init__(self, columns: int = 16, c: int = 64) -> None:
        super().__init__()
        self.weight, self.bias = (nn.Parameter(torch.randn(columns, c) * 0.1) for _ in range(2))
        self.token = nn.Parameter(torch.zeros(1, 1, c))
        layer = nn.TransformerEncoderLayer(c, 4, 128, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(c), nn.ReLU(), nn.Linear(c, 10))

    def forward(self, x):
        tokens = x[:, :, None] * self.weight + self.bias
        return self.head(self.layers(torch.cat([self.token.expand(x.shape[0], -1, -1), tokens], 1))[:, 0])


def ft_transformer(batch: int) -> Made:
    return FTTransformer(), (torch.randn(32 * batch, 16),)


# ---- sound and points ------------------------------------------------------------------------------------------------


class Separated(nn.Module):
    """A block of Conv-TasNet: 1x1, PReLU, norm over all, depthwise and dilated, 1x1."""

    def __init__(self, c: int, wide: int, dilation: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(c, wide, 1), nn.PReLU(), nn.GroupNorm(1, wide),
            nn.Conv1d(wide, wide, 3, padding=dilation, dilation=dilation, groups=wide), nn.PReLU(),
            nn.GroupNorm(1, wide), nn.Conv1d(wide, c, 1),
        )  # fmt: skip

    def forward(self, x):
        return x + self.layers(x)


class ConvTasNet(nn.Module):
    def __init__(self, c: int = 128, wide: int = 256) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, c, 16, 8, bias=False), nn.ConvTranspose1d(c, 1, 16, 8, bias=False)
        self.mask = nn.Sequential(nn.GroupNorm(1, c), *(Separated(c, wide, 1 << n) for n in range(6)), nn.Sigmoid())

    def forward(self, x):
        y = F.relu(self.encoder(x))
        return self.decoder(y * self.mask(y))


def conv_tasnet(batch: int) -> Made:
    return ConvTasNet(), (torch.randn(batch, 1, 8000),)


class Causal(nn.Module):
    def __init__(self, i: int, o: int, dilation: int) -> None:
        super().__init__()
        self.pad = 2 * dilation
        self.filter, self.gate = (nn.Conv1d(i, o, 3, dilation=dilation) for _ in range(2))
        self.out = nn.Conv1d(o, i, 1)

    def forward(self, x):
        y = F.pad(x, (self.pad, 0))
        return x + self.out(torch.tanh(self.filter(y)) * torch.sigmoid(self.gate(y)))


def temporal_net(batch: int) -> Made:
    """Gated and dilated as WaveNet is."""
    blocks = [Causal(64, 64, 1 << n) for n in range(6)]
    return nn.Sequential(nn.Conv1d(40, 64, 1), *blocks, nn.ReLU(), nn.Conv1d(64, 32, 1)), (torch.randn(batch, 40, 500),)


class PointNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        sizes, layers = (3, 64, 64, 128, 512), []
        for i, o in itertools.pairwise(sizes):
            layers += [nn.Conv1d(i, o, 1), nn.BatchNorm1d(o), nn.ReLU()]
        self.layers, self.head = nn.Sequential(*layers), dense(512, 256, 40)

    def forward(self, x):
        return self.head(self.layers(x).amax(2))


def pointnet(batch: int) -> Made:
    return PointNet(), (torch.randn(batch, 3, 1024),)
