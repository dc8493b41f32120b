import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(4)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
sentences = [torch.randint(1, 12, (n,)) for n in (6, 5, 3, 2)]
tags = [s % 3 for s in sentences]


class Tagger(nn.Module):
    def __init__(self, vocab=12, dim=8, hidden=10, classes=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.classify = nn.Linear(2 * hidden, classes)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True)
        output, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.classify(output)


model = Tagger().to(device)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(ignore_index=-1)
words = pad_sequence(sentences, batch_first=True).to(device)
goal = pad_sequence(tags, batch_first=True, padding_value=-1).to(device)
lengths = torch.tensor([len(s) for s in sentences])
for epoch in range(4):
    model.zero_grad()
    scores = model(words, lengths)
    loss = criterion(scores.transpose(1, 2), goal)
    loss.backward()
    optimizer.step()
    keep = goal != -1
    accuracy = (scores.argmax(-1)[keep] == goal[keep]).float().mean()
    print(f"{epoch}: {loss.item():.4f} {accuracy:.3f}")
