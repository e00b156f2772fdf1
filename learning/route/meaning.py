"""Tell how near a request is to SOPs in meaning, by the model that recall uses.

The vectors of the SOPs' texts are kept in `sops/.vectors.npz`. It is derived: it may be deleted at
any time; a damaged or unwritable one is done without.
"""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from memory.sops import Sop
from models.embeddings import EmbeddingError
from replay.wordings import SLOT

if TYPE_CHECKING:
    from models.embeddings import Embedder, Vectors

FILE = ".vectors.npz"
WORDINGS = 3  # of an SOP that are compared
MOST_NEW = (
    100  # texts of which vectors are made while somebody waits; the others come with later requests
)
_VALUE = re.compile(r"[~/][\w./-]+|\b[\w.-]*\d[\w.-]*\b")  # says nothing of what is to be done


def nearness(request: str, sops: Sequence[Sop], embedder: Embedder) -> dict[str, float]:
    """Return the cosine of each SOP's nearest text and the request, by name; empty where there are
    no vectors."""
    texts = {sop.name: _texts(sop) for sop in sops}
    folder = next((sop.folder.parent for sop in sops if not sop.is_seed), None)
    try:
        near = _cosines(request, dict.fromkeys(chain(*texts.values())), folder, embedder)
    except EmbeddingError:  # the endpoint is down: words and values decide
        return {}
    known = {name: near.keys() & each for name, each in texts.items()}
    return {name: max(map(near.__getitem__, each)) for name, each in known.items() if each}


def _texts(sop: Sop) -> list[str]:
    wordings = sop.procedure.wordings[:WORDINGS] if sop.procedure else ()
    spoken = [
        SLOT.sub(lambda slot: f" {slot[0].strip('{}').split(':')[0]} ", each.text)
        for each in wordings
    ]
    return [text for text in (sop.description, *spoken) if text.strip()]


def _cosines(
    request: str, texts: Iterable[str], folder: Path | None, embedder: Embedder
) -> dict[str, float]:
    """Return how near each text is to a request, by the vectors that are kept and up to MOST_NEW
    new ones."""
    kept = _read(folder)
    keys = {text: _key(text, embedder.name) for text in texts}
    new = [text for text in keys if keys[text] not in kept][:MOST_NEW]
    if new:
        made = zip([keys[text] for text in new], embedder.embed(new, is_awaited=True), strict=True)
        kept = {key: kept[key] for key in kept.keys() & set(keys.values())} | dict(made)
        _write(folder, kept)
    asked = embedder.embed([_VALUE.sub(" ", request)], is_awaited=True)[0]
    return {text: float(kept[key] @ asked) for text, key in keys.items() if key in kept}


def _key(text: str, model: str) -> str:
    return hashlib.blake2b(
        f"{model}\0{text}".encode("utf-8", "replace"), digest_size=12
    ).hexdigest()


def _read(folder: Path | None) -> dict[str, Vectors]:
    import numpy as np

    if folder is None:
        return {}
    try:
        with np.load(folder / FILE, allow_pickle=False) as held:
            return dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}


def _write(folder: Path | None, kept: Mapping[str, Vectors]) -> None:
    import numpy as np

    if folder is None:
        return
    beside = folder / f"{FILE}.{os.getpid()}"
    with suppress(OSError):
        with beside.open("wb") as out:
            np.savez(out, keys=np.array(list(kept)), vectors=np.stack(list(kept.values())))
        beside.replace(folder / FILE)
