import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.fc = nn.Linear(features, features)
        self.norm = nn.LayerNorm(features, eps)

    def forward(self, x, scale):
        return self.norm(self.fc(x)) * scale


