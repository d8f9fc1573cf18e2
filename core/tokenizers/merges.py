"""The merges of one word: which pair joins next, and what was on the table when it did.

In: the symbols of a word and the rank of every known pair. The pair of lowest rank
joins first, equal ones from left to right; what a join makes may join again at once.
Out: the final symbols, and on request the history. Paper: Sennrich et al. 2016, section
3.2.
"""

from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from operator import itemgetter

from core.tokenizers.ways import Candidate, History, Merge

Pair = tuple[bytes, bytes]
Ranks = Mapping[Pair, int]

MAX_RECORDED_STEPS = 200
MAX_RECORDED_SYMBOLS = 50_000  # of all recorded states together: bounds time and memory


def play_merges(
    start: Sequence[bytes], ranks: Ranks
) -> tuple[list[tuple[int, int]], tuple[bytes, ...]]:
    """Every join in order as (rank, index in `start` of its first symbol); the result.

    A heap of candidates over a linked list: n log n, so a word of 12,000 letters is
    fine.
    """
    n = len(start)
    symbols = list(start)
    previous, following = list(range(-1, n - 1)), list(range(1, n + 1))
    heap = [
        (ranks[pair], place)
        for place, pair in enumerate(pairwise(symbols))
        if pair in ranks
    ]
    heapify(heap)
    joins: list[tuple[int, int]] = []
    while heap:
        rank, place = heappop(heap)
        right = following[place]
        if right == n or ranks.get((symbols[place], symbols[right])) != rank:
            continue  # one of the two has joined another symbol since
        symbols[place] += symbols[right]
        symbols[right] = b""
        following[place] = after = following[right]
        if after < n:
            previous[after] = place
        joins.append((rank, place))
        for left in (previous[place], place):
            if left >= 0 and following[left] < n:
                pair = (symbols[left], symbols[following[left]])
                if pair in ranks:
                    heappush(heap, (ranks[pair], left))
    return joins, tuple(symbol for symbol in symbols if symbol)


def record_merges(start: Sequence[bytes], ranks: Ranks) -> History:
    """The merges of a word one after another, each with the pairs that lost.

    Joins of one pair that follow one another are one step. Long words are cut after
    `MAX_RECORDED_STEPS` steps, or earlier when the states become large.
    """
    joins, _ = play_merges(start, ranks)
    steps = [
        (rank, [place for _, place in group])
        for rank, group in groupby(joins, key=itemgetter(0))
    ]
    state = list(enumerate(start))  # (index in `start`, symbol)
    merges: list[Merge] = []
    n_recorded = 0
    for rank, places in steps[:MAX_RECORDED_STEPS]:
        n_recorded += len(state)
        if merges and n_recorded > MAX_RECORDED_SYMBOLS:
            break
        merge, state = _step(state, rank, frozenset(places), ranks)
        merges.append(merge)
    return History(tuple(merges), len(steps))


def _step(
    state: list[tuple[int, bytes]], rank: int, places: Collection[int], ranks: Ranks
) -> tuple[Merge, list[tuple[int, bytes]]]:
    """One step as it is shown, and the state after it."""
    positions = tuple(i for i, (place, _) in enumerate(state) if place in places)
    left, right = state[positions[0]][1], state[positions[0] + 1][1]
    losers = tuple(
        Candidate(*pair, ranks[pair], position)
        for position, pair in enumerate(pairwise(symbol for _, symbol in state))
        if pair != (left, right) and pair in ranks
    )
    joined_right = {position + 1 for position in positions}
    after = [
        (place, left + right if place in places else symbol)
        for position, (place, symbol) in enumerate(state)
        if position not in joined_right
    ]
    symbols = tuple(symbol for _, symbol in after)
    return Merge(rank, left, right, positions, symbols, losers), after
