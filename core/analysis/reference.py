"""Does a model agree with another program? The same sentence through `transformers`.

In: the numbers of a trace, and the folder they are said to be of. Out: `Comparison`, a
row for each step that both tell: the embeddings, every pattern, every layer's stream,
the logits. `against_transformers` is for a process of its own: the library is large and
is loaded for this alone. Nothing is fetched, and no code of a folder is run.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.analysis.self_check import distance
from core.bundle import Bundle, make_bundle
from core.checkpoints.export import export
from core.checkpoints.fields import read_fields
from core.checkpoints.native import FORMAT
from core.config import ModelConfig
from core.errors import CoreError
from core.model.encoder_decoder import model_of
from core.pipeline import segments_of, trace_encoding
from core.tokenizers.base import Encoding
from core.trace.numbers import short
from core.trace.steps import steps_for
from core.trace.trace import Trace

LIBRARY = "transformers"
MOST_TOKENS = 128
"""Of the sentence; every pattern of a long one would take gigabytes."""
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
CLASSES = {
    "unembed": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "pooled": "AutoModel",
    "none": "AutoModel",
}
"""By what follows the layers: who opens it there."""
ENDS = {"output.logits": "logits", "output.pooled": "pooler_output"}
"""What they call what the model gives back."""
Numbers = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """A step, here and there."""

    step: str
    difference: float
    """The largest, of two numbers."""
    limit: float
    """What rounding explains."""

    @property
    def agrees(self) -> bool:
        """Whether the difference is rounding."""
        return self.difference <= self.limit

    @property
    def label(self) -> str:
        """The step in words: "layer 1 pattern", "layer 1 stream", "logits"."""
        parts = self.step.split(".")
        if parts[0] != "layers":
            return "embeddings" if parts[0] == "embed" else parts[-1]
        what = "pattern" if parts[-1] == "pattern" else "stream"
        return f"layer {int(parts[1]) + 1} {what}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sentence through the model and through another."""

    against: str
    """The other: "transformers 5.24.0"."""
    rows: tuple[ComparedStep, ...]
    """In the order of computation."""
    n_tokens: int
    note: str = ""
    """What else should be known, a sentence."""

    @property
    def first(self) -> ComparedStep | None:
        """The first step that disagrees."""
        return next((row for row in self.rows if not row.agrees), None)

    @property
    def largest(self) -> float:
        """The largest difference of all."""
        return max((row.difference for row in self.rows), default=0.0)

    @property
    def badge(self) -> str:
        """What stays on the model: "checked against transformers 5.24.0: 3e-06"."""
        if self.first is not None:
            return f"differs from {self.against} from {self.first.label} on"
        return f"checked against {self.against}: {short(self.largest, 2)}"

    @property
    def sentence(self) -> str:
        """What it gave."""
        n = f"{self.n_tokens} token{'s' * (self.n_tokens != 1)}"
        if self.first is None:
            return (
                f"All {len(self.rows)} steps agree with {self.against} on {n}; the "
                f"largest difference is {short(self.largest, 2)}, which is rounding."
            )
        return (
            f"The {self.first.label} ({self.first.step}) is the first that disagrees "
            f"with {self.against}: by {short(self.first.difference, 2)} on {n}, where "
            f"{short(self.first.limit, 2)} is rounding."
        )


def obstacle(bundle: Bundle) -> str:
    """Why a model cannot be held to `transformers`, a sentence; "" if it can."""
    if installed() is None:
        return (
            "The package transformers is not installed, so there is nothing to check "
            "against; install it beside this program (pip install transformers)."
        )
    if bundle.folder is None:
        return "This model is in no folder, so transformers cannot open it."
    if not bundle.folder.is_dir():
        return (
            f"{bundle.folder.name} is one file; transformers is asked about folders "
            "alone."
        )
    return ""


def installed() -> str | None:
    """Which `transformers` there is; None without one."""
    try:
        return version(LIBRARY)
    except PackageNotFoundError:
        return None


def told_steps(config: ModelConfig) -> tuple[str, ...]:
    """The steps that both tell, in the order of computation."""
    steps = steps_for(config)
    last = {step.layer: step.key for step in steps if step.layer is not None}
    first = next(step.inputs[0] for step in steps if step.key == "layers.0.resid_in")
    patterns = {step.key for step in steps if step.name == "attn.pattern"}
    told = {first, *last.values(), *patterns, *ENDS}
    return tuple(step.key for step in steps if step.key in told)


def beginning(encoding: Encoding, bundle: Bundle) -> Encoding:
    """The tokens that are compared."""
    if len(encoding.ids) <= MOST_TOKENS:
        return encoding
    return bundle.tokenizer.encoding_of(encoding.ids[:MOST_TOKENS])


def numbers_of(trace: Trace) -> dict[str, NDArray[Any]]:
    """Every told step of a trace."""
    return {key: trace.fresh(key) for key in told_steps(trace.config)}


def compare(
    ours: Numbers, theirs: Numbers, against: str, n_tokens: int, note: str = ""
) -> Comparison:
    """Hold two sets of numbers side by side, by the steps that both have."""
    rows = tuple(
        ComparedStep(key, *distance(_double(ours[key]), _double(theirs[key])))
        for key in ours
        if key in theirs
    )
    return Comparison(against, rows, n_tokens, note)


def against_cpu(bundle: Bundle, encoding: Encoding) -> Comparison:
    """Hold the device that the model computes on to the CPU."""
    encoding = beginning(encoding, bundle)
    with torch.device("meta"):
        model = model_of(bundle.config)
    model.load_state_dict(dict(bundle.weights), assign=True, strict=True)
    beside = make_bundle(model, bundle.tokenizer, name=bundle.name)
    ours, theirs = (numbers_of(trace_encoding(b, encoding)) for b in (bundle, beside))
    return compare(ours, theirs, "the CPU", len(encoding.ids))


def against_transformers(
    folder: Path,
    config: ModelConfig,
    ids: tuple[int, ...],
    segments: tuple[int, ...],
    ours: Numbers,
    tell: Callable[[str], None],
) -> Comparison:
    """Walk the ids through `transformers`, and hold `ours` to what it tells.

    A folder of this program is exported to a temporary one before.

    Raises:
        CoreError: There is no class for the model, or the library refuses its folder.
    """
    os.environ.update(dict.fromkeys(OFFLINE, "1"))
    note = ""
    with TemporaryDirectory(prefix="glassformer-") as place:
        if read_fields(folder).values.get("format") == FORMAT:
            tell("exporting the model…")
            exported = Path(place) / "model"
            name = export(folder, exported)
            note = f"The model was exported as {name} for this."
            folder = exported
        tell(f"opening it with {LIBRARY}…")
        model = opened_there(folder, config)
        tell("comparing…")
        theirs = numbers_there(model, config, ids, segments)
        del model  # its files are mapped, and go with the folder
    return compare(ours, theirs, f"{LIBRARY} {installed()}", len(ids), note)


def segments_for(bundle: Bundle, encoding: Encoding) -> tuple[int, ...]:
    """Which part each token is of, for a model that tells parts apart."""
    return segments_of(encoding, bundle)


def opened_there(folder: Path, config: ModelConfig) -> nn.Module:
    """The model as the library opens it, ready to be asked.

    Raises:
        CoreError: It does not.
    """
    library = import_module(LIBRARY)
    library.utils.logging.disable_progress_bar()
    auto = getattr(library, CLASSES[config.output_head])
    try:
        model: nn.Module = auto.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            attn_implementation="eager",
            dtype=torch.float32,
        )
    except Exception as error:  # whatever a library of that size may raise
        raise CoreError(
            f"{LIBRARY} {installed()} does not open {folder}: {error}"
        ) from error
    return model.eval()


@torch.inference_mode()
def numbers_there(
    model: nn.Module,
    config: ModelConfig,
    ids: tuple[int, ...],
    segments: tuple[int, ...],
) -> dict[str, NDArray[Any]]:
    """What the library tells of the steps, by our keys.

    Its last hidden state lies behind the last norm, so streams are taken where each
    layer gives them back.
    """
    streams: list[Tensor] = []
    for layer in layers_of(model, config.n_layers):
        layer.register_forward_hook(lambda _m, _given, out: streams.append(_first(out)))
    given = {"token_type_ids": torch.tensor([segments])} if segments else {}
    answer = model(
        torch.tensor([ids]), output_hidden_states=True, output_attentions=True, **given
    )
    patterns, told = iter(answer.attentions), iter((answer.hidden_states[0], *streams))
    found: dict[str, Tensor] = {}
    for key in told_steps(config):
        if key in ENDS:
            found[key] = getattr(answer, ENDS[key])
        else:
            found[key] = next(patterns if key.endswith(".pattern") else told)
    return {key: _shaped(key, value) for key, value in found.items()}


def layers_of(model: nn.Module, n_layers: int) -> nn.ModuleList:
    """The library's list of layers.

    Raises:
        CoreError: It has none of that length.
    """
    lists = (part for part in model.modules() if isinstance(part, nn.ModuleList))
    found = next((part for part in lists if len(part) == n_layers), None)
    if found is None:
        raise CoreError(
            f"{type(model).__name__} of {LIBRARY} has no list of {n_layers} layers to "
            "compare with."
        )
    return found


def _first(out: Any) -> Tensor:
    """A layer's stream, which may come with other things."""
    stream: Tensor = out[0] if isinstance(out, tuple) else out
    return stream


def _shaped(key: str, value: Tensor) -> NDArray[Any]:
    """Without a batch axis; what stands for the whole text is one row of ours."""
    alone = value if key == "output.pooled" else value[0]
    array: NDArray[Any] = alone.float().numpy()
    return array


def _double(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
