"""Learning merges from text: join the pair that stands side by side most often, again.

In: texts. Out: a `BpeTokenizer`, or the merges one after another with their counts, for
somebody who watches. Runs before the model is trained. Paper: Sennrich et al. 2016,
section 3.2, algorithm 1.

The tie rule: of pairs with equal counts the alphabetically first joins first, compared
by left symbol, then by right, in the letters of tokenizer files (a space is "Ġ" and
comes after "z"). So the same words in any order give the same merges.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import repeat, takewhile

from core.errors import TokenizerError
from core.tokenizers.alphabet import to_letters
from core.tokenizers.bpe import SINGLE_BYTES, BpeTokenizer, start_symbols
from core.tokenizers.decoding import text_bytes
from core.tokenizers.merges import Pair
from core.tokenizers.splitting import chunks, split_specials, split_words

WordCounts = Mapping[tuple[bytes, ...], int]

END_OF_TEXT = "<|endoftext|>"
NOWHERE = -1  # neighbour of a word's first and last symbol


@dataclass(frozen=True, slots=True)
class LearnedMerge:
    """A pair, and how often it stood in the corpus when it was joined."""

    left: bytes
    right: bytes
    count: int

    @property
    def joined(self) -> bytes:
        """The symbol that the merge makes."""
        return self.left + self.right


def train_bpe(
    texts: Iterable[str],
    n_vocab: int,
    *,
    specials: Sequence[str] = (END_OF_TEXT,),
    min_count: int = 2,
    told: Callable[[LearnedMerge], None] = lambda _: None,
) -> BpeTokenizer:
    """Learn a tokenizer of at most `n_vocab` tokens from texts.

    Ids: the 256 bytes, then the merges in the order learned, then the specials. Stops
    early when no pair occurs `min_count` times: one letter gives 0 merges. Specials
    inside the texts separate words and are not learned from. Equal counts: see the top
    of this file. Somebody is told each merge as it is chosen, and may raise to end it.

    Raises:
        TokenizerError: The texts are empty or the vocabulary too small for the bytes.
    """
    n_learned = n_vocab - len(SINGLE_BYTES) - len(specials)
    if n_learned < 0:
        raise TokenizerError(
            f"A vocabulary of {n_vocab} is too small: bytes and special tokens need "
            f"{n_vocab - n_learned}; ask for at least that many."
        )
    learned = merges_of(count_words(texts, specials))
    frequent = takewhile(lambda merge: merge.count >= min_count, learned)
    return BpeTokenizer.from_merges(_until_full(frequent, n_learned, told), specials)


def _until_full(
    merges: Iterable[LearnedMerge],
    n_tokens: int,
    told: Callable[[LearnedMerge], None],
) -> Iterator[Pair]:
    """Merges until they have made `n_tokens` different symbols."""
    made: set[bytes] = set()
    if n_tokens == 0:
        return
    for merge in merges:
        told(merge)
        yield merge.left, merge.right
        made.add(merge.joined)
        if len(made) == n_tokens:
            return


def count_words(
    texts: Iterable[str], specials: Iterable[str] = ()
) -> dict[tuple[bytes, ...], int]:
    """How often each word of the pre-split occurs, as single bytes.

    Raises:
        TokenizerError: There is no word at all.
    """
    specials = tuple(specials)
    n_chunks: Counter[str] = Counter()
    for text in texts:
        for part, is_special in split_specials(text, specials):
            if not is_special:
                n_chunks.update(chunks(part))
    counts: defaultdict[tuple[bytes, ...], int] = defaultdict(int)
    while n_chunks:  # what has been split is let go, for the memory
        chunk, count = n_chunks.popitem()
        for word in split_words(chunk):
            counts[start_symbols(text_bytes(word))] += count
    if not counts:
        raise TokenizerError(
            "A tokenizer cannot be trained on an empty text; choose a text with at "
            "least one character."
        )
    return counts


def merges_of(word_counts: WordCounts) -> Iterator[LearnedMerge]:
    """The merges of a corpus in the order they are learned, until no pair is left.

    Words are given as symbols. A pair is counted wherever it stands,
    also where it overlaps itself, as in "aaa".
    """
    corpus = _Corpus(word_counts)
    del word_counts  # may be as large as the corpus
    while (merge := corpus.most_frequent()) is not None:
        yield merge
        corpus.join((merge.left, merge.right))


def _no_places() -> "array[int]":
    return array("i")


class _Corpus:
    """All words as one linked list of symbols, and where every pair stands in it.

    A pair's places are kept, so a merge costs as much as it changes, whatever the size
    of the corpus. Places where it stands no longer stay in its list: symbols only grow,
    so a pair never comes back to a place, and looking tells.
    """

    def __init__(self, word_counts: WordCounts) -> None:
        self._symbols: list[bytes] = []
        self._previous = array("i")
        self._following = array("i")
        self._weights = array("q")
        self._places: defaultdict[Pair, array[int]] = defaultdict(_no_places)
        self._counts: defaultdict[Pair, int] = defaultdict(int)
        for word, count in word_counts.items():
            if word and count > 0:
                self._append(word, count)
        # A count in the heap may be out of date, but it is never too small.
        self._heap = [self._entry(pair) for pair in self._places]
        heapify(self._heap)

    def most_frequent(self) -> LearnedMerge | None:
        """The pair to join next; None if there is no pair left."""
        while self._heap:
            entry = heappop(self._heap)
            pair, count = entry[3], -entry[0]
            if pair not in self._places:
                continue
            if count == self._counts[pair]:
                return LearnedMerge(*pair, count)
            heappush(self._heap, self._entry(pair))
        return None

    def join(self, pair: Pair) -> None:
        """Join the pair wherever it stands, from left to right."""
        joined = pair[0] + pair[1]
        del self._counts[pair]
        grown: set[Pair] = set()
        for place in sorted(self._places.pop(pair)):
            if self._pair_at(place) != pair:
                continue  # "aaa": the middle letter has joined the first
            second = self._following[place]
            before, after = self._previous[place], self._following[second]
            self._forget(before)
            self._forget(second)
            self._symbols[place], self._symbols[second] = joined, b""
            self._following[place], self._following[second] = after, NOWHERE
            if after != NOWHERE:
                self._previous[after] = place
            grown.update(self._note(before), self._note(place))
        for new in grown & self._places.keys():
            heappush(self._heap, self._entry(new))

    def _append(self, word: Sequence[bytes], count: int) -> None:
        start, stop = len(self._symbols), len(self._symbols) + len(word)
        self._symbols += word
        self._previous.extend((NOWHERE, *range(start, stop - 1)))
        self._following.extend((*range(start + 1, stop), NOWHERE))
        self._weights.extend(repeat(count, len(word)))
        for place in range(start, stop - 1):
            self._note(place)

    def _pair_at(self, place: int) -> Pair | None:
        if place == NOWHERE or self._following[place] == NOWHERE:
            return None
        return self._symbols[place], self._symbols[self._following[place]]

    def _note(self, place: int) -> list[Pair]:
        """Count the pair at a place, if there is one."""
        if (pair := self._pair_at(place)) is None:
            return []
        self._places[pair].append(place)
        self._counts[pair] += self._weights[place]
        return [pair]

    def _forget(self, place: int) -> None:
        """Count the pair at a place no longer."""
        pair = self._pair_at(place)
        if pair is None or pair not in self._places:
            return
        self._counts[pair] -= self._weights[place]
        if not self._counts[pair]:
            del self._places[pair], self._counts[pair]

    def _entry(self, pair: Pair) -> tuple[int, str, str, Pair]:
        """What sorts the heap: most frequent first, then the tie rule."""
        left, right = map(to_letters, pair)
        return -self._counts[pair], left, right, pair
