"""Glassformer without a window: models, tokenizers, traces, training.

`open_bundle` opens a model, `run_trace` walks a sentence through it. The names come
lazily, so that `import core` alone loads neither torch nor a model.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.bundle import Bundle as Bundle
    from core.bundle import open_bundle as open_bundle
    from core.pipeline import run_trace as run_trace
    from core.trace.archive import read_trace as read_trace
    from core.trace.archive import save_trace as save_trace
    from core.trace.edits import Edit as Edit
    from core.trace.trace import Trace as Trace

_HOMES = {
    "Bundle": "core.bundle",
    "Edit": "core.trace.edits",
    "Trace": "core.trace.trace",
    "open_bundle": "core.bundle",
    "read_trace": "core.trace.archive",
    "run_trace": "core.pipeline",
    "save_trace": "core.trace.archive",
}

__all__ = [
    "Bundle",
    "Edit",
    "Trace",
    "open_bundle",
    "read_trace",
    "run_trace",
    "save_trace",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'core' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
