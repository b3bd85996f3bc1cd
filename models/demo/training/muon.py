"""Muon: momentum whose direction is made orthogonal, for the matrices inside the blocks.

Equal shapes are stacked, so that a step is a few batched products. The update's size is matched to AdamW's, which
lets both share one learning rate.
"""
import torch

# Coefficients of the quintic iteration that pushes all singular values towards one.
QUINTIC = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
UPDATE_RMS = 0.2


def orthogonalize(stack, dtype):
    """Newton-Schulz iteration over a stack of matrices with at most as many rows as columns."""
    a, b, c = QUINTIC
    x = stack.to(dtype)
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.float()


class Muon(torch.optim.Optimizer):
    """Orthogonalized momentum with decoupled weight decay; bfloat16 is exact enough for a direction."""

    def __init__(self, matrices, lr, momentum=0.95, weight_decay=0.05, dtype=torch.bfloat16):
        super().__init__(list(matrices), {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})
        self.dtype = dtype

    @torch.no_grad()
    def step(self, closure=None):
        """One update of all matrices."""
        for group in self.param_groups:
            by_shape = {}
            for parameter in group["params"]:
                key = tuple(sorted(parameter.shape))
                by_shape.setdefault(key, []).append(parameter)
            for parameters in by_shape.values():
                self.update(parameters, group)

    def update(self, parameters, group):
        """Updates matrices of one shape, lying or standing."""
        lying = []
        for parameter in parameters:
            state = self.state[parameter]
            if "momentum" not in state:
                state["momentum"] = torch.zeros_like(parameter)
            state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
            ahead = parameter.grad.lerp(state["momentum"], group["momentum"])
            lying.append(ahead.mT if ahead.shape[0] > ahead.shape[1] else ahead)
        directions = orthogonalize(torch.stack(lying), self.dtype)
        for parameter, direction in zip(parameters, directions):
            if parameter.shape[0] > parameter.shape[1]:
                direction = direction.mT
            size = UPDATE_RMS * max(parameter.shape) ** 0.5
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            parameter.add_(direction, alpha=-group["lr"] * size)
