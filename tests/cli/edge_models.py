"""Small networks of the kinds that run on edge devices, built by code."""

import torch
import torch.nn.functional as F
from torch import nn


def block(channels, features, kernel=3, stride=1, groups=1, activation=nn.ReLU6):
    layers = [
        nn.Conv2d(channels, features, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(features),
    ]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class Inverted(nn.Module):
    """Expand, filter each channel, project; with a shortcut where the shape stays."""

    def __init__(self, channels, features, stride, expansion, kernel=3):
        super().__init__()
        wide = channels * expansion
        self.shortcut = stride == 1 and channels == features
        self.layers = nn.Sequential(
            *([block(channels, wide, 1)] if expansion > 1 else []),
            block(wide, wide, kernel, stride, groups=wide),
            block(wide, features, 1, activation=None),
        )

    def forward(self, x):
        return x + self.layers(x) if self.shortcut else self.layers(x)


class MobileNetV2(nn.Module):
    def __init__(self, kernels=(3, 3, 3, 3)):
        super().__init__()
        settings = [(8, 8, 1, 1), (8, 12, 2, 4), (12, 12, 1, 4), (12, 16, 2, 4)]
        self.features = nn.Sequential(
            block(3, 8, stride=2),
            *(Inverted(*row, kernel=kernel) for row, kernel in zip(settings, kernels, strict=True)),
            block(16, 32, 1),
        )
        self.classifier = nn.Linear(32, 10)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def efficientnet_lite():
    return MobileNetV2(kernels=(3, 5, 5, 3))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = block(3, 8, 7, 2, activation=nn.ReLU)
        self.first = nn.Sequential(block(8, 8, activation=nn.ReLU), block(8, 8, activation=None))
        self.second = nn.Sequential(block(8, 16, stride=2, activation=nn.ReLU), block(16, 16, activation=None))
        self.shortcut = block(8, 16, 1, 2, activation=None)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(self.stem(x), 3, 2, 1)
        x = F.relu(x + self.first(x))
        x = F.relu(self.shortcut(x) + self.second(x))
        return F.softmax(self.head(F.adaptive_avg_pool2d(x, 1).flatten(1)), 1)


class KeywordSpotter(nn.Module):
    """Over [batch, time, features]: convolutions along time, then over a picture of it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(10, 16, 5, padding=2)
        self.picture = nn.Conv2d(1, 4, (3, 5), stride=(2, 2))
        self.depthwise = nn.Conv2d(4, 8, 3, groups=4)
        self.head = nn.Linear(8 * 5 * 4, 12)

    def forward(self, x):
        x = F.relu(self.first(x.transpose(1, 2)))
        x = F.hardswish(self.picture(x.unsqueeze(1)))
        x = F.avg_pool2d(F.relu(self.depthwise(x)), (1, 2))
        return self.head(torch.tanh(x.flatten(1)))


class DetectionHead(nn.Module):
    """Two scales joined, then boxes and scores."""

    def __init__(self):
        super().__init__()
        self.low, self.high = block(3, 8, stride=2), block(8, 12, stride=2)
        self.squeeze, self.excite = nn.Conv2d(12, 4, 1), nn.Conv2d(4, 12, 1)
        self.join = block(20, 12)
        self.boxes, self.scores = nn.Conv2d(12, 8, 1), nn.Conv2d(12, 6, 1)

    def forward(self, x):
        low = self.low(x)
        high = self.high(low)
        high = high * torch.sigmoid(self.excite(F.silu(self.squeeze(high.mean((2, 3), keepdim=True)))))
        x = self.join(torch.cat([low, F.interpolate(high, scale_factor=2)], 1))
        boxes = self.boxes(x).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 4)
        scores = self.scores(x).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 3)
        return boxes, torch.sigmoid(scores)


MODELS = {
    "mobilenet_v2": (MobileNetV2, (3, 32, 32)),
    "efficientnet_lite": (efficientnet_lite, (3, 32, 32)),
    "resnet": (ResNet, (3, 32, 32)),
    "keyword_spotter": (KeywordSpotter, (24, 10)),
    "detection_head": (DetectionHead, (3, 24, 24)),
}


def settle(model, x):
    """As if trained: statistics of batch norms from data, some of their scales far from 1."""
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.weight.uniform_(0.5, 1.5)
                layer.bias.normal_(0, 0.3)
                layer.momentum = 0.5
        model.train()
        for _ in range(4):
            model(x)
    return model.eval()


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(block(1, 8, stride=2), block(8, 16, stride=2))
        self.head = nn.Linear(16 * 4 * 3, 10)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def digits(count, seed):
    """Seven-segment digits, moved and noisy."""
    shown = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcfgd"]
    places = {
        "a": (slice(1, 3), slice(3, 9)), "b": (slice(2, 8), slice(8, 10)), "c": (slice(8, 14), slice(8, 10)),
        "d": (slice(13, 15), slice(3, 9)), "e": (slice(8, 14), slice(2, 4)), "f": (slice(2, 8), slice(2, 4)),
        "g": (slice(7, 9), slice(3, 9)),
    }  # fmt: skip
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 10, (count,), generator=generator)
    images = torch.zeros(count, 1, 16, 12)
    for i, label in enumerate(labels.tolist()):
        for segment in shown[label]:
            rows, columns = places[segment]
            images[i, 0, rows, columns] = 1
        shift = torch.randint(-1, 2, (2,), generator=generator).tolist()
        images[i, 0] = images[i, 0].roll(shift, (0, 1))
    return images * 0.8 + torch.randn(images.shape, generator=generator) * 0.25, labels


class Ops(nn.Module):
    """An op of each kind, each a result of its own."""

    def __init__(self):
        super().__init__()
        self.group, self.dilated = nn.Conv2d(8, 12, 3, padding=1, groups=4), nn.Conv2d(8, 6, 3, padding=2, dilation=2)
        self.multiplied, self.odd = nn.Conv2d(8, 16, 3, groups=8), nn.Conv2d(8, 4, (1, 3), stride=2, padding=(0, 1))
        self.dense, self.along = nn.Linear(8 * 9 * 9, 40), nn.Conv1d(8, 6, 5, padding=2)

    def forward(self, x):
        return (
            self.group(x),
            self.dilated(x),
            self.multiplied(x),
            self.odd(x),
            self.dense(x.flatten(1)),
            self.along(x.flatten(2)),
            x - x.mean((2, 3), keepdim=True),
            x[:, 1:5] * x[:, 2:6],
            F.max_pool2d(x, 3, 2, 1),
            F.avg_pool2d(x, 3, 1, 1),
            F.leaky_relu(x, 0.1),
            F.relu6(x * 3 + 1.5),
            torch.tanh(x),
            F.softmax(x, 1),
            F.pad(torch.cat([x, torch.sigmoid(x)], 2), (1, 2, 0, 1)),
            x.permute(0, 2, 3, 1).reshape(1, -1, 4) / 3,
            F.interpolate(x, scale_factor=2, mode="bilinear"),
            F.interpolate(x, (13, 4), mode="bilinear", align_corners=True),
            F.interpolate(x, (9, 23), mode="bilinear"),
            F.interpolate(x.permute(0, 3, 1, 2), (5, 30), mode="bilinear").permute(0, 2, 3, 1),
            F.interpolate(x.flatten(2), 108, mode="linear"),
        )


MODELS["ops"] = (Ops, (8, 9, 9))
