"""Small models of many architectures, each with inputs, for the tests of the PyTorch doors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


def vgg19(width: int = 4) -> nn.Module:
    layers: list[nn.Module] = []
    channels = 3
    for item in [1, 1, "M", 2, 2, "M", 4, 4, 4, 4, "M", 8, 8, 8, 8, "M", 8, 8, 8, 8, "M"]:
        if item == "M":
            layers.append(nn.MaxPool2d(2))
            continue
        layers += [nn.Conv2d(channels, item * width, 3, padding=1), nn.ReLU()]
        channels = item * width
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 10)]
    return nn.Sequential(*layers, *head)


class Bottleneck(nn.Module):
    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, 4 * width, 1, bias=False),
            nn.BatchNorm2d(4 * width),
        )
        self.down: nn.Module | None = None
        if stride != 1 or inside != 4 * width:
            self.down = nn.Sequential(nn.Conv2d(inside, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(x)
        y += self.down(x) if self.down is not None else x
        return F.relu(y, inplace=True)


class ResNet50(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )
        blocks: list[nn.Module] = []
        inside = width
        for stage, count in enumerate([3, 4, 6, 3]):
            for i in range(count):
                blocks.append(Bottleneck(inside, width << stage, 2 if i == 0 and stage else 1))
                inside = 4 * (width << stage)
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(inside, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.blocks(self.stem(x))
        return self.head(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class UNet(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()

        def double(a: int, b: int) -> nn.Module:
            return nn.Sequential(
                nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(2, b), nn.SiLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU()
            )

        self.a, self.b, self.c = double(3, width), double(width, 2 * width), double(2 * width, 4 * width)
        self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.d = double(4 * width, 2 * width)
        self.e = double(3 * width, width)
        self.out = nn.Conv2d(width, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = self.c(F.avg_pool2d(b, 2))
        d = self.d(torch.cat([self.up1(c), b], 1))
        up = F.interpolate(d, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.out(self.e(torch.cat([up, a], 1)))


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.Module] = nn.LSTM) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 8)
        self.rnn = kind(8, 12, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(24, 5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        y, _ = self.rnn(self.embed(tokens))
        return self.head(y.mean(1))


class Experts(nn.Module):
    """A mixture of experts: the two best of four, by their gates."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(16, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, index = torch.topk(self.gate(x).softmax(-1), 2)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            share = (weight * (index == k)).sum(-1, keepdim=True)
            out = out + share * expert(x)
        return out


class StateSpace(nn.Module):
    """A selective scan, one step after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(8, 16)
        self.conv = nn.Conv1d(8, 8, 3, padding=2, groups=8)
        self.a = nn.Parameter(-torch.rand(8, 4))
        self.bc = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        u, gate = self.proj(x).chunk(2, -1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        b, c = self.bc(u).split(4, -1)
        state = torch.zeros(x.shape[0], 8, 4)
        ys = []
        for t in range(x.shape[1]):
            state = state * torch.exp(self.a) + u[:, t, :, None] * b[:, t, None, :]
            ys.append((state * c[:, t, None, :]).sum(-1))
        return torch.stack(ys, 1) * F.silu(gate)


class Graph(nn.Module):
    """Message passing over edges."""

    def __init__(self) -> None:
        super().__init__()
        self.message, self.update = nn.Linear(16, 8), nn.GRUCell(8, 8)

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            source, target = edges[0], edges[1]
            m = F.relu(self.message(torch.cat([nodes[source], nodes[target]], -1)))
            total = torch.zeros_like(nodes).index_add_(0, target, m)
            nodes = self.update(total, nodes)
        return nodes.mean(0)


class Audio(nn.Module):
    """A spectrogram and a small stack of one-dimensional convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))
        self.conv = nn.Sequential(
            nn.Conv1d(17, 8, 3, stride=2), nn.BatchNorm1d(8), nn.ELU(), nn.Conv1d(8, 4, 3, dilation=2)
        )

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        frames = wave.unfold(-1, 32, 16) * self.window
        power = torch.fft.rfft(frames).abs().pow(2)
        return self.conv(torch.log1p(power).transpose(1, 2)).amax(-1)


class Detection(nn.Module):
    """Boxes from anchors, kept by score."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Conv2d(3, 8, 3, padding=1)
        self.boxes, self.scores = nn.Conv2d(8, 4, 1), nn.Conv2d(8, 2, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = F.hardswish(self.body(x))
        boxes = self.boxes(y).flatten(2).transpose(1, 2).sigmoid()
        scores = self.scores(y).flatten(2).softmax(1)[:, 1]
        best, index = scores.topk(5, 1)
        chosen = boxes.gather(1, index[..., None].expand(-1, -1, 4))
        x1y1, wh = chosen.split(2, -1)
        return torch.cat([x1y1 - wh / 2, x1y1 + wh / 2], -1).clamp(0, 1), best


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bag, self.head = nn.EmbeddingBag(30, 6, mode="mean"), nn.Linear(6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.log_softmax(self.head(self.bag(x)), -1)


class Branches(nn.Module):
    """Control flow that is kept in the program."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.cond(x.sum() > 0, lambda v: v.sin(), lambda v: v.cos() * 2, (x,))
        _, z = torch._higher_order_ops.while_loop(
            lambda i, v: i < 4, lambda i, v: (i + 1, v * 0.5 + 1), (torch.tensor(0), y)
        )
        return z


def encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


def _tokens(batch: int = 2) -> tuple[torch.Tensor]:
    return (torch.randint(0, 50, (batch, 7)),)


def _image(batch: int = 2, size: int = 32) -> tuple[torch.Tensor]:
    return (torch.randn(batch, 3, size, size),)


MODELS: dict[str, tuple[Callable[[], nn.Module], Callable[..., tuple[Any, ...]]]] = {
    "vgg19": (vgg19, _image),
    "resnet50": (ResNet50, lambda batch=4: _image(batch, 64)),
    "unet": (UNet, lambda batch=2: _image(batch, 16)),
    "lstm": (Recurrent, _tokens),
    "gru": (lambda: Recurrent(nn.GRU), _tokens),
    "encoder": (encoder, lambda batch=2: (torch.randn(batch, 6, 16),)),
    "experts": (Experts, lambda batch=2: (torch.randn(batch, 5, 16),)),
    "state_space": (StateSpace, lambda batch=2: (torch.randn(batch, 5, 8),)),
    "audio": (Audio, lambda batch=2: (torch.randn(batch, 256),)),
    "detection": (Detection, lambda batch=2: _image(batch, 8)),
    "bag": (Bag, lambda batch=2: (torch.randint(0, 30, (batch, 4)),)),
    "branches": (Branches, lambda batch=2: (torch.randn(batch, 4),)),
}
FIXED_BATCH = {"graph"}
MODELS["graph"] = (Graph, lambda batch=2: (torch.randn(6, 8), torch.randint(0, 6, (2, 9))))


def transformers_models() -> dict[str, tuple[Callable[[], nn.Module], Callable[..., tuple[Any, ...]]]]:
    """Small random configurations of models from the transformers library; empty where that is not installed."""
    try:
        import transformers as tf
        from transformers.integrations.executorch import sdpa_mask_without_vmap
        from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
    except ImportError:
        return {}
    # torch.export.save cannot write the masks that transformers makes with vmap.
    ALL_MASK_ATTENTION_FUNCTIONS.register("sdpa", sdpa_mask_without_vmap)

    class First(nn.Module):
        """Tensors in, the first tensor out: the rest of a model's output are containers."""

        def __init__(self, model: nn.Module, **settings: Any) -> None:
            super().__init__()
            self.model = model
            self.settings = settings

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.model(x, **self.settings)[0]

    small = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "vocab_size": 50,
    }
    made: dict[str, tuple[Callable[[], nn.Module], Callable[..., tuple[Any, ...]]]] = {
        "bert": (lambda: First(tf.BertModel(tf.BertConfig(**small)), return_dict=False), _tokens),
        "gpt2": (
            lambda: First(
                tf.GPT2LMHeadModel(tf.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=50, n_positions=16)),
                use_cache=False,
                return_dict=False,
            ),
            _tokens,
        ),
        "llama": (
            lambda: First(
                tf.LlamaForCausalLM(tf.LlamaConfig(num_key_value_heads=2, max_position_embeddings=32, **small)),
                use_cache=False,
                return_dict=False,
            ),
            _tokens,
        ),
        "vit": (
            lambda: First(
                tf.ViTModel(
                    tf.ViTConfig(image_size=16, patch_size=8, **{k: v for k, v in small.items() if k != "vocab_size"})
                ),
                return_dict=False,
            ),
            lambda batch=2: _image(batch, 16),
        ),
    }
    return made


def settle(model: nn.Module) -> nn.Module:
    """Residual branches of ResNet-50 start at zero, as they are trained; else eager's f32 and f64 losses part at once
    (by 5 % at the third step), and there is nothing to compare with."""
    for block in model.blocks if isinstance(model, ResNet50) else []:
        nn.init.zeros_(block.body[-1].weight)
    return model
