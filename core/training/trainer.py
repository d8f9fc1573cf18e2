"""One run's weights and everything that changes with them, step by step.

In: windows of ids. Out: a loss and a gradient norm per step, and better weights. The
optimizer is AdamW (Loshchilov and Hutter 2019); decay acts on matrices and tables only.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.config import ModelConfig
from core.model.device import training_type
from core.model.transformer import Transformer
from core.training.config import TrainingConfig
from core.training.corpus import Windows
from core.training.schedule import learning_rate


class Trainer:
    """Owns the model, the optimizer, the generators and the number of steps done."""

    def __init__(
        self, config: TrainingConfig, model: ModelConfig, device: torch.device
    ) -> None:
        """Draw fresh weights from the seed; the same seed draws the same ones."""
        torch.manual_seed(config.seed)
        self.config = config
        self.device = device
        self.model = Transformer(model).to(device)
        self.optimizer = adamw(self.model, config)
        self.draws = torch.Generator().manual_seed(config.seed)
        """Where windows are drawn from; dropout draws from torch's own generator."""
        self.step = 0
        """Steps done."""

    def advance(self, windows: Windows) -> tuple[Tensor, Tensor]:
        """Make one step. -> the loss before it and the gradient's norm, not read yet.

        Nothing here waits for the device, so a GPU is never idle between two steps.
        """
        rate = learning_rate(self.step + 1, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = self._loss(*windows.drawn(self.config.batch_size, self.draws))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(
            self.model.parameters(), self.config.clip, foreach=True
        )
        self.optimizer.step()
        self.step += 1
        return loss.detach(), norm

    @torch.no_grad()
    def evaluate(self, windows: Windows) -> float:
        """The mean loss over windows spread over a text, without dropout.

        Draws nothing, so that a run with evaluations learns what one without does.
        """
        config = self.config
        self.model.eval()
        batches = windows.spread(config.batch_size, config.n_evaluation_batches)
        total = sum(self._loss(*batch) * len(batch[0]) for batch in batches)
        self.model.train()
        return float(total) / sum(len(read) for read, _ in batches)

    def is_sound(self) -> bool:
        """Whether every weight is a finite number."""
        weights = self.model.weights().values()
        return bool(torch.stack([weight.isfinite().all() for weight in weights]).all())

    def _loss(self, read: Tensor, following: Tensor) -> Tensor:
        """Cross-entropy of what follows each token: [n_batch, n_ctx] twice -> []."""
        kind = training_type(self.device)
        with torch.autocast(self.device.type, kind, enabled=kind != torch.float32):
            logits = self.model(read.to(self.device))
        targets = following.to(self.device).flatten()
        return F.cross_entropy(logits.flatten(0, 1).float(), targets)


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
