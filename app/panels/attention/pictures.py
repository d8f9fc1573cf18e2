"""The pictures of attention: what the segments at the top of the panel choose from.

Each row is a page that shows the steps from scores to pattern in its own way. A page's
module is imported when its picture is first chosen.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.panels.attention.page import Page


@dataclass(frozen=True, slots=True)
class Picture:
    """One way to look at who looks at whom."""

    name: str
    """What `Viewing.picture` goes by."""
    title: str
    home: str
    """Module and class."""
    tip: str
    """What it shows, in a sentence."""
    least: tuple[int, int] = (560, 380)
    """Width and height that it needs; in less room it is scrolled."""

    def create(self) -> "Page":
        """Import the page and make it."""
        module, _, kind = self.home.partition(":")
        page: Page = getattr(import_module(f"app.panels.attention.{module}"), kind)()
        page.setObjectName(f"attention.{self.name}")
        page.setMinimumSize(*self.least)
        return page


PICTURES = (
    Picture(
        "map",
        "Map",
        "map_page:MapPage",
        "One head enlarged, and all heads of its layer beside it.",
    ),
    Picture(
        "heads",
        "All heads",
        "overview_page:OverviewPage",
        "All heads of all layers, ordered by what they do, and their scores.",
    ),
    Picture(
        "lines",
        "Lines",
        "lines_page:LinesPage",
        "Queries left, keys right, joined by lines as strong as the shares.",
    ),
    Picture(
        "text",
        "Text",
        "text_page:TextPage",
        "The sentence, shaded by whom a token looks at or who looks at it.",
    ),
    Picture(
        "birth",
        "q · k",
        "birth_page:BirthPage",
        "How one share comes about, from two vectors to the softmax.",
        least=(600, 470),
    ),
    Picture(
        "effect",
        "Effect",
        "effect_page:EffectPage",
        "What the head moves: the size of what each key adds, and its logits.",
        least=(640, 400),
    ),
    Picture(
        "rollout",
        "Rollout",
        "rollout_page:RolloutPage",
        "Where each token's row comes from, through all layers up to this one.",
    ),
    Picture(
        "compare",
        "Compare",
        "compare_page:ComparePage",
        "Two heads side by side and their difference, of one sentence or of two.",
        least=(600, 450),
    ),
)


def picture_of(name: str) -> Picture:
    """The picture of that name, or the first: a remembered one may be gone."""
    return next((each for each in PICTURES if each.name == name), PICTURES[0])
