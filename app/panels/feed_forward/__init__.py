"""The feed-forward panel: what each token thinks by itself.

Serves every step layers.*.ffn.*. One page a kind of step; see the table in `panel`.
"""

from app.panels.feed_forward.panel import FeedForwardPanel

__all__ = ["FeedForwardPanel"]
