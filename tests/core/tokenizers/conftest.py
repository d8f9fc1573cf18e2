"""Tokenizers that the tests of this folder share."""

from pathlib import Path
from pydoc_data.topics import topics

import pytest
from tokenizers import Tokenizer as Oracle

from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.bpe_training import train_bpe
from core.tokenizers.folder import open_tokenizer, save_tokenizer

DEFAULT_MODEL = Path(__file__).parents[3] / "resources" / "models" / "default"
OTHER_SCRIPTS = (
    "Ünïcödé naïve café, señor Ångström; страница русского текста. "
    "中文字符測試，日本語のテキスト。 한국어 문장 العربية 🙂🙃👩‍👩‍👧 "
)


def as_bytes(*symbols: str) -> tuple[bytes, ...]:
    return tuple(symbol.encode() for symbol in symbols)


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Half a megabyte of English, and a little of much else."""
    return [*topics.values(), OTHER_SCRIPTS * 20]


@pytest.fixture(scope="session")
def trained(texts: list[str]) -> BpeTokenizer:
    return train_bpe(texts, 2048)


@pytest.fixture(scope="session", params=["trained", "default"])
def tokenizer_file(
    request: pytest.FixtureRequest,
    trained: BpeTokenizer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A vocabulary of 2,048 learned here, and the one of the default model."""
    if request.param == "trained":
        return save_tokenizer(trained, tmp_path_factory.mktemp("trained"))
    path = DEFAULT_MODEL / "tokenizer.json"
    if not path.is_file():
        pytest.skip("the default model is not there yet")
    return path


@pytest.fixture(scope="session")
def tokenizer(tokenizer_file: Path) -> BpeTokenizer:
    opened = open_tokenizer(tokenizer_file)
    assert isinstance(opened, BpeTokenizer)
    return opened


@pytest.fixture(scope="session")
def oracle(tokenizer_file: Path) -> Oracle:
    """The same file in the `tokenizers` package."""
    return Oracle.from_file(str(tokenizer_file))


@pytest.fixture(scope="session")
def base256() -> BpeTokenizer:
    """The 256 bytes and no merges."""
    return BpeTokenizer.from_merges(())


@pytest.fixture(scope="session")
def abc() -> BpeTokenizer:
    """Few symbols, two merges that compete, and one of number signs."""
    symbols = as_bytes("a", "b", "c", "#", "bc", "ab", "##")
    merges = [(b"b", b"c"), (b"a", b"b"), (b"#", b"#")]
    return BpeTokenizer({data: i for i, data in enumerate(symbols)}, merges)
