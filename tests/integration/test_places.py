"""The whole program where home and temporary folders have hard names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.helpers.bundles import save_tiny

ROOT = Path(__file__).parents[2]
END_S = 120
HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "USERPROFILE")
TEMPORARY = ("TMPDIR", "TEMP", "TMP")


@pytest.mark.thorough
def test_home_and_temporary_folder_may_have_any_letters(tmp_path: Path) -> None:
    place = tmp_path / "Ünï 用户 #%20"
    place.mkdir()
    model = save_tiny(place / "Модель 模型 é")
    picture = place / "图.png"
    places = dict.fromkeys((*HOMES, *TEMPORARY), str(place))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "app", "--model", model, "--text", "the cat"),
            *("--step", "layers.0.attn.pattern", "--screenshot", picture),
        ],
        cwd=ROOT,
        env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        timeout=END_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert not QImage(str(picture)).isNull()
