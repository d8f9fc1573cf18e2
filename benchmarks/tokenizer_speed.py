"""How fast the tokenizers of model folders are, against the package that cuts for them.

Run: `python -m benchmarks.tokenizer_speed FOLDER ...`, each a model folder or a
`tokenizer.json`. Prints one JSON line a folder: seconds for 100 kB of English, by the
package alone with ids and spans, as a corpus, and as an encoding that can be explained.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tokenizers import Tokenizer as Reference

from core.tokenizers.folder import open_tokenizer, tokenizer_json

SENTENCE = "The cat sat on the mat, and the dog didn't play in 1984. "
N_CHARACTERS = 100_000
N_TRIES = 5


def shortest(work: Callable[[], object]) -> float:
    """The shortest of a few runs, in seconds of this process."""
    took = []
    for _ in range(N_TRIES):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return min(took)


def measured(folder: Path) -> dict[str, object]:
    """The figures of one tokenizer."""
    text = (SENTENCE * (N_CHARACTERS // len(SENTENCE) + 1))[:N_CHARACTERS]
    tokenizer = open_tokenizer(folder)
    reference = Reference.from_str(json.dumps(tokenizer_json(tokenizer)))

    def by_the_package() -> object:
        found = reference.encode(text)
        return found.ids, found.offsets

    package = shortest(by_the_package)
    corpus = shortest(lambda: tokenizer.encode_corpus(text))
    whole = shortest(lambda: tokenizer.encode(text))
    return {
        "figure": "tokenizer",
        "folder": folder.name,
        "method": tokenizer.method,
        "package_s": round(package, 4),
        "corpus_s": round(corpus, 4),
        "encoding_s": round(whole, 4),
        "corpus_ratio": round(corpus / package, 2),
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        sys.stdout.write(f"{json.dumps(measured(Path(name)))}\n")
