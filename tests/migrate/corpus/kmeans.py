# No model, no optimizer: tensors on a device and numbers out of them.
import torch


def kmeans(x, k, steps=6):
    centers = x[:k].clone()
    for _ in range(steps):
        distance = torch.cdist(x, centers)
        label = distance.argmin(dim=1)
        one_hot = torch.zeros(x.size(0), k, device=x.device).scatter_(1, label.unsqueeze(1), 1.0)
        centers = one_hot.t() @ x / one_hot.sum(0).clamp(min=1).unsqueeze(1)
    return centers, label


def power_iteration(a, steps=20):
    v = torch.ones(a.size(0), 1).cuda()
    for _ in range(steps):
        v = a @ v
        v = v / v.norm()
    return (v.t() @ a @ v).item()


if __name__ == "__main__":
    torch.manual_seed(3)
    points = torch.cat([torch.randn(10, 2) + 4, torch.randn(10, 2) - 4]).cuda()
    centers, label = kmeans(points, 2)
    print(sorted(round(c, 3) for c in centers[:, 0].cpu().tolist()), label.bincount(minlength=2).tolist())
    m = torch.randn(5, 5)
    print("%.4f" % power_iteration((m + m.t()).cuda().matmul((m + m.t()).cuda())))
