import random

from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.decoding import TextStream, decode_text, decoded_characters


def test_streamed_text_waits_until_a_character_is_whole(base256: BpeTokenizer) -> None:
    stream = TextStream(base256.token_bytes)
    ids = [0xF0, 0x9F, 0x99, 0x82, 0x21]
    shown = [(stream.push(i), len(stream.pending)) for i in ids]
    assert shown == [("", 1), ("", 2), ("", 3), ("🙂", 0), ("!", 0)]
    assert [base256.label(i) for i in ids] == ["⟨F0⟩", "⟨9F⟩", "⟨99⟩", "⟨82⟩", "!"]


def test_an_unfinished_character_is_shown_broken_only_at_the_end(
    base256: BpeTokenizer,
) -> None:
    stream = TextStream(base256.token_bytes)
    assert "".join(map(stream.push, b"A\xf0\x9f")) == "A"
    assert stream.finish() == "\ufffd"
    assert stream.finish() == ""


def test_streamed_text_is_the_text_decoded_at_once(base256: BpeTokenizer) -> None:
    choose = random.Random(1)
    likely = [0x21, 0x80, 0xA0, 0xBD, 0xC3, 0xE0, 0xED, 0xF0, 0x9F, 0x99, 0x82, 0xFF]
    for _ in range(500):
        ids = choose.choices(likely, k=choose.randrange(1, 12))
        stream = TextStream(base256.token_bytes)
        assert "".join(map(stream.push, ids)) + stream.finish() == base256.decode(ids)


def test_broken_bytes_decode_as_python_decodes_them() -> None:
    choose = random.Random(2)
    for _ in range(500):
        data = choose.randbytes(choose.randrange(8)).replace(b"\xed", b"")
        assert decode_text(data) == data.decode(errors="replace")
        assert sum(length for _, length in decoded_characters(data)) == len(data)


def test_lone_surrogates_come_back_as_they_were() -> None:
    text = "a\ud83d\ude42\udc00b"
    assert decode_text(text.encode("utf-8", "surrogatepass")) == text
