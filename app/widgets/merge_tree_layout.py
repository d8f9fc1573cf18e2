"""Where the joins of a word lie: leaves below in text order, joins as high as late.

Place: the geometry of the merge tree, without ink. Heights are levels: every merge has
one of its own, in the order in which they happened.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.style.fonts import BASE, CAPTION, mono
from app.widgets.label import advance

PADDING = 6
"""Within a node's box."""
LABEL_RANK_GAP = 6
LEAF_GAP = 8
ROOT_GAP = 0.5
"""Between the trees of two tokens, in leaves."""
LEAF = -1
"""The level of a leaf, and the order of what no merge made."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A symbol of the word: one byte, or the join of two symbols."""

    label: str
    children: tuple["TreeNode", ...] = field(default=(), repr=False)
    order: int = LEAF
    """Which merge made it, counted from 0; LEAF for a byte."""
    rank: str = ""
    """That merge's rank, as text."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A node with its place in the picture."""

    node: TreeNode
    parent: int
    """Index of the parent among the placed nodes; -1 for the node of a token."""
    start: float
    """Where its leaves begin, in leaves from the left."""
    end: float
    """Where its leaves end."""
    centre: float
    """Where its branches meet, in leaves from the left; the first leaf's is 0.5."""
    level: int
    """0 for the first merge, 1 for the second; LEAF at the bottom."""


def leaves(node: TreeNode) -> Iterator[TreeNode]:
    """The bytes of a node, in text order."""
    if not node.children:
        yield node
    for child in node.children:
        yield from leaves(child)


def place(roots: tuple[TreeNode, ...]) -> tuple[Placed, ...]:
    """Every node with its place, each before its children, in text order.

    A join stands in the middle above its children.
    """
    orders = sorted({node.order for root in roots for node in _joins(root)})
    level_of = {order: level for level, order in enumerate(orders)} | {LEAF: LEAF}
    placed: list[Placed] = []
    left = 0.0

    def add(node: TreeNode, parent: int) -> float:
        nonlocal left
        index, start, level = len(placed), left, level_of[node.order]
        placed.append(Placed(node, parent, start, start + 1, start + 0.5, level))
        if not node.children:
            left += 1
            return start + 0.5
        centres = [add(child, index) for child in node.children]
        centre = sum(centres) / len(centres)
        placed[index] = Placed(node, parent, start, left, centre, level)
        return centre

    for root in roots:
        add(root, -1)
        left += ROOT_GAP
    return tuple(placed)


def _joins(node: TreeNode) -> Iterator[TreeNode]:
    if node.children:
        yield node
    for child in node.children:
        yield from _joins(child)


def box_width(node: TreeNode) -> float:
    """The width of a node's box in pixels: label, and rank if it has one."""
    rank = advance(node.rank, mono(CAPTION)) + LABEL_RANK_GAP if node.rank else 0.0
    return advance(node.label, mono(BASE)) + rank + 2 * PADDING


def leaf_pitch(roots: tuple[TreeNode, ...]) -> float:
    """Pixels from leaf to leaf, so that every box stays above its own leaves."""
    nodes = [node for root in roots for node in (*_joins(root), *leaves(root))]
    needs = (
        (box_width(node) + LEAF_GAP) / sum(1 for _ in leaves(node)) for node in nodes
    )
    return max(needs, default=0.0)
