"""THE TABLE of families that can be opened; one more is one more row.

In: the fields of a `config.json`. Out: the family they belong to, and what had to be
inferred for that.
"""

from core.checkpoints.bart import BART_FAMILY
from core.checkpoints.bert import BERT_FAMILY, DISTILBERT_FAMILY, ROBERTA_FAMILY
from core.checkpoints.family import Family
from core.checkpoints.fields import Fields
from core.checkpoints.gpt2 import GPT2_FAMILY, GPT_FAMILY
from core.checkpoints.llama import (
    GEMMA_FAMILY,
    LLAMA_FAMILY,
    MISTRAL_FAMILY,
    QWEN2_FAMILY,
    QWEN3_FAMILY,
)
from core.checkpoints.marian import MARIAN_FAMILY
from core.checkpoints.mixtral import MIXTRAL_FAMILY
from core.checkpoints.t5 import MT5_FAMILY, T5_FAMILY
from core.errors import CheckpointError

FAMILIES: tuple[Family, ...] = (
    GPT2_FAMILY,
    GPT_FAMILY,
    LLAMA_FAMILY,
    MISTRAL_FAMILY,
    MIXTRAL_FAMILY,
    QWEN2_FAMILY,
    QWEN3_FAMILY,
    GEMMA_FAMILY,
    BERT_FAMILY,
    ROBERTA_FAMILY,
    DISTILBERT_FAMILY,
    T5_FAMILY,
    MT5_FAMILY,
    BART_FAMILY,
    MARIAN_FAMILY,
)

MODEL_TYPE, ARCHITECTURES = "model_type", "architectures"


def family_of(fields: Fields) -> tuple[Family, str]:
    """The family, and a note where it is inferred; "" where the file names it.

    Raises:
        CheckpointError: The file names none, or one that is not known here.
    """
    if fields.has(MODEL_TYPE):
        name = fields.text(MODEL_TYPE)
        family = next((row for row in FAMILIES if row.model_type == name), None)
        if family is None:
            raise fields.refused(MODEL_TYPE, f"is not known here; {_known()} are")
        return family, ""
    named = fields.values.get(ARCHITECTURES)
    names = [name for name in named if name] if isinstance(named, list) else []
    for row in FAMILIES:
        if shared := set(row.architectures).intersection(map(str, names)):
            note = (
                f"{fields.path.name} has no {MODEL_TYPE}; read as {row.title} because "
                f"its {ARCHITECTURES} name {shared.pop()}."
            )
            return row, note
    if names:
        raise fields.refused(ARCHITECTURES, f"is of no family known here: {_known()}")
    raise CheckpointError(
        f"{fields.path} has neither {MODEL_TYPE} nor {ARCHITECTURES}, so it cannot be "
        f"told what model this is; add the {MODEL_TYPE}: {_known()}."
    )


def _known() -> str:
    return ", ".join(row.model_type for row in FAMILIES)
