import torch
import torch.nn as nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
text = "the quick brown fox jumps over the lazy dog. " * 8
chars = sorted(set(text))
codes = torch.tensor([chars.index(c) for c in text])


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=24, layers=1):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.embed = nn.Embedding(vocab, 16)
        self.gru = nn.GRU(16, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, state):
        y, state = self.gru(self.embed(x), state)
        return self.out(y), state

    def initial(self, batch):
        return torch.zeros(self.layers, batch, self.hidden).to(device)


torch.manual_seed(3)
model = CharRNN(len(chars)).to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
length, batch = 12, 4
for step in range(6):
    rows = [codes[i * 17 + step:i * 17 + step + length + 1] for i in range(batch)]
    chunk = torch.stack(rows).to(device)
    output, _ = model(chunk[:, :-1], model.initial(batch))
    loss = criterion(output.reshape(-1, len(chars)), chunk[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print("step %d loss %.4f" % (step, loss.item()))

state, code, made = model.initial(1), codes[:1].view(1, 1).to(device), []
with torch.no_grad():
    for _ in range(20):
        scores, state = model(code, state)
        code = scores[:, -1].argmax(dim=-1, keepdim=True)
        made.append(chars[code.item()])
print("".join(made))
