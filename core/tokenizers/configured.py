"""What a folder's `tokenizer_config.json` changes of its `tokenizer.json`.

In: the contents of both. Out: the content that the ids follow, and a sentence for each
change. As `transformers` does: what the configuration says goes before the other file,
what it does not say is left as it is.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.tokenizers.reading import CONFIG_FILE, PLACED_ANYWHERE, text_of
from core.tokenizers.spelling import Json

BERT_SETTINGS = (
    ("do_lower_case", "lowercase"),
    ("strip_accents", "strip_accents"),
    ("tokenize_chinese_chars", "handle_chinese_chars"),
)
"""Names in the configuration, and in the normaliser of BERT."""
PREFIX = "add_prefix_space"
ENDS = (("add_bos_token", "bos_token"), ("add_eos_token", "eos_token"))
Change = Iterator[tuple[str, Any, str]]
"""A part of the content, what it becomes, and a sentence."""


def configured(content: Json, config: Json) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The content as the configuration changes it, and what is to be said of it."""
    changed, remarks = dict(content), []
    for change in CHANGES:
        for part, value, remark in change(changed, config):
            changed[part] = value
            remarks.append(remark)
    return changed, tuple(remark for remark in remarks if remark)


def _bert(content: Json, config: Json) -> Change:
    normaliser = content.get("normalizer") or {}
    if normaliser.get("type") != "BertNormalizer":
        return
    for name, theirs in BERT_SETTINGS:
        if name in config and config[name] != normaliser.get(theirs):
            was = normaliser.get(theirs)
            normaliser = {**normaliser, theirs: config[name]}
            remark = (
                f"{CONFIG_FILE} sets {name} to {_said(config[name])}, tokenizer.json "
                f"to {_said(was)}; the former is followed."
            )
            yield "normalizer", normaliser, remark


def _prefix(content: Json, config: Json) -> Change:
    """A space in front of the text, where it is split byte by byte."""
    splits = content.get("pre_tokenizer") or {}
    if len(splits.get("pretokenizers", ())) == 1:
        splits = splits["pretokenizers"][0]
    told = config.get(PREFIX)
    if splits.get("type") != "ByteLevel" or not isinstance(told, bool):
        return
    was = bool(splits.get(PREFIX, True))
    if told != was:
        remark = (
            f"{CONFIG_FILE} sets {PREFIX} to {_said(told)}, tokenizer.json to "
            f"{_said(was)}; the former is followed."
        )
        yield "pre_tokenizer", {**splits, PREFIX: told}, remark


def _missing(content: Json, config: Json) -> Change:
    """Tokens that only the configuration has, as older folders do."""
    known = list(content.get("added_tokens") or ())
    ids = {token["content"] for token in known}
    more = [
        {**PLACED_ANYWHERE, "special": False, **token, "id": int(token_id)}
        for token_id, token in (config.get("added_tokens_decoder") or {}).items()
        if token["content"] not in ids
    ]
    if more:
        tokens = sorted(known + more, key=lambda token: int(token["id"]))
        yield "added_tokens", tokens, ""


def _ends(content: Json, config: Json) -> Change:
    """The tokens put around a text, where the configuration says which."""
    if not any(isinstance(config.get(flag), bool) for flag, _ in ENDS):
        return
    ids = {token["content"]: token["id"] for token in content.get("added_tokens") or ()}
    bos, eos = (
        text_of(config.get(name)) if config.get(flag) else None for flag, name in ENDS
    )
    found = [text for text in (bos, eos) if text in ids]
    single = [
        *([_special(bos)] if bos in ids else []),
        {"Sequence": {"id": "A", "type_id": 0}},
        *([_special(eos)] if eos in ids else []),
    ]
    yield (
        "post_processor",
        {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {
                text: {"id": text, "ids": [ids[text]], "tokens": [text]}
                for text in found
            },
        },
        "",
    )


def _special(text: str | None) -> Mapping[str, Any]:
    return {"SpecialToken": {"id": text, "type_id": 0}}


def _said(value: Any) -> str:
    return {True: "true", False: "false", None: "nothing"}.get(value, repr(value))


CHANGES: tuple[Callable[[Json, Json], Change], ...] = (
    _missing,
    _bert,
    _prefix,
    _ends,
)
"""In this order; each sees what the one before it changed."""
