"""The numbers of two pictures of attention as they leave the program.

Steps: attn.scores to attn.pattern. In: what the q · k and the effect pictures show.
Out: sheets of the same numbers, each with the Python that makes them through `core`.
"""

from typing import Any

from numpy.typing import NDArray

from core.analysis.attribution import head_logits
from core.trace.matrix import Axis
from core.trace.sheet import Sheet, sheet_of
from core.trace.trace import Trace
from core.trace.viewing import Viewing
from core.trace.views.attention_birth import BirthView
from core.trace.views.attention_effect import EffectMap, KeyEffects
from core.trace.views.attention_map import STAGE_WORDS
from core.trace.views.attention_output import HeadOutput
from core.trace.views.axes import feature_axis, predicted
from core.trace.views.places import LabelOf

VIEWS = "core.trace.views"
BIRTH = f"from {VIEWS}.attention_birth import birth_view"
EFFECT_MAP = f"from {VIEWS}.attention_effect import effect_map"
KEY_EFFECTS = f"from {VIEWS}.attention_effect import key_effects"
HEAD_OUTPUT = f"from {VIEWS}.attention_output import head_output"
HEAD_LOGITS = "from core.analysis.attribution import head_logits"
VIEWING = "from core.trace.viewing import Viewing"
WORDS = {**STAGE_WORDS, "scores": "q · k"}
BEHIND = ("exponent", "share")
"""What follows the mask."""
COLUMNS = ("weight", "effect", "logit")


def birth_sheets(view: BirthView) -> tuple[Sheet, ...]:
    """Two vectors with their products, and the row with its exponents and shares."""
    place = f"{view.attn!r}, {view.head}, {view.query}, {view.key}"
    made = BIRTH, f"view = birth_view(trace, {place})"
    names = (*view.vector_names, "product", "sum so far")
    *before, _pattern = view.rows
    stages = (*(WORDS.get(stage, stage) for stage in before), *BEHIND)
    return (
        Sheet(
            f"{view.title}: products",
            frozen(view.vectors),
            (Axis("number", names), feature_axis(len(view.q))),
            (*made, "values = view.vectors"),
        ),
        Sheet(
            f"{view.title}: row",
            frozen(view.row),
            (Axis("stage", stages), view.keys),
            (*made, "values = view.row"),
        ),
    )


def map_sheet(view: EffectMap, attn: str, head: int | None, viewing: Viewing) -> Sheet:
    """The value-weighted pattern in the shape that is seen."""
    place = f"{attn!r}, {head}, {viewing!r}"
    code = (
        EFFECT_MAP,
        VIEWING,
        f"values = effect_map(trace, {place}).matrix.values",
    )
    return sheet_of(view.matrix, f"{view.where}: {view.unit}", code)


def table_sheet(view: KeyEffects, attn: str, head: int) -> Sheet:
    """Weight, effect and logit of every token looked at. [n, 3]."""
    place = f"{attn!r}, {head}, {view.query}, {view.token}, str"
    labels = tuple(view.label(row) for row in range(len(view.keys)))
    return Sheet(
        f"{attn}, head {head + 1}: what {view.query_label} takes, "
        f"logits of {view.token_label}",
        frozen(view.columns),
        (Axis("key", labels, "key"), Axis("number", COLUMNS)),
        (KEY_EFFECTS, f"values = key_effects(trace, {place}).columns"),
    )


def output_sheets(
    trace: Trace, view: HeadOutput, attn: str, head: int, query: int, label_of: LabelOf
) -> tuple[Sheet, ...]:
    """The row the head adds, its length at every token, and what logits it moves."""
    made = HEAD_OUTPUT, f"view = head_output(trace, {attn!r}, {head}, {query})"
    name = f"{attn}, head {head + 1}"
    said = f"what it adds to {view.tokens.labels[query]}"
    sheets = (
        Sheet(
            f"{name}: {said}",
            frozen(view.vector),
            (view.features,),
            (*made, "values = view.vector"),
        ),
        Sheet(
            f"{name}: lengths of what it adds",
            frozen(view.lengths),
            (view.tokens,),
            (*made, "values = view.lengths"),
        ),
    )
    if not view.is_ranked:
        return sheets
    place = f"{attn!r}, {head}, {query}"
    vocabulary = tuple(map(label_of, range(trace.config.n_vocab)))
    logits = Sheet(
        f"{name}: {said}, as logits",
        frozen(head_logits(trace, attn, head, query)),
        (Axis(predicted(trace.config), vocabulary),),
        (HEAD_LOGITS, f"values = head_logits(trace, {place})"),
    )
    return (*sheets, logits)


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as an array that cannot be written to."""
    copy = values.copy()
    copy.flags.writeable = False
    return copy
