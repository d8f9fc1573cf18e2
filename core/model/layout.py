"""How weights lie in memory, for a model that is read from and no longer trained."""

from torch import Tensor, nn

from core.model.transformer import Transformer


def lay_out_weights(model: Transformer) -> None:
    """Store tall matrices column by column; their numbers stay as they are.

    One row times a matrix runs at the speed of memory where the matrix's longer side
    lies contiguous: at 50,257 x 768 on one core, 7 ms instead of 12.5 ms. Reading many
    rows at once, or looking rows up, costs the same either way.
    """
    networks = (part for part in model.modules() if hasattr(part, "W_2"))
    multiplied = [(network, "W_2") for network in networks]
    if model.output.W_U is None:
        multiplied.append((model.embed, "W_E"))
    for part, name in multiplied:
        weight = getattr(part, name)
        columns = nn.Parameter(by_column(weight.detach()), requires_grad=False)
        setattr(part, name, columns)


def by_column(matrix: Tensor) -> Tensor:
    """A matrix that is multiplied with a row, column by column where it is tall.

    [..., d_in, d_out] -> the same numbers.
    """
    is_tall = matrix.shape[-2] > matrix.shape[-1]
    return matrix.mT.contiguous().mT if is_tall else matrix
