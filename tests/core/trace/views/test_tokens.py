"""What the tokens panel shows, by hand: bytes, merges in rank order, spans, reasons."""

import pytest

from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.bpe_training import train_bpe
from core.tokenizers.simple import learn_characters
from core.trace.views.tokens import (
    Letter,
    cut_note,
    first_token_of,
    letters,
    merge_states,
    merge_trees,
    merges_title,
    no_merges_reason,
    one_line,
    piece_rows,
    special_in,
    vocabulary_rows,
    vocabulary_title,
    word_notes,
)

BYTES = BpeTokenizer.from_merges(())
ABC = BpeTokenizer.from_merges(((b"b", b"c"), (b"a", b"b")))
RUNS = BpeTokenizer.from_merges(((b"a", b"a"), (b"aa", b"aa")))


def only_word(tokenizer, text):
    (word,) = tokenizer.encode(text).words
    return word


def leaves(join):
    return "".join(map(leaves, join.parts)) if join.parts else join.label


def test_a_character_stands_above_all_of_its_bytes():
    assert letters("é🙂".encode()) == (
        Letter("é", "C3 A9"),
        Letter("🙂", "F0 9F 99 82"),
    )


def test_bytes_that_are_no_character_are_called_by_their_number():
    assert letters(b"\xf0\x9f") == (Letter("⟨F0 9F⟩", "F0 9F"),)


def test_the_first_rank_joins_first_and_leaves_the_second_no_pair():
    first, last = merge_states(only_word(ABC, "abc"))
    assert (first.symbols, first.positions, first.rank) == (("a", "b", "c"), (1,), 0)
    (rival,) = first.rivals
    assert (rival.left, rival.right, rival.rank) == ("a", "b", 1)
    assert (last.symbols, last.rank) == (("a", "bc"), None)


def test_a_pair_that_stands_twice_joins_twice_in_one_step():
    first, second, last = merge_states(only_word(RUNS, "aaaa"))
    assert first.positions == (0, 2)
    assert (second.symbols, second.positions) == (("aa", "aa"), (0,))
    assert last.symbols == ("aaaa",)


@pytest.mark.parametrize("n", range(1, 10))
def test_the_trees_are_the_tokens_and_their_leaves_the_bytes(n):
    word = only_word(RUNS, "a" * n)
    trees = merge_trees(word)
    assert tuple(tree.label.encode() for tree in trees) == word.symbols
    assert "".join(map(leaves, trees)) == "a" * n


def test_a_join_is_numbered_by_the_merge_that_made_it():
    (tree,) = merge_trees(only_word(RUNS, "aaaa"))
    assert (tree.order, tree.rank) == (1, 1)
    assert [(part.order, part.rank) for part in tree.parts] == [(0, 0), (0, 0)]


def test_each_rival_pair_is_named_once_the_best_rank_first():
    tokenizer = train_bpe(("abab cdcd abcd",) * 3, 262)
    for word in tokenizer.encode("ababcdcd").words:
        for state in merge_states(word):
            ranks = [rival.rank for rival in state.rivals]
            assert ranks == sorted(set(ranks))


def test_a_character_over_several_tokens_says_which_byte_each_holds():
    rows = piece_rows(BYTES.encode("A🙂B"))
    assert [row.hexadecimal for row in rows] == ["41", "F0", "9F", "99", "82", "42"]
    shares = [row.share for row in rows]
    assert shares == ["", *(f"byte {k} of 4" for k in (1, 2, 3, 4)), ""]
    assert [row.characters for row in rows] == ["1", "2", "2", "2", "2", "3"]
    assert [row.bytes_ for row in rows] == list("123456")


def test_the_decoded_line_reads_as_the_text_with_breaks_drawn():
    assert one_line("A🙂B <b>\n") == "A🙂B <b>↵"
    assert one_line("a\x00b") == "a⟨NUL⟩b"
    assert "\ufffd" not in one_line("\ufffd")


def test_a_word_of_one_byte_a_special_and_unknown_pairs_give_their_reasons():
    texts = {"A": "one byte", "é": "No two neighbours"}
    for text, reason in texts.items():
        assert reason in no_merges_reason(BYTES.encode(text), 0)
    tokenizer = train_bpe(("aa",), 258)
    special = tokenizer.encode("<|endoftext|>", specials=True)
    assert "special token" in no_merges_reason(special, 0)
    assert no_merges_reason(RUNS.encode("aa"), 0) == ""


def test_a_token_given_by_its_id_says_so():
    (wide,) = RUNS.encode("aaaa").ids
    assert "put in by its id" in no_merges_reason(RUNS.encoding_of((wide,)), 0)


def test_a_cut_history_says_how_many_steps_are_shown():
    word = only_word(RUNS, "aaaa")
    assert cut_note(word) == ""
    assert (merges_title(word, 0), merges_title(word, 2)) == (
        "merge 1 of 2",
        "after 2 merges",
    )
    long = BpeTokenizer.from_merges(tuple((b"x" + b"a" * n, b"a") for n in range(250)))
    assert cut_note(only_word(long, "x" + "a" * 250)) == (
        "showing the first 200 of 250 steps"
    )


def test_the_special_that_stands_first_in_the_text_is_asked_about():
    specials = {"<s>": 1, "<|endoftext|>": 0}
    assert special_in("A<|endoftext|>B<s>", specials) == "<|endoftext|>"
    assert special_in("plain", specials) == ""


def test_a_word_with_its_space_is_explained_and_leads_to_its_first_token():
    tokenizer = train_bpe(("the cat sat on the mat and the cat sat",) * 3, 300)
    encoding = tokenizer.encode("cat cat")
    assert encoding.ids[0] != encoding.ids[1]
    assert "another token" in word_notes(encoding)[1]
    assert "another token" not in word_notes(encoding)[0]
    assert first_token_of(encoding, 1) == 1


def test_a_space_that_is_a_token_of_its_own_makes_no_other_word():
    encoding = learn_characters(["cat cat"]).encode("cat cat")
    assert "another token" not in word_notes(encoding)[1]


def test_a_vocabulary_is_shown_by_its_ids_as_far_as_there_is_room():
    small = learn_characters(["ba<|endoftext|>"])
    rows = [(row.label, row.id) for row in vocabulary_rows(small)]
    assert rows == [("a", 0), ("b", 1), ("<|endoftext|>", 2)]
    assert vocabulary_title(small) == "The model knows 2 characters"
    large = learn_characters(["".join(map(chr, range(0x4E00, 0x4E00 + 1200)))])
    assert len(vocabulary_rows(large)) == 1000
    assert vocabulary_title(large).endswith("1,200 characters, the first 1,000")
