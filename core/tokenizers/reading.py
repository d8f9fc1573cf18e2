"""The files of a tokenizer, read with an error that names the file and says what to do.

In: paths. Out: text, and tables whose ids are ids.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.errors import TokenizerError

DAMAGED = (KeyError, TypeError, ValueError, AttributeError, RecursionError)
"""What reading a file raises that is of another form than it should be."""
Setting = tuple[str, Any, Any]
"""A name, the value in a file, and the only one that is known here."""

CONFIG_FILE = "tokenizer_config.json"
PLACED_ANYWHERE: Mapping[str, Any] = {
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": False,
}
"""Where an added token is found in a text: wherever its text stands."""
HOW_TO_CONVERT = (
    "open the folder with `AutoTokenizer.from_pretrained` of `transformers` and "
    "`save_pretrained` it, which writes a tokenizer.json"
)


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        TokenizerError: It cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TokenizerError(
            f"{path} cannot be read ({error}); copy the file again."
        ) from error


def read_json(path: Path) -> dict[str, Any]:
    """The table in a JSON file.

    Raises:
        TokenizerError: It cannot be read, or holds no table.
    """
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise TokenizerError(
            f"{path} is damaged (line {error.lineno}: {error.msg}); copy it again."
        ) from error
    except ValueError as error:
        raise TokenizerError(
            f"{path} is damaged (a number of too many digits); copy it again."
        ) from error
    except RecursionError:
        raise TokenizerError(
            f"{path} is nested too deep to be a tokenizer; choose another file."
        ) from None
    if not isinstance(content, dict):
        raise TokenizerError(f"{path} describes no tokenizer; choose another file.")
    return content


def read_config(folder: Path) -> dict[str, Any]:
    """The settings of a folder's `tokenizer_config.json`; none where there is none."""
    path = folder / CONFIG_FILE
    return read_json(path) if os.path.isfile(path) else {}


def check_ids(path: Path, ids: Mapping[str, Any]) -> None:
    """Refuse an id that is none.

    Raises:
        TokenizerError: One is no number, or less than 0.
    """
    if set(map(type, ids.values())) == {int} and min(ids.values()) >= 0:
        return
    for name, token_id in ids.items():
        if not isinstance(token_id, int) or token_id < 0:
            raise TokenizerError(
                f"{path} is damaged: the id of {name!r} is {token_id!r}; copy it again."
            )


def different(settings: Iterable[Setting]) -> Setting | None:
    """The first setting that is not what is known; None where all are."""
    for setting in settings:
        _, value, known = setting
        if (value or None) != (known or None):
            return setting
    return None


def refuse(path: Path, name: str, value: Any) -> TokenizerError:
    """That a setting would make the ids differ from those the model learned with."""
    return TokenizerError(
        f"{path} sets {name} to {value!r}, which is not supported; choose a model "
        "whose tokenizer is a byte-level or SentencePiece BPE, WordPiece or Unigram."
    )


def text_of(token: Any) -> str | None:
    """A special token of a configuration, which may be a table with its text."""
    found = token.get("content") if isinstance(token, Mapping) else token
    return found if isinstance(found, str) else None
