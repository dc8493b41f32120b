import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ["OMP_NUM_THREADS"] = "4"
x = torch.zeros(1).cuda()
