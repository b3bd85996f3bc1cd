"""Makes the tokenizer: whole words for what the generator's own lists and wordings say, letters for everything else.

Names, invented words, words in capitals and digits are never whole. So a new name is read and written letter by
letter like every name of the corpus, and copying, spelling and writing in capitals are one and the same task.
llama.cpp's "llama-bpe" takes a word of the vocabulary whole and cuts all others by merges, of which there is one.
Reads corpus lines on standard input, writes one JSON file.
"""
import argparse
import collections
import glob
import json
import os
import re
import sys

from tokenizers import Regex, pre_tokenizers

from vocabulary import CONTROL_TOKENS, PATTERNS, USER_TOKENS, VOCABULARY_SIZE, build_tokenizer

KIND = "llama-bpe"
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus")
# What these files say is sampled, not known.
SAMPLED = ("names.ts", "invent.ts", "heldout.ts", "heldout-phrasings.ts")
# A word that is only read counts less than one that is to be written.
READ = 0.3
LEAST_WORDS = 5
LEAST_SIGNS = 60
# Without any merge the formats are not complete; this one joins the first two bytes of most emoji.
MERGE = ("ð", "Ł")
WORD = re.compile(r"([^\W\d_]+)$")


def source_words(folder):
    """All words, in lower case, that the generator's files contain apart from those it samples or invents from."""
    words = set()
    for path in glob.glob(os.path.join(folder, "**", "*.ts"), recursive=True):
        if os.path.basename(path) not in SAMPLED and not path.endswith(".test.ts"):
            with open(path, encoding="utf-8") as file:
                words.update(re.findall(r"[^\W\d_]+", file.read().lower()))
    return words


def is_known(word, known):
    """True for a word of the sources or a simple form of one."""
    lower = word.lower()
    return any(
        form in known
        for form in (lower, lower.removesuffix("s"), lower.removesuffix("es"), lower.removesuffix("ies") + "y")
    )


def deserves_entry(text, count, known):
    """True if a piece of text with this count becomes one token."""
    if len(text.encode()) < 2 or re.search(r"\d|[A-Z].*[A-Z]|[a-z][A-Z]", text):
        return False
    word = WORD.search(text)
    if word is None:
        return count >= LEAST_SIGNS
    if len(word[0]) == 1:
        return text in (" a", " A", " I")
    return count >= LEAST_WORDS and is_known(word[0], known)


def count_pieces(lines):
    """How often each piece between two cuts of the pre-tokenizer occurs."""
    split = pre_tokenizers.Split(Regex(PATTERNS[KIND]), "isolated")
    special = re.compile("|".join(re.escape(token) for token in CONTROL_TOKENS + USER_TOKENS))
    counts = collections.Counter()
    for line in lines:
        for text, weight in json.loads(line)[1]:
            for part in special.split(text):
                for piece, _ in split.pre_tokenize_str(part):
                    counts[piece] += max(weight, READ)
    return counts


def make(lines):
    """Returns the tokenizer for a corpus."""
    known = source_words(CORPUS)
    chosen = [text for text, count in count_pieces(lines).most_common() if deserves_entry(text, count, known)]
    room = VOCABULARY_SIZE - 256 - 1 - len(CONTROL_TOKENS) - len(USER_TOKENS)
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    words = [as_bytes.pre_tokenize_str(text)[0][0] for text in chosen[:room]]
    entries = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "".join(MERGE), *words]
    tokenizer = build_tokenizer({entry: i for i, entry in enumerate(entries)}, [MERGE], KIND)
    if tokenizer.get_vocab_size() != VOCABULARY_SIZE:
        raise SystemExit(f"expected {VOCABULARY_SIZE} entries, got {tokenizer.get_vocab_size()}: use more documents")
    return tokenizer


def main():
    """Command line: corpus on standard input, path of the tokenizer file as argument."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="where to write tokenizer.json")
    arguments = parser.parse_args()
    tokenizer = make(sys.stdin)
    tokenizer.save(arguments.out)
    print(f"{arguments.out}: {tokenizer.get_vocab_size()} entries")


if __name__ == "__main__":
    main()
