"""The tokens with a meaning of their own, shared by tokenizer, encoder and export."""

VOCABULARY_SIZE = 4096

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
