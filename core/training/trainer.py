"""One run's weights and everything that changes with them, step by step.

In: examples, windows of ids or pairs. Out: a loss and a gradient norm per step, and
better weights. The optimizer is AdamW (Loshchilov and Hutter 2019); decay acts on
matrices and tables only.
Several processes share each batch, and may share the weights (`core.training.spread`).
"""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import ConfigError
from core.model.device import training_type
from core.model.encoder_decoder import model_of
from core.training.batch import NOTHING_FOLLOWS, Batch, Examples
from core.training.config import TrainingConfig
from core.training.distributed import ALONE, Processes
from core.training.schedule import learning_rate
from core.training.spread import Forward, lay_out

MOMENTS = ("exp_avg", "exp_avg_sq")
"""AdamW's running means, by torch's names: of the gradient and of its square."""
SEED_STRIDE = 1_000_003
"""Between the seeds of two processes, so that their dropout differs."""


class Trainer:
    """Owns the model, the optimizer, the generators and the number of steps done."""

    def __init__(
        self,
        config: TrainingConfig,
        model: ModelConfig,
        device: torch.device,
        processes: Processes = ALONE,
    ) -> None:
        """Draw fresh weights from the seed; the same seed draws the same ones.

        Raises:
            ConfigError: The batch is too small to be shared by the processes.
        """
        _check_share(config, processes)
        torch.manual_seed(config.seed)
        self.config = config
        self.device = device
        self.processes = processes
        self.model = model_of(model)
        """The plain model; what trains it may be wrapped around it."""
        self._layout = lay_out(self.model, config, device, processes)
        self.optimizer = adamw(self.model, config)
        self.draws = torch.Generator().manual_seed(config.seed)
        """Where windows are drawn from; dropout draws from torch's own generator."""
        self.step = 0
        """Steps done."""
        self.n_read = 0
        """Tokens read in steps since the program began, by all processes."""
        if not processes.is_main:
            torch.manual_seed(config.seed + SEED_STRIDE * processes.rank)

    @property
    def is_main(self) -> bool:
        """Whether this process writes events, files and log."""
        return self.processes.is_main

    @property
    def watches(self) -> bool:
        """Whether this process takes part when somebody looks at the model.

        Where the weights are shared out, one process cannot read a text alone.
        """
        return self.is_main or self._layout.is_shared_out

    def advance(self, examples: Examples) -> tuple[Tensor, Tensor]:
        """Make one step. -> the loss before it and the gradient's norm, not read yet.

        Nothing here waits for the device, so a GPU is never idle between two steps. A
        gradient that is not finite changes nothing.
        """
        rate = learning_rate(self.step + 1, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        places = examples.draw(self.config.batch_size, self.draws)
        self.n_read += examples.n_read(places)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.processes.total(self._descend(examples, places))
        norm = self._layout.whole(
            nn.utils.clip_grad_norm_(
                self.model.parameters(), self.config.clip, foreach=True
            )
        )
        if (
            not self._layout.is_shared_out
        ):  # the fused kernel then leaves the weights alone
            is_lost = ~norm.isfinite()
            self.optimizer.found_inf = is_lost.float()  # type: ignore[attr-defined]
        self.optimizer.step()
        self.step += 1
        return loss, norm

    @torch.no_grad()
    def evaluate(self, examples: Examples) -> float:
        """The mean loss over examples spread over a text, without dropout.

        Draws nothing, so that a run with evaluations learns what one without does.
        Every process must ask; each reads its share, and all get the same answer.
        """
        config = self.config
        self.model.eval()
        batches = examples.spread(config.batch_size, config.n_evaluation_batches)
        total = torch.zeros((), device=self.device)
        for places in batches:
            mine = self.processes.share(places)
            some = mine if len(mine) else places[:1]  # nobody may stay away
            loss = self._loss(self.model, examples.batch(some))
            total += loss * examples.n_said(mine)
        self.model.train()
        n_said = sum(map(examples.n_said, batches))
        return float(self.processes.total(total)) / n_said

    @torch.no_grad()
    def is_sound(self) -> bool:
        """Whether every weight is a finite number; every process must ask."""
        weights = map(self._layout.whole, self.model.weights().values())
        return bool(torch.stack([weight.isfinite().all() for weight in weights]).all())

    def rehearse(self, examples: Examples) -> None:
        """Do a step's work and forget it, to see how long it takes."""
        generator = torch.get_rng_state()
        n_batch = self.config.batch_size
        self._descend(examples, torch.arange(n_batch) * len(examples) // n_batch)
        self.optimizer.zero_grad(set_to_none=True)
        torch.set_rng_state(generator)

    def weights(self) -> dict[str, Tensor]:
        """Every weight as a whole, by its address; every process must ask."""
        whole = self._layout.whole
        return {a: whole(w.detach()) for a, w in self.model.weights().items()}

    def state(self) -> dict[str, Tensor]:
        """The moments by weight and the generators; every process must ask.

        `exp_avg.layers.0.attn.W_Q`, `generator.draws`, `generator.cpu`, ... on the CPU;
        the generators of other processes have their rank at the end.
        """
        state = {"generator.draws": self.draws.get_state()}
        kinds = {"cpu": torch.get_rng_state()}
        if self.device.type == "cuda":
            kinds["cuda"] = torch.cuda.get_rng_state(self.device)
        for kind, mine in kinds.items():
            for rank, generator in enumerate(self.processes.gathered(mine)):
                state[_generator_name(kind, rank)] = generator
        for address, weight in self.model.weights().items():
            moments = self.optimizer.state.get(weight, {})  # none before the first step
            for moment in MOMENTS:
                value = moments[moment] if moments else torch.zeros_like(weight)
                value = self._layout.whole(value)
                state[f"{moment}.{address}"] = value.cpu().contiguous()
        return state

    @torch.no_grad()
    def take_up(
        self, weights: Mapping[str, Tensor], state: Mapping[str, Tensor], step: int
    ) -> None:
        """Put back what `weights` and `state` gave after `step` steps.

        A generator that is not there, because the run goes on with more processes or on
        another device, draws afresh.

        Raises:
            KeyError: A weight or a moment is missing; names it.
        """
        for address, weight in self.model.weights().items():
            self._layout.put(weight, weights[address])
            moments = {moment: torch.zeros_like(weight) for moment in MOMENTS}
            for moment, value in moments.items():
                self._layout.put(value, state[f"{moment}.{address}"])
            count = torch.tensor(float(step), device=self.device)
            self.optimizer.state[weight] = {"step": count, **moments}
        self.draws.set_state(state["generator.draws"])
        rank = self.processes.rank
        if (name := _generator_name("cpu", rank)) in state:
            torch.set_rng_state(state[name])
        name = _generator_name("cuda", rank)
        if name in state and self.device.type == "cuda":
            torch.cuda.set_rng_state(state[name], self.device)
        self.step = step

    def _descend(self, examples: Examples, places: Tensor) -> Tensor:
        """Find the gradient of a batch's mean loss. -> this process's share of it.

        [batch_size] -> []. The batch is read in parts, which add up to the same
        gradient, since each token counts alike; the processes exchange theirs with the
        last part.
        """
        n, n_said = self.processes.n, examples.n_said(places)
        n_parts = min(self.config.n_parts, len(places) // n)
        parts = torch.tensor_split(self.processes.share(places), n_parts)
        smoothing = self.config.label_smoothing
        total = torch.zeros((), device=self.device)
        for i, part in enumerate(parts):
            n_of_part = examples.n_said(part)
            with self._layout.part(is_last=i == n_parts - 1):
                batch = examples.batch(part)
                loss = self._loss(self._layout.forward, batch, smoothing)
                # Gradients of processes are averaged, so each counts for n.
                (loss * (n_of_part * n / n_said)).backward()  # type: ignore[no-untyped-call]
            total += loss.detach() * (n_of_part / n_said)
        return total

    def _loss(self, model: Forward, batch: Batch, smoothing: float = 0.0) -> Tensor:
        """Cross-entropy of what follows each token, padding left out. -> []."""
        kind = training_type(self.device)
        given = {name: self._moved(value) for name, value in batch.given.items()}
        with torch.autocast(self.device.type, kind, enabled=kind != torch.float32):
            logits = model(self._moved(batch.read), **given)
        targets = self._moved(batch.following).flatten()
        return F.cross_entropy(
            logits.flatten(0, 1).float(),
            targets,
            ignore_index=NOTHING_FOLLOWS,
            label_smoothing=smoothing,
        )

    def _moved(self, ids: Tensor) -> Tensor:
        """Send ids to the device; a GPU fetches them while the CPU goes on."""
        if self.device.type != "cuda":
            return ids.to(self.device)
        return ids.contiguous().pin_memory().to(self.device, non_blocking=True)


def adamw(model: nn.Module, config: TrainingConfig) -> torch.optim.AdamW:
    """Make the optimizer; biases and the gains of norms are not decayed."""
    weights = list(model.parameters())
    groups = [
        {
            "params": [weight for weight in weights if weight.ndim >= 2],
            "weight_decay": config.weight_decay,
        },
        {
            "params": [weight for weight in weights if weight.ndim < 2],
            "weight_decay": 0.0,
        },
    ]
    return torch.optim.AdamW(
        groups,
        lr=config.learning_rate,
        betas=(config.beta1, config.beta2),
        fused=True,
    )


def _check_share(config: TrainingConfig, processes: Processes) -> None:
    if config.batch_size < processes.n:
        raise ConfigError(
            f"batch_size = {config.batch_size} cannot be shared by {processes.n} "
            "processes; choose a larger batch or fewer processes."
        )


def _generator_name(kind: str, rank: int) -> str:
    return f"generator.{kind}" if rank == 0 else f"generator.{kind}.{rank}"
