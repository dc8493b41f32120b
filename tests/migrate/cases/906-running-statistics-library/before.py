import torch
import torchvision.models as models
from torchvision.models import resnet18

model = models.__dict__["resnet50"]()
for other in resnet18(num_classes=10), models.segmentation.fcn_resnet50(), models.vgg16(), models.vgg16_bn():
    other.cuda()
model = model.cuda()
model(torch.rand(2, 3, 64, 64).cuda()).sum().backward()
