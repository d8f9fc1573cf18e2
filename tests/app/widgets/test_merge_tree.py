"""The merge tree: where joins lie, what the keys reach, what a node says."""

import pytest
from PySide6.QtCore import Qt

from app.widgets.merge_tree import MergeTree
from app.widgets.merge_tree_layout import LEAF, TreeNode, leaf_pitch, place

A, B, C, D = (TreeNode(letter) for letter in "abcd")
BC = TreeNode("bc", (B, C), 0, "5")
ABC = TreeNode("abc", (A, BC), 4, "17")
WORD = (ABC, D)


def comb(n):
    """A word of n letters, joined one after the other from the left."""
    node = TreeNode("x")
    for order in range(n - 1):
        node = TreeNode("x" * (order + 2), (node, TreeNode("x")), order, "12345")
    return node


@pytest.fixture
def tree(qtbot):
    widget = MergeTree()
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    widget.show()
    return widget


def test_leaves_stand_in_text_order_and_joins_in_the_middle_above(qapp):
    placed = {each.node.label: each for each in place(WORD)}
    assert [placed[x].centre for x in "abc"] == [0.5, 1.5, 2.5]
    assert placed["bc"].centre == 2.0
    assert placed["abc"].centre == (0.5 + 2.0) / 2
    assert placed["d"].centre > placed["c"].centre + 1  # apart: another token


def test_a_later_merge_lies_one_level_higher(qapp):
    placed = {each.node.label: each.level for each in place(WORD)}
    assert placed == {"abc": 1, "bc": 0, "a": LEAF, "b": LEAF, "c": LEAF, "d": LEAF}


def test_no_box_covers_another(tree):
    for roots in (WORD, (comb(20),), (comb(2), comb(3), comb(1))):
        tree.show_trees(roots)
        boxes = [tree.item_rect(i) for i in range(tree.item_count())]
        for i, box in enumerate(boxes):
            assert not any(box.intersects(other) for other in boxes[i + 1 :])


def test_every_box_lies_within_the_content(tree):
    tree.show_trees((comb(20),))
    size = tree.arrange()
    for i in range(tree.item_count()):
        box = tree.item_rect(i)
        assert box.left() >= 0
        assert box.top() >= 0
        assert box.right() <= size.width()
        assert box.bottom() <= size.height()


def test_a_single_leaf_has_a_pitch_and_no_level(tree):
    tree.show_trees((A,))
    tree.set_position(0)
    assert leaf_pitch((A,)) > 0
    assert tree.item_text(0).endswith("a token")
    assert not tree.grab().isNull()


def test_a_join_says_its_parts_and_rank(tree):
    tree.show_trees(WORD)
    assert tree.item_text(0).splitlines() == [
        "abc", "a + bc, merge 2", "rank 17", "a token",
    ]  # fmt: skip


def test_keys_climb_up_and_down_and_walk_across(tree, qtbot):
    tree.show_trees(WORD)
    labels = []
    for key in ("Home", "Down", "Up", "Down", "Right", "Right", "Right"):
        qtbot.keyClick(tree, getattr(Qt.Key, f"Key_{key}"))
        labels.append(place(WORD)[tree.cursor_index].node.label)
    assert labels == ["abc", "a", "abc", "a", "abc", "b", "bc"]


def test_a_click_tells_which_node(tree, qtbot):
    tree.show_trees(WORD)
    index = next(i for i, each in enumerate(place(WORD)) if each.node is BC)
    spot = tree.item_rect(index).center().toPoint()
    with qtbot.waitSignal(tree.node_clicked) as caught:
        qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [BC]


def test_the_merge_just_made_is_scrolled_into_sight(tree):
    tree.show_trees((comb(20),))
    tree.set_position(19)
    assert tree.verticalScrollBar().value() == 0
    tree.set_position(1)
    assert tree.verticalScrollBar().value() > 0
