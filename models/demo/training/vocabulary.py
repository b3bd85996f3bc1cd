"""The tokens with a meaning of their own and how text is cut into words, shared by tokenizer, encoder and export."""
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

VOCABULARY_SIZE = 4608

# Never shown as text by a server.
CONTROL_TOKENS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|fim_prefix|>",
    "<|fim_suffix|>",
    "<|fim_middle|>",
]

# One token each, but shown as text, because servers look for them in the reply.
USER_TOKENS = [
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
]

# Character for character the expressions in llama.cpp's pre-tokenizer table, without their parts for digits.
CONTRACTIONS_AND_WORDS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|"
SIGNS_AND_SPACES = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = {
    "qwen2": CONTRACTIONS_AND_WORDS + r"\p{N}" + SIGNS_AND_SPACES,
    "llama-bpe": CONTRACTIONS_AND_WORDS + r"\p{N}{1,3}" + SIGNS_AND_SPACES,
}
# A word of the vocabulary is taken whole, whatever the merges say.
WHOLE_WORDS = {"llama-bpe"}


def build_tokenizer(vocabulary, merges, kind):
    """The tokenizer that llama.cpp makes of this vocabulary, these merges and this pre-tokenizer."""
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=kind in WHOLE_WORDS))
    split = pre_tokenizers.Split(Regex(PATTERNS[kind]), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in CONTROL_TOKENS])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in USER_TOKENS])
    return tokenizer


def kind_of(tokenizer):
    """The pre-tokenizer's name in a tokenizer.json that build_tokenizer made."""
    return "llama-bpe" if tokenizer["model"]["ignore_merges"] else "qwen2"
