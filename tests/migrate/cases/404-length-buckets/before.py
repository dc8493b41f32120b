import torch
from torch.nn.utils.rnn import pad_sequence


def collate(rows):
    return pad_sequence(rows, batch_first=True, padding_value=-1)


batch = collate([torch.ones(3), torch.ones(5)]).cuda()
