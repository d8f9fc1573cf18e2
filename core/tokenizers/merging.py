"""BPE as model folders have it: byte-level, or over characters with marked spaces.

In: a word. Out: its `History`, played by the ranks of the folder's merges. Differs from
`bpe` in what a word starts from: characters where the spaces are marked, with single
bytes for those that have no token; and in `ignore_merges`, by which a word that is a
token is not merged at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from core.tokenizers.bpe import start_symbols
from core.tokenizers.decoding import text_bytes
from core.tokenizers.merges import Pair, record_merges
from core.tokenizers.spelling import BYTE_LEVEL, Json, Spelling, spelling_of, spelt
from core.tokenizers.ways import History

REMEMBERED_PAIRS = 20_000
WHOLE_WORD = (
    "The whole word is a token, and this tokenizer takes such a word as it is, "
    "without merges (ignore_merges)."
)


class SpeltRanks(Mapping[Pair, int]):
    """The ranks of pairs of bytes, looked up under the names that a file gives them."""

    def __init__(
        self, ranks: Mapping[tuple[str, str], int], spelling: Spelling
    ) -> None:
        """Know the ranks by name."""
        self._ranks, self._spelling = ranks, spelling
        self._rank_of = lru_cache(REMEMBERED_PAIRS)(self._look_up)

    def __getitem__(self, pair: Pair) -> int:
        """The rank of a pair.

        Raises:
            KeyError: It never joins.
        """
        rank = self._rank_of(pair)
        if rank is None:
            raise KeyError(pair)
        return rank

    def __contains__(self, pair: object) -> bool:
        return self._rank_of(pair) is not None

    def _look_up(self, pair: Pair) -> int | None:
        left, right = map(self._spelling.to_name, pair)
        return self._ranks.get((left, right))

    def __iter__(self) -> Iterator[Pair]:
        to_bytes = self._spelling.to_bytes
        return ((to_bytes(left), to_bytes(right)) for left, right in self._ranks)

    def __len__(self) -> int:
        return len(self._ranks)


class MergeMethod:
    """The merges of a folder, and the playing of them."""

    name = "merges"

    def __init__(self, content: Json) -> None:
        """Take the model of a `tokenizer.json`, which the package could read."""
        model = content["model"]
        self.spelling: Spelling = spelling_of(content)
        self.unknown: str | None = model.get("unk_token")
        self._ids: Mapping[str, int] = model["vocab"]
        self._has_bytes = bool(model.get("byte_fallback"))
        self._takes_whole = bool(model.get("ignore_merges"))
        self._merges: Sequence[str | Sequence[str]] = model["merges"]

    @cached_property
    def _ranks(self) -> SpeltRanks:
        """The ranks of the merges, made when a word is first played."""
        pairs = (m.split(" ") if isinstance(m, str) else m for m in self._merges)
        by_name = {(left, right): rank for rank, (left, right) in enumerate(pairs)}
        return SpeltRanks(by_name, self.spelling)

    def data_of_each(self, names: Sequence[str]) -> list[bytes]:
        """The bytes that tokens stand for."""
        return spelt(names, self.spelling, self._has_bytes)

    def start_of(self, word: bytes) -> tuple[bytes, ...]:
        """The word before its first merge: bytes, or characters that are tokens."""
        if self.spelling is BYTE_LEVEL:
            return start_symbols(word)
        symbols: list[bytes] = []
        for letter in word.decode("utf-8", "surrogatepass"):
            data = text_bytes(letter)
            is_split = self._has_bytes and self.spelling.to_name(data) not in self._ids
            symbols += start_symbols(data) if is_split else (data,)
        return tuple(symbols)

    def joined(self, parts: list[bytes]) -> list[bytes]:
        """What each token adds to the decoded text: its own bytes."""
        return parts

    def way_of(self, word: bytes) -> History:
        """The merges of a word."""
        if self._takes_whole and self.spelling.to_name(word) in self._ids:
            return History(reason=WHOLE_WORD)
        return record_merges(self.start_of(word), self._ranks)
