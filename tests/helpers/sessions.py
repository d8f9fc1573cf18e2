"""A session that shows a sentence without a thread: as if its trace had just come."""

from typing import Any

from app.session import Session
from app.workers.tracing import Opened, Traced, TraceRequest, TraceTiming, card_of
from core.bundle import Bundle
from core.pipeline import trace_encoding
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    tiny_bundle,
)


class ShownSession(Session):
    """Starts no thread; `open` and `read` stand for what the worker would answer."""

    def __init__(self) -> None:
        super().__init__(pause_ms=0)
        self.opened: Opened | None = None

    def open(self, **config: Any) -> None:
        """Open the tiny model."""
        self.take(tiny_bundle(**config))

    def take(self, bundle: Bundle) -> None:
        """Open a model that is in memory."""
        self.opened = Opened(bundle, card_of(bundle))
        self._on_opened(self.opened)

    def read(self, text: str, target: str = "") -> None:
        """Type a sentence, behind an encoder also a target, and take its trace."""
        self.request_text(text)
        if self.has_target:
            self.request_target(target)
        self.trace_now()

    def trace_now(self) -> None:
        """Take the trace of the present sentence."""
        self._pause.stop()
        bundle = self.opened.bundle
        request = TraceRequest(bundle, self.encoding, self._first_valid, self.target)
        trace = trace_encoding(bundle, self.encoding, target=self.target)
        self.accept(request, Traced(trace, TraceTiming("CPU", 1.5), None))


def session_translating(
    source: str = SOURCE_TEXT, target: str = TARGET_TEXT, **config: Any
) -> ShownSession:
    """A session with a tiny model of two sides open and both texts traced."""
    session = ShownSession()
    session.take(encoder_decoder_bundle(**config))
    session.read(source, target)
    return session


def session_showing(text: str = "the cat sat", **config: Any) -> ShownSession:
    """A session with the tiny model open and a sentence traced."""
    session = ShownSession()
    session.open(**config)
    session.read(text)
    return session
