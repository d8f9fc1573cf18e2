"""How a `config.json` tells of rotary positions: newer tables and older fields.

Newer files hold everything in `rope_parameters`; older ones have `rope_theta` beside a
table `rope_scaling`. Stretchings that are not computed here are refused by name.
"""

from typing import Any

from core.checkpoints.fields import Fields
from core.config import ModelConfig

BASE = "rope_theta"
TABLES = ("rope_parameters", "rope_scaling")
DEFAULT_BASE = 10000.0
KINDS = {"default": "none", "linear": "linear", "llama3": "llama3"}
"""Their names of stretchings, and ours."""
LLAMA3 = {
    "rotary_factor": "factor",
    "rotary_low": "low_freq_factor",
    "rotary_high": "high_freq_factor",
    "rotary_n_ctx": "original_max_position_embeddings",
}
"""Our fields and theirs; "linear" has the first alone."""


def rotary_fields(fields: Fields, n_ctx: int) -> dict[str, Any]:
    """The fields of a `ModelConfig` that say how queries and keys are turned."""
    fields.must_be("partial_rotary_factor", 1.0)
    tables = (fields.table(name) for name in TABLES)
    table = next((found for found in tables if found and found.values), None)
    if table is None:
        return {"position": "rotary", "rotary_base": fields.number(BASE, DEFAULT_BASE)}
    table.must_be("partial_rotary_factor", 1.0)
    kind = next((name for name in ("rope_type", "type") if table.has(name)), "")
    if kind and table.text(kind) not in KINDS:
        raise table.refused(kind, f"is not known here; {', '.join(KINDS)} are")
    nested = [name for name, value in table.values.items() if isinstance(value, dict)]
    if nested:
        raise table.refused(nested[0], "differs between layers, which is not known")
    holder = table if table.has(BASE) else fields
    found: dict[str, Any] = {
        "position": "rotary",
        "rotary_base": holder.number(BASE, DEFAULT_BASE),
        "rotary_scaling": KINDS[table.text(kind)] if kind else "none",
    }
    if found["rotary_scaling"] == "linear":
        found["rotary_factor"] = table.number("factor")
    elif found["rotary_scaling"] == "llama3":
        *numbers, (last, n_before) = LLAMA3.items()
        found |= {ours: table.number(theirs) for ours, theirs in numbers}
        found[last] = table.whole(n_before, n_ctx)
    return found


def rotary_settings(config: ModelConfig) -> dict[str, Any]:
    """The same fields for a `config.json`: as of old, which all versions read."""
    base = {BASE: config.rotary_base}
    kind = next(t for t, ours in KINDS.items() if ours == config.rotary_scaling)
    if kind == "default":
        return base
    names = LLAMA3 if kind == "llama3" else {"rotary_factor": "factor"}
    numbers = {theirs: getattr(config, ours) for ours, theirs in names.items()}
    return base | {"rope_scaling": {"rope_type": kind, **numbers}}
