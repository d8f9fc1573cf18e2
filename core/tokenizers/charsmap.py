"""SentencePiece's table of look-alike characters: which text is read as which.

In: `precompiled_charsmap` of a model's file. Out: for a place in a text, the longest
text that is read as another one, and that one. The file keeps the table as a trie in an
array (Darts-clone, 32 bits a unit), whose values are places in a row of texts, each
ended by a zero byte. It has some 200,000 entries, so it is walked, not unpacked.
"""

from functools import lru_cache

import numpy as np

from core.errors import TokenizerError

N_BYTES = 4
"""Of a unit, and of the length in front of the trie."""
IS_LEAF, HAS_LEAF = 1 << 31, 1 << 8
LABEL = IS_LEAF | 0xFF
"""The byte that leads to a unit; never that of a leaf, which holds a value."""
OFFSET_SHIFT, FAR, FAR_SHIFT = 10, 1 << 9, 6
"""Where the units behind a unit are: an offset, multiplied if far."""
ASCII = np.arange(1, 128)
REMEMBERED_STEPS = 100_000


class Charsmap:
    """Texts that are read as others. Never changes."""

    def __init__(self, data: bytes) -> None:
        """Take the bytes of the file; b"" holds nothing.

        Raises:
            ValueError: They are damaged.
        """
        n_trie = int.from_bytes(data[:N_BYTES], "little")
        trie, self._texts = data[N_BYTES:][:n_trie], data[N_BYTES + n_trie :]
        if n_trie % N_BYTES or len(trie) < n_trie or bool(data) != bool(trie):
            raise ValueError("its table of characters ends too early")
        self._units = np.frombuffer(trie, "<u4")
        self._root = self._behind(0) if n_trie else None
        self._step = lru_cache(REMEMBERED_STEPS)(self._walk)
        self.never_first = "".join(filter(self._begins_nothing, map(chr, ASCII)))
        """Characters of ASCII that, before one of ASCII, are read as they are."""

    def longest(self, text: str, start: int) -> tuple[str, int] | None:
        """What the longest known text at a place is read as, and where it ends.

        None where nothing that begins there is read as anything else.
        """
        node, found = self._root, None
        for place in range(start, len(text)):
            if node is None:
                break
            node, read = self._step(node, text[place])
            if read is not None:
                found = read, place + 1
        return found

    def _walk(self, node: int, character: str) -> tuple[int | None, str | None]:
        """The node that a character leads to, and what ends there."""
        has_leaf = 0
        for byte in character.encode("utf-8", "surrogatepass"):
            place = node ^ byte
            if place >= len(self._units) or self._unit(place) & LABEL != byte:
                return None, None
            has_leaf = self._unit(place) & HAS_LEAF
            node = self._behind(place)
        return node, self._text_at(node) if has_leaf else None

    def _begins_nothing(self, character: str) -> bool:
        """Whether no known text begins with it, alone or before one of ASCII."""
        if self._root is None:
            return True
        node, read = self._walk(self._root, character)
        if node is None:
            return True
        places = node ^ ASCII
        is_there = places < len(self._units)
        labels = self._units[places[is_there]] & LABEL
        return read is None and not (labels == ASCII[is_there]).any()

    def _unit(self, place: int) -> int:
        return int(self._units[place])

    def _behind(self, place: int) -> int:
        """From where the units behind a unit are counted."""
        unit = self._unit(place)
        return place ^ (unit >> OFFSET_SHIFT << ((unit & FAR) >> FAR_SHIFT))

    def _text_at(self, leaf: int) -> str:
        """The text that a leaf points at.

        Raises:
            TokenizerError: There is none; found only where a text leads to the leaf.
        """
        place = self._unit(leaf) & ~IS_LEAF if leaf < len(self._units) else -1
        stop = self._texts.find(b"\0", place) if place >= 0 else -1
        try:
            if stop >= 0:
                return self._texts[place:stop].decode()
        except UnicodeDecodeError:
            pass
        raise TokenizerError(
            "The tokenizer's table of look-alike characters is damaged; copy the "
            "model's folder again."
        )
