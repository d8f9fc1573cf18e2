"""Which kind of model folder or file it is, and its model in our own terms.

In: a folder, or a `.gguf` file. A `config.json` that says "format": "glassformer" is
one of ours; any other is taken for one of `transformers`.
"""

from pathlib import Path

from core.checkpoints.fields import read_fields
from core.checkpoints.gguf import read_gguf
from core.checkpoints.gguf_header import is_gguf
from core.checkpoints.huggingface import read_huggingface
from core.checkpoints.native import FORMAT, NativeModel, OpenModel, read_model
from core.checkpoints.progress import Tell, tell_nobody


def read_folder(
    folder: Path, like: OpenModel | None = None, tell: Tell = tell_nobody
) -> NativeModel:
    """Open a folder of either kind, or a file; `like` as in `read_model`.

    Raises:
        CheckpointError: A file is missing, damaged, of another kind or too large.
        TokenizerError: Its tokenizer cannot be used.
    """
    if is_gguf(folder):
        return read_gguf(folder, tell)
    if read_fields(folder).values.get("format") == FORMAT:
        return read_model(folder, like)
    return read_huggingface(folder, tell)
