"""The next token: the last norm, the logits, their softmax, and the pick."""

from app.panels.output.panel import OutputPanel

__all__ = ["OutputPanel"]
