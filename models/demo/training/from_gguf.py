"""Turns a GGUF file of this model back into a checkpoint and a tokenizer, so that training can go on from what was
shipped when nothing else is left. Optimizer state is not in the file and starts anew."""
import argparse
import json
import os

import torch
from gguf import GGUFReader
from gguf.quants import dequantize

from vocabulary import CONTROL_TOKENS, USER_TOKENS, build_tokenizer

LAYER_NAMES = {
    "attn_norm.weight": "attention_norm.weight",
    "attn_q.weight": "query",
    "attn_k.weight": "key",
    "attn_v.weight": "value",
    "attn_output.weight": "output",
    "ffn_norm.weight": "ffn_norm.weight",
    "ffn_gate.weight": "gate",
    "ffn_up.weight": "up",
    "ffn_down.weight": "down",
}


def value(reader, key):
    """The plain value of a metadata key."""
    return reader.fields[key].contents()


def shape_of(reader):
    """The sizes of the network, under the names of model.Shape."""
    return {
        "hidden": value(reader, "llama.embedding_length"),
        "layers": value(reader, "llama.block_count"),
        "heads": value(reader, "llama.attention.head_count"),
        "kv_heads": value(reader, "llama.attention.head_count_kv"),
        "ffn": value(reader, "llama.feed_forward_length"),
        "vocabulary": len(value(reader, "tokenizer.ggml.tokens")),
        "context": value(reader, "llama.context_length"),
        "epsilon": value(reader, "llama.attention.layer_norm_rms_epsilon"),
        "theta": value(reader, "llama.rope.freq_base"),
    }


def halves_as_pairs(weight, heads):
    """Undoes the reordering of the export: neighbouring pairs become rotary halves again."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def network_of(reader, shape):
    """The weights under the names of model.Network."""
    network = {}
    for tensor in reader.tensors:
        weight = torch.tensor(dequantize(tensor.data, tensor.tensor_type).copy(), dtype=torch.float32)
        if tensor.name == "token_embd.weight":
            network["embedding"] = weight
        elif tensor.name == "output_norm.weight":
            network["norm.weight"] = weight
        else:
            _, layer, name = tensor.name.split(".", 2)
            if name in ("attn_q.weight", "attn_k.weight"):
                weight = halves_as_pairs(weight, shape["heads" if name == "attn_q.weight" else "kv_heads"])
            network[f"blocks.{layer}.{LAYER_NAMES[name]}"] = weight.contiguous()
    return network


def tokenizer_of(reader):
    """The tokenizer the file was trained with."""
    tokens = value(reader, "tokenizer.ggml.tokens")
    special = set(CONTROL_TOKENS + USER_TOKENS)
    vocabulary = {token: i for i, token in enumerate(tokens) if token not in special}
    merges = [tuple(merge.split(" ")) for merge in value(reader, "tokenizer.ggml.merges")]
    tokenizer = build_tokenizer(vocabulary, merges, value(reader, "tokenizer.ggml.pre"))
    if any(tokenizer.token_to_id(token) != i for i, token in enumerate(tokens)):
        raise SystemExit("the vocabulary is not laid out as this project's is")
    return tokenizer


def main():
    """Command line: a GGUF file and the folder that gets start.pt and tokenizer.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf")
    parser.add_argument("out")
    arguments = parser.parse_args()
    reader = GGUFReader(arguments.gguf)
    shape = shape_of(reader)
    os.makedirs(arguments.out, exist_ok=True)
    checkpoint = {"shape": shape, "network": network_of(reader, shape), "tokens": 0, "steps": 0, "worked_s": 0.0}
    torch.save(checkpoint, os.path.join(arguments.out, "start.pt"))
    tokenizer_of(reader).save(os.path.join(arguments.out, "tokenizer.json"))
    print(json.dumps(shape))


if __name__ == "__main__":
    main()
