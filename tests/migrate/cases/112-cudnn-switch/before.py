import torch
import torch.backends.cudnn as cudnn

cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
if True:
    torch.backends.cudnn.deterministic = True
x = torch.zeros(2).cuda()
