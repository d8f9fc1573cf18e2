r"""LaTeX to SVG, with the parts of a formula in the colours of what they stand for.

In: LaTeX in which `{query:Q}` sets Q in the theme's query colour. Out: SVG bytes. Safe
in any thread; ziamath is imported at the first formula, so that the window comes first.
"""

import logging
import re
from dataclasses import dataclass, fields
from functools import cache

from app.style.theme import LIGHT, Theme

log = logging.getLogger(__name__)

ROLES = tuple(f.name for f in fields(LIGHT) if f.name not in ("name", "is_dark"))
MARK = re.compile(r"\{(" + "|".join(ROLES) + r"):")


@dataclass(frozen=True, slots=True)
class FormulaRequest:
    """One formula to set, complete with its colours. Equal requests give equal SVG."""

    latex: str
    """LaTeX with \\textcolor where a part has a colour of its own."""
    size: float
    """Type size in pixels."""
    colour: str
    """Everything without a colour of its own, "#RRGGBB"."""


def formula_request(latex: str, size: float, chosen: Theme) -> FormulaRequest:
    """The request for `latex` in the colours of a theme.

    `{query:Q}` becomes Q in the colour the theme calls query, in its readable shade.
    """

    def colour_of(mark: re.Match[str]) -> str:
        return rf"\textcolor{{{chosen.ink(mark[1]).name()}}}{{"

    return FormulaRequest(MARK.sub(colour_of, latex), size, chosen.text)


@cache
def render_svg(request: FormulaRequest) -> bytes:
    """The formula as an SVG 1.1 document.

    Raises:
        ValueError: the LaTeX cannot be set; says which.
    """
    from ziafont.config import config as font_config
    from ziamath.config import config
    from ziamath.zmath import Latex

    # QtSvg draws nothing of SVG 2's symbols, and does not complain.
    config.svg2 = font_config.svg2 = False
    try:
        formula = Latex(request.latex, size=request.size, color=request.colour)
        # Said outright, since Qt draws outlines in SVG and PDF that it was not told of.
        return str(formula.svg()).replace("<svg ", '<svg stroke-width="0" ', 1).encode()
    except Exception as error:  # ziamath raises what it happens upon
        raise ValueError(
            f"The formula {request.latex} cannot be set: {error}"
        ) from error


def svg_or_nothing(request: FormulaRequest) -> bytes:
    """The SVG of a formula, b"" where it cannot be set; never raises."""
    try:
        return render_svg(request)
    except ValueError as error:
        log.warning("%s", error)
        return b""
