"""WordPiece, the tokenizer of BERT: the longest token that fits, again and again.

In: a word, normalised. Out: its `Search`. From the left the longest beginning that is a
token is taken; what goes on inside a word is sought with "##" before it. Where nothing
fits, the whole word is [UNK]. Paper: Devlin et al. 2019, section 3; Wu et al. 2016.
"""

from collections.abc import Mapping, Sequence

from core.tokenizers.decoding import text_bytes
from core.tokenizers.spelling import PLAIN, Json
from core.tokenizers.ways import Round, Search

MOST_TRIED = 200
"""Names recorded in one round."""


class WordPieceMethod:
    """The names of the tokens, and the search for them."""

    name = "longest match"

    def __init__(self, content: Json) -> None:
        """Take the model of a `tokenizer.json`."""
        model = content["model"]
        self.spelling = PLAIN
        self.unknown: str | None = model.get("unk_token")
        self._ids: Mapping[str, int] = model["vocab"]
        self._inside = str(model.get("continuing_subword_prefix", "##"))
        self._most_letters = int(model.get("max_input_chars_per_word", 100))

    def data_of_each(self, names: Sequence[str]) -> list[bytes]:
        """What the chips of tokens say: their names, "##" included."""
        return list(map(text_bytes, names))

    def start_of(self, word: bytes) -> tuple[bytes, ...]:
        """The word before the search: its characters."""
        return tuple(map(text_bytes, word.decode("utf-8", "surrogatepass")))

    def joined(self, parts: list[bytes]) -> list[bytes]:
        """What each token adds to the decoded text: spaces between words."""
        inside = text_bytes(self._inside)
        return [
            part.removeprefix(inside)
            if part.startswith(inside)
            else b" " * (place > 0) + part
            for place, part in enumerate(parts)
        ]

    def way_of(self, word: bytes) -> Search:
        """The search through a word."""
        letters = word.decode("utf-8", "surrogatepass")
        symbols = self.start_of(word)
        if len(letters) > self._most_letters:
            reason = (
                f"A word of more than {self._most_letters} letters is not searched: "
                f"it is {self.unknown} as a whole."
            )
            return Search(symbols, (), reason)
        rounds: list[Round] = []
        start = 0
        while start < len(letters):
            rounds.append(self._round(letters, start))
            if rounds[-1].found is None:
                reason = f"Nothing fits here, so the whole word is {self.unknown}."
                return Search(symbols, tuple(rounds), reason)
            start += rounds[-1].n_letters
        return Search(symbols, tuple(rounds))

    def _round(self, letters: str, start: int) -> Round:
        tried: list[bytes] = []
        mark = self._inside if start else ""
        for stop in range(len(letters), start, -1):
            name = mark + letters[start:stop]
            if name in self._ids:
                shown, n = tuple(tried[:MOST_TRIED]), len(tried)
                return Round(start, shown, n, text_bytes(name), stop - start)
            tried.append(text_bytes(name))
        return Round(start, tuple(tried[:MOST_TRIED]), len(tried), None, 0)
