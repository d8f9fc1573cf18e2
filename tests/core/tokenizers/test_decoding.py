import random

from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.decoding import decode_text, decoded_characters, unfinished_length


def test_an_unfinished_character_at_the_end_is_measured(base256: BpeTokenizer) -> None:
    smile = bytes([0xF0, 0x9F, 0x99, 0x82, 0x21])
    lengths = [unfinished_length(smile[:n]) for n in range(6)]
    assert lengths == [0, 1, 2, 3, 0, 0]
    assert [base256.label(i) for i in smile] == ["⟨F0⟩", "⟨9F⟩", "⟨99⟩", "⟨82⟩", "!"]


def test_text_held_back_while_unfinished_is_the_text_decoded_at_once() -> None:
    choose = random.Random(1)
    likely = [0x21, 0x80, 0xA0, 0xBD, 0xC3, 0xE0, 0xED, 0xF0, 0x9F, 0x99, 0x82, 0xFF]
    for _ in range(500):
        data = bytes(choose.choices(likely, k=choose.randrange(1, 12)))
        cut = len(data) - unfinished_length(data)
        assert decode_text(data[:cut]) + decode_text(data[cut:]) == decode_text(data)


def test_broken_bytes_decode_as_python_decodes_them() -> None:
    choose = random.Random(2)
    for _ in range(500):
        data = choose.randbytes(choose.randrange(8)).replace(b"\xed", b"")
        assert decode_text(data) == data.decode(errors="replace")
        assert sum(length for _, length in decoded_characters(data)) == len(data)


def test_lone_surrogates_come_back_as_they_were() -> None:
    text = "a\ud83d\ude42\udc00b"
    assert decode_text(text.encode("utf-8", "surrogatepass")) == text
