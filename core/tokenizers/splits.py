"""Ways of splitting a text before its bytes are merged, which folders only name.

In: nothing; tables that `pair_files` and `gguf_tokens` choose from. Out: the parts of a
`tokenizer.json` that say the same.
"""

from core.tokenizers.gpt2_files import BYTE_LEVEL
from core.tokenizers.spelling import Json

LLAMA_3_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Up to three digits at once."""
QWEN_WORDS = LLAMA_3_WORDS.replace(r"\p{N}{1,3}", r"\p{N}")
"""The same, but each digit a word."""


def by_pattern(pattern: str) -> Json:
    """Split as a pattern says; the bytes become letters afterwards."""
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    letters = {**BYTE_LEVEL, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [split, letters]}


GPT_2: Json = {"pre_tokenizer": BYTE_LEVEL}
LLAMA_3: Json = {"pre_tokenizer": by_pattern(LLAMA_3_WORDS)}
QWEN_2: Json = {"normalizer": {"type": "NFC"}, "pre_tokenizer": by_pattern(QWEN_WORDS)}
DIGITS_APART: Json = {
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL],
    }
}
