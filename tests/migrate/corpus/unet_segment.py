import torch
from torch import nn


class DoubleConv(nn.Module):
    """(convolution => [BN] => ReLU) * 2"""

    def __init__(self, i, o):
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(i, o, kernel_size=3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, kernel_size=3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.double_conv(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc, self.down = DoubleConv(1, 4), nn.Sequential(nn.MaxPool2d(2), DoubleConv(4, 8))
        self.up = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.conv, self.outc = DoubleConv(8, 4), nn.Conv2d(4, 1, kernel_size=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down(x1)
        return self.outc(self.conv(torch.cat([x1, self.up(x2)], dim=1)))


def dice_coeff(input, target, epsilon=1e-6):
    inter = 2 * (input * target).sum()
    return (inter + epsilon) / (input.sum() + target.sum() + epsilon)


@torch.inference_mode()
def evaluate(net, batches, device):
    net.eval()
    score = 0
    for image, mask in batches:
        image = image.to(device=device, dtype=torch.float32)
        mask = mask.to(device=device, dtype=torch.float32)
        score += dice_coeff((torch.sigmoid(net(image)) > 0.5).float(), mask)
    net.train()
    return score / len(batches)


def train_net(net, device, epochs=2, amp=False):
    batches = [(torch.rand(2, 1, 8, 8), (torch.rand(2, 1, 8, 8) > 0.5)) for _ in range(3)]
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, weight_decay=1e-8, momentum=0.9, foreach=True)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, 'max', patience=1)
    grad_scaler = torch.cuda.amp.GradScaler(enabled=amp)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(1, epochs + 1):
        for images, true_masks in batches:
            images = images.to(device=device, dtype=torch.float32)
            true_masks = true_masks.to(device=device, dtype=torch.float32)
            with torch.autocast(device.type if device.type != 'mps' else 'cpu', enabled=amp):
                masks_pred = net(images)
                loss = criterion(masks_pred, true_masks)
            optimizer.zero_grad(set_to_none=True)
            grad_scaler.scale(loss).backward()
            grad_scaler.step(optimizer)
            grad_scaler.update()
        val_score = evaluate(net, batches, device)
        scheduler.step(val_score)
        print('epoch', epoch, 'dice', round(float(val_score), 4))


if __name__ == '__main__':
    torch.manual_seed(0)
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    net = UNet()
    net.to(device=device)
    try:
        train_net(net=net, device=device)
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        raise
    torch.save(net.state_dict(), 'unet.pth')
