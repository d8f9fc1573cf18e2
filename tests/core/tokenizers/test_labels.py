import pytest

from core.tokenizers.labels import label_of, readable_text


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"cat", "cat"),
        (b" cat", "·cat"),
        (b"a\n\tb", "a↵→b"),
        (b"\x00\x1b\r\x7f", "⟨NUL⟩⟨ESC⟩⟨CR⟩⟨DEL⟩"),
        (b"\x1f\x0b", "⟨US⟩⟨VT⟩"),
        ("é中🙂".encode(), "é中🙂"),
        (b"\xf0", "⟨F0⟩"),
        (b"\x9f\x99", "⟨9F 99⟩"),
        (b" \xe4\xb8", "·⟨E4 B8⟩"),
        ("é".encode() + b"\xc3", "é⟨C3⟩"),
        (b"\xa9" + "é".encode(), "⟨A9⟩é"),
        (b"\xed\xa0\xbd", "⟨ED A0 BD⟩"),
        ("\ufffd".encode(), "⟨U+FFFD⟩"),
        ("\u0301".encode(), "◌\u0301"),
        ("e\u0301".encode(), "e\u0301"),
        ("\u200b\u202e\xa0".encode(), "⟨U+200B⟩⟨U+202E⟩⟨U+00A0⟩"),
        (b"<|endoftext|>", "<|endoftext|>"),
        (b"<s>&amp;", "<s>&amp;"),
        (b"", ""),
    ],
)
def test_every_byte_of_a_token_can_be_seen(data: bytes, label: str) -> None:
    assert label_of(data) == label


@pytest.mark.thorough
def test_no_sequence_of_bytes_has_a_label_with_a_replacement_mark() -> None:
    for first in range(256):
        for second in range(256):
            label = label_of(bytes((first, second)))
            assert "\ufffd" not in label
            assert label
            assert not any(character.isspace() for character in label.replace(" ", ""))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            "Eine Füchsin 🦊\n\tund  👩\u200d🚀".encode(),
            "Eine Füchsin 🦊\n\tund  👩\u200d🚀",
        ),
        (b"fox \xf0\x9f\xa6", "fox "),
        (b"fox \xa6\x8a end", "fox ⟨A6 8A⟩ end"),
        (b"f\xc3(x\xff.", "f⟨C3⟩(x⟨FF⟩."),
        (b"a\0b\x7f\r\n", "a⟨NUL⟩b⟨DEL⟩⟨CR⟩\n"),
        ("\ufffd".encode(), "⟨U+FFFD⟩"),
        (b"", ""),
    ],
)
def test_a_text_ends_with_a_whole_character_and_names_broken_bytes(
    data: bytes, text: str
) -> None:
    assert readable_text(data) == text


def test_each_control_character_has_a_name_that_every_font_can_draw() -> None:
    labels = {label_of(bytes([code])) for code in range(32) if code not in (9, 10)}
    assert len(labels) == 30
    assert all(label.strip("⟨⟩").isascii() for label in labels)
