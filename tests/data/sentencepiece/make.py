"""Makes the models of this folder, and what SentencePiece reads in hard texts.

Needs `sentencepiece` and, for Marian's tokenizer, `transformers`. The models are
trained on a few sentences of our own, with rules of our own for look-alike characters,
so that they stay small.
"""

import io
import json
import os
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path

import sentencepiece
import transformers
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

HERE = Path(__file__).resolve().parent
ENGLISH = [
    "the cat sat on the mat and the dog played",
    "The café plays, and she's 12345 years old; don't play!",
    "naïve fish and chips DON'T",
    "A quick brown fox (jumps) over the lazy dog? yes: no.",
] * 10
FRENCH = [
    "le chat était assis sur le tapis et le chien jouait",
    "Le café joue, et elle a 678 ans ; ne jouez pas !",
    "中国 日本 naïf poisson",
] * 10
RULES = json.loads((HERE / "rules.json").read_text())
"""What is read as what."""
KEPT = {"user_defined_symbols": ["<tool>", "the", "▁▁", "ab"]}
AS_TYPED = {
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "byte_fallback": True,
}
MODELS = {
    "unigram": {"model_type": "unigram", "vocab_size": 64},
    "unigram_kept": {"model_type": "unigram", "vocab_size": 64, **KEPT},
    "unigram_bytes": {
        "model_type": "unigram",
        "vocab_size": 330,
        "byte_fallback": True,
        "add_dummy_prefix": False,
        "split_by_whitespace": False,
    },
    "bpe": {"model_type": "bpe", "vocab_size": 110, **KEPT},
    "bpe_bytes": {
        **AS_TYPED,
        "model_type": "bpe",
        "vocab_size": 380,
        "split_digits": True,
        "allow_whitespace_only_pieces": True,
        "user_defined_symbols": ["<tool>", "\t", "<0x41>x"],
    },
}
BITS = [
    *"thecasdogTA012 .,'▁#éﬁ中שלום\n\t\0",
    *("\u0301", "\u200b", "\u200d", "\u202e", "\u00a0", "\u3000", "\ufeff", "\ufffd"),
    *("🙂", "👩\u200d👧", "½", "´", "ﷺ", "각", "e\u0301", "do", "don’t", "\r\n", "  "),
    *(" the", " cat", "<0x41>", "<0x41>x", "<s>", "</s>", "<unk>", "<tool>", "▁▁"),
    *("ab", "aab", "中国", "日本", "العربية", ">>fra<<", ">>", "<<"),
]
TEXTS = [
    *("", "a", " ", "   ", "\t", "▁", "▁ ▁", " a", "a ", "the cat", "  the  cat  "),
    *("The café DON'T play, 123 🙂\n\n  x ", "e\u0301 café", "naı\u0308ve ﬁsh", "a\0b"),
    *(
        "</s> <unk> <s>",
        "<0xE4>",
        "中国 中",
        "שלום עולם",
        "a\u200bb",
        "thethe",
        "aabab",
    ),
    *(
        "<tool>the<tool>",
        "½ and ´",
        "ﷺ",
        "\u202eabc",
        "👩\u200d👩\u200d👧 x",
        "1 234,5",
    ),
]
CODES = (">>fra<<", ">>deu<<")
LOST = ("s", "le")
"""Pieces that Marian's table has not."""


def trained(corpus: list[str], rules: Path, **settings: object) -> bytes:
    """A model's file."""
    made = io.BytesIO()
    if "normalization_rule_name" not in settings:
        settings["normalization_rule_tsv"] = str(rules)
    SentencePieceTrainer.train(
        sentence_iterator=iter(corpus),
        model_writer=made,
        hard_vocab_limit=False,
        minloglevel=2,
        **settings,
    )
    return made.getvalue()


def written_rules() -> Path:
    """The rules as SentencePiece reads them: numbers of characters.

    Its files keep the path that they were given, so it is a name alone.
    """
    os.chdir(tempfile.mkdtemp())
    path = Path("rules.tsv")
    as_numbers = (
        "\t".join(" ".join(f"{ord(c):X}" for c in text) for text in pair)
        for pair in RULES.items()
    )
    path.write_text("".join(f"{line}\n" for line in as_numbers))
    return path


def hard_texts() -> list[str]:
    """Those above, and as many that are drawn."""
    draw = random.Random(7)
    drawn = ["".join(draw.choices(BITS, k=draw.randint(2, 12))) for _ in range(60)]
    return [*TEXTS, *drawn]


def pieces_of(model: bytes) -> list[str]:
    """The names of what text leads to."""
    read = SentencePieceProcessor(model_proto=model)
    ids = range(read.get_piece_size())
    return [
        read.id_to_piece(i) for i in ids if not read.is_control(i) | read.is_unknown(i)
    ]


def table(names: Iterable[str]) -> dict[str, int]:
    """Marian's ids: the end first, the padding last."""
    kept = dict.fromkeys(name for name in names if name not in LOST)
    return {n: i for i, n in enumerate(["</s>", "<unk>", *kept, *CODES, "<pad>"])}


def make_marian(texts: list[str], rules: Path) -> dict[str, list[list[int]]]:
    """Marian's folder, and the ids of `transformers` for it."""
    folder = HERE / "marian"
    folder.mkdir(exist_ok=True)
    settings = {"model_type": "unigram", "vocab_size": 60}
    source, target = (trained(c, rules, **settings) for c in (ENGLISH, FRENCH))
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    both = table([*pieces_of(source), *pieces_of(target)])
    for name, ids in (("vocab", both), ("target_vocab", table(pieces_of(target)))):
        text = json.dumps(ids, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    config = {"tokenizer_class": "MarianTokenizer", "source_lang": "en"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config) + "\n")
    reader = transformers.MarianTokenizer.from_pretrained(folder)
    return {
        "source": [reader(text)["input_ids"] for text in texts],
        "target": [reader(text_target=text)["input_ids"] for text in texts],
    }


def make_t5(texts: list[str], rules: Path) -> list[list[object]]:
    """T5's `spiece.model`: its ids without the end, and those of `transformers`."""
    settings = {"bos_id": -1, "pad_id": 0, "eos_id": 1, "unk_id": 2, "vocab_size": 64}
    model = trained(ENGLISH, rules, model_type="unigram", **settings)
    folder = HERE / "t5"
    folder.mkdir(exist_ok=True)
    (folder / "spiece.model").write_bytes(model)
    (folder / "config.json").write_text('{"model_type": "t5"}\n')
    read = SentencePieceProcessor(model_proto=model)
    reader = transformers.AutoTokenizer.from_pretrained(folder)
    return [[text, read.encode(text), reader(text)["input_ids"]] for text in texts]


def main() -> None:
    """Write everything."""
    rules, texts = written_rules(), hard_texts()
    made_with = f"sentencepiece {sentencepiece.__version__}"
    for name, settings in MODELS.items():
        model = trained(ENGLISH, rules, **settings)
        (HERE / f"{name}.model").write_bytes(model)
        read = SentencePieceProcessor(model_proto=model)
        rows = [[text, read.normalize(text), read.encode(text)] for text in texts]
        write(HERE / f"{name}.json", made_with, rows)
    codes = [code + text for code in (*CODES, ">>xxx<<") for text in texts[9:16]]
    with_codes = [*texts, *codes]
    found = make_marian(with_codes, rules)
    with_version = f"{made_with}, transformers {transformers.__version__}"
    sentinels = ["the <extra_id_0> sat on <extra_id_1> mat", "<extra_id_99></s> a"]
    write(HERE / "t5.json", with_version, make_t5([*texts, *sentinels], rules))
    rows = [list(row) for row in zip(with_codes, *found.values(), strict=True)]
    write(HERE / "marian.json", with_version, rows)


def write(path: Path, made_with: str, rows: list[list[object]]) -> None:
    """A row a line, ASCII, so that every character is seen."""
    lines = ",\n".join(map(json.dumps, rows))
    path.write_text(f'{{"made_with": "{made_with}", "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
