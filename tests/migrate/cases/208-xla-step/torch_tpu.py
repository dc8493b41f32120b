import torch
import torch_tpu
import contextlib


def train(model, optimizer, batches, report):
    for step, x in enumerate(batches):
        with contextlib.nullcontext():
            loss = model(x.to(torch.device("tpu"))).mean()
            loss.backward()
            optimizer.step()
        report(step, loss)
    torch.accelerator.synchronize()
