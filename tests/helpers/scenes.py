"""A scene to display, and a session that only notes what it is asked for."""

from typing import Any

from app.scene import Scene
from app.session import Session
from core.generation.sampling import Sampling
from core.pipeline import trace_encoding
from core.trace.selection import Selection
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    encoder_decoder_trace,
    tiny_bundle,
)


class AskedSession(Session):
    """Carries nothing out; `wishes` holds what was asked for, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.wishes: list[Any] = []

    def request_selection(self, selection: Selection) -> None:
        self.wishes.append(selection)

    def set_specials(self, specials: bool) -> None:
        self.wishes.append(specials)


def scene_of(
    text: str = "the cat sat",
    *,
    specials: bool = False,
    config: dict[str, Any] | None = None,
    **selection: Any,
) -> Scene:
    """A sentence in the tiny model, with the reader where `selection` says."""
    bundle = tiny_bundle(**(config or {}))
    encoding = bundle.tokenizer.encode(text, specials=specials)
    trace = trace_encoding(bundle, encoding)
    return Scene(trace, Selection(**selection), bundle.tokenizer, Sampling())


def pair_scene(
    step: str,
    kind: str = "2017",
    *,
    source: str = SOURCE_TEXT,
    target: str = TARGET_TEXT,
    **selection: Any,
) -> Scene:
    """A source and a target in a tiny model of two sides, at a step."""
    trace = encoder_decoder_trace(kind, source, target)
    tokenizer = encoder_decoder_bundle(kind).tokenizer
    return Scene(trace, Selection(step=step, **selection), tokenizer, Sampling())
