import torch
import torch_xla
import torch_xla.core.xla_model as xm


def train(model, optimizer, batches, report):
    for step, x in enumerate(batches):
        with torch_xla.step():
            loss = model(x.to(xm.xla_device())).mean()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        xm.add_step_closure(report, args=(step, loss))
        xm.mark_step()
    torch_xla.sync(wait=True)
