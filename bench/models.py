"""The models of the benchmark: random, seeded weights, in plain PyTorch; each with the inputs of one batch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY = 30522


class VGG19(nn.Module):
    """The network of the Julia-on-TPU paper; 0 in PLAN is a pooling layer."""

    PLAN = (64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0)

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for width in self.PLAN:
            if width:
                layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
                channels = width
            else:
                layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000)
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.features(images), 1))


class Bottleneck(nn.Module):
    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        outside = 4 * width
        self.body = nn.Sequential(
            *(nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, outside, 1, bias=False), nn.BatchNorm2d(outside)),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.body(x) + self.shortcut(x))


class ResNet50(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
        layers.append(nn.MaxPool2d(3, 2, 1))
        inside = 64
        for stage, count in enumerate([3, 4, 6, 3]):
            for i in range(count):
                layers.append(Bottleneck(inside, 64 << stage, 2 if stage and i == 0 else 1))
                inside = 256 << stage
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(2048, 1000)
        for module in self.modules():  # statistics as after training: not all zeros and ones
            if isinstance(module, nn.BatchNorm2d):
                nn.init.uniform_(module.running_mean, -0.1, 0.1)
                nn.init.uniform_(module.running_var, 0.8, 1.2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(images).mean((2, 3)))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, past: tuple[torch.Tensor, torch.Tensor] | None = None) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.joint(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal and past is None)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class BertBase(nn.Module):
    """12 layers of 768 with 12 heads, norms after each part."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, 768), nn.Embedding(512, 768)
        self.first = nn.LayerNorm(768)
        self.attention = nn.ModuleList(Attention(768, 12, False) for _ in range(12))
        self.norms = nn.ModuleList(nn.LayerNorm(768) for _ in range(24))
        self.inner = nn.ModuleList(nn.Linear(768, 3072) for _ in range(12))
        self.outer = nn.ModuleList(nn.Linear(3072, 768) for _ in range(12))
        self.pooler = nn.Linear(768, 768)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.first(self.words(tokens) + self.places.weight[: tokens.shape[1]])
        for i in range(12):
            x = self.norms[2 * i](x + self.attention[i](x))
            x = self.norms[2 * i + 1](x + self.outer[i](F.gelu(self.inner[i](x))))
        return torch.tanh(self.pooler(x[:, 0]))


class GPT2Small(nn.Module):
    """12 layers of 768 with 12 heads, norms before each part; gives the logits of the last token."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, 768), nn.Embedding(1024, 768)
        self.attention = nn.ModuleList(Attention(768, 12, True) for _ in range(12))
        self.norms = nn.ModuleList(nn.LayerNorm(768) for _ in range(25))
        self.inner = nn.ModuleList(nn.Linear(768, 3072) for _ in range(12))
        self.outer = nn.ModuleList(nn.Linear(3072, 768) for _ in range(12))

    def forward(self, tokens: torch.Tensor, past: torch.Tensor | None = None) -> torch.Tensor:
        before = 0 if past is None else past.shape[4]
        x = self.words(tokens) + self.places.weight[before : before + tokens.shape[1]]
        for i in range(12):
            kept = None if past is None else (past[i, 0], past[i, 1])
            x = x + self.attention[i](self.norms[2 * i](x), kept)
            x = x + self.outer[i](F.gelu(self.inner[i](self.norms[2 * i + 1](x)), approximate="tanh"))
        return F.linear(self.norms[24](x[:, -1]), self.words.weight)


class MLP(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))


MODELS = ["vgg19", "resnet50", "bert", "gpt2-prefill", "gpt2-decode", "mlp"]


def make(name: str, batch: int) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """A model for inference and the inputs of one call: the same for the same arguments."""
    torch.manual_seed(0)
    if name in ("vgg19", "resnet50"):
        return (VGG19 if name == "vgg19" else ResNet50)().eval(), (torch.randn(batch, 3, 224, 224),)
    if name == "mlp":
        return MLP().eval(), (torch.randn(batch, 64),)
    model = (BertBase if name == "bert" else GPT2Small)().eval()
    if name == "gpt2-decode":  # one token after 128
        return model, (torch.randint(VOCABULARY, (batch, 1)), torch.randn(12, 2, batch, 12, 128, 64))
    return model, (torch.randint(VOCABULARY, (batch, 128)),)
