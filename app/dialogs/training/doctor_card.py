"""What the program thinks of the text: facts as numbers, findings as sentences.

Place: right half of the data page. In: a `Look`. Out: wishes for a mend.
"""

from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.form import Choice
from app.dialogs.training.listing import Listing
from app.dialogs.training.plan import Look
from app.dialogs.training.wording import size_text
from app.style.fonts import LARGE, MEDIUM, SMALL, mono, sans
from app.widgets.card import Card, plain_label
from app.widgets.label import as_tip
from core.training.documents import Split
from core.training.findings import Finding, Mend
from core.training.reading import LINE_END_RULE

NOTHING = "–"
MEANING_GAP, BUTTON_GAP = 3, 4
COLUMNS = 4
SIGNS = {
    "error": ("●", "error", "Must be mended"),
    "warning": ("●", "warning", "Worth a look"),
    "note": ("○", "muted", "Good to know"),
}
"""By severity: the sign, its ink, and what it means in words."""
SPLITS: tuple[tuple[Split, str, str], ...] = (
    ("tail", "Validate on the end", "The last share of the text, wherever that cuts."),
    (
        "documents",
        "Validate on documents",
        "The last whole documents; each document of the text is taken only once.",
    ),
    (
        "unseen",
        "Validate on the unseen",
        "The last whole documents, without those that are learned from as well.",
    ),
)
"""Ways to choose the validation text: key, title, sentence."""
HEALTHY = "Nothing stands in the way of this text."
UNREAD = "Here stands what is odd about a text, once there is one."
READING = "Reading…"


class FactsCard(Card):
    """The numbers of a text, and which part of it is kept for validation."""

    split_requested = Signal(str)
    """Another part is to be kept: a `Split`."""

    def __init__(self) -> None:
        """No numbers yet."""
        super().__init__("What it holds")
        self.split = Choice()
        self.split.setObjectName("training.split")
        self.split.setAccessibleName("Validation text")
        for key, title, sentence in SPLITS:
            self.split.addItem(title, key)
            self.split.setItemData(
                self.split.count() - 1, as_tip(sentence), Qt.ItemDataRole.ToolTipRole
            )
        self.split.activated.connect(self._on_split_activated)
        self.head.addWidget(self.split)
        self._numbers: list[QLabel] = []
        self._names: list[QLabel] = []
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(0)
        for index, name in enumerate(facts_of(Look())):
            line, column = divmod(index, COLUMNS)
            number, words = plain_label(NOTHING), plain_label(name, "muted")
            number.setFont(mono(LARGE))
            words.setFont(sans(SMALL))
            words.setContentsMargins(0, 0, 0, 8)
            grid.addWidget(number, 2 * line, column)
            grid.addWidget(words, 2 * line + 1, column)
            grid.setColumnStretch(column, 1)
            self._numbers.append(number)
            self._names.append(words)
        self.body.addLayout(grid)
        self.set_note(LINE_END_RULE)

    @property
    def shown(self) -> dict[str, str]:
        """Every number as it is shown, by its name."""
        pairs = zip(self._names, self._numbers, strict=True)
        return {name.text(): number.text() for name, number in pairs}

    def show_look(self, look: Look, split: Split) -> None:
        """Show what is known; a dash where something is not known yet."""
        index = self.split.findData(split)
        self.split.setCurrentIndex(index)
        self.split.setToolTip(as_tip(SPLITS[index][2]))
        self.split.setVisible(look.facts is None or look.facts.pairs is None)
        shown = zip(facts_of(look).items(), self._names, self._numbers, strict=True)
        for (name, text), words, number in shown:
            words.setText(name)
            number.setText(text)

    @Slot(int)
    def _on_split_activated(self, index: int) -> None:
        self.split_requested.emit(self.split.itemData(index))


class DoctorCard(Card):
    """The findings, the gravest first, each with what it means and what can be done."""

    mend_requested = Signal(object)
    """Do what this `Mend` proposes."""

    def __init__(self) -> None:
        """Nothing to say yet."""
        super().__init__("The doctor")
        self._list = Listing("Findings")
        self.mends: list[QPushButton] = []
        self.findings: tuple[Finding, ...] = ()
        self.body.addWidget(self._list, 1)

    def show_look(self, look: Look, *, is_looking: bool) -> None:
        """Show the findings, or that there are none."""
        if any(button.hasFocus() for button in self.mends):
            self._list.setFocus()  # else the keys go on to what removes a file
        self.findings = look.findings
        self.mends = []
        widgets: list[QWidget] = [self._finding(each) for each in look.findings]
        if look.facts is None:
            widgets = [quiet(READING if is_looking else UNREAD)]
        elif not widgets:
            widgets = [quiet(READING if is_looking else HEALTHY)]
        self._list.show_widgets(widgets)

    def _finding(self, finding: Finding) -> QWidget:
        sign, ink, severity = SIGNS[finding.severity]
        mark, what = plain_label(sign, ink), plain_label(finding.what)
        mark.setToolTip(severity)
        what.setFont(sans(weight=MEDIUM))
        meaning = quiet(finding.meaning)
        for label in (what, meaning):
            label.setWordWrap(True)
        buttons = QVBoxLayout()
        buttons.setSpacing(BUTTON_GAP)
        buttons.setContentsMargins(0, BUTTON_GAP, 0, BUTTON_GAP)
        for mend in finding.mends:
            buttons.addWidget(self._mend(mend), 0, Qt.AlignmentFlag.AlignLeft)
        right = QVBoxLayout()
        right.setSpacing(MEANING_GAP)
        right.addWidget(what)
        right.addWidget(meaning)
        if finding.mends:
            right.addLayout(buttons)
        whole = QWidget()
        whole.setAccessibleName(f"{severity}: {finding.what}")
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 4, 0)
        row.setSpacing(8)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(right, 1)
        return whole

    def _mend(self, mend: Mend) -> QPushButton:
        button = QPushButton(mend.label)
        button.setObjectName("training.mend")
        button.clicked.connect(partial(self._on_mend_clicked, mend))
        self.mends.append(button)
        return button

    @Slot()
    def _on_mend_clicked(self, mend: Mend, _: bool = False) -> None:
        self.mend_requested.emit(mend)


def quiet(text: str) -> QLabel:
    """A sentence in muted ink that breaks where it must."""
    label = plain_label(text, "muted")
    label.setFont(sans(SMALL))
    label.setWordWrap(True)
    return label


def facts_of(look: Look) -> dict[str, str]:
    """The numbers of a text in words, by their names; dashes for what is not known."""
    facts, tokens = look.facts, look.tokens
    about = "" if tokens is None or tokens.is_exact else "≈ "
    pairs = facts.pairs if facts else None
    second = {"size as UTF-8": size_text(facts.n_bytes) if facts else NOTHING}
    if pairs:
        second = {"pairs": f"{pairs.n_pairs:,}"}
    read = facts is not None
    counted = read and tokens is not None
    n_train, n_valid = look.parts
    parts_about = "≈ " if pairs else about
    return {
        "characters": f"{facts.n_characters:,}" if facts else NOTHING,
        **second,
        "words": f"{facts.n_words:,}" if facts else NOTHING,
        "distinct characters": f"{facts.n_distinct:,}" if facts else NOTHING,
        "tokens": f"{about}{tokens.n_tokens:,}" if tokens else NOTHING,
        "vocabulary": f"{tokens.n_vocab:,}" if tokens else NOTHING,
        "to learn from": f"{parts_about}{n_train:,}" if counted else NOTHING,
        "for validation": f"{parts_about}{n_valid:,}" if counted else NOTHING,
    }
