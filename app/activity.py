"""What is being done, in a word or two: the kinds of work and what is said of each."""

from collections.abc import Iterable

from app.workers.generating import GenerateRequest
from app.workers.runner import Request
from app.workers.tracing import (
    BesideRequest,
    EncodeRequest,
    MomentRequest,
    OpenRequest,
    PartsRequest,
    TraceRequest,
)

ACTIVITIES = (
    (OpenRequest, "opening the model…"),
    (GenerateRequest, "writing…"),
    (MomentRequest, "thinking…"),
    (EncodeRequest, "thinking…"),
    (TraceRequest, "thinking…"),
    (BesideRequest, "thinking…"),
    (PartsRequest, "thinking…"),
)
"""What to say of each kind of request; the first kind that is pending is said."""


def activity_of(pending: Iterable[Request]) -> str:
    """What to say while these requests are pending; "" where none is."""
    kinds = {type(request) for request in pending}
    return next((text for kind, text in ACTIVITIES if kind in kinds), "")
