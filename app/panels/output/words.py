"""How the output panel says its numbers. Pure text."""

from core.generation.sampling import Sampling
from core.trace.numbers import MINUS, short
from core.trace.views.output import CutBy, PickView

DIGITS, MORE_DIGITS = 4, 6
"""Behind the point of a probability; more where even the likeliest is small."""
SMALL_SHARE = 0.01
LONGEST_LABEL = 16


def decimal(x: float, digits: int = 2) -> str:
    """A logit for a column: always so many digits behind the point."""
    if abs(x) >= 1e6:
        return short(x)
    return f"{x:.{digits}f}".replace("-", MINUS)


def share_digits(likeliest: float) -> int:
    """How many digits the probabilities of a column need."""
    return DIGITS if likeliest >= SMALL_SHARE else MORE_DIGITS


def share_text(share: float, digits: int = DIGITS) -> str:
    """A probability for a column: "0.3114", "<0.0001", "0"."""
    if share == 0:
        return "0"
    smallest = 10.0**-digits
    return f"<{smallest:.{digits}f}" if share < smallest else f"{share:.{digits}f}"


def counted(n: int, thing: str) -> str:
    """The number with its noun: "1 token", "2,048 tokens"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def about(x: float) -> str:
    """A number that is read at a glance: "4.40", "14,016"."""
    return f"{x:,.0f}" if x >= 1000 else short(x)


def brief_label(label: str) -> str:
    """A token in a sentence of few words: a long one is cut."""
    is_long = len(label) > LONGEST_LABEL
    return f"{label[: LONGEST_LABEL - 1]}…" if is_long else label


def temperature_hint(view: PickView) -> str:
    """What the temperature does to the logits."""
    t = view.sampling.temperature
    if t == 0:
        return "greedy: always the likeliest"
    if t == 1:
        return "as the model gave them"
    return "bolder: the unlikely gain" if t > 1 else "safer: the likely gain"


def top_k_hint(view: PickView) -> str:
    """What top-k means in this vocabulary."""
    top_k, n_vocab = view.sampling.top_k, len(view.distribution.logits)
    if view.distribution.is_greedy:
        return "not used: greedy"
    if top_k == 0:
        return f"off: all {counted(n_vocab, 'token')} stay"
    if top_k >= n_vocab:
        return f"{top_k:,} → all {n_vocab:,}"
    return f"keeps {view.distribution.n_kept_by_top_k:,} of {n_vocab:,}"


def top_p_hint(view: PickView) -> str:
    """How many tokens it takes to reach top-p."""
    if view.distribution.is_greedy:
        return "not used: greedy"
    spread = view.distribution
    if view.sampling.top_p == 1:
        return f"off: all {spread.n_kept_by_top_k:,} stay"
    return f"keeps {spread.n_kept:,} of {spread.n_kept_by_top_k:,}"


def penalty_hint(view: PickView) -> str:
    """What happens to tokens that the text already has."""
    penalty = view.sampling.repetition_penalty
    if penalty == 1:
        return "off"
    way = "less" if penalty > 1 else "more"
    return f"tokens of the text get {way} likely"


def seed_hint(view: PickView) -> str:
    """The random number of the token to come."""
    if view.distribution.is_greedy:
        return "not used: greedy"
    return f"token {view.position + 1}: u = {view.draw.u:.4f}"


def cut_label(view: PickView) -> str:
    """What stands on the line between what is kept and what is cut."""
    spread, sampling = view.distribution, view.sampling
    if spread.is_greedy:
        return "temperature 0: greedy, always the likeliest"
    parts = []
    if spread.n_kept < spread.n_kept_by_top_k:
        parts.append(f"top-p {sampling.top_p:g} keeps {spread.n_kept:,}")
    if spread.n_kept_by_top_k < len(spread.logits):
        parts.append(f"top-k {sampling.top_k:,}")
    return " of the ".join(parts)


CUT_NOTES: dict[CutBy, str] = {
    "": "",
    "greedy": "greedy takes the likeliest alone",
    "top_k": "cut by top-k",
    "top_p": "cut by top-p",
}
"""What a bar's tooltip says of what cut it."""


def is_adjusted(sampling: Sampling) -> bool:
    """Whether the logits are changed before the softmax."""
    return sampling.repetition_penalty != 1 or sampling.temperature not in (0, 1)
