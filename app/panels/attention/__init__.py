"""The attention panel: what each token takes from the tokens before it.

Serves every step layers.*.attn.*. One page a kind of step; see the table in `panel`.
"""

from app.panels.attention.panel import AttentionPanel

__all__ = ["AttentionPanel"]
