from pathlib import Path

import pytest

from app.options import Options, check_step, check_target, parse
from core.errors import TraceError
from tests.helpers.bundles import tiny_trace


def test_without_arguments_nothing_is_asked_for():
    assert parse([]) == Options()


def test_every_argument_is_read():
    line = "--model m --text T --target U --step embed.sum --screenshot a.png"
    line += " --theme dark"
    assert parse([*line.split(), "--size", "800x600"]) == Options(
        model=Path("m"),
        text="T",
        target="U",
        step="embed.sum",
        screenshot=Path("a.png"),
        theme="dark",
        size=(800, 600),
    )


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("--screenshot a.jpg", "a.jpg does not end in .png"),
        ("--size big", "big is not a size such as 1280x800"),
        ("--theme puce", "puce"),
    ],
)
def test_a_fault_ends_with_code_2_and_names_the_argument(line, what, capsys):
    with pytest.raises(SystemExit) as end:
        parse(line.split())
    assert end.value.code == 2
    assert what in capsys.readouterr().err


def test_an_unknown_step_is_refused_with_near_names():
    with pytest.raises(TraceError, match=r"layers\.1\.attn\.pattern"):
        check_step("layers.1.atn.patern", tiny_trace().keys)
    with pytest.raises(TraceError, match=r"tokens\.pieces"):
        check_step("zzz", tiny_trace().keys)


def test_a_step_of_the_model_passes():
    check_step("layers.1.attn.pattern", tiny_trace().keys)


def test_a_target_is_for_models_with_an_encoder():
    check_target("U", has_encoder=True)
    check_target(None, has_encoder=False)
    with pytest.raises(TraceError, match="has no encoder"):
        check_target("U", has_encoder=False)
