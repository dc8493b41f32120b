import torch


def describe(x):
    if x.device.type == "tpu":
        return "device"
    kind = [x.device.type == "tpu", 1]
    return "host" if not x.device.type == "tpu" else kind
