import torch
from torch import nn, optim
from torch.nn import functional as F

DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'
torch.manual_seed(7)


class VAE(nn.Module):
    def __init__(self, inputs=36, hidden=16, latent=4):
        super().__init__()
        self.fc1 = nn.Linear(inputs, hidden)
        self.fc21 = nn.Linear(hidden, latent)
        self.fc22 = nn.Linear(hidden, latent)
        self.fc3 = nn.Linear(latent, hidden)
        self.fc4 = nn.Linear(hidden, inputs)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 36))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 36), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


def train(model, loader, optimizer, epoch):
    model.train()
    train_loss = 0
    for batch_idx, (data,) in enumerate(loader):
        data = data.to(DEVICE)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print(f'====> Epoch: {epoch} Average loss: {train_loss / len(loader.dataset):.4f}')


def main():
    data = torch.rand(32, 1, 6, 6)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data), batch_size=8, shuffle=True)
    model = VAE().to(DEVICE)
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(1, 3):
        train(model, loader, optimizer, epoch)
        with torch.no_grad():
            sample = torch.randn(4, 4).to(DEVICE)
            sample = model.decode(sample).cpu()
            print(sample.mean().item())


if __name__ == "__main__":
    main()
