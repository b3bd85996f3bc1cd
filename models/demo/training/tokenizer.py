"""Trains the tokenizer: byte-level BPE with every byte in the vocabulary and the pre-tokenizer llama.cpp calls "qwen2".

Words in capitals are left out of its training on purpose: they stay single letters, so that writing in capitals is
the same task as spelling. Reads corpus lines on standard input, writes one JSON file.
"""
import argparse
import json
import re
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from vocabulary import CONTROL_TOKENS, USER_TOKENS, VOCABULARY_SIZE

# Character for character the expression in llama.cpp's pre-tokenizer table; digits are single tokens.
QWEN2_PATTERN = (
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CAPITALS = re.compile(r"[A-Z]{2,}")


def learnable_texts(lines):
    """Yields the corpus text without special tokens and without words in capitals."""
    special = re.compile("|".join(re.escape(token) for token in CONTROL_TOKENS + USER_TOKENS))
    for line in lines:
        _, pieces = json.loads(line)
        for part in special.split("".join(text for text, _ in pieces)):
            for words in CAPITALS.split(part):
                if words:
                    yield words


def train(lines):
    """Returns a trained tokenizer of VOCABULARY_SIZE entries."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE - len(CONTROL_TOKENS) - len(USER_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(learnable_texts(lines), trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in CONTROL_TOKENS])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in USER_TOKENS])
    if tokenizer.get_vocab_size() != VOCABULARY_SIZE:
        raise SystemExit(f"expected {VOCABULARY_SIZE} entries, got {tokenizer.get_vocab_size()}: use more documents")
    return tokenizer


def main():
    """Command line: corpus on standard input, path of the tokenizer file as argument."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="where to write tokenizer.json")
    arguments = parser.parse_args()
    tokenizer = train(sys.stdin)
    tokenizer.save(arguments.out)
    print(f"{arguments.out}: {tokenizer.get_vocab_size()} entries")


if __name__ == "__main__":
    main()
