import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.lstm = nn.LSTM(8, 10, batch_first=True)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True)
        output, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return output + pad_packed_sequence(pack_padded_sequence(output * 2, lengths, True), True)[0]


model = Tagger().cuda()
