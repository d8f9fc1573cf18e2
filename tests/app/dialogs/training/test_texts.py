"""Case by case, what the dialog says of odd texts (area R of the trial cases)."""

import pytest

from core.training.sources import StorySource

CP1252 = bytes([0x63, 0x61, 0x66, 0xE9])
UTF16 = bytes([0xFF, 0xFE, 0x68, 0, 0x69, 0, 0x0A, 0])
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90wS\xde"


@pytest.mark.parametrize("n_characters", [64, 65, 66])
def test_a_text_shorter_than_a_window_is_refused_with_both_numbers(desk, n_characters):
    # 257 tokens are the single bytes and the end of a text: a token a character.
    desk.plan.set_fields(
        {"tokenizer.n_vocab": 257, "model.n_ctx": 64, "data.valid_share": 0.0}
    )
    desk.take_file("short.txt", (b"abcdefgh" * 9)[:n_characters])
    assert desk.facts["to learn from"] == str(n_characters)
    errors = [
        each for each in desk.setup.data.doctor.findings if each.severity == "error"
    ]
    desk.setup.show_page(2)
    assert desk.setup.start.is_usable == (n_characters >= 65) == (not errors)
    assert all("64" in each.what and "65" in each.what for each in errors)


def test_a_mend_of_the_doctor_does_what_it_says(desk):
    desk.take_file("short.txt", b"abcdefgh" * 4)
    desk.plan.set_fields({"model.n_ctx": 64, "data.valid_share": 0.0})
    error = next(
        each
        for each in desk.setup.data.doctor.findings
        if each.severity == "error" and each.mends
    )
    mend = error.mends[0]
    labels = [button.text() for button in desk.setup.data.doctor.mends]
    desk.setup.data.doctor.mends[labels.index(mend.label)].click()
    desk.wait()
    for name, value in mend.fields.items():
        table, _, field = name.partition(".")
        assert getattr(getattr(desk.plan.draft, table), field) == value


def test_a_mend_that_vanishes_hands_the_keys_to_nothing_that_removes(desk):
    desk.take_file("short.txt", b"abcdefgh" * 4)
    desk.plan.set_fields({"model.n_ctx": 64, "data.valid_share": 0.0})
    with desk.qtbot.waitExposed(desk.setup):
        desk.setup.show()
        desk.setup.activateWindow()
    button = desk.setup.data.doctor.mends[0]
    button.setFocus()
    button.click()
    desk.wait()
    focus = desk.setup.focusWidget()
    assert focus is None or desk.setup.data.doctor.isAncestorOf(focus)


def test_one_letter_a_thousand_times_is_told_to_teach_nothing(desk):
    desk.take_file("a.txt", b"a" * 1000)
    assert desk.facts["distinct characters"] == "1"
    assert "nothing to learn" in desk.said().lower()


def test_utf_16_with_its_mark_is_read(desk):
    desk.take_file("hi.txt", UTF16)
    assert desk.facts["characters"] == "3"
    assert desk.setup.data.sources.lines[0].fault is None


def test_windows_1252_is_never_guessed_but_offered(desk):
    desk.take_file("cafe.txt", CP1252)
    line = desk.setup.data.sources.lines[0]
    assert line.fault.kind == "encoding"
    assert line.fault.offset == 3
    assert "offset 3" in line.fault.message
    assert desk.setup.obstacle
    line.encoding.setCurrentIndex(line.encoding.findData("cp1252"))
    line.encoding.activated.emit(line.encoding.currentIndex())
    desk.wait()
    assert desk.facts["characters"] == "4"
    assert desk.setup.data.sources.lines[0].fault is None


def test_one_stray_byte_can_be_replaced_but_is_not_silently(desk):
    desk.take_file("stray.txt", b"the cat \xff sat\n" + b"on the mat\n" * 99)
    line = desk.setup.data.sources.lines[0]
    assert line.fault.n_bad == 1
    assert "1 bad byte" in line.replace.text()
    line.replace.click()
    desk.wait()
    assert desk.setup.data.sources.lines[0].fault is None
    assert desk.facts["distinct characters"] != "–"


def test_an_image_that_is_called_a_text_is_refused(desk):
    desk.take_file("picture.txt", PNG)
    line = desk.setup.data.sources.lines[0]
    assert line.fault.kind == "binary"
    assert "picture.txt" in line.fault.message
    assert not hasattr(line, "replace")
    assert desk.setup.obstacle


@pytest.mark.parametrize("content", [b"ab\r\nab\r\n", b"ab\nab\n"])
def test_line_ends_are_made_alike_and_the_dialog_says_so(desk, content):
    desk.take_file("lines.txt", content)
    assert desk.facts["characters"] == "6"
    assert desk.facts["distinct characters"] == "3"
    assert "CR LF" in desk.setup.data.facts.note


def test_the_numbers_of_the_two_parts_are_those_of_the_run(desk):
    desk.take(StorySource(seed=3, n_characters=20_000))
    n_all, n_train, n_valid = (
        int(desk.facts[name].replace(",", ""))
        for name in ("tokens", "to learn from", "for validation")
    )
    assert n_train + n_valid == n_all
    assert n_valid == int(n_all * 0.1)
