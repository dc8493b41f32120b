from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.WARNING)
log = logging.getLogger(__name__)


@dataclass
class TrainConfig:
    epochs: int = 2
    batch_size: int = 8
    device: str = field(default_factory=lambda: "cuda" if torch.cuda.is_available() else "cpu")
    checkpoint: Optional[Path] = Path("trainer.ckpt")


class Waves(Dataset):
    def __init__(self, count: int = 32) -> None:
        self.t = torch.linspace(0, 6.28, count)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        return {"t": self.t[index : index + 1], "value": torch.sin(self.t[index : index + 1])}


class Trainer:
    def __init__(self, model: nn.Module, optimizer: Optimizer, config: TrainConfig) -> None:
        self.config = config
        self.device = torch.device(config.device)
        self.model = model.to(self.device)
        self.optimizer = optimizer

    def _to_device(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        return {name: value.to(self.device, non_blocking=True) for name, value in batch.items()}

    def step(self, batch: dict[str, Tensor]) -> Tensor:
        batch = self._to_device(batch)
        self.optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(self.model(batch["t"]), batch["value"])
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fit(self, loader: DataLoader) -> list[float]:
        history: list[float] = []
        for epoch in range(self.config.epochs):
            losses = [self.step(batch) for batch in loader]
            history.append(torch.stack(losses).mean().item())
            log.info("epoch %d: %.4f", epoch, history[-1])
        if self.config.checkpoint is not None:
            torch.save({"model": self.model.state_dict(), "history": history}, self.config.checkpoint)
        return history


def main() -> None:
    torch.manual_seed(0)
    config = TrainConfig()
    model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).to(config.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, fused=False)
    loader = DataLoader(Waves(), batch_size=config.batch_size, pin_memory=config.device.startswith("cuda"))
    print([round(value, 4) for value in Trainer(model, optimizer, config).fit(loader)])


if __name__ == "__main__":
    main()
