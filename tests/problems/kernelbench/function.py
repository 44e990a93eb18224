import torch


def kernel_function(x, fc__weight, fc__bias, norm__weight, norm__bias):
    h = torch.relu(torch.addmm(fc__bias, x, fc__weight.T))
    return torch.nn.functional.layer_norm(h, (128,), norm__weight, norm__bias, 1e-5) * 2
