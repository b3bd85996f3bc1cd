"""Turns shards into steps: whole documents, one per row, rows of nearly equal length in a group, and always the same
number of tokens in a step (libraries keep their compiled kernels and memory blocks when sizes do not change)."""
import glob
import os
import time

import numpy as np
import torch


# Weights below this mark text that is only read.
CONTEXT_BELOW = 0.3


def padded_length(length):
    """Next length on a ladder with steps of about a tenth, so that few group shapes occur."""
    step = max(4, 2 ** (max(length - 1, 1).bit_length() - 4))
    return -(-length // step) * step


class Documents:
    """Documents of all shards in a folder, shuffled within each shard; new shards are picked up as they appear."""

    def __init__(self, folder, first=0):
        self.folder = folder
        self.next_shard = first
        self.seen = []

    def __iter__(self):
        while True:
            path = os.path.join(self.folder, f"shard-{self.next_shard:04d}.npz")
            if not os.path.exists(path):
                path = self.fall_back()
            else:
                self.next_shard += 1
                self.seen.append(path)
            with np.load(path) as shard:
                ids, weights, offsets = shard["ids"], shard["weights"], shard["offsets"]
            order = np.random.default_rng(self.next_shard + int(offsets[-1])).permutation(len(offsets) - 1)
            for document in order:
                begin, end = offsets[document], offsets[document + 1]
                yield ids[begin:end], weights[begin:end]

    def fall_back(self):
        """No new shard: use an old one again and say so."""
        while not self.seen:
            self.seen = sorted(glob.glob(os.path.join(self.folder, "shard-*.npz")))
            time.sleep(0 if self.seen else 1)
        path = self.seen[int(time.time()) % len(self.seen)]
        print(f"no shard {self.next_shard}: repeating {path}", flush=True)
        return path


def steps(documents, tokens_per_step, longest):
    """Yields one step's worth of rows at a time."""
    rows, size = [], 0
    for ids, weights in documents:
        length = padded_length(len(ids) - 1)
        if len(ids) < 2 or length > longest:
            continue
        if size + length > tokens_per_step:
            yield assemble(rows, tokens_per_step)
            rows, size = [], 0
        rows.append((length, ids, weights))
        size += length


def choose(weights, generator, share=0.5):
    """Places whose loss is computed, and their weights: all that is learned in full and a sample of the rest.

    Two thirds of all tokens are context with a small weight; a sample of them with a larger weight teaches the same
    for half the price of the output layer. The number of places is fixed, like everything about a step.
    """
    count = int(len(weights) * share)
    order = weights + torch.rand(len(weights), generator=generator) * 0.05
    order[weights == 0] = 0
    chosen = order.topk(count).indices.sort().values
    kept = weights[chosen].clone()
    context = (weights > 0) & (weights < CONTEXT_BELOW)
    sampled = (kept > 0) & (kept < CONTEXT_BELOW)
    kept[sampled] *= float(weights[context].sum() / kept[sampled].sum().clamp(min=1e-6))
    return chosen, kept


def assemble(rows, tokens_per_step):
    """Lays rows out as one flat list: ids, targets, weights, positions, groups."""
    ids = np.zeros(tokens_per_step, np.int64)
    targets = np.zeros(tokens_per_step, np.int64)
    weights = np.zeros(tokens_per_step, np.float32)
    positions = np.zeros(tokens_per_step, np.int64)
    groups, at = [], 0
    for length, document, document_weights in sorted(rows, key=lambda row: row[0]):
        count = len(document) - 1
        ids[at : at + count] = document[:-1]
        targets[at : at + count] = document[1:]
        weights[at : at + count] = document_weights[1:] / 100
        positions[at : at + length] = np.arange(length)
        if groups and groups[-1][1] == length:
            groups[-1][0] += 1
        else:
            groups.append([1, length])
        at += length
    rest = tokens_per_step - at
    while rest > 0:
        length = min(rest, 64)
        positions[at : at + length] = np.arange(length)
        groups.append([1, length])
        at += length
        rest -= length
    tensors = (torch.from_numpy(array) for array in (ids, targets, weights, positions))
    return *tensors, [tuple(group) for group in groups]
