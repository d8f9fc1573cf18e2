"""Does a model agree with another program? The same sentence through `transformers`.

In: the numbers of a trace, and the folder they are said to be of. Out: `Comparison`, a
row for each step that both tell: the embeddings, every pattern, every layer's stream,
the logits; behind an encoder, those of both sides. `against_transformers` is for a
process of its own: the library is large and is loaded for this alone. Nothing is
fetched, and no code of a folder is run.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.analysis.comparison import Comparison, Numbers, compare
from core.bundle import Bundle, make_bundle
from core.checkpoints.export import export
from core.checkpoints.fields import read_fields
from core.checkpoints.native import FORMAT
from core.config import ModelConfig
from core.errors import CoreError
from core.model.encoder_decoder import model_of
from core.pipeline import segments_of, trace_encoding, written_so_far
from core.tokenizers.base import Encoding
from core.tokenizers.target import target_encoding_of
from core.trace.step import CROSS, DECODER, ENCODER, ONE, layer_path, part_of, side_of
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
PAIR_CLASS = "AutoModelForSeq2SeqLM"
"""Who opens a model of two sides."""
ENDS = {
    "output.logits": "logits",
    "output.pooled": "pooler_output",
    "encoder.output.norm": "encoder_last_hidden_state",
}
"""What they call what the model gives back."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What is walked through both, as ids."""

    ids: tuple[int, ...]
    """Of the sentence; behind an encoder, of the text so far, the start token first."""
    source: tuple[int, ...] = ()
    """Behind an encoder: what it reads."""
    segments: tuple[int, ...] = ()
    """Which part each token is of, for a model that tells parts apart."""
    note: str = ""
    """That only the beginning is compared."""

    @property
    def said(self) -> str:
        """How many: "4 tokens", "10 tokens of the source and 4 of the target"."""
        n = len(self.source or self.ids)
        read = f"{n} token{'s' * (n != 1)}"
        if not self.source:
            return read
        return f"{read} of the source and {len(self.ids)} of the target"


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
    last = {layer_path(step.key): step.key for step in steps if step.layer is not None}
    patterns = {step.key for step in steps if step.name == "attn.pattern"}
    told = {*_embeddings(config).values(), *last.values(), *patterns, *ENDS}
    return tuple(step.key for step in steps if step.key in told)


def _embeddings(config: ModelConfig) -> dict[str, str]:
    """What the first layer of each side reads, by side."""
    steps = steps_for(config)
    return {
        step.side: step.inputs[0]
        for step in steps
        if step.layer == 0 and step.name == "resid_in"
    }


def beginning(
    bundle: Bundle, encoding: Encoding, target: Encoding | None = None
) -> tuple[Encoding, Encoding | None, Texts]:
    """The tokens that are compared, of what is read and, behind an encoder, written."""
    pairs = [(encoding, bundle.tokenizer.encoding_of)]
    if bundle.config.has_encoder:
        written = target or written_so_far(bundle)
        pairs.append((written, partial(target_encoding_of, bundle.target_tokenizer)))
    cut = [_cut(*pair) for pair in pairs]
    longest = max(len(whole.ids) for whole, _ in pairs)
    note = ""
    if longest > MOST_TOKENS:
        note = f"Only the first {MOST_TOKENS} of {longest} tokens were compared."
    source = tuple(cut[0].ids) if bundle.config.has_encoder else ()
    texts = Texts(tuple(cut[-1].ids), source, segments_of(cut[0], bundle), note)
    return cut[0], cut[1] if len(cut) > 1 else None, texts


def _cut(encoding: Encoding, encoding_of: Callable[..., Encoding]) -> Encoding:
    if len(encoding.ids) <= MOST_TOKENS:
        return encoding
    return encoding_of(encoding.ids[:MOST_TOKENS])


def numbers_of(trace: Trace) -> dict[str, NDArray[Any]]:
    """Every told step of a trace."""
    return {key: trace.fresh(key) for key in told_steps(trace.config)}


def against_cpu(
    bundle: Bundle, encoding: Encoding, target: Encoding | None = None
) -> Comparison:
    """Hold the device that the model computes on to the CPU."""
    read, written, texts = beginning(bundle, encoding, target)
    with torch.device("meta"):
        model = model_of(bundle.config)
    model.load_state_dict(dict(bundle.weights), assign=True, strict=True)
    beside = make_bundle(model, bundle.tokenizer, name=bundle.name)
    beside = replace(beside, written_with=bundle.written_with)
    ours, theirs = (
        numbers_of(trace_encoding(each, read, target=written))
        for each in (bundle, beside)
    )
    return compare(ours, theirs, "the CPU", texts.said, texts.note)


def against_transformers(
    folder: Path,
    config: ModelConfig,
    texts: Texts,
    ours: Numbers,
    tell: Callable[[str], None],
) -> Comparison:
    """Walk the texts through `transformers`, and hold `ours` to what it tells.

    A folder of this program is exported to a temporary one before.

    Raises:
        CoreError: There is no class for the model, or the library refuses its folder.
    """
    os.environ.update(dict.fromkeys(OFFLINE, "1"))
    notes = [texts.note]
    with TemporaryDirectory(prefix="glassformer-") as place:
        if read_fields(folder).values.get("format") == FORMAT:
            tell("exporting the model…")
            exported = Path(place) / "model"
            name = export(folder, exported)
            notes.append(f"The model was exported as {name} for this.")
            folder = exported
        tell(f"opening it with {LIBRARY}…")
        model = opened_there(folder, config)
        tell("comparing…")
        theirs = numbers_there(model, config, texts)
        del model  # its files are mapped, and go with the folder
    note = " ".join(filter(None, notes))
    return compare(ours, theirs, f"{LIBRARY} {installed()}", texts.said, note)


def opened_there(folder: Path, config: ModelConfig) -> nn.Module:
    """The model as the library opens it, ready to be asked.

    Raises:
        CoreError: It does not.
    """
    library = import_module(LIBRARY)
    library.utils.logging.disable_progress_bar()
    name = PAIR_CLASS if config.has_encoder else CLASSES[config.output_head]
    auto = getattr(library, name)
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
    model: nn.Module, config: ModelConfig, texts: Texts
) -> dict[str, NDArray[Any]]:
    """What the library tells of the steps, by our keys.

    Its last hidden state lies behind the last norm, so streams are taken where each
    layer gives them back.
    """
    streams: dict[str, list[Tensor]] = {}
    for side, stack in _stacks(model, config).items():
        kept = streams.setdefault(side, [])
        for layer in stack:
            layer.register_forward_hook(partial(_keep, kept))
    answer = model(**_given(texts), output_hidden_states=True, output_attentions=True)
    told = {
        side: iter((_first_state(answer, side), *kept))
        for side, kept in streams.items()
    }
    patterns: dict[str, Iterator[Tensor]] = {}
    found: dict[str, Tensor] = {}
    for key in told_steps(config):
        if key in ENDS:
            found[key] = getattr(answer, ENDS[key])
        elif key.endswith(".pattern"):
            name = _patterns_name(key)
            told_of = patterns.setdefault(name, iter(getattr(answer, name)))
            found[key] = next(told_of)
        else:
            found[key] = next(told[side_of(key)])
    return {key: _shaped(key, value) for key, value in found.items()}


def _stacks(model: Any, config: ModelConfig) -> dict[str, nn.ModuleList]:
    """The library's layers, by side."""
    if not config.has_encoder:
        return {ONE: layers_of(model, config.n_layers)}
    return {
        ENCODER: layers_of(model.get_encoder(), config.n_encoder_layers),
        DECODER: layers_of(model.get_decoder(), config.n_layers),
    }


def _given(texts: Texts) -> dict[str, Tensor]:
    """The texts by the library's names."""
    if texts.source:
        return {
            "input_ids": torch.tensor([texts.source]),
            "decoder_input_ids": torch.tensor([texts.ids]),
        }
    given = {"input_ids": torch.tensor([texts.ids])}
    if texts.segments:
        given["token_type_ids"] = torch.tensor([texts.segments])
    return given


def _first_state(answer: Any, side: str) -> Tensor:
    """What the first layer of a side reads."""
    name = f"{side}_hidden_states" if side else "hidden_states"
    state: Tensor = getattr(answer, name)[0]
    return state


def _patterns_name(key: str) -> str:
    """Where the library has the patterns of a kind of attention."""
    if part_of(key) == CROSS:
        return "cross_attentions"
    side = side_of(key)
    return f"{side}_attentions" if side else "attentions"


def _keep(kept: list[Tensor], _module: nn.Module, _given: Any, out: Any) -> None:
    """Put a layer's stream by, which may come with other things."""
    kept.append(out[0] if isinstance(out, tuple) else out)


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


def _shaped(key: str, value: Tensor) -> NDArray[Any]:
    """Without a batch axis; what stands for the whole text is one row of ours."""
    alone = value if key == "output.pooled" else value[0]
    array: NDArray[Any] = alone.float().numpy()
    return array
