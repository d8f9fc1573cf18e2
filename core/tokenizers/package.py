"""The tokenizer of the package `tokenizers` that cuts for ours, made from a content.

In: the content of a `tokenizer.json`. Out: the package's tokenizer, the same that it
reads from the file, and the names and ids of its tokens. The merges are handed over as
they are: to write 50,000 names out and let them be read again takes twice the time.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tokenizers import AddedToken
from tokenizers import Tokenizer as Reference
from tokenizers.models import BPE

from core.tokenizers.spelling import Json

BPE_SETTINGS = (
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
)
PLACES = ("single_word", "lstrip", "rstrip", "normalized", "special")
"""The settings of an added token."""
NOTHING: Json = {"type": "BPE", "vocab": {}, "merges": []}


def reference_of(content: Json) -> Reference:
    """The package's tokenizer, told to count the spaces before words as theirs.

    Raises:
        ValueError: The package cannot read it; says why.
    """
    if content["model"]["type"] == "BPE":
        with suppress(Exception):  # the text is read then, and says what is wrong
            return _with_merges(content)
    try:
        return _from_text(content)
    except Exception as error:  # the package raises nothing more exact
        raise ValueError(str(error)) from error


def names_of(reference: Reference, content: Json) -> Mapping[str, int]:
    """Name and id of every token, as the package has them.

    They are mostly those that the content says, and are not asked for one by one then.
    """
    vocabulary = content["model"]["vocab"]
    added = {t["content"]: t["id"] for t in content.get("added_tokens") or ()}
    is_said = (
        isinstance(vocabulary, Mapping)
        and reference.get_vocab_size(with_added_tokens=False) == len(vocabulary)
        and all(reference.token_to_id(name) == i for name, i in added.items())
    )
    if is_said:
        return {**vocabulary, **added}
    names: dict[str, int] = reference.get_vocab()
    return names


def _from_text(content: Json) -> Reference:
    return Reference.from_str(json.dumps(_with_spaces(content)))


def _with_merges(content: Json) -> Reference:
    """A BPE: everything else first, then its model, then the tokens that are added."""
    model = content["model"]
    found = _from_text({**content, "added_tokens": [], "model": NOTHING})
    pairs = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
    settings = {name: model[name] for name in BPE_SETTINGS if model.get(name)}
    found.model = BPE(model["vocab"], list(map(tuple, pairs)), **settings)
    added = content.get("added_tokens") or ()
    found.add_tokens(
        [AddedToken(t["content"], **{name: t[name] for name in PLACES}) for t in added]
    )
    return found


def _with_spaces(node: Any) -> Any:
    """The same content, without the cutting of spaces off the spans."""
    if isinstance(node, Mapping):
        return {
            key: False
            if key == "trim_offsets"
            else value
            if key in ("model", "added_tokens")
            else _with_spaces(value)
            for key, value in node.items()
        }
    return [_with_spaces(each) for each in node] if isinstance(node, list) else node
