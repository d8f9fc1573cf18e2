"""The best path through a text as SentencePiece finds it, to the last bit.

In: a text as it is read, and the scores of its pieces. Out: where each piece begins and
ends. The sums are rounded to 32 bits from the first letter of the text on, as they are
there: of two ways that cost the same, such as "aa|a" and "a|aa", the rounding decides.
Follows `EncodeOptimized` in `unigram_model.cc` of SentencePiece.
"""

from array import array
from collections.abc import Mapping

Stretch = tuple[int, int, bool]
"""Where a piece begins and ends, and whether it is one."""
ONE_LETTER = (1,)


class BestPath:
    """The pieces of a model and their scores. Never changes."""

    def __init__(self, scores: Mapping[str, float], unknown: float) -> None:
        """Take the pieces, and the score of a letter that is none."""
        self._scores = scores
        self._unknown = array("f", [unknown])[0]  # 32 bits
        lengths: dict[str, set[int]] = {}
        for name in scores:
            lengths.setdefault(name[:2], {1}).add(len(name))
        self._lengths = {begin: sorted(found) for begin, found in lengths.items()}
        """By the first two letters, how long pieces are; one letter is always tried."""

    def pieces(self, text: str) -> list[Stretch]:
        """The pieces of a text in order; letters in a row that are none are one."""
        begins = self._begins(text)
        path: list[Stretch] = []
        stop = len(text)
        while stop:
            start, is_known = begins[stop]
            if path and not (is_known or path[-1][2]):
                path[-1] = (start, path[-1][1], False)
            else:
                path.append((start, stop, is_known))
            stop = start
        return path[::-1]

    def _begins(self, text: str) -> list[tuple[int, bool]]:
        """For each border between letters, where the piece that ends there begins."""
        n, score_of, lengths_of = len(text), self._scores.get, self._lengths.get
        best = array("f", bytes(4 * (n + 1)))
        total = array("f", [0.0])  # rounds what is put into it
        begins: list[tuple[int, bool] | None] = [None] * (n + 1)
        for start in range(n):
            here = best[start]
            is_alone = False
            for length in lengths_of(text[start : start + 2], ONE_LETTER):
                stop = start + length
                score = score_of(text[start:stop])
                if score is None or stop > n:
                    continue
                is_alone |= length == 1
                total[0] = here + score
                if begins[stop] is None or total[0] > best[stop]:
                    best[stop] = total[0]
                    begins[stop] = start, True
            total[0] = here + self._unknown
            stop = start + 1
            if not is_alone and (begins[stop] is None or total[0] > best[stop]):
                best[stop] = total[0]
                begins[stop] = start, False
        return [each or (0, True) for each in begins]
