"""Embeddings: of many sentence pairs at once, each sentence has to lie nearest to its own partner.

What is compared is what a server with mean pooling returns: the mean of the normed last states over all tokens of a
text. The loss is cross-entropy over the cosines of a batch (InfoNCE), in both directions.
"""
import os

import numpy as np
import torch
import torch.nn.functional as F

from batches import padded_length

FILE = "pairs.npz"
TEMPERATURE = 0.05


class Pairs:
    """Batches of sentence pairs from the folder's file, in order, round and round."""

    def __init__(self, folder, count):
        with np.load(os.path.join(folder, FILE)) as file:
            self.ids, self.offsets = file["ids"], file["offsets"]
        self.count = count
        self.at = 0

    def draw(self):
        """The next texts: first all first sentences, then their partners in the same order."""
        total = (len(self.offsets) - 1) // 2
        chosen = [(self.at + i) % total for i in range(self.count)]
        self.at = (self.at + self.count) % total
        texts = [2 * pair for pair in chosen] + [2 * pair + 1 for pair in chosen]
        return [self.ids[self.offsets[text] : self.offsets[text + 1]] for text in texts]


def lay_out(texts):
    """One flat list like a step's: ids, positions, groups, and the text that each place belongs to."""
    lengths = [padded_length(len(text)) for text in texts]
    ids, positions, owners, groups = [], [], [], []
    for number in sorted(range(len(texts)), key=lengths.__getitem__):
        text, length = texts[number], lengths[number]
        padding = length - len(text)
        ids += [int(token) for token in text] + [0] * padding
        positions += range(length)
        owners += [number] * len(text) + [len(texts)] * padding
        if groups and groups[-1][1] == length:
            groups[-1][0] += 1
        else:
            groups.append([1, length])
    tensors = (torch.tensor(values) for values in (ids, positions, owners))
    return *tensors, [tuple(group) for group in groups]


def pooled(network, texts):
    """Mean of the last states of each text."""
    ids, positions, owners, groups = lay_out(texts)
    device = network.embedding.device
    with torch.autocast(device.type, dtype=torch.bfloat16):
        states = network.states(ids.to(device), positions.to(device), groups)
    sums = torch.zeros(len(texts) + 1, states.shape[1], device=device)
    sums = sums.index_add(0, owners.to(device), states.float())[:-1]
    return sums / torch.tensor([[len(text)] for text in texts], device=device)


def loss_and_hits(network, texts):
    """The loss of a batch, and the part of the sentences whose nearest one is their partner."""
    first, second = F.normalize(pooled(network, texts), dim=1).chunk(2)
    cosines = first @ second.mT / TEMPERATURE
    wanted = torch.arange(len(first), device=cosines.device)
    loss = (F.cross_entropy(cosines, wanted) + F.cross_entropy(cosines.mT, wanted)) / 2
    return loss, float((cosines.argmax(1) == wanted).float().mean())
