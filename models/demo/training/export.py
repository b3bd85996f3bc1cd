"""Writes a checkpoint and its tokenizer as GGUF, in F16 or Q8_0, with the chat template inside."""
import argparse
import hashlib
import json
import os

import gguf
import torch
from gguf.quants import quantize

from vocabulary import CONTROL_TOKENS, USER_TOKENS, kind_of

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {
    "f16": (gguf.LlamaFileType.MOSTLY_F16, gguf.GGMLQuantizationType.F16),
    "q8_0": (gguf.LlamaFileType.MOSTLY_Q8_0, gguf.GGMLQuantizationType.Q8_0),
}


def neighbouring_pairs(weight, heads):
    """Reorders the rows of a head so that rotary halves become neighbouring pairs, as llama.cpp rotates them."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def tensors_of(network, shape):
    """The weights under their GGUF names."""
    tensors = {"token_embd.weight": network["embedding"], "output_norm.weight": network["norm.weight"]}
    for layer in range(shape["layers"]):
        ours, theirs = f"blocks.{layer}.", f"blk.{layer}."
        tensors |= {
            theirs + "attn_norm.weight": network[ours + "attention_norm.weight"],
            theirs + "attn_q.weight": neighbouring_pairs(network[ours + "query"], shape["heads"]),
            theirs + "attn_k.weight": neighbouring_pairs(network[ours + "key"], shape["kv_heads"]),
            theirs + "attn_v.weight": network[ours + "value"],
            theirs + "attn_output.weight": network[ours + "output"],
            theirs + "ffn_norm.weight": network[ours + "ffn_norm.weight"],
            theirs + "ffn_gate.weight": network[ours + "gate"],
            theirs + "ffn_up.weight": network[ours + "up"],
            theirs + "ffn_down.weight": network[ours + "down"],
        }
    return {name: tensor.float().contiguous().numpy() for name, tensor in tensors.items()}


def add_description(writer, shape, parameters, file_type):
    """The general and architecture keys."""
    writer.add_type("model")
    writer.add_name("koine-demo")
    writer.add_basename("koine-demo")
    writer.add_size_label(f"{parameters / 1e6:.1f}M")
    writer.add_license("apache-2.0")
    writer.add_description("Small demo chat model, trained only on text that the Koine project generates. Not for real use.")
    writer.add_file_type(file_type)
    writer.add_quantization_version(2)
    writer.add_vocab_size(shape["vocabulary"])
    writer.add_context_length(shape["context"])
    writer.add_embedding_length(shape["hidden"])
    writer.add_block_count(shape["layers"])
    writer.add_feed_forward_length(shape["ffn"])
    writer.add_head_count(shape["heads"])
    writer.add_head_count_kv(shape["kv_heads"])
    writer.add_layer_norm_rms_eps(shape["epsilon"])
    writer.add_rope_freq_base(shape["theta"])
    writer.add_rope_dimension_count(shape["hidden"] // shape["heads"])


def add_tokenizer(writer, tokenizer, template):
    """Vocabulary, merges, special tokens and chat template."""
    ids = dict(tokenizer["model"]["vocab"]) | {added["content"]: added["id"] for added in tokenizer["added_tokens"]}
    tokens = sorted(ids, key=ids.get)
    kinds = gguf.TokenType
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(kind_of(tokenizer))
    writer.add_token_list(tokens)
    writer.add_token_types(
        [kinds.CONTROL if t in CONTROL_TOKENS else kinds.USER_DEFINED if t in USER_TOKENS else kinds.NORMAL for t in tokens]
    )
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]])
    writer.add_eos_token_id(ids["<|im_end|>"])
    writer.add_eot_token_id(ids["<|im_end|>"])
    writer.add_pad_token_id(ids["<|endoftext|>"])
    writer.add_add_bos_token(False)
    writer.add_uint32("tokenizer.ggml.fim_pre_token_id", ids["<|fim_prefix|>"])
    writer.add_uint32("tokenizer.ggml.fim_suf_token_id", ids["<|fim_suffix|>"])
    writer.add_uint32("tokenizer.ggml.fim_mid_token_id", ids["<|fim_middle|>"])
    writer.add_chat_template(template)


def export(checkpoint, tokenizer, template, kind, path):
    """Writes one GGUF file."""
    shape = checkpoint["shape"]
    tensors = tensors_of(checkpoint["network"], shape)
    file_type, tensor_type = TYPES[kind]
    writer = gguf.GGUFWriter(path, "llama")
    add_description(writer, shape, sum(tensor.size for tensor in tensors.values()), file_type)
    add_tokenizer(writer, tokenizer, template)
    for name, tensor in tensors.items():
        if tensor.ndim == 1:
            writer.add_tensor(name, tensor)
        else:
            writer.add_tensor(name, quantize(tensor, tensor_type), raw_dtype=tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    """Command line: checkpoint, tokenizer, output; the kind follows from the output's name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("tokenizer")
    parser.add_argument("out", help="a path that ends in -f16.gguf or -q8_0.gguf")
    arguments = parser.parse_args()
    kind = arguments.out.rsplit("-", 1)[-1].removesuffix(".gguf")
    checkpoint = torch.load(arguments.checkpoint, map_location="cpu")
    with open(arguments.tokenizer, encoding="utf-8") as file:
        tokenizer = json.load(file)
    with open(os.path.join(HERE, "template.jinja"), encoding="utf-8") as file:
        template = file.read()
    export(checkpoint, tokenizer, template, kind, arguments.out)
    with open(arguments.out, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    print(f"{arguments.out}: {os.path.getsize(arguments.out)} bytes, sha256 {digest}")
    print(f"{checkpoint['tokens']} tokens, {checkpoint['steps']} steps, {checkpoint['worked_s'] / 60:.1f} minutes")


if __name__ == "__main__":
    main()
