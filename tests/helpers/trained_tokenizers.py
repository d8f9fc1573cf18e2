"""Small tokenizers of every kind, trained by the package `tokenizers` in the test."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

CORPUS = [
    "the cat sat on the mat and the dog played",
    "The café plays, and she's 12345 years old; don't play!",
    "naïve ﬁsh  and   chips\n\nDON'T",
] * 10
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_2 = LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")
BYTES = [f"<0x{value:02X}>" for value in range(256)]


def byte_level(splits: list[Any], specials: list[str]) -> Tokenizer:
    """A byte-level BPE; the folder's own splits come before the bytes."""
    made = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not splits)
    made.pre_tokenizer = pre_tokenizers.Sequence([*splits, level])
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(CORPUS, trainer)
    return made


def gpt2() -> Tokenizer:
    """GPT-2: its own split, no tokens around."""
    return byte_level([], ["<|endoftext|>"])


def smollm() -> Tokenizer:
    """SmolLM: every digit a word, chat markers."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    made = byte_level([digits], ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    return made


def llama3() -> Tokenizer:
    """Llama 3: words that are tokens are not merged, a token for the start."""
    split = pre_tokenizers.Split(Regex(LLAMA_3), "isolated")
    made = byte_level([split], ["<|begin_of_text|>", "<|eot_id|>"])
    content = json.loads(made.to_str())
    content["model"]["ignore_merges"] = True
    made = Tokenizer.from_str(json.dumps(content))
    made.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            starting_with("<|begin_of_text|>", made),
        ]
    )
    return made


def qwen2() -> Tokenizer:
    """Qwen 2: normalises to NFC, and has added tokens that are not special."""
    made = byte_level([pre_tokenizers.Split(Regex(QWEN_2), "isolated")], ["<|im_end|>"])
    made.normalizer = normalizers.NFC()
    made.add_tokens(["<tool_call>"])
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made


def roberta() -> Tokenizer:
    """RoBERTa: tokens around the text, a mask that takes the space before it."""
    made = byte_level([], ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    content = json.loads(made.to_str())
    for token in content["added_tokens"]:
        token["lstrip"] = token["content"] == "<mask>"
    made = Tokenizer.from_str(json.dumps(content))
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return made


def llama2() -> Tokenizer:
    """Llama 2: the whole text is one word, bytes for what has no token."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=360,
        special_tokens=["<unk>", "<s>", "</s>", *BYTES],
        show_progress=False,
    )
    made.train_from_iterator(CORPUS, trainer)
    content = json.loads(made.to_str())
    content["added_tokens"] = content["added_tokens"][:3]
    made = Tokenizer.from_str(json.dumps(content))
    made.post_processor = starting_with("<s>", made)
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return made


def bert(**settings: Any) -> Tokenizer:
    """BERT: lower case, no accents, between two tokens."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(**settings)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=90,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False,
    )
    made.train_from_iterator(CORPUS, trainer)
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.decoder = decoders.WordPiece()
    return made


def t5() -> Tokenizer:
    """T5: the likeliest way to cut, a token at the end."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=90,
        special_tokens=["<pad>", "</s>", "<unk>", "<extra_id_0>"],
        unk_token="<unk>",
        show_progress=False,
    )
    made.train_from_iterator(CORPUS, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", made.token_to_id("</s>"))]
    )
    made.decoder = decoders.Metaspace()
    return made


def starting_with(text: str, made: Tokenizer) -> Any:
    """A post-processor that puts one token in front."""
    return processors.TemplateProcessing(
        single=f"{text} $A", special_tokens=[(text, made.token_to_id(text))]
    )


KINDS: dict[str, Callable[[], Tokenizer]] = {
    "gpt2": gpt2,
    "smollm": smollm,
    "llama3": llama3,
    "qwen2": qwen2,
    "roberta": roberta,
    "llama2": llama2,
    "bert": bert,
    "t5": t5,
}


@lru_cache
def reference(kind: str) -> Tokenizer:
    """The package's tokenizer of a kind, trained once."""
    return KINDS[kind]()


def content_of(kind: str) -> dict[str, Any]:
    """Its `tokenizer.json`."""
    content: dict[str, Any] = json.loads(reference(kind).to_str())
    return content
