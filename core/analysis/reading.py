"""What a pattern says row by row: the arithmetic under every head score.

In: the pattern of some heads and the tokens it is of. Out: a number a row, NaN where a
row says nothing. Masked rows and rows of NaN say nothing; nothing spreads from them.
Used by the table of `core.analysis.head_questions` alone.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.matrix import FloatArray

TINIEST = float(np.finfo(np.float32).tiny)
"""Stands for zero in a logarithm: 0 log 0 counts as 0."""


Rows = FloatArray
"""[n_heads, n_query]: what every row says; NaN where it says nothing."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """What is read, as far as scores ask: the last query stands at the last key."""

    ids: NDArray[Any]
    """[n_key] token ids."""
    allowed: NDArray[np.bool_]
    """[n_query, n_key]: where the mask lets a row look."""
    period: int = 0
    """After so many tokens they are told again; 0 for a sentence."""
    query_ids: NDArray[Any] | None = None
    """[n_query]: token ids of the queries, where they are of another text."""

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """[n_query]: where each query stands among the keys."""
        n_query, n_key = self.allowed.shape
        places: NDArray[np.int64] = np.arange(n_query) + n_key - n_query
        return places

    @cached_property
    def votes(self) -> NDArray[np.bool_]:
        """[n_query]: rows with a choice; of what is told twice, the second telling."""
        has_choice: NDArray[np.bool_] = self.allowed.sum(axis=1) > 1
        if self.query_ids is not None:
            return has_choice
        return has_choice & (self.places >= self.period)

    @cached_property
    def distances(self) -> FloatArray:
        """[n_query, n_key]: how many tokens lie from the query to the key."""
        keys = np.arange(len(self.ids))
        distances: FloatArray = np.abs(self.places[:, None] - keys).astype(np.float32)
        return distances

    @cached_property
    def same(self) -> FloatArray:
        """[n_query, n_key]: 1 at other places that hold the query's token, else 0."""
        if self.query_ids is not None:
            found = (self.query_ids[:, None] == self.ids) & self.allowed
            in_source: FloatArray = found.astype(np.float32)
            return in_source
        at = self.places
        is_same = self.ids[np.maximum(at, 0)][:, None] == self.ids
        is_other = at[:, None] != np.arange(len(self.ids))
        has_place = (at >= 0)[:, None]
        same = is_same & is_other & has_place & self.allowed
        numbers: FloatArray = same.astype(np.float32)
        return numbers

    @cached_property
    def beside_diagonal(self) -> FloatArray:
        """[n_query, n_key]: 1 within one key of the straight line, else 0.

        The line goes from the first key of the first query to the last of the last:
        query q meets it at q (n_key - 1) / (n_query - 1), both from 0.
        """
        n_query, n_key = self.allowed.shape
        line = np.arange(n_query) * (n_key - 1) / max(n_query - 1, 1)
        is_beside = np.abs(np.arange(n_key) - line[:, None]) <= 1
        beside: FloatArray = is_beside.astype(np.float32)
        return beside


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What some heads did with some tokens."""

    pattern: FloatArray
    """[n_heads, n_query, n_key]."""
    tokens: Tokens


def share_behind(reading: Reading, behind: int) -> Rows:
    """The share that each row gives to the key so many places behind its own."""
    keys = reading.tokens.places - behind
    n_query, n_key = reading.pattern.shape[1:]
    shares = reading.pattern[:, np.arange(n_query), np.clip(keys, 0, n_key - 1)]
    is_there = (keys >= 0) & (keys < n_key)
    return np.where(is_there, shares, np.float32(np.nan))


def previous_token(reading: Reading) -> Rows:
    """The share of the token right before."""
    return share_behind(reading, 1)


def next_token(reading: Reading) -> Rows:
    """The share of the token right behind."""
    return share_behind(reading, -1)


def own_token(reading: Reading) -> Rows:
    """The share of the row's own token."""
    return share_behind(reading, 0)


def first_token(reading: Reading) -> Rows:
    """The share of the first token."""
    return reading.pattern[:, :, 0]


def last_token(reading: Reading) -> Rows:
    """The share of the last token."""
    return reading.pattern[:, :, -1]


def diagonal(reading: Reading) -> Rows:
    """The shares of the keys beside the diagonal, added up."""
    return weighed(reading.pattern, reading.tokens.beside_diagonal)


def same_token(reading: Reading) -> Rows:
    """The shares of all other keys that hold the row's token, added up."""
    same = reading.tokens.same
    shares = weighed(reading.pattern, same)
    return np.where(same.any(axis=1), shares, np.float32(np.nan))


def induction(reading: Reading) -> Rows:
    """The share of the token that followed the row's token in the first telling."""
    return share_behind(reading, reading.tokens.period - 1)


def duplicate_token(reading: Reading) -> Rows:
    """The share of the row's token in the first telling."""
    return share_behind(reading, reading.tokens.period)


def entropy(reading: Reading) -> Rows:
    """Over how many keys a row is spread, in bits: the sum of -p log2 p."""
    pattern = reading.pattern
    logs = np.log(np.maximum(pattern, TINIEST))
    bits: Rows = np.einsum("hqk,hqk->hq", pattern, logs) / np.float32(-np.log(2))
    return bits


def mean_distance(reading: Reading) -> Rows:
    """How many tokens away a row looks, on the mean of its shares."""
    return weighed(reading.pattern, reading.tokens.distances)


def weighed(pattern: FloatArray, weights: FloatArray) -> Rows:
    """The sum of each row's shares times weights [n_query, n_key]."""
    rows: Rows = np.einsum("hqk,qk->hq", pattern, weights)
    return rows
