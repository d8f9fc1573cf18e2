"""What a run on pairs shows of itself: answers, and where its decoder looks meanwhile.

In: the model as it stands, and the pairs kept for validation, or else those that are
learned from. Out: events, and the patterns of cross attention for their file. They are
always of the same pairs, so that one sees the same answers become right, and the same
lines of attention form.
"""

import numpy as np
import torch

from core.errors import TraceError
from core.model import functions
from core.model.transformer import Transformer
from core.tokenizers.base import Tokenizer
from core.tokenizers.labels import readable_text
from core.training.config import WatchConfig
from core.training.events import HeadsScored, Probed, Sampled
from core.training.pairs.answers import answers, share_right
from core.training.pairs.corpus import Pairs, ends_of
from core.training.probes import N_TOP, PROBES, PatternKeeper, Patterns, evaluated

N_SAMPLES = 4
"""Pairs that are answered for people to read."""
ARROW = " -> "
"""Between source and target in `[watch] sentence`."""
CROSS_PATTERN = ".cross.pattern"


class PairLooks:
    """Looks at a model that learns from pairs."""

    def __init__(self, tokenizer: Tokenizer, watch: WatchConfig, pairs: Pairs) -> None:
        self._tokenizer, self._watch, self._pairs = tokenizer, watch, pairs
        self._start, self._end = ends_of(tokenizer)

    def probe(self, step: int, model: Transformer) -> tuple[Probed, Patterns] | None:
        """Read the watched pair, its right answer so far included.

        -> what is told of it, and the patterns of cross attention [n_layers, n_heads,
        n_target + 1, n_source] for its file.

        Raises:
            TraceError: The model's numbers are not finite any more.
        """
        n_ctx = model.config.n_ctx
        source, target = self._watched()
        source, read = source[:n_ctx], [self._start, *target][:n_ctx]
        keeper = PatternKeeper(CROSS_PATTERN)
        rows = [
            torch.tensor([ids], device=model.table.device) for ids in (read, source)
        ]
        with evaluated(model):
            logits = model(rows[0], keeper, source=rows[1])
        patterns = torch.stack(keeper.patterns).float().cpu().numpy()
        probs = functions.softmax(logits[0, 0].float()).cpu().numpy()
        if not (np.isfinite(patterns).all() and np.isfinite(probs).all()):
            raise TraceError("The model's numbers are not finite any more.")
        top = np.argsort(-probs, kind="stable")[:N_TOP]
        probed = Probed(
            step=step,
            tokens=list(map(self._tokenizer.label, read)),
            source=list(map(self._tokenizer.label, source)),
            top=[self._tokenizer.label(int(token_id)) for token_id in top],
            probabilities=[float(probs[token_id]) for token_id in top],
            file=f"{PROBES}/step-{step:08d}.npy",
        )
        return probed, patterns

    def _watched(self) -> tuple[list[int], list[int]]:
        """The pair of [watch], where the tokenizer knows all of it, or the first."""
        sides = self._watch.sentence.split(ARROW)
        if len(sides) == 2:
            source, target = (self._tokenizer.encode(side.strip()) for side in sides)
            if source.ids and not source.unknown and not target.unknown:
                return list(source.ids), list(target.ids)
        return self._pairs.source(0), self._pairs.target(0)

    def heads(self, step: int, model: Transformer) -> HeadsScored | None:
        """None: the parts that heads of running text take are not looked for here."""
        return None

    def samples(self, step: int, model: Transformer) -> list[Sampled]:
        """Answer some pairs, the same at every step."""
        (places,) = self._pairs.spread(N_SAMPLES, 1)
        right = [self._pairs.target(place) for place in places.tolist()]
        asked = [self._pairs.source(place) for place in places.tolist()]
        longest = max(map(len, right))
        found = answers(model, asked, self._end, 2 * longest)
        return [
            Sampled(
                step=step,
                prompt=self._tokenizer.decode(source),
                text=readable_text(self._tokenizer.decode_bytes(answer)),
                right=self._tokenizer.decode(target),
            )
            for source, answer, target in zip(asked, found, right, strict=True)
        ]

    def share_right(self, model: Transformer) -> float | None:
        """The share of whole answers that are right."""
        return share_right(model, self._pairs, self._end)
