"""Learning from pairs in the studio: sources, the model that follows, the monitor."""

from pathlib import Path

import numpy as np
import pytest

from app.dialogs.training.draft import Draft
from app.dialogs.training.estimate_card import MachineCard
from app.dialogs.training.monitor_figures import FiguresCard
from app.dialogs.training.monitor_probe import ProbeCard, pattern_matrix, sharpest
from app.dialogs.training.monitor_record import RunRecord
from app.dialogs.training.monitor_samples import SamplesCard, versions_of
from app.dialogs.training.pair_adder import PairAdder
from app.dialogs.training.plan import first_draft
from app.dialogs.training.preset_list import shape_text
from app.dialogs.training.source_line import about_of, title_of
from app.dialogs.training.sources_card import file_source
from app.dialogs.training.start_page import batch_text
from core.training.config import read_config
from core.training.events import Evaluated, Probed, Sampled, Started
from core.training.pairs.tasks import TASKS
from core.training.presets import preset
from core.training.sources import (
    FileSource,
    PairsSource,
    PastedSource,
    TaskSource,
)
from core.training.speed import Speed
from tests.helpers.runs import write_pairs_run

TASK = TaskSource("reverse", 1, 300)
TEXT = PastedSource("the cat sat on the mat. " * 150)


def test_pairs_bring_their_model_and_tokenizer_while_nothing_was_chosen() -> None:
    draft = first_draft().with_sources((TASK,))
    assert draft.model.has_encoder
    assert draft.tokenizer.kind == "characters"
    assert draft.config.data.pairs
    back = draft.with_sources(()).with_sources((TEXT,))
    assert (back.model, back.tokenizer) == (
        first_draft().model,
        first_draft().tokenizer,
    )
    assert not back.config.data.pairs


def test_a_step_reads_pairs_as_long_as_they_are_and_windows_that_are_full() -> None:
    assert batch_text(first_draft().with_sources((TASK,))) == "64 pairs"
    assert batch_text(first_draft()).endswith(" windows of 64 tokens")


def test_what_a_person_chose_is_not_replaced() -> None:
    chosen = first_draft().with_fields({"model.n_layers": 3})
    draft = chosen.with_sources((TASK,))
    assert draft.model == chosen.model
    assert draft.tokenizer == chosen.tokenizer


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.tsv", PairsSource), ("a.TSV", PairsSource), ("a.txt", FileSource)],
)
def test_a_file_is_of_pairs_where_its_name_says_so(name: str, kind: type) -> None:
    assert type(file_source(Path(name))) is kind


def test_sources_of_pairs_have_names() -> None:
    assert title_of(TASK) == "Reverse the letters, seed 1"
    assert about_of(TASK, "") == "300 pairs"
    assert about_of(PairsSource(Path("gone.tsv")), "") == "pairs · missing"


def test_the_form_gives_the_task_that_is_chosen(qtbot) -> None:
    adder = PairAdder()
    qtbot.addWidget(adder)
    given: list[object] = []
    adder.source_given.connect(given.append)
    adder.task.setCurrentIndex(1)
    assert adder._about.text() == TASKS[1].text
    adder.pairs.show_number(500)
    adder.add.click()
    assert given == [TaskSource(TASKS[1].name, 1, 500)]


def test_a_setup_with_pairs_writes_a_run_on_pairs(desk) -> None:
    desk.take(TASK)
    facts = desk.facts
    assert facts["pairs"] == "300"
    assert "size as UTF-8" not in facts
    assert facts["vocabulary"] == "28"
    assert not desk.setup.data.facts.split.isVisibleTo(desk.setup)
    assert desk.setup.obstacle == ""
    config = read_config(desk.start())
    assert config.data.pairs
    assert config.data.train == ("train.tsv",)
    assert config.model.n_encoder_layers == 2


def test_an_impossible_match_is_told_at_once_and_mended_by_a_click(desk) -> None:
    desk.take(TEXT)
    two_sided = preset("transformer-2017")
    draft = desk.plan.draft
    desk.plan.take(draft.with_preset(two_sided.model, two_sided.training))
    desk.wait()
    said = "The model has an encoder, and the text has no pairs for it."
    assert desk.setup.obstacle == said
    sides = next(f for f in desk.plan.look.findings if f.kind == "sides")
    desk.plan.mend(sides.mends[0])
    desk.wait()
    assert not desk.plan.draft.model.has_encoder
    assert desk.setup.obstacle == ""


def test_a_model_of_two_sides_names_the_layers_of_both() -> None:
    model = preset("transformer-2017").model
    assert shape_text(model).startswith("2 + 2 layers × 4 heads")


def test_the_time_of_a_run_counts_the_tokens_that_pairs_have(qtbot) -> None:
    card, chosen = MachineCard(), preset("transformer-2017")
    qtbot.addWidget(card)
    config = (chosen.model, chosen.training)
    card.show_speed(config, Speed(1000.0, "cpu"))
    whole = card.time.text()
    card.show_speed(config, Speed(1000.0, "cpu"), 8.0)
    assert whole.startswith("2.")  # hours
    assert card.time.text().startswith("18 minutes")


# The monitor.


def sampled(step: int, text: str) -> Sampled:
    return Sampled(step=step, prompt="abc", text=text, right="cba")


def test_answers_of_a_step_stand_together_with_the_right_ones() -> None:
    versions = versions_of([sampled(5, "aaa"), sampled(5, "cba"), sampled(9, "cba")])
    assert [each.title for each in versions] == ["step 5", "step 9"]
    assert versions[0].text == "abc → aaa ✗ cba\nabc → cba ✓"


def test_a_sample_of_running_text_stands_as_it_did() -> None:
    (version,) = versions_of([Sampled(step=3, prompt="A", text=" cat")])
    assert (version.title, version.beginning, version.text) == ("step 3", "A", " cat")


@pytest.fixture
def record(tmp_path: Path) -> RunRecord:
    folder = write_pairs_run(tmp_path / "run")
    made = RunRecord(folder)
    patterns = np.full((1, 2, 2, 3), 1 / 3, np.float16)
    patterns[0, 1] = [[0, 0, 1], [0, 1, 0]]
    (folder / "probes").mkdir()
    np.save(folder / "probes" / "p.npy", patterns)
    made.take(
        [
            Started(
                step=0,
                n_steps=6,
                n_parameters=1,
                n_vocab=28,
                n_train_tokens=600,
                n_valid_tokens=60,
                device="cpu",
                process=1,
                tokens_per_step=20.0,
            ),
            Evaluated(
                step=3, train_loss=1, valid_loss=1, perplexity=3, share_right=0.25
            ),
            sampled(3, "cba"),
            sampled(4, "cba"),
            Probed(
                step=3,
                tokens=["<start>", "c"],
                source=["a", "b", "c"],
                top=["c"],
                probabilities=[0.9],
                file="probes/p.npy",
            ),
        ]
    )
    return made


def test_a_run_on_pairs_counts_the_tokens_that_its_steps_read(record) -> None:
    record.step = 3
    assert record.epochs == pytest.approx(3 * 20 / 600)


def test_the_chart_of_heads_is_one_of_answers(qtbot, record) -> None:
    card = FiguresCard()
    qtbot.addWidget(card)
    card.show_record(record)
    (series,) = card.plot.series
    assert (series.x.tolist(), series.y.tolist()) == ([3], [0.25])
    assert card.segments._group.button(0).text() == "answers"


def test_the_samples_say_what_their_signs_mean(qtbot, record) -> None:
    card = SamplesCard()
    qtbot.addWidget(card)
    card.show_record(record)
    assert "✗ and what would be right" in card._note.text()


def test_cross_attention_is_shown_over_the_source_and_the_sharpest_head_first(
    qtbot, record
) -> None:
    card = ProbeCard()
    qtbot.addWidget(card)
    card.show_record(record)
    assert card.heads.currentText() == "layer 1, head 2 · sharpest 1.00"
    matrix = pattern_matrix(card._patterns[0, 1], ["<start>", "c"], ["a", "b", "c"])
    assert matrix is not None
    assert matrix.values.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert matrix.rows.labels == ("<start>", "c")
    assert matrix.columns.labels == ("a", "b", "c")
    assert sharpest(card._patterns) == {(0, 1): "sharpest 1.00"}


def test_a_draft_without_texts_is_of_no_pairs() -> None:
    assert not Draft().of_pairs
