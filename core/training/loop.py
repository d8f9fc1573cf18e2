"""The run itself: step after step, with figures, tests and checkpoints in between.

In: a folder with a `config.toml`. Out: its `checkpoints`, `probes` and `events.jsonl`.
A folder that has checkpoints goes on from the newest, with the very numbers it would
have had.
"""

import logging
import math
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor

from core.errors import TraceError, TrainingError, is_lack_of_memory
from core.model.device import choose_device
from core.tokenizers.base import Tokenizer
from core.training.batch import Batch
from core.training.checkpoint import (
    CHECKPOINTS,
    START,
    Counters,
    checkpoints,
    load_checkpoint,
    load_start,
    remove_leftovers,
    save_checkpoint,
)
from core.training.config import RunConfig, read_config
from core.training.control import Control
from core.training.distributed import ALONE, Processes, SharedControl
from core.training.events import (
    Evaluated,
    Event,
    EventLog,
    Finished,
    Paused,
    Preparing,
    Resumed,
    Saved,
    Started,
    Stepped,
    Stopped,
    Warned,
)
from core.training.looks import looks_of
from core.training.memory import check_memory
from core.training.not_finite import advice, first_not_finite
from core.training.probes import Looks, write_patterns
from core.training.schedule import learning_rate
from core.training.start import Texts, model_for, run_texts, run_tokenizer
from core.training.threads import Threads, threads_of
from core.training.trainer import Trainer
from core.training.watcher import Doctor, Losses, losses_of

log = logging.getLogger(__name__)

PAUSE_POLL_S = 0.1
SAY_EVERY_S = 5.0
"""Between two lines at the command line."""
LARGEST_EXPONENT = 700.0
"""Of e in a float; a loss above it has no perplexity that could be written."""
COMPILING = "Compiling the model; the first step may take some minutes."
SHORTEST_S = 1e-9
"""Between two looks at a coarse clock, which may not have moved."""
N_WALKED = 8
"""Windows that are walked again to find where a run lost its numbers."""


def train(folder: Path, events: EventLog, processes: Processes = ALONE) -> None:
    """Begin or resume the run of a folder and carry it to its end, or to a stop.

    Raises:
        CoreError: The run cannot start or cannot go on. Checkpoints stay.
    """
    control = SharedControl(folder, processes)
    config = read_config(folder)
    check_memory(config.model)
    device = processes.device(choose_device(config.training.device))

    def tell(event: Event) -> None:
        events.write(event)
        if control.is_asked_to_stop():
            raise KeyboardInterrupt

    with processes.main_first():
        tokenizer = run_tokenizer(folder, config, tell)
        texts = run_texts(folder, config, tokenizer, tell)
    model = model_for(config, tokenizer)
    try:
        trainer = Trainer(config.training, model, device, processes)
        with control:
            Run(
                folder=folder,
                config=config,
                trainer=trainer,
                tokenizer=tokenizer,
                texts=texts,
                looks=looks_of(config, tokenizer, texts),
                events=events,
                control=control,
                threads=threads_of(folder, trainer, texts.train),
            ).carry_out()
    except (MemoryError, RuntimeError) as error:
        if not is_lack_of_memory(error):
            raise
        raise TrainingError(
            f"The memory of {device} is too small for batch_size = "
            f"{config.training.batch_size}; choose a smaller one or a smaller model."
        ) from error


@dataclass(kw_only=True, eq=False)
class Run:
    """One run from where it stands to its end."""

    folder: Path
    config: RunConfig
    trainer: Trainer
    tokenizer: Tokenizer
    texts: Texts
    looks: Looks
    events: EventLog
    control: Control
    threads: Threads
    counters: Counters = field(default_factory=lambda: Counters(step=0))
    _unread: list[tuple[Tensor, Tensor]] = field(default_factory=list)
    """Loss and gradient norm of the steps since somebody looked."""
    _unread_draws: Tensor | None = None
    """Where windows were drawn from before the first of those steps."""
    _looked_at_s: float = field(default_factory=time.perf_counter)
    _n_read: int = 0
    """Tokens read when somebody looked."""
    _said_at_s: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self._doctor = Doctor(self.tokenizer.n_vocab, self.trainer.config)

    def carry_out(self) -> None:
        """Go on until the last step, a stop or a fault."""
        self._take_up()
        config, trainer = self.trainer.config, self.trainer
        while trainer.step < config.n_steps:
            if not self._unread:
                self._unread_draws = trainer.draws.get_state()
            self._unread.append(trainer.advance(self.texts.train))
            step = trainer.step
            is_last = step == config.n_steps
            if message := self.threads.adapt(step):
                self.events.write(Warned(step=step, kind="threads", message=message))
            if step % config.log_every == 0 or is_last:
                self._look()
            if step % config.evaluate_every == 0 or is_last:
                self._evaluate()
            self._show(is_last=is_last)
            if step % config.checkpoint_every == 0 or is_last:
                self._save()
            if not is_last and self._was_stopped():
                return
        message = f"All {config.n_steps} steps are done."
        self.events.write(Finished(step=trainer.step, message=message))
        log.info("%s The checkpoints are in %s.", message, self.folder / CHECKPOINTS)

    def _take_up(self) -> None:
        """Start afresh, or go on from the newest checkpoint."""
        if self.trainer.is_main:
            remove_leftovers(self.folder)
        saved = checkpoints(self.folder)
        if saved:
            self.counters = load_checkpoint(saved[-1], self.trainer, self.tokenizer)
            for tested in losses_of(self.folder, self.trainer.step):
                self._doctor.examine(tested)
        elif (self.folder / START).exists():
            load_start(self.folder / START, self.trainer, self.tokenizer)
        weights = self.trainer.model.weights().values()
        valid = self.texts.valid
        self.events.write(
            Started(
                step=self.trainer.step,
                n_steps=self.trainer.config.n_steps,
                n_parameters=sum(weight.numel() for weight in weights),
                n_vocab=self.tokenizer.n_vocab,
                n_train_tokens=self.texts.train.n_tokens,
                n_valid_tokens=valid.n_tokens if valid else 0,
                device=str(self.trainer.device),
                process=os.getpid(),
                tokens_per_step=self.trainer.config.batch_size
                * self.texts.train.tokens_per_example,
            )
        )
        self.threads.begin(self.trainer.step)
        if not saved:
            self._evaluate()
            self._show(is_last=False)
            self._save()  # so that one can look back to before any learning
        if self.trainer.config.compile:
            self.events.write(Preparing(message=COMPILING))
        self._looked_at_s = time.perf_counter()

    def _look(self) -> None:
        """Read the steps since the last look, and tell the newest one's figures.

        Raises:
            TrainingError: A loss or a gradient is not a number. Nothing was saved
                since.
        """
        if not self._unread:
            return
        read = torch.stack([torch.stack(pair) for pair in self._unread]).tolist()
        first = self.trainer.step - len(read) + 1
        for step, (loss, norm) in enumerate(read, first):
            if not math.isfinite(loss) or not math.isfinite(norm):
                fault = f"Step {step} has loss {loss:g} and gradient {norm:g}"
                raise self._ruin(fault, self._batches_of(step - first))
        now_s = time.perf_counter()
        n_tokens = self.trainer.n_read - self._n_read
        stepped = Stepped(
            step=self.trainer.step,
            loss=read[-1][0],
            learning_rate=learning_rate(self.trainer.step, self.trainer.config),
            gradient_norm=read[-1][1],
            tokens_per_second=n_tokens / max(now_s - self._looked_at_s, SHORTEST_S),
        )
        self.events.write(stepped)
        self._unread.clear()
        self._looked_at_s, self._n_read = now_s, self.trainer.n_read
        if now_s - self._said_at_s > SAY_EVERY_S:
            self._say(stepped)

    def _say(self, stepped: Stepped) -> None:
        """Let a person at the command line see that it goes on."""
        log.info(
            "Step %d of %d: training loss %.4f, %.0f tokens/s",
            stepped.step,
            self.trainer.config.n_steps,
            stepped.loss,
            stepped.tokens_per_second,
        )
        self._said_at_s = time.perf_counter()

    def _ruin(self, fault: str, batches: Iterable[Batch]) -> TrainingError:
        """Say how a run was lost, where it began, and from where it can go on."""
        saved = checkpoints(self.folder)
        rest = f"{saved[-1].name} is intact" if saved else "nothing was saved yet"
        is_whole = not self.trainer.config.shard
        origin = first_not_finite(self.trainer.model, batches) if is_whole else ""
        begin = f", first in {origin}" if origin else ""
        return TrainingError(
            f"{fault}{begin}: the run was stopped ({rest}); "
            f"{advice(self.trainer.config)}, and start it again."
        )

    def _batches_of(self, n_before: int) -> list[Batch]:
        """Draw once more what an unread step read, the examples one by one."""
        if self._unread_draws is None:
            return []
        again = torch.Generator()
        again.set_state(self._unread_draws)
        n_batch = self.trainer.config.batch_size
        train = self.texts.train
        for _ in range(n_before + 1):
            places = train.draw(n_batch, again)
        return list(map(train.batch, torch.split(places[:N_WALKED], 1)))

    def _some(self) -> list[Batch]:
        """Examples spread over the text, one by one."""
        train = self.texts.train
        return list(map(train.batch, train.spread(1, N_WALKED)))

    def _show(self, *, is_last: bool) -> None:
        """Let people see what the model has learned, at the start, in turn, at the end.

        Raises:
            TrainingError: Its numbers are not finite any more.
        """
        watch, step = self.config.watch, self.trainer.step
        looks = ((watch.probe_every, self._probe), (watch.sample_every, self._sample))
        due = [
            look for every, look in looks if every and (is_last or step % every == 0)
        ]
        if not due or not self.trainer.watches:
            return
        self._look()
        try:
            for look in due:
                look()
        except TraceError as error:
            fault = f"After step {step} the model gives no numbers any more"
            raise self._ruin(fault, self._some()) from error
        self._looked_at_s = time.perf_counter()

    def _probe(self) -> None:
        """Tell what the model sees in the sentence of [watch], and what heads do."""
        trainer, step = self.trainer, self.trainer.step
        found = self.looks.probe(step, trainer.model)
        scored = self.looks.heads(step, trainer.model)
        if found:
            probed, patterns = found
            if trainer.is_main:
                write_patterns(self.folder / probed.file, patterns)
            self.events.write(probed)
        if scored:
            self.events.write(scored)

    def _sample(self) -> None:
        """Tell what the model writes."""
        for sampled in self.looks.samples(self.trainer.step, self.trainer.model):
            self.events.write(sampled)

    def _evaluate(self) -> None:
        """Test the model and tell the result."""
        self._look()
        train_loss = self.trainer.evaluate(self.texts.train)
        valid = self.texts.valid
        valid_loss = self.trainer.evaluate(valid) if valid else None
        loss = train_loss if valid_loss is None else valid_loss
        if not math.isfinite(loss):
            fault = f"After step {self.trainer.step} the loss is {loss:g}"
            raise self._ruin(fault, self._some())
        best = self.counters.best_loss
        self.counters = Counters(
            step=self.trainer.step,
            loss=loss,
            tested_step=self.trainer.step,
            best_loss=loss if best is None else min(best, loss),
        )
        self.events.write(
            Evaluated(
                step=self.trainer.step,
                train_loss=train_loss,
                valid_loss=valid_loss,
                perplexity=math.exp(min(loss, LARGEST_EXPONENT)),
                share_right=self._share_right(),
            )
        )
        tested = Losses(self.trainer.step, train_loss, valid_loss)
        if warned := self._doctor.examine(tested):
            self.events.write(warned)
            log.warning("%s", warned.message)
        log.info(
            "Step %d of %d: tested loss %.4f",
            self.trainer.step,
            self.trainer.config.n_steps,
            loss,
        )
        self._looked_at_s = time.perf_counter()

    def _share_right(self) -> float | None:
        """How many answers are right, where this process looks at the model."""
        trainer = self.trainer
        return self.looks.share_right(trainer.model) if trainer.watches else None

    def _save(self) -> None:
        """Keep the run as it stands, unless its weights are ruined.

        Raises:
            CoreError: They are, or the checkpoint could not be written.
        """
        self._look()
        self.events.check_there()
        if not self.trainer.is_sound():
            fault = f"After step {self.trainer.step} a weight is not finite"
            raise self._ruin(fault, ())
        self.counters = replace(self.counters, step=self.trainer.step)
        folder = save_checkpoint(
            self.folder, self.trainer, self.tokenizer, self.counters
        )
        name = folder.relative_to(self.folder).as_posix()
        self.events.write(Saved(step=self.trainer.step, folder=name))
        self._looked_at_s = time.perf_counter()

    def _was_stopped(self) -> bool:
        """Obey whoever asks for a pause or a stop. -> whether the run ends here."""
        command = self.control.command()
        if command not in ("pause", "stop"):
            return False
        self._save()
        step = self.trainer.step
        if command == "pause":
            self.events.write(Paused(step=step, message=f"Waiting after step {step}."))
            while command not in ("resume", "stop"):
                time.sleep(PAUSE_POLL_S)
                self.events.check_there()
                command = self.control.command()
        if command == "stop":
            message = f"Stopped after step {step}; start the run again to go on."
            self.events.write(Stopped(step=step, message=message))
            log.info(message)
            return True
        self.events.write(Resumed(step=step, message=f"Going on after step {step}."))
        self._looked_at_s = time.perf_counter()
        return False
