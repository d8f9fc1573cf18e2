"""Unigram, the tokenizer of T5, ALBERT and XLM-R: the likeliest way to cut a word.

In: a word, normalised. Out: its `Lattice`. Each token has a score, the logarithm of its
probability; of all ways to tile a word with tokens the one with the highest sum of
scores is taken, found from left to right. Paper: Kudo 2018, section 3.2.
"""

from collections.abc import Iterator, Sequence
from math import inf

from core.tokenizers.decoding import text_bytes
from core.tokenizers.spelling import Json, Spelling, spelling_of, spelt
from core.tokenizers.ways import Arc, Lattice

UNKNOWN_PENALTY = 10.0
"""A letter without a token scores this much below the worst token."""
MOST_LETTERS = 200
"""Letters of a word whose arcs are recorded."""


class UnigramMethod:
    """The scores of the tokens, and the search for the best path."""

    name = "best path"

    def __init__(self, content: Json) -> None:
        """Take the model of a `tokenizer.json`."""
        model = content["model"]
        self.spelling: Spelling = spelling_of(content)
        names = [(str(name), float(score)) for name, score in model["vocab"]]
        unk_id = model.get("unk_id")
        self.unknown = None if unk_id is None else names[unk_id][0]
        self._has_bytes = bool(model.get("byte_fallback"))
        passed_over = frozenset(model.get("sentencepiece", {}).get("passed_over", ()))
        self.scores = {n: score for n, score in names if n not in passed_over}
        self.unknown_score = min(self.scores.values(), default=0.0) - UNKNOWN_PENALTY
        self._longest = max((len(name) for name, _ in names), default=1)

    def data_of_each(self, names: Sequence[str]) -> list[bytes]:
        """The bytes that tokens stand for."""
        return spelt(names, self.spelling, self._has_bytes)

    def start_of(self, word: bytes) -> tuple[bytes, ...]:
        """The word before the search: its characters."""
        return tuple(map(text_bytes, word.decode("utf-8", "replace")))

    def joined(self, parts: list[bytes]) -> list[bytes]:
        """What each token adds to the decoded text: its own bytes."""
        return parts

    def way_of(self, word: bytes) -> Lattice:
        """All tokens that fit, and the best path through them."""
        name = self.spelling.to_name(word)
        best, winners = [0.0], [Arc(0, 0, b"", 0.0)]
        arcs: list[Arc] = []
        for stop in range(1, len(name) + 1):
            top, winner = -inf, None
            for arc in self._arcs_to(name, stop):
                total = best[arc.start] + arc.score
                if winner is None or total > top:
                    top, winner = total, arc
                if stop <= MOST_LETTERS:
                    arcs.append(arc)
            assert winner is not None  # one letter always makes an arc
            best.append(top)
            winners.append(winner)
        path: list[Arc] = []
        place = len(name)
        while place:
            path.append(winners[place])
            place = winners[place].start
        shown = min(len(name), MOST_LETTERS)
        return Lattice(
            letters=self.start_of(word)[:shown],
            arcs=tuple(arcs),
            best=tuple(best[: shown + 1]),
            path=tuple(arc for arc in reversed(path) if arc.stop <= shown),
            n_steps=len(name),
        )

    def _arcs_to(self, name: str, stop: int) -> Iterator[Arc]:
        """The tokens that end at a border, the longest first, and the stand-in."""
        for start in range(max(stop - self._longest, 0), stop):
            part = name[start:stop]
            score = self.scores.get(part)
            if score is not None:
                yield Arc(start, stop, self.spelling.to_bytes(part), score)
            elif stop - start == 1:
                data = self.spelling.to_bytes(part)
                yield Arc(start, stop, data, self.unknown_score, is_stand_in=True)
