"""Added tokens in a text, found where the package `tokenizers` finds them."""

from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE

from core.tokenizers.added_tokens import AddedTokens

TEXT = "a <m> b<mm><m>c x tool tools  <m>  tool"
TOKENS: list[dict[str, Any]] = [
    {"id": 7, "content": "<m>", "special": True, "lstrip": True},
    {"id": 8, "content": "<mm>", "special": True},
    {"id": 9, "content": "tool", "special": False, "single_word": True},
]


def package() -> Tokenizer:
    vocabulary = {chr(n): n - 32 + 10 for n in range(32, 127)}
    made = Tokenizer(BPE(vocabulary, []))
    for token in TOKENS:
        settings = {k: v for k, v in token.items() if k not in ("id", "content")}
        added = AddedToken(token["content"], normalized=False, **settings)
        special = token["special"]
        (made.add_special_tokens if special else made.add_tokens)([added])
    return made


@pytest.mark.parametrize("specials", [False, True])
@pytest.mark.parametrize("text", [TEXT, "", "<m>", "tools", " <m", "<m><mm>", "no"])
def test_they_stand_where_the_package_finds_them(text: str, specials: bool) -> None:
    made = package()
    made.encode_special_tokens = not specials
    found = made.encode(text)
    name_of = {made.token_to_id(token["content"]): token["content"] for token in TOKENS}
    theirs = [
        (*span, name_of[token_id])
        for span, token_id in zip(found.offsets, found.ids, strict=True)
        if token_id in name_of
    ]
    our_name = {token["id"]: token["content"] for token in TOKENS}
    stretches = list(AddedTokens(TOKENS).stretches(text, specials=specials))
    assert [(a, b, our_name[i]) for a, b, i in stretches if i is not None] == theirs
    assert "".join(text[a:b] for a, b, _ in stretches) == text
