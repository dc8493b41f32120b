import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
import torch_xla


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.lstm = nn.LSTM(8, 10, batch_first=True)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embedding(words).cpu(), lengths, batch_first=True).to(torch_xla.device())
        output, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return output + pad_packed_sequence(pack_padded_sequence((output * 2).cpu(), lengths, True).to(torch_xla.device()), True)[0]


model = Tagger().to(torch_xla.device())
