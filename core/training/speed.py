"""The one line that `calibrate` writes, and the dialog that started it reads.

Loads no torch, unlike the program that measures.
"""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured."""

    tokens_per_second: float
    """In steps alone: without tests, samples and checkpoints."""
    device: str


def speed_of(line: str) -> Speed | None:
    """Read the line that the program writes; None if it is another."""
    try:
        fields = json.loads(line)
        return Speed(float(fields["tokens_per_second"]), str(fields["device"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
