"""Encodes corpus lines from standard input into one shard: token ids, loss weights and document offsets."""
import argparse
import json
import os
import sys

import numpy as np
from tokenizers import Tokenizer

LONGEST_DOCUMENT = 4096
DOCUMENTS_PER_BATCH = 4000


def batches(lines, size):
    """Groups lines into lists of parsed documents."""
    batch = []
    for line in lines:
        batch.append(json.loads(line))
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def encode(lines, tokenizer):
    """Returns ids, weights (hundredths), offsets and a table of tokens per skill.

    Pieces are encoded apart from each other: what a server tokenizes apart was then learned apart.
    """
    ids, weights, offsets, table = [], [], [0], {}
    for documents in batches(lines, DOCUMENTS_PER_BATCH):
        texts = [text for _, pieces in documents for text, _ in pieces]
        encodings = iter(tokenizer.encode_batch(texts, add_special_tokens=False))
        for skill, pieces in documents:
            document_ids, document_weights = [], []
            for _, weight in pieces:
                piece_ids = next(encodings).ids
                document_ids += piece_ids
                document_weights += [round(weight * 100)] * len(piece_ids)
            if len(document_ids) > LONGEST_DOCUMENT:
                continue
            row = table.setdefault(skill, [0, 0, 0])
            row[0] += 1
            row[1] += len(document_ids)
            row[2] += sum(weight == 100 for weight in document_weights)
            ids += document_ids
            weights += document_weights
            offsets.append(len(ids))
    return np.array(ids, np.uint16), np.array(weights, np.uint8), np.array(offsets, np.int64), table


def encode_pairs(lines, tokenizer):
    """Returns ids and offsets of sentences; partners follow each other."""
    texts = [text for line in lines for text in json.loads(line)]
    encodings = [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    offsets = np.cumsum([0] + [len(ids) for ids in encodings])
    return np.array([token for ids in encodings for token in ids], np.uint16), offsets


def print_table(table):
    """Prints documents, tokens and shares per skill."""
    total = sum(row[1] for row in table.values())
    targets = sum(row[2] for row in table.values())
    print(f"{'skill':20} {'documents':>9} {'tokens':>9} {'each':>6} {'share':>6} {'targets':>8}")
    for skill, (documents, tokens, learned) in sorted(table.items(), key=lambda entry: -entry[1][1]):
        print(f"{skill:20} {documents:9} {tokens:9} {tokens / documents:6.0f} {tokens / total:6.1%} {learned / targets:8.1%}")
    print(f"{'all':20} {sum(row[0] for row in table.values()):9} {total:9} targets {targets / total:.1%}")


def main():
    """Command line: tokenizer file and file to write; it appears only when complete."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokenizer")
    parser.add_argument("out", help="shard to write (.npz)")
    parser.add_argument("--pairs", action="store_true", help="the lines are pairs of sentences, not documents")
    parser.add_argument("--table", action="store_true", help="print tokens per skill")
    arguments = parser.parse_args()
    tokenizer = Tokenizer.from_file(arguments.tokenizer)
    if arguments.pairs:
        ids, offsets = encode_pairs(sys.stdin, tokenizer)
        arrays = {"ids": ids, "offsets": offsets}
    else:
        ids, weights, offsets, table = encode(sys.stdin, tokenizer)
        arrays = {"ids": ids, "weights": weights, "offsets": offsets}
    partial = f"{arguments.out}.partial.npz"
    np.savez_compressed(partial, **arrays)
    os.replace(partial, arguments.out)
    print(f"{arguments.out}: {len(ids)} tokens in {len(offsets) - 1} texts", flush=True)
    if arguments.table and not arguments.pairs:
        print_table(table)


if __name__ == "__main__":
    main()
