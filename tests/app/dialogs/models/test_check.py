"""The sentence through model and reference: what is told, and the badge that stays."""

from types import SimpleNamespace

import pytest

from app.dialogs.models.check import ANOTHER, NO_SENTENCE, CheckDialog, rows_of
from app.dialogs.models.words import facts_about
from app.frame.recent import RecentModels
from app.frame.sentence_bar import SentenceBar, model_tip
from app.settings import Settings
from app.workers.checking import Checked, CheckingWorker, CheckRequest, self_checked
from app.workers.tracing import card_of
from core.analysis import self_check as checks
from core.analysis.comparison import ComparedStep, Comparison
from core.bundle import open_bundle
from core.model import functions
from core.pipeline import written_so_far
from tests.helpers.bundles import tiny_bundle
from tests.helpers.huggingface import save_theirs
from tests.helpers.sessions import (
    ShownSession,
    session_showing,
    session_translating,
)
from tests.helpers.two_sides import save_pair

WAIT_MS = 60_000
GOOD = ComparedStep("embed.sum", 2e-7, 1e-4)
BAD = ComparedStep("layers.0.attn.pattern", 0.5, 1e-4)
WORSE = ComparedStep("layers.0.resid_out", 3.0, 1e-4)


@pytest.fixture
def dialog(qapp):
    session = session_showing()
    dialog = CheckDialog(session)
    yield dialog
    dialog.done(0)  # which deletes it


def answered(dialog, *rows):
    found = Comparison("transformers 5.24.0", rows, "3 tokens")
    request = CheckRequest(dialog._session.bundle, dialog._session.encoding)
    dialog._on_runner_answered(request, Checked(found))
    return found


def test_a_model_that_agrees_wears_its_badge_on_button_tip_and_card(qtbot, dialog):
    bar = SentenceBar(dialog._session, RecentModels(Settings()))
    qtbot.addWidget(bar)
    found = answered(dialog, GOOD)
    assert dialog.message.text() == found.sentence
    card = dialog._session.model
    assert card.badge == "checked against transformers 5.24.0: 2.0e−07"
    assert bar.model_button.text() == "tiny ✓"
    assert card.badge in model_tip(card)
    assert ("Reference", card.badge) in facts_about(card)


def test_the_first_step_that_disagrees_is_marked(qtbot, dialog):
    bar = SentenceBar(dialog._session, RecentModels(Settings()))
    qtbot.addWidget(bar)
    answered(dialog, GOOD, BAD, WORSE)
    assert dialog.message.text() == (
        "The layer 1 pattern (layers.0.attn.pattern) is the first that disagrees with "
        "transformers 5.24.0: by 0.5 on 3 tokens, where 0.0001 is rounding."
    )
    assert dialog._session.model.badge == (
        "differs from transformers 5.24.0 from layer 1 pattern on"
    )
    assert dialog.table.selected == 1
    assert [row.label for row in dialog.table.rows] == [
        "embeddings",
        "layer 1 pattern",
        "layer 1 stream",
    ]
    assert [row.ink for row in dialog.table.rows] == ["text", "error", "error"]
    assert bar.model_button.text() == "tiny ≠"


def test_the_badge_of_a_model_that_is_not_open_any_more_is_dropped(dialog):
    request = CheckRequest(tiny_bundle(n_layers=1), dialog._session.encoding)
    found = Comparison("transformers 5.24.0", (GOOD,), "3 tokens")
    dialog._on_runner_answered(request, Checked(found))
    assert dialog._session.model.badge == ""


def test_what_was_found_of_a_model_goes_when_another_is_opened(dialog):
    request = CheckRequest(dialog._session.bundle, dialog._session.encoding)
    dialog._asked = request
    found = Comparison("transformers 5.24.0", (GOOD,), "3 tokens")
    dialog._on_runner_answered(request, Checked(found))
    assert dialog.table.rows
    dialog._session.open(n_layers=1)
    assert dialog.message.text() == ANOTHER
    assert dialog.table.rows == ()
    dialog._on_runner_answered(request, Checked(found))
    assert dialog.table.rows == (), "it is of the model before"


def test_a_model_that_cannot_be_checked_says_why(qtbot, dialog):
    dialog.show()
    qtbot.waitUntil(dialog.again.isEnabled, timeout=WAIT_MS)
    assert dialog.message.text().startswith("This model is in no folder")
    assert dialog.table.rows == ()


def test_without_a_sentence_there_is_nothing_to_check_with(qapp):
    session = ShownSession()
    session.open()
    dialog = CheckDialog(session)
    dialog.check()
    assert dialog.message.text() == NO_SENTENCE
    dialog.done(0)


def test_the_cpu_has_one_row_where_there_is_another_device():
    cpu = Comparison("the CPU", (GOOD, BAD), "3 tokens")
    (row,) = rows_of(Checked(None, "no reference", cpu))
    assert (row.label, row.numbers[0], row.ink) == ("GPU to CPU", "5.0e-01", "error")
    assert row.note.startswith("layers.0.attn.pattern")
    assert rows_of(Checked(None, "no reference")) == ()


@pytest.mark.thorough
def test_the_worker_walks_a_folder_through_transformers_in_a_process(tmp_path):
    bundle = open_bundle(save_theirs(tmp_path / "llama", "llama"), device="cpu")
    worker, told = CheckingWorker(), []
    worker.progressed.connect(lambda _, what: told.append(what))
    worker.thread = lambda: SimpleNamespace(isInterruptionRequested=lambda: False)
    checked = worker.answer(CheckRequest(bundle, bundle.tokenizer.encode("the cat")))
    assert checked.reference is not None
    assert checked.reference.first is None
    assert told == ["opening it with transformers…", "comparing…"]


def test_both_texts_of_a_model_of_two_sides_are_compared(qapp, monkeypatch):
    session = session_translating()
    dialog, asked = CheckDialog(session), []
    monkeypatch.setattr(dialog._runner, "request", asked.append)
    dialog.check()
    (request,) = asked
    assert request.encoding.ids == session.trace.source.ids
    assert request.target.ids == session.trace.ids
    dialog.done(0)


@pytest.mark.thorough
def test_the_worker_walks_both_sides_of_a_folder_through_transformers(tmp_path):
    bundle = open_bundle(save_pair(tmp_path / "t5", "t5"), device="cpu")
    worker = CheckingWorker()
    worker.thread = lambda: SimpleNamespace(isInterruptionRequested=lambda: False)
    read, written = bundle.tokenizer.encode("the cat"), written_so_far(bundle, "a dog")
    checked = worker.answer(CheckRequest(bundle, read, written))
    assert checked.reference is not None
    assert checked.reference.first is None
    labels = [row.label for row in rows_of(checked)]
    assert "encoder layer 1 pattern" in labels
    assert "decoder layer 3 cross pattern" in labels


def test_that_only_the_beginning_was_compared_stands_below_the_table(qtbot, dialog):
    said = "Only the first 128 of 300 tokens were compared."
    found = Comparison("transformers 5.24.0", (GOOD,), "128 tokens", said)
    request = CheckRequest(dialog._session.bundle, dialog._session.encoding)
    dialog._on_runner_answered(request, Checked(found))
    assert dialog.note.text() == said
    assert not dialog.note.isHidden()


def test_a_passed_self_check_is_a_note_and_a_failed_one_a_warning(monkeypatch):
    bundle = tiny_bundle()
    card = self_checked(bundle, card_of(bundle))
    assert card.notes[-1].startswith("Self-check passed: ")
    assert card.warnings == ()
    monkeypatch.setattr(functions, "scale", lambda scores, d_head: scores)
    card = self_checked(bundle, card_of(bundle))
    assert card.notes == ()
    (warning,) = card.warnings
    assert warning.startswith("The self-check failed: fused against explicit attention")
    assert "layers.0.attn.heads" in warning


def test_a_self_check_that_breaks_loses_no_model(monkeypatch):
    monkeypatch.setattr(checks, "drawn_ids", lambda bundle: 1 / 0)
    bundle = tiny_bundle()
    (warning,) = self_checked(bundle, card_of(bundle)).warnings
    assert warning.startswith("The self-check could not be carried out")
