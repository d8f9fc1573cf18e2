"""The way of a word as a file keeps it: merges, a search, or a best path.

In: a `Way`. Out: a plain table, and the way again. Bytes are hexadecimal.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.tokenizers.ways import (
    Arc,
    Candidate,
    History,
    Lattice,
    Merge,
    Round,
    Search,
    Way,
)

Table = dict[str, Any]


def table_of_way(way: Way) -> Table:
    """A way as texts and numbers."""
    match way:
        case Search():
            return {"search": _table_of_search(way)}
        case Lattice():
            return {"lattice": _table_of_lattice(way)}
        case History():
            return _table_of_history(way)


def way_of_table(table: Mapping[str, Any], start: tuple[bytes, ...]) -> Way:
    """The way that a table was made of, of a word with these symbols.

    Raises:
        LookupError, TypeError, ValueError: It is none, or goes where nothing is.
    """
    if "search" in table:
        return _search(table["search"], start)
    if "lattice" in table:
        return _lattice(table["lattice"])
    return _history(table, start)


def many(hexadecimal: Iterable[str]) -> tuple[bytes, ...]:
    """The bytes behind many texts."""
    return tuple(map(bytes.fromhex, hexadecimal))


def _table_of_history(way: History) -> Table:
    return {
        "n_steps": way.n_steps,
        "reason": way.reason,
        "merges": [
            {
                "rank": merge.rank,
                "pair": [merge.left.hex(), merge.right.hex()],
                "positions": merge.positions,
                "symbols": [symbol.hex() for symbol in merge.symbols],
                "losers": [
                    [rival.left.hex(), rival.right.hex(), rival.rank, rival.position]
                    for rival in merge.losers
                ],
            }
            for merge in way.merges
        ],
    }


def _history(word: Mapping[str, Any], start: tuple[bytes, ...]) -> History:
    merges = tuple(
        Merge(
            rank=int(merge["rank"]),
            left=bytes.fromhex(merge["pair"][0]),
            right=bytes.fromhex(merge["pair"][1]),
            positions=tuple(map(int, merge["positions"])),
            symbols=many(merge["symbols"]),
            losers=tuple(
                Candidate(bytes.fromhex(left), bytes.fromhex(right), rank, position)
                for left, right, rank, position in merge["losers"]
            ),
        )
        for merge in word["merges"]
    )
    symbols, data = start, b"".join(start)
    for merge in merges:
        pairs = {symbols[place : place + 2] for place in merge.positions}
        if pairs != {(merge.left, merge.right)} or b"".join(merge.symbols) != data:
            raise ValueError("a merge joins what is not there")
        symbols = merge.symbols
    return History(merges, int(word["n_steps"]), str(word.get("reason", "")))


def _table_of_search(way: Search) -> Table:
    return {
        "reason": way.reason,
        "rounds": [
            {
                "start": each.start,
                "tried": [name.hex() for name in each.tried],
                "n_tried": each.n_tried,
                "found": None if each.found is None else each.found.hex(),
                "n_letters": each.n_letters,
            }
            for each in way.rounds
        ],
    }


def _search(table: Mapping[str, Any], start: tuple[bytes, ...]) -> Search:
    rounds = tuple(
        Round(
            start=int(each["start"]),
            tried=many(each["tried"]),
            n_tried=int(each["n_tried"]),
            found=None if each["found"] is None else bytes.fromhex(each["found"]),
            n_letters=int(each["n_letters"]),
        )
        for each in table["rounds"]
    )
    if any(not 0 <= r.start <= r.start + r.n_letters <= len(start) for r in rounds):
        raise ValueError("a search takes letters that are not there")
    return Search(start, rounds, str(table["reason"]))


def _table_of_lattice(way: Lattice) -> Table:
    return {
        "letters": [letter.hex() for letter in way.letters],
        "n_steps": way.n_steps,
        "best": way.best,
        "arcs": list(map(_table_of_arc, way.arcs)),
        "path": list(map(_table_of_arc, way.path)),
    }


def _table_of_arc(arc: Arc) -> list[Any]:
    return [arc.start, arc.stop, arc.data.hex(), arc.score, arc.is_stand_in]


def _lattice(table: Mapping[str, Any]) -> Lattice:
    letters = many(table["letters"])
    best = tuple(map(float, table["best"]))
    arcs, path = (tuple(map(_arc, table[name])) for name in ("arcs", "path"))
    stops = {arc.stop for arc in arcs}
    is_inside = all(0 <= a.start < a.stop <= len(letters) for a in (*arcs, *path))
    if not is_inside or stops != set(range(1, len(letters) + 1)):
        raise ValueError("a path goes where no letters are")
    if len(best) != len(letters) + 1:
        raise ValueError("a path has another number of sums")
    return Lattice(letters, arcs, best, path, int(table["n_steps"]))


def _arc(row: Iterable[Any]) -> Arc:
    start, stop, data, score, is_stand_in = row
    return Arc(
        int(start), int(stop), bytes.fromhex(data), float(score), bool(is_stand_in)
    )
