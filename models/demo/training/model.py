"""A llama-architecture network on a flat list of tokens.

Documents of one step lie one after another; linear layers see them as one long list, attention works per group of
equally long rows. No row ever sees another document.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from vocabulary import VOCABULARY_SIZE


@dataclass(frozen=True)
class Shape:
    """Sizes of the network; the names are those of the GGUF keys."""

    hidden: int = 256
    layers: int = 6
    heads: int = 4
    kv_heads: int = 2
    ffn: int = 704
    vocabulary: int = VOCABULARY_SIZE
    context: int = 4096
    epsilon: float = 1e-5
    theta: float = 10000.0

    @property
    def head(self):
        """Width of one attention head."""
        return self.hidden // self.heads


# cpu: what two cores can train in an hour. cuda: the largest that stays under 12 MB at Q8_0.
PRESETS = {
    "cpu": Shape(),
    "cuda": Shape(hidden=320, layers=8, heads=5, kv_heads=5, ffn=832),
}


class Norm(nn.Module):
    """RMS norm, computed in float32."""

    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        """Scales each row to unit RMS times a learned weight."""
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.epsilon) * self.weight).to(x.dtype)


def matrix(rows, columns, scale=1.0):
    """A parameter with the usual initial spread for its number of inputs."""
    return nn.Parameter(torch.randn(rows, columns) * scale / math.sqrt(columns))


class Block(nn.Module):
    """Attention and feed-forward. Matrices are kept apart because the optimizer treats each on its own."""

    def __init__(self, shape):
        super().__init__()
        kv = shape.kv_heads * shape.head
        out = 1 / math.sqrt(2 * shape.layers)
        self.shape = shape
        self.attention_norm = Norm(shape.hidden, shape.epsilon)
        self.query = matrix(shape.hidden, shape.hidden)
        self.key = matrix(kv, shape.hidden)
        self.value = matrix(kv, shape.hidden)
        self.output = matrix(shape.hidden, shape.hidden, out)
        self.ffn_norm = Norm(shape.hidden, shape.epsilon)
        self.gate = matrix(shape.ffn, shape.hidden)
        self.up = matrix(shape.ffn, shape.hidden)
        self.down = matrix(shape.hidden, shape.ffn, out)

    def forward(self, x, rotation, groups):
        """One layer over the flat list; groups are (rows, length) in the order of the list."""
        s = self.shape
        kv = s.kv_heads * s.head
        fused = F.linear(self.attention_norm(x), torch.cat([self.query, self.key, self.value]))
        query, key, value = fused.split([s.hidden, kv, kv], -1)
        query = rotate(query.view(-1, s.heads, s.head), rotation)
        key = rotate(key.view(-1, s.kv_heads, s.head), rotation).repeat_interleave(s.heads // s.kv_heads, 1)
        value = value.view(-1, s.kv_heads, s.head).repeat_interleave(s.heads // s.kv_heads, 1)
        x = x + F.linear(self.attend(query, key, value, groups), self.output)
        gate, up = F.linear(self.ffn_norm(x), torch.cat([self.gate, self.up])).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)

    def attend(self, query, key, value, groups):
        """Causal attention inside each row."""
        sizes = [rows * length for rows, length in groups]
        parts = []
        for (rows, length), q, k, v in zip(groups, query.split(sizes), key.split(sizes), value.split(sizes)):
            q, k, v = (t.view(rows, length, self.shape.heads, self.shape.head).transpose(1, 2) for t in (q, k, v))
            mixed = attention(q, k, v)
            parts.append(mixed.transpose(1, 2).reshape(rows * length, self.shape.hidden))
        return torch.cat(parts)


# PyTorch's fused attention costs four times the plain products for short rows on a CPU.
LONGEST_PLAIN_ATTENTION = 512


def attention(query, key, value):
    """Causal attention over rows of equal length."""
    length = query.shape[2]
    if query.is_cuda or length > LONGEST_PLAIN_ATTENTION:
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    future = torch.full((length, length), -torch.inf, dtype=query.dtype).triu(1)
    scores = query @ key.mT * query.shape[3] ** -0.5 + future
    return scores.softmax(-1) @ value


def rotate(x, rotation):
    """Rotary positions with halves as pairs; the export reorders rows for llama.cpp's neighbouring pairs."""
    cos, sin = rotation
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


class Network(nn.Module):
    """Token embeddings, blocks, and the embeddings again as output matrix."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.randn(shape.vocabulary, shape.hidden) * 0.02)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = Norm(shape.hidden, shape.epsilon)
        frequency = shape.theta ** (-torch.arange(0, shape.head, 2).float() / shape.head)
        angle = torch.outer(torch.arange(shape.context).float(), frequency)
        self.register_buffer("cos", angle.cos().unsqueeze(1), persistent=False)
        self.register_buffer("sin", angle.sin().unsqueeze(1), persistent=False)

    def states(self, ids, positions, groups, dtype=torch.bfloat16):
        """Normed last states of the whole flat list."""
        x = F.embedding(ids, self.embedding).to(dtype)
        rotation = self.cos[positions].to(dtype), self.sin[positions].to(dtype)
        for block in self.blocks:
            x = block(x, rotation, groups)
        return self.norm(x)

    def forward(self, ids, positions, groups, chosen):
        """Logits for the chosen places of the flat list."""
        return F.linear(self.states(ids, positions, groups)[chosen], self.embedding)

    def hidden_matrices(self):
        """The 2-D parameters inside the blocks, by name."""
        return {name: p for name, p in self.blocks.named_parameters() if p.dim() == 2}
