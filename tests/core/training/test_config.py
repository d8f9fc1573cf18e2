from pathlib import Path

import pytest

from core.config import ModelConfig
from core.errors import ConfigError
from core.training.config import (
    DataConfig,
    RunConfig,
    TokenizerConfig,
    TrainingConfig,
    read_config,
)

RECIPE = Path("resources/models/default/recipe")


def config_of(folder: Path, text: str) -> RunConfig:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return read_config(folder)


def test_what_the_file_leaves_out_has_its_default(tmp_path: Path) -> None:
    config = config_of(tmp_path, '[data]\ntrain = ["a.txt"]\n')
    assert config.data == DataConfig(train=("a.txt",))
    assert config.training == TrainingConfig()
    assert config.model.n_vocab == config.tokenizer.n_vocab


def test_a_whole_number_may_stand_for_any_number(tmp_path: Path) -> None:
    config = config_of(tmp_path, '[data]\ntrain = ["a"]\n[training]\nclip = 1\n')
    assert config.training.clip == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[training]\nlerning_rate = 1\n", "lerning_rate is not a field"),
        ("[trainin]\n", r"trainin is not a table .*\[training\]"),
        ("seed = 1\n", "seed is not a table"),
        ("[training]\nn_steps = 0\n", "n_steps = 0 must be at least 1"),
        ("[training]\nn_steps = true\n", "n_steps = True must be a whole number"),
        ("[training]\nn_steps = 1.5\n", "n_steps = 1.5 must be a whole number"),
        ('[training]\nclip = "1"\n', "clip = '1' must be a number"),
        ("[training]\nclip = nan\n", "clip = nan must be finite"),
        ("[training]\nlearning_rate = inf\n", "learning_rate = inf must be finite"),
        ("[training]\nbeta2 = 1.0\n", "beta2 = 1.0 must be"),
        ('[training]\ndevice = "gpu"\n', "device = gpu must be one of auto, cuda"),
        ("[data]\ntrain = []\n", "train must name at least one"),
        ('[data]\ntrain = "a.txt"\n', "train = 'a.txt' must be a list"),
        ('[data]\ntrain = ["a"]\nvalid_share = 1.0\n', "valid_share = 1.0 must be"),
        ("[tokenizer]\nn_vocab = 100\n", "n_vocab = 100 must be at least 257"),
        ("[model]\nn_vocab = 300\n", r"n_vocab belongs in \[tokenizer\]"),
        ("[model]\nd_model = 48\nn_heads = 5\n", "try n_heads = 4 or 6"),
        ("[model]\nheads = 4\n", "heads is not a field of a model"),
        ("[model\n", "is not TOML"),
        (f"a = {'[' * 5000}", "is not TOML"),
        (f"[training]\nn_steps = {10**8}\n", "n_steps = .* at most 99,999,999"),
        ('[data]\ntrain = ["\\u0000"]\n', "a text's name = .* must be some letters"),
        ('[data]\ntrain = [""]\n', "a text's name = '' must be some letters"),
        ('[tokenizer]\nfile = "\\u0000"\n', "file = .* must be without NUL"),
        (
            "[training]\nn_threads = 100000\n",
            "n_threads = 100000 must be at most 1,024",
        ),
        (
            "[training]\nn_evaluation_batches = 10001\n",
            "n_evaluation_batches = 10001 must be from 1 to 10,000",
        ),
        (
            "[watch]\nn_sample_tokens = 1000000000\n",
            "n_sample_tokens = 1000000000 must be from 1 to 10,000",
        ),
        (f"[training]\nseed = {2**63}\n", "seed = .* must be at most 9,223,372"),
        (f"[training]\nbatch_size = {10**22}\n", "batch_size = .* must be at most 1,0"),
        (f"[training]\nlearning_rate = {10**400}\n", "learning_rate = .* at most 1,0"),
        (f"[model]\nd_model = {10**22 + 1}\n", "d_model = .* must be at most 1,0"),
    ],
)
def test_a_field_that_cannot_be_used_is_refused_by_name(
    tmp_path: Path, text: str, words: str
) -> None:
    data = "" if "[data]" in text else '[data]\ntrain = ["a.txt"]\n'
    with pytest.raises(ConfigError, match=words) as raised:
        config_of(tmp_path, text + data)
    assert "config.toml" in str(raised.value)


def test_a_folder_without_a_config_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml cannot be read"):
        read_config(tmp_path)


def test_the_default_models_recipe_can_be_read() -> None:
    config = read_config(RECIPE)
    assert (config.model.n_vocab, config.model.n_ctx) == (2048, 256)
    assert config.model.tie_embeddings
    assert config.model.scale_embeddings


def test_a_byte_order_mark_of_an_editor_is_passed_over(tmp_path: Path) -> None:
    text = '\ufeff[data]\ntrain = ["a.txt"]\n'
    assert config_of(tmp_path, text).data == DataConfig(train=("a.txt",))


@pytest.mark.parametrize(("field", "value"), [("attention", "both"), ("n_segments", 2)])
def test_a_model_that_sees_what_comes_is_refused_by_name(field, value):
    model = ModelConfig(norm_place="post", **{field: value})
    with pytest.raises(ConfigError, match=f"^{field} = {value!r} must be"):
        RunConfig(
            model=model,
            data=DataConfig(train=("a.txt",)),
            tokenizer=TokenizerConfig(),
            training=TrainingConfig(),
        )
