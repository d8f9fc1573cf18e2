"""The sheet is complete: every placeholder filled, every picture there."""

import re
from pathlib import Path

import pytest

from app.style.sheet import style_sheet
from app.style.theme import THEMES


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
def test_every_picture_of_the_sheet_exists(chosen):
    pictures = re.findall(r'url\("([^"]+)"\)', style_sheet(chosen))
    assert pictures
    assert not [picture for picture in pictures if not Path(picture).is_file()]


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
def test_braces_and_placeholders_are_closed(chosen):
    sheet = style_sheet(chosen)
    assert sheet.count("{") == sheet.count("}")
    assert "$" not in sheet
