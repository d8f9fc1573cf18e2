"""How work before the first step tells how far it is, and lets itself be ended.

Whoever is told may raise, which ends the work; nothing half is left of it then. Lines
of `events.jsonl` come at a pace that people and disks can follow.
"""

import time
from collections.abc import Callable, Iterable, Iterator

from core.tokenizers.alphabet import to_letters
from core.tokenizers.bpe_training import LearnedMerge
from core.training.events import Event, Merged, Preparing

Told = Callable[[float], None]
"""Is told the share that is done, from 0 to 1; may raise."""
Tell = Callable[[Event], None]
"""Is told events; may raise."""

BETWEEN_EVENTS_S = 0.06
"""So that there are fewer than 20 a second."""


def untold(_: object) -> None:
    """Tell nobody."""


def told_along(
    blocks: Iterable[str], n_all: int, told: Told, n_before: int = 0
) -> Iterator[str]:
    """Pass blocks on, and tell how many of all characters (about) have passed."""
    n = n_before
    for block in blocks:
        yield block
        n += len(block)
        told(min(n / max(n_all, 1), 1.0))


class Paced:
    """Turns what is told into events, and leaves out those that come too fast."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told_at_s = 0.0
        self._merges: list[LearnedMerge] = []
        self._n_merged = 0

    def share(self, message: str) -> Told:
        """Give somebody to be told how much of a work is done."""

        def told(share: float) -> None:
            if self._is_due():
                self._tell(Preparing(message=message, share=round(share, 4)))

        return told

    def say(self, message: str, share: float | None = None) -> None:
        """Tell something now."""
        self._told_at_s = time.monotonic()
        self._tell(Preparing(message=message, share=share))

    def merge(self, merge: LearnedMerge, n_asked: int) -> None:
        """Tell a merge, soon and together with others."""
        self._merges.append(merge)
        if self._is_due():
            self.tell_merges(n_asked)

    def tell_merges(self, n_asked: int) -> None:
        """Tell the merges that wait."""
        if not self._merges:
            return
        self._n_merged += len(self._merges)
        merged = Merged(
            n_done=self._n_merged,
            n_asked=n_asked,
            left=[to_letters(merge.left) for merge in self._merges],
            right=[to_letters(merge.right) for merge in self._merges],
            counts=[merge.count for merge in self._merges],
        )
        self._merges.clear()
        self._tell(merged)

    def _is_due(self) -> bool:
        now_s = time.monotonic()
        is_due = now_s - self._told_at_s >= BETWEEN_EVENTS_S
        if is_due:
            self._told_at_s = now_s
        return is_due
