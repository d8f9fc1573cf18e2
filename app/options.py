"""The command line: what the program is asked to open. Loads no Qt."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from core.errors import TraceError

DEFAULT_SIZE = (1280, 800)
N_NEAR_NAMES = 4


@dataclass(frozen=True, slots=True)
class Options:
    """What stands on the command line; None where it says nothing."""

    model: Path | None = None
    text: str | None = None
    target: str | None = None
    step: str | None = None
    screenshot: Path | None = None
    theme: str | None = None
    size: tuple[int, int] = DEFAULT_SIZE


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line; ends the program with code 2 where it cannot be read."""
    parser = argparse.ArgumentParser(
        prog="glassformer",
        description="Type a sentence and walk it through a transformer.",
    )
    parser.add_argument(
        "--model",
        type=Path,
        metavar="PATH",
        help="the model folder, .gguf file or trace file to open",
    )
    parser.add_argument("--text", metavar="T", help="the sentence to begin with")
    parser.add_argument(
        "--target",
        metavar="TEXT",
        help="of a model with an encoder: the target so far; --text is its source",
    )
    parser.add_argument(
        "--step", metavar="KEY", help="the step to begin at: layers.0.attn.pattern"
    )
    parser.add_argument(
        "--screenshot",
        type=png_file,
        metavar="FILE.png",
        help="draw one picture without a display, and end",
    )
    parser.add_argument(
        "--theme", choices=("light", "dark"), help="of this start; not remembered"
    )
    parser.add_argument(
        "--size",
        type=size_of_text,
        default=DEFAULT_SIZE,
        metavar="WxH",
        help="of the picture in pixels (1280x800)",
    )
    return Options(**vars(parser.parse_args(arguments)))


def png_file(text: str) -> Path:
    """A file name that ends in .png."""
    path = Path(text)
    if path.suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f"{text} does not end in .png")
    return path


def size_of_text(text: str) -> tuple[int, int]:
    """Width and height of "1280x800"."""
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 1280x800")
    return int(found[1]), int(found[2])


def check_target(target: str | None, *, has_encoder: bool) -> None:
    """Refuse a target for a model that reads and writes one text.

    Raises:
        TraceError: It has no encoder.
    """
    if target is not None and not has_encoder:
        raise TraceError("This model has no encoder, so it takes no --target.")


def check_step(key: str, keys: Sequence[str]) -> None:
    """Refuse a step that the model does not have, and name those it may have meant.

    Raises:
        TraceError: It is not among the keys.
    """
    if key in keys:
        return
    near = get_close_matches(key, keys, N_NEAR_NAMES, cutoff=0.4)
    raise TraceError(
        f"This model has no step {key}; try {', '.join(near or keys[:N_NEAR_NAMES])}."
    )
