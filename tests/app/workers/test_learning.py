"""The two child processes of the setup, with small programs in their places."""

import json

import pytest

from app.workers.calibrating import SILENT, Calibration
from app.workers.learning import Learning
from core.config import ModelConfig
from core.training.config import (
    DataConfig,
    RunConfig,
    TokenizerConfig,
    TrainingConfig,
)
from core.training.events import Failed, Merged, line_of
from core.training.speed import Speed

WAIT_MS = 20_000
MERGED = Merged(n_done=1, n_asked=2, left=["t"], right=["h"], counts=[5])
CONFIG = RunConfig(
    model=ModelConfig(n_vocab=300),
    data=DataConfig(train=("text.txt",)),
    tokenizer=TokenizerConfig(n_vocab=300),
    training=TrainingConfig(),
)
SLEEPS = ("-c", "import time; time.sleep(60)")


def program(*lines, code=0, tokenizer=True):
    """Python that writes these events, a tokenizer perhaps, and ends."""
    file = "pathlib.Path(sys.argv[1], 'tokenizer.json').write_text('{}')"
    text = "".join(f"{line}\n" for line in lines)
    return (
        "-c",
        "import pathlib, sys\n"
        f"pathlib.Path(sys.argv[1], 'events.jsonl').write_text({text!r})\n"
        f"{file if tokenizer else 'print()'}\n"
        f"sys.exit({code})",
    )


@pytest.fixture
def learning_with(qtbot, tmp_path):
    made = []

    def make(*words):
        learning = Learning(words)
        made.append(learning)
        return learning

    yield make
    for learning in made:
        learning.stop()


def test_merges_are_told_as_they_come_and_then_the_file(qtbot, tmp_path, learning_with):
    learning = learning_with(*program(line_of(MERGED)))
    merges = []
    learning.merged.connect(merges.append)
    with qtbot.waitSignal(learning.learned, timeout=WAIT_MS) as told:
        learning.start(tmp_path)
    assert told.args == [tmp_path / "tokenizer.json"]
    assert merges == [MERGED]
    assert not learning.is_running


def test_a_program_that_fails_is_told_in_its_own_words(qtbot, tmp_path, learning_with):
    failure = line_of(Failed(message="The text is empty."))
    learning = learning_with(*program(failure, code=1, tokenizer=False))
    with qtbot.waitSignal(learning.failed, timeout=WAIT_MS) as told:
        learning.start(tmp_path)
    assert told.args[0].sentence == "The text is empty."


def test_what_is_stopped_tells_nothing_more(qtbot, tmp_path, learning_with):
    learning = learning_with(*SLEEPS)
    learning.start(tmp_path)
    assert learning.is_running
    with qtbot.assertNotEmitted(learning.failed, wait=150):
        learning.stop()
    assert not learning.is_running


@pytest.fixture
def calibration_with(qtbot):
    made = []

    def make(*words):
        calibration = Calibration(words)
        made.append(calibration)
        return calibration

    yield make
    for calibration in made:
        calibration.stop()


def test_a_speed_is_told_with_what_it_was_measured_for(qtbot, calibration_with):
    line = json.dumps({"tokens_per_second": 12.5, "device": "cpu"})
    calibration = calibration_with("-c", f"print({line!r})")
    with qtbot.waitSignal(calibration.measured, timeout=WAIT_MS) as told:
        calibration.measure(CONFIG)
    assert told.args == [CONFIG, Speed(12.5, "cpu")]


def test_the_program_is_given_the_very_configuration(qtbot, calibration_with):
    code = (
        "import sys, json, pathlib, tomllib\n"
        "text = pathlib.Path(sys.argv[1], 'config.toml').read_text()\n"
        "seed = tomllib.loads(text)['training']['seed']\n"
        "print(json.dumps({'tokens_per_second': seed, 'device': 'cpu'}))"
    )
    calibration = calibration_with("-c", code)
    with qtbot.waitSignal(calibration.measured, timeout=WAIT_MS) as told:
        calibration.measure(CONFIG)
    assert told.args[1].tokens_per_second == CONFIG.training.seed


@pytest.mark.parametrize(
    ("code", "sentence"),
    [("import sys; sys.exit('No room.')", "No room."), ("raise SystemExit(1)", SILENT)],
)
def test_a_calibration_that_fails_is_one_sentence(
    qtbot, calibration_with, code, sentence
):
    calibration = calibration_with("-c", code)
    with qtbot.waitSignal(calibration.failed, timeout=WAIT_MS) as told:
        calibration.measure(CONFIG)
    assert told.args == [CONFIG, sentence]


def test_a_newer_question_ends_the_older_one(qtbot, calibration_with):
    calibration = calibration_with(*SLEEPS)
    calibration.measure(CONFIG)
    first = calibration._process
    assert first.waitForStarted(WAIT_MS)
    calibration.measure(CONFIG)
    assert calibration._process is not first
    calibration.stop()
    assert not calibration.is_running
