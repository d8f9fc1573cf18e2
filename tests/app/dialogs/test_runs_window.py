"""The runs window over two real runs, with its thread."""

import os
from shutil import copytree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from app.dialogs.runs.difference_page import percent
from app.dialogs.runs.run_table import COLUMNS, RunTable
from app.dialogs.runs.window import COMPARE, DIFFERENCE, RunsWindow
from app.dialogs.runs.window import RUNS as RUNS_TAB
from app.settings import RUNS, Settings
from app.workers.runs import PickRequest
from core.files import held_alone
from core.training.runs import run_info
from tests.helpers.runs import trained_run
from tests.helpers.sessions import session_showing

WAIT_MS = 20_000


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two runs of one tokenizer and other seeds."""
    root = tmp_path_factory.mktemp("trained")
    for seed, name in enumerate(("cats", "dogs"), start=1):
        trained_run(root / name, model={"n_layers": 2}, seed=seed)
    return root


@pytest.fixture
def root(trained, tmp_path):
    return copytree(trained, tmp_path / "runs")


@pytest.fixture
def window(qtbot, qapp, root):
    settings = Settings()
    settings.write(RUNS, str(root))
    window = RunsWindow(session_showing("the cat sat"), settings)
    qtbot.addWidget(window)
    window.reports = []
    window.failed.connect(window.reports.append)
    window.show()
    qtbot.waitUntil(lambda: len(window.list.table.runs) == 2, timeout=WAIT_MS)
    yield window
    window.close_down()


def shown(window):
    """The texts of the table by the names of the runs."""
    table = window.list.table
    return {
        run.name: [
            table.data(table.index(row, column)) for column in range(len(COLUMNS))
        ]
        for row, run in enumerate(table.runs)
    }


def choose(window, *names):
    runs = window.list.table.runs
    window.list._choose({run.folder for run in runs if run.name in names})


def press(qtbot, window, name):
    qtbot.mouseClick(window.list._buttons[name], Qt.MouseButton.LeftButton)


def test_every_run_has_a_row_with_what_there_is_to_know(window):
    name, status, steps, loss, size, date = shown(window)["cats"]
    assert (name, status, steps) == ("cats", "finished", "5 of 5")
    assert 4 < float(loss) < 6
    assert size.endswith("KB")
    assert len(date) == len("2026-01-31 12:00")


def test_a_run_that_came_later_appears_by_itself(window, qtbot, root):
    choose(window, "dogs")
    copytree(root / "cats", root / "cows")
    window._clock.setInterval(10)
    qtbot.waitUntil(lambda: "cows" in shown(window), timeout=WAIT_MS)
    assert [run.name for run in window.list.chosen] == ["dogs"]


def test_a_damaged_run_is_named_and_says_why(window, qtbot, root):
    (root / "cats" / "config.toml").write_text("[model\n")
    window._look()
    qtbot.waitUntil(lambda: shown(window)["cats"][1] == "cannot be opened")
    choose(window, "cats")
    assert not window.list._buttons["continue"].isEnabled()
    row = next(i for i, run in enumerate(window.list.table.runs) if run.fault)
    tip = window.list.table.data(
        window.list.table.index(row, 1), Qt.ItemDataRole.ToolTipRole
    )
    assert "config.toml" in tip


def test_rows_are_ordered_by_any_column(qtbot, root):
    table = RunTable()
    table.show_runs(tuple(run_info(root / name) for name in ("dogs", "cats")))
    table.sort(0, Qt.SortOrder.AscendingOrder)
    assert [run.name for run in table.runs] == ["cats", "dogs"]
    table.sort(3, Qt.SortOrder.DescendingOrder)
    losses = [run.best_loss for run in table.runs]
    assert losses == sorted(losses, reverse=True)


def test_opening_takes_the_newest_or_the_best_checkpoint(window, qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(window._session, "open_model", opened.append)
    choose(window, "cats")
    press(qtbot, window, "open")
    press(qtbot, window, "best")
    qtbot.waitUntil(lambda: bool(opened), timeout=WAIT_MS)
    assert {folder.parent.parent.name for folder in opened} == {"cats"}


def test_a_new_name_moves_the_folder(window, qtbot, root):
    window.list.table.setData(window.list.table.index(0, 0), " birds ")
    qtbot.waitUntil(lambda: "birds" in shown(window), timeout=WAIT_MS)
    assert (root / "birds" / "config.toml").is_file()


def test_enter_ends_a_new_name_and_opens_nothing(window, qtbot, root, monkeypatch):
    opened = []
    monkeypatch.setattr(window._session, "open_model", opened.append)
    choose(window, "cats")
    press(qtbot, window, "rename")
    editor = window.list.view.findChild(QLineEdit)
    editor.setText("birds")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "birds" in shown(window), timeout=WAIT_MS)
    assert not any(isinstance(each, PickRequest) for each in window._runner.pending)
    assert opened == []


def test_a_name_that_is_none_is_refused_in_a_sentence(window, qtbot):
    window.list.table.setData(window.list.table.index(0, 0), "a/b")
    qtbot.waitUntil(lambda: bool(window.reports), timeout=WAIT_MS)
    assert "a/b" in window.message.sentence


def test_the_trash_takes_runs_that_rest(window, qtbot, root, monkeypatch):
    taken = []
    monkeypatch.setattr(
        "app.workers.runs.move_to_trash", lambda folder: taken.append(folder) or True
    )
    choose(window, "cats", "dogs")
    press(qtbot, window, "trash")
    question = window.list.ask_trash
    assert "2 runs, with 8 checkpoints" in question.question.text()
    assert not taken
    question.buttons["discard"].click()
    qtbot.waitUntil(lambda: len(taken) == 2, timeout=WAIT_MS)
    assert {root / name for name in ("cats", "dogs")} == set(taken)


def test_another_choice_takes_the_question_back(window, qtbot):
    choose(window, "cats")
    press(qtbot, window, "trash")
    assert window.list.ask_trash.isVisible()
    choose(window, "dogs")
    assert not window.list.ask_trash.isVisible()


def test_a_run_that_goes_on_is_kept_out_of_the_trash(window, qtbot, root):
    with held_alone(root / "cats" / "lock"):
        window._on_trash_requested((run_info(root / "cats"),))
        qtbot.waitUntil(lambda: bool(window.reports), timeout=WAIT_MS)
        assert "is being trained" in window.reports[0].sentence
        assert (root / "cats").is_dir()
        window._look()
        qtbot.waitUntil(lambda: shown(window)["cats"][1] == "running", timeout=WAIT_MS)
        choose(window, "cats")
        assert not window.list._buttons["trash"].isEnabled()
        assert window.list._buttons["continue"].text() == "Watch"


@pytest.mark.parametrize(("status", "starts"), [("finished", False), ("crashed", True)])
def test_continuing_starts_what_rests_and_shows_the_rest(
    window, qtbot, root, status, starts
):
    if status == "crashed":
        events = root / "cats" / "events.jsonl"
        events.write_text("\n".join(events.read_text().splitlines()[:-1]) + "\n")
        window._look()
    qtbot.waitUntil(lambda: shown(window)["cats"][1] == status, timeout=WAIT_MS)
    choose(window, "cats")
    with qtbot.waitSignal(window.continue_requested) as heard:
        press(qtbot, window, "continue")
    assert heard.args == [root / "cats", starts]


def test_a_folder_that_was_added_is_looked_into(window, qtbot, root, tmp_path):
    elsewhere = copytree(root / "cats", tmp_path / "elsewhere" / "mice")
    window.add_folder(elsewhere.parent)
    qtbot.waitUntil(lambda: "mice" in shown(window), timeout=WAIT_MS)
    window.add_folder(root)  # the same runs again
    window._look()
    qtbot.wait(100)
    assert len(shown(window)) == 3


def test_a_folder_that_was_left_out_is_looked_into_no_more(
    window, qtbot, root, tmp_path
):
    elsewhere = copytree(root / "cats", tmp_path / "elsewhere" / "mice")
    window.add_folder(elsewhere.parent)
    qtbot.waitUntil(lambda: "mice" in shown(window), timeout=WAIT_MS)
    forget = window.list.folders.actions()[-1]
    assert "elsewhere" in forget.text()
    forget.trigger()
    qtbot.waitUntil(lambda: "mice" not in shown(window), timeout=WAIT_MS)
    assert elsewhere.is_dir()
    assert len(window.list.folders.actions()) == 1


def test_without_runs_there_is_a_button_to_train(window, qtbot, root):
    for name in ("cats", "dogs"):
        (root / name).rename(root.parent / name)
    window._look()
    qtbot.waitUntil(lambda: not window.list.table.runs, timeout=WAIT_MS)
    assert window.list._train.isVisible()
    with qtbot.waitSignal(window.train_requested):
        window.list._train.click()


def test_what_a_run_died_of_stands_under_the_table(window, qtbot, root):
    events = root / "cats" / "events.jsonl"
    told = '{"event": "failed", "message": "The loss is not a number; lower it."}'
    events.write_text("\n".join([*events.read_text().splitlines()[:-1], told]) + "\n")
    choose(window, "cats")
    window._look()
    said = window.list._note
    qtbot.waitUntil(lambda: said.text().startswith("The loss is"), timeout=WAIT_MS)
    assert said.property("ink") == "error"


def test_the_newest_two_are_compared_before_any_are_chosen(window, qtbot, root):
    copytree(root / "cats", root / "owls")
    for when, name in enumerate(("cats", "owls", "dogs"), start=1):
        os.utime(root / name / "events.jsonl", (when, when))
    window._look()
    changed = lambda: [run.changed for run in window.list.table.runs]  # noqa: E731
    qtbot.waitUntil(lambda: sorted(changed()) == [1, 2, 3], timeout=WAIT_MS)
    window.tabs.setCurrentIndex(COMPARE)
    assert [run.name for run in window.compare.runs] == ["dogs", "owls"]
    qtbot.waitUntil(lambda: len(window.compare.plot.series) == 4, timeout=WAIT_MS)


def test_the_chosen_runs_are_compared_as_their_tab_is_opened(window):
    choose(window, "cats")
    window.tabs.setCurrentIndex(COMPARE)
    assert [run.name for run in window.compare.runs] == ["cats"]
    window.tabs.setCurrentIndex(RUNS_TAB)
    choose(window, "cats", "dogs")
    window.tabs.setCurrentIndex(COMPARE)
    assert {run.name for run in window.compare.runs} == {"cats", "dogs"}


def test_a_comparison_goes_on_under_a_new_name(window, qtbot, root):
    choose(window, "cats", "dogs")
    press(qtbot, window, "compare")
    with qtbot.waitSignal(window.renamed, timeout=WAIT_MS) as told:
        window.list.rename_requested.emit(run_info(root / "cats"), "birds")
    assert told.args == [root / "cats", root / "birds"]
    assert {run.name for run in window.compare.runs} == {"birds", "dogs"}


def test_chosen_runs_are_drawn_over_one_another(window, qtbot):
    choose(window, "cats", "dogs")
    press(qtbot, window, "compare")
    assert window.tabs.currentIndex() == COMPARE
    qtbot.waitUntil(lambda: len(window.compare.plot.series) == 4, timeout=WAIT_MS)
    named = [series for series in window.compare.plot.series if series.name]
    assert sorted(each.name for each in named) == ["cats", "dogs"]
    assert len({each.line for each in named}) == len({each.role for each in named}) == 2
    table = window.compare.table
    assert table.item(0, 0).text() == "training.seed"
    assert {table.item(0, column).text() for column in (1, 2)} == {"1", "2"}


def test_the_loss_can_be_measured_by_its_logarithm(window, qtbot):
    choose(window, "cats", "dogs")
    press(qtbot, window, "compare")
    qtbot.waitUntil(lambda: len(window.compare.plot.series) == 4, timeout=WAIT_MS)
    before = window.compare.plot.y_span
    window.compare.log.click()
    after = window.compare.plot.y_span
    ratio = (before.high - before.low) / (after.high - after.low)
    assert 0.9 < ratio < 1.1  # the same heights are seen, on other rulings
    assert window.compare.plot._is_log


def test_curves_lie_along_steps_or_tokens(window, qtbot):
    choose(window, "cats")
    press(qtbot, window, "compare")
    qtbot.waitUntil(lambda: bool(window.compare.plot.series), timeout=WAIT_MS)
    by_step = window.compare.plot.series[0].x
    window.compare._on_axis_clicked(1)
    np.testing.assert_array_equal(window.compare.plot.series[0].x, by_step * 2 * 32)


@pytest.fixture
def compared(window, qtbot):
    """The third tab, with the first and the last checkpoint of a run compared."""
    window.tabs.setCurrentIndex(DIFFERENCE)
    page = window.difference
    qtbot.waitUntil(lambda: page._compared is not None, timeout=WAIT_MS)
    return page


def test_the_first_and_the_last_checkpoint_are_compared_at_once(compared):
    assert compared.before.words.endswith("step 0")
    assert compared.after.words.endswith("step 5")
    assert compared.sentence.text == "the cat sat"
    assert compared.heads.matrix.values.shape == (2, 2)
    assert len(compared.raised.rows) > 3
    assert all(row.share > 0 for row in compared.raised.rows)
    assert all(row.role == "negative" for row in compared.lowered.rows)


def test_bars_of_raised_and_lowered_tokens_have_one_scale(compared):
    found = compared._compared.differences
    changes = (*found.raised, *found.lowered)
    most = max(abs(each.difference) for each in changes)
    rows = (*compared.raised.rows, *compared.lowered.rows)
    shares = [row.share for row in rows]
    np.testing.assert_allclose(shares, [abs(c.difference) / most for c in changes])
    assert compared.raised._bar_span() == compared.lowered._bar_span()


def test_probabilities_stand_beside_the_logits(compared):
    first = compared._compared.differences.raised[0]
    *_, share, new_share = compared.raised.rows[0].numbers
    assert float(share) == pytest.approx(100 * first.share_before, abs=0.01)
    assert float(new_share) == pytest.approx(100 * first.share_after, abs=0.01)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.5, "50.0"), (0.0123, "1.23"), (2e-6, "<0.01"), (0.0, "0.00"), (1.0, "100.0")],
)
def test_a_probability_fits_a_narrow_column(share, text):
    assert percent(share) == text


def test_a_click_on_a_head_shows_its_three_maps(compared):
    compared.heads.cell_clicked.emit(1, 1)
    first, second, moved = (each.matrix.values for each in compared.maps)
    trace = compared._compared.before
    seen = trace.part("mask")
    np.testing.assert_array_equal(first[seen], trace["layers.1.attn.pattern"][1][seen])
    np.testing.assert_array_equal(moved[seen], (second - first)[seen])


def test_two_runs_of_one_tokenizer_can_be_compared(compared, qtbot):
    before = compared._compared
    other = 1 - compared.after.runs.currentIndex()
    compared.after.runs.setCurrentIndex(other)
    qtbot.waitUntil(lambda: compared._compared is not before, timeout=WAIT_MS)
    runs = {compared.before.runs.currentText(), compared.after.runs.currentText()}
    assert runs == {"cats", "dogs"}


def test_another_sentence_is_compared_anew(compared, window, qtbot):
    window._session.read("the dog")
    qtbot.waitUntil(
        lambda: compared._compared.before.text == "the dog", timeout=WAIT_MS
    )
