"""Gives a checkpoint another tokenizer: layers stay, embedding rows move. A token that both tokenizers have keeps its
row; a new one starts as the mean of the rows its text had before. Optimizer state does not fit any more and is left out."""
import argparse
import dataclasses

import torch
from tokenizers import Tokenizer

from model import PRESETS, Shape
from vocabulary import CONTROL_TOKENS, USER_TOKENS


def moved_rows(rows, old, new):
    """The embedding matrix for the new tokenizer."""
    before = old.get_vocab()
    moved = torch.empty(new.get_vocab_size(), rows.shape[1])
    special = set(CONTROL_TOKENS + USER_TOKENS)
    for token, i in new.get_vocab().items():
        if token in before:
            moved[i] = rows[before[token]]
        elif token in special:
            raise SystemExit(f"the old tokenizer has no {token}")
        else:
            pieces = old.encode(new.decode([i]), add_special_tokens=False).ids
            moved[i] = rows[pieces].mean(0)
    return moved


def main():
    """Command line: checkpoint, both tokenizers, and the checkpoint to write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("old", help="tokenizer.json of the checkpoint")
    parser.add_argument("new", help="tokenizer.json to change to")
    parser.add_argument("out")
    arguments = parser.parse_args()
    checkpoint = torch.load(arguments.checkpoint, map_location="cpu")
    old, new = Tokenizer.from_file(arguments.old), Tokenizer.from_file(arguments.new)
    network = dict(checkpoint["network"])
    network["embedding"] = moved_rows(network["embedding"], old, new)
    shape = dataclasses.replace(
        Shape(**checkpoint["shape"]), vocabulary=new.get_vocab_size(), context=PRESETS["cpu"].context
    )
    kept = {"tokens": 0, "steps": 0, "worked_s": 0.0}
    torch.save({"shape": dataclasses.asdict(shape), "network": network, **kept}, arguments.out)
    print(f"{arguments.out}: {new.get_vocab_size()} tokens instead of {old.get_vocab_size()}")


if __name__ == "__main__":
    main()
